"""The one poll of Studio's pages: browsers ask every few seconds for a version by its name (``/api/studio/version``).

That costs next to nothing: an event of Gradio's costs a hundred times as much.
"""

from __future__ import annotations

from typing import Final

from concord.common import live_updates
from concord.common.live_updates import Moves

POLL_SECONDS: Final = 3
"""Seconds between two questions of a page; browsers are told by `poll`."""

_followed: dict[str, Moves] = {}


def follow(moves: Moves) -> str:
    """Under which name browsers may ask for this text from now on."""
    name = f"{moves.__module__}.{moves.__qualname__}"
    _followed[name] = moves
    return name


def poll(moves: Moves = live_updates.version, seconds: float = POLL_SECONDS) -> dict[str, str | float]:
    """Return what a browser needs to know to ask for a version: the options of ``follow`` in ``assets/js/live_updates.js``."""
    return {"of": follow(moves), "seconds": seconds}


def followed(name: str) -> Moves | None:
    """Return what is followed under this name."""
    return _followed.get(name)
