"""One scorer's numbers beside people's means, kept so that their correlations are quick to make again after an answer.

People's means have few distinct values, and so few codes (the ways to rate a unit). A correlation needs of a scorer only
sums by code, such as for Spearman's rho, which is Pearson's r of midranks r_i and q_i with the mean m = (n + 1) / 2:

    sum_i (r_i - m)(q_i - m) = sum_c (q_c - m) sum_(i with code c) (r_i - m)

Doubled midranks are whole numbers, so their sums are exact however often units come, go or change (`_Ranks`). Pearson's sums
are not: they are kept by generator and task, and those that hold a changed unit are made anew (`_Moments`). Neither drifts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, standardised, sums_by
from agreement.statistics import correlation
from agreement.statistics.correlation import Ties

STATISTICS = ("pearson", "spearman")
_FEW = 10  # changed units at once, beyond which ranks are made anew


@dataclass(frozen=True)
class ProfileMeans:
    """People's mean by unit, through the few distinct ways to rate a unit.

    Attributes:
        code: of each unit; 0 is "no ratings".
        mean: of the ratings, by code; NaN for "no ratings".
    """

    code: IntArray
    mean: FloatArray


@dataclass(frozen=True)
class CorrelationValue:
    """A correlation, NaN where it is undefined, with the reason in words."""

    value: float
    reason: str


@dataclass
class _Ranks:
    """A cell's units on which the scorer has a number, by that number, and the ranks of those that people rated.

    Attributes:
        inside: which codes of generator and task belong to the cell.
        unit: their positions, in ascending order of `x`.
        x: the scorer's numbers.
        code: people's codes, 0 for units not rated.
        times: by people's code, how many units.
        doubled: by people's code, the sum of twice their midranks among all that are rated.
        ties: the sum of t^3 - t over groups of t equal numbers.
    """

    inside: BoolArray
    unit: IntArray
    x: FloatArray
    code: IntArray
    times: IntArray
    doubled: IntArray
    ties: int

    @classmethod
    def of(cls, inside: BoolArray, unit: IntArray, x: FloatArray, people: ProfileMeans) -> _Ranks:
        code, codes = people.code[unit], people.mean.size
        rated = np.flatnonzero(code)
        starts = Ties.of(x[rated]).starts
        tied = np.diff(np.r_[starts, rated.size])
        twice = np.repeat(2 * starts + tied + 1, tied)
        doubled = np.bincount(code[rated], twice, codes).astype(np.int64)  # exact: below 2^53
        ties = sum(n**3 - n for n in tied[tied > 1].tolist())
        return cls(inside, unit, x, code, np.bincount(code[rated], minlength=codes), doubled, ties)

    def widen(self, codes: int) -> None:
        """Make room for people's codes that are new."""
        more = codes - self.times.size
        if more:
            self.times, self.doubled = np.pad(self.times, (0, more)), np.pad(self.doubled, (0, more))

    def add(self, unit: IntArray, x: FloatArray) -> None:
        """Take in units of the cell, not rated so far, in ascending order of `x`."""
        place = np.searchsorted(self.x, x)
        self.unit, self.x = np.insert(self.unit, place, unit), np.insert(self.x, place, x)
        self.code = np.insert(self.code, place, 0)

    def put(self, unit: int, x: float, new: int) -> None:
        """One unit, whose number is `x`, has another code."""
        low, high = np.searchsorted(self.x, x), np.searchsorted(self.x, x, "right")
        place = low + np.flatnonzero(self.unit[low:high] == unit)[0]
        old, self.code[place] = int(self.code[place]), 0
        tied = int(np.count_nonzero(self.code[low:high]))
        twice = 2 * int(np.count_nonzero(self.code[:low])) + tied + 2
        for code, step in ((old, -1), (new, 1)):
            self.times[code] += step
            self.doubled[code] += step * twice
        if (old == 0) != (new == 0):
            # a unit more moves those above by one rank, and those that are equal by half of one
            step, codes = (1 if new else -1), self.times.size
            above, equal = (np.bincount(part, minlength=codes) for part in (self.code[high:], self.code[low:high]))
            self.doubled += step * (2 * above + equal)
            self.ties += step * 3 * tied * (tied + 1)
        self.code[place] = new
        self.times[0] = self.doubled[0] = 0

    def rho(self, mean: FloatArray) -> float:
        """Spearman's rho with people's means, by code; all sums are of twice the centred ranks."""
        rated = np.flatnonzero(self.times)
        times, n = self.times[rated], int(self.times.sum())
        theirs = 2 * Ties.of(mean[rated]).midranks(times[None].astype(float))[0] - (n + 1)
        cross = (self.doubled[rated] - times * (n + 1)) @ theirs
        norm = np.asarray((n**3 - n - self.ties) / 3)
        return float(correlation.of_centred(cross, norm, times @ (theirs * theirs)))


