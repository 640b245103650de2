"""Pictures without metadata: nothing that a file says of itself is left, and every pixel is as it was."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow
from PIL import ImageCms, ImageOps, PngImagePlugin

from data.images.clean import clean_image
from data.images.files import ImageError, thumbnail

TOLD = b"secret-generator-xl"
"""What a file says of itself, wherever it may."""
WORDS = TOLD.decode()
PATH = Path("x.img")


def picture(mode: str = "RGB", size: tuple[int, int] = (37, 23)) -> Pillow.Image:
    """Noise over a gradient, other in each channel, so that no turn and no channel can be mistaken."""
    rng = np.random.default_rng(7)
    width, height = size
    ramp = np.linspace(0, 200, width * height).reshape(height, width)
    if mode in ("I;16", "I", "F"):
        return Pillow.fromarray((ramp * 300).astype({"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode]))
    channels = [(ramp[:, ::step] + rng.integers(0, 50, (height, width))).astype(np.uint8) for step in (1, -1, 1, -1)]
    if mode in ("1", "P"):
        return Pillow.fromarray(np.dstack(channels[:3])).convert(mode)
    if mode in ("L", "LA"):
        return Pillow.merge(mode, [Pillow.fromarray(channel) for channel in channels[: len(mode)]])
    return Pillow.merge(mode, [Pillow.fromarray(channel) for channel in channels[: len(mode)]])


def exif(turn: int = 1) -> Pillow.Exif:
    made = Pillow.Exif()
    made[0x0112] = turn
    made[0x010E] = made[0x0131] = made[0x013B] = WORDS  # description, software, artist
    made[0x9C9C] = WORDS.encode("utf-16-le")
    return made


def xmp(turn: int | None = None) -> bytes:
    mark = f' tiff:Orientation="{turn}"' if turn else ""
    return f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><a{mark}>{WORDS}</a></x:xmpmeta>'.encode()


def profile(space: str = "RGB") -> bytes:
    """A profile that is not sRGB's: Display P3, greys with a gamma of 1.8, or Lab."""
    if space == "LAB":
        return bytes(ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes())
    curve = b"curv" + bytes(4) + struct.pack(">IH", 1, round(1.8 * 256)) + bytes(2)
    xyz = [b"XYZ " + bytes(4) + struct.pack(">3i", *(round(v * 65536) for v in values)) for values in (
        (0.9642, 1.0, 0.8249), (0.5151, 0.2412, -0.0011), (0.2919, 0.6922, 0.0419), (0.1571, 0.0666, 0.7841),
    )]  # fmt: skip
    text = b"desc" + bytes(4) + struct.pack(">I", 5) + b"wide\0" + bytes(78)
    text += bytes(-len(text) % 4)
    tags = [(b"desc", text), (b"cprt", b"text" + bytes(4) + b"none\0\0\0\0"), (b"wtpt", xyz[0])]
    if space == "GRAY":
        tags.append((b"kTRC", curve))
    else:
        tags += [(b"rXYZ", xyz[1]), (b"gXYZ", xyz[2]), (b"bXYZ", xyz[3])]
        tags += [(name, curve) for name in (b"rTRC", b"gTRC", b"bTRC")]
    table, body, start = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    for name, content in tags:
        table += struct.pack(">4sII", name, start + len(body), len(content))
        body += content
    head = bytearray(128)
    head[8:12] = b"\2\x10\0\0"
    head[12:24] = b"mntr" + {"GRAY": b"GRAY"}.get(space, b"RGB ") + b"XYZ "
    head[36:40] = b"acsp"
    head[68:80] = struct.pack(">3i", 63190, 65536, 54061)
    made = bytes(head) + table + body
    return struct.pack(">I", len(made)) + made[4:]


SRGB = bytes(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())


