"""Anyone's ratings as a table: CSV (``.tsv``: tabs), Parquet, Excel or JSON, with a rating per row, a column per rater or a
column per item.

Cells stay as they are written: what they mean is said by the scale.

JSON is read by ``json_ratings``, what tools export by ``form_exports``, Excel by ``data.spreadsheets``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from data.files import beginning_of
from data.spreadsheets import is_workbook, read_workbook
from data.studies.form_exports import counted_assignments, with_options_gathered, with_task_answers
from data.studies.json_ratings import RatingTable, read_json_ratings, read_lists
from data.tables import TableOptions, TextTable, read_cells, read_table, require_columns


def read_rating_table(path: Path, options: TableOptions = TableOptions(), named: Mapping[str, str | None] = {}) -> RatingTable:
    """Read the table in a file, whatever its format: Parquet, JSON and Excel are known by how they begin.

    ``named``: the columns that the user names (``item``, ``rater``, ``value``). They tell a row from an object of names and
    scores, which has no columns of its own and gets these.

    Raises:
        InputError: it is no table.
    """
    start = beginning_of(path)
    if is_workbook(start):
        table = read_workbook(path, options)
    elif start.startswith((b"{", b"[")):
        return read_json_ratings(path, named)
    elif start.startswith(b"PAR1"):
        table = read_cells(path)
        if (export := read_lists(path, table)) is not None:
            return export
    else:
        table = read_table(path, options)
    table, left_out = counted_assignments(with_task_answers(table))
    if value := named.get("value"):
        table = with_options_gathered(table, value)
    return RatingTable(table, left_out=left_out)


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Which columns say what: those of the item and the rater with ``value``; or one of them, and a column for each other.

    Attributes:
        raters: a column per rater, whose header is the rater's name; empty where a row is one rating.
        items: a column per item, by the item's name; a row is a rater then.
    """

    item: tuple[str, ...]
    rater: str = ""
    value: str = ""
    raters: tuple[str, ...] = ()
    items: Mapping[str, str] = field(default_factory=dict)
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None

    @property
    def described(self) -> tuple[str, ...]:
        """The columns that describe an item."""
        return tuple(name for name in (self.prompt, self.generator, self.index, self.task) if name is not None)

    @property
    def needed(self) -> list[str]:
        """All columns that are read, each once."""
        own = [self.rater, self.value, *self.raters, *self.items.values()]
        return list(dict.fromkeys([*self.item, *(name for name in own if name), *self.described]))


@dataclass(frozen=True, slots=True)
class RatedItem:
    """An item as a file first names it.

    Attributes:
        line: counts from 1 (of Parquet: the row).
        item: the item columns joined by ``|``.
    """

    line: int
    item: str
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None


def other_columns(table: TextTable, columns: RatingColumns) -> tuple[str, ...]:
    """Return the columns that nothing else is said of: those of raters, or of items."""
    named = {*columns.item, *columns.described} | ({columns.rater} if columns.rater else set())
    return tuple(name for name in dict.fromkeys(table.header) if name not in named)


def looks_wide(table: TextTable, columns: RatingColumns, is_value: Callable[[str], bool]) -> list[str]:
    """Return the texts of the rater column, if all are values of the scale and few items have two of them; else none.

    So looks a table with a column per rater of which one was named as the column of raters.
    """
    require_columns(table, [*columns.item, columns.rater])
    where = [table.header.index(name) for name in columns.item]
    rater = table.header.index(columns.rater)
    if not all(map(is_value, {text.strip() for text in {cells[rater] for _, cells in table.records}})):
        return []
    raters: dict[tuple[str, ...], set[str]] = {}
    for _, cells in table.records:
        raters.setdefault(tuple(cells[index] for index in where), set()).add(cells[rater].strip())
    named = list(dict.fromkeys(name for names in raters.values() for name in sorted(names)))
    several = sum(len(names) > 1 for names in raters.values())
    return named if named and 2 * several < len(raters) else []


_IMAGE: Final = re.compile(
    r"\.(?:png|jpe?g|webp|gif|bmp|tiff?|avif)\b|(?:^|[/\\_ -])(?:img|image|picture|pic)[ _-]?\d+$|^\d{3,}$", re.IGNORECASE
)
_BRACKETS: Final = re.compile(r"^(.*?)\s*\[(.+)\]\s*$", re.DOTALL)


def image_columns(names: Sequence[str]) -> list[str]:
    """Return the columns whose names look like images' files, ids or numbers."""
    return [name for name in names if _IMAGE.search(item_of_column(name))]


def item_of_column(name: str) -> str:
    """Return what a column of a form's grid is about: ``How good is it? [a.png]`` is about a.png, others about their name."""
    match = _BRACKETS.match(name)
    return match[2].strip() if match else name


def item_columns(names: Sequence[str]) -> dict[str, str]:
    """Return the columns of items by the items' names; of a form's grid what stands in brackets, if that tells them apart."""
    by_item = {item_of_column(name): name for name in names}
    return by_item if len(by_item) == len(names) else {name: name for name in names}
