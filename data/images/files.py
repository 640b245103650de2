"""Image files: found in a folder, checked by decoding, opened as people see them, shrunk for the screen."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from data.files import located, printable
from data.images.color import on_screen, opaque
from data.images.folders import ImageLocation, Layout, Skipped, StoredFiles, find_locations
from data.records import Prompt

MAX_PIXELS: Final = 100_000_000

_MAX_BYTES: Final = 1 << 30
# Named, because Pillow's other readers include some that start foreign programs (EPS: Ghostscript).
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "AVIF")
_ORIENTATION: Final = 0x0112
_WEBP_SIDE: Final = 16383

# We refuse what Pillow would only warn about, so the warning would say the same thing twice.
Pillow.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.filterwarnings("ignore", category=Pillow.DecompressionBombWarning)
# damaged EXIF, and palettes with bytes for transparency: a line of Pillow's own about it helps nobody
warnings.filterwarnings("ignore", category=UserWarning, module="PIL")


class ImageError(ValueError):
    """A file is not a usable image; ``reason`` says why, the message also which file."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(located(path, None, reason))


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image file that decodes. ``width`` and ``height`` as shown, after EXIF rotation; ``sha256`` of its bytes, hex."""

    path: Path
    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class FolderImage:
    """An image file and its place. Layout ``csv`` knows the prompt's text only: ``prompt_id`` and ``prompt`` are None.

    ``prompt`` is None too where a GenEval folder has no metadata, or a VISOR-like folder is of a suite of one's own.
    """

    prompt_id: str | None
    prompt: Prompt | None
    prompt_text: str | None
    task: str | None
    generator: str
    index: int
    file: ImageFile


@dataclass(frozen=True, slots=True)
class FolderImages:
    """What a folder holds, in natural order."""

    entries: list[FolderImage]
    skipped: list[Skipped]


def read_image_file(path: Path) -> ImageFile:
    """Check that a file is an image by decoding all of it (of an animation, the first frame).

    Symbolic links are followed.

    Raises:
        ImageError: it is none, it is cut off or damaged, or it has more than 100 megapixels.
    """
    data = image_bytes(path)
    image = decode(path, data)
    width, height = image.size[::-1] if orientation(image) in (5, 6, 7, 8) else image.size
    return ImageFile(path, hashlib.sha256(data).hexdigest(), width, height)


def open_image(path: Path, sha256: str | None = None, data: bytes | None = None) -> Pillow.Image:
    """The picture as people see it: upright, eight-bit RGB, on white where it is transparent.

    ``data`` is the file's content, where it was read elsewhere; the ``path`` is only named then.

    Raises:
        ImageError: the file is no usable image, or its bytes no longer have this ``sha256`` (hex).
    """
    data = image_bytes(path) if data is None else data
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise ImageError(path, "the file has changed since it was imported")
    image = decode(path, data)
    try:
        return opaque(upright(image))
    except Exception as error:  # as for thumbnails
        raise ImageError(path, f"cannot be converted to RGB ({_cause(error)})") from error


def thumbnail(path: Path, width: int, height: int = _WEBP_SIDE, *, fine: bool = False) -> bytes:
    """A WebP of at most this width and height, upright, on white, without metadata. Smaller images keep their size.

    Of colours beyond sRGB it keeps the ICC profile.

    A ``fine`` one is for whoever judges the picture; it is packed in less time, into more bytes.

    Raises:
        ImageError: the file is no usable image.
        ValueError: the width is not positive.
    """
    if width < 1:
        raise ValueError(f"a thumbnail's width must be at least 1 pixel, got {width}")
    image = decode(path, image_bytes(path), draft=width)
    out = io.BytesIO()
    try:
        picture, profile = on_screen(upright(image))
        scale = min(1.0, width / picture.width, _WEBP_SIDE / picture.width, height / picture.height)
        size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
        if size != picture.size:
            picture = picture.resize(size, Pillow.Resampling.LANCZOS, reducing_gap=2.0)
        picture.save(out, "WEBP", quality=90 if fine else 82, method=2 if fine else 4, icc_profile=profile)
    except Exception as error:  # Pillow raises whatever its plugins and colour conversions raise
        raise ImageError(path, f"cannot be shrunk ({_cause(error)})") from error
    return out.getvalue()


def find_images(
    directory: Path,
    layout: Layout,
    generator: str | None,
    suite: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    stored: StoredFiles | None = None,
    table: Path | None = None,
) -> FolderImages:
    """The images of a folder, each with its place.

    An index comes from the file's name or the column ``idx``. Other files keep the index that they have in the project, or
    else take the free numbers of their prompt in natural order. Numbers are given before files are opened, so a damaged file
    does not shift the others.

    Args:
        directory: the folder.
        layout: ``geneval``: ``DIR/00042/samples/*`` beside ``metadata.jsonl`` (anything else in ``00042`` is ignored);
            ``visor``: ``DIR/<prompt id>_<k>.png``; ``csv``: ``DIR/images.csv``, whose paths must stay within DIR.
        generator: who made the images; with ``csv`` a column ``generator`` takes precedence.
        suite: ``geneval`` or ``sr2d`` by default, according to the layout. Unused with ``csv``.
        progress: called with (files done, files in all), in this thread.
        stored: the files that the project has.
        table: with ``csv``, a table elsewhere in the place of ``DIR/images.csv``.

    Raises:
        InputError: the folder or its ``images.csv`` cannot be read.
        ValueError: the generator's or the suite's name cannot be used.
    """
    skipped: list[Skipped] = []
    places = find_locations(directory, layout, generator, suite, skipped, stored, table)
    # decode a few at a time (Pillow lets other threads run meanwhile), results in order
    images = []
    pool = ThreadPoolExecutor(min(4, os.cpu_count() or 1), thread_name_prefix="decode")
    try:

        def try_read(location: ImageLocation) -> ImageFile | ImageError:
            try:
                return read_image_file(location.path)
            except ImageError as error:
                return error

        for done, (location, read) in enumerate(zip(places, pool.map(try_read, places), strict=True), 1):
            if isinstance(read, ImageError):
                skipped.append(Skipped(location.path, location.origin + read.reason))
            else:
                prompt = (location.prompt_id, location.prompt, location.prompt_text, location.task)
                images.append(FolderImage(*prompt, location.generator, location.index or 0, read))
            if progress is not None:
                progress(done, len(places))
    finally:
        pool.shutdown(cancel_futures=True)
    return FolderImages(images, skipped)


def image_bytes(path: Path) -> bytes:
    """All of a file, which need not be an image.

    Raises:
        ImageError: it cannot be one, or cannot be read.
    """
    try:
        str(path).encode("utf-8")
        status = path.stat()  # before opening: opening a pipe would wait for ever
        if stat.S_ISDIR(status.st_mode):
            raise ImageError(path, "a folder, an image file is expected")
        if not stat.S_ISREG(status.st_mode):
            raise ImageError(path, "not a regular file")
        if status.st_size == 0:
            raise ImageError(path, "the file is empty (0 bytes)")
        if status.st_size > _MAX_BYTES:
            raise ImageError(path, f"the file has {status.st_size / 1e6:,.0f} MB; at most {_MAX_BYTES / 1e6:,.0f} are read")
        return path.read_bytes()
    except UnicodeEncodeError:
        raise ImageError(path, "the file's name is not valid UTF-8; rename it") from None
    except FileNotFoundError:
        broken = path.is_symlink()
        raise ImageError(path, "a link to a file that does not exist" if broken else "no such file") from None
    except OSError as error:
        raise ImageError(path, f"cannot be read ({error.strerror or _cause(error)})") from None


def decode(path: Path, data: bytes, draft: int | None = None) -> Pillow.Image:
    """Decode the first frame. ``draft`` lets a JPEG be decoded smaller, but not below that many pixels either way."""
    try:
        image = Pillow.open(io.BytesIO(data), formats=_FORMATS)
    except (Pillow.DecompressionBombError, Pillow.DecompressionBombWarning):
        raise ImageError(path, f"more than {MAX_PIXELS // 10**6} megapixels; shrink it") from None
    except UnidentifiedImageError:
        raise ImageError(path, "not an image of a known format") from None
    except Exception as error:
        raise ImageError(path, f"damaged ({_cause(error)})") from error
    if image.width * image.height > MAX_PIXELS:
        megapixels = image.width * image.height / 1e6
        raise ImageError(path, f"{megapixels:,.0f} megapixels, more than {MAX_PIXELS // 10**6}; shrink it")
    try:
        if image.format == "PNG":  # decoding alone does not check a PNG's checksums
            Pillow.open(io.BytesIO(data), formats=("PNG",)).verify()
        if draft is not None:
            image.draft(None, (draft, draft))
        image.load()
    except Exception as error:  # plugins raise OSError, SyntaxError, ValueError, struct.error, zlib.error and others
        raise ImageError(path, f"damaged or cut off ({_cause(error)})") from error
    return image


def orientation(image: Pillow.Image) -> int:
    """Return the EXIF orientation of an image, from 1 (upright) to 8."""
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # damaged EXIF does not spoil the picture
        return 1
    return value if value in range(1, 9) else 1


def upright(image: Pillow.Image) -> Pillow.Image:
    """Turn an image as its EXIF says."""
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # damaged EXIF does not spoil the picture
        return image


def _cause(error: BaseException) -> str:
    return printable(str(error) or type(error).__name__)[:200]
