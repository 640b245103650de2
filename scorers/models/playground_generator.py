"""The playground's text-to-image model: a small PixArt transformer on an autoencoder's latents, as a diffusers pipeline.

The autoencoder brings 128 px pictures to an 8 x 8 grid of 16 numbers, and back.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import torch
from diffusers import (
    ConfigMixin,
    DDIMScheduler,
    DDPMScheduler,
    DiffusionPipeline,
    ImagePipelineOutput,
    ModelMixin,
    PixArtTransformer2DModel,
)
from diffusers.configuration_utils import register_to_config
from diffusers.image_processor import VaeImageProcessor
from diffusers.models.attention_processor import AttnProcessor
from torch import nn
from torch.nn import functional
from transformers import CLIPTextModel, PreTrainedTokenizerFast


class ResidualBlock(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
    """Two 3 x 3 convolutions beside a shortcut; B x C x H x W in and out."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        self.norms = nn.ModuleList([nn.GroupNorm(8, channels), nn.GroupNorm(8, channels)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(functional.silu(self.norms[0](x)))
        return cast(torch.Tensor, x + self.second(functional.silu(self.norms[1](hidden))))


class PlaygroundAutoencoder(ModelMixin, ConfigMixin):  # type: ignore[misc]  # diffusers is not typed
    """``encode``: B x 3 x S x S in -1 to 1, to B x latent_channels x S/16 x S/16, normalised; ``decode`` back.

    Args:
        channels: at 64, 32, 16 and 8 places a side (of a 128 px picture).
        latent_channels: numbers a place.
        mean: of each latent channel over training pictures, measured after training; ``std`` likewise.
    """

    @register_to_config  # type: ignore[untyped-decorator]
    def __init__(
        self,
        channels: Sequence[int] = (24, 48, 96, 128),
        latent_channels: int = 16,
        mean: Sequence[float] = (0.0,) * 16,  # noqa: ARG002  (kept in the config)
        std: Sequence[float] = (1.0,) * 16,  # noqa: ARG002
    ) -> None:
        super().__init__()
        fine, wide, wider, widest = channels
        self.encoder = nn.Sequential(
            nn.PixelUnshuffle(4),
            nn.Conv2d(48, wide, 3, padding=1),
            ResidualBlock(wide),
            nn.Conv2d(wide, wider, 3, stride=2, padding=1),
            ResidualBlock(wider),
            nn.Conv2d(wider, widest, 3, stride=2, padding=1),
            ResidualBlock(widest),
            nn.Conv2d(widest, latent_channels, 3, padding=1),
        )
        self.decoder = nn.Sequential(
            nn.Conv2d(latent_channels, widest, 3, padding=1),
            ResidualBlock(widest),
            ResidualBlock(widest),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(widest, wider, 3, padding=1),
            ResidualBlock(wider),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(wider, wide, 3, padding=1),
            ResidualBlock(wide),
            nn.SiLU(),
            nn.Conv2d(wide, 4 * fine, 3, padding=1),
            nn.PixelShuffle(2),
            nn.SiLU(),
            nn.Conv2d(fine, 12, 3, padding=1),
            nn.PixelShuffle(2),
        )

    def encode(self, pixels: torch.Tensor) -> torch.Tensor:
        """Latents, each channel with mean 0 and spread 1 over the training pictures."""
        latents = self.encoder(pixels)
        return cast(torch.Tensor, (latents - self._column("mean", latents)) / self._column("std", latents))

    def decode(self, latents: torch.Tensor) -> torch.Tensor:
        """Pixels, not clamped."""
        return cast(torch.Tensor, self.decoder(latents * self._column("std", latents) + self._column("mean", latents)))

    def _column(self, name: str, like: torch.Tensor) -> torch.Tensor:
        values: Any = self.config[name]
        return torch.tensor(values, dtype=like.dtype, device=like.device).reshape(1, -1, 1, 1)


GRID: Final = 8
"""Places a side of the latents."""
LATENT_CHANNELS: Final = 16
LENGTH: Final = 16
"""Words of a caption, its two end marks among them."""


