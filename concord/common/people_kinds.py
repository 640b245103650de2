"""Whose answers a page's main numbers are by: real people's, or simulated ones' as long as real ones have judged too little.

A project with the playground has simulated people from the start. The first real answers must not blank its pages: with few of
them no agreement, order or curve can be told. So the numbers stay those of simulated people, marked, until real ones suffice.
"""

from __future__ import annotations

from typing import Final, Literal

from agreement.report.matrix import LEAST_ITEMS

PeopleKind = Literal["real", "simulated"]

ENOUGH: Final = LEAST_ITEMS
"""How many images (or pairs) real people have judged before their numbers take the place of simulated people's: as many as two
raters of the matrix share."""


def leading_kind(real: int, simulated: int) -> PeopleKind | None:
    """Return the kind of people whose answers lead, by how many images each has judged; None if nobody has judged any."""
    if real >= ENOUGH or (real and not simulated):
        return "real"
    return "simulated" if simulated else None


def why_simulated(real: int) -> str:
    """Return a sentence that says why simulated people's numbers are shown though real people have judged ``real`` images."""
    if not real:
        return "No person has judged this yet. These numbers are from simulated people, to show how the page works."
    images = "1 image" if real == 1 else f"{real} images"
    return f"People have judged {images} so far. Until it is {ENOUGH}, these numbers are from simulated people."
