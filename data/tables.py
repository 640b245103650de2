"""Tables read from files: CSV as people really save it, Parquet and JSON lines, every cell as the text that CSV has for it.

CSV: RFC 4180, and carriage returns inside a field are text, quoted or not. Whoever saves a table may have another delimiter,
another encoding and further lines at the top: the reader looks first, and says what is not as usual (``TextTable.notes``).

Formulas: spreadsheets compute what begins with ``= + - @``, a tab or a line break (OWASP, "CSV Injection": also the full-width
signs), so such a text gets an apostrophe before it when it is written (``escape_formula``). A text that begins with
apostrophes and then such a sign gets one more, so that nothing is ambiguous: whoever takes one apostrophe away where
``escape_formula`` would have put it has the text as it was. Plain numbers stay as they are, since no number does anything.
``data.export.formats`` writes tables.
"""

from __future__ import annotations

import csv
import difflib
import io
import json
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

from data.decoding import read_decoded
from data.files import MAX_FILE_BYTES, InputError, beginning_of, located, printable, quoted, read_text
from data.json_files import json_entries

if TYPE_CHECKING:
    import pyarrow as pa

_BARE_CR: Final = re.compile(r"\r(?!\n)")
_MAX_NAMED_COLUMNS: Final = 3
"""So many missing columns are named."""
_LONGEST: Final = 160
"""Characters of a list of columns."""
_AT_ONCE: Final = 10_000
_LARGE: Final = 4_000_000
"""Characters of a text that is read by columns, if it is plain."""
_STAND_INS: Final = tuple(chr(code) for code in range(0xE000, 0xF900))


class PlainRecords(Sequence["tuple[int, Sequence[str]]"]):
    """The records of a large table without quotes, by columns: each is made when it is looked at.

    Attributes:
        columns: as Arrow has them; ``first_line``: of the first record; each has a line.
    """

    def __init__(self, columns: Sequence[pa.ChunkedArray], first_line: int) -> None:
        self.columns, self.first_line = columns, first_line

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, place: int) -> tuple[int, Sequence[str]]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[int, Sequence[str]]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[n] for n in range(*place.indices(len(self)))]
        n = range(len(self))[place]
        return self.first_line + n, tuple(column[n].as_py() for column in self.columns)

    def __iter__(self) -> Iterator[tuple[int, Sequence[str]]]:
        for start in range(0, len(self), _AT_ONCE):
            some = [column.slice(start, _AT_ONCE).to_pylist() for column in self.columns]
            yield from enumerate(zip(*some, strict=True), self.first_line + start)


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table's header and its records, each with the line on which it begins (of Parquet and Excel: its number), from 1.

    Attributes:
        notes: what is not as in a usual file, in words, and how it was read.
    """

    path: Path
    header: tuple[str, ...]
    records: Sequence[tuple[int, Sequence[str]]]
    notes: tuple[str, ...] = ()

    def texts(self, column: str) -> set[str]:
        """Return the distinct cells of a column, of the last one of this name."""
        where = len(self.header) - 1 - self.header[::-1].index(column)
        if isinstance(self.records, PlainRecords):
            return set(self.records.columns[where].unique().to_pylist())
        return {cells[where] for _, cells in self.records}

    def columns(self, names: Sequence[str]) -> dict[str, pa.Array | pa.ChunkedArray]:
        """Return columns by their names as Arrow has them."""
        import pyarrow as pa

        if isinstance(self.records, PlainRecords):
            return {name: self.records.columns[self.header.index(name)] for name in names}
        cells = list(zip(*[cells for _, cells in self.records], strict=True))
        return {name: pa.array(cells[self.header.index(name)], pa.string()) for name in names}

    def lines(self) -> Sequence[int]:
        """Return the line of each record."""
        if isinstance(self.records, PlainRecords):
            return range(self.records.first_line, self.records.first_line + len(self.records))
        return [line for line, _ in self.records]

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        for line, cells in self.records:
            yield line, dict(zip(self.header, cells, strict=True))


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The user's word for what a table's file does not say itself; None: the reader looks.

    Attributes:
        header_lines: how many lines the header has; the first of them holds the names.
        sheet: of an Excel file.
        columns: those that are needed: of several sheets the one that has them is read.
    """

    encoding: str | None = None
    header_lines: int | None = None
    sheet: str | None = None
    columns: tuple[str, ...] = ()


