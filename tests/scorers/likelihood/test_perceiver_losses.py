"""The evidence bound's and a flow's terms, and which captions are given up."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scorers.likelihood import rules
from scorers.likelihood.perceiver import CaptionedImage, Noising, loss_terms
from scorers.likelihood.rules import Elimination, Schedule, seed_of
from scorers.models.diffusion import FLOW_TIMES, Prediction
from tests.scorers.likelihood.toys import LinearGaussian

CAPTIONS = ("-0.9", "0.2", "0.8")
ALL = Elimination()
IMAGE = torch.tensor([0.25, 0.1, 0.3, 0.2])


def _path(toy: LinearGaussian, n: int) -> Noising:
    steps = np.array(toy.steps(n), float)
    if toy.prediction == "flow":
        return Noising(steps, 1 - steps / FLOW_TIMES, steps / FLOW_TIMES)
    left = toy.alphas[steps.astype(int)]
    return Noising(steps, np.sqrt(left), np.sqrt(1 - left))


def _terms(toy: LinearGaussian, giving_up: Elimination = ALL, trials: int = 2, batch: int = 7) -> np.ndarray:
    case = CaptionedImage(IMAGE, (0, 1, 2), tuple(range(trials)))
    results: list[np.ndarray] = loss_terms(toy, _path(toy, 10), toy.read(CAPTIONS), [case], giving_up, batch)
    return results[0]


@pytest.mark.parametrize("prediction", ["epsilon", "v_prediction", "sample", "flow"])
def test_the_terms_are_those_of_three_naive_loops(prediction: Prediction) -> None:
    toy = LinearGaussian(0.3, prediction, size=4)
    path = _path(toy, 10)
    result = _terms(toy)
    assert result.shape == (2, 3, 10)
    for n in range(2):
        for k, step in enumerate(path.steps):
            noise = torch.randn(4, generator=torch.Generator().manual_seed(seed_of(n, k)))
            noisy = float(path.image[k]) * IMAGE + float(path.noise[k]) * noise
            for c, caption in enumerate(CAPTIONS):
                told = toy.predict(noisy[None], torch.tensor([int(step)]), toy.read([caption]))[0]
                if prediction == "flow":
                    error = told - (noise - IMAGE)
                else:
                    a, b = float(path.image[k]), float(path.noise[k])
                    image = {"epsilon": (noisy - b * told) / a, "v_prediction": a * noisy - b * told, "sample": told}[
                        prediction
                    ]
                    error = (noisy - a * image) / b - noise
                assert result[n, c, k] == pytest.approx(float((error.double() ** 2).sum()), rel=1e-3, abs=1e-6)


def test_batches_change_nothing() -> None:
    toy = LinearGaussian(0.3, size=4)
    whole = _terms(toy, batch=1000)
    for batch in (1, 5, 60):
        assert _terms(toy, batch=batch) == pytest.approx(whole, rel=1e-5)


def test_the_bound_is_the_divergence_of_two_gaussians() -> None:
    """What a squared error of the noise counts, against torch's KL divergence of q's step from the model's."""
    toy = LinearGaussian(0.3, size=4)
    steps = [int(step) for step in toy.steps(10)]
    schedule = Schedule.of(toy.alphas, steps)
    terms = _terms(toy, trials=1)
    weights = rules.step_weights(schedule, "bound", 4, "previous")
    for k, step in enumerate(steps[:-1]):
        noise = torch.randn(4, generator=torch.Generator().manual_seed(seed_of(0, k)))
        a, before = schedule.left[k], schedule.before[k]
        noisy = float(a**0.5) * IMAGE + float((1 - a) ** 0.5) * noise
        told = toy.predict(noisy[None], torch.tensor([step]), toy.read(["0.8"]))[0]
        image = (noisy - float((1 - a) ** 0.5) * told) / float(a**0.5)
        spread = torch.tensor(float(((1 - a / before) * (1 - before) / (1 - a)) ** 0.5))

        def mean(x0: torch.Tensor, noisy: torch.Tensor = noisy, a: float = a, s: float = before) -> torch.Tensor:
            return float(s**0.5 * (1 - a / s) / (1 - a)) * x0 + float((a / s) ** 0.5 * (1 - s) / (1 - a)) * noisy

        q, p = torch.distributions.Normal(mean(IMAGE), spread), torch.distributions.Normal(mean(image), spread)
        divergence = torch.distributions.kl_divergence(q, p).sum().item()
        assert terms[0, 2, k] * weights[k] / len(steps) == pytest.approx(divergence, rel=2e-3)


