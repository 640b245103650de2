"""One correlation of two numbers across units that are no ratings, such as pairs of classes, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agreement.inference.jackknife import CORRECTED, Deletions
from agreement.statistics.correlation import FORMULAS, Correlation, why_undefined
from agreement.statistics.units import Units
from agreement.study.outcome import Used, interval, outcome


@dataclass(frozen=True)
class Across:
    """A correlation over ``n`` units; None has a ``reason``.

    Attributes:
        low, high: 95 % interval by the jackknife over the units; None with the value, or where `method` says why.
        method: in words, how both were made.
    """

    value: float | None
    reason: str | None
    low: float | None
    high: float | None
    n: int
    method: str


def across(
    statistic: Correlation, x: Sequence[float], y: Sequence[float], names: tuple[str, str], unit: str = "unit"
) -> Across:
    """A correlation of two vectors of finite numbers. Units count as independent of each other.

    ``names`` are those of x and y in a reason, ``unit`` what there are many of.
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    n = int(a.size)
    if n < 2:
        return Across(None, why_undefined(a, b, names), None, None, n, "")
    values = FORMULAS[statistic](a, b, Units.single(n), Deletions(wanted=True).weights(n))
    made = outcome(values, why_undefined(a, b, names), Used(n, n, n), "")
    bounds, method = interval(made, CORRECTED, many=f"{unit}s")
    return Across(made.value, made.reason, bounds.low, bounds.high, n, method)