AS_IT_LOOKS: Final = TableOptions()
_Record = tuple[int, tuple[str, ...]]
_DELIMITERS: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}
_SEPARATOR_LINE: Final = re.compile(r"sep=([,;\t|])\r?(?:\n|$)", re.IGNORECASE)
_MAX_TITLE_LINES: Final = 10
"""So many lines before the header are passed over."""
_SAMPLE: Final = 1 << 16
_IMPORT_ID: Final = re.compile(r'\{"ImportId":')


def read_table(path: Path, options: TableOptions = AS_IT_LOOKS) -> TextTable:
    """Read a CSV file (``.tsv``: tabs instead of commas), or one as other programs save it.

    A record ends at LF or CRLF only. A bare CR is part of its field: published studies hold them even in unquoted free
    text, where common readers invent rows. Every record must have as many cells as the header; empty lines are skipped.

    The delimiter is the one of ``, ; tab |`` with which the first lines have the most columns, evenly; lines of one cell
    before the header, Qualtrics' further header lines and headers in the middle are passed over.

    Raises:
        InputError: the file is not such a table.
    """
    decoded = read_decoded(path, options.encoding)
    notes = [f"in {decoded.encoding}"] if decoded.encoding else []
    text, first_line = decoded.text, 1
    if decoded.encoding and text.lstrip().startswith(("{", "[{")):
        raise InputError(located(path, 1, f"JSON in {decoded.encoding}; save the file as UTF-8"))
    if "\n" not in text and "\r" in text:
        raise InputError(located(path, 1, "lines end with CR only; save the file with LF or CRLF line ends"))
    if "\r\r\n" in text and text.count("\r\r\n") == text.count("\n"):
        # so ends each line that Python's csv module writes into a file of text on Windows
        text = text.replace("\r\r\n", "\n")
    usual = "\t" if path.suffix.lower() == ".tsv" else ","
    if (separator := _SEPARATOR_LINE.match(text)) is not None:
        delimiter, text, first_line = separator[1], text[separator.end() :], 2
    else:
        delimiter = _delimiter(text, usual)
    if delimiter != usual:
        notes.append(f"separated by {_DELIMITERS[delimiter]}")
    if len(text) >= _LARGE and options.header_lines in (None, 1):
        plain = _plain_table(path, text, delimiter, first_line, notes)
        if plain is not None:
            return plain
    records = list(_records(path, text, delimiter, first_line))
    return table_of_records(path, records, options.header_lines, notes)


def _plain_table(path: Path, text: str, delimiter: str, first_line: int, notes: Sequence[str]) -> TextTable | None:
    """Return the table of a text that has no quotes, a header of one line and the same number of cells on each line, which is
    read by columns; None if it may be something else: then it is read line by line, with the same result."""
    import pyarrow as pa
    from pyarrow import compute
    from pyarrow import csv as arrow_csv

    text = text.rstrip("\r\n")
    if '"' in text or "\n\n" in text or "\n\r" in text or _BARE_CR.search(text):
        return None
    end = text.find("\n")
    header = tuple(text[:end].removesuffix("\r").split(delimiter))
    if end < 0 or sum(bool(name.strip()) for name in header) < 2:
        return None
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(text[end + 1 :].encode()),
            arrow_csv.ReadOptions(column_names=[str(n) for n in range(len(header))], use_threads=False),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types={str(n): pa.string() for n in range(len(header))}, null_values=[], strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, UnicodeEncodeError):
        return None
    repeated = True
    for column, name in zip(table.columns, header, strict=True):
        repeated = compute.and_(repeated, compute.equal(column, name))
    if not len(table) or compute.any(repeated).as_py():
        return None
    return TextTable(path, header, PlainRecords(table.columns, first_line + 1), tuple(notes))


def _delimiter(text: str, usual: str) -> str:
    """Return the delimiter with which the beginning of the text is a table with the fewest lines before its header, and then
    with the most columns."""
    sample = text if len(text) <= _SAMPLE else text[: text.rfind("\n", 0, _SAMPLE) + 1] or text[:_SAMPLE]
    tables: dict[str, tuple[int, int]] = {}
    for delimiter in (usual, *(sign for sign in _DELIMITERS if sign != usual)):
        if delimiter not in sample:
            continue
        try:
            records = [tuple(cells) for cells in csv.reader(sample.splitlines(keepends=True), delimiter=delimiter) if cells]
        except csv.Error:
            continue
        titles = _title_lines(records)
        records = records[titles:]
        widths = {len(_without_excess(cells, len(records[0]))) for cells in records}
        if len(widths) == 1 and widths != {1}:
            tables[delimiter] = (-titles, widths.pop())
    return max(tables, key=lambda sign: tables[sign], default=usual)


