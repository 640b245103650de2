"""One mark of a failure picture, as an address names it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marked:
    """What a scorer's evidence shows of what was asked for (see ``scorers.failures``).

    Attributes:
        asked, found: a group of the picture's table and a thing found in it; empty for whatever it is.
    """

    picture: str
    rater: str
    asked: str = ""
    found: str = ""
