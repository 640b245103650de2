"""Which textures and object-colour pairs a scene may use: what models learn from, and what is kept back to test them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from data.playground.backgrounds import TEXTURES
from data.playground.kinds import KINDS
from data.prompts.geneval import COLORS

Pair = tuple[str, str]

ALL_PAIRS: Final[frozenset[Pair]] = frozenset((kind, color) for kind in KINDS for color in COLORS)

HELD_OUT_PAIRS: Final[frozenset[Pair]] = frozenset(
    (kind, COLORS[(3 * number + shift) % len(COLORS)]) for number, kind in enumerate(KINDS) for shift in (0, 5)
)
"""Two colours of each kind, 20 % of all pairs, spread evenly over the colours. Nothing is ever trained on them."""

HELD_OUT_TEXTURES: Final = ("checks", "waves")
"""Grounds that nothing is ever trained on."""


@dataclass(frozen=True, slots=True)
class Look:
    """The textures and the (kind, colour) pairs allowed in a scene."""

    name: str
    textures: tuple[str, ...]
    pairs: frozenset[Pair]

    def colors(self, kind: str) -> list[str]:
        """The colours that this kind may have, in GenEval's order."""
        return [color for color in COLORS if (kind, color) in self.pairs]


ANY: Final = Look("any", tuple(TEXTURES), ALL_PAIRS)
TRAIN: Final = Look("train", tuple(name for name in TEXTURES if name not in HELD_OUT_TEXTURES), ALL_PAIRS - HELD_OUT_PAIRS)
HELD_OUT: Final = Look("held-out", HELD_OUT_TEXTURES, HELD_OUT_PAIRS)
