"""Whether whoever comes may open what they ask for: behind the guard and the session, before every route and mount."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response

from data.store.core.store import Store
from ui.access import pages
from ui.access.accounts import Accounts
from ui.access.pace import UNKNOWN, Pace, by_address, by_name, rate_of
from ui.access.rules import Access, access_of, may
from ui.access.sessions import now, touch
from ui.access.visitors import SignedOut, Visitor, visitor
from ui.root import at

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]
_UNKNOWN: Final = "Please sign in first."
_NOT_YOURS: Final = "Your account is for labelling images; this page is for researchers."
_TOO_FAST: Final = "That was more than anybody can do in so short a time. Nothing is lost: please wait a moment."
_NAMED: Final = "Your name comes with your sign-in and cannot be changed here."


class Door:
    """ASGI middleware. It leaves who has come in ``scope["visitor"]`` (a ``Visitor`` or None)."""

    def __init__(self, app: App, store: Store, accounts: Accounts | None) -> None:
        self._app = app
        self._store = store
        self._accounts = accounts
        self._pace = Pace()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = route_of(scope)
        access = access_of(path)
        session = scope["session"]
        if access in (Access.COMMAND, None):
            await self._app(scope, receive, send)
            return
        refused: Response | None = None
        found: Visitor | None = None
        try:
            # from memory, but for an invitation that has not been asked for before
            found = self._known(session)
        except SignedOut as over:
            session.clear()
            if access is not Access.PUBLIC:
                refused = _refused(scope, path, 401, str(over), sign_in=self._accounts is not None)
        refused = refused or self._too_fast(scope, path, found)
        if refused is None and access is not Access.PUBLIC:
            refused = self._refusal(scope, path, access, found)
        scope["visitor"] = found
        if refused is None and found is not None and scope["method"] == "GET" and not path.startswith("/img/"):
            touch(session)
        await (refused or self._app)(scope, receive, send)

    def _known(self, session: Any) -> Visitor | None:
        found = visitor(session, self._store, self._accounts)
        if found is not None and self._accounts is not None:
            over = self._accounts.lifetimes.over(session, found.role, now())
            if over is not None:
                raise SignedOut(over)
        return found

    def _too_fast(self, scope: Scope, path: str, found: Visitor | None) -> Response | None:
        """Nobody may keep the others waiting; where nobody signs in there are no others."""
        if self._accounts is None or path.startswith(("/assets/", "/favicon.ico")):
            return None
        if found is not None and found.name is not None:
            seconds = self._pace.wait(by_name(found.name), rate_of(scope["method"], path))
        else:
            client = scope.get("client")
            seconds = self._pace.wait(by_address(client[0] if client else ""), UNKNOWN)
        if not seconds:
            return None
        return JSONResponse({"detail": _TOO_FAST}, 429, {"retry-after": str(seconds)})

    def _refusal(self, scope: Scope, path: str, access: Access | None, found: Visitor | None) -> Response | None:
        if found is None or access is None:
            return _signed_out(scope, path)
        if not may(found.role, access):
            return _refused(scope, path, 403, _NOT_YOURS)
        if path == "/api/name" and (self._accounts is not None or found.invited):
            return _refused(scope, path, 403, _NAMED)
        return None


def route_of(scope: Scope) -> str:
    """The path below where the app stands."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] or "/" if root and path.startswith(root) else path


def who(request: HTTPConnection) -> Visitor | None:
    """Who has come with this request (Gradio's ``gr.Request`` has it in ``.request``)."""
    found: Visitor | None = request.scope.get("visitor")
    return found


def _wants_page(scope: Scope, path: str) -> bool:
    asked = Headers(scope=scope).get("accept", "")
    return scope["method"] == "GET" and "text/html" in asked and not path.startswith("/api/")


def _signed_out(scope: Scope, path: str) -> Response:
    if not _wants_page(scope, path):
        return JSONResponse({"detail": _UNKNOWN}, 401)
    query = scope.get("query_string", b"").decode("latin-1")
    following = path + (f"?{query}" if query else "")
    return RedirectResponse(at(f"/login?next={quote(following, safe='')}"), 303)


def _refused(scope: Scope, path: str, status: int, why: str, *, sign_in: bool = False) -> Response:
    if not _wants_page(scope, path):
        return JSONResponse({"detail": why}, status)
    link = ("/login", "Sign in") if sign_in else ("/annotate/", "Label images")
    return pages.sentence("You cannot go on here" if status == 401 else "Not for this account", why, status, link=link)
