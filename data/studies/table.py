"""CSV tables as people really save them: RFC 4180, and carriage returns inside a field are text, quoted or not."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from data.prompts.reading import InputError, located, printable, quoted, read_text

_BARE_CR: Final = re.compile(r"\r(?!\n)")
_TOLD: Final = 3
"""So many missing columns are named."""
_LONGEST: Final = 160
"""Characters of a list of columns."""
_STAND_INS: Final = tuple(chr(code) for code in range(0xE000, 0xF900))


@dataclass(frozen=True, slots=True)
class Table:
    """A table's header and its records, each with the line (from 1) on which it begins."""

    path: Path
    header: tuple[str, ...]
    records: tuple[tuple[int, tuple[str, ...]], ...]

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        for line, cells in self.records:
            yield line, dict(zip(self.header, cells, strict=True))


def read_table(path: Path) -> Table:
    """Read a CSV file (``.tsv``: tabs instead of commas).

    A record ends at LF or CRLF only. A bare CR is part of its field: published studies hold them even in unquoted free
    text, where common readers invent rows. Every record must have as many cells as the header; empty lines are skipped.

    Raises:
        InputError: the file is not such a table.
    """
    text = read_text(path)
    if "\n" not in text and "\r" in text:
        raise InputError(located(path, 1, "lines end with CR only; save the file with LF or CRLF line ends"))
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    records = list(_records(path, text, delimiter))
    if not records:
        raise InputError(located(path, None, "the file is empty; a header line is expected"))
    header = records[0][1]
    for line, cells in records[1:]:
        if len(cells) != len(header):
            raise InputError(located(path, line, _uneven(len(cells), len(header))))
    return Table(path, header, tuple(records[1:]))


def require_columns(table: Table, wanted: Sequence[str]) -> None:
    """Check that the table has each of the columns, once.

    Raises:
        InputError: one is missing (near names are suggested) or stands there twice.
    """
    line = 1
    missing = [name for name in wanted if name not in table.header]
    if missing:
        raise InputError(located(table.path, line, _missing(missing, table.header)))
    for name in wanted:
        if table.header.count(name) > 1:
            raise InputError(located(table.path, line, f"column {quoted(name)} stands in the header twice; rename one"))


def _records(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    # The csv module breaks records at a bare CR, so another character, one the text lacks, takes its place meanwhile.
    stand_in = next((c for c in _STAND_INS if c not in text), None)
    if stand_in is None:
        raise InputError(located(path, None, "holds every private-use character there is; this is no table"))
    lines = _BARE_CR.sub(stand_in, text).split("\n")
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    begin = 1
    try:
        for cells in reader:
            if cells:
                yield begin, tuple(cell.replace(stand_in, "\r") for cell in cells)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise InputError(located(path, begin, f"not CSV: {_remedy(str(error))}")) from None


def _remedy(error: str) -> str:
    if "unexpected end of data" in error:
        return "a quoted field that begins here is never closed; add the closing quote"
    if "expected after" in error:
        return "text follows a closing quote; inside a quoted field write a quote twice"
    return printable(error)


def _uneven(found: int, expected: int) -> str:
    cells = "1 cell" if found == 1 else f"{found} cells"
    return f"{cells}, but the header has {expected}; quote fields that hold the delimiter or line breaks"


def _missing(missing: Sequence[str], available: Collection[str]) -> str:
    names = ", ".join(quoted(name) for name in missing[:_TOLD]) + (
        f" and {len(missing) - _TOLD} more" if len(missing) > _TOLD else ""
    )
    near = [f"Did you mean {quoted(match[0])}?" for name in missing[:_TOLD] if (match := _nearest(name, available))]
    hint = f" {' '.join(dict.fromkeys(near))}" if near else ""
    if len(available) == 1 and any(sign in next(iter(available)) for sign in ";\t|"):
        hint += " The columns seem not to be separated by commas; save the file with commas."
    columns = ", ".join(quoted(name, 40) for name in available)
    return f"no column {names}.{hint} Available: {columns if len(columns) <= _LONGEST else columns[: _LONGEST - 1] + '…'}"


def _nearest(name: str, available: Collection[str]) -> list[str]:
    folded = {other.strip().casefold(): other for other in available}
    return [folded[match] for match in difflib.get_close_matches(name.strip().casefold(), folded, 1, 0.6)]
