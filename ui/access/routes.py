"""Sign in, sign out, and come by a link."""

from __future__ import annotations

import math
import unicodedata
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from data.people import looks_made, pseudonym
from data.store import campaigns, invitations, managing
from data.store.campaigns import NameTaken
from data.store.invitations import Arrival, Closed, Invitation
from data.store.store import Store
from ui.access import links, pages, platforms
from ui.access.accounts import Account, Accounts
from ui.access.door import who
from ui.access.limits import Limiter
from ui.access.visitors import begin, begin_invited
from ui.form_api import MAX_NAME, checked_name
from ui.root import at

_MAX_PASSWORD = 1000
_WRONG = "Name and password do not fit."
_NO_ENTRY = "You cannot come in by this link"


def router(store: Store, accounts: Accounts | None) -> APIRouter:
    """The routes that everybody may open; without accounts nobody signs in."""
    routes = APIRouter()

    @routes.get("/", response_model=None)
    def first_page(request: Request) -> Response:
        visitor = who(request)
        return RedirectResponse(at("/login" if visitor is None else home(visitor.role)))

    _add_sign_in(routes, store, accounts)
    _add_join(routes, store, accounts)
    return routes


def _add_sign_in(routes: APIRouter, store: Store, accounts: Accounts | None) -> None:
    limiter = Limiter()
    # each check of a password takes much memory, on purpose
    at_once = anyio.CapacityLimiter(2)

    @routes.get("/login", response_model=None)
    def login(request: Request, next: str = "") -> Response:
        if accounts is None:
            return RedirectResponse(at("/"), 303)
        visitor = who(request)
        if visitor is not None and visitor.name is not None:
            text = f"You are signed in as {visitor.name}."
            return pages.confirm("/logout", "Sign in", text, "Sign out, to be somebody else")
        return pages.sign_in(following=local(next))

    @routes.post("/login", response_model=None)
    async def sign_in(request: Request) -> Response:
        if accounts is None:
            return RedirectResponse(at("/"), 303)
        form = await _form(request)
        name = unicodedata.normalize("NFC", form.get("name", "")).strip()[: MAX_NAME + 1]
        password, following = form.get("password", ""), local(form.get("next", ""))
        address = request.client.host if request.client else ""
        if wait := limiter.attempt(name, address):
            minutes = math.ceil(wait / 60)
            error = f"That was wrong too often. Wait {minutes} minute{'s' * (minutes > 1)}, then try again."
            return pages.sign_in(name, following, error, 429)
        account = accounts.get(name)
        if not await run_sync(_fits, account, password, limiter=at_once) or account is None:
            return pages.sign_in(name, following, _WRONG, 401)
        limiter.succeeded(name, address)
        try:
            await run_sync(campaigns.enter, store, account.name)
        except NameTaken as error:
            return pages.sign_in(name, following, _sentence(error), 403)
        begin(request.session, store, account)
        return RedirectResponse(at(following or home(account.role)), 303)

    @routes.get("/logout", response_model=None)
    def leaving() -> HTMLResponse:
        return pages.confirm("/logout", "Sign out", "What you have answered stays.", "Sign out")

    @routes.post("/logout", response_model=None)
    def logout(request: Request) -> Response:
        if name := request.session.get("name"):
            campaigns.leave(store, str(name))
        request.session.clear()
        if accounts is None:
            return pages.sentence("Signed out", "You can close this page.")
        return RedirectResponse(at("/login"), 303)


