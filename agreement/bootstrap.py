"""Percentile bootstrap by cluster (Efron and Tibshirani 1993, ch. 13; clusters: Field and Welsh 2007).

Prompts are drawn with replacement, with all their images and ratings. A resample is a row of weights, how often each
cluster was drawn; sufficient statistics are weighted, ratings are never copied.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

import numpy as np

from .numeric import FloatArray, IntArray

LEVEL = 95


@dataclass(frozen=True)
class Interval:
    """A percentile interval, or two Nones with the reason in `note`; `note` also says if resamples were left out."""

    low: float | None
    high: float | None
    note: str | None = None


@dataclass
class Draws:
    """Resamples for one cell of a study.

    Attributes:
        resamples: how many; 0 for none.
        seed: the user's seed.
        stream: names the cell; tasks have streams of their own, so that the mean over tasks has independent parts.
    """

    resamples: int
    seed: int
    stream: str = "all"
    _made: dict[int, FloatArray] = field(default_factory=dict, repr=False)

    def weights(self, clusters: int) -> FloatArray:
        """(1 + resamples, clusters): the first row is ones, the sample itself; each other one sums to `clusters`."""
        if clusters not in self._made:
            self._made[clusters] = np.concatenate([np.ones((1, clusters)), self._draw(clusters)])
        return self._made[clusters]

    def _draw(self, clusters: int) -> FloatArray:
        if not clusters or not self.resamples:
            return np.ones((self.resamples, clusters))
        generator = np.random.default_rng([self.seed, zlib.crc32(self.stream.encode())])
        drawn = generator.integers(0, clusters, (self.resamples, clusters), dtype=np.int64)
        drawn += np.arange(self.resamples)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=self.resamples * clusters)
        return counts.reshape(self.resamples, clusters).astype(float)


def percentile_interval(replicates: FloatArray) -> Interval:
    """The 2.5th and 97.5th percentile of the defined replicates; none if more than half are undefined (NaN)."""
    ordered = np.sort(replicates)  # NaN last
    undefined = int(np.isnan(ordered).sum())
    total = replicates.size
    if 2 * undefined > total:
        return Interval(None, None, f"no interval: undefined in {undefined} of {total} resamples")
    tail, places = (100 - LEVEL) / 200, np.arange(total - undefined)
    low, high = np.interp(np.array([tail, 1 - tail]) * places[-1], places, ordered[: places.size])
    return Interval(float(low), float(high), f"{undefined} undefined ones left out" if undefined else None)


def cluster_sums(columns: FloatArray, cluster: IntArray, clusters: int) -> FloatArray:
    """Sum the rows of `columns` (units, p) by cluster: (clusters, p)."""
    out = np.zeros((clusters, columns.shape[1]))
    if cluster.size:
        order = np.argsort(cluster, kind="stable")
        present, starts = np.unique(cluster[order], return_index=True)
        out[present] = np.add.reduceat(columns[order], starts, axis=0)
    return out
