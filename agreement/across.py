"""One correlation of two numbers across units that are no ratings, such as pairs of classes, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .bootstrap import LEVEL, Draws, percentile_interval
from .correlation import FORMULAS, Correlation, why_undefined
from .numeric import result
from .units import Units

RESAMPLES = 2000


@dataclass(frozen=True)
class Across:
    """A correlation over ``n`` units; None has a ``reason``.

    Attributes:
        low, high: 95 % percentile bootstrap over the units; None with the value, or where most resamples have none.
        method: in words, how both were made.
    """

    value: float | None
    reason: str | None
    low: float | None
    high: float | None
    n: int
    method: str


def across(
    statistic: Correlation, x: Sequence[float], y: Sequence[float], names: tuple[str, str], unit: str = "unit", seed: int = 0
) -> Across:
    """A correlation of two vectors of finite numbers. Units are drawn one by one, as if they were independent.

    ``names`` are those of x and y in a reason, ``unit`` what there are many of.
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    n = int(a.size)
    if n < 2:
        return Across(None, why_undefined(a, b, names), None, None, n, "")
    values = FORMULAS[statistic](a, b, Units.single(n), Draws(RESAMPLES, seed).weights(n))
    found = result(values[0], why_undefined(a, b, names))
    if found.value is None:
        return Across(None, found.reason, None, None, n, "")
    bounds = percentile_interval(values[1:])
    told = f"{LEVEL}% percentile bootstrap over {n} {unit}s, {RESAMPLES} resamples, seed {seed}"
    method = "; ".join(part for part in (told if bounds.low is not None else "", bounds.note) if part)
    return Across(found.value, None, bounds.low, bounds.high, n, method)
