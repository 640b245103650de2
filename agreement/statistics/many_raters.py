"""Agreement among many raters, any number on each unit.

Everything is computed from sums over units (`CountSums`). Sums are additive, so that replicates weigh the sums of
clusters and never touch a rating again; every function takes any leading shape (resamples).

With n_ik the number of raters who gave unit i the label k, n_i their sum and K the number of labels on the scale:
p_a is the mean, over units with n_i >= 2, of the share of agreeing pairs sum_k n_ik (n_ik - 1) / (n_i (n_i - 1)), and
pi_k the mean of n_ik / n_i over all rated units (K. Gwet, Handbook of Inter-Rater Reliability, 4th ed. 2014; R package
irrCAC). Formulas use disagreement, 1 - p_a, so that perfect agreement is exactly 1. Undefined is NaN here;
`why_undefined` has the words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.numeric import FloatArray, IntArray, ratio, sums_by
from agreement.reasons import Reason, ReasonCode
from agreement.statistics.alpha import SAME_VALUE, alpha_nominal, alpha_ordinal

_SCALARS = 7


@dataclass(frozen=True)
class CountSums:
    """Sums over units. Shapes are (...,), (..., K) and (..., K, K).

    Attributes:
        categories: K, the number of labels on the scale, seen here or not.
        units: units with at least one rating.
        paired: units with at least two.
        disagreeing: sum of their shares of disagreeing pairs.
        quadratic: the same with a pair (c, k) counting (c - k)^2 / (K - 1)^2.
        unanimous: paired units where all chose one label.
        majority: paired units where more than half chose one label.
        off_diagonal: coincidences of different labels (Krippendorff).
        shares: sum of n_ik / n_i over all units.
        margins: number of pairable ratings by label.
        coincidences: Krippendorff's table; has size 0 unless it was asked for (ordinal scales).
    """

    categories: int
    units: FloatArray
    paired: FloatArray
    disagreeing: FloatArray
    quadratic: FloatArray
    unanimous: FloatArray
    majority: FloatArray
    off_diagonal: FloatArray
    shares: FloatArray
    margins: FloatArray
    coincidences: FloatArray

    @classmethod
    def unpack(cls, flat: FloatArray, labels: int, categories: int | None = None) -> CountSums:
        """Read the last axis of `count_columns`, or of weighted sums of it."""
        shares, margins = flat[..., _SCALARS : _SCALARS + labels], flat[..., _SCALARS + labels : _SCALARS + 2 * labels]
        rest = flat[..., _SCALARS + 2 * labels :]
        side = labels if rest.shape[-1] else 0
        table = rest.reshape(*rest.shape[:-1], side, side)
        units, paired, disagreeing, quadratic, unanimous, majority, off = (flat[..., index] for index in range(_SCALARS))
        size = categories or labels
        return cls(size, units, paired, disagreeing, quadratic, unanimous, majority, off, shares, margins, table)


def count_columns(
    unit: IntArray, label: IntArray, cluster_of_unit: IntArray, clusters: int, labels: int, *, ordinal: bool
) -> FloatArray:
    """Sums per cluster, (clusters, columns), of ratings in long form: one unit code and one label code each.

    `ordinal` adds the table of coincidences, labels^2 columns.
    """
    units = cluster_of_unit.size
    key, count = np.unique(unit * labels + label, return_counts=True)
    of_unit, of_label, times = key // max(labels, 1), key % max(labels, 1), count.astype(float)
    n = np.bincount(unit, minlength=units).astype(float)
    pairs = np.where(n >= 2, n * (n - 1.0), np.inf)
    different = n**2 - np.bincount(of_unit, times**2, units)
    most = np.zeros(units)
    np.maximum.at(most, of_unit, times)
    first, second = np.bincount(of_unit, times * of_label, units), np.bincount(of_unit, times * of_label**2, units)
    squares = 2.0 * (n * second - first**2) / max(labels - 1, 1) ** 2
    paired = n >= 2
    scalars = [n >= 1, paired, different / pairs, squares / pairs, paired & (most == n), paired & (2 * most > n)]
    scalars.append(np.where(paired, different, 0.0) / np.where(paired, n - 1.0, 1.0))
    columns = [sums_by(cluster_of_unit, clusters, column)[:, None] for column in scalars]
    cell = cluster_of_unit[of_unit] * labels + of_label
    for weight in (times / n[of_unit], times * paired[of_unit]):
        columns.append(sums_by(cell, clusters * labels, weight).reshape(clusters, labels))
    if ordinal:
        columns.append(_coincidences(unit, label, cluster_of_unit, clusters, labels))
    return np.concatenate(columns, axis=1)


def _coincidences(unit: IntArray, label: IntArray, cluster: IntArray, clusters: int, labels: int) -> FloatArray:
    """Sum over a cluster's units of n_uc (n_uk - [c = k]) / (n_u - 1), flattened to (clusters, labels^2)."""
    counts = np.bincount(unit * labels + label, minlength=cluster.size * labels).reshape(-1, labels).astype(float)
    n = counts.sum(1)
    scaled = np.divide(counts, (n - 1.0)[:, None], out=np.zeros_like(counts), where=(n >= 2)[:, None])
    out = np.zeros((clusters, labels, labels))
    for c in range(labels):
        for k in range(c, labels):
            out[:, c, k] = np.bincount(cluster, scaled[:, c] * (counts[:, k] - (c == k)), clusters)
            out[:, k, c] = out[:, c, k]
    return out.reshape(clusters, labels * labels)


