"""Request guard: what may come in at all: from where, under which name, how much, in which form and how slowly; and the headers
that every answer carries.

Beside it the entrance to Gradio, which mends where it falls short: two parts of an address never reach it, a stream may end
early, and a page is blank at first. Who it is, and what they may open, is decided behind it, in ``ui.web.auth.authorization``.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.web.auth import sign_in_pages
from ui.web.auth.authorization import Access, access_of, wants_page
from ui.web.texts import language_of

MAX_JSON_BYTES: Final = 256 * 1024
MAX_UPLOAD_BYTES: Final = 50 * 1024 * 1024
"""Of a file that a researcher uploads for a campaign."""
_MAX_OTHER: Final = 4 * 1024 * 1024
"""What pages of the studio, or a command, send at once."""
_SMALL: Final = ("/api/", "/login", "/logout", "/join/")
"""Where nobody has to send much."""
_TABLES: Final = ("/api/studio/campaign/submissions",)
"""Routes that take the text of a table."""
UPLOAD: Final = "/studio/gradio_api/upload"
_PATIENCE: Final = {True: 20.0, False: 600.0}
"""Seconds until a small body, or another, has to be here."""


class Refusal(NamedTuple):
    """Why a request is refused."""

    status: int
    why: str


TOO_MUCH: Final = Refusal(413, "That is too much for one answer.")
_TOO_SLOW: Final = Refusal(408, "This took too long to arrive. Please try again.")
_NO_JSON: Final = Refusal(415, "This address accepts only JSON: send `Content-Type: application/json`.")


def most(path: str) -> int:
    """How many bytes a request to this path may carry."""
    if path.startswith(_SMALL) and path not in _TABLES:
        return MAX_JSON_BYTES
    # beside the file there is what holds it
    return MAX_UPLOAD_BYTES + MAX_JSON_BYTES if path == UPLOAD else _MAX_OTHER


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
    return path.startswith(("/api/", "/studio/gradio_api/")) and path != UPLOAD


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
    # for browsers that do not know frame-ancestors
    "x-frame-options": "DENY",
    "permissions-policy": ", ".join(
        f"{name}=()" for name in ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
    ),
    "x-permitted-cross-domain-policies": "none",
}
_HTTPS_ALONE: Final = "max-age=31536000"
_SAME_FOR_ALL: Final = re.compile(r"/assets/|/favicon\.ico$|/studio/(assets|static|svelte|theme\.css|favicon\.ico)")
"""What holds nothing of the project, and may be kept by browsers and on the way."""
_HOST: Final = re.compile(r"[A-Za-z0-9._\-]+(:\d{1,5})?|\[[0-9a-fA-F:.]+\](:\d{1,5})?")
_FORWARDED: Final = (b"forwarded", b"x-real-ip", b"x-gradio-server")


_ELSEWHERE: Final = Refusal(403, "This request came from another site.")
_NO_ORIGIN: Final = Refusal(403, "This request does not say which site it comes from: send `Origin` with the app's address.")
_FAILED: Final = Refusal(500, "Something went wrong in Concord; the terminal shows details.")


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
    """ASGI middleware, the outermost. Without accounts only this machine may come; a path that no rule covers is refused."""

    def __init__(self, app: ASGIApp, token: str, *, accounts: bool = False, root: str = "") -> None:
        self._app = app
        self._token = token
        self._accounts = accounts
        self._root = root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        scope, through_proxy = arrived(scope, trust=self._accounts)
        path = self._below(scope)
        refusal = self._refusal(scope, path, through_proxy)
        answer = _Answer(send, secure=scope["scheme"] == "https", cacheable=_SAME_FOR_ALL.match(path) is not None)
        if refusal is not None:
            refused = _missing(scope, path) if refusal.status == 404 and wants_page(scope, path) else _plain(refusal)
            await refused(scope, receive, answer)
            return
        try:
            await self._app(scope, limited(receive, path), answer)
        except Exception:
            # Starlette's own answer to a failure is made outside of every middleware, and would lack the headers
            if not answer.begun:
                await _plain(_FAILED)(scope, receive, answer)
            raise

    def _below(self, scope: Scope) -> str:
        """The path below where the app stands; a proxy may have taken the prefix off, or left it."""
        path, root = str(scope["path"]), self._root
        if not root:
            return path
        below = path[len(root) :] or "/" if path == root or path.startswith(root + "/") else path
        scope.update({"path": root + below, "root_path": root})
        return below

    def _refusal(self, scope: Scope, path: str, through_proxy: bool) -> Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._accounts:
            client = scope.get("client")
            if not client or not is_loopback(client[0]) or through_proxy:
                return Refusal(403, "Concord is open to this machine only; with --users others can sign in.")
            # a page elsewhere may point its own name at 127.0.0.1 (DNS rebinding): its Host gives it away. With accounts
            # such a page has nothing: it gets no cookie of ours, and without one there is nothing to get.
            # the host without its port
            name, colon, port = host.rpartition(":")
            if not is_loopback(name if colon and port.isdigit() else host):
                return Refusal(
                    403, f"Concord does not answer to the host name {host[:100]!r}; open it as localhost or 127.0.0.1."
                )
        elif not _HOST.fullmatch(host):
            return Refusal(400, "The request does not say which host it is for.")
        access = access_of(path)
        if access is None:
            return Refusal(404, "There is nothing here.")
        if access is Access.COMMAND:
            return Refusal(403, "Commands do not come through a proxy.") if through_proxy else self._command_refusal(headers)
        if refusal := _foreign(scope["method"], headers, host, path):
            return refusal
        return TOO_MUCH if (declared(headers) or 0) > most(path) else None

    def _command_refusal(self, headers: Headers) -> Refusal | None:
        # browsers always send one of these with a POST, and commands are not for browsers
        if "origin" in headers or any(name.startswith("sec-fetch-") for name in headers):
            return Refusal(403, "Browsers cannot run commands.")
        if not hmac.compare_digest(headers.get("authorization", "").encode(), f"Bearer {self._token}".encode()):
            return Refusal(401, "The token is missing or wrong.")
        return None


def arrived(scope: Scope, *, trust: bool) -> tuple[Scope, bool]:
    """The request as it was before a proxy passed it on, and whether one did: what comes after us asks the scope alone.

    A proxy is believed if it runs on this machine and ``trust`` is set. ``X-Forwarded-*`` never goes further in.
    """
    forwarded = Headers(scope=scope)
    ours = (b"x-forwarded-", *_FORWARDED)
    headers = [(name, value) for name, value in scope["headers"] if not name.lower().startswith(ours)]
    passed_on = len(headers) < len(scope["headers"])
    scope = {**scope, "headers": headers}
    client = scope.get("client")
    if not (trust and passed_on and client and is_loopback(client[0])):
        return scope, passed_on
    # each proxy adds at the end whom it heard: what stands before may be anybody's invention
    if sender := forwarded.get("x-forwarded-for", "").rpartition(",")[2].strip():
        scope["client"] = (sender, 0)
    if (scheme := forwarded.get("x-forwarded-proto", "").rpartition(",")[2].strip()) in ("http", "https"):
        scope["scheme"] = scheme
    if host := forwarded.get("x-forwarded-host", "").rpartition(",")[2].strip():
        scope["headers"] = [*((name, value) for name, value in headers if name != b"host"), (b"host", host.encode("latin-1"))]
    return scope, True


def _foreign(method: str, headers: Headers, host: str, path: str) -> Refusal | None:
    """Why a request is not taken for one of our own pages'. Other sites may lead here, and neither read nor change anything."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if method in ("GET", "HEAD", "OPTIONS"):
        leads_here = headers.get("sec-fetch-mode", "navigate") == "navigate" or _SAME_FOR_ALL.match(path)
        return None if leads_here or site in (None, "same-origin", "none") else _ELSEWHERE
    if origin not in (None, f"http://{host}", f"https://{host}") or site not in (None, "same-origin", "none"):
        return _ELSEWHERE
    if takes_json(path) and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _NO_JSON
    # browsers say one of both. Scripts may be silent where no other site's page can send the like, and where there is no
    # session to be misused
    if origin is None and site is None and not takes_json(path) and "cookie" in headers:
        return _NO_ORIGIN
    return None


