"""Texts of figures: Plotly reads a little HTML of its own in them, so they are escaped, here alone, and put together here.

Everywhere else HTML is made of elements (`htpy`), which escape by themselves.
"""

from __future__ import annotations

from html import escape
from typing import Final

BREAK: Final = "<br>"
"""Begins a line."""
ALONE: Final = "<extra></extra>"
"""At the end of a hover template: no box with the series' name beside it."""


def escaped(text: str) -> str:
    """Return a text that says what it says."""
    return escape(text)


def in_lines(text: str) -> str:
    """Return a text with its line breaks."""
    return escaped(text).replace("\n", BREAK)


def bold(label: str) -> str:
    """Return an escaped label in bold."""
    return f"<b>{label}</b>"


def linked(label: str, href: str, color: str) -> str:
    """Return an escaped label that leads to an escaped address, in a colour."""
    return f'<a href="{href}" target="_self" style="color:{color}">{label}</a>'