def predict(transformer: Any, latents: torch.Tensor, steps: torch.Tensor, words: torch.Tensor, mask: torch.Tensor) -> Any:
    """v for each of a batch.

    Args:
        transformer: as ``build_transformer`` makes it.
        latents: B x 16 x 8 x 8.
        steps: B, of the 1,000.
        words: B x 16 x 192, the text encoder's.
        mask: B x 16, 0 where a caption has ended.
    """
    return transformer(
        latents,
        encoder_hidden_states=words,
        encoder_attention_mask=mask,
        timestep=steps,
        added_cond_kwargs={"resolution": None, "aspect_ratio": None},
        return_dict=False,
    )[0]


class PlaygroundPipeline(DiffusionPipeline):  # type: ignore[misc]  # diffusers is not typed
    """Captions to 128 px pictures, as other diffusers pipelines are called."""

    def __init__(
        self,
        autoencoder: PlaygroundAutoencoder,
        text_encoder: CLIPTextModel,
        tokenizer: PreTrainedTokenizerFast,
        transformer: PixArtTransformer2DModel,
        scheduler: DDPMScheduler,
    ) -> None:
        super().__init__()
        self.register_modules(
            autoencoder=autoencoder,
            text_encoder=text_encoder,
            tokenizer=tokenizer,
            transformer=transformer,
            scheduler=scheduler,
        )
        self.image_processor = VaeImageProcessor()

    @classmethod
    def open(cls, folder: Path, stage: str) -> PlaygroundPipeline:
        """The pipeline of one stage (``early`` or ``late``); both share all but transformer and text encoder.

        Raises:
            OSError: a part is not there.
        """
        full: dict[str, Any] = {"torch_dtype": torch.float32, "local_files_only": True, "use_safetensors": True}
        transformer = PixArtTransformer2DModel.from_pretrained(folder / stage / "transformer", **full)
        # on a CPU half as fast again as the default
        transformer.set_attn_processor(AttnProcessor())
        return cls(
            PlaygroundAutoencoder.from_pretrained(folder / "autoencoder", **full).eval(),
            CLIPTextModel.from_pretrained(
                folder / stage / "text_encoder", dtype=torch.float32, local_files_only=True, use_safetensors=True
            ).eval(),
            PreTrainedTokenizerFast.from_pretrained(folder / "tokenizer", local_files_only=True),
            transformer.eval(),
            DDPMScheduler.from_pretrained(folder / "scheduler", local_files_only=True),
        )

    def encode_prompt(self, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """B x 16 x 192 words and their B x 16 mask."""
        tokens = self.tokenizer(list(texts), padding="max_length", truncation=True, max_length=LENGTH, return_tensors="pt")
        tokens = tokens.to(self.device)
        # an empty caption is one with nothing between its end marks
        return self.text_encoder(tokens.input_ids).last_hidden_state, tokens.attention_mask

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def __call__(
        self,
        prompt: str | Sequence[str],
        num_inference_steps: int = 80,
        guidance_scale: float = 4.0,
        generator: torch.Generator | list[torch.Generator] | None = None,
    ) -> Any:
        """DDIM from noise. One generator a prompt makes a picture independent of its batch.

        Raises:
            ValueError: fewer generators than prompts.
        """
        texts = [prompt] if isinstance(prompt, str) else list(prompt)
        if isinstance(generator, list) and len(generator) != len(texts):
            raise ValueError(f"{len(texts)} prompts need as many generators, got {len(generator)}")
        words, mask = self.encode_prompt([*texts, *([""] * len(texts))])
        scheduler = DDIMScheduler.from_config(self.scheduler.config, timestep_spacing="trailing")
        scheduler.set_timesteps(num_inference_steps, device=self.device)
        latents = _noise(len(texts), generator).to(self.device)
        for step in self.progress_bar(scheduler.timesteps):
            both = predict(self.transformer, latents.repeat(2, 1, 1, 1), step.expand(2 * len(texts)), words, mask)
            conditional, free = both.chunk(2)
            latents = scheduler.step(free + guidance_scale * (conditional - free), step, latents, return_dict=False)[0]
        pixels = self.autoencoder.decode(latents).clamp(-1, 1)
        return ImagePipelineOutput(images=self.image_processor.postprocess(pixels, output_type="pil"))


def _noise(n: int, generator: torch.Generator | list[torch.Generator] | None) -> torch.Tensor:
    shape = (LATENT_CHANNELS, GRID, GRID)
    if isinstance(generator, list):
        return torch.stack([torch.randn(shape, generator=own) for own in generator])
    return torch.randn((n, *shape), generator=generator)
