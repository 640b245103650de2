"""The view of New campaign, as its address says it: the step, the plan, the draft that is edited, images chosen by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from concord.common.base_path import at
from concord.new_campaigns.study_plan import USUAL_MARGIN, USUAL_PEOPLE, PlanQuery
from ui.shell.scope_bar import with_query

PATH: Final = "/people/new"
STEPS: Final[Mapping[str, str]] = {
    "plan": "Plan",
    "images": "Images",
    "questions": "Questions",
    "checks": "Checks and pay",
    "invite": "Invite",
}
PARAMETERS: Final = (
    "step", "campaign", "goal", "margin", "people", "from", "suite", "aspect", "simulated", "scorer", "wage", "currency",
    "item",
)  # fmt: skip
"""The names in an address."""
_LONGEST: Final = 1000


@dataclass(frozen=True, slots=True)
class WizardView:
    """What is asked for.

    Attributes:
        step: a name of `STEPS`.
        campaign: the draft that is edited; empty for a new one.
        asked: the plan.
        planned: whether the address has a plan, which then says how many images and people.
        items: ids of images that were chosen by hand.
    """

    step: str = "plan"
    campaign: str = ""
    asked: PlanQuery = field(default_factory=PlanQuery)
    planned: bool = False
    items: tuple[str, ...] = ()

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> WizardView:
        """Return the view that an address asks for, also one of the page Plan before; what it cannot ask for is as usual."""

        def last(name: str) -> str:
            given = [value for value in values(name) if value and len(value) <= _LONGEST]
            return given[-1] if given else ""

        # SUITE·ASPECT, or SUITE·ASPECT·simulated
        suite, aspect, *simulated = [*last("rated").split("·"), "", ""][:3]
        asked = replace(
            PlanQuery.read(last("goal"), last("margin") or last("precision"), last("people")),
            suite=last("suite") or suite,
            aspect=last("aspect") or aspect,
            simulated=last("simulated") == "1" or any(simulated),
            typical=last("from") == "typical",
            scorer=last("scorer"),
            wage=last("wage"),
            currency=last("currency"),
        )
        items = tuple(dict.fromkeys(value for value in values("item") if 0 < len(value) <= _LONGEST))
        campaign = last("campaign")
        first = "images" if campaign or items else "plan"
        step = last("step") if last("step") in STEPS else first
        return cls(step, campaign, asked, bool(last("goal")), items)

    def address(self, **changes: Any) -> str:
        """Return the address of this view, with some of it changed; a change of the plan is written as one."""
        of_plan = {name: value for name, value in changes.items() if name in PlanQuery.__dataclass_fields__}
        rest = {name: value for name, value in changes.items() if name not in of_plan}
        view = replace(self, **rest, asked=replace(self.asked, **of_plan)) if of_plan else replace(self, **rest)
        asked = view.asked
        plan = [
            ("goal", asked.goal),
            ("margin", "" if asked.margin == USUAL_MARGIN else f"{asked.margin:g}"),
            ("people", "" if asked.people == USUAL_PEOPLE else str(asked.people)),
            ("from", "typical" if asked.typical else ""),
            ("suite", asked.suite),
            ("aspect", asked.aspect),
            ("simulated", "1" if asked.simulated else ""),
            ("scorer", asked.scorer),
            ("wage", asked.wage),
            ("currency", asked.currency),
        ]
        step = "" if view.step == ("images" if view.campaign or view.items else "plan") else view.step
        own = [("step", step), ("campaign", view.campaign), *(plan if view.planned or of_plan else ())]
        return with_query(at(f"/studio{PATH}"), [*own, *(("item", item) for item in view.items)])
