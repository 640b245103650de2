"""Whether a model works: its numbers can be those of a working model, and known photographs look to it as they do to everybody.

GenEval's own detector, on a GPU that its kernels were not built for, printed an error, found nothing, and every image got 0
(GenEval's issue 12). Hence: numbers that are none, or that do not depend on the picture, stop a run before it says anything
(``Soundness``). What is not found on the photographs, of which ultralytics packages two, is reported before a run begins, no
more: the detector may be a weak one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from data.images.files import open_image
from scorers.base import ModelBroken

if TYPE_CHECKING:
    from scorers.models.clip import Clip
    from scorers.models.detectors.base import Detector


_ADVICE: Final = "its weights, or its kernels on this device, are broken"


class Soundness:
    """Looks at the numbers of one model, batch by batch. Finite they must always be; that they depend on the picture is asked
    until two different pictures have been seen.

    Args:
        model: its name, for the message.
        noun: what it is given, in a word.
    """

    def __init__(self, model: str, noun: str = "pictures") -> None:
        self._model = model
        self._what = noun
        self._finite_once = False
        self._seen: tuple[torch.Tensor, list[NDArray[np.float32]]] | None = None
        self._varied = False

    def check(self, pixels: torch.Tensor, *outputs: torch.Tensor) -> None:
        """Look at a batch.

        Args:
            pixels: B x 3 x H x W, what the model was given (or B x L tokens of texts).
            outputs: B x ... each, what it made of them; each kind of numbers for itself must depend on the picture.

        Raises:
            ModelBroken: the first pictures' numbers are not finite, or all the same.
            ValueError: a later picture's numbers are not finite.
        """
        finite = torch.stack([torch.isfinite(output).flatten(1).all(1) for output in outputs]).all(0)
        if not bool(finite.all()):
            if not self._finite_once and not bool(finite.any()):
                raise ModelBroken(f"{self._model} gives no finite numbers: {_ADVICE}")
            raise ValueError(f"{self._model} gives no finite numbers for it")
        self._finite_once = True
        if not self._varied:
            for k in range(len(pixels)):
                self._compare(pixels[k], [output[k].detach().float().cpu().numpy() for output in outputs])

    def _compare(self, pixels: torch.Tensor, numbers: list[NDArray[np.float32]]) -> None:
        """One picture's numbers with those of the first."""
        if any(some.size > 1 and bool((some == some.flat[0]).all()) for some in numbers):
            raise ModelBroken(f"{self._model} gives the same number for everything: {_ADVICE}")
        if self._seen is None:
            self._seen = (pixels.clone(), numbers)
            return
        first, first_numbers = self._seen
        if pixels.shape == first.shape and torch.equal(pixels, first):
            return
        # to the last bit: two pictures may differ by one pixel
        if any(a.shape == b.shape and np.array_equal(a, b) for a, b in zip(first_numbers, numbers, strict=True)):
            raise ModelBroken(f"{self._model} gives the same numbers for different {self._what}: {_ADVICE}")
        self._varied, self._seen = True, None


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
