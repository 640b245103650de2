"""One scorer's numbers kept in order, so that its correlations with people's means are quick to make again.

Spearman's rho is Pearson's r of midranks. A scorer's ranks stay as they are while the same units are compared, and people's
means have few distinct values; so after one new answer only sums of the scorer's ranks by people's value are needed:

    sum_i (r_i - m)(q_i - m) = sum_v (q_v - m) sum_(i with value v) (r_i - m)

Ranks less their mean m = (n + 1) / 2 are multiples of 1/2, so these sums stay exact when units move from one of people's values
to another. Pearson's sums of products do not: each move may leave a rounding error of 1e-16 of a value.
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
        code: of each unit; 0 is "no ratings".
        mean: of the ratings, by code; NaN for "no ratings".
    """

    code: IntArray
    mean: FloatArray


@dataclass(frozen=True)
class Rho:
    """A correlation, NaN where it is undefined, with the reason in words."""

    value: float
    reason: str


@dataclass
class _Compared:
    """The units of a cell that people have rated, in the scorer's order.

    Attributes:
        inside: which codes of generator and task belong to the cell.
        units: their positions.
        group: of each unit, which of the scorer's distinct values it has.
        distinct: these values, lowest first.
        rank: the midrank of each, less the mean of all ranks.
        value: each, centred and scaled.
        rank_norm: the sum over units of the squared ranks.
        moments: the sums over units of the values and of their squares.
        sums: (3, codes) by people's code: how many units, the sum of their ranks, and that of their values; None: not made yet.
    """

    inside: BoolArray
    units: IntArray
    group: IntArray
    distinct: FloatArray
    rank: FloatArray
    value: FloatArray
    rank_norm: float
    moments: tuple[float, float]
    sums: FloatArray | None = None

    @classmethod
    def of(cls, x: FloatArray, units: IntArray, inside: BoolArray) -> _Compared:
        ordered = x[units]
        ties = Ties.of(ordered)
        times = np.diff(np.r_[ties.starts, units.size]).astype(float)
        distinct, value = ordered[ties.starts], standardised(ordered)[ties.starts]
        rank = _ranks(distinct, times)
        moments = (float(times @ value), float(times @ (value * value)))
        return cls(inside, units, ties.group, distinct, rank, value, float(times @ (rank * rank)), moments)

    def by_code(self, people: Profiled) -> FloatArray:
        """The sums by people's code, as wide as there are codes."""
        codes = people.mean.size
        if self.sums is None:
            code = people.code[self.units]
            if self.rank.size * codes <= code.size:
                joint = np.bincount(self.group * codes + code, minlength=self.rank.size * codes).reshape(-1, codes)
                self.sums = np.stack([np.ones(self.rank.size), self.rank, self.value]) @ joint
            else:
                weights = (np.ones(code.size), self.rank[self.group], self.value[self.group])
                self.sums = np.stack([sums_by(code, codes, weight) for weight in weights])
        self.sums = np.pad(self.sums, ((0, 0), (0, codes - self.sums.shape[1])))
        return self.sums

    def move(self, x: FloatArray, before: IntArray, after: IntArray) -> None:
        """Units with these numbers have gone from one code of people to another."""
        if self.sums is None:
            return
        group = np.searchsorted(self.distinct, x)
        weights = np.stack([np.ones(x.size), self.rank[group], self.value[group]])
        more = int(after.max(initial=0)) + 1 - self.sums.shape[1]
        self.sums = np.pad(self.sums, ((0, 0), (0, max(more, 0))))
        for unit, (old, new) in enumerate(zip(before, after, strict=True)):
            self.sums[:, old] -= weights[:, unit]
            self.sums[:, new] += weights[:, unit]


class Ranked:
    """One scorer's numbers by unit (NaN: none): `correlations` with people's means in a cell."""

    def __init__(self, x: FloatArray, base: IntArray) -> None:
        """`base` is the generator and task of each unit, as one code."""
        known = np.flatnonzero(~np.isnan(x))
        self._x, self._base = x, base
        self._order = known[np.argsort(x[known], kind="stable")]
        self._ordered: dict[object, IntArray] = {}
        self._compared: dict[tuple[object, object], _Compared] = {}

    def correlations(self, cell: object, inside: BoolArray, people: Profiled, kind: object) -> dict[str, Rho]:
        """Pearson's r and Spearman's rho over the units of a cell that people rated.

        Args:
            cell: names the cell.
            inside: which codes of `base` belong to it.
            people: their means.
            kind: names the kind of people.
        """
        if cell not in self._ordered:
            self._ordered[cell] = self._order[inside[self._base[self._order]]]
        if (cell, kind) not in self._compared:
            units = self._ordered[cell]
            rated = units[~np.isnan(people.mean)[people.code[units]]]
            self._compared[cell, kind] = _Compared.of(self._x, rated, inside)
        return _correlations(self._compared[cell, kind], people)

    def changed(self, kind: object, units: IntArray, before: IntArray, after: IntArray) -> None:
        """People of a kind rate some units otherwise than before: the codes of both; 0 is "no ratings"."""
        mine = (units < self._x.size) & (before != after)
        mine[mine] = ~np.isnan(self._x[units[mine]])
        units, before, after = units[mine], before[mine], after[mine]
        for key, compared in list(self._compared.items()):
            here = compared.inside[self._base[units]] & (key[1] == kind)
            if ((before == 0) != (after == 0))[here].any():
                del self._compared[key]  # other units: other ranks
            else:
                compared.move(self._x[units[here]], before[here], after[here])


def _correlations(compared: _Compared, people: Profiled) -> dict[str, Rho]:
    times, ranks, values = compared.by_code(people)
    present, n = np.flatnonzero(times), float(compared.units.size)
    mean, weight = people.mean[present], times[present]
    first, second = (_ends(each, int(n)) for each in (compared.distinct, np.sort(mean)))
    reason = correlation.why_undefined(first, second, ("the scorer", "people's mean"))
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


def _ends(ordered: FloatArray, size: int) -> FloatArray:
    """The least and the largest of `size` sorted values, of which these are the distinct ones; one if there is but one.

    They are enough to say whether the values are constant.
    """
    return ordered[[0, -1]] if size > 1 else ordered
