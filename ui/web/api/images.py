"""Images by content hash, at an address that never changes its meaning and never tells whose image it is."""

from __future__ import annotations

import os
import re
from typing import Annotated

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, Response

from data.store.core.store import Store
from ui.web.thumbnails import WIDTHS, NoPicture, cache_path, thumbnail, unchanged

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
        if w is not None and (cached := cache_path(store, sha256, w)).is_file():
            return FileResponse(cached, media_type="image/webp", headers=_FOREVER)
        try:
            return await run_sync(_fresh, store, sha256, w, limiter=making if w is not None else None)
        except NoPicture as error:
            raise HTTPException(404, str(error)) from error

    return routes


def _fresh(store: Store, sha256: str, width: int | None) -> Response:
    path, content = unchanged(store, sha256)
    media_type = next((kind for magic, kind in _SHOWN_BY_BROWSERS.items() if magic.match(content)), None)
    if width is None and media_type:
        return Response(content, media_type=media_type, headers=_FOREVER)
    cached = thumbnail(store, sha256, width or _MAX_WIDTH, path)
    return FileResponse(cached, media_type="image/webp", headers=_FOREVER)
