"""The playground's autoencoder: 128 px pictures to an 8 x 8 grid of 16 numbers, and back.

A plain convolutional net, kept as a diffusers model so that it is saved, opened and moved like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import torch
from diffusers import ConfigMixin, ModelMixin
from diffusers.configuration_utils import register_to_config
from torch import nn
from torch.nn import functional


class Residual(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
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
            Residual(wide),
            nn.Conv2d(wide, wider, 3, stride=2, padding=1),
            Residual(wider),
            nn.Conv2d(wider, widest, 3, stride=2, padding=1),
            Residual(widest),
            nn.Conv2d(widest, latent_channels, 3, padding=1),
        )
        self.decoder = nn.Sequential(
            nn.Conv2d(latent_channels, widest, 3, padding=1),
            Residual(widest),
            Residual(widest),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(widest, wider, 3, padding=1),
            Residual(wider),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(wider, wide, 3, padding=1),
            Residual(wide),
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
