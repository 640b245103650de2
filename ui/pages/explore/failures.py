"""Failure pictures: where and how generators fail, each mark leading to its images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from data.store.store import Store
from ui.failure_words import TITLES

PICTURES: Final[dict[str, str]] = TITLES
"""The pictures by their name in the address, each with its title."""
ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Failures:
    """One picture: what it shows and its main finding (above), a Plotly figure or None, and its numbers (beneath), as HTML."""

    lead: str
    figure: Any
    numbers: str


def failures(store: Store, suite: str, rater: str, picture: str, generator: str = ALL) -> Failures:  # noqa: ARG001 - to come
    """One of PICTURES for a suite as a scorer saw it, of one generator or of all."""
    return Failures("", None, "")


def generators(store: Store, suite: str, rater: str) -> list[str]:  # noqa: ARG001 - to come
    """Whose images the scorer has looked at, sorted: what ``generator`` can be, besides all."""
    return []
