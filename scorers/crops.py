"""What GenEval's colour classifier is shown: one object on grey, cropped to its box."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

GREY: Final = "#999"
ORIGINAL: Final = "original"
"""As background: the image's own."""


def check_background(background: str) -> None:
    """Refuse what is no background.

    Raises:
        ValueError: it is neither ``original`` nor a colour as Pillow names them.
    """
    if background != ORIGINAL:
        try:
            ImageColor.getrgb(background)
        except ValueError:
            raise ValueError(f"background must be a colour ({GREY}) or {ORIGINAL}, got {background!r}") from None


def masked_crop(
    image: Image.Image,
    mask: NDArray[np.bool_] | None,
    box: tuple[float, float, float, float],
    crop: bool = True,
    background: str = GREY,
) -> Image.Image:
    """The object alone, as GenEval's ``ImageCrops``; without crop or background as in the paper's Table 4.

    Args:
        image: RGB, W x H.
        mask: H x W; what it leaves out becomes the background. Without one the crop shows all that is in the box.
        box: x0, y0, x1, y1 in pixels; rounded half to even as Pillow does, and never less than one pixel wide or high.
        crop: whether to cut the box out; else the whole image is shown.
        background: a colour, or ``original``.
    """
    if mask is not None and background != ORIGINAL:
        image = Image.composite(image, Image.new("RGB", image.size, background), Image.fromarray(mask))
    if not crop:
        return image
    x0, y0, x1, y1 = (round(edge) if math.isfinite(edge) else 0 for edge in box)
    return image.crop((x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)))
