"""Second implementations, slow and literal, straight from the definitions: they share no code with `agreement`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from tests.agreement.oracles import stats

Ratings = Sequence[Sequence[int]]  # for each unit the label codes its raters gave, any number of them
Weight = Callable[[int, int], float]


def identity(c: int, k: int) -> float:
    return float(c == k)


def quadratic(labels: int) -> Weight:
    return lambda c, k: 1.0 - (c - k) ** 2 / (labels - 1) ** 2


def observed(ratings: Ratings, weight: Weight = identity) -> float:
    """Mean over units with two or more ratings of the mean weight of an ordered pair of raters."""
    shares = [np.mean([weight(a, b) for a, b in permutations(unit, 2)]) for unit in ratings if len(unit) >= 2]
    return float(np.mean(shares))


def prevalence(ratings: Ratings, labels: int) -> list[float]:
    return [float(np.mean([list(unit).count(k) / len(unit) for unit in ratings if unit])) for k in range(labels)]


def fleiss(ratings: Ratings, labels: int) -> float:
    chance = sum(p**2 for p in prevalence(ratings, labels))
    return (observed(ratings) - chance) / (1 - chance)


def gwet(ratings: Ratings, labels: int, weight: Weight = identity) -> float:
    total = sum(weight(c, k) for c in range(labels) for k in range(labels))
    chance = total / (labels * (labels - 1)) * sum(p * (1 - p) for p in prevalence(ratings, labels))
    return (observed(ratings, weight) - chance) / (1 - chance)


def alpha(units: Sequence[Sequence[float]], distance: Callable[[float, float], float]) -> float:
    """1 - D_o / D_e over all pairable values, pair by pair."""
    pairable = [unit for unit in units if len(unit) >= 2]
    values = [v for unit in pairable for v in unit]
    n = len(values)
    inside = sum(sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in pairable) / n
    overall = sum(distance(a, b) for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - inside / overall


def counts(ratings: Ratings, labels: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array([[list(unit).count(k) for k in range(labels)] for unit in ratings], np.int64).reshape(-1, labels)


def ugly(seed: int, units: int = 12, labels: int = 4, most: int = 5) -> list[list[int]]:
    """Unequal numbers of raters, units without any, an unused label now and then."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, units)
    made = []
    for t in truth:
        n = int(rng.integers(0, most + 1))
        made.append([int(t) if rng.random() < 0.6 else int(rng.integers(0, labels)) for _ in range(n)])
    return made


def reliability(ratings: Sequence[Sequence[float]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Raters x units with NaN, as the krippendorff package wants it."""
    width = max((len(unit) for unit in ratings), default=0)
    return np.array([[*map(float, unit), *[np.nan] * (width - len(unit))] for unit in ratings]).T


def jackknife(value: float, without: Sequence[float], scale: str = "") -> tuple[float, float]:
    """The delete-one interval with Student's t, from the statistic without each prompt; scale: "logit", "z" or the value's."""
    n, r = len(without), np.array(without)
    error, freedom = np.sqrt((n - 1) / n * ((r - r.mean()) ** 2).sum()), n - 1.0
    if scale == "z":
        # a coefficient may rest on few of the prompts, and one more may say the opposite
        freedom = max(min(freedom, 2 * n / (stats.kurtosis(r, fisher=False) - 1)), 1.0)
        error = max(error, (1 + abs(value)) / n / 6)
    reach = stats.t.ppf(0.975, freedom) * error
    if scale == "logit":
        middle, slope = np.log(value / (1 - value)), 1 / (value * (1 - value))
        low, high = (1 / (1 + np.exp(-(middle + side * slope * reach))) for side in (-1, 1))
        return float(low), float(high)
    if scale == "z":
        slope = 1 / (1 - value**2)
        low, high = (np.tanh(np.arctanh(value) + side * slope * reach) for side in (-1, 1))
        return float(low), float(high)
    return value - reach, value + reach
