"""Upload folders: where uploads lie until they are imported, how much they may take together, and how long they stay.

A browser's files arrive in Gradio's own folder; what is about to be imported is unpacked beside it.
"""

from __future__ import annotations

import os
import shutil
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


class UploadsFull(ValueError):
    """There is no room for another upload; the message is a sentence for whoever sent it."""

    def __init__(self) -> None:
        super().__init__(
            f"Uploads that wait to be imported fill their {MAX_UPLOADED / 1e9:.1f} GB; the oldest are deleted after"
            f" {UPLOAD_AGE / 3600:.0f} hours. Try again later, or import on the server's machine with the command import"
        )


def received_folder(project: Path) -> Path:
    """Return the folder into which Gradio writes a browser's files."""
    return project / "cache" / "gradio"


def unpacked_folder(project: Path) -> Path:
    """Return the folder with a folder for each upload that is about to be imported."""
    return project / "cache" / "uploads"


def uploaded_bytes(project: Path) -> int:
    """Return the size of all files in a project's upload folders."""
    return sum(_sizes(received_folder(project))) + sum(_sizes(unpacked_folder(project)))


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
                if oldest is None or max(_times(entry)) < oldest:
                    _delete(entry)


def _delete(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        with suppress(OSError):
            Path(entry.path).unlink()


def _entries(folder: str | Path) -> Iterator[os.stat_result]:
    """Stat everything below a folder; links are not followed, and what vanishes on the way is left out."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            with suppress(OSError):
                yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)


def _sizes(folder: Path) -> Iterator[int]:
    return (entry.st_size for entry in _entries(folder))


def _times(entry: os.DirEntry[str]) -> Iterator[float]:
    with suppress(OSError):
        yield entry.stat(follow_symlinks=False).st_mtime
        if entry.is_dir(follow_symlinks=False):
            yield from (below.st_mtime for below in _entries(entry.path))
        return
    yield 0.0
