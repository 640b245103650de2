"""Agreement of two raters on the units both judged, and of pooled pairs of ratings (a scorer against each annotation).

Everything is computed from additive sums (`PairSums`) of any leading shape. With o_ck the share of pairs where the first
says c and the second k, r and s the margins, and v_ck what a disagreement counts (v_cc = 0):

    kappa = 1 - sum_ck v_ck o_ck / sum_ck v_ck r_c s_k       (Cohen 1960; weighted, Cohen 1968)

v = 1 nominal, |c - k| linear, (c - k)^2 quadratic. At most 1. Undefined (NaN) where both raters used one and the same
label throughout, p_e = 1. The distances of a weighted kappa need not be scaled: a factor cancels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.numeric import FloatArray, IntArray, ratio, sums_by
from agreement.reasons import Reason, ReasonCode
from agreement.statistics.alpha import SAME_VALUE, alpha_nominal, alpha_ordinal
from agreement.statistics.many_raters import gwet_coefficient, gwet_spread

_SCALARS = 4


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of ratings. Shapes are (...,), (..., K) and (..., K, K).

    Attributes:
        categories: K, the number of labels on the scale, seen here or not.
        pairs: how many pairs.
        different: pairs with different labels.
        linear: sum of |c - k|.
        quadratic: sum of (c - k)^2.
        rows: how often the first rater used each label.
        columns: the same of the second.
        table: the confusion table; has size 0 unless it was asked for (ordinal scales).
    """

    categories: int
    pairs: FloatArray
    different: FloatArray
    linear: FloatArray
    quadratic: FloatArray
    rows: FloatArray
    columns: FloatArray
    table: FloatArray

    @classmethod
    def unpack(cls, flat: FloatArray, labels: int) -> PairSums:
        """Read the last axis of `pair_columns`, or of weighted sums of it."""
        rows, columns = flat[..., _SCALARS : _SCALARS + labels], flat[..., _SCALARS + labels : _SCALARS + 2 * labels]
        rest = flat[..., _SCALARS + 2 * labels :]
        side = labels if rest.shape[-1] else 0
        table = rest.reshape(*rest.shape[:-1], side, side)
        count, different, linear, quadratic = (flat[..., index] for index in range(_SCALARS))
        return cls(labels, count, different, linear, quadratic, rows, columns, table)

    @classmethod
    def resampled(
        cls,
        weights: FloatArray,
        first: IntArray,
        second: IntArray,
        cluster: IntArray,
        labels: int,
        *,
        ordinal: bool = False,
        times: FloatArray | None = None,
    ) -> PairSums:
        """The sums in every resample, the sample first: `weights` (resamples, clusters); the others as of `pair_columns`."""
        columns = pair_columns(first, second, cluster, weights.shape[1], labels, ordinal=ordinal, times=times)
        return cls.unpack(weights @ columns, labels)

    @classmethod
    def of(cls, table: FloatArray) -> PairSums:
        """The sums of confusion tables (..., K, K), first rater in rows."""
        counts = np.asarray(table, float)
        level = np.arange(counts.shape[-1])
        apart = np.abs(level[:, None] - level).astype(float)
        total, *scalars = ((counts * v).sum((-2, -1)) for v in (apart >= 0, apart > 0, apart, apart**2))
        different, linear, quadratic = scalars
        return cls(counts.shape[-1], total, different, linear, quadratic, counts.sum(-1), counts.sum(-2), counts)


def pair_columns(
    first: IntArray,
    second: IntArray,
    cluster: IntArray,
    clusters: int,
    labels: int,
    *,
    ordinal: bool,
    times: FloatArray | None = None,
) -> FloatArray:
    """Sums per cluster, (clusters, columns), of pairs of label codes, each counting `times` (once).

    `ordinal` adds the confusion table.
    """
    apart = np.abs(first - second).astype(float)
    weights = np.ones(first.size) if times is None else times
    scalars = (weights, weights * (apart > 0), weights * apart, weights * apart**2)
    columns = [sums_by(cluster, clusters, column)[:, None] for column in scalars]
    for label in (first, second):
        columns.append(sums_by(cluster * labels + label, clusters * labels, weights).reshape(clusters, labels))
    if ordinal:
        cell = (cluster * labels + first) * labels + second
        columns.append(sums_by(cell, clusters * labels**2, weights).reshape(clusters, labels**2))
    return np.concatenate(columns, axis=1)


def percent_agreement(sums: PairSums) -> FloatArray:
    """Share of pairs with equal labels, p_o."""
    return 1.0 - ratio(sums.different, sums.pairs)


