"""Anyone's ratings: a CSV file with one rating per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.prompts.reading import InputError, Problems, located, quoted
from data.studies.table import Table, read_table, require_columns

Convert = Callable[[str], tuple[str | None, float | None]]
"""A cell as ``(label, number)``; raises ``ValueError`` (what was expected) for a value outside the scale."""


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One rater's value for one item; ``item_key`` is the item columns joined by ``|``, ``line`` counts from 1."""

    line: int
    item_key: str
    rater: str
    label: str | None
    number: float | None
    prompt: str | None = None
    generator: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class RatingFile:
    """The ratings of a file in its order; ``empty`` counts rows without a value, which were skipped."""

    rows: tuple[RatingRow, ...]
    empty: int


def read_ratings(
    path: Path,
    item_columns: Sequence[str],
    rater_column: str,
    value_column: str,
    convert: Convert,
    prompt_column: str | None = None,
    generator_column: str | None = None,
    task_column: str | None = None,
) -> RatingFile:
    """Read a ratings file (``.tsv``: separated by tabs). Repeated ratings are kept, in file order.

    Raises:
        InputError: a column is missing, a value outside the scale, an item described in two ways; nothing is read then.
        ValueError: no item column is named.
    """
    if not item_columns:
        raise ValueError("name at least one column that says which item is rated")
    described_by = (prompt_column, generator_column, task_column)
    table = read_table(path)
    named = [*item_columns, rater_column, value_column, *(name for name in described_by if name is not None)]
    require_columns(table, list(dict.fromkeys(named)))
    if not table.records:
        raise InputError(located(path, None, "a header, but no ratings"))
    return _Reader(table, tuple(item_columns), rater_column, value_column, convert, described_by).read()


@dataclass(slots=True)
class _Reader:
    table: Table
    item_columns: tuple[str, ...]
    rater_column: str
    value_column: str
    convert: Convert
    described_by: tuple[str | None, str | None, str | None]

    def read(self) -> RatingFile:
        problems = Problems(self.table.path)
        items: dict[str, tuple[int, tuple[str, ...], list[str | None]]] = {}
        rows: list[RatingRow] = []
        empty = 0
        for line, cells in self.table.rows():
            value = cells[self.value_column].strip()
            if not value:
                empty += 1
                continue
            try:
                parts = tuple(self._filled(cells, name) for name in self.item_columns)
                described = [(cells[name] or None) if name is not None else None for name in self.described_by]
                key = "|".join(parts)
                self._check_same(items.setdefault(key, (line, parts, described)), parts, described, key)
                label, number = self._converted(value)
                rows.append(RatingRow(line, key, self._filled(cells, self.rater_column), label, number, *described))
            except ValueError as error:
                problems.add(line, str(error))
        problems.check()
        return RatingFile(tuple(rows), empty)

    def _filled(self, cells: dict[str, str], column: str) -> str:
        if not cells[column].strip():
            raise ValueError(f"column {quoted(column)} is empty; every rating needs its item and its rater")
        return cells[column]

    def _converted(self, value: str) -> tuple[str | None, float | None]:
        try:
            return self.convert(value)
        except ValueError as error:
            raise ValueError(f"{self.value_column} is {quoted(value)}: {error}") from None

    def _check_same(
        self,
        first: tuple[int, tuple[str, ...], list[str | None]],
        parts: tuple[str, ...],
        described: list[str | None],
        key: str,
    ) -> None:
        """One item must be the same thing in all its rows."""
        line, first_parts, first_described = first
        if parts != first_parts:
            raise ValueError(f"two items have the name {quoted(key)} (the other on line {line}); avoid '|' in the item columns")
        for column, now, before in zip(self.described_by, described, first_described, strict=True):
            if now != before:
                here, there = quoted(now or ""), quoted(before or "")
                raise ValueError(
                    f"item {quoted(key)} has {quoted(column)} {here} here, but {there} on line {line};"
                    " one item has one prompt, generator and task"
                )
