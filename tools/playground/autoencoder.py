"""The playground's autoencoder, trained from nothing: ``python -m tools.playground.autoencoder --out DIR``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from data.playground.render import SIZE, render
from scorers.models.playground_generator import PlaygroundAutoencoder
from tools.playground import average_gradients, averaged_model, from_command_line, join_processes, train_together
from tools.playground.examples import Split, captioned, crowd

_NOISE: Final = 0.1
_SHRINKAGE: Final = 1e-3
_EDGES: Final = 0.5


@dataclass(frozen=True, slots=True)
class AutoencoderRecipe:
    """Scenes drawn once, steps, pictures a step and process, highest learning rate, processes; ``seed`` chooses the scenes,
    ``start`` a folder with weights to go on from."""

    scenes: int = 12_000
    steps: int = 2200
    batch: int = 32
    rate: float = 8e-4
    processes: int = 2
    seed: int = 0
    start: Path | None = None


def picture(split: Split, seed: int) -> NDArray[np.uint8]:
    """A scene with a caption, or (one in four) a crowd: 128 x 128 x 3."""
    scene = crowd(split, seed) if seed % 4 == 0 else captioned(split, seed)[1]
    return render(scene, SIZE).image


def pixels(images: NDArray[np.uint8]) -> torch.Tensor:
    """B x 128 x 128 x 3 bytes to B x 3 x 128 x 128 in -1 to 1."""
    return torch.from_numpy(images).permute(0, 3, 1, 2).float() / 127.5 - 1


def loss_of(model: PlaygroundAutoencoder, images: torch.Tensor) -> torch.Tensor:
    """L1 of the pixels, half the L1 of their horizontal and vertical differences, and a little shrinkage of the latents."""
    latents = model.encoder(images)
    made = model.decoder(latents + _NOISE * torch.randn_like(latents)).float()
    edges = functional.l1_loss(made.diff(dim=3), images.diff(dim=3)) + functional.l1_loss(made.diff(dim=2), images.diff(dim=2))
    return functional.l1_loss(made, images) + _EDGES * edges + _SHRINKAGE * latents.float().square().mean()


def train(rank: int, recipe: AutoencoderRecipe, out: Path) -> None:
    """One process of the training; the first measures the latents' mean and spread and writes the moving average."""
    join_processes(rank, recipe.processes, out)
    started = time.monotonic()
    first = recipe.seed * recipe.scenes
    pool = np.stack([picture("train", seed) for seed in range(first + rank, first + recipe.scenes, recipe.processes)])
    print(f"{len(pool)} scenes in {time.monotonic() - started:.0f} s", flush=True)
    torch.manual_seed(recipe.seed)
    model = PlaygroundAutoencoder.from_pretrained(recipe.start) if recipe.start else PlaygroundAutoencoder()
    model = model.float().train().to(memory_format=torch.channels_last)
    averaged = averaged_model(model, 0.99)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=recipe.steps, pct_start=0.08)
    rng = np.random.default_rng([recipe.seed, rank])
    for step in range(recipe.steps):
        images = pixels(pool[rng.integers(len(pool), size=recipe.batch)]).to(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(model, images)
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model, recipe.processes)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        schedule.step()
        averaged.update_parameters(model)
        if rank == 0 and step % 50 == 0:
            print(f"step {step}/{recipe.steps} {time.monotonic() - started:.0f} s loss {loss.item():.4f}", flush=True)
    if rank == 0:
        write(averaged.module, pool[:1024], out)


@torch.no_grad()  # type: ignore[untyped-decorator]
def write(model: PlaygroundAutoencoder, sample: NDArray[np.uint8], out: Path) -> None:
    """In half precision, with the mean and spread of the sample's latents in its config."""
    latents = torch.cat([model.encoder(pixels(part)) for part in np.array_split(sample, 16)])
    mean, std = latents.mean(dim=(0, 2, 3)), latents.std(dim=(0, 2, 3))
    autoencoder = PlaygroundAutoencoder(mean=tuple(mean.tolist()), std=tuple(std.tolist()))
    autoencoder.load_state_dict(model.state_dict())
    autoencoder.half().save_pretrained(out)


def main() -> None:
    """Command line."""
    train_together(train, *from_command_line(AutoencoderRecipe, "Train the playground's autoencoder."))


if __name__ == "__main__":
    main()
