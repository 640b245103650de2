"""The metrics of a suite's own paper beside the leaderboard: a column each, people's number over a scorer's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from agreement import Options
from agreement.estimate import ALL, Estimate
from agreement.suite_metrics.catalogue import (
    GENEVAL_ALL,
    GENEVAL_ANY,
    METRICS,
    METRICS_OF_KIND,
    SELFEVAL_ABOVE_CHANCE,
    SELFEVAL_ACCURACY,
    TIFA_ACCURACY,
    TIFA_SCORE,
    VISOR_COND,
    VISOR_CONSISTENCY,
    VISOR_N,
    VISOR_OA,
    SuiteKind,
)
from concord import suite_metrics
from concord.comparison.leaderboard import Leaderboard
from concord.scope import Scope
from concord.suite_metrics.overview_tables import rater_name
from data.store.core.store import Store

BY_METRIC: Final = "metric:"
"""Before a metric's name, where rows are sorted by it."""
TITLES: Final[Mapping[SuiteKind, str]] = {
    "visor": "VISOR 1–4",
    "geneval": "GenEval any, all",
    "tifa": "TIFA by element type",
    "selfeval": "SelfEval",
}
_HEADINGS: Final = {
    VISOR_OA: "OA", VISOR_COND: "cond", **{name: f"≥ {n}" for n, name in VISOR_N.items()}, VISOR_CONSISTENCY: "consist.",
    GENEVAL_ANY: "any of N", GENEVAL_ALL: "all of N", TIFA_SCORE: "TIFA", TIFA_ACCURACY: "accuracy",
    SELFEVAL_ACCURACY: "accuracy", SELFEVAL_ABOVE_CHANCE: "less chance",
}  # fmt: skip
"""What has a column; the share of correct images is people's mean, which the leaderboard has already."""


@dataclass(frozen=True, slots=True)
class MetricColumn:
    """A metric, or TIFA's accuracy on one element type.

    Attributes:
        heading: short; ``meaning``: in a sentence.
        target: the element type.
    """

    statistic: str
    heading: str
    meaning: str
    target: str | None = None

    @property
    def sort(self) -> str:
        """What an address says where rows are sorted by it."""
        return f"{BY_METRIC}{self.statistic}{f':{self.target}' if self.target else ''}"


@dataclass(frozen=True, slots=True)
class MetricRater:
    """A rater whose metrics are shown."""

    name: str
    kind: Literal["people", "simulated", "scorer"]


@dataclass(frozen=True, slots=True)
class BoardMetrics:
    """The metrics of one kind.

    Attributes:
        raters: people, where they have any, then the scorer that agrees best with them of those that have any.
        cells: by generator, rater and column.
    """

    kind: SuiteKind
    title: str
    columns: tuple[MetricColumn, ...]
    raters: tuple[MetricRater, ...]
    cells: Mapping[tuple[str, str, MetricColumn], Estimate]


def board_metrics(store: Store, scope: Scope, board: Leaderboard, *, intervals: bool = True) -> tuple[BoardMetrics, ...]:
    """Return for each kind of metrics that the suite's prompts define its numbers by people and a scorer; empty for none."""
    selection = replace(scope.selection, aspect=())
    rows = [
        row
        for row in suite_metrics.recall(store, selection, Options(intervals=intervals))
        if row.task == board.task and row.generator != ALL and row.value is not None and row.statistic in _HEADINGS
    ]
    found = [_of_kind(kind, rows, board) for kind in METRICS_OF_KIND]
    return tuple(each for each in found if each is not None)


def sorted_by_metric(board: Leaderboard, metrics: Sequence[BoardMetrics], sort: str) -> Leaderboard:
    """Return the board with its rows by a metric of the first rater that has it, the highest first; as it is for another sort.

    A metric of a suite has no paired test, so rows that it orders have no ranks.
    """
    for each in metrics:
        for column in each.columns:
            if sort != column.sort:
                continue
            rows = {name: each.cells.get((name, each.raters[0].name, column)) for name in board.generators}
            values = {name: row.value for name, row in rows.items() if row is not None and row.value is not None}
            ordered = sorted(board.generators, key=lambda name: (name not in values, -values.get(name, 0.0), name))
            why = f"sorted by {column.heading} of {each.raters[0].name}: no ranks, as nothing tests its differences"
            return replace(board, generators=tuple(ordered), order=(each.raters[0].name, sort), ranks={}, unranked=why)
    return board


def _of_kind(kind: SuiteKind, rows: Sequence[Estimate], board: Leaderboard) -> BoardMetrics | None:
    names = {metric.name for metric in METRICS_OF_KIND[kind]}
    raters = _raters([row for row in rows if row.statistic in names], board)
    shown = {each.name for each in raters}
    own = [row for row in rows if row.statistic in names and rater_name(row) in shown]
    # of TIFA's accuracy only element types have a column: of all questions its score says as much
    own = [row for row in own if row.statistic != TIFA_ACCURACY or row.target is not None]
    columns = sorted(
        {(row.statistic, row.target) for row in own}, key=lambda each: (list(_HEADINGS).index(each[0]), each[1] or "")
    )
    made = {(name, target): _column(name, target) for name, target in columns}
    cells = {(row.generator, rater_name(row), made[row.statistic, row.target]): row for row in own}
    return BoardMetrics(kind, TITLES[kind], tuple(made.values()), raters, cells) if cells else None


def _column(name: str, target: str | None) -> MetricColumn:
    metric = METRICS[name]
    if target is None:
        return MetricColumn(name, _HEADINGS[name], f"{metric.title}. {metric.meaning}")
    return MetricColumn(name, target, f"Share of questions about {target} that are answered as the text says.", target)


def _raters(rows: Sequence[Estimate], board: Leaderboard) -> tuple[MetricRater, ...]:
    """Return people, real ones if the board's are, and the first scorer in the board's order that has a metric."""
    people = [row for row in rows if row.kind != "scorer" and (board.people is None or row.people == board.people)]
    scorers = {row.rater for row in rows if row.kind == "scorer"}
    ordered = [each.name for each in board.raters if each.name in scorers]
    chosen = [MetricRater(rater_name(row), "simulated" if row.people == "simulated" else "people") for row in people[:1]]
    return (*chosen, *(MetricRater(name, "scorer") for name in [*ordered, *sorted(scorers)][:1]))
