"""Estimates with their 95 % interval: one number, what it rests on, how it was made.

A share of yes and no clustered by prompt, and a correlation of two numbers across units that are no ratings (such as pairs
of classes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.estimate import Estimate
from agreement.inference.intervals import CORRECTED, SHARE, Deletions, ValueRange
from agreement.numeric import IntArray, share_of
from agreement.reasons import NO_METHOD, Method, Name, Reason
from agreement.statistics.correlation import FORMULAS, Correlation, Units, why_undefined
from agreement.study.cells import Options, Outcome, Used, interval, outcome


@dataclass(frozen=True)
class UnitCorrelation:
    """A correlation over ``n`` units; None has a ``reason``.

    Attributes:
        low, high: 95 % interval by the jackknife over the units; None with the value, or where `method` says why.
        method: how both were made.
    """

    value: float | None
    reason: Reason | None
    low: float | None
    high: float | None
    n: int
    method: Method


def correlate_units(
    statistic: Correlation, x: Sequence[float], y: Sequence[float], names: tuple[Name, Name], unit: str = "unit"
) -> UnitCorrelation:
    """A correlation of two vectors of finite numbers. Units count as independent of each other.

    ``names`` are those of x and y in a reason, ``unit`` what there are many of.
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    n = int(a.size)
    if n < 2:
        return UnitCorrelation(None, why_undefined(a, b, names), None, None, n, NO_METHOD)
    values = FORMULAS[statistic](a, b, Units.single(n), Deletions(wanted=True).weights(n))
    made = outcome(values, why_undefined(a, b, names), Used(n, n, n), None)
    bounds, method = interval(made, CORRECTED, many=f"{unit}s")
    return UnitCorrelation(made.value, made.reason, bounds.low, bounds.high, n, method)


def with_interval(made: Outcome, kind: ValueRange, *, by_prompt: bool = True) -> Estimate:
    """Return an outcome with its interval; whoever asks knows what it is of."""
    bounds, method = interval(made, kind, by_prompt=by_prompt)
    used = made.used
    return Estimate(
        value=made.value,
        low=bounds.low,
        high=bounds.high,
        n_items=used.items,
        n_ratings=used.ratings,
        n_prompts=used.clusters,
        excluded=dict(used.excluded),
        reason=made.reason,
        method=method,
    )


@dataclass(frozen=True)
class Clusters:
    """The prompts of votes as codes; a pair whose prompt is not known stands for itself. ``pairs``: how many different ones."""

    codes: IntArray
    size: int
    known: bool
    pairs: int

    @classmethod
    def of(cls, prompts: Sequence[str | None], pairs: Sequence[str]) -> Clusters:
        """By prompt, else by pair."""
        names = [("prompt", p) if p is not None else ("pair", pair) for p, pair in zip(prompts, pairs, strict=True)]
        index = {name: n for n, name in enumerate(sorted(set(names)))}
        codes = np.array([index[name] for name in names], np.int64)
        return cls(codes, len(index), all(p is not None for p in prompts), len(set(pairs)))


def share_estimate(
    yes: Sequence[bool],
    clusters: Clusters,
    options: Options,
    how: Method,
    reason: Reason,
    excluded: Mapping[str, int] | None = None,
) -> Estimate:
    """The share of yes, 0 to 1, in votes of these clusters; ``reason`` says why there is none."""
    weights = Deletions(options.intervals).weights(clusters.size)
    share = share_of(np.array(yes, float), np.ones(len(yes)), clusters.codes, weights)
    used = Used(clusters.pairs, len(yes), clusters.size, excluded or {})
    return with_interval(outcome(share, reason, used, how), SHARE, by_prompt=clusters.known)
