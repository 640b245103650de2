"""What every object detector is to a scorer, and how one is opened: one shape for every family.

Names are of one vocabulary, COCO's 80 (``data.prompts.coco``); boxes and confidences are rounded as they are stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from data.prompts.coco import COCO, plain_name

Box = tuple[float, float, float, float]

_SCORE_DIGITS: Final = 7
_BOX_DIGITS: Final = 3


def confidence(score: float) -> float:
    """A single-precision number as it is meant: 0.3 is 0.3 and no hair above a threshold of 0.3."""
    return round(float(score), _SCORE_DIGITS)


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """Logits to probabilities; none too large for it."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -60, 60))))


def rounded_box(box: NDArray[np.float32]) -> Box:
    """Pixels, to a thousandth."""
    x0, y0, x1, y1 = (round(float(edge), _BOX_DIGITS) for edge in box)
    return x0, y0, x1, y1


def corners(boxes: NDArray[np.float32], width: float, height: float) -> NDArray[np.float32]:
    """n x 4: centre x, centre y, width, height as shares become x0, y0, x1, y1 in pixels."""
    x, y, w, h = boxes.T
    scale = np.array([width, height, width, height], np.float32)
    return (np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], axis=1) * scale).astype(np.float32)


_ALIASES: Final = {
    # as Darknet and Pascal VOC spell them, and what is met elsewhere
    "aeroplane": "airplane",
    "motorbike": "motorcycle",
    "pottedplant": "potted plant",
    "diningtable": "dining table",
    "sofa": "couch",
    "tvmonitor": "tv",
    "television": "tv",
    "doughnut": "donut",
    "hair dryer": "hair drier",
}
_NOTHING: Final = frozenset({"n/a", "background", "no object"})
_UNNAMED: Final = "label_"

Vocabulary = tuple[str | None, ...]
"""What each of a model's class numbers means; None: nothing."""


def coco_name(name: str) -> str:
    """COCO's name of a thing; its own, in lower case, where COCO has none."""
    plain = " ".join(name.lower().replace("_", " ").split())
    return _ALIASES.get(plain, plain_name(plain))


def queried_label(name: str) -> str:
    """What a thing is called that was looked for by this name: COCO's name where GenEval has another, else as it was asked for,
    so that whoever judges knows it again."""
    return plain_name(name)


def vocabulary(names: Mapping[int, str], model: str) -> Vocabulary:
    """What a COCO detector's class numbers mean.

    Classes go by their names, so that 80 in COCO's own order and 91 with gaps (``N/A``) come to the same; 80 without names
    (``LABEL_7``) are in COCO's order, as in every published model of 80.

    Args:
        names: as a model's configuration has them (``id2label``), from 0 on without gaps.
        model: its name, for the message.

    Raises:
        ValueError: these are not COCO's 80 classes, each once.
    """
    listed = [names.get(number) for number in range(len(names))]
    unnamed = [name is not None and name.lower().startswith(_UNNAMED) for name in listed]
    if listed and all(unnamed):
        if len(listed) == len(COCO):
            return COCO
        raise ValueError(f"{model} has {len(listed)} classes without names; a COCO detector has {len(COCO)}")
    labels = tuple(None if name is None or name.lower() in _NOTHING else coco_name(name) for name in listed)
    missing = [name for name in COCO if labels.count(name) != 1]
    if missing:
        some = ", ".join(missing[:3]) + (" ..." if len(missing) > 3 else "")
        raise ValueError(
            f"{model} has {len(listed)} classes, and {len(missing)} of COCO's {len(COCO)} are not there just once: {some}"
        )
    return labels


FULL: Final = "fp32"
HALF: Final = "bf16"
"""How precisely a model computes."""


@dataclass(frozen=True, slots=True, eq=False)
class DetectedObject:
    """One object: COCO name, confidence 0-1, box x0, y0, x1, y1 in pixels, mask H x W of the image or None."""

    label: str
    score: float
    box: tuple[float, float, float, float]
    mask: NDArray[np.bool_] | None = None


class Detector(Protocol):
    """A model in memory.

    Attributes:
        knows: the names that it can find; None if it looks for whatever it is asked.
    """

    @property
    def knows(self) -> frozenset[str] | None: ...

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
        """The objects of each image, most confident first. What is found in one does not depend on the others.

        Args:
            images: RGB.
            names: of each image, what to look for; one that knows its names finds all of these, whatever is asked.

        Raises:
            ModelBroken: the first images' numbers are not those of a working model.
            ValueError: an image's numbers are not finite.
        """
        ...
