"""What every diffusion model is to a scorer: images and captions in, and what the model says of a noisy image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

Prediction = Literal["epsilon", "v_prediction", "sample", "flow"]
"""What a model says of x_t: the noise, v (Salimans and Ho, 2022), the image, or the flow's velocity (noise less image)."""
FLOW_TIMES: Final = 1000.0
"""What a flow's transformer is told is its time, 0 (the image) to 1 (noise), times this."""


@dataclass(frozen=True, slots=True)
class Read:
    """Captions as a model has read them; each tensor has a row for each."""

    parts: Mapping[str, torch.Tensor]

    def rows(self, which: torch.Tensor) -> Read:
        """Some of them, some perhaps repeatedly."""
        return Read({name: part[which] for name, part in self.parts.items()})


class Denoiser(Protocol):
    """A model in memory, without guidance.

    Attributes:
        prediction: what ``predict`` says.
        alphas: ``alphas_cumprod`` of the steps that it was trained on; empty for a flow.
        device: as torch names it.
        limit: how many of a caption's tokens it reads.
    """

    prediction: Prediction
    alphas: NDArray[np.float64]
    device: str
    limit: int

    def steps(self, n: int) -> Sequence[float]:
        """``n`` of the model's steps, descending, spaced as its own scheduler spaces them; of a flow its times, times
        ``FLOW_TIMES``.

        Raises:
            ValueError: it has not so many.
        """
        ...

    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """B x ... in full precision: what is noised. Without chance: the mean where an autoencoder gives a distribution."""
        ...

    def read(self, captions: Sequence[str]) -> Read:
        """The captions, once for all their uses."""
        ...

    def tokens(self, caption: str) -> int:
        """How many tokens the caption has; more than ``limit`` are cut off."""
        ...

    def predict(self, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> torch.Tensor:
        """As ``prediction`` says, in full precision.

        Args:
            noisy: B x ..., as ``encode`` gives it.
            steps: B of the model's steps, or the flow's times as its transformer is told them.
            captions: B.
        """
        ...


def spaced_steps(scheduler: Any, n: int) -> list[int]:
    """``n`` steps of a DDPM with this scheduler's training steps, spacing and offset, descending.

    Raises:
        ValueError: it has not so many.
    """
    from diffusers import DDPMScheduler

    own = DDPMScheduler.from_config(scheduler.config)
    if not 1 <= n <= own.config.num_train_timesteps:
        raise ValueError(f"steps must be between 1 and the model's {own.config.num_train_timesteps}, got {n}")
    own.set_timesteps(n)
    steps = own.timesteps.tolist()
    # an offset of 1 (Stable Diffusion's) leads beyond the last step where all are asked for
    beyond = max(0, steps[0] - (own.config.num_train_timesteps - 1))
    return [step - beyond for step in steps]


def alphas_of(scheduler: Any) -> NDArray[np.float64]:
    """``alphas_cumprod`` of its training steps. Of the configuration, as sampling with some schedulers changes their own."""
    from diffusers import DDPMScheduler

    found: NDArray[np.float64] = DDPMScheduler.from_config(scheduler.config).alphas_cumprod.double().numpy()
    return found


def squared(images: Sequence[Image.Image], side: int) -> torch.Tensor:
    """B x 3 x side x side in -1 to 1: the shorter side resized (bicubic), the middle cut out (Li et al., 2023)."""
    pixels = []
    for image in images:
        scale = side / min(image.size)
        size = (max(side, round(image.width * scale)), max(side, round(image.height * scale)))
        fitted = image if size == image.size else image.resize(size, Image.Resampling.BICUBIC)
        left, top = (size[0] - side) // 2, (size[1] - side) // 2
        pixels.append(np.asarray(fitted.crop((left, top, left + side, top + side)), np.float32))
    return torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2) / 127.5 - 1.0