def percent_agreement(sums: CountSums) -> FloatArray:
    """p_a: the mean over paired units of the share of agreeing pairs. In [0, 1]; undefined without a paired unit."""
    return 1.0 - ratio(sums.disagreeing, sums.paired)


def unanimous_share(sums: CountSums) -> FloatArray:
    """Share of the paired units on which all raters chose one label."""
    return ratio(sums.unanimous, sums.paired)


def majority_share(sums: CountSums) -> FloatArray:
    """Share of the paired units on which more than half of the raters chose one label."""
    return ratio(sums.majority, sums.paired)


def fleiss_kappa(sums: CountSums) -> FloatArray:
    """(p_a - p_e) / (1 - p_e) with p_e = sum pi_k^2 (Fleiss 1971; for unequal numbers of raters as irrCAC's fleiss.kappa.raw).

    At most 1. Undefined where all ratings use one label, p_e = 1.
    """
    pi = ratio(sums.shares, sums.units[..., None])
    several = (sums.shares > 0).sum(-1) >= 2
    return 1.0 - ratio(ratio(sums.disagreeing, sums.paired), np.where(several, 1.0 - (pi**2).sum(-1), 0.0))


def gwet_ac1(sums: CountSums) -> FloatArray:
    """Gwet's AC1 (2008): p_e = sum pi_k (1 - pi_k) / (K - 1). Defined for one used label, but not for a scale of one."""
    return _gwet(sums, sums.disagreeing, 1.0)


def gwet_ac2(sums: CountSums) -> FloatArray:
    """Gwet's AC2 with quadratic weights w_ck = 1 - (c - k)^2 / (K - 1)^2: p_e = sum w / (K (K - 1)) sum pi_k (1 - pi_k).

    The labels must be all levels of the scale in their order.
    """
    return _gwet(sums, sums.quadratic, gwet_spread(sums.categories))


def _gwet(sums: CountSums, disagreeing: FloatArray, spread: float) -> FloatArray:
    pi = ratio(sums.shares, sums.units[..., None])
    return gwet_coefficient(ratio(disagreeing, sums.paired), pi, sums.categories, spread)


def gwet_spread(categories: int) -> float:
    """The sum of the quadratic weights over K (nominal weights have 1)."""
    level = np.arange(categories)
    return float((1.0 - (level[:, None] - level) ** 2 / max(categories - 1, 1) ** 2).sum() / max(categories, 1))


def gwet_coefficient(disagreement: FloatArray, pi: FloatArray, categories: int, spread: float) -> FloatArray:
    """1 - (1 - p_a) / (1 - p_e), p_e = spread * sum pi_k (1 - pi_k) / (K - 1); NaN for K < 2."""
    if categories < 2:
        return np.full(np.shape(disagreement), np.nan)
    return 1.0 - ratio(disagreement, 1.0 - spread * (pi * (1.0 - pi)).sum(-1) / (categories - 1))


def krippendorff_alpha_nominal(sums: CountSums) -> FloatArray:
    """Krippendorff's alpha for labels without order."""
    return alpha_nominal(sums.off_diagonal, sums.margins)


def krippendorff_alpha_ordinal(sums: CountSums) -> FloatArray:
    """Krippendorff's alpha for ordered labels."""
    return alpha_ordinal(sums.coincidences)


FORMULAS = {
    formula.__name__: formula
    for formula in (
        percent_agreement,
        unanimous_share,
        majority_share,
        fleiss_kappa,
        gwet_ac1,
        gwet_ac2,
        krippendorff_alpha_nominal,
        krippendorff_alpha_ordinal,
    )
}


def why_undefined(statistic: str, sums: CountSums) -> Reason:
    """Return the reason for a NaN of one table."""
    if not float(sums.paired) > 0:
        return Reason(ReasonCode.NO_PAIRED_UNIT)
    if statistic.startswith("gwet"):
        return Reason(ReasonCode.ONE_LABEL_ON_SCALE)
    return SAME_VALUE if statistic.startswith("krippendorff") else Reason(ReasonCode.ONE_LABEL_USED)
