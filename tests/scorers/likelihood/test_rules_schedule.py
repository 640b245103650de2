"""The Gaussians of a step, against diffusers' own."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
import torch
from diffusers import DDPMScheduler

from scorers.likelihood.perceiver import denoised
from scorers.likelihood.rules import Schedule
from scorers.models.diffusion import alphas_of, spaced_steps
from tests.scorers.likelihood.toys import LinearGaussian

CURVES = ("squaredcos_cap_v2", "scaled_linear", "linear")


@pytest.mark.parametrize("n", [1000, 100, 50])
@pytest.mark.parametrize("prediction", ["epsilon", "v_prediction"])
@pytest.mark.parametrize("curve", CURVES)
def test_mean_and_variance_are_those_of_diffusers_step(n: int, prediction: str, curve: str) -> None:
    scheduler = DDPMScheduler(
        beta_schedule=curve, beta_start=0.00085, beta_end=0.012, prediction_type=prediction, clip_sample=False
    )
    scheduler.set_timesteps(n)
    schedule = Schedule.of(alphas_of(scheduler), spaced_steps(scheduler, n))
    assert schedule.steps.tolist() == scheduler.timesteps.tolist()
    toy = LinearGaussian(0.5, prediction)  # type: ignore[arg-type]
    chance = torch.Generator().manual_seed(1)
    noisy, told = torch.randn(2, 3, generator=chance), torch.randn(2, 3, generator=chance)
    for k in [*range(0, n, max(1, n // 7)), n - 2, n - 1]:
        step, left = int(schedule.steps[k]), float(schedule.left[k])
        ours = schedule.image_coefficient[k] * denoised(toy, told, noisy, left) + schedule.noisy_coefficient[k] * noisy
        with patch("diffusers.schedulers.scheduling_ddpm.randn_tensor", lambda shape, **_: torch.zeros(shape)):
            theirs = scheduler.step(told, step, noisy).prev_sample
        # the image that a model sees in pure noise is huge: its own size is what 1e-4 is of
        assert torch.allclose(ours.float(), theirs, rtol=1e-4, atol=1e-4), (k, ours, theirs)
        variance = float(scheduler._get_variance(step))
        assert schedule.small[k] == pytest.approx(variance, abs=1e-4, rel=1e-3 if k + 1 < n else None)


def test_the_last_steps_variance_is_not_zero() -> None:
    schedule = Schedule.of(np.linspace(0.99, 0.01, 100), [90, 50, 10])
    assert schedule.small[-1] == 0.0
    small, large = schedule.small, schedule.large
    assert schedule.variances("previous").tolist() == [*small[:2], small[1]]
    assert schedule.variances("large").tolist() == [*small[:2], large[2]]
    dropped = schedule.variances("drop")
    assert dropped[:2].tolist() == small[:2].tolist()
    assert np.isnan(dropped[2])
    with pytest.raises(ValueError, match="previous, large, drop"):
        schedule.variances("none")  # type: ignore[arg-type]


def test_a_single_step_has_the_forward_variance() -> None:
    schedule = Schedule.of([0.9, 0.5], [1])
    assert schedule.variances("previous").tolist() == pytest.approx([0.5])


@pytest.mark.parametrize("steps", [[], [1, 2], [3, 3], [10], [2, -1]])
def test_steps_must_descend_within_the_schedule(steps: list[int]) -> None:
    with pytest.raises(ValueError, match="descend"):
        Schedule.of([0.9, 0.8, 0.7, 0.6], steps)


def test_all_steps_of_a_schedule_with_an_offset_stay_within_it() -> None:
    scheduler = DDPMScheduler(steps_offset=1)
    assert spaced_steps(scheduler, 1000) == list(range(999, -1, -1))
    assert spaced_steps(scheduler, 4) == [751, 501, 251, 1]
    for n in (0, 1001):
        with pytest.raises(ValueError, match="between 1 and"):
            spaced_steps(scheduler, n)
