"""The playground's detector: a small RT-DETRv2 through transformers, trained from nothing.

``python -m scorers.training.detector --out DIR`` writes ``config.json`` and ``model.safetensors``, as transformers opens them.
It is made for a GPU; a CPU takes hours. The scenes never touch the disk.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from transformers import RTDetrResNetConfig, RTDetrV2Config, RTDetrV2ForObjectDetection

from scorers.models.detectors.base import PART_OF_COCO
from scorers.training import averaged_model, from_command_line, half_precision
from scorers.training.detector_loss import Objects, detection_loss
from scorers.training.detector_pictures import RenderedScenes, changed
from scorers.training.examples import NAMES

_WIDTH: Final = 96
_AVERAGED_EVERY: Final = 4


@dataclass(frozen=True, slots=True)
class DetectorRecipe:
    """Scenes drawn once (seeds from ``seed`` times so many on), processes that draw them, minutes of training, steps at most,
    pictures a step, highest learning rate, cells of the encoder that answer for an object, device of torch; ``start`` is a
    folder with weights to go on from."""

    scenes: int = 300_000
    processes: int = 14
    minutes: float = 6.0
    steps: int = 1_000_000
    batch: int = 256
    rate: float = 1e-3
    cells: int = 5
    device: str = "cuda"
    seed: int = 0
    start: Path | None = None


def build() -> Any:
    """An untrained ``RTDetrV2ForObjectDetection`` with one class per kind."""
    stages = RTDetrResNetConfig(
        embedding_size=40, hidden_sizes=[40, 96, 128, 160], depths=[2, 2, 2, 1], layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = RTDetrV2Config(
        backbone_config=stages, freeze_backbone_batch_norms=False, encoder_in_channels=[96, 128, 160],
        encoder_hidden_dim=_WIDTH, encoder_ffn_dim=2 * _WIDTH, encoder_attention_heads=4, hidden_expansion=0.5,
        d_model=_WIDTH, decoder_in_channels=[_WIDTH] * 3, decoder_ffn_dim=2 * _WIDTH, decoder_attention_heads=6,
        decoder_layers=3, num_queries=40, num_denoising=24,
        id2label=dict(enumerate(NAMES)), **{PART_OF_COCO: True},
    )  # fmt: skip
    return RTDetrV2ForObjectDetection(config)


def rate_at(progress: float) -> float:
    """Of the highest rate: rises over the first 4 %, falls from 30 % on, to 1 %."""
    if progress < 0.04:
        return max(0.02, progress / 0.04)
    return 1.0 if progress < 0.3 else 0.01 + 0.99 * (1 + math.cos(math.pi * (progress - 0.3) / 0.7)) / 2


def train(recipe: DetectorRecipe, out: Path) -> None:
    """Train and write the weights of the moving average."""
    torch.manual_seed(recipe.seed)
    torch.set_float32_matmul_precision("high")
    with (
        RenderedScenes(recipe.scenes, recipe.seed * recipe.scenes, recipe.processes, recipe.device) as scenes,
        ThreadPoolExecutor(1) as ahead,
    ):
        model = build() if recipe.start is None else RTDetrV2ForObjectDetection.from_pretrained(recipe.start)
        model = model.float().to(recipe.device).train()
        averaged = averaged_model(model, 0.992)
        optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=1e-3)
        rng = np.random.default_rng(recipe.seed)
        following = ahead.submit(scenes.batch, recipe.batch, rng)
        started = time.monotonic()
        step, progress = 0, 0.0
        while progress < 1:
            for group in optimizer.param_groups:
                group["lr"] = recipe.rate * rate_at(progress)
            batch = changed(following.result())
            following = ahead.submit(scenes.batch, recipe.batch, rng)
            parts = detection_loss(model, batch.images, Objects.of(batch.kinds, batch.boxes), recipe.cells)
            optimizer.zero_grad()
            torch.stack(list(parts.values())).sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % _AVERAGED_EVERY == 0:
                averaged.update_parameters(model)
            took = time.monotonic() - started
            progress = max(step / recipe.steps, took / 60 / recipe.minutes)
            if step % 100 == 0:
                shown = " ".join(f"{name} {part.item():.3f}" for name, part in parts.items())
                print(f"step {step} {took:.0f} s, {scenes.rendered} scenes: {shown}", flush=True)
    save(averaged.module, out)


def save(model: Any, out: Path) -> None:
    """Weights in half precision (batch norm's running statistics in full), and the configuration that rebuilds the model."""
    model.save_pretrained(out, state_dict=half_precision(model))


def main() -> None:
    """Command line."""
    train(*from_command_line(DetectorRecipe, "Train the playground's detector."))


if __name__ == "__main__":
    main()
