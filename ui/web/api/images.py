"""Images by content hash, at an address that never changes its meaning and never tells whose image it is; thumbnails made
ahead.

What grids will ask for, and the form of a running campaign, is there before anybody looks, made by a thread that gives way
to all else.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Final

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, Response

from data.images import files
from data.store.browse import contents
from data.store.core.connections import NotWritten
from data.store.core.store import Store
from data.store.core.writer import CLOSED

WIDTHS = (160, 320, 640, 1280, 1600)
IN_GRIDS = 320
"""The width that grids ask for."""
IN_FORM = 1600
"""The width, and the height at most, of what people judge: of a better quality, as that is judged, too."""
_FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
# by content, as files are often misnamed
_SHOWN_BY_BROWSERS = {
    re.compile(rb"\x89PNG\r\n"): "image/png",
    re.compile(rb"\xff\xd8\xff"): "image/jpeg",
    re.compile(rb"RIFF....WEBP", re.DOTALL): "image/webp",
    re.compile(rb"GIF8"): "image/gif",
}
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MAX_WIDTH = 10_000


def router(store: Store) -> APIRouter:
    """``/img/SHA256`` is the picture, ``?w=320`` a WebP of that width, ``?w=1600`` as the form shows it."""
    routes = APIRouter(prefix="/img")
    # with all threads at work on pictures, whoever asks for a question would wait for them
    making = CapacityLimiter(os.cpu_count() or 1)

    @routes.get("/{sha256}")
    async def picture(sha256: str, w: Annotated[int | None, Query()] = None) -> Response:
        if not _SHA256.fullmatch(sha256):
            raise HTTPException(404, "There is no such image.")
        if w is not None and w not in WIDTHS:
            raise HTTPException(422, f"w must be one of {', '.join(map(str, WIDTHS))}.")
        if w is not None and (cached := _cache_path(store, sha256, w)).is_file():
            return FileResponse(cached, media_type="image/webp", headers=_FOREVER)
        return await run_sync(_fresh, store, sha256, w, limiter=making if w is not None else None)

    return routes


def _fresh(store: Store, sha256: str, width: int | None) -> Response:
    path, content = _unchanged(contents.pictures(store, sha256), sha256)
    media_type = next((kind for magic, kind in _SHOWN_BY_BROWSERS.items() if magic.match(content)), None)
    if width is None and media_type:
        return Response(content, media_type=media_type, headers=_FOREVER)
    cached = _made(store, sha256, width or _MAX_WIDTH, path)
    return FileResponse(cached, media_type="image/webp", headers=_FOREVER)


def make_ahead(store: Store, sha256: str, width: int) -> bool:
    """Make a thumbnail that pages will ask for; False if it was there.

    Raises:
        ValueError: the picture cannot be read, or its file is gone or another one.
    """
    if _cache_path(store, sha256, width).is_file():
        return False
    try:
        path, _ = _unchanged(contents.pictures(store, sha256), sha256)
        _made(store, sha256, width, path)
    except HTTPException as error:
        raise ValueError(error.detail) from error
    return True


def _made(store: Store, sha256: str, width: int, path: Path) -> Path:
    """The thumbnail's file, made if it is not there."""
    cached = _cache_path(store, sha256, width)
    if not cached.is_file():
        try:
            made = files.thumbnail(path, width, width, fine=True) if width == IN_FORM else files.thumbnail(path, width)
            _write(cached, made)
        except (OSError, ValueError) as error:
            raise HTTPException(404, "The image file cannot be read any more.") from error
    return cached


def _unchanged(paths: list[Path], sha256: str) -> tuple[Path, bytes]:
    """The first of these files that still has this content."""
    why = "There is no such image."
    for path in paths:
        try:
            content = path.read_bytes()
        except OSError:
            why = "The image file has been moved or deleted; import its folder again."
            continue
        if hashlib.sha256(content).hexdigest() == sha256:
            return path, content
        why = "The image file has been changed since it was imported; import its folder again."
    raise HTTPException(404, why)


def _cache_path(store: Store, sha256: str, width: int) -> Path:
    return store.project / "cache" / "thumbnails" / sha256[:2] / f"{sha256}-{width}.webp"


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all: two requests may make the same thumbnail at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


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
