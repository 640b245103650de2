"""`geneval --profile fast` beside `mask2former-meta`, from image files to evidence on disk, in one run.

    uv run benchmarks/scorers/fast.py [--images 16] [--device cpu] [--small]

Both have random weights of the published sizes (YOLO11m-seg and CLIP ViT-B/32; Mask2Former Swin-S and CLIP ViT-L/14), are shown
the same pictures and prompts, and see about as many things in a picture as trained ones do. Timed is the worker once its models
are in memory.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import torch

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmarks.measuring import Timing, command_line, machine, tell
from benchmarks.scorers.geneval import Bench, ours, prepare, save_clip
from data.images.files import open_image
from data.prompts.coco import COCO
from scorers import registry
from scorers.models import files

_OBJECTS: Final = 8
"""About so many things are seen in a picture."""
_KEEP: Final = 0.3


def save_yolo(path: Path, side: int, pictures: Sequence[Path], *, small: bool) -> Path:
    """Save an Ultralytics model that sees a few things in each picture, all wrong: its biases are set on these pictures."""
    from scorers.models.detectors.yolo import Yolo

    # that module sets Ultralytics up, before it is imported
    from ultralytics import YOLO  # isort: skip

    torch.manual_seed(0)
    yolo = YOLO(f"yolo11{'n' if small else 'm'}-seg.yaml", task="segment", verbose=False)
    yolo.model.names = dict(enumerate(COCO))
    branches = [branch[-1] for branch in yolo.model.model[-1].cv3]
    for convolution in branches:
        convolution.bias.data.zero_()
        convolution.weight.data.mul_(0.1)
    shown = [open_image(picture) for picture in pictures]
    squares = torch.stack([torch.from_numpy(np.array(picture.resize((side, side)))) for picture in shown])
    # what untrained layers say fades from layer to layer, until all places are alike: batch norm is set on these pictures
    for module in yolo.model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 1.0
    yolo.model.train()
    with torch.no_grad():
        yolo.model(squares.permute(0, 3, 1, 2) / 255)
    yolo.model.eval()
    yolo.save(path)
    found = Yolo(path, side=side, keep=1e-6).detect(shown)
    scores = torch.tensor(sorted((each.score for objects in found for each in objects), reverse=True), dtype=torch.float64)
    lowest = scores[min(_OBJECTS * len(pictures), len(scores) - 1)].clamp(1e-6, 1 - 1e-6)
    for convolution in branches:
        convolution.bias.data += float(torch.logit(torch.tensor(_KEEP)) - torch.logit(lowest))
    yolo.save(path)
    return path


def measure(bench: Bench, folder: Path) -> tuple[Timing, float]:
    """Return the time of an image, and how many things were seen in it on average."""
    seen, _, took = ours(bench, folder)
    n = len(bench.work)
    return Timing(took.wall / n, took.cpu / n), sum(len(observation.detections) for observation in seen) / n


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Make models and pictures, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--images", type=int, default=16, help="how many (default 16)")
    parser.add_argument("--device", default="cpu", help="as torch names it (default cpu)")
    parser.add_argument("--small", action="store_true", help="small models and pictures")
    asked = parser.parse_args(arguments)
    # the pickle is our own
    os.environ[files.TRUST] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = prepare(folder, max(1, asked.images), asked.device, asked.small)
        side = 128 if asked.small else 640
        pictures = [Path(item.path) for item in bench.work[:4]]
        detector = save_yolo(folder / "yolo11m-seg.pt", side, pictures, small=asked.small)
        clip = save_clip(folder / "clip-b", small=asked.small, architecture="ViT-B-32-quickgelu")
        overrides = {"detector": str(detector), "clip": str(clip), "detector_side": str(side), "keep": str(_KEEP)}
        fast = replace(bench, settings=registry.settings(registry.get("geneval"), "fast", overrides))
        quick, seen = measure(fast, folder / "fast")
        slow, other_seen = measure(bench, folder / "meta")
    return tell([
        f"{asked.images} images on {asked.device}; {machine('torch', 'ultralytics', 'transformers', 'open-clip-torch')},"
        f" {torch.get_num_threads()} threads",
        "",
        f"{'profile':20}{'an image':>12}{'processors':>14}{'images a second':>18}{'objects':>10}",
        f"{'fast':20}{quick.wall:>10.3f} s{quick.cpu:>12.3f} s{1 / quick.wall:>18.2f}{seen:>10.1f}",
        f"{'mask2former-meta':20}{slow.wall:>10.3f} s{slow.cpu:>12.3f} s{1 / slow.wall:>18.2f}{other_seen:>10.1f}",
        "",
        f"ratio: {slow.wall / quick.wall:.2f} by the clock, {slow.cpu / quick.cpu:.2f} by processors",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
