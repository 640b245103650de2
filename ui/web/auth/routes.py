"""Sign in, sign out, and come by a link."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from concord import people
from concord.common import wording
from concord.common.base_path import at
from data.people import looks_like_pseudonym, platform_pseudonym
from data.store.campaigns import management, participation
from data.store.campaigns.participation import NameTaken
from data.store.core.store import Store
from data.store.people import invitations
from data.store.people.invitations import Arrival, Invitation, InvitationClosed, OtherBrowser
from ui.web.api.form import MAX_NAME, checked_name
from ui.web.auth import sessions, sign_in_pages
from ui.web.auth.accounts import Accounts, password_fits
from ui.web.auth.authorization import begin, begin_invited, visitor_of
from ui.web.auth.rate_limit import SignInLimiter

_MAX_PASSWORD = 1000
_MAX_CODE = 100
_WRONG = "Name or password is wrong."
_WRONG_CODE = "This is not your re-entry code."
_NO_ENTRY = "You cannot join with this link"


def router(store: Store, accounts: Accounts | None) -> APIRouter:
    """The routes that everybody may open; without accounts nobody signs in."""
    routes = APIRouter()

    @routes.get("/", response_model=None)
    def first_page(request: Request) -> Response:
        visitor = visitor_of(request)
        return RedirectResponse(at("/login" if visitor is None else home(visitor.role)), 303)

    _add_sign_in(routes, store, accounts)
    _add_join(routes, store, accounts)
    return routes


def _add_sign_in(routes: APIRouter, store: Store, accounts: Accounts | None) -> None:
    limiter = SignInLimiter()
    # each check of a password takes much memory, on purpose
    at_once = anyio.CapacityLimiter(2)

    @routes.get("/login", response_model=None)
    def login(request: Request, next: str = "") -> Response:
        if accounts is None:
            return RedirectResponse(at("/"), 303)
        visitor = visitor_of(request)
        if visitor is not None and visitor.name is not None:
            text = f"You are signed in as {visitor.name}."
            return sign_in_pages.confirm("/logout", "Sign in", text, "Sign out and change person")
        return sign_in_pages.sign_in(following=local(next))

    @routes.post("/login", response_model=None)
    async def sign_in(request: Request) -> Response:
        if accounts is None:
            return RedirectResponse(at("/"), 303)
        form = await _form(request)
        name = unicodedata.normalize("NFC", form.get("name", "")).strip()[: MAX_NAME + 1]
        password, following = form.get("password", ""), local(form.get("next", ""))
        address = request.client.host if request.client else ""
        if wait := limiter.attempt(name, address):
            return sign_in_pages.sign_in(name, following, _too_often(wait), 429)
        account = accounts.get(name)
        known = account.password if account is not None else None
        if not await run_sync(password_fits, password[:_MAX_PASSWORD], known, limiter=at_once) or account is None:
            return sign_in_pages.sign_in(name, following, _WRONG, 401)
        limiter.succeeded(name, address)
        try:
            await run_sync(participation.enter, store, account.name)
        except NameTaken as error:
            return sign_in_pages.sign_in(name, following, wording.sentence(error), 403)
        begin(request.session, store, account)
        return RedirectResponse(at(following or home(account.role)), 303)

    @routes.get("/logout", response_model=None)
    def leaving() -> HTMLResponse:
        return sign_in_pages.confirm("/logout", "Sign out", "Your answers stay.", "Sign out")

    @routes.post("/logout", response_model=None)
    def logout(request: Request) -> Response:
        if name := request.session.get("name"):
            participation.leave(store, str(name))
        request.session.clear()
        if accounts is None:
            return sign_in_pages.sentence("Signed out", "You can close this page.")
        return RedirectResponse(at("/login"), 303)


def _add_join(routes: APIRouter, store: Store, accounts: Accounts | None) -> None:
    limiter = SignInLimiter()

    def refused(error: Exception) -> Response:
        return sign_in_pages.sentence(_NO_ENTRY, str(error), 403)

    def entering(request: Request, token: str) -> tuple[Invitation, Arrival | None]:
        """The invitation behind a link, and who came by it from a crowd platform."""
        invitation = people.invitation_behind(store, token)
        sent = people.invited_participant(store, invitation, request.query_params.multi_items())
        if sent is None:
            return invitation, None
        name = platform_pseudonym(store.secret, sent.platform, sent.identifier)
        return invitation, Arrival(invitation.invitation_id, name, sent.platform)

    @routes.get("/join/{token}", response_model=None)
    def arrive(request: Request, token: str) -> Response:
        try:
            invitation, arrival = entering(request, token)
        except (InvitationClosed, people.UnclearParticipant) as error:
            return refused(error)
        known = _known(request)
        if arrival is None:
            return sign_in_pages.join(f"{people.JOIN}/{token}", _title(store, invitation), known or "")
        if known not in (None, arrival.name):
            # a link must not take somebody's session away unasked
            text = f"In this browser you are {known}. To take part as the participant of this link, continue."
            return sign_in_pages.confirm(_here(request, token), _title(store, invitation), text, "Continue as the participant")
        return arrived(request, invitation, arrival, token)

    @routes.post("/join/{token}", response_model=None)
    async def join(request: Request, token: str) -> Response:
        form = await _form(request)

        def decided() -> Response:
            try:
                invitation, arrival = entering(request, token)
            except (InvitationClosed, people.UnclearParticipant) as error:
                return refused(error)
            if arrival is not None:
                return arrived(request, invitation, replace(arrival, code=form.get("code", "")[:_MAX_CODE]), token)
            try:
                name = _typed(form.get("name", ""), _known(request), accounts)
            except HTTPException as error:
                path, typed = f"{people.JOIN}/{token}", form.get("name", "")[:MAX_NAME]
                return sign_in_pages.join(path, _title(store, invitation), typed, str(error.detail), error.status_code)
            return arrived(request, invitation, Arrival(invitation.invitation_id, name, "name"), token)

        return await run_sync(decided)

    def arrived(request: Request, invitation: Invitation, arrival: Arrival, token: str) -> Response:
        title, name = _title(store, invitation), arrival.name
        address = request.client.host if request.client else ""
        if arrival.code and (wait := limiter.attempt(name, address)):
            return sign_in_pages.reenter(_here(request, token), title, _too_often(wait), 429)
        secret, network = sessions.browser_secret(request, store, name), sessions.network_hash(request, store)
        try:
            entered = invitations.arrive(store, replace(arrival, known_as=_known(request), secret=secret, network=network))
        except InvitationClosed as error:
            return refused(error)
        except OtherBrowser:
            return sign_in_pages.reenter(_here(request, token), title, _WRONG_CODE if arrival.code else "", 403)
        except NameTaken as error:
            if arrival.came_as != "name":
                return sign_in_pages.sentence(_NO_ENTRY, wording.sentence(error), 403)
            return sign_in_pages.join(f"{people.JOIN}/{token}", title, name, wording.sentence(error), 409)
        if arrival.code:
            limiter.succeeded(name, address)
        begin_invited(request.session, name, entered.invitation)
        following = home(entered.invitation.role) if accounts is not None else "/annotate/"
        answer: Response = RedirectResponse(at(following), 303)
        if entered.code is not None:
            answer = sign_in_pages.keep_code(title, entered.code, following)
        if entered.secret is not None:
            sessions.keep_browser_secret(request, answer, store, name, entered.secret)
        return answer


def _known(request: Request) -> str | None:
    """Whose session this browser has."""
    visitor = visitor_of(request)
    return visitor.name if visitor is not None else None


def _here(request: Request, token: str) -> str:
    """The path of a link as it was opened, with the participant in it."""
    return f"{people.JOIN}/{token}?{request.url.query}"


def _too_often(wait: float) -> str:
    seconds = math.ceil(wait)
    return f"Too many wrong attempts. Wait {seconds} second{'s' * (seconds > 1)}, then try again."


def home(role: str) -> str:
    """Where somebody begins."""
    return "/annotate/" if role == "annotator" else "/studio/"


def local(path: str) -> str:
    """A path of ours to go to, or nothing: browsers take ``//host``, ``\\\\host`` and ``https:`` for other places."""
    parts = urlsplit(path) if path.isprintable() and "\\" not in path else None
    fine = parts is not None and not parts.scheme and not parts.netloc and path.startswith("/") and not path.startswith("//")
    return path if fine and len(path) <= 4000 else ""


def _typed(text: str, known: str | None, accounts: Accounts | None) -> str:
    """The name that somebody typed.

    Raises:
        HTTPException: nobody may come by it, or it is somebody's with an account; with a sentence for the person.
    """
    name = checked_name(text)
    if name != known and (looks_like_pseudonym(name) or (accounts is not None and accounts.taken(name))):
        raise HTTPException(409, "That name is taken. Choose another one.")
    return name


def _title(store: Store, invitation: Invitation) -> str:
    campaign = management.get(store, invitation.campaign) if invitation.campaign else None
    return campaign.title if campaign is not None else "Label images"


async def _form(request: Request) -> dict[str, str]:
    """What a plain HTML form sent."""
    body = await request.body()
    try:
        pairs: list[tuple[str, Any]] = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return {}
    return dict(pairs)
