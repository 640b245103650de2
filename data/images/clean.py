"""Pictures without metadata: the same pixels, upright, and nothing beside them that tells who or what made the picture.

A PNG, JPEG or WebP that stands upright keeps its compressed data, and loses every part that is not about its pixels and their
colours. Of all others, and of animations in WebP, the first frame is turned upright and packed without loss as PNG.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image as Pillow

from data.images.color import color_profile, in_srgb, opaque
from data.images.files import ImageError, decode, orientation, upright

_ROWS: Final = 512
"""So many rows are compared at once: a whole picture may fill the memory."""


@dataclass(frozen=True, slots=True)
class CleanImage:
    """A picture's file without metadata, and its media type."""

    content: bytes
    media_type: str


def clean_image(path: Path, data: bytes) -> CleanImage:
    """Return a picture without metadata. ``data`` is the file's content; the ``path`` is only named in errors.

    A profile that differs from sRGB is kept. CMYK and Lab that are packed anew become sRGB, greys of 32 bits eight-bit RGB.

    Raises:
        ImageError: the file is no usable image.
    """
    image = decode(path, data)
    if orientation(image) == 1:
        content, media_type = _stripped(image, data)
        # a file of an unusual structure is packed anew
        if content is not None and _is_same(image, content):
            return CleanImage(content, media_type)
    try:
        return CleanImage(_packed(upright(image)), "image/png")
    except Exception as error:  # Pillow raises whatever its plugins and colour conversions raise
        raise ImageError(path, f"cannot be written without metadata ({type(error).__name__})") from error


def _stripped(image: Pillow.Image, data: bytes) -> tuple[bytes | None, str]:
    profile = color_profile(image)
    with suppress(ValueError, IndexError, struct.error):
        if image.format == "PNG":
            return _stripped_png(data, profile), "image/png"
        if image.format in ("JPEG", "MPO"):
            return _stripped_jpeg(data, profile), "image/jpeg"
        if image.format == "WEBP" and not getattr(image, "is_animated", False):
            return _stripped_webp(data, profile), "image/webp"
    return None, ""


_PNG_PIXELS: Final = frozenset((b"IHDR", b"PLTE", b"tRNS", b"sBIT", b"cICP", b"IDAT", b"IEND"))
_PNG_COLORS: Final = frozenset((b"gAMA", b"cHRM", b"sRGB"))
"""What says which colours are meant where there is no profile."""


def _png_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each chunk's kind and the whole chunk, up to the end of the picture."""
    start, kind = 8, b""
    while kind != b"IEND":
        (length,) = struct.unpack_from(">I", data, start)
        kind, end = data[start + 4 : start + 8], start + 12 + length
        if end > len(data):
            raise ValueError("cut off")
        yield kind, data[start:end]
        start = end


def _stripped_png(data: bytes, profile: bytes) -> bytes:
    chunks = list(_png_chunks(data))
    kept = _PNG_PIXELS if any(kind == b"iCCP" for kind, _ in chunks) else _PNG_PIXELS | _PNG_COLORS
    parts = [data[:8]]
    for kind, chunk in chunks:
        if kind in kept:
            parts.append(chunk)
        if kind == b"IHDR" and profile:
            parts.append(_png_chunk(b"iCCP", b"ICC Profile\0\0" + zlib.compress(profile)))
    return b"".join(parts)


_JPEG_PIXELS: Final = frozenset((*range(0xC0, 0xD0), *range(0xDA, 0xE0)))
_SOI, _EOI, _SOS, _APP0, _APP14 = 0xD8, 0xD9, 0xDA, 0xE0, 0xEE
_JFIF: Final = b"JFIF\0\1\1\0\0\1\0\1\0\0"
_ADOBE_BYTES: Final = 12
_NEXT_MARKER: Final = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_ICC_HEAD: Final = b"ICC_PROFILE\0"
_ICC_PART: Final = 65519  # of a profile in one segment


def _jpeg_segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _jpeg_profile(profile: bytes) -> bytes:
    parts = [profile[start : start + _ICC_PART] for start in range(0, len(profile), _ICC_PART)]
    return b"".join(_jpeg_segment(0xE2, _ICC_HEAD + bytes((n, len(parts))) + part) for n, part in enumerate(parts, 1))


