"""Failure pictures: where and how generators fail, each mark leading to its images."""

from __future__ import annotations

from typing import Any, Final

from data.store.store import Store

PICTURES: Final[dict[str, str]] = {}
"""The pictures by their name in the address, each with its title."""


def failures(store: Store, suite: str, rater: str, picture: str) -> tuple[Any, str]:  # noqa: ARG001 - not made yet
    """One of PICTURES for a suite as a scorer saw it: a figure (None: nothing to draw) and what stands beneath it as HTML."""
    return None, ""
