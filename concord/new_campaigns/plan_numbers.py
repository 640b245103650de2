"""All numbers behind a study's plan: each design with today's prompts, and how people differ."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.meta.planning import PlannedRow
from agreement.meta.rater_effects import RaterEffectRow
from concord.meta.findings import effects
from concord.meta.planning import plan
from concord.meta.requests import PlanRequest
from concord.new_campaigns.study_plan import StudyPlan
from data.selection import Selection
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class PlanNumbers:
    """The rows of the commands `plan` and `rater-effects` about what a study is planned for."""

    rows: tuple[PlannedRow, ...]
    effects: tuple[RaterEffectRow, ...]


def plan_numbers(store: Store, study: StudyPlan) -> PlanNumbers | None:
    """Return all numbers; None while nobody has rated."""
    asked = study.asked
    if not study.subjects:
        return None
    selection = Selection(suite=(asked.suite,), aspect=(asked.aspect,))
    people = "simulated" if asked.simulated else "real"
    aim = asked.margin * study.span
    request = PlanRequest(half_width=aim, difference=2 * aim)
    rows = (row for row in plan(store, selection, request) if row.people == people)
    return PlanNumbers(tuple(rows), tuple(row for row in effects(store, selection) if row.people == people))
