"""What finds objects: one shape for every family of detectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from scorers.models.files import checkpoint, folder, refuse_pickle

FULL: Final = "fp32"
HALF: Final = "bf16"
"""How precisely a model computes."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
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

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[Found]]:
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
class Opening:
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


def _mask2former(asked: Opening) -> Detector:
    from scorers.models.mask2former import Mask2Former

    return Mask2Former(asked.name, side=asked.side, keep=asked.keep, device=asked.device, precision=asked.precision)


def _owl(asked: Opening) -> Detector:
    from scorers.models.owl import Owl

    return Owl(asked.name, keep=asked.keep, device=asked.device)


def _detr(asked: Opening) -> Detector:
    from scorers.models.detr import Detr

    return Detr(asked.name, side=asked.side, keep=asked.keep, device=asked.device)


def _grounding_dino(asked: Opening) -> Detector:
    from scorers.models.grounding_dino import GroundingDino

    return GroundingDino(asked.name, side=asked.side, keep=asked.keep, device=asked.device)


_FAMILIES: Final[dict[str, Callable[[Opening], Detector]]] = {
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
    asked = Opening(name, side, keep, overlap, device, precision)
    path = folder(name)
    yolo = checkpoint(name) if path is None or (path / "config.json").is_file() else path
    if yolo is not None:
        from scorers.models.yolo import Yolo

        _only_in_full(asked, "YOLO")
        return Yolo(yolo, side=side, keep=keep, overlap=overlap, device=device)
    if path is None and "/" not in name:
        raise ValueError(f"there is no detector {name}: {_ACCEPTED}")
    from scorers.models.transformer import config_of

    kind = config_of(name).model_type
    if kind not in _FAMILIES:
        raise ValueError(f"{name} is a model of the kind {kind}; known: {', '.join(sorted(_FAMILIES))} and YOLO")
    if kind != "mask2former":
        _only_in_full(asked, kind)
    return _FAMILIES[kind](asked)


def _only_in_full(asked: Opening, kind: str) -> None:
    if asked.precision != FULL:
        raise ValueError(f"precision {asked.precision} is for Mask2Former; {asked.name} ({kind}) has {FULL} alone")