def saved(image: Pillow.Image, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def png_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def told_png(image: Pillow.Image, turn: int = 1, **options: Any) -> bytes:
    """A PNG that tells in every chunk that can, and after its end."""
    info = PngImagePlugin.PngInfo()
    info.add_text("parameters", f"a cow\nModel: {WORDS}")
    info.add_text("prompt", WORDS, zip=True)
    info.add_itxt("XML:com.adobe.xmp", xmp().decode())
    info.add_itxt("Description", WORDS, zip=True)
    data = saved(image, "PNG", pnginfo=info, exif=exif(turn), dpi=(72, 72), **options)
    private = png_chunk(b"tIME", b"\x07\xea\1\1\1\1\1") + png_chunk(b"prVt", TOLD) + png_chunk(b"caBX", TOLD)
    head = 8 + 25
    return data[:head] + private + data[head:] + TOLD


def told_jpeg(image: Pillow.Image, turn: int = 1, **options: Any) -> bytes:
    """A JPEG that tells in EXIF, XMP, IPTC, comments, a thumbnail, between its scans and after its end."""
    data = saved(image, "JPEG", exif=exif(turn), xmp=xmp(), comment=TOLD, quality=92, progressive=True, **options)

    def segment(marker: int, content: bytes) -> bytes:
        return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content

    iptc = segment(0xED, b"Photoshop 3.0\x008BIM\x04\x04\0\0" + struct.pack(">I", len(TOLD)) + TOLD)
    more = segment(0xE0, b"JFXX\0\x10" + TOLD) + iptc + segment(0xEB, b"JP" + TOLD) + b"\xff" + segment(0xFE, TOLD)
    last = data.rindex(b"\xff\xda")
    return data[:2] + more + data[2:last] + segment(0xE1, TOLD) + data[last:] + TOLD


def told_webp(image: Pillow.Image, turn: int = 1, **options: Any) -> bytes:
    data = saved(image, "WEBP", exif=exif(turn), xmp=xmp(), **options)
    odd = b"XYZW" + struct.pack("<I", len(TOLD)) + TOLD + bytes(len(TOLD) % 2)
    return data[:4] + struct.pack("<I", len(data) - 8 + len(odd)) + data[8:] + odd + TOLD


def told_gif(image: Pillow.Image, **options: Any) -> bytes:
    return saved(image, "GIF", comment=TOLD, **options) + TOLD


def told_tiff(image: Pillow.Image, turn: int = 1, **options: Any) -> bytes:
    return saved(image, "TIFF", exif=exif(turn), tiffinfo={270: WORDS, 305: WORDS, 700: xmp(), 0x0112: turn}, **options) + TOLD


def animation() -> dict[str, Any]:
    """Options that make a file of two frames."""
    return {"save_all": True, "append_images": [ImageOps.invert(picture())], "duration": 100, "loop": 0}


def palette_with_transparency() -> bytes:
    image = picture("RGB").quantize(40)
    return told_png(image, transparency=bytes(range(0, 240, 6)))


def rgb_16_bit() -> bytes:
    """A PNG of 16 bits a channel, which Pillow reads by its upper eight."""
    rows = np.random.default_rng(1).integers(0, 65536, (23, 37, 3)).astype(">u2")
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", 37, 23, 16, 2, 0, 0, 0)
    text = png_chunk(b"tEXt", b"parameters\0" + TOLD)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", head)
        + text
        + png_chunk(b"IDAT", zlib.compress(lines))
        + png_chunk(b"IEND", b"")
    )


FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "png": (lambda: told_png(picture()), "image/png"),
    "png, alpha": (lambda: told_png(picture("RGBA")), "image/png"),
    "png, grey and alpha": (lambda: told_png(picture("LA")), "image/png"),
    "png, one bit": (lambda: told_png(picture("1")), "image/png"),
    "png, palette": (palette_with_transparency, "image/png"),
    "png, a transparent colour": (lambda: told_png(picture(), transparency=(9, 8, 7)), "image/png"),
    "png, 16 bit grey": (lambda: told_png(picture("I;16")), "image/png"),
    "png, 16 bit rgb": (rgb_16_bit, "image/png"),
    "png, wide colours": (lambda: told_png(picture(), icc_profile=profile()), "image/png"),
    "png, wide greys": (lambda: told_png(picture("L"), icc_profile=profile("GRAY")), "image/png"),
    "png, animated": (lambda: told_png(picture(), **animation()), "image/png"),
    "png, turned": (lambda: told_png(picture(), 6, icc_profile=profile()), "image/png"),
    "png, turned palette": (lambda: told_png(picture("RGB").quantize(9), 5, transparency=3), "image/png"),
    "png, turned 16 bit": (lambda: told_png(picture("I;16"), 8), "image/png"),
    "jpeg": (lambda: told_jpeg(picture()), "image/jpeg"),
    "jpeg, grey": (lambda: told_jpeg(picture("L")), "image/jpeg"),
    "jpeg, cmyk": (lambda: told_jpeg(picture("CMYK")), "image/jpeg"),
    "jpeg, rgb kept": (lambda: told_jpeg(picture(), keep_rgb=True), "image/jpeg"),
    "jpeg, wide colours": (lambda: told_jpeg(picture(), icc_profile=profile() + bytes(70_000)), "image/jpeg"),
    "jpeg, several pictures": (
        lambda: saved(picture(), "MPO", save_all=True, append_images=[picture()], exif=exif()) + TOLD,
        "image/jpeg",
    ),
    **{f"jpeg, turned {n}": (partial(told_jpeg, picture(), n, icc_profile=profile()), "image/png") for n in range(2, 9)},
    "webp": (lambda: told_webp(picture(), quality=80), "image/webp"),
    "webp, lossless with alpha": (lambda: told_webp(picture("RGBA"), lossless=True, exact=True), "image/webp"),
    "webp, lossy with alpha": (lambda: told_webp(picture("RGBA"), quality=70), "image/webp"),
    "webp, wide colours": (lambda: told_webp(picture(), icc_profile=profile()), "image/webp"),
    "webp, turned": (lambda: told_webp(picture(), 3), "image/png"),
    "webp, animated": (lambda: told_webp(picture(), lossless=True, **animation()), "image/png"),
    "gif": (lambda: told_gif(picture("P"), transparency=5), "image/png"),
    "gif, animated": (lambda: told_gif(picture().quantize(64), **animation()), "image/png"),
    "bmp": (lambda: saved(picture(), "BMP") + TOLD, "image/png"),
    "bmp, palette": (lambda: saved(picture("P"), "BMP") + TOLD, "image/png"),
    "tiff": (lambda: told_tiff(picture()), "image/png"),
    "tiff, alpha, turned": (lambda: told_tiff(picture("RGBA"), 6, compression="tiff_lzw"), "image/png"),
    "tiff, 16 bit": (lambda: told_tiff(picture("I;16")), "image/png"),
    "avif": (lambda: saved(picture(), "AVIF", exif=exif(), xmp=xmp(), quality=90) + TOLD, "image/png"),
}


def decoded(data: bytes) -> Pillow.Image:
    image = Pillow.open(io.BytesIO(data))
    image.load()
    return ImageOps.exif_transpose(image)


def values(image: Pillow.Image) -> np.ndarray:
    """All that can be seen: colours and transparency, or numbers of more than eight bits."""
    if image.mode in ("I;16", "CMYK"):
        return np.asarray(image)
    return np.asarray(image.convert("RGBA"))


