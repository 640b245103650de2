"""Upload folders: where uploads lie until they are imported, how much they may take together, and how long they stay.

A browser's files arrive in Gradio's own folder; what is about to be imported is unpacked beside it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

MAX_UPLOADED: Final = 4 << 30
"""Bytes that all uploads of a project may take together: two zips of the largest size that is unpacked."""
UPLOAD_AGE: Final = 24 * 3600.0
"""Seconds after which an upload that was not imported is deleted."""


NOT_UPLOADED: Final = "This names a file that was not uploaded to this server, or was deleted since: upload it again."
_NAME: Final = re.compile(r"[0-9a-f]{64}/[^/\0]{1,255}")


class UploadsFull(ValueError):
    """There is no room for another upload; the message is a sentence for whoever sent it."""

    def __init__(self) -> None:
        super().__init__(
            f"Uploads that wait to be imported fill their {MAX_UPLOADED / 1e9:z.1f} GB; the oldest are deleted after"
            f" {UPLOAD_AGE / 3600:z.0f} hours. Try again later, or use the command import images on the server's machine"
        )


def received_folder(project: Path) -> Path:
    """Return the folder into which Gradio writes a browser's files."""
    return project / "cache" / "gradio"


def received_file(project: Path, name: str) -> Path:
    """Return a file that a browser sent, by the name that it was told: ``SHA-256/FILE NAME``.

    Raises:
        FileNotFoundError: there is none, or the name leads elsewhere.
    """
    # ValueError: half a character
    with suppress(OSError, ValueError):
        path = received_folder(project).resolve() / name
        # a link anywhere on the way leads elsewhere
        if _NAME.fullmatch(name) and stat.S_ISREG(path.lstat().st_mode) and path.resolve() == path:
            return path
    raise FileNotFoundError(NOT_UPLOADED)


def unpacked_folder(project: Path) -> Path:
    """Return the folder with a folder for each upload that is about to be imported."""
    return project / "cache" / "uploads"


def uploaded_bytes(project: Path) -> int:
    """Return the size of all files in a project's upload folders."""
    return sum(file.st_size for folder in (received_folder(project), unpacked_folder(project)) for file in _files(folder))


_LOCK: Final = Lock()
_RESERVED: Final[Counter[Path]] = Counter()
"""Bytes by project that are on their way into an upload folder."""


@contextmanager
def reserved(project: Path, size: int) -> Iterator[None]:
    """Reserve room for files of this total size while they are written.

    Raises:
        UploadsFull: they would exceed what all uploads may take.
    """
    with _LOCK:
        if uploaded_bytes(project) + _RESERVED[project] + size > MAX_UPLOADED:
            raise UploadsFull
        _RESERVED[project] += size
    try:
        yield
    finally:
        with _LOCK:
            _RESERVED[project] -= size


def delete_uploads(project: Path, age: float | None = None) -> None:
    """Delete the uploads whose newest file is older than ``age`` seconds; None: delete all."""
    oldest = None if age is None else time.time() - age
    for folder in (received_folder(project), unpacked_folder(project)):
        with suppress(OSError):
            for entry in list(os.scandir(folder)):
                with suppress(OSError):
                    if oldest is None or _newest(entry) < oldest:
                        _delete(entry)


def _delete(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        Path(entry.path).unlink()


def _files(folder: str | Path) -> Iterator[os.stat_result]:
    """Stat every file below a folder; links are not followed, and what vanishes on the way is left out."""
    folders = [os.fspath(folder)]
    while folders:
        with suppress(OSError):
            for entry in list(os.scandir(folders.pop())):
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        yield entry.stat(follow_symlinks=False)


def _newest(entry: os.DirEntry[str]) -> float:
    """Return when the newest file of an upload was written; of an empty folder, when that was made."""
    if entry.is_dir(follow_symlinks=False):
        return max((file.st_mtime for file in _files(entry.path)), default=entry.stat().st_mtime)
    return entry.stat(follow_symlinks=False).st_mtime
