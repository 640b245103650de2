"""Tables of estimates, for Studio's pages and for reports: a line for each rater and place, a column for each statistic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agreement.catalogue import at_a_glance
from agreement.estimate import Estimate
from agreement.study.cells import TASKS_MEAN
from concord.common import reason_sentences, wording
from concord.common.table import Cell, Column, Table, TableRow, numbers

Names = Mapping[str, Callable[[Estimate], str]]
"""The columns that name a line, by title."""
Counts = Mapping[str, Callable[[Estimate], int]]
"""The columns that say how much a line rests on, by title: the largest number of its estimates."""
_COUNTS: Final[Counts] = {"images": lambda row: row.n_items, "answers": lambda row: row.n_ratings}
NO_REASON: Final = "no reason is given"


def estimate_cell(row: Estimate | None, *lines: str) -> Cell:
    """Return a number with its interval and further `lines` beneath, and how it was made on hover.

    Where it is undefined, that is a dash with the reason on hover; without an estimate the cell is empty.
    """
    if row is None:
        return Cell("")
    if row.value is None:
        return Cell("–", tuple(filter(None, lines)), _reason(row))
    interval = "no interval" if row.method.without_interval else ""
    if row.has_interval:
        interval = f"{row.low:z.2f} to {row.high:z.2f}"
    note = f"{reason_sentences.text(row.method)}; n = {row.n_items:,} images, {row.n_ratings:,} answers"
    return Cell(f"{row.value:z.3f}", tuple(filter(None, (interval, *lines))), note, exact=row.value)


def _reason(row: Estimate) -> str:
    return reason_sentences.text_or_none(row.reason) or NO_REASON


def remark_on_labels(row: Estimate) -> str:
    """Return the remark that a scorer's settings were chosen with these people's labels in view; empty where they were not."""
    return "saw these labels" if row.saw_labels else ""


def estimates_table(
    caption: str,
    names: Names,
    rows: Sequence[Estimate],
    cell_of: Callable[[Estimate | None, int], Cell],
    counts: Counts = _COUNTS,
    statistics: Sequence[str] | None = None,
) -> Table:
    """Return the lines and statistics of `rows` in their order, with how much each line rests on.

    Args:
        caption: the table's title.
        names: the columns that name a line.
        rows: the estimates.
        cell_of: makes the cell of an estimate (None where a line has none) beside a line's number of units.
        counts: the columns that say how much a line rests on.
        statistics: the columns; None for all of `rows`. A line that has none of them is left out.
    """
    chosen = list(dict.fromkeys(row.statistic for row in rows)) if statistics is None else statistics
    lines: dict[tuple[str, ...], dict[str, Estimate]] = {}
    for row in rows:
        lines.setdefault(tuple(name_of(row) for name_of in names.values()), {})[row.statistic] = row
    body = []
    for key, line in lines.items():
        if own := [line[name] for name in chosen if name in line]:
            units = max(row.n_items for row in own)
            totals = (f"{max(map(count, own)):,}" for count in counts.values())
            cells = (cell_of(line.get(name), units) for name in chosen)
            body.append(TableRow((*map(Cell, (*key, *totals)), *cells)))
    columns = (*map(Column, names), *numbers(*counts), *map(statistic_column, chosen))
    return Table(caption, columns, tuple(body), len(names))


def statistic_column(statistic: str) -> Column:
    """Return the column of a statistic, with what it means on hover."""
    return Column(wording.title(statistic), wording.meaning(statistic), number=True)


def undefined_statistics(rows: Iterable[Estimate]) -> dict[str, list[str]]:
    """Return the titles of the statistics that are undefined for each reason.

    The mean of the tasks is left out, as it only repeats its tasks' reasons.
    """
    titles: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.value is None and row.task != TASKS_MEAN:
            titles.setdefault(_reason(row), {})[wording.title(row.statistic)] = None
    return {reason: [*names] for reason, names in titles.items()}


@dataclass
class MarkedReasons:
    """Reasons that stand beneath a table, each once, with the marks that its cells refer to them by."""

    marks: dict[str, str] = field(default_factory=dict)

    def mark(self, reason: str) -> str:
        """Return the mark of a reason, which is a new one for a new reason."""
        return self.marks.setdefault(reason, str(len(self.marks) + 1))

    def lines(self) -> tuple[str, ...]:
        """Return the reasons behind their marks."""
        return tuple(f"({mark}) {reason}." for reason, mark in self.marks.items())


def glance(rows: Iterable[Estimate], also: str = "") -> tuple[list[Estimate], list[Estimate]]:
    """The rows to show at a glance, each place's primary statistic first, and the rest in their order.

    `also` is a statistic that is shown wherever there is one.
    """
    places: dict[tuple[str | None, ...], dict[str, Estimate]] = {}
    for row in rows:
        place = (row.suite, row.task, row.generator, row.aspect, row.target, row.people, row.rater, row.a, row.b, row.certainty)
        places.setdefault(place, {})[row.statistic] = row
    shown: list[Estimate] = []
    rest: list[Estimate] = []
    for by_statistic in places.values():
        among = not any(row.rater or row.a for row in by_statistic.values())
        names = at_a_glance(by_statistic, among=among)
        if also in by_statistic and also not in names:
            names = (*names, also)
        shown += [by_statistic[name] for name in names]
        rest += [row for name, row in by_statistic.items() if name not in names]
    return shown, rest
