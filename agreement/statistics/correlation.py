"""Correlations of values on the same units, for many weightings of these units at once.

`weights` has shape (resamples, clusters): how often each cluster of units stands in each resample. Every function gives
exactly what it would give on the physically replicated sample, without making it; a row of ones is the sample itself.
Ties are exact equality of doubles. All are in [-1, 1] (auc in [0, 1]) and undefined (NaN) where a variable is constant or
there are fewer than two units; two units give -1 or 1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from agreement.numeric import BoolArray, FloatArray, Result, ratio, result, scatter, standardised
from agreement.statistics.kendall import Concordance, kendall_tau_b, kendall_tau_c, tau_b
from agreement.statistics.units import Sample, Ties, Units, blocks

Correlation = Literal["pearson", "spearman", "kendall_tau_b", "kendall_tau_c"]


def pearson(x: FloatArray, y: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Pearson's r = S_xy / sqrt(S_xx S_yy), from sums of moments by cluster."""
    found: FloatArray = pearson_with_last(np.stack([x, y]), units, weights)[0]
    return found


def pearson_with_last(values: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Pearson's r of each row of `values` (rows, units) with the last one: (rows - 1, resamples)."""
    rows = standardised(values)
    moments = np.concatenate([np.ones_like(rows[:1]), rows, rows * rows, rows[:-1] * rows[-1]])
    place = units.cluster + units.clusters * np.arange(len(moments))[:, None]
    sums = np.bincount(place.ravel(), moments.ravel(), units.clusters * len(moments)).reshape(len(moments), -1) @ weights.T
    first, squares = sums[1 : len(rows) + 1], sums[len(rows) + 1 : 2 * len(rows) + 1]
    shape = (len(rows) - 1, len(weights))
    parts = (sums[0], first[:-1], first[-1], squares[:-1], squares[-1], sums[2 * len(rows) + 1 :])
    return pearson_of_moments(np.stack([np.broadcast_to(part, shape) for part in parts], axis=-1))


def pearson_of_moments(sums: FloatArray) -> FloatArray:
    """Pearson's r from (..., 6): n and the sums of x, y, x^2, y^2 and x y, of values that are about 1 in size."""
    n, sx, sy, sxx, syy, sxy = (sums[..., place] for place in range(6))
    spread_x, spread_y = scatter(n * sxx - sx**2, n * sxx), scatter(n * syy - sy**2, n * syy)
    return np.clip(ratio(n * sxy - sx * sy, np.sqrt(spread_x) * np.sqrt(spread_y)), -1.0, 1.0)


def spearman_matrix(values: FloatArray, units: Units, weights: FloatArray) -> FloatArray:
    """Spearman's rho of every two rows of `values` (rows, units): Pearson's r of the midranks; (resamples, rows, rows).

    Midranks are made once per row and resample. Their mean is (n + 1) / 2 exactly, so a constant is seen exactly.
    """
    out = np.full((weights.shape[0], len(values), len(values)), np.nan)
    if values.shape[1] < 2:
        return out
    sample = Sample.of(values, units, weights)
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
