"""Items on which two sides' answers cross: what a cell of a pair's confusion table stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Way = Literal["each", "majority"]


@dataclass(frozen=True, slots=True)
class Crossed:
    """A rater and another side (a rater, ``people`` or ``simulated people``) and what each of them says of an aspect.

    Attributes:
        a_says, b_says: a label as the confusion table names it; empty for whatever it says.
        way: with people as ``b``, whether at least one of them says so (``each``) or more than half (``majority``).
    """

    aspect: str
    a: str
    a_says: str
    b: str
    b_says: str
    way: Way = "each"

    def to_query(self) -> list[tuple[str, str]]:
        """As an address has it, without what is empty."""
        named = {
            "about": self.aspect,
            "a": self.a,
            "a_says": self.a_says,
            "b": self.b,
            "b_says": self.b_says,
            "way": "" if self.way == "each" else self.way,
        }
        return [(name, value) for name, value in named.items() if value]
