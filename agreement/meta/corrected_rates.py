"""Corrected rate: how often people would say yes, from how often a scorer does and how it errs (Rogan and Gladen 1978, American
Journal of Epidemiology 107; with judging models: Lee et al. 2025, arXiv 2511.21140).

    theta = (p + q0 - 1) / (q0 + q1 - 1),    q1 = P(scorer yes | people yes),    q0 = P(scorer no | people no),

p over all units, sensitivity q1 and specificity q0 over the labelled ones, where a share of people who say yes counts as such
a share of a yes. A scorer for which q0 + q1 - 1, Youden's index, may be nearly 0 knows too little to be corrected.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from agreement.inference.intervals import AREA, SHARE, Deletions, Deviations, Interval, interval
from agreement.meta.labelled_sample import LabelledSample, deviations
from agreement.numeric import FloatArray, IntArray, ratio, share_of
from agreement.reasons import Reason, ReasonCode
from agreement.study.cells import compact

LEAST_INFORMATIVE = 0.1
"""The lower limit of q0 + q1 - 1 must be higher."""


@dataclass(frozen=True)
class ConditionalShare:
    """Return how often a scorer says what people say, where they say it; None with the interval's reason."""

    value: float | None
    bounds: Interval


def pass_agreement(yes: FloatArray, verdict: FloatArray, prompt: IntArray) -> ConditionalShare:
    """Sensitivity, the agreement on passes; of 1 - `yes` and 1 - `verdict`: specificity, the agreement on fails.

    Args:
        yes: (units,) share of people who say yes, 0..1.
        verdict: (units,) 1 where the scorer says yes, else 0.
        prompt: (units,) codes.
    """
    counted = np.isfinite(yes) & np.isfinite(verdict) & (yes > 0)
    if not counted.any():
        return ConditionalShare(None, Interval(reason=Reason(ReasonCode.NO_SUCH_LABEL)))
    codes = compact(prompt[counted])
    weights = Deletions(wanted=True).weights(codes.size)
    values = share_of(yes[counted] * verdict[counted], yes[counted], codes.codes, weights)
    return ConditionalShare(float(values[0]), interval(float(values[0]), Deviations.of(values, codes.size), SHARE))


@dataclass(frozen=True)
class CorrectedRate:
    """The corrected rate, sensitivity and specificity; `value` is None where they do not allow it, and `reason` says why."""

    value: float | None
    bounds: Interval
    sensitivity: ConditionalShare
    specificity: ConditionalShare
    reason: Reason | None = None


def corrected_rate(sample: LabelledSample) -> CorrectedRate:
    """Of a sample whose labels and verdicts are yes and no."""
    yes, verdict, prompt = sample.label, sample.verdict, sample.prompt
    sensitivity, specificity = pass_agreement(yes, verdict, prompt), pass_agreement(1 - yes, 1 - verdict, prompt)
    reason = _refusal(sample, sensitivity, specificity)
    if reason is not None:
        return CorrectedRate(None, Interval(), sensitivity, specificity, reason)
    label, w = np.where(sample.labelled, yes, 0.0), sample.weight
    labelled, every = sample.sums(
        np.stack([w * label * verdict, w * label, w * (1 - label) * (1 - verdict), w * (1 - label)], axis=1),
        np.stack([verdict, np.ones(sample.size)], axis=1),
    )
    q1, q0 = ratio(labelled[:, 0], labelled[:, 1]), ratio(labelled[:, 2], labelled[:, 3])
    values = (ratio(every[:, 0], every[:, 1]) + q0 - 1) / (q0 + q1 - 1)
    value = min(max(float(values[0]), 0.0), 1.0)
    bounds = interval(value, deviations([sample.replicates(values, 1.0)]), AREA, sample.many)
    return CorrectedRate(value, bounds, sensitivity, specificity)


def _refusal(sample: LabelledSample, sensitivity: ConditionalShare, specificity: ConditionalShare) -> Reason | None:
    if sensitivity.value is None or specificity.value is None:
        return Reason(ReasonCode.NEVER_SAID_BY_PEOPLE, answer="yes" if sensitivity.value is None else "no")
    if sensitivity.bounds.low is None or specificity.bounds.low is None:
        return Reason(ReasonCode.TOO_FEW_LABELLED_PROMPTS)
    label = np.where(sample.labelled, sample.label, sample.verdict)
    if not (np.abs(label - sample.verdict) > 1e-9).any():
        return Reason(ReasonCode.NEVER_DIFFER)
    # the lower limit of a sum (MOVER: Zou and Donner 2008, Statistics in Medicine 27)
    down = math.hypot(sensitivity.value - sensitivity.bounds.low, specificity.value - specificity.bounds.low)
    low = sensitivity.value + specificity.value - 1 - down
    if low <= LEAST_INFORMATIVE:
        return Reason(ReasonCode.TELLS_TOO_LITTLE, youden=low)
    return None
