"""What GenEval's colour classifier is shown: one object on grey, cropped to its box."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

GREY: Final = "#999"


def masked_crop(image: Image.Image, mask: NDArray[np.bool_] | None, box: tuple[float, float, float, float]) -> Image.Image:
    """The object alone.

    Args:
        image: RGB, W x H.
        mask: H x W; what it leaves out becomes grey. Without one the crop shows all that is in the box.
        box: x0, y0, x1, y1 in pixels; rounded half to even as Pillow does, and never less than one pixel wide or high.
    """
    if mask is not None:
        image = Image.composite(image, Image.new("RGB", image.size, GREY), Image.fromarray(mask))
    x0, y0, x1, y1 = (round(edge) if math.isfinite(edge) else 0 for edge in box)
    return image.crop((x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)))
