"""Correlations of values on the same units, for many weightings of these units at once.

`weights` has shape (resamples, clusters): how often each cluster of units stands in each resample. Every function gives
exactly what it would give on the physically replicated sample, without making it; a row of ones is the sample itself.
Ties are exact equality of doubles. All are in [-1, 1] (auc in [0, 1]) and undefined (NaN) where a variable is constant or
there are fewer than two units; two units give -1 or 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .numeric import BoolArray, FloatArray, IntArray, Result, ratio, result, scatter, standardised

Correlation = Literal["pearson", "spearman", "kendall_tau_b", "kendall_tau_c"]

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
class Sample:
    """Rows of values (rows, units) with the clusters of the units and the weights of the clusters."""

    values: FloatArray
    units: Units
    weights: FloatArray

    @classmethod
    def of(cls, values: FloatArray, units: Units, weights: FloatArray) -> Sample:
        """Units that are equal on every row are one unit with their weights added, where that leaves few: the same, faster."""
        code = np.zeros(values.shape[1], np.int64)
        for row in values:
            distinct, place = np.unique(row, return_inverse=True)
            code = np.unique(code * distinct.size + place, return_inverse=True)[1]
        profiles = int(code.max(initial=-1)) + 1
        if profiles > units.clusters:
            return cls(values, units, weights)
        counts = np.bincount(units.cluster * profiles + code, minlength=units.clusters * profiles)
        example = np.zeros(profiles, np.int64)
        example[code] = np.arange(code.size)
        return cls(values[:, example], Units.single(profiles), weights @ counts.reshape(-1, profiles).astype(float))


def _blocks(size: int, width: int) -> Iterator[slice]:
    step = max(1, _BLOCK // max(width, 1))
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))


def pearson(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Pearson's r = S_xy / sqrt(S_xx S_yy), from sums of moments by cluster."""
    a, b = standardised(x), standardised(y)
    moments = (np.ones(a.size), a, b, a * a, b * b, a * b)
    sums = weights @ np.stack([np.bincount(units.cluster, moment, units.clusters) for moment in moments], axis=1)
    return pearson_of_moments(sums)


def pearson_of_moments(sums: FloatArray) -> FloatArray:
    """Pearson's r from (..., 6): n and the sums of x, y, x^2, y^2 and x y, of values that are about 1 in size."""
    n, sx, sy, sxx, syy, sxy = (sums[..., place] for place in range(6))
    spread_x, spread_y = scatter(n * sxx - sx**2, n * sxx), scatter(n * syy - sy**2, n * syy)
    return np.clip(ratio(n * sxy - sx * sy, np.sqrt(spread_x) * np.sqrt(spread_y)), -1.0, 1.0)


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
        first = np.r_[True, ordered[1:] != ordered[:-1]] if values.size else np.zeros(0, bool)
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


