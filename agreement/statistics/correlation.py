"""Correlations of values on the same units, and the area under the ROC curve, for many weightings of these units at once.

`weights` has shape (resamples, clusters): how often each cluster of units stands in each resample. Every function gives
exactly what it would give on the physically replicated sample, without making it; a row of ones is the sample itself. Ties
are exact equality of doubles. All are in [-1, 1] (auc in [0, 1]) and undefined (NaN) where a variable is constant or there
are fewer than two units; two units give -1 or 1.

Kendall's taus have two ways to the same sums: with a sign matrix of clusters, which is quick for few units and many
resamples, and from the table of the distinct values of both, which is small where one has few of them: people's answers and
their means do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, scatter, standardised
from agreement.reasons import Name, Party, Reason, ReasonCode

_BLOCK = 2_000_000  # doubles in one temporary array


@dataclass(frozen=True)
class Units:
    """Which cluster each unit belongs to; codes 0, 1, ..., with `clusters` of them."""

    cluster: IntArray
    clusters: int

    @classmethod
    def single(cls, size: int) -> Units:
        """Every unit its own cluster."""
        return cls(np.arange(size), size)


@dataclass(frozen=True)
class WeightedValues:
    """Rows of values (rows, units) with the clusters of the units and the weights of the clusters."""

    values: FloatArray
    units: Units
    weights: FloatArray

    @classmethod
    def of(cls, values: FloatArray, units: Units, weights: FloatArray) -> WeightedValues:
        """Units that are equal on every row are one unit with their weights added, where that leaves few: the same, faster."""
        code, profiles = np.zeros(values.shape[1], np.int64), 0
        for row in values:
            distinct, level = np.unique(row, return_inverse=True)
            code = np.unique(code * distinct.size + level, return_inverse=True)[1]
            profiles = int(code.max(initial=-1)) + 1
            if 2 * profiles > code.size or profiles * units.clusters > _BLOCK:
                return cls(values, units, weights)
        counts = np.bincount(units.cluster * profiles + code, minlength=units.clusters * profiles)
        example = np.zeros(profiles, np.int64)
        example[code] = np.arange(code.size)
        return cls(values[:, example], Units.single(profiles), weights @ counts.reshape(-1, profiles).astype(float))


def blocks(size: int, width: int) -> Iterator[slice]:
    """Runs of resamples whose temporary arrays of `width` columns are not too large."""
    step = max(1, _BLOCK // max(width, 1))
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))


@dataclass(frozen=True)
class Ties:
    """The order of some values, and which of them are equal."""

    order: IntArray
    starts: IntArray
    group: IntArray

    @classmethod
    def of(cls, values: FloatArray) -> Ties:
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        first = np.ones(values.size, bool)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        group = np.empty(values.size, np.int64)
        group[order] = np.cumsum(first) - 1
        return cls(order, np.flatnonzero(first), group)

    def totals(self, weights: FloatArray) -> FloatArray:
        """Weight of each group of equal values, lowest first: (resamples, groups) from (resamples, units)."""
        ordered = weights[:, self.order]
        return ordered if self.starts.size == self.order.size else np.add.reduceat(ordered, self.starts, axis=1)

    def midranks(self, weights: FloatArray) -> FloatArray:
        """Rank of each unit among the replicated units, from 1, equal values sharing their mean rank."""
        totals = self.totals(weights)
        ranks: FloatArray = (np.cumsum(totals, axis=1) - (totals - 1.0) / 2.0)[:, self.group]
        return ranks


_FEW = 5_000
"""So many units are compared one by one at most."""
_LEVELS = 200
"""So many distinct values of the variable that has fewer make a table of more units at most."""


class Concordance:
    """Sums over ordered pairs of replicated units of sign(x_i - x_j) sign(y_i - y_j), the numbers under Kendall's taus."""

    def __init__(self, values: FloatArray, units: Units, weights: FloatArray) -> None:
        self._sample = WeightedValues.of(values, units, weights)
        self._ties = [Ties.of(row) for row in self._sample.values]
        self._signs: SignMatrix | None = None
        self._untied: dict[int, FloatArray] = {}

    def untied(self, row: int) -> FloatArray:
        """Ordered pairs of replicated units that differ on one row of values: n^2 less the squares of its groups of equals."""
        if row not in self._untied:
            untied = np.zeros(self._sample.weights.shape[0])
            for block, w in self._weights():
                untied[block] = w.sum(1) ** 2 - (self._ties[row].totals(w) ** 2).sum(1)
            self._untied[row] = untied
        return self._untied[row]

    def sums(self, a: int, b: int) -> FloatArray:
        """Concordant less discordant ordered pairs, per resample.

        Where both rows have very many distinct values on very many units they are made for the sample alone (weights of
        one), and NaN for resamples.
        """
        resamples, units = self._sample.weights.shape[0], self._sample.values.shape[1]
        coarse, fine = sorted(self._ties[row].starts.size for row in (a, b))
        if units > _FEW:
            return self.of_table(a, b) if coarse <= _LEVELS else self._of_sample(a, b)
        return self.of_table(a, b) if resamples * coarse * fine <= units**2 else self.of_signs(a, b)

    def of_signs(self, a: int, b: int) -> FloatArray:
        """The sums from the sign matrix."""
        if self._signs is None:
            self._signs = SignMatrix(self._sample)
        return self._signs.sums(a, b)

    def of_table(self, a: int, b: int) -> FloatArray:
        """The sums from the table of distinct values."""
        coarse, fine = sorted((self._ties[a], self._ties[b]), key=lambda ties: ties.starts.size)
        out = np.zeros(self._sample.weights.shape[0])
        for block, w in self._weights(coarse.starts.size):
            out[block] = _of_table(fine, coarse, w)
        return out

    def _weights(self, times: int = 1) -> Iterator[tuple[slice, FloatArray]]:
        """Weights of the units, some resamples at a time."""
        sample = self._sample
        for block in blocks(sample.weights.shape[0], sample.values.shape[1] * times):
            yield block, sample.weights[block][:, sample.units.cluster]

    def _of_sample(self, a: int, b: int) -> FloatArray:
        """With scipy's n log n."""
        from scipy.stats import kendalltau

        out = np.full(self._sample.weights.shape[0], np.nan)
        (ones,) = np.nonzero((self._sample.weights == 1.0).all(1))
        if ones.size:
            tau = kendalltau(self._sample.values[a], self._sample.values[b]).statistic
            out[ones] = tau * np.sqrt(self.untied(a)[ones] * self.untied(b)[ones])
        return out


