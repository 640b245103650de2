"""Pace: which answers came faster than anybody can look, and when so many did that it is a pattern, or pauses."""

from __future__ import annotations

from typing import Final

QUICK_SECONDS: Final = 1.0
"""Seconds from the picture on the screen to the answer; nobody looks at a picture and answers in less."""
QUICK_TEXT: Final = f"{QUICK_SECONDS:g} s"
"""The same as sentences say it."""
QUICK_SHARE: Final = 0.2
FEWEST_QUICK: Final = 5
"""Quick answers are a pattern if they are this share of a person's timed answers, and at least so many."""
FEWEST_TIMED: Final = 10
"""With fewer timed answers nobody is paused for quick ones."""


def often_quick(quick: int, timed: int) -> bool:
    """Return True if quick answers are a pattern, not a slip of the finger."""
    return quick >= FEWEST_QUICK and quick >= QUICK_SHARE * timed


def mostly_quick(quick: int, timed: int) -> bool:
    """Return True if most of a person's answers are quick, which pauses."""
    return timed >= FEWEST_TIMED and 2 * quick > timed


def quick_answers_text(quick: int, timed: int) -> str:
    """Return the sentence that says how many of a person's timed answers are quick ones."""
    return f"{quick} of {timed} answers took less than {QUICK_TEXT}"