def test_the_fitting_caption_has_the_smallest_loss_whatever_the_weighting() -> None:
    toy = LinearGaussian(0.3, size=4)
    terms = _terms(toy, trials=4)
    schedule = Schedule.of(toy.alphas, [int(step) for step in toy.steps(10)])
    for weighting in rules.WEIGHTINGS:
        weights = rules.step_weights(schedule, weighting, 4, "previous")
        assert np.argmin(rules.mean_losses(terms, weights)) == 1
    with pytest.raises(ValueError, match="uniform, bound"):
        rules.step_weights(schedule, "ddpm", 4, "previous")


def test_mean_losses_of_captions_given_up_early_by_hand() -> None:
    nan = np.nan
    terms = np.array([[[4.0, 2.0, 6.0, 8.0], [5.0, nan, 9.0, nan], [nan, nan, nan, nan]]], np.float32)
    result = rules.mean_losses(terms, np.ones(4))
    assert result[:2].tolist() == pytest.approx([5.0, 5.0 + ((5 - 4) + (9 - 6)) / 2])
    assert np.isnan(result[2])
    # a step that is left out counts for none
    assert rules.mean_losses(terms, np.array([1.0, 1.0, nan, 1.0]))[:2].tolist() == pytest.approx([14 / 3, 14 / 3 + 1.0])
    assert np.isnan(rules.mean_losses(np.full((1, 2, 3), nan, np.float32), np.ones(3))).all()


def test_stages_keep_the_best_and_save_the_rest() -> None:
    toy = LinearGaussian(0.3, size=4)
    full = _terms(toy)
    result = _terms(toy, Elimination.read("4:2, 10:1", 0.0, 8))
    draws = np.isfinite(result).sum(axis=(0, 2)).tolist()
    assert draws == [4, 10, 10]
    known = np.isfinite(result)
    assert result[known] == pytest.approx(full[known], rel=1e-5)
    weights = np.ones(10)
    assert np.argmin(rules.mean_losses(result, weights)) == np.argmin(rules.mean_losses(full, weights)) == 1


def test_a_caption_that_is_surely_worse_is_given_up() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(10, 1)) * 50
    errors = noise + np.array([[0.0, 5.0, 0.3]]) + rng.normal(size=(10, 3))
    assert Elimination(p=0.001, every=5).left(errors, (0, 1, 2)) == (0, 2)
    # what all share does not count: unpaired, nothing could be told
    assert Elimination().left(errors, (0, 1, 2)) == (0, 1, 2)
    assert Elimination(p=0.001, every=5).left(errors[:2], (0, 1, 2)) == (0, 1, 2)
    same = np.ones((5, 2))
    assert Elimination(p=0.01, every=5).left(same, (0, 1)) == (0, 1)
    assert Elimination(p=0.01, every=5).left(same + np.array([0, 1]), (0, 1)) == (0,)


def test_stopping_early_saves_evaluations_and_keeps_the_choice() -> None:
    toy = LinearGaussian(0.1, size=4)
    result = _terms(toy, Elimination(p=0.01, every=4), trials=8)
    assert np.isfinite(result).sum() < result.size / 2
    assert np.argmin(rules.mean_losses(result, np.ones(10))) == 1


@pytest.mark.parametrize(
    ("stages", "p", "every", "told"),
    [
        ("10", 0.0, 8, "draws:captions"), ("10:2,5:1", 0.0, 8, "more draws"), ("5:1,10:2", 0.0, 8, "more draws"),
        ("0:1", 0.0, 8, "more draws"), ("5:0", 0.0, 8, "more draws"), ("", 0.5, 8, "below 0.5"), ("", -1.0, 8, "below 0.5"),
        ("", 0.01, 2, "at least 3"), ("x:y", 0.0, 8, "draws:captions"),
    ],
)  # fmt: skip
def test_senseless_stages_are_refused(stages: str, p: float, every: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Elimination.read(stages, p, every)


def test_rounds_end_with_all_draws() -> None:
    assert list(Elimination().rounds(20)) == [20]
    assert list(Elimination.read("5:2,40:1", 0.0, 8).rounds(20)) == [5, 20]
    assert list(Elimination.read("5:2", 0.01, 8).rounds(20)) == [5, 8, 16, 20]
