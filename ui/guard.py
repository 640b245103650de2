"""Who may come in: one deny-by-default layer over every mount and route, and the headers that every answer carries."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Access(Enum):
    """What a path asks of whoever comes."""

    PUBLIC = "public"
    ANNOTATOR = "annotator"
    RESEARCHER = "researcher"
    COMMAND = "command"


# The first prefix that fits decides; a path that none fits is refused. A prefix covers itself and what lies below it.
RULES: Final[tuple[tuple[str, Access], ...]] = (
    ("/api/studio", Access.RESEARCHER),
    ("/api", Access.ANNOTATOR),
    ("/annotate", Access.ANNOTATOR),
    ("/img", Access.ANNOTATOR),
    ("/studio", Access.RESEARCHER),
    ("/assets", Access.PUBLIC),
    ("/favicon.ico", Access.PUBLIC),
    ("/command", Access.COMMAND),
)

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        # Gradio's own pages need inline scripts and eval
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'self'",
        "form-action 'self'",
    )
)
_HEADERS: Final = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
MAX_JSON_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    why: str


_TOO_MUCH: Final = Refusal(413, "That is too much for one answer.")
_FAILED: Final = Refusal(500, "Something went wrong in Concord; its terminal says what.")


def access_of(path: str) -> Access | None:
    """What a path asks for; None: there is nothing there for anybody."""
    if path == "/":
        return Access.PUBLIC
    for prefix, access in RULES:
        if path == prefix or path.startswith(prefix + "/"):
            return access
    return None


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine and no other."""
    bare = host.strip("[]").lower()
    if bare == "localhost":
        return True
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return False


class Guard:
    """ASGI middleware. For now everybody on this machine may open both mounts, and nobody else may open anything."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _plain(refusal)(scope, receive, _Answer(send))
            return
        if scope["path"].startswith("/api/"):
            receive = _limited(receive)
        answer = _Answer(send)
        try:
            await self._app(scope, receive, answer)
        except Exception:
            # Starlette's own answer to a failure is made outside of every middleware, and would lack the headers
            if not answer.begun:
                await _plain(_FAILED)(scope, receive, answer)
            raise

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        client = scope.get("client")
        if not client or not is_loopback(client[0]):
            return Refusal(403, "Concord is open to this machine only.")
        # a page elsewhere may point its own name at 127.0.0.1 (DNS rebinding): its Host gives it away
        host = headers.get("host", "")
        if not is_loopback(_host_name(host)):
            return Refusal(403, f"Concord does not go by the name {host[:100]!r}; open it as localhost or 127.0.0.1.")
        access = access_of(scope["path"])
        if access is None:
            return Refusal(404, "There is nothing here.")
        if access is Access.COMMAND:
            return self._command_refusal(headers)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and not _same_origin(headers, host):
            return Refusal(403, "This request came from another site.")
        if scope["path"].startswith("/api/") and _length(headers) > MAX_JSON_BYTES:
            return _TOO_MUCH
        return None

    def _command_refusal(self, headers: Headers) -> Refusal | None:
        # browsers always send one of these with a POST, and commands are not for browsers
        if "origin" in headers or any(name.startswith("sec-fetch-") for name in headers):
            return Refusal(403, "Commands do not come from browsers.")
        given = headers.get("authorization", "").encode()
        if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
            return Refusal(401, "The token is missing or wrong.")
        return None


def _host_name(host: str) -> str:
    """The host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _same_origin(headers: Headers, host: str) -> bool:
    origin = headers.get("origin")
    if origin is not None:
        return origin in (f"http://{host}", f"https://{host}")
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def _length(headers: Headers) -> int:
    text = headers.get("content-length", "0")
    return int(text) if text.isdigit() else MAX_JSON_BYTES + 1


def _plain(refusal: Refusal) -> Response:
    return PlainTextResponse(refusal.why, refusal.status)


def _limited(receive: Receive) -> Receive:
    """Stops a body that grows too long, also one that came without saying how long it is."""
    total = 0

    async def wrapped() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > MAX_JSON_BYTES:
            raise HTTPException(_TOO_MUCH.status, _TOO_MUCH.why)
        return message

    return wrapped


class _Answer:
    """Sends an answer with our headers, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await self._send(message)
