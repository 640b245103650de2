"""The choice of a best value, of a cut or a setting: which of neighbouring values is taken, and the folds that check it.

`thresholds` cuts a score, and `tuning` chooses a value of a setting. Both do as GenEval does (Ghosh et al. 2023, appendix A.2):
the value of highest agreement with people is chosen on all folds of the prompts but one and judged on that one. Where several
values are equally good, neighbouring ones are a run, and the middle of the widest run is taken: small changes of the data
move it least.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from agreement.inference.hypothesis_tests import ROUNDING
from agreement.numeric import FloatArray, IntArray

Objective = Literal["percent_agreement", "cohen_kappa"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
"""The statistics that a cut or a setting can be best in."""
FOLDS = 5
"""k of the cross-validation."""


@dataclass(frozen=True)
class BestRun:
    """The widest run of neighbouring values that are all the best: its first and last place, and the number at its middle."""

    first: int
    last: int
    middle: float


def best_run(values: FloatArray, low: FloatArray, high: FloatArray) -> BestRun:
    """Return the widest run of the highest values, of equally wide ones the lowest; rounding makes no difference.

    Args:
        values: (n,) of the objective, ascending by what is chosen; NaN is never the best, and one at least is defined.
        low: (n,) the lowest number for which each value holds.
        high: (n,) the highest; equal to `low` where each value belongs to a single number.
    """
    best = np.r_[False, values >= np.nanmax(values) - ROUNDING, False]
    first, last = np.flatnonzero(best[1:] & ~best[:-1]), np.flatnonzero(best[:-1] & ~best[1:]) - 1
    widest = int(np.argmax(high[last] / 2.0 - low[first] / 2.0))
    start, end = int(first[widest]), int(last[widest])
    return BestRun(start, end, float(middle(low[start], high[end])))


def middle(low: FloatArray, high: FloatArray) -> FloatArray:
    """A number t with low <= t < high, midway: with "> t" what is `low` stays below and what is `high` above."""
    half = low / 2.0 + high / 2.0
    return np.where((half >= high) | (half < low), low, half)


def fold_generator(seed: int, stream: str) -> np.random.Generator:
    """Return the generator of random numbers that deals a cell's clusters into folds; `stream` names the cell."""
    return np.random.default_rng([seed, zlib.crc32(f"folds {stream}".encode())])


def folds_of(clusters: int, folds: int, generator: np.random.Generator) -> IntArray:
    """A fold for each cluster: shuffled, then dealt out in turn, so that sizes differ by one at most."""
    fold = np.empty(clusters, np.int64)
    fold[generator.permutation(clusters)] = np.arange(clusters) % folds
    return fold
