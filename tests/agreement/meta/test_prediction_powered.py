"""Prediction-powered estimates equal ppi-python's numbers, and a jackknife that makes everything anew."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement.inference.intervals import SHARE, ValueRange
from agreement.meta.labelled_sample import LabelledSample, Target, deviations
from agreement.meta.prediction_powered import PoweredEstimate, difference, estimate
from concord.common.reason_sentences import text
from tests.agreement.meta import ppi_python

FROZEN = json.loads(Path(__file__).with_name("ppi_python.json").read_text(encoding="utf-8"))["numbers"]
NUMBER = ValueRange(unit=0.0)
"""No end clips what ppi-python does not clip."""


def sample_of(prompt: Any, label: Any, verdict: Any, target: Target = "prompts", **more: Any) -> LabelledSample:
    prompt, n = np.asarray(prompt), len(label)
    return LabelledSample(
        prompt, int(prompt.max()) + 1, np.asarray(label), np.asarray(verdict), np.arange(n), n, target, **more
    )


def error(made: PoweredEstimate) -> float:
    return math.sqrt(sum(deviations(made.parts).variances))


@pytest.mark.parametrize("number", FROZEN, ids=lambda number: f"{number['case']}-{number['lambda']}")
def test_equals_ppi_python_with_one_image_a_prompt(number: dict[str, Any]) -> None:
    label, verdict, others = ppi_python.case(number["case"])
    n, rest = label.size, others.size
    every = sample_of(np.arange(n + rest), np.r_[label, np.full(rest, np.nan)], np.r_[verdict, others])
    power = number["lambda"]
    made = estimate([every], NUMBER, power=power)
    assert made is not None
    assert made.value == pytest.approx(number["value"], abs=1e-9)
    # its variances divide by n; ours, of a sample, by n - 1
    imputed, rectified = power**2 * others.var() / rest, (label - power * verdict).var() / n
    assert (number["high"] - number["low"]) / 2 == pytest.approx(1.959963984540054 * math.sqrt(imputed + rectified), abs=1e-9)
    assert error(made) == pytest.approx(math.sqrt(imputed * rest / (rest - 1) + rectified * n / (n - 1)), abs=1e-9)


def ugly(seed: int) -> tuple[Any, Any, Any, Any, Any]:
    """Prompts with one to four images, some wholly labelled and some not at all, ties; and chances of being drawn."""
    rng = np.random.default_rng(seed)
    prompt = np.repeat(np.arange(15), rng.integers(1, 5, 15))
    truth = rng.integers(0, 4, prompt.size) / 3
    verdict = np.clip(np.round(truth + rng.normal(0, 0.4, prompt.size), 1), 0, 1)
    chance = np.clip(rng.random(prompt.size), 0.3, 0.9)
    labelled = rng.random(prompt.size) < chance
    labelled[:6] = True
    return prompt, np.where(labelled, truth, np.nan), verdict, chance, labelled


def by_hand(label: Any, verdict: Any, chance: Any, every: Any, labels: Any, weighted: bool, others: int | None = None) -> float:
    """The formula of the paper, of the units `every` of which `labels` have one."""
    y, f, w = label[labels], verdict[labels], 1 / chance[labels] if weighted else np.ones(labels.sum())
    mean = verdict[every].mean()
    n, size = labels.sum(), every.sum()
    n_others = size - n if others is None else others
    if weighted:
        v = w * (w - 1)
        covariance, variance = (v * (y - np.average(y, weights=w)) * (f - np.average(f, weights=w))).sum(), 0.0
        variance = (v * (f - np.average(f, weights=w)) ** 2).sum()
        slope = covariance / variance
    else:
        slope = np.cov(y, f)[0, 1] / np.var(verdict[every], ddof=1)
    slope = float(np.clip(slope, 0, size / n_others))
    return float(np.average(y - slope * f, weights=w) + slope * mean)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_prompts_are_left_out_of_both_samples(seed: int, weighted: bool) -> None:
    prompt, label, verdict, chance, labelled = ugly(seed)
    made = estimate([sample_of(prompt, label, verdict, probability=chance if weighted else None)], NUMBER)
    everything = np.ones(prompt.size, bool)
    assert made is not None
    assert made.value == pytest.approx(by_hand(label, verdict, chance, everything, labelled, weighted), abs=1e-9)
    strata: dict[bool, list[float]] = {True: [], False: []}
    for out in range(15):
        rest = prompt != out
        strata[bool(labelled[~rest].any())].append(by_hand(label, verdict, chance, rest, labelled & rest, weighted))
    if len(strata[False]) == 1:
        strata[True] += strata.pop(False)
    parts = [np.array(part) for part in strata.values() if part]
    variance = sum((p.size - 1) / p.size * ((p - p.mean()) ** 2).sum() for p in parts)
    assert error(made) == pytest.approx(math.sqrt(variance), abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_of_these_images_only_labels_are_by_chance(seed: int, weighted: bool) -> None:
    prompt, label, verdict, chance, labelled = ugly(seed)
    made = estimate([sample_of(prompt, label, verdict, "these", probability=chance if weighted else None)], NUMBER)
    everything, others = np.ones(prompt.size, bool), int((~labelled).sum())
    assert made is not None
    assert made.value == pytest.approx(by_hand(label, verdict, chance, everything, labelled, weighted), abs=1e-9)
    replicates = []
    for out in np.flatnonzero(labelled):
        rest = labelled.copy()
        rest[out] = False
        replicates.append(by_hand(label, verdict, chance, everything, rest, weighted, others))
    left = 1 - chance[labelled] if weighted else others / prompt.size
    n, squares = labelled.sum(), (np.array(replicates) - np.mean(replicates)) ** 2
    assert error(made) == pytest.approx(math.sqrt((n - 1) / n * (squares * left).sum()), abs=1e-9)


def test_a_difference_leaves_out_a_prompt_of_both_generators() -> None:
    rng = np.random.default_rng(3)
    prompt = np.repeat(np.arange(20), 2)
    label = rng.integers(0, 2, 40).astype(float)
    verdict = np.where(rng.random(40) < 0.3, 1 - label, label)
    label[rng.permutation(40)[:16]] = np.nan
    powered_estimate = estimate([sample_of(prompt, label, verdict)], NUMBER)
    # the same generator by another name differs from itself by nothing, whatever prompt is left out
    value, bounds = difference(powered_estimate, replace(powered_estimate), "prompts") if powered_estimate else (1.0, None)
    assert value == 0
    assert bounds is not None
    assert bounds.low is None


def test_strata_count_by_their_units() -> None:
    rng = np.random.default_rng(5)
    made = []
    for size, n in ((50, 20), (150, 30)):
        label = rng.integers(0, 2, size).astype(float)
        verdict = np.where(rng.random(size) < 0.25, 1 - label, label)
        label[n:] = np.nan
        made.append(sample_of(np.arange(size), label, verdict))
    shifted = [replace(s, prompt=s.prompt + 200 * k, prompts=400) for k, s in enumerate(made)]
    both, first, second = (estimate(s, NUMBER) for s in (shifted, shifted[:1], shifted[1:]))
    assert both
    assert first
    assert second
    assert both.value == pytest.approx(0.25 * first.value + 0.75 * second.value, abs=1e-12)
    assert error(both) == pytest.approx(math.hypot(0.25 * error(first), 0.75 * error(second)), abs=1e-12)


@pytest.mark.parametrize("target", ["prompts", "these"])
@pytest.mark.parametrize(
    "people",
    [lambda truth: truth, lambda truth: np.ones(truth.size), lambda truth: np.r_[0.0, np.ones(truth.size - 1)]],
    ids=["scorer is always right", "people always say yes", "one no"],
)
def test_what_hardly_varies_has_an_interval_with_room(target: Target, people: Callable[[Any], Any]) -> None:
    truth = np.tile([1.0, 1.0, 0.0], 40)
    label = people(truth).copy()
    label[30:] = np.nan
    made = estimate([sample_of(np.arange(120), label, truth, target)], SHARE)
    assert made is not None
    assert made.bounds.low is not None
    assert made.bounds.high is not None
    # with none of 30 otherwise, a tenth of the others may be
    assert 0.03 < made.bounds.high - made.bounds.low < 0.35
    assert 0 <= made.bounds.low <= made.value <= made.bounds.high <= 1


def test_an_adverse_or_constant_scorer_leaves_the_labels_alone() -> None:
    label = np.tile([1.0, 1.0, 0.0, 1.0], 30)
    for verdict in (1 - label, np.full(120, 0.4)):
        shown = np.where(np.arange(120) < 40, label, np.nan)
        made = estimate([sample_of(np.arange(120), shown, verdict)], SHARE)
        assert made is not None
        assert (made.value, made.power) == (made.alone, 0.0)
        assert made.bounds.low == pytest.approx(made.alone_bounds.low)
        assert made.saved == pytest.approx(0.0, abs=1e-6)


def test_labels_saved_are_those_that_would_make_labels_alone_as_sure() -> None:
    """Widths of intervals fall as the root of the labels, but for those of these images, of which there are only so many."""
    rng = np.random.default_rng(4)
    label = rng.integers(0, 2, 200).astype(float)
    verdict = np.where(rng.random(200) < 0.1, 1 - label, label)
    label[60:] = np.nan
    made = estimate([sample_of(np.arange(200), label, verdict)], NUMBER)
    assert made is not None
    assert made.bounds.low is not None and made.bounds.high is not None  # noqa: PT018
    assert made.alone_bounds.low is not None and made.alone_bounds.high is not None  # noqa: PT018
    wider = (made.alone_bounds.high - made.alone_bounds.low) / (made.bounds.high - made.bounds.low)
    assert wider > 1.2
    assert made.saved == pytest.approx(60 * wider**2 - 60)


def test_all_are_labelled_and_too_few() -> None:
    label = np.tile([1.0, 0.0, 1.0], 4)
    these = estimate([sample_of(np.arange(12), label, label, "these")], SHARE)
    assert these is not None
    assert these.bounds.low is None
    assert "every image" in text(these.bounds.reason)
    prompts = estimate([sample_of(np.arange(12), label, label)], SHARE)
    assert prompts is not None
    assert prompts.bounds == prompts.alone_bounds
    assert estimate([sample_of(np.arange(12), np.where(np.arange(12) < 3, label, np.nan), label)], SHARE) is None


def test_whole_prompts_are_left_out_where_they_were_drawn() -> None:
    rng = np.random.default_rng(9)
    prompt = np.repeat(np.arange(40), 4)
    label = np.repeat(rng.integers(0, 2, 40), 4).astype(float)
    label[prompt >= 10] = np.nan
    verdict = rng.random(160)
    by_image = estimate([sample_of(prompt, label, verdict, "these")], NUMBER)
    by_prompt = estimate([sample_of(prompt, label, verdict, "these", whole_prompts=True)], NUMBER)
    assert by_image
    assert by_prompt
    # four equal labels of a prompt tell no more than one
    assert error(by_prompt) > 1.8 * error(by_image)


def test_scores_that_are_equal_but_for_rounding_have_no_lambda() -> None:
    """A scorer of single precision that says 0.3 of every image: its noise explains nothing, however well it happens to fit."""
    rng = np.random.default_rng(1)
    label = np.where(np.arange(80) < 40, rng.random(80), np.nan)
    noise = np.where(np.isnan(label), 0.0, np.nan_to_num(label) - 0.5) * 1e-7
    made = estimate([sample_of(np.arange(80), label, 0.3 + noise)], NUMBER, on_scale=False)
    assert made is not None
    assert made.power is None
    assert (made.value, made.bounds) == (made.alone, made.alone_bounds)
    # the same scores, a million times as far apart
    varied = estimate([sample_of(np.arange(80), label, 0.3 + 1e6 * noise)], NUMBER, on_scale=False)
    assert varied is not None
    assert (varied.power or 0) > 0
