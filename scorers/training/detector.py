"""The playground's detector: YOLO11n-seg from its yaml, trained from nothing.

``python -m scorers.training.detector --out DIR`` writes ``yolo11n-seg-playground.yaml`` (architecture and class names) and
``yolo11n-seg-playground.safetensors``. Ultralytics' model and loss, our own loop: the scenes never touch the disk, and none of
the trainer's side effects (settings, fonts, plots, network checks) come along.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file

import scorers.models.detectors.yolo  # noqa: F401 - it sets Ultralytics up
from scorers.training import averaged_model, from_command_line, half_precision
from scorers.training.examples import NAMES, DetectionExample, example

STEM: Final = "yolo11n-seg-playground"
SIDE: Final = 128
"""Side of the pictures, pixels."""
_MASK_SIDE: Final = 64


@dataclass(frozen=True, slots=True)
class DetectorRecipe:
    """Scenes drawn once, passes over them, pictures a step, highest learning rate, threads; ``seed`` chooses the scenes,
    ``start`` a folder with weights to go on from."""

    scenes: int = 7000
    epochs: int = 6
    batch: int = 64
    rate: float = 2e-3
    threads: int = 1
    seed: int = 0
    start: Path | None = None


def build() -> Any:
    """An untrained ``SegmentationModel`` with one class per kind."""
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import SegmentationModel

    model = SegmentationModel("yolo11n-seg.yaml", nc=len(NAMES), verbose=False)
    model.args = get_cfg()
    model.names = dict(enumerate(NAMES))
    return model


def train(recipe: DetectorRecipe, out: Path) -> None:
    """Train and write the weights of the moving average."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    started = time.monotonic()
    pool = [example("train", seed, SIDE) for seed in range(recipe.seed * recipe.scenes, (recipe.seed + 1) * recipe.scenes)]
    print(f"{len(pool)} scenes in {time.monotonic() - started:.0f} s", flush=True)
    model = build()
    if recipe.start:
        model.load_state_dict(load_file(recipe.start / f"{STEM}.safetensors"))
    model.train()
    # about the last hundred steps: a longer memory would hold on to weights of the highest rate
    averaged = averaged_model(model, 0.99)
    steps = recipe.epochs * (recipe.scenes // recipe.batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=5e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.08)
    rng = np.random.default_rng(recipe.seed)
    for step in range(steps):
        if step % (recipe.scenes // recipe.batch) == 0:
            order = rng.permutation(recipe.scenes)
        at = step % (recipe.scenes // recipe.batch) * recipe.batch
        batch = collate([pool[k] for k in order[at : at + recipe.batch]], rng)
        with torch.autocast("cpu", torch.bfloat16):
            predicted = model(batch["img"])
        loss, parts = model.loss(batch, _float(predicted))
        optimizer.zero_grad()
        loss.sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        schedule.step()
        averaged.update_parameters(model)
        if step % 50 == 0:
            shown = " ".join(f"{name} {float(part):.3f}" for name, part in parts.items())
            print(f"step {step}/{steps} {time.monotonic() - started:.0f} s {shown}", flush=True)
    save(averaged.module, out)


def collate(examples: list[DetectionExample], rng: np.random.Generator) -> dict[str, torch.Tensor]:
    """Ultralytics' batch: ``img`` B x 3 x 128 x 128 in 0-1, boxes as shares (centre, size), overlap masks B x 64 x 64."""
    images, masks, boxes, classes, owner = [], [], [], [], []
    for number, labelled in enumerate(examples):
        flip = slice(None, None, -1 if rng.random() < 0.5 else 1)
        image, owners = labelled.image[:, flip], labelled.owners[:, flip]
        images.append(np.ascontiguousarray(image))
        masks.append(np.ascontiguousarray(owners[:: SIDE // _MASK_SIDE, :: SIDE // _MASK_SIDE]))
        for k, kind in enumerate(labelled.kinds, 1):
            rows, columns = np.nonzero(owners == k)
            x0, y0, x1, y1 = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
            boxes.append([(x0 + x1) / 2 / SIDE, (y0 + y1) / 2 / SIDE, (x1 - x0) / SIDE, (y1 - y0) / SIDE])
            classes.append([float(kind)])
            owner.append(float(number))
    pixels = torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).float() / 255
    return {
        "img": roughened(pixels, rng),
        "masks": torch.from_numpy(np.stack(masks)),
        "bboxes": torch.tensor(boxes, dtype=torch.float32).reshape(-1, 4),
        "cls": torch.tensor(classes, dtype=torch.float32).reshape(-1, 1),
        "batch_idx": torch.tensor(owner, dtype=torch.float32),
    }


def roughened(pixels: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Some pictures softened as by a decoder, some noisy or in other colours, all with other light."""
    out = pixels.clone()
    side = pixels.shape[-1]
    for k in range(len(out)):
        picture = out[k : k + 1]
        choice = rng.random()
        if choice < 0.45:
            small = int(side * rng.uniform(0.35, 0.8))
            reduced = torch.nn.functional.interpolate(picture, (small, small), mode="bilinear", antialias=True)
            picture = torch.nn.functional.interpolate(reduced, (side, side), mode="bicubic")
        if rng.random() < 0.35:
            noise = torch.from_numpy(rng.standard_normal(picture.shape, dtype=np.float32))
            picture = picture + noise * float(rng.uniform(0.01, 0.07))
        if rng.random() < 0.4:
            picture = recoloured(picture, rng)
        picture = (picture - 0.5) * float(rng.uniform(0.85, 1.15)) + 0.5 + float(rng.uniform(-0.06, 0.06))
        out[k] = picture[0].clamp(0, 1)
    return out


def recoloured(picture: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Channels in another order and colours paler or gone: a kind is known by its shape, in colours never seen, too."""
    if rng.random() < 0.5:
        picture = picture[:, torch.from_numpy(rng.permutation(3))]
    grey = picture.mean(dim=1, keepdim=True)
    return grey + (picture - grey) * float(rng.uniform(0.0, 1.1))


def save(model: Any, out: Path) -> None:
    """Weights in half precision (batch norm's running statistics in full), and the yaml that rebuilds the model."""
    from ultralytics.utils import YAML

    out.mkdir(parents=True, exist_ok=True)
    save_file(half_precision(model), out / f"{STEM}.safetensors")
    architecture = {key: model.yaml[key] for key in ("nc", "scales", "backbone", "head")}
    note = "# YOLO11n-seg by Ultralytics (AGPL-3.0), with the playground's classes. See LICENSE.md in this folder.\n"
    YAML.save(out / f"{STEM}.yaml", {**architecture, "names": list(NAMES)}, header=note)


def _float(tree: Any) -> Any:
    """All tensors in full precision: the loss is not made for bfloat16."""
    if isinstance(tree, torch.Tensor):
        return tree.float()
    if isinstance(tree, dict):
        return {key: _float(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(_float(value) for value in tree)
    return tree


def main() -> None:
    """Command line."""
    train(*from_command_line(DetectorRecipe, "Train the playground's detector."))


if __name__ == "__main__":
    main()
