"""Upload guard: which files a request to Gradio may name, and how much may be uploaded.

Gradio opens whatever path a request names: its own check covers only apps that it launched, not those mounted in another. So a
browser never learns or sends a path. It is told an upload's name, ``<SHA-256>/<file name>``, and every file in a request's body
has to be such a name of a file that lies in the upload folder; Gradio gets the body with the path in the name's place.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path, PurePath
from typing import Any, Final
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from concord.importing.upload_folders import NOT_UPLOADED, UPLOAD_AGE, UploadsFull, delete_uploads, received_file, reserved
from ui.web.auth.authorization import route_of
from ui.web.middleware import MOUNT, UPLOAD, declared, most

MAX_DEPTH: Final = 64
"""Levels of nesting in a body; our pages send fewer than ten."""
CLEANING_SECONDS: Final = 3600.0
"""Time between two searches for uploads that are old."""
_FILE_TYPE: Final = "gradio.FileData"
_ADDRESS: Final = "/gradio_api/file="
"""Gradio's script puts the name behind it and sends both; nothing is served there."""


class BodyRefused(ValueError):
    """A body that Gradio must not get; the message is a sentence for whoever sent it."""


_TOO_DEEP: Final = f"This request is not understood: its body is nested deeper than {MAX_DEPTH} levels."
_NO_JSON: Final = "This request is not understood: its body is not JSON."


def is_file_data(value: Any) -> bool:
    """Return True if Gradio might take a JSON value for a file: it has a path, or says that it is one."""
    if not isinstance(value, dict):
        return False
    meta = value.get("meta")
    return "path" in value or (isinstance(meta, dict) and meta.get("_type") == _FILE_TYPE)


def resolve_files(body: Any, project: Path) -> Any:
    """Return a JSON value in which every file, however deeply nested, has its path instead of its name.

    Raises:
        BodyRefused: a file is none that was uploaded, or the value is nested too deeply.
    """
    root = [body]
    remaining: list[tuple[Any, int]] = [(root, 0)]
    while remaining:
        container, depth = remaining.pop()
        if depth > MAX_DEPTH:
            raise BodyRefused(_TOO_DEEP)
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            if is_file_data(value):
                container[key] = _resolved(value, project)
            elif isinstance(value, dict | list):
                remaining.append((value, depth + 1))
    return root[0]


def _resolved(data: dict[str, Any], project: Path) -> dict[str, Any]:
    """Return the file data that Gradio gets: nothing of it is what was sent but the name."""
    name, address = data.get("path"), data.get("url")
    if not isinstance(name, str):
        raise BodyRefused(NOT_UPLOADED)
    if address is not None and not (isinstance(address, str) and unquote(address).endswith(f"{_ADDRESS}{name}")):
        raise BodyRefused(NOT_UPLOADED)
    try:
        path = received_file(project, name)
        size = path.stat().st_size
    except OSError:
        raise BodyRefused(NOT_UPLOADED) from None
    return {"path": str(path), "orig_name": path.name, "size": size, "meta": {"_type": _FILE_TYPE}}


class UploadGuard:
    """ASGI middleware between authorization and Gradio's apps."""

    def __init__(self, app: ASGIApp, project: Path) -> None:
        self._app = app
        self._project = project

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = route_of(scope) if scope["type"] == "http" else ""
        if not path.startswith(MOUNT) or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
        elif path == UPLOAD:
            await self._upload(scope, receive, send)
        else:
            await self._event(scope, receive, send)

    async def _event(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await _whole(receive)
            if body:
                body = await asyncio.to_thread(self._checked, body)
        except _Gone:
            return
        except BodyRefused as refused:
            await JSONResponse({"detail": str(refused)}, 400)(scope, receive, send)
            return
        except HTTPException as error:
            await JSONResponse({"detail": error.detail}, error.status_code)(scope, receive, send)
            return
        lengths = (b"content-length", b"transfer-encoding")
        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in lengths]
        scope = {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}
        parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return parts.pop() if parts else await receive()

        await self._app(scope, replay, send)

    def _checked(self, body: bytes) -> bytes:
        """Return the body as Gradio gets it: written anew, so that it reads what was checked."""
        try:
            value = json.loads(body)
        except RecursionError:
            raise BodyRefused(_TOO_DEEP) from None
        except ValueError:
            raise BodyRefused(_NO_JSON) from None
        return json.dumps(resolve_files(value, self._project)).encode()

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        size = declared(Headers(scope=scope))
        sent: list[Message] = []

        async def collect(message: Message) -> None:
            sent.append(message)

        with ExitStack() as room:
            try:
                await asyncio.to_thread(room.enter_context, reserved(self._project, most(UPLOAD) if size is None else size))
            except UploadsFull as full:
                # Gradio's script shows an upload's refusal as text
                await PlainTextResponse(str(full), 507)(scope, receive, send)
                return
            # Gradio may go on moving files after its answer, which a browser must not name before
            await self._app(scope, receive, collect)
        await _answer(sent)(scope, receive, send)


def _answer(sent: list[Message]) -> ASGIApp:
    """Return Gradio's answer to an upload with the files' names in the place of their paths."""
    start, body = sent[0], b"".join(message.get("body", b"") for message in sent[1:])
    if start["status"] == 200:
        paths = [PurePath(path) for path in json.loads(body)]
        return JSONResponse([f"{path.parent.name}/{path.name}" for path in paths])
    kind = Headers(raw=start["headers"]).get("content-type", "text/plain")
    return PlainTextResponse(body, start["status"], {"content-type": kind})


class _Gone(Exception):
    """The sender left before the body was here."""


async def _whole(receive: Receive) -> bytes:
    """Return a request's body, whose length the request guard limits."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


@asynccontextmanager
async def cleaned_uploads(project: Path) -> AsyncIterator[None]:
    """Delete all uploads when the app opens, as an earlier process may have left some, and when it closes; else old ones."""

    async def clean() -> None:
        while True:
            await asyncio.sleep(CLEANING_SECONDS)
            await asyncio.to_thread(delete_uploads, project, UPLOAD_AGE)

    await asyncio.to_thread(delete_uploads, project)
    cleaning = asyncio.create_task(clean())
    try:
        yield
    finally:
        cleaning.cancel()
        await asyncio.to_thread(delete_uploads, project)