def _plain(refusal: Refusal) -> Response:
    return PlainTextResponse(refusal.why, refusal.status)


def _missing(scope: Scope, path: str, pages: Sequence[tuple[str, str]] = ()) -> Response:
    visitor = scope.get("visitor")
    return sign_in_pages.missing(language_of(scope), path, visitor.role if visitor is not None else None, pages)


class _Answer:
    """Sends an answer with our headers, and knows whether it has begun."""

    def __init__(self, send: Send, *, secure: bool, cacheable: bool) -> None:
        self._send = send
        self._secure = secure
        self._cacheable = cacheable
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            # Gradio lets every site read its answers where the app is not on localhost
            theirs = message.get("headers", ())
            message["headers"] = [header for header in theirs if not header[0].lower().startswith(b"access-control-")]
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                if name != "referrer-policy" or name not in headers:
                    headers[name] = value
            # pictures say for themselves how long this browser, and nobody else, may keep them
            if not self._cacheable and "private" not in headers.get("cache-control", ""):
                headers["cache-control"] = "no-store"
            if self._secure:
                headers["strict-transport-security"] = _HTTPS_ALONE
                message["headers"] = [
                    (name, value + b"; secure" if name == b"set-cookie" else value) for name, value in message["headers"]
                ]
        await self._send(message)


