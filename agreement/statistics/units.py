"""Units that are compared, the clusters that they are drawn by, and their ties: what all correlations share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agreement.numeric import FloatArray, IntArray

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
        code, profiles = np.zeros(values.shape[1], np.int64), 0
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
