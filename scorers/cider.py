"""CIDEr-D (Vedantam et al., 2015) of a caption to one reference, as coco-caption computes it.

N-grams of one to four words are weighted by how rare they are among the references (the documents); a caption that repeats a
word beyond the reference gains nothing, and one of another length loses. From 0 to 10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

_ORDERS: Final = (1, 2, 3, 4)
_SIGMA: Final = 6.0
"""The standard deviation of the penalty on differences in length."""
_SCALE: Final = 10.0

Words = Sequence[str]
_Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """In how many of ``n`` references each n-gram stands."""

    n: int
    counts: Counter[_Gram]

    @classmethod
    def of(cls, references: Collection[Words]) -> DocumentFrequencies:
        """Count the n-grams of these references."""
        counts: Counter[_Gram] = Counter()
        for words in references:
            counts.update(set(_grams(words)))
        return cls(len(references), counts)

    def weighted(self, words: Words) -> list[dict[_Gram, float]]:
        """Return the vector of a text for each order: an n-gram's count times the logarithm of its rarity."""
        vectors: list[dict[_Gram, float]] = [{} for _ in _ORDERS]
        for gram, count in _grams(words).items():
            vectors[len(gram) - 1][gram] = count * (math.log(self.n) - math.log(max(self.counts[gram], 1)))
        return vectors


def _grams(words: Words) -> Counter[_Gram]:
    return Counter(tuple(words[k : k + n]) for n in _ORDERS for k in range(len(words) - n + 1))


def cider(caption: Words, reference: Words, frequencies: DocumentFrequencies) -> float | None:
    """Return CIDEr-D of a caption to its reference; None with fewer than two documents, among which nothing is rare."""
    if frequencies.n < 2:
        return None
    # coco-caption takes the number of pairs of words as the length
    apart = max(len(caption) - 1, 0) - max(len(reference) - 1, 0)
    total = 0.0
    for own, other in zip(frequencies.weighted(caption), frequencies.weighted(reference), strict=True):
        norms = math.hypot(*own.values()) * math.hypot(*other.values())
        if norms:
            total += sum(min(value, other.get(gram, 0.0)) * other.get(gram, 0.0) for gram, value in own.items()) / norms
    return _SCALE * total / len(_ORDERS) * math.exp(-(apart**2) / (2 * _SIGMA**2))