def _add_join(routes: APIRouter, store: Store, accounts: Accounts | None) -> None:
    @routes.get("/join/{token}", response_model=None)
    def arrive(request: Request, token: str) -> Response:
        try:
            invitation = links.opened(store, token)
            sent = platforms.participant(request.query_params.multi_items())
        except (Closed, platforms.Unclear) as error:
            return pages.sentence(_NO_ENTRY, str(error), 403)
        title, path = _title(store, invitation), f"{links.JOIN}/{token}"
        visitor = who(request)
        known = visitor.name if visitor is not None else None
        if sent is None:
            return pages.join(path, title, known or "")
        name = pseudonym(store.secret, sent.platform, sent.identifier)
        if known not in (None, name):
            # a link must not take somebody's session away unasked
            text = f"In this browser you are {known}. To take part as the participant of this link, go on."
            return pages.confirm(f"{path}?{request.url.query}", title, text, "Go on as the participant")
        return _arrived(request, invitation, Arrival(invitation.invitation_id, name, sent.platform), title, path)

    @routes.post("/join/{token}", response_model=None)
    async def join(request: Request, token: str) -> Response:
        form = await _form(request)

        def decided() -> Response:
            try:
                invitation = links.opened(store, token)
                sent = platforms.participant(request.query_params.multi_items())
            except (Closed, platforms.Unclear) as error:
                return pages.sentence(_NO_ENTRY, str(error), 403)
            title, path = _title(store, invitation), f"{links.JOIN}/{token}"
            if sent is not None:
                name = pseudonym(store.secret, sent.platform, sent.identifier)
                return _arrived(request, invitation, Arrival(invitation.invitation_id, name, sent.platform), title, path)
            visitor = who(request)
            known = visitor.name if visitor is not None else None
            try:
                name = _typed(form.get("name", ""), known, accounts)
            except HTTPException as error:
                return pages.join(path, title, form.get("name", "")[:MAX_NAME], str(error.detail), error.status_code)
            return _arrived(request, invitation, Arrival(invitation.invitation_id, name, "name", known), title, path)

        return await run_sync(decided)

    def _arrived(request: Request, invitation: Invitation, arrival: Arrival, title: str, path: str) -> Response:
        try:
            invitation = invitations.arrive(store, arrival)
        except Closed as error:
            return pages.sentence(_NO_ENTRY, str(error), 403)
        except NameTaken as error:
            if arrival.came_as != "name":
                return pages.sentence(_NO_ENTRY, _sentence(error), 403)
            return pages.join(path, title, arrival.name, _sentence(error), 409)
        begin_invited(request.session, arrival.name, invitation)
        return RedirectResponse(at(home(invitation.role) if accounts is not None else "/annotate/"), 303)


def home(role: str) -> str:
    """Where somebody begins."""
    return "/annotate/" if role == "annotator" else "/studio/"


def local(path: str) -> str:
    """A path of ours to go to, or nothing: browsers take ``//host``, ``\\\\host`` and ``https:`` for other places."""
    parts = urlsplit(path) if path.isprintable() and "\\" not in path else None
    fine = parts is not None and not parts.scheme and not parts.netloc and path.startswith("/") and not path.startswith("//")
    return path if fine and len(path) <= 4000 else ""


def _fits(account: Account | None, password: str) -> bool:
    # argon2 is not needed by whoever has no accounts
    from ui.access.passwords import fits

    return fits(password[:_MAX_PASSWORD], account.password if account is not None else None)


def _typed(text: str, known: str | None, accounts: Accounts | None) -> str:
    """The name that somebody typed.

    Raises:
        HTTPException: nobody may come by it, or it is somebody's with an account; with a sentence for the person.
    """
    name = checked_name(text)
    if name != known and (looks_made(name) or (accounts is not None and accounts.taken(name))):
        raise HTTPException(409, "That name is taken. Choose another one.")
    return name


def _title(store: Store, invitation: Invitation) -> str:
    campaign = managing.get(store, invitation.campaign) if invitation.campaign else None
    return campaign.title if campaign is not None else "Label images"


def _sentence(error: Exception) -> str:
    said = str(error)
    return said[0].upper() + said[1:] + "."


async def _form(request: Request) -> dict[str, str]:
    """What a plain HTML form sent."""
    body = await request.body()
    try:
        pairs: list[tuple[str, Any]] = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return {}
    return dict(pairs)
