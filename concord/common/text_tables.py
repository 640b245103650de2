"""Tables as text: columns beneath each other for a terminal, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from concord.common.table import Cell, Table
from data.tables import escape_formula


def aligned(table: Table) -> list[str]:
    """Return the lines of a table for a terminal, its titles first; the caption and the notes are left to whoever prints it."""
    lines = [[column.title for column in table.columns], *([_words(cell) for cell in row.cells] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def indented(table: Table) -> list[str]:
    """Return the same lines set in by two spaces, as they stand beneath a title."""
    return [f"  {line}" for line in aligned(table)]


def _without_bars(text: str) -> str:
    """Return a text on one line that ends no cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def markdown(table: Table, plain: Callable[[str], str] = _without_bars) -> list[str]:
    """Return the lines of GitHub's Markdown table, without the caption and the notes; `plain` makes a text plain there."""
    head = [plain(column.title) for column in table.columns]
    rule = ["---:" if column.number else "---" for column in table.columns]
    rows = ([_words(cell, plain) for cell in row.cells] for row in table.rows)
    return [f"| {' | '.join(line)} |" for line in (head, rule, *rows)]


def csv_text(table: Table) -> str:
    """Return a table as CSV: numbers in full where cells have them, and no text is a formula to a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.title for column in table.columns)
    writer.writerows(
        [escape_formula(cell.text) if cell.exact is None else cell.exact for cell in row.cells] for row in table.rows
    )
    return text.getvalue()


def csv_document(tables: Sequence[Table]) -> str:
    """Return the tables beneath each other, each between its caption and its notes, with an empty line behind."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for table in tables:
        writer.writerow([escape_formula(table.caption)])
        text.write(csv_text(table))
        writer.writerows([escape_formula(note)] for note in table.notes)
        writer.writerow([])
    return text.getvalue()


def interval(low: float | None, high: float | None, form: str = "z.4f") -> str:
    """Return an interval as `0.1 .. 0.3`; nothing where there is none."""
    return "" if low is None else f"{low:{form}} .. {high:{form}}"


def _words(cell: Cell, plain: Callable[[str], str] = str) -> str:
    """Return what a cell says on one line: the mark of a note and the small print stand behind its text, in parentheses."""
    mark = f" ({plain(cell.mark)})" if cell.mark else ""
    details = f" ({plain('; '.join(cell.details))})" if cell.details else ""
    return f"{plain(cell.text)}{mark}{details}"
