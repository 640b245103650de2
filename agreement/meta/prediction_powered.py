"""Prediction-powered estimate: a mean by people's standard, from few labels and a scorer's verdicts of all units.

With Y people's mean of the n labelled units, F the scorer's verdict of these and of N others (PPI++: Angelopoulos, Duchi and
Zrnic 2023, arXiv 2311.01453; by task: Fisch et al. 2024, arXiv 2406.04291),

    theta = mean_n(Y) + lambda (mean_N(F) - mean_n(F)),    lambda = Cov_n(Y, F) / ((1 + n / N) Var(F)),

Var(F) over all n + N, lambda within [0, 1] where F is on people's scale, else 0 or more. Labels drawn with unequal chances
pi count 1 / pi times (Zrnic and Candes 2024, arXiv 2403.03208), mean_N(F) - mean_n(F) is written as (1 + n / N) times
mean_all(F) - mean_n(F), and lambda is what makes the estimate vary least. A scorer that knows nothing has a lambda of nearly
0, which leaves the labels alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.inference.intervals import (
    AREA,
    CONTRAST,
    Interval,
    ValueRange,
    interval,
    nearly_all_alike,
    quantile,
    wilson,
)
from agreement.meta.labelled_sample import LabelledSample, Replicates, deviations
from agreement.numeric import FloatArray, ratio
from agreement.reasons import Method, MethodCode, ReasonCode

FEWEST = 4
"""Labels of a stratum below which nothing is estimated."""
_FEW = 5
"""With fewer labels (and fewer than a third) that differ from the verdict, their spread does not show how much others would."""
_ROUNDING = 1e-9
_SINGLE = 1e-6
"""Scores are often made in single precision, which has seven digits."""


@dataclass(frozen=True)
class PoweredEstimate:
    """A mean by people's standard, 0..1 where people's scale is.

    Attributes:
        bounds: 95 % interval.
        alone: the mean of the labels alone, and `alone_bounds` its interval.
        scorer: the scorer's own mean of all units.
        power: lambda, the mean over strata; 0 where labels alone are used; None where the scorer has no variance to use.
        n, others: units with and without a label.
        saved: labels alone that would have an interval as narrow, less those there are; None without intervals.
        parts: how it varies, by stratum.
        jackknifed: whether these make its interval; otherwise they show too little.
    """

    value: float
    bounds: Interval
    alone: float
    alone_bounds: Interval
    scorer: float
    power: float | None
    n: int
    others: int
    saved: float | None
    parts: tuple[Replicates, ...]
    jackknifed: bool = True


def estimate(
    strata: Sequence[LabelledSample], kind: ValueRange, *, on_scale: bool = True, power: float | None = None
) -> PoweredEstimate | None:
    """The mean of the strata, weighted by their units; None where one has fewer than FEWEST labels.

    Args:
        strata: samples of one target.
        kind: what people's mean can be.
        on_scale: whether the verdicts are on people's scale.
        power: lambda; None: the best one of each stratum.
    """
    if not strata or any(sample.n < FEWEST for sample in strata):
        return None
    first, n, size = strata[0], sum(sample.n for sample in strata), sum(sample.size for sample in strata)
    shares = [sample.size / size for sample in strata]
    made = [_means(sample, on_scale, power) for sample in strata]
    labels = tuple(s.replicates(m.alone, share, labels_alone=True) for s, m, share in zip(strata, made, shares, strict=True))
    alone = math.fsum(part.value for part in labels)
    scorer = math.fsum(share * float(sample.verdict.mean()) for sample, share in zip(strata, shares, strict=True))

    def result(
        value: float, bounds: Interval, power: float | None, parts: tuple[Replicates, ...], jackknifed: bool = True
    ) -> PoweredEstimate:
        saved = _saved(bounds, labels_bounds, n, size, endless=first.target == "prompts")
        return PoweredEstimate(value, bounds, alone, labels_bounds, scorer, power, n, size - n, saved, parts, jackknifed)

    if size == n and first.target == "these":
        labels_bounds = Interval.none(ReasonCode.EVERY_IMAGE_LABELLED)
        return result(alone, labels_bounds, 0.0, labels)
    labels_bounds, alike = _labels_interval(alone, labels, kind, first.many)
    if alike or size == n:
        # labels that hardly differ do not show how the scorer goes with them
        return result(alone, labels_bounds, 0.0, labels, not alike)
    if not on_scale and all(_only_rounding(sample.verdict) for sample in strata):
        return result(alone, labels_bounds, None, labels)
    parts = tuple(s.replicates(m.value, share) for s, m, share in zip(strata, made, shares, strict=True))
    if kind.counted and on_scale and power is None and (rare := _rare_errors(strata, shares)) is not None:
        value, bounds = rare
        if not _narrower(bounds, labels_bounds):
            return result(alone, labels_bounds, 0.0, labels)
        return result(min(max(value, kind.low), kind.high), bounds, 1.0, parts, False)
    value = min(max(math.fsum(part.value for part in parts), kind.low), kind.high)
    bounds = interval(value, deviations(parts), AREA if kind.counted else kind, first.many)
    return result(value, bounds, math.fsum(share * m.power for share, m in zip(shares, made, strict=True)), parts)


def difference(a: PoweredEstimate, b: PoweredEstimate, many: str) -> tuple[float, Interval]:
    """The first less the second, over the same strata; prompts that both have are left out of both at once.

    ``many``: what was left out: ``prompts``, which both may have, or ``labels``, which are one's or the other's.
    """
    value = a.value - b.value
    if not (a.jackknifed and b.jackknifed):
        return value, _apart(value, a, b)
    if many == "prompts":
        pairs = list(zip(a.parts, b.parts, strict=True))
        parts = [x - y for x, y in pairs]
        # no surer than the one with fewer labelled prompts
        freedom = sum(min(x.n_drawn, y.n_drawn) - 1 for x, y in pairs)
        return value, interval(value, replace(deviations(parts), most_freedom=max(freedom, 1)), CONTRAST, many)
    return value, interval(value, deviations([*a.parts, *(-part for part in b.parts)]), CONTRAST, many)


def _apart(value: float, a: PoweredEstimate, b: PoweredEstimate) -> Interval:
    """From the intervals of both, as of samples that have nothing in common (MOVER)."""
    if a.bounds.low is None or a.bounds.high is None or b.bounds.low is None or b.bounds.high is None:
        return Interval.none(ReasonCode.ONE_OF_TWO_HAS_NONE)
    down = math.hypot(a.value - a.bounds.low, b.bounds.high - b.value)
    up = math.hypot(a.bounds.high - a.value, b.value - b.bounds.low)
    return Interval(value - down, value + up, Method(MethodCode.FROM_BOTH_INTERVALS))


@dataclass(frozen=True)
class _Means:
    """(1 + groups,): the estimate, and the labels' mean; lambda of the whole sample."""

    value: FloatArray
    alone: FloatArray
    power: float


