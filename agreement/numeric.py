"""Array types and the two small operations that every statistic needs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def sums_by(codes: IntArray, size: int, weights: FloatArray | BoolArray) -> FloatArray:
    """Sum of `weights` by code, for the codes 0 .. size - 1."""
    return np.asarray(np.bincount(codes, np.asarray(weights, float), size), dtype=np.float64)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """numerator / denominator elementwise, NaN (undefined) wherever the denominator is not positive."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    out = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return out


def scatter(spread: FloatArray, size: FloatArray) -> FloatArray:
    """A sum of squares got by subtraction, with what is only rounding (below 1e-13 of `size`) exactly 0: a constant is seen."""
    return np.where(spread <= 1e-13 * np.abs(size), 0.0, spread)


def standardised(values: FloatArray) -> FloatArray:
    """Centre on the median and scale to at most 1, row by row: sums of squares neither cancel nor overflow.

    For statistics that do not change when all values are shifted and scaled. A constant becomes exactly 0.
    """
    if not values.size:
        return values
    centred = values - np.median(values, axis=-1, keepdims=True)
    largest = np.abs(centred).max(axis=-1, keepdims=True)
    scaled: FloatArray = centred / np.where(largest > 0, largest, 1.0)
    return scaled


def deviations(unit: IntArray, values: FloatArray, units: int) -> FloatArray:
    """Each value less the mean of its unit, exactly 0 where a unit's values are equal; `unit` holds codes below `units`."""
    lowest = np.full(units, np.inf)
    np.minimum.at(lowest, unit, values)
    from_lowest = values - lowest[unit]
    mean = np.bincount(unit, from_lowest, units) / np.maximum(np.bincount(unit, minlength=units), 1)
    return np.asarray(from_lowest - mean[unit], dtype=np.float64)


def share_of(part: FloatArray, whole: FloatArray, cluster: IntArray, weights: FloatArray) -> FloatArray:
    """The sum of `part` over that of `whole` in every resample: `weights` (resamples, clusters) of the units' clusters."""
    sums = weights @ cluster_sums(np.stack([part, whole], axis=1).astype(float), cluster, weights.shape[1])
    return ratio(sums[:, 0], sums[:, 1])


def cluster_sums(columns: FloatArray, cluster: IntArray, clusters: int) -> FloatArray:
    """Sum the rows of `columns` (units, p) by cluster: (clusters, p)."""
    out = np.zeros((clusters, columns.shape[1]))
    if cluster.size:
        order = np.argsort(cluster, kind="stable")
        present, starts = np.unique(cluster[order], return_index=True)
        out[present] = np.add.reduceat(columns[order], starts, axis=0)
    return out
