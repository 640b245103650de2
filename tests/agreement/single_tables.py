"""A statistic, by its name, of one table or of two vectors: its value, or why there is none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.reasons import Reason
from agreement.statistics import correlation, many_raters, two_raters
from concord.common.reason_sentences import text


class Result(NamedTuple):
    """A value, or None and why."""

    value: float | None
    reason: str | None = None


def _result(value: float, reason: Reason) -> Result:
    return Result(None, text(reason)) if np.isnan(value) else Result(float(value))


def count_sums(counts: IntArray) -> many_raters.CountSums:
    """The sums of one table of counts (units, labels)."""
    units, labels = counts.shape
    unit, label = (np.repeat(at, counts[np.nonzero(counts)]) for at in np.nonzero(counts))
    columns = many_raters.count_columns(unit, label, np.zeros(units, np.int64), 1, labels, ordinal=True)
    return many_raters.CountSums.unpack(columns[0], labels)


def of_counts(statistic: str, counts: IntArray) -> Result:
    """Of a table of counts (units, labels)."""
    sums = count_sums(counts)
    return _result(many_raters.FORMULAS[statistic](sums).item(), many_raters.why_undefined(statistic, sums))


def of_pairs(statistic: str, table: FloatArray) -> Result:
    """Of a confusion table (labels, labels)."""
    sums = two_raters.PairSums.of(table)
    return _result(two_raters.FORMULAS[statistic](sums).item(), two_raters.why_undefined(statistic, sums))


def of_vectors(statistic: correlation.Correlation, x: FloatArray, y: FloatArray) -> Result:
    """Of two vectors."""
    reason = correlation.why_undefined(x, y)
    if x.size < 2:
        return Result(None, text(reason))
    units, weights = correlation.Units.single(x.size), np.ones((1, x.size))
    return _result(correlation.FORMULAS[statistic](x.astype(float), y.astype(float), units, weights)[0], reason)


def auc_of(score: FloatArray, yes: BoolArray) -> float:
    """The area under the ROC curve of a score against yes/no; NaN where there is none."""
    positive, units = yes.astype(float), correlation.Units.single(score.size)
    return float(correlation.auc(score, positive, 1.0 - positive, units, np.ones((1, score.size)))[0])
