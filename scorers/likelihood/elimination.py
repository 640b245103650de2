"""Which captions need no further look: staged elimination and paired early stopping (Li et al., 2023).

All captions of an image meet the same noise at the same steps, so their errors are compared in pairs, draw by draw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
_STAGE = re.compile(r"\s*(\d+)\s*:\s*(\d+)\s*")


@dataclass(frozen=True, slots=True)
class Elimination:
    """When captions are given up.

    Attributes:
        stages: (draws, captions): after so many draws the so many best go on.
        p: a caption is given up whose errors are larger than the best one's by a one-sided paired t-test below ``p``; 0: none
            is. The test is made again after every round, so ``p`` is no error rate of the whole.
        every: draws a round, where ``p`` is asked for.
    """

    stages: tuple[tuple[int, int], ...] = ()
    p: float = 0.0
    every: int = 8

    @classmethod
    def read(cls, stages: str, p: float, every: int) -> Elimination:
        """As settings say it: ``10:2,50:1`` and numbers.

        Raises:
            ValueError: it cannot be read, or makes no sense.
        """
        found = []
        for text in filter(None, (part.strip() for part in stages.split(","))):
            match = _STAGE.fullmatch(text)
            if match is None:
                raise ValueError(f"stages must be draws:captions, e.g. 10:2,50:1; got {stages!r}")
            found.append((int(match[1]), int(match[2])))
        draws, kept = [one[0] for one in found], [one[1] for one in found]
        if draws != sorted(set(draws)) or kept != sorted(kept, reverse=True) or 0 in [*draws, *kept]:
            raise ValueError(f"stages must ask for more draws of fewer captions each time; got {stages!r}")
        if not 0 <= p < 0.5:
            raise ValueError(f"stop must be 0 (never) or a probability below 0.5, got {p}")
        if p and every < 3:
            raise ValueError(f"every must be at least 3 draws, got {every}: fewer cannot be tested")
        return cls(tuple(found), p, every)

    def rounds(self, draws: int) -> Iterator[int]:
        """After how many draws one looks, up to all of them."""
        looks = {at for at, _ in self.stages if at < draws}
        if self.p:
            looks |= set(range(self.every, draws, self.every))
        yield from sorted(looks)
        yield draws

    def left(self, errors: FloatArray, captions: tuple[int, ...]) -> tuple[int, ...]:
        """Those of ``captions`` that go on, in their order.

        Args:
            errors: draws x C, smaller is better; of those that are looked at every draw is there.
            captions: places in C.
        """
        ranked = sorted(captions, key=lambda place: (errors[:, place].mean(), place))
        for draws, kept in self.stages:
            if len(errors) >= draws:
                ranked = ranked[:kept]
        best = ranked[0]
        return tuple(place for place in captions if place in ranked and not self._worse(errors[:, place] - errors[:, best]))

    def _worse(self, apart: FloatArray) -> bool:
        if not self.p or len(apart) < 3 or not apart.any():
            return False
        from scipy import stats

        spread = apart.std(ddof=1) / np.sqrt(len(apart))
        return bool(stats.t.sf(apart.mean() / spread, len(apart) - 1) < self.p) if spread > 0 else bool(apart.mean() > 0)
