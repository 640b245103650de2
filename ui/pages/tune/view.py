"""The view of Tune, as its address says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from concord.common.base_path import at
from concord.error_analysis.tuning import AGAINST, OBJECTIVES, UNKNOWN, WITH, TuneRequest, setting_names
from concord.scope import NAMES, Scope
from ui.shell.scope_bar import with_query

PATH: Final = "/agreement/tune"
PARAMETERS: Final = (*NAMES, "rater", "along", "people", "flips", "numbers")
"""The names in an address of Tune; settings follow, by their names."""
KINDS: Final = {"people": "real", "simulated": "simulated"}
"""Kinds of people by their name in the address."""


@dataclass(frozen=True, slots=True)
class TuneView:
    """What of Tune is asked for.

    Attributes:
        scope: as the address says it; its statistic is what a setting is tuned by.
        rater: the scorer; empty for the first.
        settings: by name what is asked for.
        along: the setting that the curve runs along.
        people: `people` or `simulated`; empty for those whose answers lead.
        flips: which of the verdicts that flip are shown; empty for all.
        numbers: whether the panel with all numbers is open.
    """

    scope: Scope = field(default_factory=Scope)
    rater: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    along: str = ""
    people: str = ""
    flips: str = ""
    numbers: bool = False

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> TuneView:
        """Return the view that an address asks for; what it cannot ask for is left out."""

        def last(name: str) -> str:
            given = values(name)
            return given[-1][:1000] if given else ""

        people, flips = last("people"), last("flips")
        return cls(
            Scope.read(values),
            last("rater"),
            {name: value for name in setting_names() if (value := last(name))},
            last("along"),
            people if people in KINDS else "",
            flips if flips in (AGAINST, WITH, UNKNOWN) else "",
            last("numbers") == "1",
        )

    def request(self) -> TuneRequest:
        """What is asked of the scorer."""
        objective = next((name for name in OBJECTIVES if name == self.scope.statistic), OBJECTIVES[0])
        return TuneRequest(self.rater, self.settings, self.along, objective, KINDS.get(self.people, ""))

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view = replace(self, **changes)  # type: ignore[arg-type]
        own = [
            *view.scope.query(),
            ("rater", view.rater),
            *view.settings.items(),
            ("along", view.along),
            ("people", view.people),
            ("flips", view.flips),
            ("numbers", "1" if view.numbers else ""),
        ]
        return with_query(at(f"/studio{PATH}"), own)

    def of_scope(self, scope: Scope) -> str:
        """Return the address of another scope; another suite has other scorers."""
        return TuneView(scope).address() if scope.suite != self.scope.suite else self.address(scope=scope)
