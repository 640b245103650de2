"""One scorer's numbers kept in order, so that its correlations with people's means are quick to make again.

Spearman's rho is Pearson's r of midranks. A scorer's ranks stay as they are while the same units are compared, and people's
means have few distinct values; so after one new answer only sums of the scorer's ranks by people's value are needed:

    sum_i (r_i - m)(q_i - m) = sum_v (q_v - m) sum_(i with value v) (r_i - m)

Ranks less their mean m = (n + 1) / 2 are multiples of 1/2, so these sums are exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import correlation
from .correlation import Ties
from .numeric import BoolArray, FloatArray, IntArray, standardised

STATISTICS = ("pearson", "spearman")


@dataclass(frozen=True)
class Profiled:
    """People's mean by unit, through the few distinct ways to rate a unit.

    Attributes:
        code: of each unit.
        mean: of the ratings, by code; NaN for "no ratings".
    """

    code: IntArray
    mean: FloatArray


@dataclass(frozen=True)
class Rho:
    """A correlation, NaN where it is undefined, with the reason in words."""

    value: float
    reason: str


@dataclass(frozen=True)
class _Compared:
    """The units of a cell that people have rated, in the scorer's order, and what depends on them and the scorer alone."""

    stamp: float
    units: IntArray
    ends: FloatArray
    ranks: FloatArray
    rank_norm: float
    values: FloatArray
    moments: tuple[float, float]

    @classmethod
    def of(cls, x: FloatArray, units: IntArray, stamp: float) -> _Compared:
        ordered = x[units]
        n = units.size
        ranks = Ties.of(ordered).midranks(np.ones((1, n)))[0] - (n + 1) / 2 if n else ordered
        values = standardised(ordered)
        moments = (float(values.sum()), float((values * values).sum()))
        return cls(stamp, units, _ends(ordered), ranks, float((ranks * ranks).sum()), values, moments)


class Ranked:
    """One scorer's numbers by unit (NaN: none): `correlations` with people's means in a cell."""

    def __init__(self, x: FloatArray, base: IntArray) -> None:
        """`base` is the generator and task of each unit, as one code."""
        known = np.flatnonzero(~np.isnan(x))
        self._x, self._base = x, base
        self._order = known[np.argsort(x[known], kind="stable")]
        self._ordered: dict[object, IntArray] = {}
        self._compared: dict[object, _Compared] = {}

    def correlations(self, cell: object, inside: BoolArray, people: Profiled, kind: object, stamp: float) -> dict[str, Rho]:
        """Pearson's r and Spearman's rho over the units of a cell that people rated.

        Args:
            cell: names the cell.
            inside: which codes of `base` belong to it.
            people: their means.
            kind: names the kind of people.
            stamp: a number that is another once other units of the cell are rated by these people.
        """
        if cell not in self._ordered:
            self._ordered[cell] = self._order[inside[self._base[self._order]]]
        if (kept := self._compared.get((cell, kind))) is None or kept.stamp != stamp:
            units = self._ordered[cell]
            kept = _Compared.of(self._x, units[~np.isnan(people.mean)[people.code[units]]], stamp)
            self._compared[cell, kind] = kept
        return _correlations(kept, people)


def _correlations(compared: _Compared, people: Profiled) -> dict[str, Rho]:
    code, n = people.code[compared.units], float(compared.units.size)
    size = people.mean.size
    times = np.bincount(code, minlength=size)
    present = np.flatnonzero(times)
    mean, weight = people.mean[present], times[present].astype(float)
    reason = correlation.why_undefined(compared.ends, _ends(np.sort(mean), int(n)), ("the scorer", "people's mean"))
    if n < 2:
        return dict.fromkeys(STATISTICS, Rho(np.nan, reason))
    ranks = Ties.of(mean).midranks(weight[None])[0] - (n + 1) / 2
    cross = np.bincount(code, compared.ranks, size)[present] @ ranks
    rho = correlation.of_centred(cross, np.asarray(compared.rank_norm), weight @ (ranks * ranks))
    y = standardised(mean)
    product = np.bincount(code, compared.values, size)[present] @ y
    (sx, sxx), sy, syy = compared.moments, weight @ y, weight @ (y * y)
    r = correlation.pearson_of_moments(np.array([n, sx, sy, sxx, syy, product]))
    return {"pearson": Rho(float(r), reason), "spearman": Rho(float(rho), reason)}


def _ends(ordered: FloatArray, size: int | None = None) -> FloatArray:
    """The least and the largest of sorted values, one value if there is but one: enough to say whether they are constant."""
    return ordered[[0, -1]] if (ordered.size if size is None else size) > 1 else ordered
