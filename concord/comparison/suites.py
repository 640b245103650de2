"""The suite and the question that open first."""

from __future__ import annotations

from typing import Final

from data.store.browse import contents
from data.store.core.store import Store

MAIN_ASPECTS: Final = ("correct", "faithfulness", "caption_fit")
"""What people's answers are summed up by, in this order of preference."""


def main_suite(store: Store) -> str | None:
    """The suite that opens first: where people and scorers judged most images together, else where most is judged."""
    suites = contents.judged_suites(store)
    if not suites:
        return None
    meetings = contents.meetings(store)
    return max(sorted(suites), key=lambda name: meetings.get(name, (0, 0, 0)))
