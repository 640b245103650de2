"""Small models with random weights, saved as the real ones are, that do find things; and runs over small pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from data.jobs.runs import Run, RunFolder, WorkItem
from data.playground.render import render
from scorers import registry
from tools.playground.examples import NAMES, captioned

SIDE = 128
ROOT = Path(__file__).resolve().parents[2]


def build_yolo() -> Any:
    """An untrained segmentation model of Ultralytics with the playground's kinds as classes."""
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import SegmentationModel

    import scorers.models.detectors.yolo  # noqa: F401 - it sets Ultralytics up

    model = SegmentationModel("yolo11n-seg.yaml", nc=len(NAMES), verbose=False)
    model.args = get_cfg()
    model.names = dict(enumerate(NAMES))
    return model


def save_yolo(model: Any, folder: Path) -> None:
    """Weights in half precision (batch norm's running statistics in full), and the yaml that rebuilds the model."""
    from safetensors.torch import save_file
    from ultralytics.utils import YAML

    from tools.playground import half_precision

    folder.mkdir(parents=True, exist_ok=True)
    save_file(half_precision(model), folder / "yolo11n-seg.safetensors")
    kept = {key: model.yaml[key] for key in ("nc", "scales", "backbone", "head")}
    YAML.save(folder / "yolo11n-seg.yaml", {**kept, "names": list(NAMES)})


def random_yolo(folder: Path) -> Path:
    """A detector that sees many things, all wrong."""
    import torch

    torch.manual_seed(0)
    model = build_yolo()
    norms = [module for module in model.modules() if isinstance(module, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = 1.0  # its statistics become those of the next batch
    model.train()
    with torch.no_grad():
        model(torch.from_numpy(np.stack([np.asarray(picture(k)[0]) for k in range(8)])).permute(0, 3, 1, 2) / 255)
        for branch in model.model[-1].cv3:
            torch.nn.init.normal_(branch[-1].weight, std=0.15)
            torch.nn.init.constant_(branch[-1].bias, -2.5)
    save_yolo(model.eval(), folder)
    return folder


def random_clip(folder: Path) -> Path:
    """An image-text model that has learnt nothing."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    from tools.playground.clip import model_config, write_config, write_tokenizer

    torch.manual_seed(0)
    folder.mkdir(parents=True, exist_ok=True)
    write_config(folder)
    write_tokenizer(folder)
    config = model_config()
    config["text_cfg"].pop("hf_tokenizer_name")
    save_file(open_clip.CLIP(**config).state_dict(), folder / "open_clip_model.safetensors")
    return folder


def picture(seed: int) -> tuple[Image.Image, dict[str, Any]]:
    """A scene that no training saw, and what it shows as GenEval metadata."""
    requested, scene = captioned("held-out", seed)
    return Image.fromarray(render(scene, SIDE).image), requested


def works(folder: Path, seeds: Sequence[int]) -> list[WorkItem]:
    """Pictures on disk, to be scored."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for seed in seeds:
        image, requested = picture(seed)
        path = folder / f"{seed}.png"
        image.save(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        made.append(WorkItem(f"geneval/{seed:05d}/some/0", str(path), digest, requested["prompt"], requested))
    return made


def new_run(folder: Path, name: str, overrides: Mapping[str, str], work: Sequence[WorkItem], part_size: int = 2) -> RunFolder:
    """A run that no worker has touched."""
    scorer = registry.get(name)
    settings = registry.settings(scorer, "playground", overrides)
    run = RunFolder(folder)
    run.create(Run(folder.name, name, scorer.version, "playground", settings, part_size=part_size), work)
    return run
