"""Pictures for the screen: thumbnails, and whole pictures without metadata; their files in the project's cache, and thumbnails
that are made ahead.

What grids will ask for, and the form of a running campaign, is there before anybody looks, made by a thread that gives way
to all else.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from data.images import files
from data.images.clean import clean_image
from data.images.widths import IN_FORM, IN_GRIDS
from data.store.browse import contents
from data.store.core.connections import NotWritten
from data.store.core.store import Store
from data.store.core.writer import CLOSED


class NoPicture(ValueError):
    """There is no picture to show; the message is a sentence that says why."""


def unchanged(store: Store, sha256: str) -> tuple[Path, bytes]:
    """The first file of an image that still has its content, and that.

    Raises:
        NoPicture: there is none.
    """
    why = "There is no such image."
    for path in contents.pictures(store, sha256):
        try:
            content = path.read_bytes()
        except OSError:
            why = "The image file has been moved or deleted; import its folder again."
            continue
        if hashlib.sha256(content).hexdigest() == sha256:
            return path, content
        why = "The image file has been changed since it was imported; import its folder again."
    raise NoPicture(why)


def cache_path(store: Store, sha256: str, width: int) -> Path:
    """Where the thumbnail of an image of this width lies, or would lie."""
    return store.project / "cache" / "thumbnails" / sha256[:2] / f"{sha256}-{width}.webp"


def thumbnail(store: Store, sha256: str, width: int, path: Path) -> Path:
    """The thumbnail's file, made of the image's if it is not there.

    Raises:
        NoPicture: the image's file cannot be read.
    """
    cached = cache_path(store, sha256, width)
    if not cached.is_file():
        try:
            made = files.thumbnail(path, width, width, fine=True) if width == IN_FORM else files.thumbnail(path, width)
            _keep(cached, made)
        except (OSError, ValueError) as error:
            raise NoPicture(_UNREADABLE) from error
    return cached


def _keep(cached: Path, content: bytes) -> None:
    """Write a file of the cache, whole or not at all: two requests may make the same one at once."""
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=cached.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(cached)


_UNREADABLE: Final = "The image file cannot be read any more."
_SUFFIXES: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}


def cached_clean_picture(store: Store, sha256: str) -> tuple[Path, str] | None:
    """Return the file of an image without its metadata and its media type; None if it is not in the cache."""
    paths = ((_clean_path(store, sha256, suffix), media_type) for media_type, suffix in _SUFFIXES.items())
    return next(((path, media_type) for path, media_type in paths if path.is_file()), None)


def clean_picture(store: Store, sha256: str) -> tuple[Path, str]:
    """Return the file of an image without its metadata and its media type; made if it is not in the cache.

    Raises:
        NoPicture: the image's file is gone, is another one or cannot be read.
    """
    if cached := cached_clean_picture(store, sha256):
        return cached
    path, content = unchanged(store, sha256)
    try:
        clean = clean_image(path, content)
        made = _clean_path(store, sha256, _SUFFIXES[clean.media_type])
        _keep(made, clean.content)
    except (OSError, ValueError) as error:
        raise NoPicture(_UNREADABLE) from error
    return made, clean.media_type


def _clean_path(store: Store, sha256: str, suffix: str) -> Path:
    return store.project / "cache" / "pictures" / sha256[:2] / f"{sha256}{suffix}"


def make_ahead(store: Store, sha256: str, width: int) -> bool:
    """Make a thumbnail that pages will ask for; False if it was there.

    Raises:
        NoPicture: the picture cannot be read, or its file is gone or another one.
    """
    if cache_path(store, sha256, width).is_file():
        return False
    thumbnail(store, sha256, width, unchanged(store, sha256)[0])
    return True


_EVERY: Final = 2.0  # seconds between looks for new images
_REST: Final = 0.5
"""For each second of work so many seconds of rest."""
_AT_ONCE, _BREATH = 500, 0.02
"""After so many files so many seconds of rest, though all of them be there."""
_FREE: Final = 1 << 30  # bytes that are left on the disk


class Thumbnails:
    """Makes the thumbnails of an open project in the background until it is closed. Nothing to make costs nothing.

    Attributes:
        made, skipped: how many so far; a picture that cannot be read is skipped, with one line on stderr.
    """

    def __init__(self, store: Store) -> None:
        self.made, self.skipped = 0, 0
        self._store = store
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="thumbnails", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the picture at hand. Safe to call twice."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        # on Linux a thread has a priority of its own; elsewhere the rests must do
        with suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        seen: tuple[str, Any] = ("", ())
        while not self._stop.wait(_EVERY if seen[0] else 0.1):
            with suppress(*CLOSED, NotWritten):
                version = self._store.version
                if version == seen[0]:
                    continue
                offered = contents.offered_hashes(self._store)
                state = (contents.image_files_state(self._store), offered)
                if state != seen[1] and not self._make_all(offered):
                    return
                seen = (version, state)

    def _make_all(self, offered: Sequence[str]) -> bool:
        """Make what is missing, first what people are ``offered``; False if it is time to stop."""
        wanted = [(sha256, IN_FORM) for sha256 in offered]
        wanted += [(sha256, IN_GRIDS) for sha256 in contents.image_hashes(self._store)]
        for index, (sha256, width) in enumerate(wanted, 1):
            if self._stop.wait(0 if index % _AT_ONCE else _BREATH):
                return False
            if shutil.disk_usage(self._store.project).free < _FREE:
                print("thumbnails: less than 1 GB is left on the disk, so no more are prepared", file=sys.stderr, flush=True)
                return False
            start = time.perf_counter()
            try:
                if not make_ahead(self._store, sha256, width):
                    continue
                self.made += 1
            except (ValueError, OSError) as error:
                self.skipped += 1
                where = next(iter(contents.pictures(self._store, sha256)), sha256)
                print(f"thumbnails: {where} is skipped: {error}", file=sys.stderr, flush=True)
            self._stop.wait(_REST * (time.perf_counter() - start))
        return True
