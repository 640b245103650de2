"""Items of a campaign: drawn, shuffled, and checks among them, as far as that needs no database.

Random order and sampling are hashes of the campaign's seed and of what they are about, so they can be computed again later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from data.campaigns.settings import Role, Sampling

_PRIME = 2**31 - 1


@dataclass(frozen=True, slots=True)
class CampaignItem:
    """An item's part in a campaign.

    Attributes:
        sampling: ``random`` if the seeded sampler drew it with the same chance as others, ``weighted`` if with a chance of its
            own (``draw_probability``), ``selected`` if somebody picked it.
        expected: of all but ordinary items, the right answer by question id; ``{"any": [...]}`` accepts several.
    """

    item_id: str
    role: Role = "ordinary"
    sampling: Sampling = "selected"
    expected: Mapping[str, Any] | None = None
    draw_probability: float | None = None

    def __post_init__(self) -> None:
        if (self.sampling == "weighted") != (self.draw_probability is not None):
            raise ValueError(f"{self.item_id}: weighted items, and no others, have the chance of being drawn")
        if self.role == "ordinary" and self.expected is not None:
            raise ValueError(f"{self.item_id}: only gold, attention and training items have an expected answer")
        if self.role != "ordinary" and not self.expected:
            raise ValueError(f"{self.item_id}: a {self.role} item needs its expected answer")


def sample_items(item_ids: Sequence[str], n: int | None, seed: int) -> list[CampaignItem]:
    """``n`` of these items (None: all), drawn by chance: the same whatever order they are listed in."""
    drawn = sorted(dict.fromkeys(item_ids), key=lambda item_id: (seeded_number(seed, "sample", item_id), item_id))
    return [CampaignItem(item_id, sampling="random") for item_id in drawn[:n]]


def draw_items(chances: Mapping[str, float], seed: int) -> list[CampaignItem]:
    """Items by their chances, each drawn or not independently of the others (Poisson sampling); reproducible."""
    numbers = {item_id: seeded_number(seed, "draw", item_id) for item_id in chances}
    drawn = (item_id for item_id in sorted(numbers, key=lambda each: (numbers[each], each)))
    return [
        CampaignItem(item_id, sampling="weighted", draw_probability=chances[item_id])
        for item_id in drawn
        if numbers[item_id] < chances[item_id] * 2**64
    ]


def seeded_number(*parts: str | int) -> int:
    """A number below 2^64 that follows from the parts, and looks like chance."""
    text = json.dumps(parts, ensure_ascii=True).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def shuffle_key(seed: int, campaign_id: str, item_id: str) -> int:
    """An item's number in all random orders of a campaign, below 2^31 - 1."""
    return seeded_number(seed, campaign_id, "item", item_id) % _PRIME


@dataclass(frozen=True, slots=True)
class PersonalOrder:
    """One person's order of a campaign's items: by ``(shuffle * a + b) mod (2^31 - 1)``, a permutation of all numbers."""

    a: int
    b: int

    @classmethod
    def of(cls, seed: int, campaign_id: str, person: str) -> PersonalOrder:
        drawn = seeded_number(seed, campaign_id, "person", person)
        return cls(1 + drawn % (_PRIME - 1), (drawn >> 32) % _PRIME)

    def keys(self, shuffles: NDArray[np.int64]) -> NDArray[np.int64]:
        """What to sort by."""
        return (shuffles * self.a + self.b) % _PRIME


def pair_order(seed: int, campaign_id: str, person: str, item_id: str) -> tuple[int, int]:
    """In which order this person sees a pair's two images: positions in the pair, the left one first."""
    return (1, 0) if seeded_number(seed, campaign_id, "side", person, item_id) % 2 else (0, 1)


FIRST_CHECKS: Final = 6
"""So many checks come twice as often as the later ones, so that who does not look is found before they have done much."""


@dataclass(frozen=True, slots=True)
class CheckSchedule:
    """Positions of gold and attention items among what one person answers: one in each block, by chance.

    The first ``FIRST_CHECKS`` blocks are half as long, the others have ``every`` items.
    """

    every: int
    seed: int
    campaign_id: str
    person: str

    def due(self, n: int) -> int:
        """Return how many of the first ``n`` items are checks."""
        head, size = _head(self.every)
        blocks, rest = divmod(n, size) if n < head else divmod(n - head, self.every)
        blocks += FIRST_CHECKS * (n >= head)
        return blocks + (self._offset(blocks) < rest)

    def is_next(self, n: int) -> bool:
        """Return True if a check stands after the first ``n``."""
        return self.due(n + 1) > self.due(n)

    def ahead(self, n: int, ordinary: int) -> int:
        """Return how many items follow the first ``n`` up to the ``ordinary``-th ordinary one after them."""
        if ordinary == 0:
            return 0
        head, size = _head(self.every)
        before = n - self.due(n) + ordinary - 1
        first = FIRST_CHECKS * (size - 1)
        if before < first:
            blocks, rest = divmod(before, size - 1)
            return blocks * size + rest + 1 + (self._offset(blocks) <= rest) - n
        blocks, rest = divmod(before - first, self.every - 1)
        return head + blocks * self.every + rest + 1 + (self._offset(FIRST_CHECKS + blocks) <= rest) - n

    def _offset(self, block: int) -> int:
        size = _head(self.every)[1] if block < FIRST_CHECKS else self.every
        return seeded_number(self.seed, self.campaign_id, "check", self.person, block) % size


def _head(every: int) -> tuple[int, int]:
    """Return how many items the first blocks have together, and each of them."""
    size = max(2, -(-every // 2))
    return FIRST_CHECKS * size, size


def expected_checks(every: int, n: int) -> float:
    """Return how many of the first ``n`` items of a person are checks in the mean."""
    head, size = _head(every)
    return n / size if n < head else FIRST_CHECKS + (n - head) / every


def checks_beside(every: int, ordinary: int) -> float:
    """Return how many checks a person meets in the mean who answers so many ordinary items, up to the last of these."""
    if ordinary < 1:
        return 0.0
    head, size = _head(every)
    first = head - FIRST_CHECKS
    if ordinary <= first:
        blocks, rest = divmod(ordinary - 1, size - 1)
        return blocks + (rest + 1) / size
    blocks, rest = divmod(ordinary - 1 - first, every - 1)
    return FIRST_CHECKS + blocks + (rest + 1) / every
