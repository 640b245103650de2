"""Shares with their intervals: Wilson's, from as many trials as the prompts' likeness leaves.

Images of one prompt are alike, so n images in m prompts tell less than n independent ones. The number that would tell as much
is n over the design effect (Kish 1965, Survey Sampling), less what estimating that effect from m prompts costs (Korn and
Graubard 1998, Survey Methodology 24). With it for n, Wilson's interval (1927, JASA 22) stays sensible near 0 and 1, where an
interval by the spread of a handful of prompts collapses (compared by Franco, Little, Louis and Slud 2019, Journal of Survey
Statistics and Methodology 7). Closed form: the same every time, and quick enough for every cell of a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from statistics import NormalDist

from agreement.inference.jackknife import LEVEL, quantile, wilson

_Z = NormalDist().inv_cdf(0.5 + LEVEL / 200)


@dataclass(frozen=True)
class Trials:
    """Of one prompt: ``hits`` of ``n`` trials."""

    hits: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.n:
            raise ValueError(f"hits must be from 0 to n, got {self.hits} of {self.n}")


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval.

    Attributes:
        value: 0 to 1; None where there is no trial.
        low, high: None where there is only one prompt (or one in a task), as nothing tells then how prompts differ.
        hits: of ``n`` trials in ``prompts`` prompts.
        effective: as many independent trials would tell as much.
    """

    value: float | None
    low: float | None
    high: float | None
    hits: int
    n: int
    prompts: int
    effective: float


def share(prompts: Sequence[Trials]) -> Share:
    """All hits by all trials."""
    return mean_share([prompts])


def mean_share(tasks: Sequence[Sequence[Trials]]) -> Share:
    """The unweighted mean of the tasks' shares; a task without trials is left out. With one task: ``share``."""
    parts = [_Part.of(prompts) for prompts in tasks]
    parts = [part for part in parts if part.n]
    hits, n, count = (sum(getattr(part, name) for part in parts) for name in ("hits", "n", "prompts"))
    if not parts:
        return Share(None, None, None, 0, 0, 0, 0.0)
    value = fsum(part.value for part in parts) / len(parts)
    effective = _together(value, parts)
    if any(part.prompts < 2 for part in parts):
        return Share(value, None, None, hits, n, count, effective)
    return Share(value, *wilson(value, effective), hits, n, count, effective)


@dataclass(frozen=True)
class _Part:
    """One task's trials, summed, and how many independent ones would tell as much."""

    hits: int
    n: int
    prompts: int
    effective: float

    @property
    def value(self) -> float:
        return self.hits / self.n

    @classmethod
    def of(cls, prompts: Sequence[Trials]) -> _Part:
        shown = [one for one in prompts if one.n]
        hits, n, m = sum(one.hits for one in shown), sum(one.n for one in shown), len(shown)
        if not n:
            return cls(0, 0, 0, 0.0)
        # were a prompt's images all the same; as many images of each prompt: as many as prompts
        least = n * n / sum(one.n**2 for one in shown)
        if m < 2 or hits in (0, n):
            # nothing tells how alike they are
            return cls(hits, n, m, least)
        value = hits / n
        # the linearised variance of a ratio over clusters
        spread = fsum((one.hits - value * one.n) ** 2 for one in shown) * m / (m - 1) / n**2
        found = value * (1 - value) / spread * (_Z / quantile(0.5 + LEVEL / 200, m - 1)) ** 2 if spread else n
        return cls(hits, n, m, min(max(found, least), n))

    @property
    def variance(self) -> float:
        """Of the share; where all trials ended alike, of one half of a hit more and one half of a miss more (Jeffreys)."""
        p = self.value if 0 < self.hits < self.n else (self.value * self.effective + 0.5) / (self.effective + 1)
        return p * (1 - p) / self.effective


def _together(value: float, parts: Sequence[_Part]) -> float:
    if len(parts) == 1 or not 0 < value < 1:
        return fsum(part.effective for part in parts)
    return value * (1 - value) * len(parts) ** 2 / fsum(part.variance for part in parts)
