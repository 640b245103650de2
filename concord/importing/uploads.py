"""Uploads: files from a browser, some of them zips, become a folder that can be read (``readings``).

Nothing of an upload decides where a file is written: names stay within the folder, and only images, tables and texts are taken.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import stat
import uuid
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PureWindowsPath
from typing import Final

from concord.common.context import CommandError
from concord.importing.guesses import TABLES
from concord.importing.image_trees import name_of_folder
from concord.importing.upload_folders import reserved, unpacked_folder
from data.files import printable, quoted
from data.images.folders import EXTENSIONS, path_within
from data.store.core.store import Store

TEXTS: Final = frozenset({".txt"})
"""The ends of names of lists of prompts."""
MAX_UNPACKED: Final = 2 << 30
"""Bytes that the files of one zip may have together."""
MAX_FILES: Final = 50_000
"""Members of one zip."""
MAX_RATIO: Final = 200
"""Unpacked bytes for one of a zip; pictures have one, tables of repeated words up to fifty."""
ANY_RATIO: Final = 16 << 20
"""Bytes that may be unpacked from a zip however small it is."""
MAX_DIRECTORY: Final = 8 << 20
"""Bytes of a zip's list of members, which is read as a whole before anything in it is known."""
MAX_FOLDERS: Final = 32
"""Folders within each other in a zip; what looks through thousands of them, or deletes them, breaks."""
_LONGEST_NAME: Final = 200
_UPLOAD: Final = re.compile(r"[0-9a-f]{32}")
_LOST: Final = "this upload is not here any more; upload the files again"


def receive(store: Store, upload: str | None, files: Sequence[tuple[Path, str]]) -> str:
    """Add received files to an upload and delete them where they were; returns the upload's id.

    Args:
        store: the open project.
        upload: the id of one that was begun; None begins one.
        files: where each lies, and its path as the browser calls it, such as ``sdxl/0001.png``.

    Raises:
        CommandError: there is no such upload, or two files have one path.
        ValueError: a path leads out of the upload, or there is no room for it.
    """
    if upload is None:
        upload = uuid.uuid4().hex
        (unpacked_folder(store.project) / upload / "files").mkdir(parents=True)
    folder = upload_folder(store, upload)
    with reserved(store.project, sum(path.stat().st_size for path, _ in files)):
        for path, name in files:
            is_zip = name.lower().endswith(".zip")
            if not is_zip and not is_wanted(name):
                continue
            if len(os.fsencode(name.rpartition("/")[2])) > _LONGEST_NAME:
                # as it was shortened where it was received
                name = f"{name.rpartition('/')[0]}/{path.name}".lstrip("/")
            target = path_within(folder / ("zips" if is_zip else "files"), name, "name", "the upload")
            try:
                if target.exists():
                    raise CommandError(f"two of these files are named {printable(name)}; bring them in a zip, in folders")
                target.parent.mkdir(parents=True, exist_ok=True)
                # the same picture may have come twice, under two names
                shutil.copyfile(path, target)
            except OSError as error:
                raise CommandError(f"{printable(name)} cannot be kept ({error.strerror}); check its name") from error
    for path in {path for path, _ in files}:
        path.unlink(missing_ok=True)
    return upload


def upload_folder(store: Store, upload: str) -> Path:
    """Return the folder of an upload.

    Raises:
        CommandError: there is none of this id.
    """
    folder = unpacked_folder(store.project) / upload
    if not _UPLOAD.fullmatch(upload) or not (folder / "files").is_dir():
        raise CommandError(_LOST)
    return folder


def unpack(store: Store, upload: str) -> tuple[Path, str]:
    """Unpack an upload's zips; returns the folder that holds all of it, and its name: a zip's or a folder's, "" for none.

    Raises:
        CommandError: a zip cannot be read or holds too much, or there is neither an image nor a table.
        ValueError: a name in a zip leads out of it, or there is no room for it.
    """
    folder = upload_folder(store, upload)
    files = folder / "files"
    zips = sorted(path for path in (folder / "zips").rglob("*") if path.is_file())
    name = zips[0].stem if len(zips) == 1 else ""
    alone = len(zips) == 1 and not any(files.iterdir())
    with reserved(store.project, sum(unpacked_size(path) for path in zips)):
        for path in zips:
            place = files if alone else files / path.stem
            place.mkdir(exist_ok=True)
            unzip(path, place)
            path.unlink()
    while len(inside := list(files.iterdir())) == 1 and inside[0].is_dir() and not (inside[0] / "samples").is_dir():
        files = inside[0]
        name = name_of_folder(files.name, name) or files.name
    if not inside:
        raise CommandError("there is no image and no table among these files; bring images with their prompts, or a table")
    return files, name


