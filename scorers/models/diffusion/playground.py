"""The playground's two stages as denoisers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from data.playground.render import SIZE
from scorers.models.diffusion.denoiser import Prediction, Read, alphas_of, spaced_steps, squared
from scorers.models.generator import LENGTH, PlaygroundPipeline, predict


class PlaygroundDenoiser:
    """See ``Denoiser``: v of the autoencoder's 16 x 8 x 8 latents."""

    prediction: Prediction = "v_prediction"

    def __init__(self, pipeline: PlaygroundPipeline, device: str) -> None:
        self._pipeline = pipeline.to(device)
        self.device = device
        self.alphas: NDArray[np.float64] = alphas_of(pipeline.scheduler)
        self.limit = LENGTH

    def steps(self, n: int) -> Sequence[float]:
        return spaced_steps(self._pipeline.scheduler, n)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        return self._pipeline.autoencoder.encode(squared(images, SIZE).to(self.device))

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def read(self, captions: Sequence[str]) -> Read:
        words, mask = self._pipeline.encode_prompt(captions)
        return Read({"words": words, "mask": mask})

    def tokens(self, caption: str) -> int:
        return len(self._pipeline.tokenizer(caption).input_ids)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def predict(self, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> torch.Tensor:
        return predict(self._pipeline.transformer, noisy, steps, captions.parts["words"], captions.parts["mask"])
