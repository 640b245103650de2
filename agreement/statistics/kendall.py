"""Kendall's taus of values on the same units, for many weightings of these units at once (as in `correlation`).

Two ways to the same sums: with a sign matrix of clusters, which is quick for few units and many resamples, and from the table
of the distinct values of both, which is small where one has few of them: people's answers and their means do.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agreement.numeric import BoolArray, FloatArray, ratio
from agreement.statistics.units import Sample, Ties, Units, blocks

_BLOCK = 2_000_000  # numbers in one temporary array
_FEW = 5_000
"""So many units are compared one by one at most."""
_LEVELS = 200
"""So many distinct values of the variable that has fewer make a table of more units at most."""


class Concordance:
    """Sums over ordered pairs of replicated units of sign(x_i - x_j) sign(y_i - y_j), the numbers under Kendall's taus."""

    def __init__(self, values: FloatArray, units: Units, weights: FloatArray) -> None:
        self._sample = Sample.of(values, units, weights)
        self._ties = [Ties.of(row) for row in self._sample.values]
        self._signs: SignMatrix | None = None
        self._untied: dict[int, FloatArray] = {}

    def untied(self, row: int) -> FloatArray:
        """Ordered pairs of replicated units that differ on one row of values: n^2 less the squares of its groups of equals."""
        if row not in self._untied:
            found = np.zeros(self._sample.weights.shape[0])
            for block, w in self._weights():
                found[block] = w.sum(1) ** 2 - (self._ties[row].totals(w) ** 2).sum(1)
            self._untied[row] = found
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
    cell, place = np.unique(coarse.group * fine.starts.size + fine.group, return_inverse=True)
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(cell.size))
    flat = np.zeros((weights.shape[0], coarse.starts.size * fine.starts.size))
    flat[:, cell] = np.add.reduceat(weights[:, order], starts, axis=1)
    table = flat.reshape(weights.shape[0], coarse.starts.size, fine.starts.size)
    through = np.cumsum(table, axis=2)
    # of each level: weight below a group on `fine`, less weight above it
    apart = 2.0 * through - table - through[:, :, -1:]
    lower = np.cumsum(apart, axis=1)
    signed = 2.0 * lower - apart - lower[:, -1:]
    found: FloatArray = (table * signed).sum((1, 2))
    return found


class SignMatrix:
    """The sums as quadratic forms w' S w, with the sign matrix S summed over the units of two clusters.

    Units of one cluster have one weight. S is made in blocks of rows, never as a whole.
    """

    def __init__(self, sample: Sample) -> None:
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
        for place in range(starts.size):
            last = place + 1 == starts.size
            if last or (ends[place + 1] - starts[first]) * size > 2 * _BLOCK:
                yield slice(first, place + 1)
                first = place + 1


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
