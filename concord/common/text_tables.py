"""Tables as text: columns under each other for a terminal, or Markdown; how a number and its interval read."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from concord.common import wording
from data.tables import escape_formula

Row = dict[str, Any]
Column = tuple[str, Callable[[Row], str]]
"""A title, and the text below it."""
Lines = Sequence[Sequence[str]]
"""A table's cells, its head first."""


def lines(columns: Sequence[Column], rows: Sequence[Row]) -> list[list[str]]:
    """The cells of a table."""
    return [[title for title, _ in columns], *([text(row) for _, text in columns] for row in rows)]


def without_empty_columns(table: Lines) -> list[list[str]]:
    """The table without columns that are empty but for their head."""
    filled = [any(column[1:]) for column in zip(*table, strict=True)]
    return [[text for text, some in zip(row, filled, strict=True) if some] for row in table]


def aligned(table: Lines) -> list[str]:
    """Columns under each other."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table]


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV in which no text is a formula to a spreadsheet; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return text.getvalue()


def markdown(table: Lines) -> list[str]:
    """A Markdown table."""
    head, *rows = table
    escaped = ([" ".join(text.split()).replace("|", "\\|") for text in row] for row in (head, ["---"] * len(head), *rows))
    return [f"| {' | '.join(row)} |" for row in escaped]


def cell(value: Any) -> str:
    """A plain value: nothing for None, yes or no, a number with four digits."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return f"{value:z.4f}" if isinstance(value, float) else str(value)


def number(value: float | None, digits: int = 4) -> str:
    """A statistic's value; a dash where it is undefined."""
    return "-" if value is None else f"{value:z.{digits}f}"


def column(title: str, name: str = "") -> Column:
    """A row's value as it is; by its title, where that is its name."""
    return title, lambda row: cell(row[name or title])


def number_column(title: str, name: str = "value", digits: int = 4) -> Column:
    """A row's number."""
    return title, lambda row: number(row[name], digits)


def interval_column(digits: int = 4) -> Column:
    """A row's interval; nothing where there is none."""
    return "95 % interval", lambda row: "" if row["low"] is None else f"{row['low']:z.{digits}f} .. {row['high']:z.{digits}f}"


LEFT_OUT: Column = (
    "left out",
    lambda row: ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in row["excluded"].items()),
)
"""What a number leaves out, by reason."""


def counts(*names: str) -> list[Column]:
    """Numbers of things."""
    return [(name.replace("_", " "), lambda row, name=name: f"{row[name]:,}") for name in names]  # type: ignore[misc]


def of_statistic(statistic: str, *columns: Column) -> list[Column]:
    """Columns about one of several statistics, where a row is a mapping of them by name."""

    def within(text: Callable[[Row], str]) -> Callable[[Row], str]:
        return lambda row: text(row[statistic]) if statistic in row else ""

    return [(title, within(text)) for title, text in columns]
