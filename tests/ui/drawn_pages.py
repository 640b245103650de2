"""Drawn parts of Studio's pages as the HTML that a browser gets."""

from __future__ import annotations

from typing import Any

from htpy import Element, Fragment

from ui.shell.changes import Drawn
from ui.shell.html import rendered


def as_text(drawn: Drawn) -> dict[str, Any]:
    """By name the elements as HTML, all else as it is."""
    return {name: rendered(value) if isinstance(value, Element | Fragment | list) else value for name, value in drawn.items()}
