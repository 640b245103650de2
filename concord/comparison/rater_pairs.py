"""Any two raters: how close they are by one statistic, and in detail where their answers cross and on which images.

A rater is a scorer, a person, or people together (`people`, `simulated people`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np
import pandas as pd

from agreement import CellName, ConsensusMethod, Options, PairReport, pair_report
from agreement.estimate import Estimate
from agreement.report.report import MET_BY_SCORES, SCORE
from concord.agreement import AgreementRows, recall, recall_consensus, scales_of
from concord.common import live_updates
from concord.comparison.rank_halves import RankHalves, rank_halves
from concord.comparison.trust import is_huge
from data.browsing import HIGH, LOW, ConfusionCell, ItemPreview, RaterCount
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store

GROUPS: Final[Mapping[str, str]] = {"real": PEOPLE, "simulated": SIMULATED}
"""What people together are called, by their kind."""
CONSENSUS: Final = "consensus:"
"""How the names of consensuses begin."""
MOST_PERSONS: Final = 20
"""So many persons stand in the matrix, those with most answers."""
_FURTHEST: Final = 8
_IN_CELL: Final = 3

Labels = tuple[str, str]
"""What the first and the second of a pair say."""


@live_updates.cached(maxsize=32)
def pair(store: Store, selection: Selection, task: str, a: str, b: str, *, intervals: bool) -> PairReport:
    """Return two raters in detail; one that gives scores alone comes first, from where a score meets what others say.

    Args:
        store: the open project.
        selection: one suite and the question.
        task: `all`, or one.
        a: a rater.
        b: another one.
        intervals: whether intervals are made.

    Raises:
        ValueError: the two do not both have judgements of the question.
    """
    # a rater's other questions say where the two part ways
    judgements, (aspect,) = frame.frame(store, replace(selection, aspect=())), selection.aspect
    swapped = _only_scores(judgements, aspect, b) or a in GROUPS.values()
    first, second = (b, a) if swapped else (a, b)
    return pair_report(
        judgements,
        scales_of(store),
        SCORE if _only_scores(judgements, aspect, first) and _only_scores(judgements, aspect, second) else aspect,
        first,
        PEOPLE if second in GROUPS.values() else second,
        Options(intervals=intervals, certainty=selection.certainty),
        place=CellName("all", task),
        simulated=second == SIMULATED,
    )


def second_name(made: PairReport) -> str:
    """Return what the second of a pair is called, as in an address."""
    return GROUPS[made.people] if made.b == PEOPLE else made.b


def _only_scores(judgements: pd.DataFrame, aspect: str, rater: str) -> bool:
    judged = set(judgements.loc[judgements["rater"] == rater, "aspect"])
    return SCORE in judged and aspect not in judged


@dataclass(frozen=True, slots=True)
class Quarter:
    """Images on which two raters say something: both the same, or each something else.

    Attributes:
        says: what the first and the second say: labels, or `high` and `low` where one of them gives scores.
        count: how often; of people by their majority, so once an image.
        items: the images.
        previews: of the first ones.
    """

    says: Labels
    count: int
    items: tuple[str, ...]
    previews: Mapping[str, ItemPreview]

    @property
    def same(self) -> bool:
        """True if both say the same."""
        return self.says[0] == self.says[1]


def quarters(store: Store, made: PairReport) -> tuple[tuple[Quarter, ...], int]:
    """Return the four kinds of images of a pair, and how many more have no majority of people.

    Of two labels by what each says; where one of the two gives scores by rank, each half of the images being `high`. Nothing
    of more labels, which a table shows.
    """
    counts: dict[Labels, int] = {}
    items: dict[Labels, tuple[str, ...]] = {}
    left = 0
    if len(made.labels) == 2:
        for (i, first), (j, second) in product(enumerate(made.labels), repeat=2):
            counts[first, second] = made.table[i][j]
        items = {(cell.a, cell.b): cell.items for cell in made.cells}
        judged = max((each.n_items for each in made.estimates if each.statistic == "percent_agreement"), default=0)
        left = max(0, judged - sum(counts.values())) if made.b == PEOPLE else 0
    elif (halves := rank_halves(made)) is not None:
        items = {says: halves.of(says) for says in product((HIGH, LOW), (HIGH, LOW))}
        counts = {says: len(each) for says, each in items.items()}
    first_items = [item for each in items.values() for item in each[:_IN_CELL]]
    previews = contents.item_previews(store, first_items)
    parts = [
        Quarter(says, n, own, {item: previews[item] for item in own[:_IN_CELL] if item in previews})
        for says, n in counts.items()
        for own in [items.get(says, ())]
    ]
    return tuple(parts), left


@live_updates.cached(maxsize=16)
def crossed_by_rank(store: Store, cell: ConfusionCell, selection: Selection) -> RankHalves | None:
    """Return by half the images of two raters whose numbers meet by rank, the cell's first rater first; None without any."""
    tasks = selection.task
    try:
        made = pair(
            store,
            replace(selection, aspect=(cell.aspect,), task=() if len(tasks) == 1 else tasks),
            tasks[0] if len(tasks) == 1 else "all",
            cell.a,
            cell.b,
            intervals=False,
        )
    except ValueError:
        return None
    halves = rank_halves(made)
    return halves.swapped if halves is not None and made.a != cell.a else halves


