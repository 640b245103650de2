"""Intraclass correlations of single ratings.

Source: P. E. Shrout and J. L. Fleiss, "Intraclass correlations: uses in assessing rater reliability", Psychological Bulletin
86 (1979). With the mean squares MSB between units, MSW within units, MSJ between raters and MSE of what is left:

    ICC(1,1) = (MSB - MSW) / (MSB + (n_0 - 1) MSW)                      each unit may have raters of its own
    ICC(2,1) = (MSB - MSE) / (MSB + (k - 1) MSE + k (MSJ - MSE) / n)    the same k raters on all n units, absolute agreement

For unequal numbers of ratings n_i, R in all, n_0 = (R - sum n_i^2 / R) / (n - 1) (one-way analysis of variance; Donner 1986).
At most 1; negative where units differ less than chance would have it. Undefined (NaN here) where nothing varies.

Mean squares come from sums that are additive over units, so that replicates weigh the sums of clusters. All values may be
shifted and scaled; they are, to keep sums of squares exact enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.numeric import FloatArray, IntArray, cluster_sums, deviations, ratio, scatter, standardised
from agreement.reasons import Reason, ReasonCode

NO_PAIRED_UNIT = Reason(ReasonCode.NO_PAIRED_UNIT)
ONE_UNIT = Reason(ReasonCode.ONE_UNIT)
NOTHING_VARIES = Reason(ReasonCode.NOTHING_VARIES)


@dataclass(frozen=True)
class OneWaySums:
    """Sums over units with n ratings of mean m: 1, n, n^2, n m, n m^2, and squared deviations from m."""

    units: FloatArray
    ratings: FloatArray
    squared: FloatArray
    first: FloatArray
    second: FloatArray
    within: FloatArray

    @classmethod
    def unpack(cls, flat: FloatArray) -> OneWaySums:
        """Read the last axis of `one_way_columns`, or of weighted sums of it."""
        return cls(*(flat[..., index] for index in range(6)))

    def icc_1(self) -> FloatArray:
        """ICC(1,1): how alike two ratings of a unit are, one-way random effects. Units with one rating count between units."""
        size = self.ratings * self.second
        between = ratio(ratio(scatter(size - self.first**2, size), self.ratings), self.units - 1.0)
        within = ratio(self.within, self.ratings - self.units)
        usual = ratio(self.ratings - ratio(self.squared, self.ratings), self.units - 1.0)
        return ratio(between - within, between + (usual - 1.0) * within)


def one_way_columns(unit: IntArray, values: FloatArray) -> FloatArray:
    """Per unit the six columns of OneWaySums, (units, 6); `unit` has the codes 0, 1, ... without gaps."""
    scaled = standardised(values)
    n = np.bincount(unit).astype(float)
    first = np.bincount(unit, scaled)
    within = np.bincount(unit, deviations(unit, scaled, n.size) ** 2)
    return np.stack([np.ones(n.size), n, n**2, first, first**2 / n, within], axis=1)


def icc_1(unit: IntArray, values: FloatArray, cluster: IntArray, weights: FloatArray) -> FloatArray:
    """ICC(1,1) of the sample and every replicate, (1 + replicates,).

    Args:
        unit: the unit of each rating, codes 0, 1, ... without gaps.
        values: the ratings.
        cluster: the cluster of each unit.
        weights: (1 + replicates, clusters).
    """
    return OneWaySums.unpack(weights @ cluster_sums(one_way_columns(unit, values), cluster, weights.shape[1])).icc_1()


def why_no_icc_1(unit: IntArray) -> Reason:
    """The reason for an undefined ICC(1,1)."""
    if not (np.bincount(unit) >= 2).any():
        return NO_PAIRED_UNIT
    return ONE_UNIT if not unit.any() else NOTHING_VARIES


@dataclass(frozen=True)
class TwoWaySums:
    """Sums over units rated by the same k persons, of mean m: 1, m, m^2, squared deviations from m; and (..., k) each
    person's deviations from m."""

    units: FloatArray
    first: FloatArray
    second: FloatArray
    within: FloatArray
    persons: FloatArray

    @classmethod
    def unpack(cls, flat: FloatArray) -> TwoWaySums:
        """Read the last axis of `two_way_columns`, or of weighted sums of it."""
        units, first, second, within = (flat[..., index] for index in range(4))
        return cls(units, first, second, within, flat[..., 4:])

    @property
    def _mean_squares(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Mean squares of units, of persons and of the residual."""
        n, k = self.units, self.persons.shape[-1]
        size = n * self.second
        between_persons = ratio((self.persons**2).sum(-1), n)
        rest = scatter(self.within - between_persons, self.within)
        units = ratio(k * ratio(scatter(size - self.first**2, size), n), n - 1.0)
        return units, between_persons / max(k - 1, 1), ratio(rest, (n - 1.0) * (k - 1))

    def icc_2(self) -> FloatArray:
        """ICC(2,1): two-way random effects, absolute agreement of two persons. Undefined for fewer than two units."""
        k = self.persons.shape[-1]
        units, persons, error = self._mean_squares
        return ratio(units - error, units + (k - 1) * error + k * ratio(persons - error, self.units))

    def variances(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Variance components of units, persons and the residual for ICC(2,1), in the unit of `two_way_columns`."""
        units, persons, error = self._mean_squares
        return (units - error) / self.persons.shape[-1], ratio(persons - error, self.units), error


def two_way_columns(table: FloatArray) -> FloatArray:
    """Per unit the columns of TwoWaySums, (units, 4 + k), of a table (units, k) without gaps."""
    units, k = table.shape
    scaled = standardised(table.ravel())
    apart = deviations(np.repeat(np.arange(units), k), scaled, units).reshape(units, k)
    mean = scaled.reshape(units, k).sum(1) / max(k, 1)
    return np.concatenate([np.stack([np.ones(units), mean, mean**2, (apart**2).sum(1)], axis=1), apart], axis=1)


def icc_2(table: FloatArray, cluster: IntArray, weights: FloatArray) -> FloatArray:
    """ICC(2,1) of the sample and every replicate, (1 + replicates,).

    Args:
        table: (units, persons), every person's rating of every unit.
        cluster: the cluster of each unit.
        weights: (1 + replicates, clusters).
    """
    return TwoWaySums.unpack(weights @ cluster_sums(two_way_columns(table), cluster, weights.shape[1])).icc_2()


def icc_2_without_persons(table: FloatArray, cluster: IntArray, weights: FloatArray) -> FloatArray:
    """`icc_2` of all persons, then without each of them: (1 + persons, 1 + replicates); NaN of fewer than two."""
    return np.stack([
        icc_2(table, cluster, weights), *(icc_2(np.delete(table, k, axis=1), cluster, weights) for k in range(table.shape[1]))
    ])  # fmt: skip


def variances(table: FloatArray) -> tuple[float, float, float]:
    """Variance components of units, persons and the residual in a table (units, persons), in a unit of their own."""
    unit, person, residual = TwoWaySums.unpack(two_way_columns(table).sum(0)).variances()
    return float(unit), float(person), float(residual)


def why_no_icc_2(table: FloatArray) -> Reason:
    """The reason for an undefined ICC(2,1) of a table (units, persons)."""
    units, persons = table.shape
    if persons < 2:
        return Reason(ReasonCode.ONE_PERSON)
    if units < 2:
        return Reason(ReasonCode.TOO_FEW_CROSSED, persons=persons, units=units)
    return Reason(ReasonCode.OPPOSITE_ORDER) if (table != table[0, 0]).any() else NOTHING_VARIES
