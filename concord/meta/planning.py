"""Plans of studies from the ratings that a project has: how sure a number is with each design."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from agreement.meta.planning import Aim, Design, PlannedRow, observed_design, plan_means, plan_statistics
from agreement.meta.units import RatedUnits
from agreement.report.report import select
from concord.agreement import scales_of
from concord.common import live_updates
from concord.meta.findings import selected_units
from concord.meta.requests import MEAN, PlanRequest
from concord.scope import MAIN_ASPECTS
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store


@live_updates.cached(maxsize=32)
def plan(store: Store, selection: Selection, request: PlanRequest) -> list[PlannedRow]:
    """How sure each number is with each design, and how many prompts its aim needs."""
    others, scales = tuple(name for name in request.statistics if name != MEAN), scales_of(store)
    judgements = select(frame.frame(store, selection), scales, selection.certainty) if others else pd.DataFrame()
    rows: list[PlannedRow] = []
    for units in selected_units(store, selection):
        span = units.high - units.low
        aim = Aim((request.half_width or Aim.half_width * span) / span, (request.difference or Aim.difference * span) / span)
        designs = _designs(units, request)
        if MEAN in request.statistics:
            rows += plan_means(units, designs, aim)
        if others:
            seen = observed_design(units)
            feasible = [each for each in designs if each.images <= seen.images and each.ratings <= seen.ratings]
            mine = judgements[(judgements.suite == units.suite) & (judgements.aspect.isin((units.aspect, "score")))]
            of_people = (mine.kind != "human") | (mine.simulated == units.simulated)
            aim = replace(aim, half_width=request.half_width or Aim.half_width)
            made = plan_statistics(mine[of_people], scales, others, feasible, aim, request.seed)
            rows += [row for row in made if row.aspect == units.aspect]
    return rows


def _designs(units: RatedUnits, request: PlanRequest) -> list[Design]:
    """What there is first, then each number of images with each number of ratings."""
    seen = observed_design(units)
    images = request.images or (int(seen.images),)
    ratings = request.ratings or tuple(sorted({1, 2, 3, 5, int(seen.ratings)}))
    designs = [Design(m, k, request.persons) for m in images for k in ratings]
    first = replace(seen, persons=request.persons)
    return [first, *(each for each in designs if each != first)]


def rated_aspects(store: Store) -> list[RatedUnits]:
    """What can be planned: aspects that people rated in numbers; real people, main aspects and the most rated ones first."""
    numeric = [units for units in selected_units(store, Selection()) if units.numeric]
    return sorted(
        numeric,
        key=lambda each: (each.simulated, each.aspect not in MAIN_ASPECTS, -each.people.unit.size, each.suite, each.aspect),
    )


def expected_precision(store: Store, suite: str, ratings: int, prompts: int) -> PlannedRow | None:
    """The plan of a generator's mean in a suite with so many ratings of each image; None where people's ratings tell none.

    It is that of the main aspect; its half width with so many prompts is ``half_width_with(prompts)``.
    """
    best = next((each for each in rated_aspects(store) if each.suite == suite), None)
    if best is None or prompts < 2:
        return None
    selection = Selection(suite=(suite,), aspect=(best.aspect,))
    people = "simulated" if best.simulated else "real"
    rows = [row for row in plan(store, selection, PlanRequest(ratings=(ratings,))) if row.half_width is not None]
    return next((row for row in rows if (row.statistic, row.people, row.design.ratings) == (MEAN, people, ratings)), None)
