"""Sessions: a signed cookie that says who somebody is, and what ends it for all who hold a copy of it.

A cookie tells its holder nothing new and cannot be made or changed without the project's secret. Each session has an id of its
own: who signs in gets another, who signs out ends it. Beside the session a browser keeps a secret for each person whom a crowd
platform sent: the session ends and is exchanged; this cookie says, for a year, that the person came with this browser before.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

from anyio.to_thread import run_sync
from itsdangerous import BadSignature, TimestampSigner
from starlette.datastructures import MutableHeaders
from starlette.middleware.sessions import Session
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from concord import sign_in
from concord.common.base_path import root
from concord.open_project import OpenProject
from data.people import Role, keyed_hash
from ui.web.auth.rate_limit import network

YEAR_SECONDS: Final = 365 * 24 * 3600
"""No cookie is good for longer."""
SEEN_EVERY: Final = 300
"""Seconds after which it is written down again that somebody is still there."""
_OWN: Final = frozenset({"id", "begun", "seen"})
_DAY: Final = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long sessions last where people sign in, in seconds: unused (``idle``), and in all.

    Whoever labels must not be sent away in the middle of it, and whoever came by a link has no password to come back with.
    """

    researcher_idle: float = 12 * 3600.0
    researcher: float = 7 * _DAY
    annotator_idle: float = 30 * _DAY
    annotator: float = 365 * _DAY

    def over(self, session: MutableMapping[str, Any], role: Role, at: float) -> str | None:
        """Why a session is over, as a sentence; None: it goes on."""
        idle, whole = (self.annotator_idle, self.annotator) if role == "annotator" else (self.researcher_idle, self.researcher)
        if at - float(session.get("seen", at)) > idle:
            return "You were signed out, as this browser was not used for a long time."
        if at - float(session.get("begun", at)) > whole:
            return "You were signed out, as you had signed in a long time ago."
        return None


def now() -> int:
    """Seconds since 1970."""
    return int(time.time())


def touch(session: MutableMapping[str, Any]) -> None:
    """Note that somebody is there; at most once in ``SEEN_EVERY`` seconds, as it sends the cookie anew."""
    # a clock that was set back must not leave a time in the future for ever
    if "id" in session and abs(now() - int(session.get("seen", 0))) > SEEN_EVERY:
        session["seen"] = now()


def name_of(request: Request) -> str | None:
    """Return the name of the person making the request; None before they have given one."""
    name: str | None = request.session.get("name")
    return name


def unnamed_token(request: Request, *, new: bool = False) -> str | None:
    """Return the token of a browser whose user has seen images without giving a name; None if there is none.

    ``new``: it is made where there is none, as something is about to be shown.
    """
    token: str | None = request.session.get("visitor")
    if token is None and new:
        token = secrets.token_hex(16)
        request.session.update(visitor=token)
    return token


def campaign_of(request: Request) -> str | None:
    """Return the campaign that the person making the request chose; None if they have not chosen one."""
    campaign: str | None = request.session.get("campaign")
    return campaign


class Sessions:
    """ASGI middleware: ``scope["session"]`` is a dictionary that is kept from request to request."""

    def __init__(self, app: ASGIApp, store: OpenProject, path: str = "/") -> None:
        self._app = app
        self._store = store
        self._path = path
        self._signer = signer = TimestampSigner(store.secret)

        @lru_cache(maxsize=1000)
        def unsign(cookie: bytes) -> tuple[bytes, datetime]:
            return signer.unsign(cookie, return_timestamp=True)

        self._unsign = unsign

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = _cookie_name(self._store, https=scope.get("scheme") == "https" and self._path == "/")
        before = self._read(HTTPConnection(scope).cookies.get(name, ""))
        session = Session(before)
        if sign_in.has_ended(self._store, before):
            session.clear()
        scope["session"] = session

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start" and session.modified:
                await self._close(before, session)
                message.setdefault("headers", [])
                MutableHeaders(scope=message).append("set-cookie", self._written(name, session))
            await send(message)

        await self._app(scope, receive, answer)

    def _read(self, cookie: str) -> dict[str, Any]:
        try:
            # not by its max_age: that sends everybody away when the clock is set back
            payload, signed = self._unsign(cookie.encode())
            session = json.loads(b64decode(payload))
        except (BadSignature, ValueError):
            return {}
        if not isinstance(session, dict) or not session or now() - signed.timestamp() > YEAR_SECONDS:
            return {}
        if "id" not in session:
            # of an earlier Concord; all copies of it have this id
            session |= {"id": keyed_hash(self._store.secret, "cookie", payload.decode()), "begun": int(signed.timestamp())}
        return session

    async def _close(self, before: dict[str, Any], session: Session) -> None:
        """End what was there, if it is not what is there now; on disk before anybody is told."""
        if "id" in before and session.get("id") != before["id"]:
            await run_sync(sign_in.end_session, self._store, before, now(), YEAR_SECONDS)

    def _written(self, name: str, session: Session) -> str:
        flags = f"path={self._path}; httponly; samesite=lax"
        if not set(session) - _OWN:
            return f"{name}=null; {flags}; expires=Thu, 01 Jan 1970 00:00:00 GMT"
        whole = {"id": secrets.token_hex(16), "begun": now(), "seen": now()} | session
        signed = self._signer.sign(b64encode(json.dumps(whole).encode())).decode()
        return f"{name}={signed}; {flags}; max-age={YEAR_SECONDS}"


def browser_secret(request: Request, store: OpenProject, person: str) -> str:
    """What this browser keeps for a person; empty: nothing."""
    return request.cookies.get(_secret_name(request, store, person), "")


def keep_browser_secret(request: Request, response: Response, store: OpenProject, person: str, value: str) -> None:
    """Let this browser keep a secret; the guard adds ``secure`` over https."""
    response.set_cookie(
        _secret_name(request, store, person), value, max_age=YEAR_SECONDS, path=root() or "/", httponly=True, samesite="lax"
    )


def network_hash(request: Request, store: OpenProject) -> str | None:
    """Names the network that somebody comes from, and tells nothing of it; None for this machine itself."""
    address = request.client.host if request.client else ""
    try:
        remote = not ip_address(address).is_loopback
    except ValueError:
        remote = False
    return keyed_hash(store.secret, "network", network(address)) if remote else None


def _secret_name(request: Request, store: OpenProject, person: str) -> str:
    return f"{_cookie_name(store, https=request.url.scheme == 'https' and not root())}-{person}"


def _cookie_name(store: OpenProject, *, https: bool) -> str:
    """Another one for each project, as those on other ports share this host's cookies.

    Over https it is a name that no other host, and no page that came over http, can set a cookie for.
    """
    return f"{'__Host-' if https else ''}concord-{hashlib.sha256(store.secret.encode()).hexdigest()[:8]}"