MOUNT: Final = "/studio"


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
    """ASGI middleware, right before the pages; ``pages`` are the paths and titles of Studio's."""

    def __init__(self, app: ASGIApp, root: str = "", pages: Sequence[tuple[str, str]] = ()) -> None:
        self._app = app
        self._root = root
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        path = str(scope.get("path", "")).removeprefix(self._root)
        if scope["type"] == "http" and path.startswith(MOUNT) and scope.get("query_string"):
            query = scope["query_string"].decode("latin-1")
            left_out = (_DEEP_LINK, _PAGE) if path.rstrip("/") == MOUNT else (_DEEP_LINK,)
            parameters = parse_qsl(query, keep_blank_values=True)
            if any(name in left_out for name, _ in parameters):
                remaining = [(name, value) for name, value in parameters if name not in left_out]
                scope = {**scope, "query_string": urlencode(remaining).encode()}
        if scope["type"] == "http" and wants_page(scope, path):
            send = _with_missing_page(send, lambda send: _missing(scope, path, self._pages)(scope, receive, send))
        try:
            await self._app(scope, receive, _of_mount(send, self._root) if path.startswith(MOUNT) else send)
        except (RuntimeError, KeyError) as error:
            if not (path.endswith(_STREAM) and _left(error)):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _with_missing_page(send: Send, answer: Callable[[Send], Awaitable[None]]) -> Send:
    """As ``send``, but where nothing is found ``answer`` says so in a page."""
    found = True

    async def sending(message: Message) -> None:
        nonlocal found
        if message["type"] == "http.response.start" and message["status"] == 404:
            found = False
            await answer(send)
        elif found:
            await send(message)

    return sending


def _of_mount(send: Send, root: str) -> Send:
    """As ``send``; a page says that it opens until it is drawn, and finds Gradio's files wherever it is below the mount."""
    folder = f'"{root}{MOUNT}/'.encode()
    start: Message = {}

    async def sending(message: Message) -> None:
        headers = dict(message.get("headers", ()))
        if message["type"] == "http.response.start" and headers.get(b"content-type", b"").startswith(b"text/html"):
            start.update(message)
            return
        if start and message["type"] == "http.response.body":
            # Gradio sends a page whole
            body = message.get("body", b"")
            message = {**message, "body": body.replace(b"</head>", _OPENING, 1).replace(b'"./', folder)}
            more = len(message["body"]) - len(body)
            resized = [
                (name, str(int(value) + more).encode() if name == b"content-length" else value)
                for name, value in start["headers"]
            ]
            await send({**start, "headers": resized})
            start.clear()
        await send(message)

    return sending


def _left(error: Exception) -> bool:
    """Whether a stream failed because its page was left."""
    why = error.__cause__
    if isinstance(error, KeyError):
        return isinstance(why, CancelledError)
    return isinstance(why, HTTPException) and why.status_code == 404
