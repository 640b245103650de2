"""One table, whoever shows it: captions, columns and rows of cells, made where the numbers are known and rendered elsewhere.

Studio's pages render it by `ui.components.tables`, the report as HTML and LaTeX by `ui.report`, a terminal, Markdown and CSV
by `concord.common.text_tables`. Tests assert tables, not HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from agreement.reasons import Coded
from concord.common import reason_sentences

S = TypeVar("S")
T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: what the cell says; a rounded number is a text, too.
        details: lines in small print beneath it, such as an interval and an n of its own.
        note: an explanation that is shown on hover.
        href: the address within the app to which the cell leads.
        exact: the number that `text` rounds, for exports.
        mark: the mark of the table's note that belongs to the cell.
        shade: how dark the ground is, 0 to 1; None for a plain cell.
        agrees: whether a shaded cell counts cases in which two raters say the same.
        kind: a class of its own in Studio, such as `cc-muted`.
        content: an element that Studio shows in place of `text`, such as a button or a bar.
    """

    text: str
    details: tuple[str, ...] = ()
    note: str = ""
    href: str = ""
    exact: float | None = None
    mark: str = ""
    shade: float | None = None
    agrees: bool = False
    kind: str = ""
    content: object = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column's title, its explanation on hover, whether it holds numbers, which are aligned to the right, and small print
    beneath the title.
    """

    title: str
    note: str = ""
    number: bool = False
    detail: str = ""


def numbers(*titles: str) -> tuple[Column, ...]:
    """Return columns of numbers."""
    return tuple(Column(title, number=True) for title in titles)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table; `kind` is a class of its own, such as `cc-total`."""

    cells: tuple[Cell, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        caption: its title.
        columns: one for each cell of a row.
        rows: each with as many cells as there are columns.
        names: how many of the first columns name a row, rather than say something of it.
        over: a heading above all columns but the first `names`, such as "people say".
        notes: lines beneath the table, which `Cell.mark` refers to.
        folded: whether it opens by a click; a printed report leaves it out.

    Raises:
        ValueError: if a row has not as many cells as there are columns.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    names: int = 1
    over: str = ""
    notes: tuple[str, ...] = ()
    folded: bool = False

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"{self.caption}: a row has {len(row.cells)} cells, but there are {len(self.columns)} columns")


@dataclass(frozen=True, slots=True)
class Field(Generic[T_contra]):
    """A column together with the function that makes its cell of a record; a column of any record is one of its subclasses."""

    column: Column
    cell: Callable[[T_contra], Cell]


Plain = str | float | bool | Coded | None
"""A value that a cell can be made of; a reason or a method is put in words."""


def cell(value: Plain, form: str = "", undefined: str = "") -> Cell:
    """Return a plain value as a cell: None as `undefined`, a truth value as yes or no, a number by `form`; by default a float
    has four digits and a whole number is written as it is.
    """
    if value is None:
        return Cell(undefined)
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, Coded):
        return Cell(reason_sentences.text(value))
    if isinstance(value, str):
        return Cell(value)
    return Cell(f"{value:{form or ('z.4f' if isinstance(value, float) else 'd')}}", exact=value)


def field(title: str, value: Callable[[T], Cell | Plain], form: str = "", *, number: bool = False) -> Field[T]:
    """Return a column of plain values, empty where there is none, or of cells that are made already."""

    def cell_of(record: T) -> Cell:
        plain = value(record)
        return plain if isinstance(plain, Cell) else cell(plain, form)

    return Field(Column(title, number=number), cell_of)


def statistic_field(title: str, value: Callable[[T], float | None], form: str = "z.4f") -> Field[T]:
    """Return a column of a statistic, with a dash where it is undefined."""
    return Field(Column(title), lambda record: cell(value(record), form, "-"))


def part_fields(part: Callable[[S], T | None], *fields: Field[T]) -> tuple[Field[S], ...]:
    """Return columns about a part of a record, empty where it has none."""

    def whole(each: Field[T]) -> Field[S]:
        def cell_of(record: S) -> Cell:
            found = part(record)
            return Cell("") if found is None else each.cell(found)

        return Field(each.column, cell_of)

    return tuple(map(whole, fields))


def at_key(key: K, *fields: Field[T]) -> tuple[Field[Mapping[K, T]], ...]:
    """Return columns about what a mapping has at a key, empty where it has nothing there."""

    def at(records: Mapping[K, T]) -> T | None:
        return records.get(key)

    return part_fields(at, *fields)


def table_of(caption: str, fields: Sequence[Field[T]], records: Iterable[T], names: int = 1) -> Table:
    """Return a table with a row for each record."""
    rows = tuple(TableRow(tuple(each.cell(record) for each in fields)) for record in records)
    return Table(caption, tuple(each.column for each in fields), rows, names)


Columns = Sequence[str | Column]
"""Columns, or just their titles where they hold no numbers."""


def texts(caption: str, columns: Columns, rows: Iterable[Sequence[str]], names: int = 1) -> Table:
    """Return a table of plain texts beneath titles or columns."""
    head = tuple(Column(each) if isinstance(each, str) else each for each in columns)
    return Table(caption, head, tuple(TableRow(tuple(map(Cell, row))) for row in rows), names)


def without_empty_columns(table: Table) -> Table:
    """Return the table without the columns that are empty in all rows."""
    kept = [n for n in range(len(table.columns)) if any(row.cells[n].text or row.cells[n].content for row in table.rows)]
    return replace(
        table,
        columns=tuple(table.columns[n] for n in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[n] for n in kept)) for row in table.rows),
        names=sum(n < table.names for n in kept),
    )
