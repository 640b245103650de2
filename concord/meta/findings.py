"""Findings from the rated units of a selection: the rows of `rank`, `alt-test` and `rater-effects`, of pages and report.

What is cached is made once for all who look while the project stays as it is: do not change the lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

import pandas as pd

from agreement import Options
from agreement.meta.alternative_annotator import ADVANTAGE, EPSILON, WINNING_RATE, AlternativeAnnotator, alternative_annotator
from agreement.meta.ranking import GENERATORS, KENDALL, PAIRWISE, RANK, SOFT, Ranking, ranking
from agreement.meta.rater_effects import RaterEffectRow, rater_effects
from agreement.meta.units import Finding, RatedUnits, read_units
from agreement.report.report import select
from concord.agreement import scales_of
from concord.common import live_updates
from data.aspects import Scales
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store

FindingT = TypeVar("FindingT", bound=Finding)

TITLES: Final[Mapping[str, str]] = {
    PAIRWISE: "Pairwise accuracy",
    GENERATORS: "Pairwise accuracy, generators",
    KENDALL: "Kendall’s τ-b, generators",
    SOFT: "Soft pairwise accuracy",
    RANK: "Rank",
    WINNING_RATE: "Winning rate",
    ADVANTAGE: "Advantage probability",
}


def units_of(judgements: pd.DataFrame, scales: Scales, selection: Selection) -> list[RatedUnits]:
    """The rated units of the selected aspects; a score that was let through to meet them is none of its own."""
    chosen = select(judgements, scales, selection.certainty)
    return [units for units in read_units(chosen, scales) if units.aspect in (selection.aspect or (units.aspect,))]


@live_updates.cached(maxsize=8)
def selected_units(store: Store, selection: Selection) -> list[RatedUnits]:
    """The same of a project."""
    return units_of(frame.frame(store, selection), scales_of(store), selection)


@live_updates.cached(maxsize=16)
def rank(store: Store, selection: Selection, options: Options, epsilon: float | None = None) -> list[Ranking]:
    """Whether scorers choose the better image, and how they order generators."""
    return [row for units in selected_units(store, selection) for row in ranking(units, options, epsilon=epsilon)]


@live_updates.cached(maxsize=16)
def alt_test(
    store: Store, selection: Selection, options: Options, epsilon: float = EPSILON, graded: tuple[str, ...] = ()
) -> list[AlternativeAnnotator]:
    """Whether scorers may take the place of a person; scores of those ``graded`` are grades from 0 to 10."""
    units = [each.graded(graded) for each in selected_units(store, selection)]
    return [row for each in units for row in alternative_annotator(each, options, epsilon=epsilon)]


@live_updates.cached(maxsize=32)
def effects(store: Store, selection: Selection, ratings: tuple[int, ...] = (1, 3, 5)) -> list[RaterEffectRow]:
    """Each person's severity, variance components, and how reliably so many ratings tell images apart."""
    return [row for units in selected_units(store, selection) for row in rater_effects(units, ratings)]


def of_scorers(rows: Sequence[FindingT], scorers: Sequence[str]) -> list[FindingT]:
    """Return people's own rows and those of these scorers; all rows if no scorers are named."""
    return [row for row in rows if not scorers or row.scorer in (None, *scorers)]
