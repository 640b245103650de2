"""Buttons and links in a page's HTML that act.

A click on anything with ``data-do`` brings all its ``data-`` to the page (``assets/js/clicks.js``). ``data-do="copy"`` is done
by the browser alone: it copies ``data-copied``.
"""

from __future__ import annotations

from collections.abc import Mapping

import htpy
from htpy import Element


def button(text: str, do: str, label: str = "", **data: str) -> Element:
    """Return a small button; `label` says what it is about to who cannot see where it stands."""
    return htpy.button(_data(do, data), type="button", class_="cc-act", aria_label=label or None)[text]


def link(text: str, href: str, do: str, **data: str) -> Element:
    """Return a link inside the app that a plain click opens in place."""
    return htpy.a(_data(do, data), href=href)[text]


def _data(do: str, data: Mapping[str, str]) -> dict[str, str]:
    return {f"data-{name}": value for name, value in {"do": do, **data}.items()}
