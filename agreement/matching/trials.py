"""What fewer trials would have given: the first n of N (SelfEval, Table 2 of appendix C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from agreement.inference.jackknife import SHARE
from agreement.matching.figures import ACCURACY, NOTHING, STATISTICS, weighted_means
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums
from agreement.questions.figures import ALL, Figure, Making, Place
from agreement.study.cells import Options
from agreement.study.outcome import Used

Aggregate = Literal["jensen", "lse"]
"""How a caption's trials become one number: the mean of log p, or log of the mean of p (SelfEval, equations 9 and 8)."""

_HOW: Final = "{}; fits are the {} of the first {} of {} trials"


def right_by_trials(trials: FloatArray, right: IntArray, aggregate: Aggregate = "jensen") -> BoolArray:
    """Whether the right caption fits best, alone, by the first 1, 2, ... N trials: (items, N).

    Args:
        trials: (items, N, C), log p or another fit, larger is better; of items with fewer captions the places behind are -inf.
        right: (items,), places of the right captions.
        aggregate: how trials become one number.

    Raises:
        ValueError: the shapes do not go together.
    """
    if trials.ndim != 3 or right.shape != trials.shape[:1]:
        raise ValueError(
            f"trials of shape (items, N, C) and right of shape (items,) expected, got {trials.shape}, {right.shape}"
        )
    fits = _aggregated(np.asarray(trials, float), aggregate)
    mine = np.take_along_axis(fits, right[:, None, None], axis=2)
    others = np.where(np.arange(fits.shape[2]) == right[:, None, None], -np.inf, fits)
    return np.asarray(mine[..., 0] > others.max(axis=2), bool)


def by_trials(
    trials: FloatArray,
    right: IntArray,
    clusters: Sequence[str],
    aggregate: Aggregate = "jensen",
    options: Options | None = None,
    task: str = ALL,
    rater: str | None = None,
) -> list[Figure]:
    """The accuracy by the first 1, 2, ... N trials, N figures in that order.

    Args:
        trials: as ``right_by_trials``; items of which a caption's number is not finite are the caller's to leave out.
        right: as ``right_by_trials``.
        clusters: (items,), what is left out one by one: the prompt, or the group.
        aggregate: as ``right_by_trials``.
        options: `intervals` is read.
        task: what the items are, for the figures' place.
        rater: whose trials.
    """
    making = Making.of(options)
    correct = right_by_trials(trials, right, aggregate).astype(float)
    names, codes = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    sums = cluster_sums(np.column_stack([correct, np.ones(len(correct))]), codes.astype(np.int64), len(names))
    means = weighted_means(correct, sums, making)
    used, total = Used(len(correct), len(correct), len(names)), trials.shape[1]
    told = {"jensen": "mean", "lse": "log of the mean likelihood"}[aggregate]
    return [
        making.figure(
            ACCURACY, Place("trials", str(n + 1), rater, task), "images", means[:, n], NOTHING, used,
            _HOW.format(STATISTICS[ACCURACY], told, n + 1, total), SHARE,
        )
        for n in range(total)
    ]  # fmt: skip


def _aggregated(trials: FloatArray, aggregate: Aggregate) -> FloatArray:
    counts = np.arange(1, trials.shape[1] + 1)[None, :, None]
    if aggregate == "jensen":
        return np.asarray(np.cumsum(trials, axis=1) / counts)
    return np.asarray(np.logaddexp.accumulate(trials, axis=1) - np.log(counts))
