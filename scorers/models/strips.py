"""Pictures that are much longer than wide, for models that look at a square cut out of the middle."""

from __future__ import annotations

from typing import Final

from PIL import Image

_LONGEST: Final = 16
"""Sides of a picture: of a longer strip only the middle is looked at, as it would be cut out anyhow, but only after the whole
strip were enlarged (a crop of 1 x 2,000 pixels to 224 x 448,000)."""


def shortened(image: Image.Image) -> Image.Image:
    """The middle of a strip; other pictures as they are."""
    width, height = image.size
    longest = _LONGEST * min(width, height)
    if max(width, height) <= longest:
        return image
    x0, y0 = max(0, width - longest) // 2, max(0, height - longest) // 2
    return image.crop((x0, y0, x0 + min(width, longest), y0 + min(height, longest)))
