"""Image folders and files, most of them broken in some way."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.files import InputError
from data.images import files, folders
from data.images.files import ImageError, find_images, read_image_file, thumbnail
from data.prompts import sr2d_suite

SHARED = Path(__file__).resolve().parents[4] / "shared" / "studies"


def save(path: Path, size: tuple[int, int] = (8, 6), mode: str = "RGB", color: Any = None, **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, color if color is not None else 0).save(path, **options)
    return path


def open_thumbnail(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    assert image.format == "WEBP"
    assert image.mode == "RGB"
    assert not image.getexif()
    return image


@pytest.mark.parametrize("extension", sorted(folders.EXTENSIONS))
def test_every_extension_is_read(tmp_path: Path, extension: str) -> None:
    path = save(tmp_path / f"a{extension}")
    image_file = read_image_file(path)
    assert (image_file.width, image_file.height) == (8, 6)
    assert image_file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert open_thumbnail(thumbnail(path, 4)).size == (4, 3)


@pytest.mark.parametrize("extension", [".jpg", ".png", ".tif", ".webp"])
def test_exif_rotation_counts(tmp_path: Path, extension: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = save(tmp_path / f"a{extension}", (40, 20), exif=exif)
    image_file = read_image_file(path)
    assert (image_file.width, image_file.height) == (20, 40)
    assert open_thumbnail(thumbnail(path, 10)).size == (10, 20)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    for extension in ("png", "jpg", "webp", "gif", "bmp", "tif"):
        whole = tmp_path / f"whole.{extension}"
        noise.save(whole)
        cut = tmp_path / f"cut.{extension}"
        cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
        with pytest.raises(ImageError, match=r"cut\.\w+: (damaged|not an image)"):
            read_image_file(cut)
    flipped = bytearray((tmp_path / "whole.png").read_bytes())
    flipped[-20] ^= 0xFF
    bad = tmp_path / "flipped.png"
    bad.write_bytes(flipped)
    with pytest.raises(ImageError, match="damaged"):
        read_image_file(bad)
    with pytest.raises(ImageError, match="damaged"):
        thumbnail(bad, 10)


def test_files_that_are_no_image_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.png").touch()
    (tmp_path / "text.png").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n")
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "link.png").symlink_to(tmp_path / "nowhere.png")
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    os.mkfifo(tmp_path / "pipe.png")
    for name, reason in {
        "empty": "0 bytes",
        "text": "not an image",
        "folder": "a folder",
        "link": "a link to a file that does not exist",
        "loop": "cannot be read",
        "pipe": "not a regular file",
        "missing": "no such file",
    }.items():
        with pytest.raises(ImageError, match=reason) as caught:
            read_image_file(tmp_path / f"{name}.png")
        assert "\n" not in str(caught.value)


def bomb(side: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("side", [10_001, 60_000])
def test_bombs_are_not_decoded(tmp_path: Path, side: int) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(bomb(side))
    for act in (read_image_file, lambda p: thumbnail(p, 10)):
        with pytest.raises(ImageError, match="megapixels"):
            act(path)


def test_animation_counts_as_its_first_frame(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (5, 5), color) for color in ("red", "blue")]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    assert read_image_file(tmp_path / "a.gif").width == 5
    red, _, blue = open_thumbnail(thumbnail(tmp_path / "a.gif", 5)).getpixel((2, 2))  # type: ignore[misc]
    assert red > 200 > 50 > blue


def near(path: Path, expected: tuple[int, int, int]) -> bool:
    pixel = open_thumbnail(thumbnail(path, 100)).getpixel((2, 2))
    assert isinstance(pixel, tuple)
    return all(abs(a - b) <= 6 for a, b in zip(pixel, expected, strict=True))


def test_thumbnails_of_unusual_modes(tmp_path: Path) -> None:
    assert near(save(tmp_path / "clear.png", mode="RGBA", color=(255, 0, 0, 0)), (255, 255, 255))
    assert near(save(tmp_path / "la.png", mode="LA", color=(0, 128)), (127, 127, 127))
    assert near(save(tmp_path / "cmyk.jpg", mode="CMYK", color=(0, 0, 0, 0)), (255, 255, 255))
    assert near(save(tmp_path / "one.png", mode="1", color=1), (255, 255, 255))
    Image.fromarray(np.full((6, 8), 32768, np.uint16)).save(tmp_path / "deep.png")
    assert near(tmp_path / "deep.png", (128, 128, 128))
    Image.fromarray(np.full((6, 8), 0.5, np.float32)).save(tmp_path / "float.tif")
    assert open_thumbnail(thumbnail(tmp_path / "float.tif", 4)).size == (4, 3)
    palette = Image.new("P", (8, 6), 1)
    palette.putpalette([0, 0, 0, 0, 200, 0])
    palette.save(tmp_path / "palette.png")
    assert near(tmp_path / "palette.png", (0, 200, 0))
    palette.save(tmp_path / "hole.png", transparency=1)
    assert near(tmp_path / "hole.png", (255, 255, 255))


def test_thumbnails_never_grow_and_fit_webp(tmp_path: Path) -> None:
    assert open_thumbnail(thumbnail(save(tmp_path / "a.png", (8, 6)), 400)).size == (8, 6)
    assert open_thumbnail(thumbnail(save(tmp_path / "tall.png", (10, 20_000)), 400)).height <= 16_383
    assert open_thumbnail(thumbnail(save(tmp_path / "big.jpg", (3000, 1500)), 300)).size == (300, 150)
    with pytest.raises(ValueError, match="at least 1"):
        thumbnail(tmp_path / "a.png", 0)


METADATA = '{"tag": "single_object", "include": [{"class": "cow", "count": 1}], "prompt": "a photo of a cow"}\n'


def test_geneval_layout(tmp_path: Path) -> None:
    for name in ("00002", "00010", "1", "00001"):
        save(tmp_path / name / "samples" / "00000.png")
        (tmp_path / name / "metadata.jsonl").write_text(METADATA)
    for name in ("10.JPG", "2.png", "cat.webp", "00002.jpg"):
        save(tmp_path / "00002" / "samples" / name)
    (tmp_path / "00010" / "metadata.jsonl").write_text("{oops\n")
    (tmp_path / "00002" / "samples" / "Thumbs.db").touch()
    (tmp_path / "00002" / "samples" / ".hidden.png").touch()
    (tmp_path / "00002" / "grid.png").touch()
    (tmp_path / "notes").mkdir()
    (tmp_path / "00077").mkdir()
    (tmp_path / "readme.txt").touch()
    save(tmp_path / "00003" / "samples" / "b.png")
    images = find_images(tmp_path, "geneval", "g")
    assert [(e.prompt_id, e.index, e.file.path.name) for e in images.entries] == [
        ("geneval/00001", 0, "00000.png"),
        ("geneval/00002", 0, "00000.png"),
        ("geneval/00002", 2, "00002.jpg"),
        ("geneval/00002", 10, "10.JPG"),
        ("geneval/00002", 1, "cat.webp"),
        ("geneval/00003", 0, "b.png"),
    ]
    assert images.entries[1].prompt is not None
    assert images.entries[1].prompt_text == "a photo of a cow"
    assert images.entries[1].task == "single_object"
    assert images.entries[-1].prompt is None
    reasons = {str(s.path.relative_to(tmp_path)): s.reason for s in images.skipped}
    assert set(reasons) == {
        "1",
        "00002/samples/2.png",
        "00002/samples/Thumbs.db",
        "00010",
        "00077",
        "notes",
        "readme.txt",
    }
    assert "metadata.jsonl:1: not JSON" in reasons["00010"]
    assert "extension" in reasons["00002/samples/Thumbs.db"]
    assert reasons["00002/samples/2.png"] == "the same number (2) as 00002.jpg"


def test_visor_layout(tmp_path: Path) -> None:
    for name in ("810_10.png", "810_2.png", "9_0.png", "31680_0.png", "x_1.png"):
        save(tmp_path / name)
    (tmp_path / "9_1.png").write_bytes(b"no")
    (tmp_path / "sub").mkdir()
    calls: list[tuple[int, int]] = []
    images = find_images(tmp_path, "visor", "g", progress=lambda done, total: calls.append((done, total)))
    assert [(e.prompt_id, e.index) for e in images.entries] == [("sr2d/00009", 0), ("sr2d/00810", 2), ("sr2d/00810", 10)]
    assert images.entries[1].prompt == sr2d_suite.numbered_prompt(810)
    assert {s.path.name for s in images.skipped} == {"31680_0.png", "x_1.png", "9_1.png", "sub"}
    assert calls == [(n, 4) for n in (1, 2, 3, 4)]
    own = find_images(tmp_path, "visor", "g", suite="mine")
    assert own.entries[-1].prompt_id == "mine/31680"
    assert own.entries[-1].prompt is None


def test_csv_layout(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("a.png", "b.png", "sub/c.png"):
        save(home / name)
    save(tmp_path / "outside.png")
    (home / "images.csv").write_text(
        "path,prompt,generator,idx,task\n"
        'a.png,"a cat, asleep",g1,,\n'
        'b.png,"a cat, asleep",g1,0,t\n'
        'sub/c.png,"a cat, asleep",,,\n'
        "../outside.png,x,g1,,\n"
        f"{tmp_path}/outside.png,x,g1,,\n"
        "C:\\x.png,x,g1,,\n"
        "..\\outside.png,x,g1,,\n"
        "a.png,x,g1,-1,\n"
        "a.png,,g1,,\n"
        "missing.png,x,g1,,\n"
        "a.png,x,g/1,,\n"
        ",x,g1,,\n"
    )
    images = find_images(home, "csv", "fallback")
    assert [(e.file.path.name, e.generator, e.index, e.task) for e in images.entries] == [
        ("a.png", "g1", 1, None),
        ("b.png", "g1", 0, "t"),
        ("c.png", "fallback", 0, None),
    ]
    assert {(e.prompt_id, e.prompt, e.prompt_text) for e in images.entries} == {(None, None, "a cat, asleep")}
    reasons = [s.reason for s in images.skipped]
    assert [reason.split(": ")[0] for reason in reasons] == [f"images.csv:{n}" for n in (5, 6, 7, 8, 9, 10, 12, 13, 11)]
    assert "'..'" in reasons[0]
    assert "absolute" in reasons[1]
    assert "absolute" in reasons[2]
    assert "no such file" in reasons[-1]


def test_csv_without_generator(tmp_path: Path) -> None:
    (tmp_path / "images.csv").write_text("path,prompt\n")
    with pytest.raises(InputError, match=r"images\.csv:1: no column 'generator'"):
        find_images(tmp_path, "csv", None)
    (tmp_path / "images.csv").write_text("Path,promt\n")
    with pytest.raises(InputError, match=r"no column 'path', 'prompt'\. Did you mean 'Path'\? Did you mean 'promt'\?"):
        find_images(tmp_path, "csv", "g")


@pytest.mark.parametrize("name", ["", "a/b", "a\nb", "x" * 101, " a", None])
def test_generator_names(tmp_path: Path, name: str | None) -> None:
    with pytest.raises(ValueError, match="generator's name"):
        find_images(tmp_path, "visor", name)


def test_no_such_folder(tmp_path: Path) -> None:
    for layout in folders.LAYOUTS:
        with pytest.raises(InputError, match="no such folder"):
            find_images(tmp_path / "no", layout, "g")
        with pytest.raises(InputError, match="folder of images"):
            find_images(save(tmp_path / "file.png"), layout, "g")


@pytest.mark.skipif(not SHARED.exists(), reason="the published studies are not here")
def test_published_visor_images() -> None:
    count = 0
    for folder in sorted((SHARED / "visor" / "images").iterdir()):
        images = find_images(folder, "visor", folder.name)
        assert not images.skipped
        assert all(entry.prompt is not None for entry in images.entries)
        assert {entry.index for entry in images.entries} == {0, 1, 2, 3}
        count += len(images.entries)
    assert count == 700


def test_an_opened_image_is_upright_rgb_on_white(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = files.open_image(save(tmp_path / "turned.jpg", (40, 20), exif=exif))
    assert (turned.size, turned.mode) == ((20, 40), "RGB")
    clear = files.open_image(save(tmp_path / "clear.png", mode="RGBA", color=(255, 0, 0, 0)))
    assert clear.getpixel((0, 0)) == (255, 255, 255)
    deep = files.open_image(save(tmp_path / "deep.png", mode="I;16", color=65535))
    assert (deep.mode, deep.getpixel((0, 0))) == ("RGB", (255, 255, 255))


def test_a_file_that_changed_is_not_opened(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", color=(1, 2, 3))
    digest = read_image_file(path).sha256
    assert files.open_image(path, digest).getpixel((0, 0)) == (1, 2, 3)
    save(path, color=(3, 2, 1))
    with pytest.raises(ImageError) as caught:
        files.open_image(path, digest)
    assert caught.value.reason == "the file has changed since it was imported"
    with pytest.raises(ImageError, match="no such file"):
        files.open_image(tmp_path / "none.png", digest)
