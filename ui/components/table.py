"""Tables as HTML, every cell escaped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WRAP: Final = '<div class="cc-table-wrap" tabindex="0" role="group" aria-label="A table; arrows scroll it">'
"""Around a table that may be wider than its place, which is scrolled by keys, too."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell says.

    Attributes:
        text: large; ``detail``: small, beneath; ``note``: shown when pointed at.
        href: where a click leads, inside the app.
    """

    text: str
    detail: str = ""
    note: str = ""
    href: str = ""
    number: bool = True


def html_table(caption: str, headers: Sequence[str | Cell], rows: Sequence[Sequence[str | Cell]]) -> str:
    """A table whose first column names the row; plain strings are texts."""
    head = "".join(_html("th", 'scope="col"', _cell(header)) for header in headers)
    body = "".join("<tr>" + _row_html([_cell(cell) for cell in row]) + "</tr>" for row in rows)
    return (
        f'{WRAP}<table class="cc-table"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def note(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="cc-note {kind}">{escape(text)}</p>'


def linked_note(text: str, href: str, link: str, rest: str = "") -> str:
    """A paragraph with a link in it, inside the app."""
    return f'<p class="cc-note">{escape(text)} <a href="{escape(href)}">{escape(link)}</a> {escape(rest)}</p>'


def heading(text: str, below: str = "") -> str:
    """A section's heading, and a paragraph beneath it."""
    return f'<h2 class="cc-section">{escape(text)}</h2>' + (note(below) if below else "")


def _cell(value: str | Cell) -> Cell:
    return value if isinstance(value, Cell) else Cell(value, number=False)


def _row_html(cells: Sequence[Cell]) -> str:
    name, *rest = cells
    return _html("th", 'scope="row"', name) + "".join(_html("td", "", cell) for cell in rest)


def _html(tag: str, attributes: str, cell: Cell) -> str:
    kind = ' class="cc-number"' if cell.number else ""
    return f"<{tag} {attributes}{kind}{_title(cell)}>{_inner(cell)}</{tag}>"


def _inner(cell: Cell) -> str:
    text = escape(cell.text)
    if cell.href:
        text = f'<a href="{escape(cell.href)}">{text}</a>'
    return text + (f'<small class="cc-detail">{escape(cell.detail)}</small>' if cell.detail else "")


def _title(cell: Cell) -> str:
    return f' title="{escape(cell.note)}"' if cell.note else ""
