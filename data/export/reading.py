"""Files of ours read back, whatever their format: every cell as the text that CSV has for it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from data.export.cells import unescaped
from data.prompts.reading import MAX_FILE_BYTES, InputError, located, printable, read_text, unreadable
from data.studies.table import read_table

_MAGIC: Final = b"PAR1"


@dataclass(frozen=True, slots=True)
class Cells:
    """A file's header and its rows, each with the line on which it stands (of Parquet: its number, from 1)."""

    header: tuple[str, ...]
    records: Sequence[tuple[int, Sequence[str]]]

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        for line, cells in self.records:
            yield line, dict(zip(self.header, cells, strict=True))


_MAX_CELLS: Final = 50_000_000
"""A Parquet file of a few bytes can say the same value so many times that no memory holds it."""


def read_cells(path: Path) -> Cells:
    """Read CSV (``.tsv``: tabs), Parquet or JSON lines, told apart by what is in them; an empty cell is an empty text.

    Raises:
        InputError: it is none of these.
    """
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise InputError(located(path, None, f"cannot be read ({error.strerror or error})")) from error
    if start.startswith(_MAGIC):
        return _parquet(path)
    if start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _json_lines(path)
    table = read_table(path)
    return Cells(table.header, [(line, [unescaped(cell) for cell in cells]) for line, cells in table.records])


def _parquet(path: Path) -> Cells:
    from pyarrow import ArrowException
    from pyarrow import parquet as files

    try:
        with files.ParquetFile(path) as file:
            told = file.metadata
            unpacked = sum(told.row_group(n).total_byte_size for n in range(told.num_row_groups))
            if told.num_rows * told.num_columns > _MAX_CELLS or unpacked > MAX_FILE_BYTES:
                what = f"{told.num_rows:,} rows of {told.num_columns:,} columns, {unpacked / 1e6:,.0f} MB unpacked"
                raise InputError(located(path, None, f"{what}: more than is read; split it"))
            table = file.read()
    except (ArrowException, OSError) as error:
        raise InputError(located(path, None, f"not Parquet: {printable(str(error).splitlines()[0])}")) from error
    except UnicodeDecodeError as error:  # as may the names of its columns
        raise InputError(located(path, None, f"byte 0x{error.object[error.start]:02x} in a name is not UTF-8")) from None
    try:
        columns = [[cell_text(value) for value in column.to_pylist()] for column in table.columns]
    except UnicodeDecodeError as error:  # a file may say that bytes are text
        raise InputError(located(path, None, f"byte 0x{error.object[error.start]:02x} in a text is not UTF-8")) from None
    return Cells(tuple(table.column_names), list(enumerate(zip(*columns, strict=True), 1)))


def _json_lines(path: Path) -> Cells:
    header: tuple[str, ...] = ()
    records: list[tuple[int, list[str]]] = []
    for line, text in enumerate(read_text(path).split("\n"), 1):
        if not text.strip():
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(located(path, line, f"not JSON: {unreadable(error)}")) from None
        if not isinstance(found, dict) or (header and set(found) != set(header)):
            what = "an object with the same names as on the first line" if header else "an object"
            raise InputError(located(path, line, f"each line is {what}"))
        header = header or tuple(found)
        records.append((line, [cell_text(found[name]) for name in header]))
    return Cells(header, records)


def cell_text(value: Any) -> str:
    """A cell as CSV would have it: other writers use other types."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, datetime):
        return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)).isoformat()
    return str(value)
