"""The kinds of diffusion models as denoisers: what each does with an image, a caption, and a noisy image."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from scorers.models.diffusion.denoiser import FLOW_TIMES, Denoiser, Prediction, Read, alphas_of, spaced_steps, squared
from scorers.models.diffusion.opening import open_pipeline

_READ_AT_ONCE: Final = 32
"""Captions; T5's states of more would fill a small GPU."""
_NOTHING: Final = np.zeros(0)

Reader = Callable[[Any, list[str], str], dict[str, torch.Tensor]]
Told = Callable[[Any, torch.Tensor, torch.Tensor, Read], torch.Tensor]


class Opened:
    """A pipeline as a ``Denoiser``. Latents by its autoencoder where it has one, else pixels, -1 to 1.

    Args:
        pipeline: of diffusers, on its device.
        net: its UNet or transformer.
        read: what it makes of captions; ``tell``: what it says of noisy images.
        limit: how many tokens of a caption it reads; None: as its tokenizer says.
    """

    def __init__(self, pipeline: Any, net: Any, read: Reader, tell: Told, limit: int | None = None) -> None:
        self._pipeline, self._net, self._read, self._tell = pipeline, net, read, tell
        self.device = str(pipeline.device)
        config = pipeline.scheduler.config
        self.prediction: Prediction = config.get("prediction_type", "flow")
        self.alphas: NDArray[np.float64] = _NOTHING if self.prediction == "flow" else alphas_of(pipeline.scheduler)
        self.limit = limit or int(pipeline.tokenizer.model_max_length)
        self._vae = getattr(pipeline, "vae", None)
        self._side = int(net.config.sample_size) * (1 if self._vae is None else _shrinks(self._vae))

    def steps(self, n: int) -> Sequence[float]:
        """See ``Denoiser``; a flow's times are the middles of n equal parts."""
        if self.prediction == "flow":
            return [FLOW_TIMES * (n - k - 0.5) / n for k in range(n)]
        return spaced_steps(self._pipeline.scheduler, n)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """See ``Denoiser``."""
        pixels = squared(images, self._side).to(self.device)
        if self._vae is None:
            return pixels
        config = self._vae.config
        # one by one: an autoencoder at 1,024 pixels takes much memory
        latents = [self._vae.encode(one[None].to(self._vae.dtype)).latent_dist.mean.float() for one in pixels]
        return (torch.cat(latents) - (config.get("shift_factor") or 0.0)) * config.scaling_factor

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def read(self, captions: Sequence[str]) -> Read:
        """See ``Denoiser``."""
        texts = list(captions)
        found = [
            self._read(self._pipeline, texts[at : at + _READ_AT_ONCE], self.device)
            for at in range(0, len(texts), _READ_AT_ONCE)
        ]
        return Read({name: torch.cat([one[name] for one in found]) for name in found[0]})

    def tokens(self, caption: str) -> int:
        """See ``Denoiser``."""
        return len(self._pipeline.tokenizer(caption, truncation=False).input_ids)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def predict(self, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> torch.Tensor:
        """See ``Denoiser``. What a model says of its variance is left aside: the second half of its channels."""
        said = self._tell(self._net, noisy.to(self._net.dtype), steps, captions)
        return said[:, : noisy.shape[1]].float()


def open_denoiser(name: str, device: str, precision: str) -> Denoiser:
    """A model in memory.

    Args:
        name: of ``scorers.models.diffusion.known``, a hub id, or a folder as ``save_pretrained`` writes it.
        device: as torch names it.
        precision: of its weights; see ``open_pipeline``. The playground's are always in full.

    Raises:
        ValueError: it is of no kind that is known here, or its weights are not whole.
        OSError: it is not on this machine.
    """
    pipeline = open_pipeline(name, device, precision)
    return _KINDS[type(pipeline).__name__](pipeline)


def _shrinks(vae: Any) -> int:
    return int(2 ** (len(vae.config.block_out_channels) - 1))


def _stable_diffusion(pipeline: Any) -> Denoiser:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _ = pipeline.encode_prompt(texts, device, 1, False)
        return {"words": words}

    return Opened(pipeline, pipeline.unet, read, _by_words)


def _sdxl(pipeline: Any) -> Denoiser:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _, pooled, _ = pipeline.encode_prompt(texts, device=device, do_classifier_free_guidance=False)
        return {"words": words, "pooled": pooled}

    side = float(pipeline.unet.config.sample_size * _shrinks(pipeline.vae))

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> torch.Tensor:
        # the picture as large as it was, and nothing cut off (SDXL, section 2.2)
        sizes = torch.tensor([side, side, 0.0, 0.0, side, side], dtype=noisy.dtype, device=noisy.device)
        added = {"text_embeds": captions.parts["pooled"], "time_ids": sizes.repeat(len(noisy), 1)}
        return net(noisy, steps, encoder_hidden_states=captions.parts["words"], added_cond_kwargs=added, return_dict=False)[0]

    return Opened(pipeline, pipeline.unet, read, tell)


def _pixart(limit: int) -> Callable[[Any], Denoiser]:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, mask, *_ = pipeline.encode_prompt(
            texts, do_classifier_free_guidance=False, device=device, clean_caption=False, max_sequence_length=limit
        )
        return {"words": words, "mask": mask}

    def opened(pipeline: Any) -> Denoiser:
        net = pipeline.transformer
        side = float(net.config.sample_size * _shrinks(pipeline.vae))

        def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> torch.Tensor:
            added: dict[str, Any] = {"resolution": None, "aspect_ratio": None}
            if net.config.use_additional_conditions or (
                net.config.use_additional_conditions is None and net.config.sample_size == 128
            ):
                size = torch.tensor([side, side], dtype=noisy.dtype, device=noisy.device)
                added = {"resolution": size.repeat(len(noisy), 1), "aspect_ratio": torch.ones_like(noisy[:, :1, 0, 0])}
            return net(
                noisy,
                encoder_hidden_states=captions.parts["words"],
                encoder_attention_mask=captions.parts["mask"],
                timestep=steps,
                added_cond_kwargs=added,
                return_dict=False,
            )[0]

        return Opened(pipeline, net, read, tell, limit)

    return opened


def _deepfloyd(pipeline: Any) -> Denoiser:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _ = pipeline.encode_prompt(texts, do_classifier_free_guidance=False, device=device, clean_caption=False)
        return {"words": words}

    # its pipeline cuts at 77, whatever its tokenizer says
    return Opened(pipeline, pipeline.unet, read, _by_words, 77)


def _stable_diffusion_3(pipeline: Any) -> Denoiser:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _, pooled, _ = pipeline.encode_prompt(texts, None, None, device=device, do_classifier_free_guidance=False)
        return {"words": words, "pooled": pooled}

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> torch.Tensor:
        return net(
            hidden_states=noisy,
            timestep=steps.to(noisy.dtype),
            encoder_hidden_states=captions.parts["words"],
            pooled_projections=captions.parts["pooled"],
            return_dict=False,
        )[0]

    return Opened(pipeline, pipeline.transformer, read, tell)


def _playground(pipeline: Any) -> Denoiser:
    from scorers.models.generator import predict

    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:  # noqa: ARG001  (as every reader's)
        words, mask = pipeline.encode_prompt(texts)
        return {"words": words, "mask": mask}

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> Any:
        return predict(net, noisy, steps, captions.parts["words"], captions.parts["mask"])

    return _Playground(pipeline, pipeline.transformer, read, tell)


class _Playground(Opened):
    """Its autoencoder normalises by itself."""

    def __init__(self, pipeline: Any, net: Any, read: Reader, tell: Told) -> None:
        from scorers.models.generator import LENGTH

        super().__init__(pipeline, net, read, tell, LENGTH)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """See ``Denoiser``."""
        from data.playground.render import SIZE

        return self._pipeline.autoencoder.encode(squared(images, SIZE).to(self.device))


def _by_words(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: Read) -> Any:
    return net(noisy, steps, encoder_hidden_states=captions.parts["words"], return_dict=False)[0]


_KINDS: Final[dict[str, Callable[[Any], Denoiser]]] = {
    "PlaygroundPipeline": _playground,
    "StableDiffusionPipeline": _stable_diffusion,
    "StableDiffusionXLPipeline": _sdxl,
    "PixArtAlphaPipeline": _pixart(120),
    "PixArtSigmaPipeline": _pixart(300),
    "IFPipeline": _deepfloyd,
    "StableDiffusion3Pipeline": _stable_diffusion_3,
}
"""By the class of the pipeline: those of ``known.FAMILIES``."""
