"""Answers that several questionnaires offer, each with its key."""

from __future__ import annotations

from typing import Final

from annotation.questionnaires.base import Option
from data.aspects import COUNT_CAP, NO, YES

COUNTS: Final = (
    Option(0, "None", "0"),
    *(Option(n, str(n), str(n)) for n in range(1, COUNT_CAP)),
    Option(COUNT_CAP, f"{COUNT_CAP} or more", str(COUNT_CAP)),
)
# Letters as far as they go; where two colours share one, the next telling letter (b is blue: k black, n brown, i pink, a gray).
COLORS: Final = tuple(
    Option(name, name.capitalize(), key)
    for name, key in zip(
        ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray"),
        "roygbpinkwa",
        strict=True,
    )
)
PRESENT_COUNTS: Final = tuple(range(1, COUNT_CAP + 1))
"""Counts that mean the object is there, so that questions about it make sense; ``cannot_tell`` is not among them."""

YES_NO: Final = (Option(YES, "Yes", "y"), Option(NO, "No", "n"))

NO_RELATION: Final = "none"
"""None of the relations holds: stands alone."""

RELATION_KEYS: Final = {"left of": "ArrowLeft", "right of": "ArrowRight", "above": "ArrowUp", "below": "ArrowDown"}
"""By ``data.prompts.spec.Relation`` the key that points there."""
