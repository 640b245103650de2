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


def bold(label: str) -> str:
    """Return an escaped label in bold."""
    return f"<b>{label}</b>"