@pytest.mark.parametrize("name", FILES)
def test_no_metadata_and_the_same_pixels(name: str) -> None:
    make, media_type = FILES[name]
    data = make()
    assert TOLD in data, "the file tells nothing, so this test would prove nothing"
    clean = clean_image(PATH, data)
    assert clean.media_type == media_type
    for word in (
        TOLD,
        WORDS.encode("utf-16-le"),
        b"Exif",
        b"xmp",
        b"8BIM",
        b"tEXt",
        b"iTXt",
        b"zTXt",
        b"eXIf",
        b"tIME",
        b"pHYs",
    ):
        assert word not in clean.content
    image = Pillow.open(io.BytesIO(clean.content))
    assert not {"exif", "xmp", "comment", "parameters", "photoshop", "XML:com.adobe.xmp"} & set(image.info)
    assert getattr(image, "n_frames", 1) == 1
    before, after = decoded(data), decoded(clean.content)
    assert before.size == after.size
    np.testing.assert_array_equal(values(before), values(after))
    expected = before.info.get("icc_profile", b"") or b""
    assert (after.info.get("icc_profile") or b"") == expected
    assert clean_image(PATH, clean.content) == clean


def test_16_bit_colours_keep_all_their_bits() -> None:
    data = rgb_16_bit()
    clean = clean_image(PATH, data).content
    assert clean == data.replace(png_chunk(b"tEXt", b"parameters\0" + TOLD), b"")


def test_the_orientation_of_xmp_turns_a_picture_as_it_is_shown() -> None:
    data = saved(picture(), "JPEG", xmp=xmp(6), quality=95)
    clean = clean_image(PATH, data)
    np.testing.assert_array_equal(values(decoded(data)), values(decoded(clean.content)))


@pytest.mark.parametrize("space", ["GRAY", "LAB"])
def test_colours_that_png_cannot_hold_are_converted_within_a_level(space: str) -> None:
    """Greys keep their profile, Lab becomes sRGB."""
    image = picture("L" if space == "GRAY" else "LAB")
    if space == "LAB":
        both = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
        image = ImageCms.profileToProfile(picture(), *both, outputMode="LAB") or image
    data = saved(image, "TIFF", icc_profile=profile(space))
    clean = decoded(clean_image(PATH, data).content)
    if space == "GRAY":
        assert clean.info["icc_profile"] == profile("GRAY")
        assert clean.tobytes() == image.tobytes()
        return
    source = ImageCms.ImageCmsProfile(io.BytesIO(profile(space)))
    expected = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    assert np.abs(np.asarray(clean, int) - np.asarray(expected, int)).max() <= 1


def test_turned_cmyk_becomes_rgb() -> None:
    data = told_jpeg(picture("CMYK"), 6)
    clean = decoded(clean_image(PATH, data).content)
    np.testing.assert_array_equal(np.asarray(clean), np.asarray(decoded(data).convert("RGB")))


def test_a_profile_that_means_srgb_is_left_out() -> None:
    """It is what browsers take colours for without one, and names the program that wrote it."""
    for data in (
        told_png(picture(), icc_profile=SRGB),
        told_jpeg(picture(), icc_profile=SRGB),
        told_webp(picture(), icc_profile=SRGB),
    ):
        clean = decoded(clean_image(PATH, data).content)
        assert "icc_profile" not in clean.info
        np.testing.assert_array_equal(values(clean), values(decoded(data)))


@pytest.mark.parametrize("make", [told_png, told_jpeg, told_webp])
def test_thumbnails_tell_nothing_and_keep_their_colours(make: Callable[..., bytes], tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(make(picture(), 6, icc_profile=profile()))
    for fine in (False, True):
        small = thumbnail(tmp_path / "x", 20, fine=fine)
        for word in (TOLD, b"EXIF", b"XMP "):
            assert word not in small
        image = decoded(small)
        assert (image.size[0], image.info["icc_profile"]) == (20, profile())


@pytest.mark.parametrize("name", ["png", "jpeg", "webp", "gif"])
def test_damaged_files_are_errors_or_pictures(name: str) -> None:
    data = FILES[name][0]()
    for cut in range(0, len(data), max(1, len(data) // 60)):
        for damaged in (data[:cut], data[:cut] + b"\xff\xe1" + data[cut + 2 :]):
            try:
                clean = clean_image(PATH, damaged)
            except ImageError:
                continue
            np.testing.assert_array_equal(values(decoded(damaged)), values(decoded(clean.content)))
