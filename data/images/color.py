"""Image colours: eight-bit RGB of a picture in any mode, and the ICC profile that says which colours its numbers mean."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Final

import numpy as np
from PIL import Image as Pillow
from PIL import ImageCms

_RGB: Final = b"RGB "
_SPACES: Final = dict.fromkeys(("1", "L", "LA", "La", "I", "F", "I;16", "I;16B", "I;16L"), b"GRAY") | {
    "CMYK": b"CMYK",
    "LAB": b"Lab ",
}
"""The colour space of a profile that fits a mode; of all others RGB."""
_MAX_PROFILE: Final = 4 << 20
_SRGB: Final = ImageCms.createProfile("sRGB")


def opaque(image: Pillow.Image) -> Pillow.Image:
    """Convert to eight-bit RGB; what is transparent becomes white."""
    if image.mode.startswith("I") or image.mode == "F":
        image = Pillow.fromarray(_eight_bit(np.asarray(image)))
    if image.has_transparency_data:
        canvas = Pillow.new("RGBA", image.size, "white")
        canvas.alpha_composite(image.convert("RGBA"))
        return canvas.convert("RGB")
    return image.convert("RGB")


def on_screen(image: Pillow.Image) -> tuple[Pillow.Image, bytes]:
    """Convert to eight-bit RGB on white, and return it with the ICC profile of its numbers (empty: they are sRGB).

    A profile of greys or inks means nothing beside RGB, so such a picture is converted to sRGB.
    """
    profile = color_profile(image)
    if profile and profile[16:20] != _RGB:
        return opaque(in_srgb(image, profile)), b""
    return opaque(image), profile


def color_profile(image: Pillow.Image) -> bytes:
    """Return a picture's ICC profile; empty if none fits its mode, or if it means sRGB within one level."""
    profile: bytes = image.info.get("icc_profile") or b""
    fitting = profile[16:20] == _SPACES.get(image.mode, _RGB) and len(profile) <= _MAX_PROFILE
    return profile if fitting and not _is_srgb(profile) else b""


def in_srgb(image: Pillow.Image, profile: bytes) -> Pillow.Image:
    """Convert greys, CMYK or Lab with this profile to sRGB; transparency stays. A damaged profile changes nothing."""
    if image.mode in ("CMYK", "LAB"):
        return _converted(image, profile) or image
    if image.mode.startswith("I") or image.mode == "F":
        image = Pillow.fromarray(_eight_bit(np.asarray(image)))
    alpha = image.convert("LA").getchannel("A") if image.has_transparency_data else None
    converted = _converted(image.convert("L"), profile)
    if converted is None:
        return image
    if alpha is not None:
        converted.putalpha(alpha)
    return converted


def _converted(image: Pillow.Image, profile: bytes) -> Pillow.Image | None:
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        return ImageCms.profileToProfile(image, source, _SRGB, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None


@lru_cache(maxsize=64)
def _is_srgb(profile: bytes) -> bool:
    """Return True if a profile means sRGB within one level, or cannot be read: browsers take its numbers for sRGB then."""
    if profile[16:20] == b"GRAY":
        sample = Pillow.fromarray(np.arange(256, dtype=np.uint8)[None, :])
    elif profile[16:20] == _RGB:
        levels = np.linspace(0, 255, 18).astype(np.uint8)
        sample = Pillow.fromarray(np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(1, -1, 3))
    else:
        return False
    converted = _converted(sample, profile)
    if converted is None:
        return True
    return bool(np.abs(np.asarray(converted, np.int16) - np.asarray(sample.convert("RGB"), np.int16)).max() <= 1)


def _eight_bit(pixels: np.ndarray) -> np.ndarray:
    """Grey values of more than eight bits. 16-bit integers by their full range; wider ones have none, so by their own."""
    with np.errstate(invalid="ignore"):  # NaN of a kind that warns
        values = np.nan_to_num(pixels.astype(np.float64), posinf=0, neginf=0)
    low, high = 0.0, 65535.0
    if pixels.dtype.kind == "f" or values.max() > high or values.min() < 0:
        low, high = float(values.min()), float(values.max())
    with np.errstate(all="ignore"):  # of numbers near the largest there are
        scaled = np.nan_to_num((values - low) * (255.0 / ((high - low) or 1.0)))
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)