def unpacked_size(path: Path) -> int:
    """Return how many bytes an uploaded file takes where it is unpacked, as the file itself or the zip's list of members says.

    Raises:
        CommandError: a zip cannot be read or holds too much.
    """
    if path.suffix.lower() != ".zip":
        return path.stat().st_size
    with _opened_zip(path) as archive:
        return sum(member.file_size for member in archive.infolist())


def unzip(path: Path, folder: Path) -> None:
    """Unpack what is wanted of a zip into a folder.

    Raises:
        CommandError: it cannot be read or holds too much.
        ValueError: a name in it leads out of the folder.
    """
    with _opened_zip(path) as archive:
        wanted = [member for member in archive.infolist() if not member.is_dir() and is_wanted(member.filename)]
        for member in [each for each in wanted if stat.S_IFMT(each.external_attr >> 16) in (0, stat.S_IFREG)]:
            target = path_within(folder, member.filename, "name", "the zip")
            target.parent.mkdir(parents=True, exist_ok=True)
            # zipfile reads no more than the size that the list of members states, and refuses what has another checksum
            with archive.open(member) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)


class _ZipFile(io.FileIO):
    """A zip that is not read where it makes the reader hold too much at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise zipfile.BadZipFile(f"its list of members has {size:,} bytes; at most {MAX_DIRECTORY:,} are read")
        return super().read(-1 if size is None else size)


@contextmanager
def _opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip whose list of members promises no more than is unpacked; what fails inside is a sentence, too."""
    try:
        with _ZipFile(path) as file, zipfile.ZipFile(file) as archive:
            _check_members(path, archive.infolist())
            yield archive
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, UnicodeDecodeError) as error:
        raise CommandError(f"{printable(path.name)} cannot be unpacked ({printable(str(error))})") from error
    except OSError as error:
        raise CommandError(f"{printable(path.name)} cannot be unpacked ({error.strerror}); check its files' names") from error


def _check_members(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    size = sum(member.file_size for member in members)
    if size > MAX_UNPACKED or len(members) > MAX_FILES:
        raise CommandError(
            f"{printable(path.name)} holds {len(members):,} files of {size / 1e6:z,.0f} MB; at most {MAX_FILES:,} files and"
            f" {MAX_UNPACKED / 1e6:z,.0f} MB are unpacked. Import such a folder with the command import images"
        )
    deepest = max((member.filename.replace("\\", "/").count("/") for member in members), default=0)
    if deepest > MAX_FOLDERS:
        raise CommandError(
            f"{printable(path.name)} holds {deepest:,} folders within each other; at most {MAX_FOLDERS} are unpacked"
        )
    if size > max(ANY_RATIO, MAX_RATIO * path.stat().st_size):
        raise CommandError(
            f"{printable(path.name)} would grow from {path.stat().st_size / 1e6:z,.1f} to {size / 1e6:z,.0f} MB; at most"
            f" {MAX_RATIO} times its size is unpacked. Bring the files themselves"
        )
    # others unpack one piece into gigabytes of memory
    odd = next((each for each in members if each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)), None)
    if odd is not None:
        raise CommandError(
            f"{printable(path.name)} packs {quoted(odd.filename)} in a way that is not read; make the zip anew with the usual"
            " method (deflate)"
        )


def is_wanted(name: str) -> bool:
    """Return True if a file is an image, a table or a text by its name, and not hidden."""
    parts = PureWindowsPath(name).parts  # splits at both kinds of slash
    return Path(name).suffix.lower() in EXTENSIONS | TABLES | TEXTS and not any(
        part != ".." and part.startswith((".", "__MACOSX")) for part in parts
    )