def _title_lines(records: Sequence[Sequence[str]]) -> int:
    """Return how many records before the header have one filled cell at most, where those after it have more."""
    for n, cells in enumerate(records[: _MAX_TITLE_LINES + 1]):
        if sum(bool(cell.strip()) for cell in cells) > 1:
            return n
    return 0


def _without_excess(cells: tuple[str, ...], columns: int) -> tuple[str, ...]:
    """Return a record without the empty cells after the header's last column."""
    return cells[:columns] if len(cells) > columns and not any(cells[columns:]) else cells


def table_of_records(path: Path, records: Sequence[_Record], header_lines: int | None, notes: list[str]) -> TextTable:
    """Return the table of a file's records, the header's lines among them."""
    if not records:
        raise InputError(located(path, None, "the file is empty; a header line is expected"))
    titles = _title_lines([cells for _, cells in records])
    if titles:
        notes.append(f"{_lines_named([line for line, _ in records[:titles]])} before the header passed over")
    header = records[titles][1]
    after = [cells for _, cells in records[titles + 1 : titles + 3]]
    further = header_lines - 1 if header_lines is not None else _further_header_lines(after)
    body = records[titles + 1 + further :]
    if further:
        lines = _lines_named([line for line, _ in records[titles + 1 : titles + 1 + further]])
        verb = "belongs to the header and is" if further == 1 else "belong to the header and are"
        notes.append(f"{lines} {verb} passed over")
    rows: list[_Record] = []
    repeated: list[int] = []
    for line, cells in body:
        if len(cells) != len(header):
            cells = _without_excess(cells, len(header))
            if len(cells) != len(header):
                there = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                uneven = f"{there}, but the header has {len(header)}; quote fields that hold the delimiter or line breaks"
                raise InputError(located(path, line, uneven))
        if cells == header:
            repeated.append(line)
        else:
            rows.append((line, cells))
    if repeated:
        notes.append(f"{_lines_named(repeated)} {'repeats' if len(repeated) == 1 else 'repeat'} the header, passed over")
    return TextTable(path, header, tuple(rows), tuple(notes))


def _further_header_lines(records: Sequence[Sequence[str]]) -> int:
    """Return how many of the lines after the names belong to the header: Qualtrics writes its questions and then their ids."""
    for n, cells in enumerate(records, 1):
        filled = [cell for cell in cells if cell.strip()]
        if filled and all(map(_IMPORT_ID.match, filled)):
            return n
    return 0


