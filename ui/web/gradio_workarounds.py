"""Where Gradio falls short: two parts of an address never reach it, a stream may end early, and a page is blank at first."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_MOUNTS: Final = ("/annotate", "/studio")
_DEEP_LINK: Final = "deep_link"
"""A folder below Gradio's own with a page's values; our pages have addresses of their own."""
_PAGE: Final = "page"
"""At the door of a mount: which of its pages; one that there is not is answered with a failure."""

_STREAM: Final = "/queue/data"
"""What a page hears of its events by. When the page is left Gradio may say "not found" in the middle of it, which no answer can
say any more, or stumble over having forgotten the page already: it ends."""

_OPENING: Final = b"""<style>
gradio-app:not(:has(.block, .nav-holder))::before {
  content: "Concord is opening \\2026"; margin: 20vh auto 0; font: 1.1rem system-ui, sans-serif; opacity: .7;
}
</style></head>"""
"""In a page itself: our style sheets come with Gradio's scripts, which take seconds on a first visit."""


class Entrance:
    """ASGI middleware, right before the pages."""

    def __init__(self, app: App, root: str = "") -> None:
        self._app = app
        self._root = root

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        path = str(scope.get("path", "")).removeprefix(self._root)
        if scope["type"] == "http" and path.startswith(_MOUNTS) and scope.get("query_string"):
            query = scope["query_string"].decode("latin-1")
            left_out = (_DEEP_LINK, _PAGE) if path.rstrip("/") in _MOUNTS else (_DEEP_LINK,)
            given = parse_qsl(query, keep_blank_values=True)
            if any(name in left_out for name, _ in given):
                kept = [(name, value) for name, value in given if name not in left_out]
                scope = {**scope, "query_string": urlencode(kept).encode()}
        try:
            await self._app(scope, receive, _with_opening_notice(send) if path.startswith(_MOUNTS) else send)
        except (RuntimeError, KeyError) as error:
            if not (path.endswith(_STREAM) and _left(error)):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _with_opening_notice(send: Send) -> Send:
    """As ``send``; a page says that it opens until it is drawn."""
    start: MutableMapping[str, Any] = {}

    async def sending(message: MutableMapping[str, Any]) -> None:
        headers = dict(message.get("headers", ()))
        if message["type"] == "http.response.start" and headers.get(b"content-type", b"").startswith(b"text/html"):
            start.update(message)
            return
        if start and message["type"] == "http.response.body":
            # Gradio sends a page whole
            body = message.get("body", b"")
            message = {**message, "body": body.replace(b"</head>", _OPENING, 1)}
            more = len(message["body"]) - len(body)
            kept = [
                (name, str(int(value) + more).encode() if name == b"content-length" else value)
                for name, value in start["headers"]
            ]
            await send({**start, "headers": kept})
            start.clear()
        await send(message)

    return sending


def _left(error: Exception) -> bool:
    """Whether a stream failed because its page was left."""
    why = error.__cause__
    if isinstance(error, KeyError):
        return isinstance(why, CancelledError)
    return isinstance(why, HTTPException) and why.status_code == 404
