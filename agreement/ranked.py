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
from .numeric import BoolArray, FloatArray, IntArray, standardised, sums_by

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
    """The units of a cell that people have rated, in the scorer's order, and what depends on them and the scorer alone.

    Attributes:
        stamp: names the state of the units.
        units: their positions.
        group: of each unit, which of the scorer's distinct values it has, lowest first.
        ends: the scorer's least and largest value.
        rank: the midrank of each distinct value, less the mean of all ranks.
        value: each, centred and scaled.
        rank_norm: the sum over units of the squared ranks.
        moments: the sums over units of the values and of their squares.
    """

    stamp: int
    units: IntArray
    group: IntArray
    ends: FloatArray
    rank: FloatArray
    value: FloatArray
    rank_norm: float
    moments: tuple[float, float]

    @classmethod
    def of(cls, x: FloatArray, units: IntArray, stamp: int) -> _Compared:
        ordered = x[units]
        ties = Ties.of(ordered)
        times = np.diff(np.r_[ties.starts, units.size]).astype(float)
        rank, value = _ranks(ordered[ties.starts], times), standardised(ordered)[ties.starts]
        moments = (float(times @ value), float(times @ (value * value)))
        return cls(stamp, units, ties.group, _ends(ordered), rank, value, float(times @ (rank * rank)), moments)

    def sums(self, code: IntArray, codes: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """By code of the units: how many there are, the sum of their ranks, and that of their values."""
        if self.rank.size * codes <= code.size:
            joint = np.bincount(self.group * codes + code, minlength=self.rank.size * codes).reshape(-1, codes).astype(float)
            return joint.sum(0), self.rank @ joint, self.value @ joint
        times = np.bincount(code, minlength=codes).astype(float)
        rank, value = (sums_by(code, codes, each[self.group]) for each in (self.rank, self.value))
        return times, rank, value


class Ranked:
    """One scorer's numbers by unit (NaN: none): `correlations` with people's means in a cell."""

    def __init__(self, x: FloatArray, base: IntArray) -> None:
        """`base` is the generator and task of each unit, as one code."""
        known = np.flatnonzero(~np.isnan(x))
        self._x, self._base = x, base
        self._order = known[np.argsort(x[known], kind="stable")]
        self._ordered: dict[object, IntArray] = {}
        self._compared: dict[object, _Compared] = {}

    def correlations(self, cell: object, inside: BoolArray, people: Profiled, kind: object, stamp: int) -> dict[str, Rho]:
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
    times, ranks, values = compared.sums(people.code[compared.units], people.mean.size)
    present, n = np.flatnonzero(times), float(compared.units.size)
    mean, weight = people.mean[present], times[present]
    reason = correlation.why_undefined(compared.ends, _ends(np.sort(mean), int(n)), ("the scorer", "people's mean"))
    if n < 2:
        return dict.fromkeys(STATISTICS, Rho(np.nan, reason))
    theirs = _ranks(mean, weight)
    rho = correlation.of_centred(ranks[present] @ theirs, np.asarray(compared.rank_norm), weight @ (theirs * theirs))
    (sx, sxx), y = compared.moments, standardised(mean)
    r = correlation.pearson_of_moments(np.array([n, sx, weight @ y, sxx, weight @ (y * y), values[present] @ y]))
    return {"pearson": Rho(float(r), reason), "spearman": Rho(float(rho), reason)}


def _ranks(values: FloatArray, times: FloatArray) -> FloatArray:
    """Midranks of distinct values (or of some that are equal) that stand `times` often, less the mean of all ranks."""
    ranks: FloatArray = Ties.of(values).midranks(times[None])[0] - (times.sum() + 1) / 2
    return ranks


def _ends(ordered: FloatArray, size: int | None = None) -> FloatArray:
    """The least and the largest of sorted values, one value if there is but one: enough to say whether they are constant."""
    return ordered[[0, -1]] if (ordered.size if size is None else size) > 1 else ordered
