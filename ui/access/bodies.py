"""What a request may carry: how much, in which form, and how slowly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

MAX_JSON_BYTES: Final = 256 * 1024
MAX_UPLOAD_BYTES: Final = 50 * 1024 * 1024
"""Of a file that a researcher uploads for a campaign."""
_MAX_OTHER: Final = 4 * 1024 * 1024
"""What pages of the studio, or a command, send at once."""
_SMALL: Final = ("/api/", "/login", "/logout", "/join/")
"""Where nobody has to send much."""
_UPLOAD: Final = "/studio/gradio_api/upload"
_PATIENCE: Final = {True: 20.0, False: 600.0}
"""Seconds until a small body, or another, has to be here."""
TOO_MUCH: Final = (413, "That is too much for one answer.")
_TOO_SLOW: Final = (408, "This took too long to arrive. Please try again.")
_NO_JSON: Final = (415, "This address takes JSON alone: say `Content-Type: application/json`.")


def most(path: str) -> int:
    """How many bytes a request to this path may carry."""
    if path.startswith(_SMALL):
        return MAX_JSON_BYTES
    # beside the file there is what holds it
    return MAX_UPLOAD_BYTES + MAX_JSON_BYTES if path == _UPLOAD else _MAX_OTHER


def declared(headers: Headers) -> int | None:
    """How many bytes a request says that it carries; None: it does not say."""
    text = headers.get("content-length")
    if text is None:
        return None
    # what is no number is more than anything
    return int(text) if text.isdigit() and len(text) < 16 else 1 << 60


def takes_json(path: str) -> bool:
    """Whether a path takes JSON and nothing else.

    A page of another site can send forms, text and files without being asked, but JSON only after asking the server first,
    to which the server never says yes.
    """
    return path.startswith(("/api/", "/studio/gradio_api/", "/annotate/gradio_api/")) and path != _UPLOAD


def wrong_form(path: str, headers: Headers) -> tuple[int, str] | None:
    """Why what is sent to a path is refused for its form."""
    if takes_json(path) and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _NO_JSON
    return None


def limited(receive: Receive, path: str) -> Receive:
    """Stops a body that grows too long, also one that came without saying how long it is, or that comes too slowly."""
    bytes_left, until = most(path), time.monotonic() + _PATIENCE[path.startswith(_SMALL)]
    whole = False

    async def wrapped() -> Message:
        nonlocal bytes_left, whole
        if whole:
            # what comes now is that somebody goes away
            return await receive()
        try:
            async with asyncio.timeout(max(0.0, until - time.monotonic())):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(*_TOO_SLOW) from error
        bytes_left -= len(message.get("body", b""))
        if bytes_left < 0:
            raise HTTPException(*TOO_MUCH)
        whole = not message.get("more_body", False)
        return message

    return wrapped
