"""McNemar's exact test of a difference, and Holm's correction of several tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agreement.numeric import FloatArray

# Differences of two coefficients that are equal by their definition may differ by rounding.
ROUNDING = 1e-12


def difference(first: FloatArray, second: FloatArray) -> FloatArray:
    """first - second, with what is only rounding exactly 0, so that ties are seen as ties."""
    apart = np.asarray(first, float) - np.asarray(second, float)
    return np.where(np.abs(apart) <= ROUNDING, 0.0, apart)


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (1979): the smallest of m times m, the next times m - 1, ...; never falling, at most 1.

    A None is no test: it stays None and does not count in m.
    """
    known = [place for place, value in enumerate(p) if value is not None]
    values = np.array([p[place] for place in known], float)
    order = np.argsort(values, kind="stable")
    stepped = np.minimum(np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1)), 1.0)
    out: list[float | None] = [None] * len(p)
    for rank, place in enumerate(order):
        out[known[place]] = float(stepped[rank])
    return out


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """McNemar's exact test (1947): two-sided binomial p of the discordant counts at one half; 1 where there is none."""
    from scipy import stats  # takes a second to load, and most who import this compare no scorers

    n = only_first + only_second
    return 1.0 if not n else float(stats.binomtest(only_first, n, 0.5).pvalue)