@dataclass(frozen=True, slots=True)
class DistantImage:
    """An image that two raters rank differently, with both values."""

    item: str
    x: float
    y: float
    preview: ItemPreview | None


def furthest(store: Store, made: PairReport) -> list[DistantImage]:
    """Return the images that the two rank most differently, the furthest first."""
    values = made.values
    if not values or len(values.x) < 2:
        return []
    apart = (np.asarray(values.rank_x) - np.asarray(values.rank_y)) / len(values.x)
    first: dict[str, int] = {}
    for index in np.argsort(-np.abs(apart), kind="stable")[: 4 * _FURTHEST].tolist():
        if apart[index]:
            first.setdefault(values.items[index], index)
    chosen = list(first.items())[:_FURTHEST]
    previews = contents.item_previews(store, [item for item, _ in chosen])
    return [DistantImage(item, values.x[index], values.y[index], previews.get(item)) for item, index in chosen]


@dataclass(frozen=True, slots=True)
class RaterMatrix:
    """One statistic of any two raters.

    Attributes:
        statistic: which.
        raters: people together first, consensuses, scorers from the closest to people on, persons.
        cells: by both names, either way; None where the two can be opened and have no number here.
        persons: how many persons there are in all.
    """

    statistic: str
    raters: tuple[str, ...]
    cells: Mapping[tuple[str, str], Estimate | None]
    persons: int


def pairable(store: Store, selection: Selection) -> list[RaterCount]:
    """Return who can be compared one by one: scorers first, then persons."""
    counts = [judge for judge in contents.raters_of_selection(store, selection) if judge.scorer or judge.person]
    return sorted(counts, key=lambda judge: not judge.scorer)


Met = dict[tuple[str, str], Estimate | None]


def rater_matrix(
    store: Store,
    selection: Selection,
    task: str,
    statistic: str,
    rows: AgreementRows,
    methods: tuple[ConsensusMethod, ...] = (),
    *,
    intervals: bool,
) -> RaterMatrix:
    """Return one statistic of any two raters.

    Args:
        store: the open project.
        selection: one suite and the question.
        task: whose rows are read.
        statistic: which one.
        rows: the agreement report of the selection: people among themselves, scorers against people.
        methods: consensuses of people that are raters, too.
        intervals: whether intervals are made.
    """

    def chosen(section: Sequence[Estimate]) -> list[Estimate]:
        return [row for row in section if (row.task, row.statistic, row.target) == (task, statistic, None)]

    known = pairable(store, selection)
    persons = [judge for judge in known if judge.person]
    counts = [judge for judge in known if judge.scorer] + persons[:MOST_PERSONS]
    met: Met = {}

    def add(found: Sequence[tuple[str, str, Estimate | None]]) -> None:
        for a, b, row in found:
            met[a, b] = met[b, a] = row

    options = Options(statistics=(statistic,), intervals=intervals, each_generator=False)
    if not is_huge(store):
        if selection.aspect[0] in MET_BY_SCORES:
            # the question stays selected: how sure people are is told from what they say of it
            scores = recall(store, replace(selection, aspect=(*selection.aspect, SCORE)), options)
            add([(row.a, row.b, row) for row in chosen(scores.matrix) if row.aspect == SCORE])
        few = replace(selection, rater=tuple(judge.name for judge in counts)) if len(counts) < len(known) else selection
        add([(row.a, row.b, row) for row in chosen(recall(store, few, options).matrix)])
    add([(GROUPS[row.people], GROUPS[row.people], row) for row in chosen(rows.among_people)])
    add([(row.rater, GROUPS[row.people], row) for row in chosen(rows.raters)])
    for judge in counts:
        group = SIMULATED if judge.simulated else PEOPLE
        if judge.person and (group, group) in met:
            # a person beside the others of their kind: no number of the report, but a pair that can be opened
            met.setdefault((judge.name, group), None)
            met.setdefault((group, judge.name), None)
    consensus: list[str] = []
    if methods and not is_huge(store):
        made = recall_consensus(store, selection, Options(intervals=intervals, each_generator=False), methods)
        consensus = [f"{CONSENSUS}{method}" for method in methods]
        shown = {*(judge.name for judge in counts), *consensus}
        add([(row.rater, GROUPS[row.people], row) for row in chosen(made.raters)])
        add([(row.a, row.b, row) for row in chosen(made.matrix) if {row.a, row.b} <= shown])
    names = (PEOPLE, SIMULATED, *consensus, *_in_order(counts, met))
    present = {name for each in met for name in each}
    return RaterMatrix(statistic, tuple(name for name in names if name in present), met, len(persons))


def _in_order(counts: Sequence[RaterCount], met: Mapping[tuple[str, str], Estimate | None]) -> list[str]:
    """Return scorers, those closest to people first, then persons, those with most answers first."""

    def closeness(judge: RaterCount) -> float:
        rows = [met.get((judge.name, group)) for group in (PEOPLE, SIMULATED)]
        return max((row.value for row in rows if row is not None and row.value is not None), default=-2.0)

    scorers = sorted((judge for judge in counts if judge.scorer), key=closeness, reverse=True)
    return [*(judge.name for judge in scorers), *(judge.name for judge in counts if judge.person)]
