"""Authorisation: who comes, what each path asks of them, and whether they may open it.

One table for all mounts and routes: what is not in it is refused. Who comes is read from the signed cookie and checked against
what accounts and invitations are now. ``Authorization`` stands behind the guard and the session, before every route and mount.
"""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from concord.open_project import OpenProject
from concord.sign_in import SignedOut, session_invitation
from data.people import ROLES, Invitation, Role, keyed_hash
from ui.web.auth import sign_in_pages
from ui.web.auth.accounts import Account, Accounts
from ui.web.auth.rate_limit import UNKNOWN, RequestLimiter, network, rate_of
from ui.web.auth.sessions import now, touch
from ui.web.texts import language_of


class Access(Enum):
    """What a path asks of whoever comes."""

    PUBLIC = "public"
    ANNOTATOR = "annotator"
    RESEARCHER = "researcher"
    ADMIN = "admin"
    COMMAND = "command"


_USED_BY_STUDIO: Final = (
    "app_id", "heartbeat", "info", "startup-events", "queue", "run/predict", "cancel", "reset", "theme.css", "upload",
    "upload_progress",
)  # fmt: skip
"""Of Gradio's own routes what our pages use. Others hand out files, fetch addresses or run components by their number."""


def _of_gradio(mount: str, access: Access) -> tuple[tuple[str, Access | None], ...]:
    api = f"{mount}/gradio_api"
    open_routes = ((f"{api}/{name}", access) for name in _USED_BY_STUDIO)
    closed = (api, f"{mount}/login", f"{mount}/logout", f"{mount}/monitoring")
    return (*open_routes, *((path, None) for path in closed), (mount, access))


# The first prefix that fits decides; a path that none fits is refused, and so is one that leads to None. A prefix covers
# itself and what lies below it.
RULES: Final[tuple[tuple[str, Access | None], ...]] = (
    ("/api/studio/people", Access.ADMIN),
    ("/api/studio", Access.RESEARCHER),
    ("/api", Access.ANNOTATOR),
    ("/annotate", Access.ANNOTATOR),
    *_of_gradio("/studio", Access.RESEARCHER),
    ("/img", Access.ANNOTATOR),
    ("/assets", Access.PUBLIC),
    ("/favicon.ico", Access.PUBLIC),
    ("/login", Access.PUBLIC),
    ("/logout", Access.PUBLIC),
    ("/join", Access.PUBLIC),
    ("/command", Access.COMMAND),
)
_NEEDED: Final[dict[Access, Role]] = {Access.ANNOTATOR: "annotator", Access.RESEARCHER: "researcher", Access.ADMIN: "admin"}


def access_of(path: str) -> Access | None:
    """What a path asks for; None: there is nothing there for anybody."""
    if path == "/":
        return Access.PUBLIC
    for prefix, access in RULES:
        if path == prefix or path.startswith(prefix + "/"):
            return access
    return None


def may(role: Role, access: Access) -> bool:
    """Whether somebody in this role may open what asks for this; the command route asks for no role but for its token."""
    return access is not Access.COMMAND and (access is Access.PUBLIC or ROLES.index(role) >= ROLES.index(_NEEDED[access]))


Session = MutableMapping[str, Any]

