"""Masks as bytes: a one-bit PNG of the whole image."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def pack(mask: NDArray[np.bool_]) -> bytes:
    """H x W booleans to PNG."""
    buffer = io.BytesIO()
    Image.fromarray(mask).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def unpack(packed: bytes) -> NDArray[np.bool_]:
    """The inverse of ``pack``.

    Raises:
        ValueError: this is no mask.
    """
    try:
        with Image.open(io.BytesIO(packed), formats=("PNG",)) as image:
            return np.asarray(image.convert("1"), bool)
    except Exception as error:  # Pillow raises whatever its plugins raise
        raise ValueError("a mask that is no PNG") from error