def _of_table(fine: Ties, coarse: Ties, weights: FloatArray) -> FloatArray:
    """The sums from the table (resamples, values of `coarse`, values of `fine`): each cell times what lies below and left of
    it and above and right, less the other two corners."""
    cell, cell_of = np.unique(coarse.group * fine.starts.size + fine.group, return_inverse=True)
    order = np.argsort(cell_of, kind="stable")
    starts = np.searchsorted(cell_of[order], np.arange(cell.size))
    flat = np.zeros((weights.shape[0], coarse.starts.size * fine.starts.size))
    flat[:, cell] = np.add.reduceat(weights[:, order], starts, axis=1)
    table = flat.reshape(weights.shape[0], coarse.starts.size, fine.starts.size)
    through = np.cumsum(table, axis=2)
    # of each level: weight below a group on `fine`, less weight above it
    apart = 2.0 * through - table - through[:, :, -1:]
    lower = np.cumsum(apart, axis=1)
    signed = 2.0 * lower - apart - lower[:, -1:]
    differences: FloatArray = (table * signed).sum((1, 2))
    return differences


class SignMatrix:
    """The sums as quadratic forms w' S w, with the sign matrix S summed over the units of two clusters.

    Units of one cluster have one weight. S is made in blocks of rows, never as a whole.
    """

    def __init__(self, sample: WeightedValues) -> None:
        order = np.argsort(sample.units.cluster, kind="stable")
        cluster = sample.units.cluster[order]
        self._values = sample.values[:, order]
        self._starts = np.flatnonzero(np.r_[True, cluster[1:] != cluster[:-1]]) if order.size else np.zeros(0, np.int64)
        self._weights = sample.weights[:, cluster[self._starts]]

    def sums(self, a: int, b: int) -> FloatArray:
        """Concordant less discordant ordered pairs, per resample."""
        x, y = self._values[a], self._values[b]
        w, ends = self._weights, np.r_[self._starts[1:], x.size]
        out = np.zeros(w.shape[0])
        for rows in self._row_blocks(ends, x.size):
            units = slice(self._starts[rows.start], ends[rows.stop - 1])
            signs = _signs(x[units], x) * _signs(y[units], y)
            if self._starts.size < x.size:
                signs = np.add.reduceat(signs, self._starts, axis=1, dtype=np.int32)
                signs = np.add.reduceat(signs, self._starts[rows] - units.start, axis=0)
            out += ((w @ signs.T.astype(float)) * w[:, rows]).sum(1)
        return out

    def _row_blocks(self, ends: FloatArray, size: int) -> Iterator[slice]:
        """Runs of whole clusters whose rows of S fit in a block."""
        first, starts = 0, self._starts
        for index in range(starts.size):
            last = index + 1 == starts.size
            if last or (ends[index + 1] - starts[first]) * size > 2 * _BLOCK:
                yield slice(first, index + 1)
                first = index + 1


