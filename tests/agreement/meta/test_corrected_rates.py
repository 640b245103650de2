"""Corrected rates equal Rogan and Gladen's formula made anew without each prompt; what does not allow them is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from agreement.meta.corrected_rates import corrected_rate, pass_agreement
from agreement.meta.labelled_sample import LabelledSample
from concord.common.reason_sentences import text
from tests.agreement.meta.test_prediction_powered import sample_of


def study(seed: int, error: float = 0.1) -> tuple[LabelledSample, Any]:
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(60), rng.integers(1, 4, 60))
    # several people: two thirds of them may say yes
    label = rng.choice([0.0, 1 / 3, 2 / 3, 1.0], prompt.size, p=[0.3, 0.1, 0.1, 0.5])
    verdict = np.where(rng.random(prompt.size) < error, label < 0.5, label >= 0.5).astype(float)
    label[rng.random(prompt.size) < 0.5] = np.nan
    return sample_of(prompt, label, verdict), prompt


def by_hand(sample: LabelledSample, rest: Any) -> float:
    labelled = sample.labelled & rest
    y, f = sample.label[labelled], sample.verdict[labelled]
    q1, q0 = (y * f).sum() / y.sum(), ((1 - y) * (1 - f)).sum() / (1 - y).sum()
    return float((sample.verdict[rest].mean() + q0 - 1) / (q0 + q1 - 1))


@pytest.mark.parametrize("seed", range(5))
def test_equals_the_formula_without_each_prompt(seed: int) -> None:
    sample, prompt = study(seed)
    made = corrected_rate(sample)
    assert made.reason is None
    assert made.value == pytest.approx(by_hand(sample, np.ones(prompt.size, bool)), abs=1e-9)
    labelled: dict[bool, list[float]] = {True: [], False: []}
    for out in range(60):
        labelled[bool(sample.labelled[prompt == out].any())].append(by_hand(sample, prompt != out))
    parts = [np.array(part) for part in labelled.values()]
    error = math.sqrt(sum((p.size - 1) / p.size * ((p - p.mean()) ** 2).sum() for p in parts))
    assert made.bounds.low is not None
    assert made.bounds.high is not None
    assert made.value is not None
    # on the logit scale the interval has the slope of the plain one
    logits = [math.log(v / (1 - v)) for v in (made.bounds.low, made.value, made.bounds.high)]
    assert logits[2] - logits[1] == pytest.approx(logits[1] - logits[0], abs=1e-9)
    step = (logits[1] - logits[0]) * made.value * (1 - made.value)
    assert 1.99 < step / error < 2.1


def test_where_all_are_labelled_it_is_peoples_own_rate() -> None:
    sample, _ = study(11)
    everything = sample_of(sample.prompt, np.where(sample.labelled, sample.label, 1.0), sample.verdict)
    assert corrected_rate(everything).value == pytest.approx(everything.label.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (lambda s: np.random.default_rng(1).integers(0, 2, s.size).astype(float), "tells too little"),
        (lambda s: 1 - s.verdict, "tells too little"),
        (lambda s: np.where(s.labelled, np.round(s.label), 1.0), "never differ"),
    ],
)
def test_a_scorer_that_tells_too_little_is_refused(verdict: Any, reason: str) -> None:
    sample, _ = study(2)
    label = np.where(sample.labelled, np.round(sample.label), np.nan)
    made = corrected_rate(sample_of(sample.prompt, label, verdict(sample)))
    assert made.value is None
    assert reason in text(made.reason)


def test_agreement_on_passes_has_the_exact_interval_where_it_is_whole() -> None:
    yes, verdict = np.array([1.0, 1, 1, 0, 0, np.nan]), np.array([1.0, 1, 1, 1, 0, 1])
    passes = pass_agreement(yes, verdict, np.arange(6))
    assert passes.value == 1
    assert passes.bounds.low == pytest.approx(0.025 ** (1 / 3))
    assert pass_agreement(1 - yes, 1 - verdict, np.arange(6)).value == 0.5
    assert pass_agreement(np.zeros(3), np.ones(3), np.arange(3)).value is None
