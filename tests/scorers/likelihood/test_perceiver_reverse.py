"""SelfEval's Algorithm 1 against three naive loops and against a likelihood that is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scorers.likelihood import rules
from scorers.likelihood.perceiver import CaptionedImage, reverse_terms
from scorers.likelihood.rules import LastStep, Schedule
from tests.scorers.likelihood.toys import LinearGaussian, naive_reverse

CAPTIONS = ("-0.9", "-0.3", "0.2", "0.8")


def _terms(toy: LinearGaussian, images: list[torch.Tensor], steps: int, trials: int, batch: int = 64) -> list[np.ndarray]:
    schedule = Schedule.of(toy.alphas, [int(step) for step in toy.steps(steps)])
    places = tuple(range(len(CAPTIONS)))
    cases = [CaptionedImage(image, places, tuple(range(10 * k, 10 * k + trials))) for k, image in enumerate(images)]
    results: list[np.ndarray] = reverse_terms(toy, schedule, toy.read(CAPTIONS), cases, batch)
    return results


@pytest.mark.parametrize("prediction", ["epsilon", "v_prediction"])
def test_the_terms_are_those_of_three_naive_loops(prediction: str) -> None:
    toy = LinearGaussian(0.3, prediction)  # type: ignore[arg-type]
    images = [torch.tensor([0.1, 0.3, -0.2]), torch.tensor([-1.0, -0.7, -0.8])]
    results = _terms(toy, images, 20, 3)
    steps = [int(step) for step in toy.steps(20)]
    for k, (image, terms) in enumerate(zip(images, results, strict=True)):
        naive = naive_reverse(toy, steps, image, CAPTIONS, range(10 * k, 10 * k + 3))
        assert terms.shape == (3, 4, 20)
        assert terms == pytest.approx(naive, rel=1e-3, abs=1e-6)


def test_batches_change_nothing_and_a_trials_captions_stay_together() -> None:
    toy = LinearGaussian(0.3)
    images = [torch.tensor([0.1, 0.3, -0.2]), torch.tensor([-1.0, -0.7, -0.8])]
    whole = _terms(toy, images, 5, 3)
    for batch, rows in ((1, {4}), (8, {8}), (10, {8}), (24, {24})):
        toy.rows.clear()
        for term, same in zip(_terms(toy, images, 5, 3, batch), whole, strict=True):
            assert term == pytest.approx(same, rel=1e-5)
        assert set(toy.rows) == rows


@pytest.mark.parametrize("last", ["previous", "large", "drop"])
@pytest.mark.parametrize("aggregate", ["jensen", "lse"])
@pytest.mark.parametrize("prediction", ["epsilon", "v_prediction"])
def test_captions_rank_as_by_the_closed_form(last: LastStep, aggregate: str, prediction: str) -> None:
    toy = LinearGaussian(0.2, prediction, size=64)  # type: ignore[arg-type]
    schedule = Schedule.of(toy.alphas, [int(step) for step in toy.steps(50)])
    for grey in (-0.85, -0.2, 0.15, 0.75):
        image = torch.full((64,), grey) + 0.2 * torch.randn(64, generator=torch.Generator().manual_seed(7))
        (terms,) = _terms(toy, [image], 50, 8)
        result = rules.aggregated(rules.log_likelihoods(terms, schedule, 64, last), aggregate)
        exact = [toy.log_likelihood(image, float(caption)) for caption in CAPTIONS]
        assert np.argsort(result).tolist() == np.argsort(exact).tolist(), grey


def test_more_trials_begin_with_the_same_ones() -> None:
    toy = LinearGaussian(0.3)
    image = torch.tensor([0.1, 0.3, -0.2])
    assert _terms(toy, [image], 5, 5)[0][:3] == pytest.approx(_terms(toy, [image], 5, 3)[0], rel=1e-6)


def test_log_likelihoods_by_hand() -> None:
    schedule = Schedule.of([0.9, 0.5, 0.2], [2, 1, 0])
    terms = np.array([[[1.0, 2.0, 3.0]]], np.float32)
    small = schedule.small
    by_hand = sum(
        -0.5 * (distance / variance + 4 * np.log(2 * np.pi * variance))
        for distance, variance in zip((1.0, 2.0, 3.0), (small[0], small[1], small[1]), strict=True)
    )
    assert rules.log_likelihoods(terms, schedule, 4, "previous")[0, 0] == pytest.approx(by_hand)
    without = by_hand + 0.5 * (3.0 / small[1] + 4 * np.log(2 * np.pi * small[1]))
    assert rules.log_likelihoods(terms, schedule, 4, "drop")[0, 0] == pytest.approx(without)


def test_aggregates_by_hand() -> None:
    trials = np.array([[-1000.0, -1.0], [-1002.0, -1.0]])
    assert rules.aggregated(trials, "jensen").tolist() == [-1001.0, -1.0]
    lse = rules.aggregated(trials, "lse")
    assert lse[0] == pytest.approx(-1000.0 + np.log((1 + np.exp(-2)) / 2))
    assert lse[1] == pytest.approx(-1.0)
    with pytest.raises(ValueError, match="jensen, lse"):
        rules.aggregated(trials, "mean")


def test_a_flow_has_no_posterior() -> None:
    toy = LinearGaussian(0.3, "flow")
    with pytest.raises(ValueError, match="use flowloss"):
        reverse_terms(toy, Schedule.of([0.9, 0.5], [1, 0]), toy.read(["0"]), [CaptionedImage(torch.zeros(3), (0,), (1,))], 4)
