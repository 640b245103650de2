"""Whether known photographs look to a model as they do to everybody.

What is not found on the photographs, of which ultralytics packages two, is reported before a run begins, no more: the detector
may be a weak one. Whether a model's numbers can be right at all, ``soundness`` asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image

from data.images.files import open_image

if TYPE_CHECKING:
    from scorers.models.clip import Clip
    from scorers.models.detectors.base import Detector


PHOTOGRAPHS: Final[dict[str, tuple[str, ...]]] = {"bus.jpg": ("bus", "person"), "zidane.jpg": ("person",)}
"""File, and what is plainly on it."""
_CAPTIONS: Final = {"bus.jpg": "a photo of a bus in a street", "zidane.jpg": "a photo of two men"}
_OTHERS: Final = ("a photo of a pizza on a table", "a photo of a zebra in the grass")


def photographs() -> dict[str, Image.Image]:
    """Those that are installed, by file; none without ultralytics."""
    spec = find_spec("ultralytics")
    places = spec.submodule_search_locations if spec is not None else None
    files = {name: Path(folder) / "assets" / name for folder in places or () for name in PHOTOGRAPHS}
    return {name: open_image(path) for name, path in files.items() if path.is_file()}


@dataclass(frozen=True, slots=True)
class DetectorCheck:
    """How a detector does on known photographs.

    Attributes:
        failures: what it does not find there, a line each: a run with it stops unless somebody insists.
        warnings: why it could not be checked.
    """

    failures: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check_detector(detector: Detector, threshold: float) -> DetectorCheck:
    """What a detector finds above a threshold. Nothing is said of one that does not know these things (the playground's).

    Raises:
        ModelBroken: its numbers are not those of a working model.
    """
    if detector.knows is not None and not {name for names in PHOTOGRAPHS.values() for name in names} <= detector.knows:
        return DetectorCheck()
    photos = photographs()
    if not photos:
        why = "the detector was not checked on known photographs: they come with ultralytics, which is not installed"
        return DetectorCheck(warnings=(why,))
    listed = list(photos)
    seen = detector.detect([photos[name] for name in listed], [PHOTOGRAPHS[name] for name in listed])
    warnings = []
    for name, objects in zip(listed, seen, strict=True):
        there = {detected.label for detected in objects if detected.score > threshold}
        missing = [thing for thing in PHOTOGRAPHS[name] if thing not in there]
        if missing:
            warnings.append(
                f"on a known photograph ({name}) the detector finds no {' and no '.join(missing)} with confidence above"
                f" {threshold:g}: its weights may be wrong, or broken on this device"
            )
    return DetectorCheck(tuple(warnings))


def check_clip(clip: Clip, name: str) -> tuple[str, ...]:
    """A line for each photograph whose own caption is not the nearest to it.

    Nothing is said of the playground's model, which knows drawings only.

    Raises:
        ModelBroken: its numbers are not those of a working model.
    """
    photos = photographs()
    if not photos or name.startswith("assets/playground/"):
        return ()
    listed = list(photos)
    captions: Sequence[str] = [*(_CAPTIONS[photo] for photo in listed), *_OTHERS]
    nearest = np.argmax(clip.images([photos[photo] for photo in listed]) @ clip.texts(captions).T, axis=1)
    return tuple(
        f"a known photograph ({photo}) is nearer to {captions[best]!r} than to {captions[k]!r} in the image-text model:"
        " its weights may be wrong, or broken on this device"
        for k, (photo, best) in enumerate(zip(listed, nearest.tolist(), strict=True))
        if best != k
    )
