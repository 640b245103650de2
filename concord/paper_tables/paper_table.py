"""A table as a paper prints it, of a project's own numbers; what the project lacks is named for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from agreement.estimate import WithInterval
from agreement.reasons import Reason
from concord.common import reason_sentences
from concord.common.estimate_table import NO_REASON, MarkedReasons
from concord.common.table import Cell, Column, Table, TableRow


class PaperNumber(WithInterval, Protocol):
    """A number with its interval, and the reason where it is undefined."""

    @property
    def reason(self) -> Reason | None: ...


@dataclass(frozen=True, slots=True)
class CountedNumber:
    """A number that was counted, and so has no interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of numbers.

    Attributes:
        title: as the paper has it.
        numbers: by row.
        form, factor: how a number is printed, and by what it is multiplied before.
        lack: what the project lacks where no row has a number, and what brings it.
    """

    title: str
    numbers: Mapping[str, PaperNumber]
    form: str = "z.2f"
    factor: float = 1.0
    lack: str = ""

    def cell(self, row: str, notes: MarkedReasons) -> Cell:
        """Return the cell of a row: a dash with a mark where its number is undefined, a dash alone where there is none."""
        number = self.numbers.get(row)
        if number is None:
            return Cell("–")
        if number.value is None:
            return Cell("–", mark=notes.mark(reason_sentences.text_or_none(number.reason) or NO_REASON))
        details: tuple[str, ...] = ()
        if number.low is not None and number.high is not None:
            details = (f"{self.factor * number.low:{self.form}} to {self.factor * number.high:{self.form}}",)
        value = self.factor * number.value
        return Cell(f"{value:{self.form}}", details, exact=value)


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row: the key of its numbers, and its names as the table shows them."""

    key: str
    names: tuple[str, ...] = field(default=())

    @property
    def titles(self) -> tuple[str, ...]:
        """Return the cells that name the row."""
        return self.names or (self.key,)


def paper_table(
    caption: str, names: Sequence[str], rows: Sequence[PaperRow], columns: Sequence[PaperColumn], notes: Sequence[str] = ()
) -> Table:
    """Return the table; beneath it stand the reasons of undefined numbers, what each empty column lacks, and `notes`."""
    reasons = MarkedReasons()
    body = tuple(TableRow((*map(Cell, row.titles), *(column.cell(row.key, reasons) for column in columns)), "") for row in rows)
    heads = (*map(Column, names), *(Column(column.title, number=True) for column in columns))
    lacks: dict[str, list[str]] = {}
    for column in columns:
        if column.lack and not any(row.key in column.numbers for row in rows):
            lacks.setdefault(column.lack, []).append(column.title)
    lacking = (f"{', '.join(titles)}: {lack}." for lack, titles in lacks.items())
    return Table(caption, heads, body, len(names), notes=(*reasons.lines(), *lacking, *notes))