def spearman_matrix(values: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Spearman's rho of every two rows of `values` (rows, units): Pearson's r of the midranks; (resamples, rows, rows).

    Midranks are made once per row and resample. Their mean is (n + 1) / 2 exactly, so a constant is seen exactly.
    """
    out = np.full((weights.shape[0], len(values), len(values)), np.nan)
    if values.shape[1] < 2:
        return out
    sample = Sample.of(values, units, weights)
    ties = [Ties.of(row) for row in sample.values]
    for block in _blocks(weights.shape[0], sample.values.size):
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


class Concordance:
    """Sums over ordered pairs of replicated units of sign(x_i - x_j) sign(y_i - y_j), the numbers under Kendall's taus.

    As quadratic forms w' S w, with the sign matrix S summed over the units of two clusters: units of one cluster have one
    weight. S is made in blocks of rows, never as a whole.
    """

    def __init__(self, values: FloatArray, units: Units, weights: FloatArray) -> None:
        sample = Sample.of(values, units, weights)
        order = np.argsort(sample.units.cluster, kind="stable")
        cluster = sample.units.cluster[order]
        self._values = sample.values[:, order]
        self._starts = np.flatnonzero(np.r_[True, cluster[1:] != cluster[:-1]]) if order.size else np.zeros(0, np.int64)
        self._weights = sample.weights[:, cluster[self._starts]]
        self._untied: dict[int, FloatArray] = {}

    def untied(self, row: int) -> FloatArray:
        """Ordered pairs of replicated units that differ on one row of values."""
        if row not in self._untied:
            self._untied[row] = self.sums(row, row)
        return self._untied[row]

    def sums(self, a: int, b: int) -> FloatArray:
        """Concordant less discordant ordered pairs, per resample."""
        x, y = self._values[a], self._values[b]
        w, ends = self._weights, np.r_[self._starts[1:], x.size]
        out = np.zeros(w.shape[0])
        for rows in _row_blocks(self._starts, ends, x.size):
            units = slice(self._starts[rows.start], ends[rows.stop - 1])
            signs = _signs(x[units], x)
            signs = np.abs(signs) if a == b else signs * _signs(y[units], y)
            if self._starts.size < x.size:
                signs = np.add.reduceat(signs, self._starts, axis=1, dtype=np.int32)
                signs = np.add.reduceat(signs, self._starts[rows] - units.start, axis=0)
            out += ((w @ signs.T.astype(float)) * w[:, rows]).sum(1)
        return out


def _signs(part: FloatArray, whole: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]]:
    greater: BoolArray = part[:, None] > whole
    return greater.view(np.int8) - (part[:, None] < whole).view(np.int8)


def _row_blocks(starts: IntArray, ends: IntArray, size: int) -> Iterator[slice]:
    """Runs of whole clusters whose rows of S fit in a block."""
    first = 0
    for place in range(starts.size):
        last = place + 1 == starts.size
        if last or (ends[place + 1] - starts[first]) * size > 2 * _BLOCK:
            yield slice(first, place + 1)
            first = place + 1


def tau_b(concordance: Concordance, a: int = 0, b: int = 1) -> FloatArray:
    """Kendall's tau-b: (C - D) / sqrt(pairs untied on x * pairs untied on y)."""
    untied = np.sqrt(concordance.untied(a) * concordance.untied(b))
    return np.clip(ratio(concordance.sums(a, b), untied), -1.0, 1.0)


def kendall_tau_b(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Kendall's tau-b of two vectors."""
    return tau_b(Concordance(np.stack([x, y]), units, weights))


def kendall_tau_c(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Stuart's tau-c: 2 (C - D) m / (n^2 (m - 1)), m the smaller number of distinct values in the (re)sample."""
    unit_weights = weights[:, units.cluster]
    distinct = [(Ties.of(v).totals(unit_weights) > 0).sum(1) for v in (x, y)] if x.size else [np.zeros(len(weights))] * 2
    m = np.minimum(*distinct).astype(float)
    n = unit_weights.sum(1)
    sums = Concordance(np.stack([x, y]), units, weights).sums(0, 1)
    return np.clip(ratio(m * sums, n**2 * (m - 1.0)), -1.0, 1.0)


def auc(score: FloatArray, yes: FloatArray, no: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """P(score of a yes > score of a no) + P(equal) / 2 (Mann and Whitney). `yes` and `no` count the answers on each unit."""
    ties = Ties.of(score)
    out = np.full(weights.shape[0], np.nan)
    for block in _blocks(weights.shape[0], score.size):
        w = weights[block][:, units.cluster]
        positive, negative = ties.totals(w * yes), ties.totals(w * no)
        below = np.cumsum(negative, axis=1) - negative / 2.0
        out[block] = ratio((positive * below).sum(1), positive.sum(1) * negative.sum(1))
    return out


FORMULAS = {formula.__name__: formula for formula in (pearson, spearman, kendall_tau_b, kendall_tau_c)}


def why_undefined(x: FloatArray, y: FloatArray, names: tuple[str, str] = ("the first variable", "the second variable")) -> str:
    """The reason, in words, for a NaN of two vectors."""
    if x.size < 2:
        return "fewer than two units to compare"
    constant = [name for name, v in zip(names, (x, y), strict=True) if not (v != v[0]).any()]
    return f"{' and '.join(constant)} {'are' if len(constant) > 1 else 'is'} constant" if constant else "it is not a number"


def evaluate(statistic: Correlation, x: FloatArray, y: FloatArray) -> Result:
    """One correlation of two vectors."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    if a.size < 2:
        return Result(None, why_undefined(a, b))
    return result(FORMULAS[statistic](a, b, Units.single(a.size), np.ones((1, a.size)))[0], why_undefined(a, b))


def evaluate_auc(score: FloatArray, yes: BoolArray) -> Result:
    """The area under the ROC curve of a score against yes/no."""
    a, one = np.asarray(score, float), np.asarray(yes, float)
    value = auc(a, one, 1.0 - one, Units.single(a.size), np.ones((1, a.size)))[0]
    return result(value, WHY_NO_AUC)


WHY_NO_AUC = "people's answers are not both yes and no"
