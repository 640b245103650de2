"""Boxes and confidences as detectors of the DETR kind give them, and as they are stored."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Box = tuple[float, float, float, float]

_SCORE_DIGITS: Final = 7
_BOX_DIGITS: Final = 3


def confidence(score: float) -> float:
    """A single-precision number as it is meant: 0.3 is 0.3 and no hair above a threshold of 0.3."""
    return round(float(score), _SCORE_DIGITS)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Logits to probabilities; none too large for it."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -60, 60))))


def rounded(box: NDArray[np.float32]) -> Box:
    """Pixels, to a thousandth."""
    x0, y0, x1, y1 = (round(float(edge), _BOX_DIGITS) for edge in box)
    return x0, y0, x1, y1


def corners(boxes: NDArray[np.float32], width: float, height: float) -> NDArray[np.float32]:
    """n x 4: centre x, centre y, width, height as shares become x0, y0, x1, y1 in pixels."""
    x, y, w, h = boxes.T
    scale = np.array([width, height, width, height], np.float32)
    return (np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], axis=1) * scale).astype(np.float32)
