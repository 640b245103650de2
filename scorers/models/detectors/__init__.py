"""Object detectors: a module per family behind one interface (``base``); `open_detector` opens any of them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

from scorers.models.detectors.base import FULL
from scorers.models.files import checkpoint, folder, refuse_pickle

if TYPE_CHECKING:
    from scorers.models.detectors.base import Detector


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """How a detector is opened.

    Attributes:
        name: a folder, a file, or a hub id.
        side: YOLO, RT-DETR, D-FINE: of the square that images are fitted into; Mask2Former, DETR, Grounding DINO: the
            shorter side that images are brought to, the longer at most 1333/800 of it. OWL-ViT and OWLv2 have sizes of
            their own. Pixels.
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


FAMILIES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "mask2former": ("mask2former:Mask2Former", ("side", "keep", "device", "precision")),
    "owlvit": ("transformers_detectors:Owl", ("keep", "device")),
    "owlv2": ("transformers_detectors:Owl", ("keep", "device")),
    "detr": ("transformers_detectors:Detr", ("side", "keep", "device")),
    "rt_detr": ("transformers_detectors:RtDetr", ("side", "keep", "device")),
    "rt_detr_v2": ("transformers_detectors:RtDetr", ("side", "keep", "device")),
    "d_fine": ("transformers_detectors:RtDetr", ("side", "keep", "device")),
    "grounding-dino": ("transformers_detectors:GroundingDino", ("side", "keep", "device")),
}
"""By what a model's configuration calls itself (``model_type``): the class, as module:name, and the options that it takes."""

_ACCEPTED: Final = "a folder, a hub id (owner/name), or a YOLO checkpoint (yolo11x-seg, looked for in models/)"


def open_detector(name: str, side: int, keep: float, overlap: float, device: str, precision: str = FULL) -> Detector:
    """Load a detector; the arguments are those of `DetectorOptions`.

    ``name`` is a folder with one ``.yaml`` and one ``.safetensors`` (YOLO), the name or path of a YOLO checkpoint
    (``yolo11x-seg``, ``.pt``), or a model of transformers: a folder as ``save_pretrained`` writes it, or a hub id.

    Raises:
        ValueError: there is no such model, its weights do not fit or are a pickle, or it has no such precision.
        OSError: it is not on this machine.
        ImportError: the packages of the group ``yolo`` are not installed.
    """
    refuse_pickle(name)
    options = DetectorOptions(name, side, keep, overlap, device, precision)
    path = folder(name)
    yolo = checkpoint(name) if path is None or (path / "config.json").is_file() else path
    if yolo is not None:
        from scorers.models.detectors.yolo import Yolo

        _only_in_full(options, "YOLO")
        return Yolo(yolo, side=side, keep=keep, overlap=overlap, device=device)
    if path is None and "/" not in name:
        raise ValueError(f"there is no detector {name}: {_ACCEPTED}")
    from scorers.models.pretrained import config_of

    kind = config_of(name).model_type
    if kind not in FAMILIES:
        raise ValueError(f"{name} is a model of type {kind}; known: {', '.join(sorted(FAMILIES))} and YOLO")
    if kind != "mask2former":
        _only_in_full(options, kind)
    family, accepted = FAMILIES[kind]
    module, _, attribute = family.partition(":")
    model = getattr(import_module(f"{__name__}.{module}"), attribute)
    detector: Detector = model(name, **{option: getattr(options, option) for option in accepted})
    return detector


def _only_in_full(options: DetectorOptions, kind: str) -> None:
    if options.precision != FULL:
        raise ValueError(f"precision {options.precision} is for Mask2Former; {options.name} ({kind}) has {FULL} alone")
