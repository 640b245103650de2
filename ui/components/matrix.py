"""A matrix of raters as HTML: each two of them meet in a cell, shaded by how close they are; a click opens the pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import gradio as gr

from ui.components.table import WRAP, Cell

# A plain click is told to the page, which opens the pair in place; any other click follows the link.
_CLICKS = """
element.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-a]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  trigger('select', {a: link.dataset.a, b: link.dataset.b});
});
"""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Where two raters meet.

    Attributes:
        a, b: whose meeting it is.
        value: exact, None where it is undefined.
        cell: how it is shown; its link opens the pair.
    """

    a: str
    b: str
    value: float | None
    cell: Cell


def clickable(elem_id: str) -> gr.HTML:
    """An empty place for a matrix; its ``select`` event brings ``a`` and ``b``."""
    return gr.HTML("", js_on_load=_CLICKS, elem_id=elem_id)


def matrix_table(caption: str, raters: Sequence[str], met: Mapping[tuple[str, str], Meeting]) -> str:
    """The table; ``met`` has each pair by row and column, and what is missing stays empty."""
    head = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in raters)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>' + "".join(_cell(met.get((row, column))) for column in raters) + "</tr>"
        for row in raters
    )
    return (
        f'{WRAP}<table class="cc-table cc-matrix"><caption>{escape(caption)}</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(meeting: Meeting | None) -> str:
    if meeting is None:
        return "<td></td>"
    cell, text = meeting.cell, escape(meeting.cell.text)
    if cell.href:
        pair = f'data-a="{escape(meeting.a)}" data-b="{escape(meeting.b)}"'
        text = f'<a href="{escape(cell.href)}" {pair} aria-label="{escape(cell.note)}">{text}</a>'
    return f'<td class="cc-number"{_shade(meeting.value)} title="{escape(cell.note)}">{text}</td>'


def _shade(value: float | None) -> str:
    """The exact value, and how dark the cell is: a coefficient of 0 or less has no shade but its sign."""
    if value is None:
        return ""
    side = "cc-below" if value < 0 else "cc-beyond"
    return f' data-value="{value!r}" style="--shade: {min(abs(value), 1.0):.2f}" data-side="{side}"'
