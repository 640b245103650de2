"""What finds objects: one shape for every family of detectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from scorers.models.files import folder


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """One object: COCO name, confidence 0-1, box x0, y0, x1, y1 in pixels, mask H x W of the image or None."""

    label: str
    score: float
    box: tuple[float, float, float, float]
    mask: NDArray[np.bool_] | None = None


class Detector(Protocol):
    """A model in memory."""

    def detect(self, images: Sequence[Image.Image]) -> list[list[Found]]:
        """The objects of each RGB image, most confident first. What is found in one does not depend on the others."""
        ...


def open_detector(name: str, side: int, keep: float, overlap: float, device: str) -> Detector:
    """Load a detector.

    Args:
        name: a folder with one ``.yaml`` and one ``.safetensors`` (YOLO).
        side: of the square that images are fitted into, pixels.
        keep: only objects of higher confidence are returned.
        overlap: of two boxes of one class that overlap more (IoU), only the more confident is returned.
        device: as torch names it.

    Raises:
        ValueError: the folder holds no such model.
        ImportError: the packages of the group ``yolo`` are not installed.
    """
    path = folder(name)
    if path is None:
        raise ValueError(f"there is no detector {name}: a folder with a .yaml and a .safetensors file is expected")
    from scorers.models.yolo import Yolo

    return Yolo(path, side=side, keep=keep, overlap=overlap, device=device)
