"""Ratings in JSON as a table: a list of objects, one object a line, a tool's export, or one object of names and scores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from data.files import InputError, fail, located, quoted, read_text
from data.json_files import JsonStream, json_entries
from data.ratings.tool_exports import Entry, read_tool_export
from data.tables import TextTable, cell_text

_MAX_COLUMNS: Final = 1000
READER: Final = "a few lines of Python turn it into a row per rating: docs/importing.md, A study of your own"
"""What to do with ratings that are no table."""


@dataclass(frozen=True, slots=True)
class RatingTable:
    """A table of ratings.

    Attributes:
        rater: the column that says who answered, where the file itself says it; else None.
        left_out: by reason how many answers are not in the table.
    """

    table: TextTable
    rater: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)


def read_json_ratings(path: Path, named: Mapping[str, str | None]) -> RatingTable:
    """Read a JSON file as a table; what the file is, its first entry says.

    ``named``: the columns that the user names (``item``, ``rater``, ``value``). They tell a row from an object of names and
    scores, which has no columns of its own and gets these.

    Raises:
        InputError: it is no such file.
    """
    text = read_text(path)
    document = _document(path, text)
    if document is not None:
        return _read_document(path, document, named)
    entries: list[Entry] = []
    for _, line, read in json_entries(path, text):
        if not isinstance(entry := read(), dict):
            fail(path, line, "every entry is an object, with a name for each value")
        entries.append((line, entry))
    return _table_of_entries(path, entries)


def read_lists(path: Path, table: TextTable) -> RatingTable | None:
    """Return the answers in a table whose cells are lists (an export in Parquet); None if it is no tool's export."""
    if not any(cell.startswith(("[", "{")) for _, cells in table.records[:20] for cell in cells):
        return None
    entries = [
        (line, {name: _parsed(cell) for name, cell in zip(table.header, cells, strict=True)}) for line, cells in table.records
    ]
    export = read_tool_export(path, entries)
    return None if export is None else RatingTable(_table(path, export.rows), export.rater, export.left_out)


def _parsed(cell: str) -> Any:
    if cell.startswith(("[", "{")):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            pass
    return cell


def _table_of_entries(path: Path, entries: Sequence[Entry], *notes: str) -> RatingTable:
    if not entries:
        raise InputError(located(path, None, "an empty list; a list of objects is expected"))
    export = read_tool_export(path, entries)
    if export is not None:
        return RatingTable(_table(path, export.rows, *notes), export.rater, export.left_out)
    return RatingTable(_table(path, entries, *notes))


Document = Sequence[tuple[int, str, Any]]
"""One JSON object: the line, key and value of each of its entries."""


def _document(path: Path, text: str) -> Document | None:
    """Return the entries of a JSON text that is one object, on one line or on several; None if it is something else."""
    if not text.lstrip().startswith("{"):
        return None
    first, _, more = text.strip().partition("\n")
    try:
        json.loads(first)
        if more.strip():
            return None
    except RecursionError:
        return None
    except ValueError:
        if not more:
            return None
    try:
        return list(JsonStream.of_text(path, text).object())
    except InputError:
        return None


def _read_document(path: Path, document: Document, named: Mapping[str, str | None]) -> RatingTable:
    """Return the table that one JSON object is: a row, columns, a list of rows under a name, or names with their scores."""
    keys = [key for _, key, _ in document]
    values = [value for _, _, value in document]
    if repeated := [key for n, key in enumerate(keys) if key in keys[:n]] if len({*keys}) < len(keys) else []:
        fail(path, None, f"the name {quoted(repeated[0])} stands in the object twice; which of the two counts?")
    columns = {name.strip() for text in named.values() for name in (text or "").split(",")}
    if columns & {*keys}:
        lists = [[*value.values()] if isinstance(value, dict) else value for value in values]
        if len(keys) > 1 and all(isinstance(each, list) for each in lists) and len({len(each) for each in lists}) == 1:
            records = [(n, tuple(map(cell_text, cells))) for n, cells in enumerate(zip(*lists, strict=True), 1)]
            return RatingTable(TextTable(path, tuple(keys), records, ("a JSON object of columns",)))
        return _table_of_entries(path, [(1, dict(zip(keys, values, strict=True)))])
    row = (document[0][0] if document else 1, dict(zip(keys, values, strict=True)))
    export = read_tool_export(path, [row])
    if export is not None:
        return RatingTable(_table(path, export.rows), export.rater, export.left_out)
    if len(lists_of_rows := [key for key, value in zip(keys, values, strict=True) if _is_list_of_objects(value)]) == 1:
        entries = [(line, entry) for line, key, value in document if key == lists_of_rows[0] for entry in value]
        return _table_of_entries(path, entries, f"the list {quoted(lists_of_rows[0])} of one JSON object")
    item = named.get("item") or "name"
    if document and all(isinstance(value, dict) for value in values):
        return RatingTable(
            _table(
                path,
                [(line, {item: key, **value}) for line, key, value in document],
                f"a JSON object of names ({quoted(item)})",
            )
        )
    if document and _are_scores(keys, values):
        return _scores(path, document, item, named)
    if any(isinstance(value, dict | list) for value in values) or not document:
        fail(path, None, f"one JSON object, where a list of objects or one object a line is expected; {READER}")
    return _table_of_entries(path, [row])


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def _are_scores(keys: Sequence[str], values: Sequence[Any]) -> bool:
    """Return True if an object's values are scores: numbers, or texts by names that look like files' or ids'."""
    if any(isinstance(value, dict | list) for value in values):
        return False
    numbers = all(value is None or isinstance(value, int | float) for value in values)
    return numbers or all(any(sign.isdigit() or sign in "./" for sign in key) for key in keys)


def _scores(path: Path, document: Document, item: str, named: Mapping[str, str | None]) -> RatingTable:
    """Return a table of names and scores, whose rater is called as the file is."""
    note = f"a JSON object of names ({quoted(item)}) and scores by {quoted(path.stem)}, as the file is called"
    if named.get("value") is None and named.get("rater") is None:
        records = [(line, (key, cell_text(value))) for line, key, value in document]
        return RatingTable(TextTable(path, (item, path.stem), records, (note,)))
    rater, value_column = named.get("rater") or "rater", named.get("value") or "score"
    scores = [(line, (key, path.stem, cell_text(value))) for line, key, value in document]
    return RatingTable(TextTable(path, (item, rater, value_column), scores, (note,)), rater)


def _table(path: Path, entries: Iterable[Entry], *notes: str) -> TextTable:
    """Columns in the order in which their names first occur; what an entry does not have is an empty cell."""
    rows = list(entries)
    header = tuple(dict.fromkeys(name for _, row in rows for name in row))
    if len(header) > _MAX_COLUMNS:
        raise InputError(
            located(path, None, f"its objects have {len(header):,} different fields; a table needs the same in each")
        )
    return TextTable(
        path, header, tuple((line, tuple(cell_text(row.get(name)) for name in header)) for line, row in rows), notes
    )
