"""How often two kinds of object are in one photograph: VISOR's stand-in for how likely a pair is in the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from data.prompts.coco import plain_name


@dataclass(frozen=True, eq=False)
class Cooccurrence:
    """What an annotation file tells of pairs of classes. Compared by identity: it may be large.

    Attributes:
        name: what it was imported as.
        images: how many of its images have an annotation.
        together: of how many of them hold both classes, by the two names in the alphabet's order; a class with itself: that
            hold it. Pairs of none are left out, classes of none are not.
    """

    name: str
    images: int
    together: Mapping[tuple[str, str], int]

    def knows(self, name: str) -> bool:
        """Whether the file has a class of this name (GenEval's names are COCO's, too)."""
        plain = plain_name(name)
        return (plain, plain) in self.together

    def share(self, a: str, b: str) -> float | None:
        """P_COCO(a, b): images that hold both, by images that have annotations, 0 to 1; None if a class is none of the file's.

        VISOR (section 6.4) calls it the probability of co-occurrence and gives no formula. Its correlation of ranks with
        anything is the same whatever number of images is divided by.
        """
        if not (self.knows(a) and self.knows(b)):
            return None
        return self.together.get(ordered(plain_name(a), plain_name(b)), 0) / self.images


def ordered(a: str, b: str) -> tuple[str, str]:
    """A pair of names as ``together`` has it."""
    return (a, b) if a <= b else (b, a)
