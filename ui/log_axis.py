"""A logarithmic axis of shares on which 0 has a place of its own, told apart: a logarithm has none for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, Final

_MOST_TICKS: Final = 6
_LEAST_SPAN: Final = 0.6
_STRIP: Final = 0.16
_MARGIN: Final = 0.05


@dataclass(frozen=True, slots=True)
class LogAxis:
    """Where shares stand, in powers of ten.

    Attributes:
        low, high: the powers of the smallest and the largest positive share.
        zeros: whether there is a share of 0; these stand left of ``split``.
    """

    low: float
    high: float
    zeros: bool

    @classmethod
    def of(cls, shares: Sequence[float]) -> LogAxis:
        """For shares from 0 to 1."""
        powers = [log10(share) for share in shares if share > 0] or [0.0]
        low, high = min(powers), max(powers)
        spare = max(0.0, _LEAST_SPAN - (high - low)) / 2
        return cls(low - spare, high + spare, len([share for share in shares if share > 0]) < len(shares))

    @property
    def split(self) -> float:
        """The left end of the positive shares."""
        return self.low - _MARGIN * self._span

    @property
    def _span(self) -> float:
        return self.high - self.low

    def places(self, shares: Sequence[float]) -> list[float]:
        """Of each share; those of 0 side by side in their strip, in order."""
        n = sum(share <= 0 for share in shares)
        width = _STRIP * self._span
        found, k = [], 0
        for share in shares:
            if share > 0:
                found.append(log10(share))
                continue
            k += 1
            found.append(self.split - width + width * (0.15 + 0.7 * (k - 0.5) / n))
        return found

    def options(self) -> dict[str, Any]:
        """Plotly's ``range``, ``tickvals`` and ``ticktext``."""
        ticks = {log10(share): f"{100 * share:g}\u00a0%" for share in self._ticks()}
        left = self.split
        if self.zeros:
            left -= _STRIP * self._span
            ticks = {(left + self.split) / 2: "0"} | ticks
        right = self.high + _MARGIN * self._span
        return {"range": [left, right], "tickvals": [*ticks], "ticktext": [*ticks.values()]}

    def _ticks(self) -> list[float]:
        """Powers of ten; between them 2 and 5 where there are few."""
        powers = range(floor(self.low), ceil(self.high) + 1)
        for digits in ((1, 2, 5), (1, 3), (1,)):
            inside = [d * 10.0**k for k in powers for d in digits if self.split <= log10(d) + k <= self.high]
            if len(inside) <= _MOST_TICKS:
                break
        return inside[:: max(1, ceil(len(inside) / _MOST_TICKS))]