def _kappa(sums: PairSums, observed: FloatArray, expected: FloatArray) -> FloatArray:
    return 1.0 - ratio(observed * sums.pairs, expected)


def cohen_kappa(sums: PairSums) -> FloatArray:
    """Cohen's kappa, unweighted."""
    return _kappa(sums, sums.different, sums.pairs**2 - (sums.rows * sums.columns).sum(-1))


def cohen_kappa_linear(sums: PairSums) -> FloatArray:
    """Cohen's kappa with linear weights; labels in the order of the scale, evenly spaced."""
    return _kappa(sums, sums.linear, _expected(sums, 1))


def cohen_kappa_quadratic(sums: PairSums) -> FloatArray:
    """Cohen's kappa with quadratic weights; labels in the order of the scale, evenly spaced."""
    return _kappa(sums, sums.quadratic, _expected(sums, 2))


def _expected(sums: PairSums, power: int) -> FloatArray:
    level = np.arange(sums.rows.shape[-1])
    distance = np.abs(level[:, None] - level).astype(float) ** power
    expected: FloatArray = ((sums.rows @ distance) * sums.columns).sum(-1)
    return expected


def pabak(sums: PairSums) -> FloatArray:
    """(K p_o - 1) / (K - 1), with two labels 2 p_o - 1 (Byrt et al. 1993; Brennan and Prediger 1981 for more)."""
    if sums.categories < 2:
        return np.full(sums.pairs.shape, np.nan)
    return 1.0 - ratio(sums.different, sums.pairs) * (sums.categories / (sums.categories - 1))


def gwet_ac1(sums: PairSums) -> FloatArray:
    """Gwet's AC1 of two raters: pi_k is the mean of both raters' shares of label k."""
    return _gwet(sums, ratio(sums.different, sums.pairs), 1.0)


def gwet_ac2(sums: PairSums) -> FloatArray:
    """Gwet's AC2 of two raters, quadratic weights; the labels must be all levels of the scale in their order."""
    apart = ratio(sums.quadratic, sums.pairs) / max(sums.categories - 1, 1) ** 2
    return _gwet(sums, apart, gwet_spread(sums.categories))


def _gwet(sums: PairSums, disagreement: FloatArray, spread: float) -> FloatArray:
    pi = ratio((sums.rows + sums.columns) / 2.0, sums.pairs[..., None])
    return gwet_coefficient(disagreement, pi, sums.categories, spread)


def krippendorff_alpha_nominal(sums: PairSums) -> FloatArray:
    """Krippendorff's nominal alpha of the pairs, each a unit of two values."""
    return alpha_nominal(2.0 * sums.different, sums.rows + sums.columns)


def krippendorff_alpha_ordinal(sums: PairSums) -> FloatArray:
    """Krippendorff's ordinal alpha of the pairs, each a unit of two values."""
    return alpha_ordinal(sums.table + np.swapaxes(sums.table, -1, -2))


FORMULAS = {
    formula.__name__: formula
    for formula in (
        percent_agreement,
        cohen_kappa,
        cohen_kappa_linear,
        cohen_kappa_quadratic,
        gwet_ac1,
        gwet_ac2,
        pabak,
        krippendorff_alpha_nominal,
        krippendorff_alpha_ordinal,
    )
}


def why_undefined(statistic: str, sums: PairSums) -> Reason:
    """Return the reason for a NaN of one table, or of the first of several."""
    if not np.ravel(sums.pairs)[0] > 0:
        return Reason(ReasonCode.NO_COMMON_UNIT)
    if statistic.startswith(("gwet", "pabak")):
        return Reason(ReasonCode.ONE_LABEL_ON_SCALE)
    return SAME_VALUE if statistic.startswith("krippendorff") else Reason(ReasonCode.ONE_LABEL_OF_BOTH)


@dataclass(frozen=True)
class FirstPairs:
    """Pairs (first rating of a unit, another rating of it) and the unit of each pair."""

    first: IntArray
    other: IntArray
    unit: IntArray


def first_against_rest(unit: IntArray, label: IntArray, seq: IntArray) -> FirstPairs:
    """Pair each unit's rating of smallest `seq` with each other one (the GenEval paper's "interannotator")."""
    order = np.lexsort((seq, unit))
    units, labels = unit[order], label[order]
    starts = np.flatnonzero(np.r_[True, units[1:] != units[:-1]]) if units.size else np.zeros(0, np.int64)
    first = np.repeat(labels[starts], np.diff(np.r_[starts, units.size]))
    rest = np.ones(units.size, bool)
    rest[starts] = False
    return FirstPairs(first[rest], labels[rest], units[rest])
