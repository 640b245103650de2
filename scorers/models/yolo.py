"""Ultralytics' segmentation models (AGPL-3.0, hence an optional package), from a yaml and safetensors: nothing is unpickled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from safetensors import SafetensorError
from safetensors.torch import load_file

import scorers.models.quiet  # noqa: F401  (before ultralytics)
from scorers.models.detectors import Found

_BATCH: Final = 32
_MOST: Final = 300
_DIGITS: Final = 7
"""A confidence is a single-precision number: rounded, 0.3 is 0.3 and no hair above a threshold of 0.3."""


def load(folder: Path) -> Any:
    """The model as an ``ultralytics.YOLO`` ready to predict.

    Args:
        folder: holds one ``.yaml`` (architecture and class ``names``; its own name tells the size, ``yolo11n``) and one
            ``.safetensors``.

    Raises:
        ValueError: these files are not there, or do not belong together.
    """
    from ultralytics import YOLO
    from ultralytics.utils import YAML

    architecture, weights = _only(folder, "*.yaml"), _only(folder, "*.safetensors")
    try:
        yolo = YOLO(str(architecture), task="segment", verbose=False)
        yolo.model.load_state_dict(load_file(weights))
        yolo.model.names = dict(enumerate(YAML.load(architecture)["names"]))
    except (RuntimeError, KeyError, SafetensorError) as error:
        raise ValueError(f"{weights.name} does not fit {architecture.name}: {' '.join(str(error).split())[:200]}") from error
    yolo.model.eval()
    return yolo


class Yolo:
    """A ``scorers.models.detectors.Detector``; its arguments are those of ``open_detector``."""

    def __init__(self, folder: Path, *, side: int, keep: float, overlap: float = 0.7, device: str = "cpu") -> None:
        self._model = load(folder)
        # Not "rect": with it the frame around an image would depend on the other images of its batch.
        self._options = {
            "imgsz": side, "conf": keep, "iou": overlap, "max_det": _MOST, "device": device, "rect": False,
            "retina_masks": True, "verbose": False, "save": False,
        }  # fmt: skip

    def detect(self, images: Sequence[Image.Image]) -> list[list[Found]]:
        """See ``Detector``. Ultralytics changes torch's number of threads for the whole process: it is set back."""
        threads = torch.get_num_threads()
        found: list[list[Found]] = []
        try:
            for start in range(0, len(images), _BATCH):
                # PIL images are taken as RGB; arrays would be taken as BGR
                results = self._model.predict(list(images[start : start + _BATCH]), **self._options)
                found += [_found(result) for result in results]
        finally:
            torch.set_num_threads(threads)
        return found


def _found(result: Any) -> list[Found]:
    boxes = result.boxes.cpu().numpy()
    masks = None if result.masks is None else result.masks.data.cpu().numpy() > 0.5
    listed = []
    for k in np.argsort(-boxes.conf, kind="stable"):
        x0, y0, x1, y1 = (round(float(edge), 3) for edge in boxes.xyxy[k])
        score = round(float(boxes.conf[k]), _DIGITS)
        listed.append(Found(result.names[int(boxes.cls[k])], score, (x0, y0, x1, y1), None if masks is None else masks[k]))
    return listed


def _only(folder: Path, pattern: str) -> Path:
    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        raise ValueError(f"{folder.name} must hold one file {pattern}, found {len(files)}")
    return files[0]