_CHANGED = "Your account has changed since you signed in. Sign in again."


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who has come.

    Attributes:
        name: None where nobody has to have one and they have given none.
        campaign: the only one that they work in; None: the default one.
        invited: whether they came by a link.
        local: whether they sit at this machine, in an app where nobody signs in: they can read what its user can read.
    """

    name: str | None
    role: Role
    campaign: str | None = None
    invited: bool = False
    local: bool = False


def visitor(session: Session, store: OpenProject, accounts: Accounts | None) -> Visitor | None:
    """Who has come, None: somebody unknown. Without accounts everybody who gets here may do everything.

    Raises:
        SignedOut: the session was good once: the invitation is over, the account has changed, the person is erased.
    """
    name, invited_by, stamp = (session.get(key) for key in ("name", "invitation", "account"))
    invitation = session_invitation(store, name, invited_by)
    if invitation is not None:
        return Visitor(name, "admin" if accounts is None else invitation.role, invitation.campaign, invited=True)
    if accounts is None:
        return Visitor(name, "admin", local=True)
    if name is None or stamp is None:
        return None
    account = accounts.get(str(name))
    if account is None or not hmac.compare_digest(_stamp(store, account), str(stamp)):
        raise SignedOut(_CHANGED)
    return Visitor(account.name, account.role)


def begin(session: Session, store: OpenProject, account: Account) -> None:
    """Begin a session by password: nothing of an earlier one stays."""
    session.clear()
    session.update({"name": account.name, "account": _stamp(store, account)})


def begin_invited(session: Session, name: str, invitation: Invitation) -> None:
    """Begin a session by invitation: nothing of an earlier one stays."""
    session.clear()
    session.update({"name": name, "invitation": invitation.invitation_id})


def _stamp(store: OpenProject, account: Account) -> str:
    """Moves with password and role, and tells nothing of them: cookies can be read by whoever holds them."""
    return keyed_hash(store.secret, "account", f"{account.role} {account.password}")


_UNKNOWN: Final = "Please sign in first."
_FOR_ADMINISTRATORS: Final = "Only an administrator can do this."
_NOT_YOURS: Final = "Your account is for labelling images; this page is for researchers."
_TOO_FAST: Final = "Too many requests in a short time. Nothing is lost: please wait a moment."
_NAMED: Final = "Your name comes with your sign-in and cannot be changed here."


class Authorization:
    """ASGI middleware. It leaves who has come in ``scope["visitor"]`` (a ``Visitor`` or None)."""

    def __init__(self, app: ASGIApp, store: OpenProject, accounts: Accounts | None) -> None:
        self._app = app
        self._store = store
        self._accounts = accounts
        self._pace = RequestLimiter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        caller: Visitor | None = None
        try:
            # from memory, but for an invitation that has not been asked for before
            caller = self._known(session)
        except SignedOut as over:
            session.clear()
            if access is not Access.PUBLIC:
                refused = _refused(scope, path, 401, str(over), sign_in=self._accounts is not None)
        refused = refused or self._too_fast(scope, path, caller)
        if refused is None and access is not Access.PUBLIC:
            refused = self._refusal(scope, path, access, caller)
        scope["visitor"] = caller
        if refused is None and caller is not None and scope["method"] == "GET" and not path.startswith("/img/"):
            touch(session)
        await (refused or self._app)(scope, receive, send)

    def _known(self, session: Any) -> Visitor | None:
        caller = visitor(session, self._store, self._accounts)
        if caller is not None and self._accounts is not None:
            over = self._accounts.lifetimes.over(session, caller.role, now())
            if over is not None:
                raise SignedOut(over)
        return caller

    def _too_fast(self, scope: Scope, path: str, caller: Visitor | None) -> Response | None:
        """Nobody may keep the others waiting; where nobody signs in there are no others."""
        if self._accounts is None or path.startswith(("/assets/", "/favicon.ico")):
            return None
        if caller is not None and caller.name is not None:
            seconds = self._pace.wait(f"name {caller.name}", rate_of(scope["method"], path))
        else:
            client = scope.get("client")
            seconds = self._pace.wait(f"address {network(client[0] if client else '')}", UNKNOWN)
        if not seconds:
            return None
        return JSONResponse({"detail": _TOO_FAST}, 429, {"retry-after": str(seconds)})

    def _refusal(self, scope: Scope, path: str, access: Access | None, caller: Visitor | None) -> Response | None:
        if caller is None or access is None:
            return _signed_out(scope, path)
        if not may(caller.role, access):
            return _refused(scope, path, 403, _FOR_ADMINISTRATORS if access is Access.ADMIN else _NOT_YOURS)
        if path == "/api/name" and (self._accounts is not None or caller.invited):
            return _refused(scope, path, 403, _NAMED)
        return None


def route_of(scope: Scope) -> str:
    """The path below where the app stands."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] or "/" if root and path.startswith(root) else path


def visitor_of(request: HTTPConnection) -> Visitor | None:
    """Who has come with this request (Gradio's ``gr.Request`` has it in ``.request``)."""
    caller: Visitor | None = request.scope.get("visitor")
    return caller


def wants_page(scope: Scope, path: str) -> bool:
    """Whether somebody opens a path in a browser: pages and scripts that ask for JSON are answered in JSON."""
    accepted = Headers(scope=scope).get("accept", "")
    return scope["method"] == "GET" and "text/html" in accepted and not path.startswith("/api/")


def _signed_out(scope: Scope, path: str) -> Response:
    if not wants_page(scope, path):
        return JSONResponse({"detail": _UNKNOWN}, 401)
    query = scope.get("query_string", b"").decode("latin-1")
    following = path + (f"?{query}" if query else "")
    return RedirectResponse(language_of(scope).at(f"/login?next={quote(following, safe='')}"), 303)


def _refused(scope: Scope, path: str, status: int, why: str, *, sign_in: bool = False) -> Response:
    if not wants_page(scope, path):
        return JSONResponse({"detail": why}, status)
    t = language_of(scope)
    link = ("/login", t("Sign in")) if sign_in else ("/annotate/", t("Label images"))
    title = t("You cannot go on here") if status == 401 else t("Not for this account")
    return sign_in_pages.sentence(t, title, t(why), status, link=link)