def _means(sample: LabelledSample, on_scale: bool, power: float | None) -> _Means:
    counted, w = sample.labelled.astype(float), sample.weight
    label = np.where(sample.labelled, sample.label, 0.0)
    # about the mean, so that sums of squares do not cancel
    center = float(w @ label / w.sum())
    y, f = label - center, sample.verdict - sample.verdict.mean()
    # what a unit adds to the variance that comes of drawing labels; the same for all where chances are
    v = counted if sample.probability is None else w * (w - 1)
    labelled, every = sample.sums(
        np.stack([counted, w, w * y, w * f, v, v * y, v * f, v * y * f, v * f * f], axis=1),
        np.stack([np.ones(sample.size), f, f * f], axis=1),
    )
    n, w, wy, wf, v, vy, vf, vyf, vff = labelled.T
    size, total, square = every.T
    mean_y, mean_f, mean_all = ratio(wy, w), ratio(wf, w), ratio(total, size)
    others = size - n if sample.target == "prompts" else np.full(n.size, size[0] - n[0])
    if power is not None:
        slope = power * ratio(size, others)
    else:
        covariance = vyf - mean_y * vf - mean_f * vy + mean_y * mean_f * v
        if sample.probability is None:
            slope = ratio(covariance, n - 1) * ratio(size - 1, square - total * mean_all)
        else:
            slope = ratio(covariance, vff - 2 * mean_f * vf + mean_f**2 * v)
        slope = np.clip(np.nan_to_num(slope), 0.0, ratio(size, others) if on_scale else math.inf)
    value = mean_y + slope * (mean_all - mean_f)
    return _Means(center + value, center + mean_y, float(slope[0] * others[0] / size[0]))


