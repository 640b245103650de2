"""Anyone's ratings as a table: CSV (``.tsv``: tabs), Parquet or JSON, with a rating per row or a column per rater.

Cells stay as they are written: what they mean is said by the scale.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from data.export.reading import read_cells
from data.prompts.reading import InputError, Problems, located, quoted
from data.studies.json_tables import JsonTable, read_json_table
from data.studies.table import Table, read_table, require_columns


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns say what; of ``item`` at least one, and either ``rater`` and ``value`` or ``raters``.

    Attributes:
        raters: a column per rater, whose header is the rater's name; empty where a row is one rating.
    """

    item: tuple[str, ...]
    rater: str = ""
    value: str = ""
    raters: tuple[str, ...] = ()
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One rater's value for one item, as written.

    Attributes:
        line: counts from 1 (of Parquet: the row).
        item: the item columns joined by ``|``; ``column``: where the value stood.
    """

    line: int
    item: str
    rater: str
    value: str
    column: str
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None


def read_rating_table(path: Path) -> JsonTable:
    """The table in a file, whatever its format: Parquet and JSON are known by how they begin.

    Raises:
        InputError: it is no table.
    """
    try:
        with path.open("rb") as file:
            start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        raise InputError(located(path, None, f"cannot be read ({error.strerror or error})")) from error
    if start.startswith((b"{", b"[")):
        return read_json_table(path)
    if start.startswith(b"PAR1"):
        cells = read_cells(path)
        return JsonTable(Table(path, cells.header, tuple((line, tuple(row)) for line, row in cells.records)))
    return JsonTable(read_table(path))


def other_columns(table: Table, columns: Columns) -> tuple[str, ...]:
    """The columns that nothing else is said of: the raters of a table with a column per rater."""
    named = {*columns.item, columns.prompt, columns.generator, columns.index, columns.task}
    return tuple(name for name in dict.fromkeys(table.header) if name not in named)


def looks_wide(table: Table, columns: Columns, is_value: Callable[[str], bool]) -> list[str]:
    """The texts of the rater column, if all are values of the scale and few items have two of them; else none.

    So looks a table with a column per rater of which one was named as the column of raters.
    """
    require_columns(table, [*columns.item, columns.rater])
    where = [table.header.index(name) for name in columns.item]
    rater = table.header.index(columns.rater)
    raters: dict[tuple[str, ...], set[str]] = {}
    for _, cells in table.records:
        raters.setdefault(tuple(cells[place] for place in where), set()).add(cells[rater].strip())
    found = list(dict.fromkeys(name for names in raters.values() for name in sorted(names)))
    several = sum(len(names) > 1 for names in raters.values())
    return found if found and 2 * several < len(raters) and all(map(is_value, found)) else []


def read_ratings(table: Table, columns: Columns, is_missing: Callable[[str], bool]) -> tuple[list[RatingRow], list[str]]:
    """The ratings in the file's order, and the texts that stood where there is none. Repeated ratings are kept.

    Raises:
        InputError: a column is missing, a rating has no item or rater, or an item is described in two ways; nothing is read.
    """
    described_by = (columns.prompt, columns.generator, columns.index, columns.task)
    own = columns.raters or (columns.rater, columns.value)
    require_columns(table, list(dict.fromkeys([*columns.item, *own, *(name for name in described_by if name is not None)])))
    if not table.records:
        raise InputError(located(table.path, None, "a header, but no ratings"))
    problems = Problems(table.path)
    same = _SameItem(described_by)
    rows: list[RatingRow] = []
    missing: list[str] = []
    for line, cells in table.rows():
        for rater_column, value_column in _ratings_of(columns):
            value = cells[value_column].strip()
            if is_missing(value):
                missing.append(value)
                continue
            try:
                parts = tuple(_filled(cells, name) for name in columns.item)
                described = [(cells[name] or None) if name is not None else None for name in described_by]
                same.check(line, parts, described)
                rater = value_column if rater_column is None else _filled(cells, rater_column)
                rows.append(RatingRow(line, "|".join(parts), rater, value, value_column, *described))
            except ValueError as error:
                problems.add(line, str(error))
    problems.check()
    return rows, missing


def _ratings_of(columns: Columns) -> Collection[tuple[str | None, str]]:
    """The column of the rater (None: its name is the rater's) and of the value, of each rating in a row."""
    return [(None, name) for name in columns.raters] or [(columns.rater, columns.value)]


def _filled(cells: dict[str, str], column: str) -> str:
    if not cells[column].strip():
        raise ValueError(f"column {quoted(column)} is empty; every rating needs its item and its rater")
    return cells[column]


class _SameItem:
    """One item must be the same thing in all its rows."""

    def __init__(self, described_by: tuple[str | None, ...]) -> None:
        self._described_by = described_by
        self._first: dict[str, tuple[int, tuple[str, ...], list[str | None]]] = {}

    def check(self, line: int, parts: tuple[str, ...], described: list[str | None]) -> None:
        key = "|".join(parts)
        first_line, first_parts, first_described = self._first.setdefault(key, (line, parts, described))
        if parts != first_parts:
            raise ValueError(
                f"two items have the name {quoted(key)} (the other on line {first_line}); avoid '|' in the item columns"
            )
        for column, now, before in zip(self._described_by, described, first_described, strict=True):
            if now != before:
                here, there = quoted(now or ""), quoted(before or "")
                raise ValueError(
                    f"item {quoted(key)} has {quoted(column)} {here} here, but {there} on line {first_line};"
                    " one item has one prompt, generator, index and task"
                )
