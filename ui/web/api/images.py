"""Pictures, by content hash: an address that never changes its meaning and never tells whose image it is."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path
from typing import Annotated

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, Response

from data.images import files
from data.store.browse import contents
from data.store.core.store import Store

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
