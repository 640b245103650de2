"""Images by content hash: without metadata for everybody, and as they are for researchers.

An address never changes its meaning and never tells whose image it is. Annotators are blind, and what an image's file says of
itself (its generator, its prompt) would tell them: so ``/img`` has it for nobody, whoever asks.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, Response

from concord.open_project import OpenProject
from concord.thumbnails import NoPicture, cache_path, cached_clean_picture, clean_picture, thumbnail, unchanged
from data.images.widths import WIDTHS
from ui.web.api import refusing

_FOREVER = {"cache-control": "private, max-age=31536000, immutable"}
# a file's own moment would say when it was first looked at
_NO_MOMENT = {"last-modified": "Thu, 01 Jan 1970 00:00:00 GMT"}
# by content, as files are often misnamed
_MEDIA_TYPES = {
    re.compile(rb"\x89PNG\r\n"): "image/png",
    re.compile(rb"\xff\xd8\xff"): "image/jpeg",
    re.compile(rb"RIFF....WEBP", re.DOTALL): "image/webp",
    re.compile(rb"GIF8"): "image/gif",
}
_SHA256 = re.compile(r"[0-9a-f]{64}")


def router(store: OpenProject) -> APIRouter:
    """``/img/SHA256`` is the picture without metadata, ``?w=320`` a WebP of that width, ``?w=1600`` as the form shows it;
    ``/api/studio/original/SHA256`` is the file itself."""
    routes = APIRouter()
    # with all threads at work on pictures, whoever asks for a question would wait for them
    making = CapacityLimiter(os.cpu_count() or 1)

    @routes.get("/img/{sha256}")
    async def picture(sha256: str, w: Annotated[int | None, Query()] = None) -> Response:
        _check_hash(sha256)
        if w is not None and w not in WIDTHS:
            raise HTTPException(422, f"w must be one of {', '.join(map(str, WIDTHS))}.")
        with refusing(404, NoPicture):
            if w is None:
                clean = cached_clean_picture(store, sha256)
                if clean is None:
                    clean = await run_sync(clean_picture, store, sha256, limiter=making)
                return _file(*clean, sha256)
            if not (path := cache_path(store, sha256, w)).is_file():
                await run_sync(_make_thumbnail, store, sha256, w, limiter=making)
            return _file(path, "image/webp", f"{sha256}-{w}")

    @routes.get("/api/studio/original/{sha256}")
    def original(sha256: str) -> Response:
        _check_hash(sha256)
        with refusing(404, NoPicture):
            _, content = unchanged(store, sha256)
        media_type = next((kind for magic, kind in _MEDIA_TYPES.items() if magic.match(content)), "application/octet-stream")
        return Response(content, media_type=media_type)

    return routes


def _check_hash(sha256: str) -> None:
    if not _SHA256.fullmatch(sha256):
        raise HTTPException(404, "There is no such image.")


def _make_thumbnail(store: OpenProject, sha256: str, width: int) -> None:
    thumbnail(store, sha256, width, unchanged(store, sha256)[0])


def _file(path: Path, media_type: str, tag: str) -> Response:
    return FileResponse(path, media_type=media_type, headers=_FOREVER | _NO_MOMENT | {"etag": f'"{tag}"'})