def _labels_interval(value: float, parts: Sequence[Replicates], kind: ValueRange, many: str) -> tuple[Interval, bool]:
    """The interval of labels alone, and whether they are all, or nearly all, alike."""
    endless = deviations([replace(part, left=np.ones(part.left.size)) for part in parts])
    same = math.sqrt(sum(endless.variances)) <= _ROUNDING * max(kind.unit, abs(value))
    if not kind.counted or not (same or nearly_all_alike(value, endless)):
        return interval(value, deviations(parts), kind, many), same
    left = float(np.mean(np.concatenate([part.left[part.drawn] for part in parts])))
    low, high = wilson(value, endless.alike / left)
    return Interval(low, high, Method(MethodCode.WILSON_NEARLY_ALIKE, n=endless.prompts, clusters=many)), True


def _rare_errors(strata: Sequence[LabelledSample], shares: Sequence[float]) -> tuple[float, Interval] | None:
    """The estimate with lambda 1, where too few labels differ from the verdict for a jackknife; else None.

    It is the scorer's mean, plus the share of labels that are higher, less the share that are lower: three intervals, the
    shares' by Wilson, that are added by squares (MOVER: Zou and Donner 2008, Statistics in Medicine 27).
    """
    gap = np.concatenate([(s.label - s.verdict)[s.labelled] for s in strata])
    weight = np.concatenate([s.weight[s.labelled] for s in strata])
    groups = [s.group[s.labelled] for s in strata]
    n = sum(np.unique(each).size for each in groups)
    errors = sum(
        np.unique(each[np.abs((s.label - s.verdict)[s.labelled]) > _ROUNDING]).size
        for each, s in zip(groups, strata, strict=True)
    )
    if errors >= min(_FEW, n / 3):
        return None
    # Kish's effective number, and of these units the share that is left to err
    effective = n * float(weight.sum() ** 2 / (weight @ weight)) / weight.size
    if strata[0].target == "these":
        effective /= 1 - gap.size / sum(s.size for s in strata)
    means = [s.replicates(s.mean_verdict(), share) for s, share in zip(strata, shares, strict=True)]
    spread = 0.0
    if strata[0].target == "prompts":
        varies = deviations(means)
        spread = (quantile(0.975, varies.freedom) ** 2) * sum(varies.variances)
    higher, lower = (float(weight @ np.maximum(sign * gap, 0.0) / weight.sum()) for sign in (1, -1))
    higher_low, higher_high = wilson(higher, effective)
    lower_low, lower_high = wilson(lower, effective)
    value = math.fsum(part.value for part in means) + higher - lower
    down = math.sqrt(spread + (higher - higher_low) ** 2 + (lower_high - lower) ** 2)
    up = math.sqrt(spread + (higher_high - higher) ** 2 + (lower - lower_low) ** 2)
    method = Method(MethodCode.WILSON_OF_ERRORS, errors=errors, n=n, clusters=strata[0].many)
    return value, Interval(max(value - down, 0.0), min(value + up, 1.0), method)


def _only_rounding(verdict: FloatArray) -> bool:
    """Return True if scores differ by no more than rounding to single precision makes equal ones differ."""
    return float(np.ptp(verdict)) <= _SINGLE * float(np.abs(verdict).max(initial=0.0))


def _narrower(a: Interval, b: Interval) -> bool:
    return b.low is None or b.high is None or (a.high or 0.0) - (a.low or 0.0) < b.high - b.low


def _saved(bounds: Interval, labels: Interval, n: int, size: int, *, endless: bool) -> float | None:
    """Labels alone have a variance of 1 / n; of a population with an end it is 1 / n - 1 / size."""
    if bounds.low is None or bounds.high is None or labels.low is None or labels.high is None or labels.low == labels.high:
        return None
    gain = ((bounds.high - bounds.low) / (labels.high - labels.low)) ** 2
    if not gain:
        return None
    return n / gain - n if endless else 1 / (gain * (1 / n - 1 / size) + 1 / size) - n
