"""Tables in Excel and OpenDocument files: one sheet as the text that CSV has for it."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

from data.files import MAX_FILE_BYTES, InputError, fail, located, printable, quoted
from data.tables import TableOptions, TextTable, cell_text, table_of_records

_OLD: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP: Final = b"PK\x03\x04"
_MAX_CELLS: Final = 20_000_000
_MAX_NAMES: Final = 8


def is_workbook(beginning: bytes) -> bool:
    """Return True if a file that begins so is one of Excel, OpenDocument, or another zip."""
    return beginning.startswith((_OLD, _ZIP))


def read_workbook(path: Path, options: TableOptions) -> TextTable:
    """Read the sheet that the user names, the only one with cells, or the only one with all columns that are needed.

    Raises:
        InputError: it is no such file, or several sheets may be meant.
    """
    import python_calamine as calamine

    _refuse_bomb(path)
    try:
        with calamine.load_workbook(path) as book:
            sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
            cells = {name: _cells(path, name, sheet) for name, sheet in sheets.items()}
    except calamine.PasswordError:
        fail(path, None, "is protected by a password; save it without, or as CSV")
    except (calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        fail(path, None, f"not an Excel file ({printable(error)[:100]}); save the table as CSV (UTF-8)")
    filled = {name: rows for name, rows in cells.items() if rows}
    name = _sheet(path, filled, options)
    records = [(line, tuple(row)) for line, row in filled[name] if any(row)]
    notes = [f"sheet {quoted(name)} of {len(filled)}"] if len(filled) > 1 else []
    return table_of_records(path, records, options.header_lines, notes)


def _refuse_bomb(path: Path) -> None:
    """Refuse a zip that says that it unpacks to more than is read of any file."""
    if path.stat().st_size > MAX_FILE_BYTES:
        fail(path, None, f"the file has {path.stat().st_size / 1e6:,.0f} MB; save the table as CSV")
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        fail(path, None, f"not an Excel file ({printable(error)[:100]}); save the table as CSV (UTF-8)")
    if size > MAX_FILE_BYTES:
        fail(path, None, f"unpacks to {size / 1e6:,.0f} MB: more than is read; save the table as CSV")
    if not names & {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}:
        fail(path, None, "a zip, and no Excel file; unpack it and import the table that is in it")


def _cells(path: Path, name: str, sheet: Any) -> list[tuple[int, list[str]]]:
    """Return a sheet's rows by their numbers, as text."""
    if sheet.height * sheet.width > _MAX_CELLS:
        fail(path, None, f"sheet {quoted(name)} has {sheet.height:,} rows of {sheet.width:,} columns; save it as CSV")
    rows = [(line, [_text(value) for value in row]) for line, row in enumerate(sheet.to_python(skip_empty_area=False), 1)]
    rows = [(line, row) for line, row in rows if any(row)]
    # columns that are empty all the way down are formatting
    used = max((n + 1 for _, row in rows for n, cell in enumerate(row) if cell), default=0)
    left = min((n for _, row in rows for n, cell in enumerate(row) if cell), default=0)
    return [(line, row[left:used]) for line, row in rows]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else cell_text(value)


def _sheet(path: Path, filled: dict[str, list[tuple[int, list[str]]]], options: TableOptions) -> str:
    names: Sequence[str] = list(filled)
    listed = ", ".join(map(quoted, names[:_MAX_NAMES])) + (" and others" if len(names) > _MAX_NAMES else "")
    if not names:
        raise InputError(located(path, None, "a workbook without cells"))
    if options.sheet is not None:
        if options.sheet not in filled:
            fail(path, None, f"no sheet {quoted(options.sheet)}; there are {listed}")
        return options.sheet
    if len(names) == 1:
        return names[0]
    wanted = {*options.columns}
    having = [name for name in names if wanted and any(wanted <= {*row} for _, row in filled[name][:12])]
    if len(having) != 1:
        which = f"; {len(having)} of them have these columns" if having else ""
        fail(path, None, f"{len(names)} sheets: {listed}{which}. Name the one to read: --sheet {quoted(names[0])}")
    return having[0]
