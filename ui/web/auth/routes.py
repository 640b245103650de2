"""Sign in, sign out, and come by a link."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from concord import people
from concord.common.base_path import at
from concord.open_project import OpenProject
from concord.sign_in import (
    ERASED,
    MAX_NAME,
    NameRefused,
    arrival_by_link,
    checked_name,
    enter,
    invitation_title,
    leave,
    let_in,
    named_arrival,
)
from data.people import Arrival, Invitation, looks_like_pseudonym
from data.refusals import InvitationClosed, NameTaken, OtherBrowser
from ui.web.auth import sessions, sign_in_pages
from ui.web.auth.accounts import NAME_TAKEN, Accounts, password_fits
from ui.web.auth.authorization import begin, begin_invited, visitor_of
from ui.web.auth.rate_limit import SignInLimiter
from ui.web.texts import Language, language_of

_MAX_PASSWORD = 1000
_MAX_CODE = 100
_WRONG = "Name or password is wrong."
_WRONG_CODE = "This is not your re-entry code."
_NO_ENTRY = "You cannot join with this link"
_NO_ACCOUNT = "Nobody can work in this project under this name; ask whoever gave you the account for another one."
_ANOTHERS = "That name is taken. If it is yours, open the link in the browser that you used first; or choose another name."
_TOO_OFTEN = "Too many wrong attempts. Wait {seconds} s, then try again."


def router(store: OpenProject, accounts: Accounts | None) -> APIRouter:
    """The routes that everybody may open; without accounts nobody signs in."""
    routes = APIRouter()

    @routes.get("/", response_model=None)
    def first_page(request: Request) -> Response:
        visitor = visitor_of(request)
        return RedirectResponse(language_of(request.scope).at("/login" if visitor is None else home(visitor.role)), 303)

    _add_sign_in(routes, store, accounts)
    _add_join(routes, store, accounts)
    return routes


def _add_sign_in(routes: APIRouter, store: OpenProject, accounts: Accounts | None) -> None:
    limiter = SignInLimiter()
    # each check of a password takes much memory, on purpose
    at_once = anyio.CapacityLimiter(2)

    @routes.get("/login", response_model=None)
    def login(request: Request, next: str = "") -> Response:
        if accounts is None:
            return RedirectResponse(at("/"), 303)
        visitor, t = visitor_of(request), language_of(request.scope)
        if visitor is not None and visitor.name is not None:
            text = t("You are signed in as {name}.", name=visitor.name)
            return sign_in_pages.confirm(t, "/logout", t("Sign in"), text, t("Sign out and change person"))
        return sign_in_pages.sign_in(t, following=local(next))

    @routes.post("/login", response_model=None)
    async def sign_in(request: Request) -> Response:
        if accounts is None:
            return RedirectResponse(at("/"), 303)
        form, t = await _form(request), language_of(request.scope)
        name = unicodedata.normalize("NFC", form.name).strip()[: MAX_NAME + 1]
        following = local(form.following)
        address = request.client.host if request.client else ""
        if wait := limiter.attempt(name, address):
            return sign_in_pages.sign_in(t, name, following, t(_TOO_OFTEN, seconds=math.ceil(wait)), 429)
        account = accounts.get(name)
        known = account.password if account is not None else None
        if not await run_sync(password_fits, form.password[:_MAX_PASSWORD], known, limiter=at_once) or account is None:
            return sign_in_pages.sign_in(t, name, following, t(_WRONG), 401)
        limiter.succeeded(name, address)
        try:
            await run_sync(enter, store, account.name)
        except NameTaken:
            return sign_in_pages.sign_in(t, name, following, t(_NO_ACCOUNT), 403)
        begin(request.session, store, account)
        return RedirectResponse(t.at(following or home(account.role)), 303)

    @routes.get("/logout", response_model=None)
    def leaving(request: Request) -> HTMLResponse:
        t = language_of(request.scope)
        return sign_in_pages.confirm(t, "/logout", t("Sign out"), t("Your answers stay."), t("Sign out"))

    @routes.post("/logout", response_model=None)
    def logout(request: Request) -> Response:
        leave(store, sessions.name_of(request))
        request.session.clear()
        t = language_of(request.scope)
        if accounts is None:
            return sign_in_pages.sentence(t, t("Signed out"), t("You can close this page."))
        return RedirectResponse(t.at("/login"), 303)


def _add_join(routes: APIRouter, store: OpenProject, accounts: Accounts | None) -> None:
    limiter = SignInLimiter()

    def refused(t: Language, *sentences: str) -> Response:
        return sign_in_pages.sentence(t, t(_NO_ENTRY), " ".join(map(t, sentences)), 403)

    @routes.get("/join/{token}", response_model=None)
    def arrive(request: Request, token: str) -> Response:
        t = language_of(request.scope)
        try:
            invitation, arrival = arrival_by_link(store, token, request.query_params.multi_items())
        except (InvitationClosed, people.UnclearParticipant) as error:
            return refused(t, *error.args)
        known, title = _known(request), _title(t, store, invitation)
        if arrival is None:
            return sign_in_pages.join(t, f"{people.JOIN}/{token}", title, known or "")
        if known not in (None, arrival.name):
            # a link must not take somebody's session away unasked
            text = t("In this browser you are {name}. To take part as the participant of this link, continue.", name=known)
            return sign_in_pages.confirm(t, _here(request, token), title, text, t("Continue as the participant"))
        return arrived(request, invitation, arrival, token)

    @routes.post("/join/{token}", response_model=None)
    async def join(request: Request, token: str) -> Response:
        form, t = await _form(request), language_of(request.scope)

        def decided() -> Response:
            try:
                invitation, arrival = arrival_by_link(store, token, request.query_params.multi_items())
            except (InvitationClosed, people.UnclearParticipant) as error:
                return refused(t, *error.args)
            if arrival is not None:
                return arrived(request, invitation, replace(arrival, code=form.code[:_MAX_CODE]), token)
            try:
                name = _typed(form.name, _known(request), accounts)
            except HTTPException as error:
                path, typed = f"{people.JOIN}/{token}", form.name[:MAX_NAME]
                title, wrong = _title(t, store, invitation), t(str(error.detail))
                return sign_in_pages.join(t, path, title, typed, wrong, error.status_code)
            return arrived(request, invitation, named_arrival(invitation, name), token)

        return await run_sync(decided)

    def arrived(request: Request, invitation: Invitation, arrival: Arrival, token: str) -> Response:
        t = language_of(request.scope)
        title, name = _title(t, store, invitation), arrival.name
        address = request.client.host if request.client else ""
        if arrival.code and (wait := limiter.attempt(name, address)):
            wrong = t(_TOO_OFTEN, seconds=math.ceil(wait))
            return sign_in_pages.reenter(t, _here(request, token), title, wrong, 429)
        secret, network = sessions.browser_secret(request, store, name), sessions.network_hash(request, store)
        try:
            entered = let_in(store, arrival, known_as=_known(request), secret=secret, network=network)
        except InvitationClosed as error:
            return refused(t, *error.args)
        except OtherBrowser:
            return sign_in_pages.reenter(t, _here(request, token), title, t(_WRONG_CODE) if arrival.code else "", 403)
        except NameTaken:
            if arrival.came_as != "name":
                # a platform's pseudonym is nobody else's
                return refused(t, ERASED)
            return sign_in_pages.join(t, f"{people.JOIN}/{token}", title, name, t(_ANOTHERS), 409)
        if arrival.code:
            limiter.succeeded(name, address)
        begin_invited(request.session, name, entered.invitation)
        following = home(entered.invitation.role) if accounts is not None else "/annotate/"
        answer: Response = RedirectResponse(t.at(following), 303)
        if entered.code is not None:
            answer = sign_in_pages.keep_code(t, title, entered.code, following)
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
    try:
        name = checked_name(text)
    except NameRefused as error:
        raise HTTPException(422, str(error)) from error
    if name != known and (looks_like_pseudonym(name) or (accounts is not None and accounts.is_taken(name))):
        raise HTTPException(409, NAME_TAKEN)
    return name


def _title(t: Language, store: OpenProject, invitation: Invitation) -> str:
    title = invitation_title(store, invitation)
    return t("Label images") if title is None else title


@dataclass(frozen=True, slots=True)
class _Form:
    """The fields that our plain HTML forms send; "" for what was not sent.

    Attributes:
        following: the path to go to afterwards, ``next`` in the form.
        code: a re-entry code.
    """

    name: str = ""
    password: str = ""
    following: str = ""
    code: str = ""


async def _form(request: Request) -> _Form:
    """Return the fields of a plain HTML form; all empty if the body cannot be read."""
    body = await request.body()
    try:
        sent = dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=20))
    except ValueError:
        return _Form()
    return _Form(*(sent.get(field, "") for field in ("name", "password", "next", "code")))
