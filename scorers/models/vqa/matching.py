"""Which choice a model meant by its own words (TIFA, section 3.3): the one that is equal to them; else the nearest one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scorers.models.vqa.base import Answer

if TYPE_CHECKING:
    from scorers.models.vqa.sentence import Sentences

SENTENCES: Final = "sentence-transformers/all-mpnet-base-v2"
"""TIFA's."""

_SPACES: Final = re.compile(r"\s+")


class Encoder(Protocol):
    """Texts as vectors of length one."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """n x d."""
        ...


def plain(text: str) -> str:
    """As texts are compared: without case, spaces at both ends, and more than one space or a full stop at the end."""
    return _SPACES.sub(" ", text.casefold()).strip().removesuffix(".").strip()


def matched(free: str, choices: Sequence[str], encoder: Encoder) -> Answer:
    """The choice that is equal to ``free`` but for what ``plain`` takes away; else the one whose embedding has the largest
    cosine with that of ``free``, the first of these."""
    said = plain(free)
    for choice in choices:
        if plain(choice) == said:
            return Answer(choice, None, free, "equal")
    vectors = encoder.encode([free, *choices]).astype(np.float64)
    cosines = vectors[1:] @ vectors[0]
    best = int(np.argmax(cosines))
    return Answer(choices[best], None, free, "similar", float(cosines[best]))


class Matcher:
    """Opens the sentence model that ``sentences`` names (TIFA's if it is not set).

    Raises:
        OSError, ValueError: it is not at hand, or is none.
    """

    def __init__(self, settings: Mapping[str, Any], device: str) -> None:
        from scorers.models.vqa.sentence import Sentences

        self._encoder: Sentences = Sentences(str(settings.get("sentences") or SENTENCES), device)

    def match(self, free: str, choices: Sequence[str]) -> Answer:
        """See ``matched``."""
        return matched(free, choices, self._encoder)