def _signs(part: FloatArray, whole: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]]:
    greater: BoolArray = part[:, None] > whole
    return greater.view(np.int8) - (part[:, None] < whole).view(np.int8)


def tau_b(concordance: Concordance, a: int = 0, b: int = 1) -> FloatArray:
    """Kendall's tau-b: (C - D) / sqrt(pairs untied on x * pairs untied on y)."""
    untied = np.sqrt(concordance.untied(a) * concordance.untied(b))
    return np.clip(ratio(concordance.sums(a, b), untied), -1.0, 1.0)


def kendall_tau_b(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Kendall's tau-b of two vectors."""
    return tau_b(Concordance(np.stack([x, y]), units, weights))


def kendall_tau_c(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Stuart's tau-c: 2 (C - D) m / (n^2 (m - 1)), m the smaller number of distinct values in the (re)sample."""
    n, distinct = np.zeros(len(weights)), np.zeros((2, len(weights)))
    for block in blocks(len(weights), x.size):
        w = weights[block][:, units.cluster]
        n[block] = w.sum(1)
        distinct[:, block] = [(Ties.of(v).totals(w) > 0).sum(1) for v in (x, y)] if x.size else 0
    m = distinct.min(0)
    sums = Concordance(np.stack([x, y]), units, weights).sums(0, 1)
    return np.clip(ratio(m * sums, n**2 * (m - 1.0)), -1.0, 1.0)


Correlation = Literal["pearson", "spearman", "kendall_tau_b", "kendall_tau_c"]


def pearson(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Pearson's r = S_xy / sqrt(S_xx S_yy), from sums of moments by cluster."""
    r: FloatArray = pearson_with_last(np.stack([x, y]), units, weights)[0]
    return r


def pearson_with_last(values: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Pearson's r of each row of `values` (rows, units) with the last one: (rows - 1, resamples)."""
    rows = standardised(values)
    moments = np.concatenate([np.ones_like(rows[:1]), rows, rows * rows, rows[:-1] * rows[-1]])
    cell = units.cluster + units.clusters * np.arange(len(moments))[:, None]
    sums = np.bincount(cell.ravel(), moments.ravel(), units.clusters * len(moments)).reshape(len(moments), -1) @ weights.T
    first, squares = sums[1 : len(rows) + 1], sums[len(rows) + 1 : 2 * len(rows) + 1]
    shape = (len(rows) - 1, len(weights))
    parts = (sums[0], first[:-1], first[-1], squares[:-1], squares[-1], sums[2 * len(rows) + 1 :])
    return pearson_of_moments(np.stack([np.broadcast_to(part, shape) for part in parts], axis=-1))


def pearson_of_moments(sums: FloatArray) -> FloatArray:
    """Pearson's r from (..., 6): n and the sums of x, y, x^2, y^2 and x y, of values that are about 1 in size."""
    n, sx, sy, sxx, syy, sxy = (sums[..., index] for index in range(6))
    spread_x, spread_y = scatter(n * sxx - sx**2, n * sxx), scatter(n * syy - sy**2, n * syy)
    return np.clip(ratio(n * sxy - sx * sy, np.sqrt(spread_x) * np.sqrt(spread_y)), -1.0, 1.0)


def centred(x: FloatArray) -> FloatArray:
    """Values less their mean, scaled to about 1; a constant becomes exactly 0."""
    if not x.size:
        return x
    # on one value first, so that a constant leaves nothing
    x = x - x[0]
    x /= max(x.max(), -x.min()) or 1.0
    x -= x.sum() / x.size
    return x


def with_groups(x: FloatArray, group: IntArray, y: FloatArray, times: IntArray) -> float:
    """Pearson's r of x (`centred`) with the value `y` of its group, from sums by group: quick for many units in few groups.

    `times` is the size of each group; `y` of an empty one plays no part.
    """
    if x.size < 2:
        return float("nan")
    y = np.where(times > 0, y - y[group[0]], 0.0)
    y = y - times @ y / x.size
    return float(of_centred(np.bincount(group, x, y.size) @ y, np.einsum("i,i", x, x), times @ (y * y)))


def midranks(level: IntArray, times: IntArray | None = None) -> FloatArray:
    """Rank of each value, from 1, equal ones sharing their mean rank.

    Args:
        level: codes in the order of the values.
        times: how often each value stands there (once).
    """
    of_level = np.bincount(level, times)
    ranks: FloatArray = (np.cumsum(of_level) - (of_level - 1.0) / 2.0)[level]
    return ranks


def spearman_matrix(values: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Spearman's rho of every two rows of `values` (rows, units): Pearson's r of the midranks; (resamples, rows, rows).

    Midranks are made once per row and resample. Their mean is (n + 1) / 2 exactly, so a constant is seen exactly.
    """
    out = np.full((weights.shape[0], len(values), len(values)), np.nan)
    if values.shape[1] < 2:
        return out
    sample = WeightedValues.of(values, units, weights)
    ties = [Ties.of(row) for row in sample.values]
    for block in blocks(weights.shape[0], sample.values.size):
        w = sample.weights[block][:, sample.units.cluster]
        root, middle = np.sqrt(w), (w.sum(1, keepdims=True) + 1.0) / 2.0
        scores = np.stack([root * (tie.midranks(w) - middle) for tie in ties], axis=1)
        gram = scores @ scores.swapaxes(1, 2)
        norm = np.diagonal(gram, axis1=1, axis2=2)
        out[block] = of_centred(gram, norm[:, :, None], norm[:, None, :])
    return out


def of_centred(cross: FloatArray, norm_x: FloatArray, norm_y: FloatArray) -> FloatArray:
    """The correlation of centred values, from the sum of their products and of the squares of each."""
    return np.clip(ratio(cross, np.sqrt(norm_x * norm_y)), -1.0, 1.0)


def spearman(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Spearman's rho with midranks."""
    return spearman_matrix(np.stack([x, y]), units, weights)[:, 0, 1]


def auc(score: FloatArray, yes: FloatArray, no: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """P(score of a yes > score of a no) + P(equal) / 2 (Mann and Whitney). `yes` and `no` count the answers on each unit."""
    ties = Ties.of(score)
    out = np.full(weights.shape[0], np.nan)
    for block in blocks(weights.shape[0], score.size):
        w = weights[block][:, units.cluster]
        positive, negative = ties.totals(w * yes), ties.totals(w * no)
        below = np.cumsum(negative, axis=1) - negative / 2.0
        out[block] = ratio((positive * below).sum(1), positive.sum(1) * negative.sum(1))
    return out


def placements(score: FloatArray, yes: FloatArray, no: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Structural components of the AUC (DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44), by unit.

    The share of the no that score lower, and the share of the yes that score higher; equal ones count one half. The mean of
    the first over the yes, and that of the second over the no, are both the AUC.
    """
    ties = Ties.of(score)
    positive, negative = (ties.totals(counts[None])[0] for counts in (yes, no))
    below = ratio(np.cumsum(negative) - negative / 2.0, negative.sum())
    above = ratio(positive.sum() - np.cumsum(positive) + positive / 2.0, positive.sum())
    return below[ties.group], above[ties.group]


def with_last(statistic: Correlation, values: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Each row of `values` (rows, units) with the last one: (rows - 1, resamples)."""
    if statistic == "spearman":
        return np.ascontiguousarray(spearman_matrix(values, units, weights)[:, :-1, -1].T)
    if statistic == "kendall_tau_b":
        concordance = Concordance(values, units, weights)
        return np.stack([tau_b(concordance, row, len(values) - 1) for row in range(len(values) - 1)])
    if statistic == "pearson":
        return pearson_with_last(values, units, weights)
    return np.stack([FORMULAS[statistic](row, values[-1], units, weights) for row in values[:-1]])


FORMULAS = {formula.__name__: formula for formula in (pearson, spearman, kendall_tau_b, kendall_tau_c)}


def why_undefined(
    x: FloatArray, y: FloatArray, names: tuple[Name, Name] = (Party.FIRST_VARIABLE, Party.SECOND_VARIABLE)
) -> Reason:
    """Return the reason for a NaN of two vectors, which have these names."""
    if x.size < 2:
        return Reason(ReasonCode.FEWER_THAN_TWO_UNITS)
    constant = tuple(name for name, v in zip(names, (x, y), strict=True) if not (v != v[0]).any())
    return Reason(ReasonCode.CONSTANT, names=constant) if constant else Reason(ReasonCode.NOT_A_NUMBER)


def why_no_auc(who: Name = Party.PEOPLE) -> Reason:
    """Return the reason for an undefined AUC, whose answers are not both yes and no."""
    return Reason(ReasonCode.NOT_BOTH_YES_AND_NO, who=who)
