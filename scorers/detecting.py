"""What scorers that look with a detector have in common: how many images at once, and which settings make sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from PIL import Image

from scorers.base import Shown

MAX_PIXELS: Final = 1 << 24
"""Of an image that a detector is given: 4096 x 4096. Each object has a mask of that size."""
_PIXELS_AT_ONCE: Final = 1 << 25


def portions(batch: Sequence[Shown]) -> Iterator[list[int]]:
    """Places of the images, as many together as memory allows; those that are too large are in none."""
    some: list[int] = []
    pixels = 0
    for number, shown in enumerate(batch):
        size = shown.image.width * shown.image.height
        if size > MAX_PIXELS:
            continue
        if some and pixels + size > _PIXELS_AT_ONCE:
            yield some
            some, pixels = [], 0
        some.append(number)
        pixels += size
    if some:
        yield some


def too_large(image: Image.Image) -> str:
    """Why an image that is in no portion was not looked at."""
    size = f"{image.width} x {image.height} pixels"
    return f"{size}: a detector is given at most {MAX_PIXELS / 1e6:.0f} megapixels; shrink it"


def check_settings(settings: Mapping[str, Any], lowest: float) -> None:
    """Whether what is kept, and how images are brought to the detector, makes sense.

    Args:
        settings: with ``keep``, ``detector_side`` and ``detector_overlap``.
        lowest: the lowest threshold of judging.

    Raises:
        ValueError: one does not.
    """
    if not 0 <= settings["keep"] <= lowest:
        raise ValueError(f"keep must be from 0 to the lowest threshold ({lowest:g}), got {settings['keep']:g}")
    if settings["detector_side"] < 32 or settings["detector_side"] % 32:
        raise ValueError(f"detector_side must be a multiple of 32, got {settings['detector_side']}")
    if not 0 < settings["detector_overlap"] <= 1:
        raise ValueError(f"detector_overlap must be above 0 and at most 1, got {settings['detector_overlap']:g}")