def _stripped_jpeg(data: bytes, profile: bytes) -> bytes:
    """Return JFIF's head without a thumbnail, the profile, Adobe's colour transform, tables and scans: what decoders need."""
    jfif, adobe, parts = False, b"", []
    position = 2
    while True:
        if data[position] != 0xFF:
            raise ValueError("no marker")
        marker = data[position + 1]
        if marker == 0xFF:  # a byte that fills
            position += 1
            continue
        if marker == _EOI:
            break
        (length,) = struct.unpack_from(">H", data, position + 2)
        end = position + 2 + length
        content = data[position + 4 : end]
        if length < 2 or end > len(data):
            raise ValueError("cut off")
        if marker == _APP0 and content.startswith(b"JFIF\0"):
            jfif = True
        elif marker == _APP14 and content.startswith(b"Adobe") and len(content) >= _ADOBE_BYTES:
            adobe = _jpeg_segment(_APP14, content[:_ADOBE_BYTES])
        elif marker in _JPEG_PIXELS:
            if marker == _SOS:
                following = _NEXT_MARKER.search(data, end)
                if following is None:
                    raise ValueError("no end")
                end = following.start()
            parts.append(data[position:end])
        position = end
    head = [b"\xff\xd8", _jpeg_segment(_APP0, _JFIF) if jfif else b"", _jpeg_profile(profile), adobe]
    return b"".join((*head, *parts, b"\xff\xd9"))


_WEBP_PIXELS: Final = frozenset((b"ALPH", b"VP8 ", b"VP8L"))
_WEBP_ALPHA, _WEBP_PROFILE = 0x10, 0x20


def _webp_chunk(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _stripped_webp(data: bytes, profile: bytes) -> bytes:
    (size,) = struct.unpack_from("<I", data, 4)
    position, whole, parts = 12, min(len(data), size + 8), []
    while position + 8 <= whole:
        kind = data[position : position + 4]
        (length,) = struct.unpack_from("<I", data, position + 4)
        content = data[position + 8 : position + 8 + length]
        if kind == b"VP8X":
            flags = content[0] & _WEBP_ALPHA | (_WEBP_PROFILE if profile else 0)
            parts.append(_webp_chunk(kind, bytes((flags, 0, 0, 0)) + content[4:10]))
            parts.append(_webp_chunk(b"ICCP", profile) if profile else b"")
        elif kind in _WEBP_PIXELS:
            parts.append(_webp_chunk(kind, content))
        position += 8 + length + length % 2
    body = b"WEBP" + b"".join(parts)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _is_same(image: Pillow.Image, content: bytes) -> bool:
    """Return True if a file decodes to the same pixels as this image."""
    try:
        other = Pillow.open(io.BytesIO(content), formats=("PNG", "JPEG", "WEBP"))
        other.load()
    except Exception:  # Pillow's readers raise whatever they like
        return False
    alike = (image.mode, image.size, image.getpalette(), image.info.get("transparency"))
    if alike != (other.mode, other.size, other.getpalette(), other.info.get("transparency")):
        return False
    bands = [(0, top, image.width, min(top + _ROWS, image.height)) for top in range(0, image.height, _ROWS)]
    return all(image.crop(band).tobytes() == other.crop(band).tobytes() for band in bands)


_PNG_MODES: Final = frozenset(("1", "L", "LA", "P", "RGB", "RGBA", "I;16"))


def _packed(image: Pillow.Image) -> bytes:
    """Return an upright picture as PNG, without loss but of modes that PNG does not have."""
    profile = color_profile(image)
    if image.mode in ("I;16B", "I;16L"):
        packable = Pillow.fromarray(np.asarray(image).astype(np.uint16))
    elif image.mode in _PNG_MODES:
        packable = image
    elif image.mode in ("I", "F"):
        packable, profile = opaque(in_srgb(image, profile) if profile else image), b""
    elif profile and image.mode in ("CMYK", "LAB"):
        packable, profile = in_srgb(image, profile), b""
    else:
        packable = image.convert("RGBA" if image.has_transparency_data else "RGB")
    content = _png(packable, profile)
    if packable.mode == "P" and not _is_same(packable, content):
        # a palette that is shorter than its pixels' indices is written as colours
        return _png(packable.convert("RGBA" if packable.has_transparency_data else "RGB"), profile)
    return content


def _png(image: Pillow.Image, profile: bytes) -> bytes:
    out = io.BytesIO()
    # of what it knows of the image Pillow writes the profile unless told otherwise, and the transparency
    image.save(out, "PNG", icc_profile=profile or None, compress_level=4)
    return out.getvalue()
