"""Draw probabilities: which units to label next, so that labels teach most (active inference: Zrnic and Candes 2024, arXiv
2403.03208).

A unit is drawn with a probability in proportion to its expected error: with m the mean of the scorers' verdicts on 0..1, and
half a yes and half a no more, the standard deviation of a yes, sqrt(m (1 - m)). It is high where scorers disagree or are near
the cut, and low where all are sure. Each unit is drawn, or not, independently of the others (Poisson sampling).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.numeric import FloatArray

FLOOR = 0.5
"""The lowest probability, as a share of what all would have by chance: no label weighs more than twice as much."""


def expected_error(verdicts: Sequence[FloatArray]) -> FloatArray:
    """(units,), 0 to 0.5, of the verdicts (units,) of each scorer on 0..1, NaN where it gave none; 0.5 without any."""
    if not verdicts:
        raise ValueError("no scorer has judged anything")
    table = np.clip(np.stack(verdicts), 0.0, 1.0)
    mean = (np.nansum(table, axis=0) + 0.5) / (np.isfinite(table).sum(axis=0) + 1)
    return np.asarray(np.sqrt(mean * (1 - mean)), dtype=np.float64)


def ranked(scores: FloatArray) -> FloatArray:
    """Scores as shares of the scores that are lower, 0..1, ties in the middle; NaN stays."""
    from scipy import stats  # takes a second to load

    known = np.isfinite(scores)
    out = np.full(scores.size, np.nan)
    out[known] = (stats.rankdata(scores[known]) - 0.5) / max(int(known.sum()), 1)
    return out


def draw_probabilities(error: FloatArray, expected: int) -> FloatArray:
    """(units,) in (0, 1], in proportion to the error with a floor; they add up to the ``expected`` number of draws."""
    n = error.size
    if not 0 < expected <= n:
        raise ValueError(f"from 1 to {n} can be drawn, got {expected}")
    total = float(error.sum())
    share = FLOOR / n + (1 - FLOOR) * error / total if total > 0 else np.full(n, 1 / n)
    chance = np.minimum(expected * share, 1.0)
    # what is beyond certainty goes to the others
    for _ in range(n):
        open_ = chance < 1.0
        missing = expected - float(chance.sum())
        if missing <= 1e-12 or not open_.any():
            break
        chance[open_] = np.minimum(chance[open_] * (1 + missing / float(chance[open_].sum())), 1.0)
    return chance