def _lines_named(lines: Sequence[int]) -> str:
    """Return a few lines by their numbers, in words."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    *some, last = map(str, lines[:_MAX_NAMED_COLUMNS])
    more = f", {last} and {len(lines) - _MAX_NAMED_COLUMNS:,} more" if len(lines) > _MAX_NAMED_COLUMNS else f" and {last}"
    return f"lines {', '.join(some)}{more}"


def require_columns(table: TextTable, wanted: Sequence[str]) -> None:
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


def _records(path: Path, text: str, delimiter: str, first_line: int) -> Iterator[_Record]:
    # The csv module breaks records at a bare CR, so another character, one the text lacks, takes its place meanwhile.
    stand_in = next((c for c in _STAND_INS if c not in text), None)
    if stand_in is None:
        raise InputError(located(path, None, "holds every private-use character there is; this is no table"))
    bare = _BARE_CR.search(text) is not None
    reader = csv.reader(_lines_of(_BARE_CR.sub(stand_in, text) if bare else text), delimiter=delimiter, strict=True)
    begin = first_line
    # equal cells are one text: a table of a million ratings says little that is new
    once: dict[str, str] = {}
    try:
        for cells in reader:
            if cells:
                whole = (cell.replace(stand_in, "\r") for cell in cells) if bare else cells
                yield begin, tuple([once.setdefault(cell, cell) for cell in whole])
            begin = reader.line_num + first_line
    except csv.Error as error:
        raise InputError(located(path, begin, f"not CSV: {_remedy(str(error))}")) from None


def _lines_of(text: str) -> Iterator[str]:
    """Return the lines of a text, which end at LF only; piece by piece, as a list of them takes more memory than the text."""
    return chain.from_iterable(io.StringIO(piece, newline="\n") for piece in _pieces(text))


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in pieces of whole lines."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _SAMPLE) + 1 or len(text)
        yield text[start:end]
        start = end


def _remedy(error: str) -> str:
    if "unexpected end of data" in error:
        return "a quoted field that begins here is never closed; add the closing quote"
    if "expected after" in error:
        return "text follows a closing quote; inside a quoted field write a quote twice"
    return printable(error)


def _missing(missing: Sequence[str], available: Collection[str]) -> str:
    names = ", ".join(quoted(name) for name in missing[:_MAX_NAMED_COLUMNS]) + (
        f" and {len(missing) - _MAX_NAMED_COLUMNS} more" if len(missing) > _MAX_NAMED_COLUMNS else ""
    )
    folded = {other.strip().casefold(): other for other in available}
    near = [
        f"Did you mean {quoted(folded[match[0]])}?"
        for name in missing[:_MAX_NAMED_COLUMNS]
        if (match := difflib.get_close_matches(name.strip().casefold(), folded, 1, 0.6))
    ]
    hint = f" {' '.join(dict.fromkeys(near))}" if near else ""
    columns = ", ".join(quoted(name, 40) for name in available)
    return f"no column {names}.{hint} Available: {columns if len(columns) <= _LONGEST else columns[: _LONGEST - 1] + '…'}"


_RISKY: Final = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def escape_formula(text: str) -> str:
    """The text as it stands in a CSV file of ours."""
    return f"'{text}" if _RISKY.match(text) and not _NUMBER.fullmatch(text) else text


def unescape_formula(text: str) -> str:
    """The text that ``escaped`` was given."""
    return text[1:] if text.startswith("'") and _RISKY.match(text) else text


_MAX_CELLS: Final = 50_000_000
"""A Parquet file of a few bytes can say the same value so many times that no memory holds it."""


def read_cells(path: Path) -> TextTable:
    """Read CSV (``.tsv``: tabs), Parquet or JSON lines, told apart by what is in them; an empty cell is an empty text.

    Raises:
        InputError: it is none of these.
    """
    start = beginning_of(path)
    if start.startswith(b"PAR1"):
        return _parquet(path)
    if start.startswith(b"{"):
        return _json_lines(path)
    table = read_table(path)
    return replace(table, records=[(line, [unescape_formula(cell) for cell in cells]) for line, cells in table.records])


def _parquet(path: Path) -> TextTable:
    from pyarrow import ArrowException
    from pyarrow import parquet as files

    try:
        with files.ParquetFile(path) as file:
            metadata = file.metadata
            unpacked = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
            if metadata.num_rows * metadata.num_columns > _MAX_CELLS or unpacked > MAX_FILE_BYTES:
                problem = f"{metadata.num_rows:,} rows of {metadata.num_columns:,} columns, {unpacked / 1e6:,.0f} MB unpacked"
                raise InputError(located(path, None, f"{problem}: more than is read; split it"))
            table = file.read()
    except (ArrowException, OSError) as error:
        raise InputError(located(path, None, f"not Parquet: {printable(str(error).splitlines()[0])}")) from error
    except UnicodeDecodeError as error:  # as may the names of its columns
        raise InputError(located(path, None, f"byte 0x{error.object[error.start]:02x} in a name is not UTF-8")) from None
    try:
        columns = [[cell_text(value) for value in column.to_pylist()] for column in table.columns]
    except UnicodeDecodeError as error:  # a file may say that bytes are text
        raise InputError(located(path, None, f"byte 0x{error.object[error.start]:02x} in a text is not UTF-8")) from None
    return TextTable(path, tuple(table.column_names), list(enumerate(zip(*columns, strict=True), 1)))


def _json_lines(path: Path) -> TextTable:
    header: tuple[str, ...] = ()
    records: list[tuple[int, list[str]]] = []
    for _, line, read in json_entries(path, read_text(path)):
        row = read()
        if not isinstance(row, dict) or (header and set(row) != set(header)):
            expected = "an object with the same names as on the first line" if header else "an object"
            raise InputError(located(path, line, f"each line is {expected}"))
        header = header or tuple(row)
        records.append((line, [cell_text(row[name]) for name in header]))
    return TextTable(path, header, records)


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