class _Moments:
    """Sums of the scorer's numbers over the units that people of one kind rated, by generator and task.

    Each row of the grid has a centre of its own, so that nothing cancels: (grid, codes) how many units, and the sum of their
    numbers less the centre; (grid,) the sum of the squares of these. Rows named in `stale` are made anew before they are read.
    """

    def __init__(self, grid: int) -> None:
        self._scale = np.ones(grid)  # of each row's numbers, so that squares neither overflow nor vanish
        self._centre, self._squares = np.zeros(grid), np.zeros(grid)
        self._times = self._values = np.zeros((grid, 0))
        self.stale = set(range(grid))

    def remake(self, x: FloatArray, base: IntArray, people: ProfileMeans) -> None:
        """Make stale rows anew, from all units."""
        codes, grid = people.mean.size, self._centre.size
        self._times, self._values = (np.pad(each, ((0, 0), (0, codes - each.shape[1]))) for each in (self._times, self._values))
        if not self.stale:
            return
        rows, stale = np.array(sorted(self.stale)), np.zeros(grid, bool)
        stale[rows] = True
        unit = np.flatnonzero(stale[base])
        unit = unit[(people.code[unit] > 0) & ~np.isnan(x[unit])]
        at, largest = np.searchsorted(rows, base[unit]), np.zeros(rows.size)
        np.maximum.at(largest, at, np.abs(x[unit]))
        # powers of two, which leave differences what they are
        self._scale[rows] = np.ldexp(1.0, -np.frexp(largest)[1])
        x = x[unit] * self._scale[rows][at]
        centre = np.nan_to_num(ratio(sums_by(at, rows.size, x), sums_by(at, rows.size, np.ones(at.size))))
        x, key = x - centre[at], at * codes + people.code[unit]
        self._centre[rows], self._squares[rows] = centre, sums_by(at, rows.size, x * x)
        self._times[rows] = np.bincount(key, minlength=rows.size * codes).reshape(-1, codes)
        self._values[rows] = sums_by(key, rows.size * codes, x).reshape(-1, codes)
        self.stale.clear()

    def r(self, inside: BoolArray, mean: FloatArray) -> float:
        """Pearson's r with people's means, by code, over the rows of a cell; what is constant is for others to see."""
        # all rows on the scale of the largest numbers of the cell; rows without units have none
        scale = np.where(self._times[inside].any(1), self._scale[inside], np.inf)
        scale = scale.min() / scale
        times, centre, sums = self._times[inside], self._centre[inside] * scale, self._values[inside] * scale[:, None]
        by_row, by_code = times.sum(1), times.sum(0)
        n, rated = by_row.sum(), np.flatnonzero(by_code)
        shift = centre - by_row @ centre / n
        values = sums.sum(0) + shift @ times
        squares = (self._squares[inside] * scale**2).sum() + shift @ (2 * sums.sum(1) + by_row * shift) - values.sum() ** 2 / n
        y, weight = standardised(mean[rated]), by_code[rated]
        y = y - weight @ y / n
        return float(correlation.of_centred(values[rated] @ y, np.asarray(squares), weight @ (y * y)))


class ScorerCorrelations:
    """One scorer's numbers by unit (NaN: none): `correlations` with people's means in a cell."""

    def __init__(self, x: FloatArray, base: IntArray, grid: int) -> None:
        """`base` is the generator and task of each unit, as one code below `grid`."""
        self._x, self._base, self._grid = x, base, grid
        self._order: IntArray | None = None
        self._ranks: dict[tuple[object, object], _Ranks] = {}
        self._moments: dict[object, _Moments] = {}

    def correlations(self, cell: object, inside: BoolArray, people: ProfileMeans, kind: object) -> dict[str, CorrelationValue]:
        """Pearson's r and Spearman's rho over the units of a cell that people rated.

        Args:
            cell: names the cell.
            inside: which codes of `base` belong to it.
            people: their means.
            kind: names the kind of people.
        """
        if (cell, kind) not in self._ranks:
            # the units on which the scorer has a number, by that number
            if self._order is None:
                known = np.flatnonzero(~np.isnan(self._x))
                self._order = known[np.argsort(self._x[known], kind="stable")]
            unit = self._order
            unit = unit[inside[self._base[unit]]]
            self._ranks[cell, kind] = _Ranks.of(inside, unit, self._x[unit], people)
        ranks, moments = self._ranks[cell, kind], self._moments.setdefault(kind, _Moments(self._grid))
        n, mean = int(ranks.times.sum()), people.mean[np.flatnonzero(ranks.times)]
        constant = ranks.ties == n**3 - n, not (mean != mean[:1]).any()
        first, second = (np.array([0.0, float(not equal)])[:n] for equal in constant)
        reason = correlation.why_undefined(first, second, ("the scorer", "people's mean"))
        if n < 2 or any(constant):
            return dict.fromkeys(STATISTICS, CorrelationValue(np.nan, reason))
        moments.remake(self._x, self._base, people)
        ranks.widen(people.mean.size)
        return {
            "pearson": CorrelationValue(moments.r(inside, people.mean), reason),
            "spearman": CorrelationValue(ranks.rho(people.mean), reason),
        }

    def grow(self, x: FloatArray, base: IntArray) -> None:
        """There are more units, none of which is rated: the numbers and codes of all."""
        new = np.arange(self._x.size, x.size)
        new = new[~np.isnan(x[new])]
        new = new[np.argsort(x[new], kind="stable")]
        self._x, self._base = x, base
        if new.size:
            self._order = None
            for ranks in self._ranks.values():
                mine = new[ranks.inside[base[new]]]
                ranks.add(mine, x[mine])

    def changed(self, kind: object, units: IntArray, people: ProfileMeans) -> None:
        """People of a kind rate some units otherwise than before; `people` says how."""
        units = units[~np.isnan(self._x[units])]
        if kind in self._moments:
            self._moments[kind].stale.update(self._base[units].tolist())
        for key, ranks in list(self._ranks.items()):
            mine = units[ranks.inside[self._base[units]]] if key[1] == kind else units[:0]
            if mine.size > _FEW:
                del self._ranks[key]
                continue
            if mine.size:
                ranks.widen(people.mean.size)
            for unit in mine.tolist():
                ranks.put(unit, self._x[unit], int(people.code[unit]))
