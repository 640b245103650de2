"""Krippendorff's alpha, for any number of raters, any number of missing values.

Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). With o_ck the coincidences (each unit with
m_u >= 2 values adds its ordered pairs of values, each with weight 1/(m_u - 1)), n_c their margins and n their sum:

    alpha = 1 - D_o / D_e = 1 - (n - 1) * sum_ck o_ck d_ck / sum_ck n_c n_k d_ck

Range: 1 is perfect, 0 is what chance gives, negative is systematic disagreement. Undefined (NaN here) where all pairable
values are equal, because D_e = 0. Values alone on their unit are not pairable and play no part.

Sums are additive over units, so every function takes any leading shape (resamples).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.numeric import FloatArray, IntArray, deviations, ratio, scatter, standardised
from agreement.reasons import Reason, ReasonCode

SAME_VALUE = Reason(ReasonCode.SAME_VALUE)


def alpha(values: FloatArray, observed: FloatArray, expected: FloatArray) -> FloatArray:
    """1 - (n - 1) observed / expected, with n = `values`; NaN where `expected` is 0."""
    return 1.0 - (values - 1.0) * ratio(observed, expected)


def alpha_nominal(disagreeing: FloatArray, margins: FloatArray) -> FloatArray:
    """Alpha with d_ck = 1 for c != k; `disagreeing` is the sum of the coincidences off the diagonal, `margins` (..., K)."""
    values = margins.sum(-1)
    return alpha(values, disagreeing, values**2 - (margins**2).sum(-1))


def alpha_ordinal(coincidences: FloatArray) -> FloatArray:
    """Alpha with d_ck = (sum of n_g for g = c..k, less (n_c + n_k) / 2)^2, from coincidences (..., K, K) in level order.

    The distance is the difference of midranks p_k = n_1 + ... + n_k - n_k / 2, so this is the interval alpha of the p. Every
    replicate has distances of its own: those of the whole sample would leave out a part of the variance that does not vanish
    with more prompts.
    """
    margins = coincidences.sum(-1)
    values = margins.sum(-1)
    places = np.cumsum(margins, -1) - (margins + values[..., None]) / 2.0
    squares = (margins * places**2).sum(-1)
    within = 2.0 * (squares - ((coincidences @ places[..., None])[..., 0] * places).sum(-1))
    return MomentSums(values, (margins * places).sum(-1), squares, np.maximum(within, 0.0)).alpha_interval()


@dataclass(frozen=True)
class MomentSums:
    """Sums over the pairable values v: how many, v, v^2, and per unit the coincident squared differences."""

    values: FloatArray
    first: FloatArray
    second: FloatArray
    within: FloatArray

    @classmethod
    def unpack(cls, flat: FloatArray) -> MomentSums:
        """Read the last axis of `moment_columns` or of weighted sums of it."""
        return cls(flat[..., 0], flat[..., 1], flat[..., 2], flat[..., 3])

    def alpha_interval(self) -> FloatArray:
        """Alpha with d_ck = (c - k)^2: sum_ck n_c n_k d_ck = 2 (n sum v^2 - (sum v)^2)."""
        size = self.values * self.second
        return alpha(self.values, self.within, 2.0 * scatter(size - self.first**2, size))


def moment_columns(unit: IntArray, values: FloatArray) -> FloatArray:
    """Per unit the four columns of MomentSums; (units, 4). A unit's coincident squared differences are
    2 (m sum v^2 - (sum v)^2) / (m - 1), summed as squared deviations from the unit's mean so that equal values give 0."""
    size = int(unit.max()) + 1 if unit.size else 0
    scaled = standardised(values)
    m = np.bincount(unit, minlength=size).astype(float)
    first = np.bincount(unit, scaled, size)
    within = 2.0 * ratio(m * np.bincount(unit, deviations(unit, scaled, size) ** 2, size), m - 1.0)
    pairable = m >= 2
    columns = np.stack([m, first, np.bincount(unit, scaled**2, size), within], axis=-1)
    return np.where(pairable[:, None], columns, 0.0)


@dataclass(frozen=True)
class RatioSums:
    """Observed coincident ratio differences (...,), margins (..., K) over the distinct values, and these values (K,)."""

    observed: FloatArray
    margins: FloatArray
    distinct: FloatArray

    @classmethod
    def unpack(cls, flat: FloatArray, distinct: FloatArray) -> RatioSums:
        """Read the last axis of `ratio_columns` or of weighted sums of it."""
        return cls(flat[..., 0], flat[..., 1:], distinct)

    def alpha_ratio(self) -> FloatArray:
        """Alpha with d_ck = ((c - k) / (c + k))^2."""
        distances = ratio_distance(self.distinct[:, None], self.distinct[None, :])
        expected = ((self.margins @ distances) * self.margins).sum(-1)
        return alpha(self.margins.sum(-1), self.observed, expected)


def ratio_distance(a: FloatArray, b: FloatArray) -> FloatArray:
    """((a - b) / (a + b))^2, 0 where the two are equal (also where both are 0). Ratio scales have no negative values."""
    total = a + b
    difference = np.divide(a - b, total, out=np.zeros(np.broadcast(a, b).shape), where=total != 0)
    return np.asarray(difference**2, dtype=np.float64)


def ratio_columns(unit: IntArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Per unit the columns of RatioSums, (units, 1 + K), and the K distinct values."""
    distinct, code = np.unique(values, return_inverse=True)
    size = int(unit.max()) + 1 if unit.size else 0
    columns = np.zeros((size, 1 + distinct.size))
    np.add.at(columns, (unit, 1 + code), 1.0)
    m = columns[:, 1:].sum(-1)
    distances = ratio_distance(distinct[:, None], distinct[None, :])
    pairs = ((columns[:, 1:] @ distances) * columns[:, 1:]).sum(-1)
    columns[:, 0] = np.divide(pairs, m - 1.0, out=np.zeros(size), where=m >= 2)
    columns[m < 2] = 0.0
    return columns, distinct
