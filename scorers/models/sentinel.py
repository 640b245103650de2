"""A look at photographs of which everybody knows what they show, before a run begins: ultralytics packages two.

Wrong weights, or kernels that silently fail, have made GenEval report 0 % without an error. What is not found here is said, no
more: the detector may be a weak one.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image

from data.images.files import open_image

if TYPE_CHECKING:
    from scorers.models.clip import Clip
    from scorers.models.detectors import Detector
    from scorers.models.vqa.base import Vqa

SHOWN: Final[dict[str, tuple[str, ...]]] = {"bus.jpg": ("bus", "person"), "zidane.jpg": ("person",)}
"""File, and what is plainly on it."""
_CAPTIONS: Final = {"bus.jpg": "a photo of a bus in a street", "zidane.jpg": "a photo of two men"}
_OTHERS: Final = ("a photo of a pizza on a table", "a photo of a zebra in the grass")


def photographs() -> dict[str, Image.Image]:
    """Those that are installed, by file; none without ultralytics."""
    found = find_spec("ultralytics")
    places = found.submodule_search_locations if found is not None else None
    files = {name: Path(place) / "assets" / name for place in places or () for name in SHOWN}
    return {name: open_image(path) for name, path in files.items() if path.is_file()}


def check_detector(detector: Detector, threshold: float) -> tuple[str, ...]:
    """What a detector fails to find above a threshold, a line each.

    Nothing is said of one that does not know these things (the playground's).

    Raises:
        ModelBroken: its numbers are not those of a working model.
    """
    if detector.knows is not None and not {name for names in SHOWN.values() for name in names} <= detector.knows:
        return ()
    photos = photographs()
    if not photos:
        return ("the detector was not checked on known photographs: they come with ultralytics, which is not installed",)
    listed = list(photos)
    seen = detector.detect([photos[name] for name in listed], [SHOWN[name] for name in listed])
    said = []
    for name, found in zip(listed, seen, strict=True):
        there = {one.label for one in found if one.score > threshold}
        missing = [thing for thing in SHOWN[name] if thing not in there]
        if missing:
            said.append(
                f"on a known photograph ({name}) the detector finds no {' and no '.join(missing)} with confidence above"
                f" {threshold:g}: its weights may be wrong, or broken on this device"
            )
    return tuple(said)


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
    captions: Sequence[str] = [*(_CAPTIONS[one] for one in listed), *_OTHERS]
    nearest = np.argmax(clip.images([photos[one] for one in listed]) @ clip.texts(captions).T, axis=1)
    return tuple(
        f"a known photograph ({one}) is nearer to {captions[best]!r} than to {captions[k]!r} in the image-text model:"
        " its weights may be wrong, or broken on this device"
        for k, (one, best) in enumerate(zip(listed, nearest.tolist(), strict=True))
        if best != k
    )


def check_vqa(vqa: Vqa, name: str) -> tuple[str, ...]:
    """A line for each question about a photograph that a model answers wrongly: whether there are people, and whether a pizza.

    Nothing is said of the playground's model, which knows drawings only.

    Raises:
        ModelBroken: its numbers are not those of a working model.
    """
    from scorers.models.vqa.base import Query

    photos = photographs()
    if not photos or name.startswith("assets/playground/"):
        return ()
    expected = {"Are there people in the picture?": "yes", "Is there a pizza in the picture?": "no"}
    queries = [Query(text, ("yes", "no")) for text in expected]
    answers = vqa.answer(list(photos.values()), [queries] * len(photos))
    return tuple(
        f"on a known photograph ({photo}) the model answers {answer.chosen!r} to {query.text!r}: its weights may be wrong, or"
        " broken on this device"
        for photo, some in zip(photos, answers, strict=True)
        for query, answer in zip(queries, some, strict=True)
        if answer.chosen != expected[query.text]
    )
