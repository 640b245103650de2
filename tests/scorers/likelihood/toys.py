"""Denoisers whose answers are known in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from PIL import Image

from scorers.models.diffusion import EncodedCaptions, Prediction, alphas_of, spaced_steps


class LinearGaussian:
    """Images are N(mean of the caption, spread²) in each of D numbers: what the best model says of x_t is then linear in it.

    E[x_0 | x_t, c] = m + s² sqrt(a) / (s² a + 1 - a) (x_t - sqrt(a) m). A caption is its mean, as text.
    """

    def __init__(self, spread: float, prediction: Prediction = "epsilon", size: int = 3) -> None:
        from diffusers import DDPMScheduler

        self.prediction: Prediction = prediction
        self.spread, self.size = spread, size
        self.scheduler = DDPMScheduler(beta_schedule="squaredcos_cap_v2")
        self.alphas = alphas_of(self.scheduler)
        self.device = "cpu"
        self.limit = 8
        self.rows: list[int] = []

    def steps(self, n: int) -> Sequence[float]:
        return [1000.0 * (n - k) / n for k in range(n)] if self.prediction == "flow" else spaced_steps(self.scheduler, n)

    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """An image is the grey of its pixels, -1 to 1."""
        return torch.stack([torch.full((self.size,), np.asarray(image)[0, 0, 0] / 127.5 - 1.0) for image in images])

    def read(self, captions: Sequence[str]) -> EncodedCaptions:
        return EncodedCaptions({"mean": torch.tensor([float(caption) for caption in captions])})

    def tokens(self, caption: str) -> int:
        return len(caption)

    def predict(self, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> torch.Tensor:
        self.rows.append(len(noisy))
        mean = captions.parts["mean"][:, None].double()
        x = noisy.double()
        if self.prediction == "flow":
            sigma = (steps.double() / 1000.0)[:, None]
            share, rest = 1.0 - sigma, sigma
        else:
            left = torch.from_numpy(self.alphas)[steps][:, None]
            share, rest = left.sqrt(), (1.0 - left).sqrt()
        pull = self.spread**2 * share / (self.spread**2 * share**2 + rest**2)
        image = mean + pull * (x - share * mean)
        noise = (x - share * image) / rest
        said = {
            "epsilon": noise,
            "v_prediction": share * noise - rest * image,
            "sample": image,
            "flow": noise - image,
        }[self.prediction]
        return said.float()

    def log_likelihood(self, image: torch.Tensor, caption: float) -> float:
        """log N(image; caption, spread²), in closed form."""
        result: float = torch.distributions.Normal(caption, self.spread).log_prob(image.double()).sum().item()
        return result


def naive_reverse(
    toy: LinearGaussian, steps: Sequence[int], image: torch.Tensor, captions: Sequence[str], seeds: Sequence[int]
) -> np.ndarray:
    """Algorithm 1 as three loops, one row at a time, with diffusers' scheduler making the step."""
    from diffusers import DDPMScheduler

    result = np.zeros((len(seeds), len(captions), len(steps)))
    scheduler = DDPMScheduler.from_config(
        toy.scheduler.config, prediction_type=toy.prediction, clip_sample=False, variance_type="fixed_small"
    )
    scheduler.set_timesteps(timesteps=list(steps))
    for n, seed in enumerate(seeds):
        for c, caption in enumerate(captions):
            chance = torch.Generator().manual_seed(seed)
            noise = torch.randn(tuple(image.shape), generator=chance)
            a = toy.alphas[steps[0]]
            noisy = (a**0.5 * image + (1 - a) ** 0.5 * noise)[None]
            for k, step in enumerate(steps):
                before = toy.alphas[steps[k + 1]] if k + 1 < len(steps) else 1.0
                predict = toy.predict(noisy, torch.tensor([step]), toy.read([caption]))
                # without its own noise diffusers' step is the posterior's mean
                mean = _mean_of_step(scheduler, predict, step, noisy)
                target = before**0.5 * image + (1 - before) ** 0.5 * noise
                result[n, c, k] = ((target - mean[0]).double() ** 2).sum().item()
                if k + 1 < len(steps):
                    spread = scheduler._get_variance(step) ** 0.5
                    noisy = mean + spread * torch.randn(tuple(image.shape), generator=chance)[None]
    return result


def _mean_of_step(scheduler: object, told: torch.Tensor, step: int, noisy: torch.Tensor) -> torch.Tensor:
    from unittest.mock import patch

    with patch("diffusers.schedulers.scheduling_ddpm.randn_tensor", lambda shape, **_: torch.zeros(shape)):
        stepped: torch.Tensor = scheduler.step(told, step, noisy).prev_sample  # type: ignore[attr-defined]
    return stepped
