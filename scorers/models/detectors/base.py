"""What every object detector is to a scorer, and how one is opened: one shape for every family.

Names are of one vocabulary, COCO's 80 (``data.prompts.coco``); boxes and confidences are rounded as they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from data.prompts.coco import COCO, plain_name
from scorers.models.files import checkpoint, folder, refuse_pickle

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
    found = tuple(None if name is None or name.lower() in _NOTHING else coco_name(name) for name in listed)
    missing = [name for name in COCO if found.count(name) != 1]
    if missing:
        some = ", ".join(missing[:3]) + (" ..." if len(missing) > 3 else "")
        raise ValueError(
            f"{model} has {len(listed)} classes, and {len(missing)} of COCO's {len(COCO)} are not there just once: {some}"
        )
    return found


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


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """How a detector is opened.

    Attributes:
        name: a folder, a file, or a hub id.
        side: YOLO: of the square that images are fitted into; Mask2Former, DETR, Grounding DINO: the shorter side that
            images are brought to, the longer at most 1333/800 of it. OWL-ViT and OWLv2 have sizes of their own. Pixels.
        keep: only objects of higher confidence are returned.
        overlap: YOLO: of two boxes of one class that overlap more (IoU), only the more confident is returned.
        device: as torch names it.
        precision: ``bf16``: Mask2Former's backbone in half precision; else ``fp32``.
    """

    name: str
    side: int
    keep: float
    overlap: float
    device: str
    precision: str = FULL


def _mask2former(asked: DetectorOptions) -> Detector:
    from scorers.models.detectors.mask2former import Mask2Former

    return Mask2Former(asked.name, side=asked.side, keep=asked.keep, device=asked.device, precision=asked.precision)


def _owl(asked: DetectorOptions) -> Detector:
    from scorers.models.detectors.transformers_detectors import Owl

    return Owl(asked.name, keep=asked.keep, device=asked.device)


def _detr(asked: DetectorOptions) -> Detector:
    from scorers.models.detectors.transformers_detectors import Detr

    return Detr(asked.name, side=asked.side, keep=asked.keep, device=asked.device)


def _grounding_dino(asked: DetectorOptions) -> Detector:
    from scorers.models.detectors.transformers_detectors import GroundingDino

    return GroundingDino(asked.name, side=asked.side, keep=asked.keep, device=asked.device)


_FAMILIES: Final[dict[str, Callable[[DetectorOptions], Detector]]] = {
    "mask2former": _mask2former,
    "owlvit": _owl,
    "owlv2": _owl,
    "detr": _detr,
    "grounding-dino": _grounding_dino,
}
"""By what a model's configuration calls itself (``model_type``)."""

_ACCEPTED: Final = "a folder, a hub id (owner/name), or a YOLO checkpoint (yolo11x-seg, looked for in models/)"


def open_detector(name: str, side: int, keep: float, overlap: float, device: str, precision: str = FULL) -> Detector:
    """Load a detector; the arguments are those of ``Opening``.

    ``name`` is a folder with one ``.yaml`` and one ``.safetensors`` (YOLO), the name or path of a YOLO checkpoint
    (``yolo11x-seg``, ``.pt``), or a model of transformers: a folder as ``save_pretrained`` writes it, or a hub id.

    Raises:
        ValueError: there is no such model, its weights do not fit or are a pickle, or it has no such precision.
        OSError: it is not on this machine.
        ImportError: the packages of the group ``yolo`` are not installed.
    """
    refuse_pickle(name)
    asked = DetectorOptions(name, side, keep, overlap, device, precision)
    path = folder(name)
    yolo = checkpoint(name) if path is None or (path / "config.json").is_file() else path
    if yolo is not None:
        from scorers.models.detectors.yolo import Yolo

        _only_in_full(asked, "YOLO")
        return Yolo(yolo, side=side, keep=keep, overlap=overlap, device=device)
    if path is None and "/" not in name:
        raise ValueError(f"there is no detector {name}: {_ACCEPTED}")
    from scorers.models.pretrained import config_of

    kind = config_of(name).model_type
    if kind not in _FAMILIES:
        raise ValueError(f"{name} is a model of the kind {kind}; known: {', '.join(sorted(_FAMILIES))} and YOLO")
    if kind != "mask2former":
        _only_in_full(asked, kind)
    return _FAMILIES[kind](asked)


def _only_in_full(asked: DetectorOptions, kind: str) -> None:
    if asked.precision != FULL:
        raise ValueError(f"precision {asked.precision} is for Mask2Former; {asked.name} ({kind}) has {FULL} alone")
