"""The pages before the pages: sign in, join, and one sentence. Plain HTML, without scripts, in the reader's language.

What a caller hands in as title, text or error is in that language already: only the caller knows its values.
"""

from __future__ import annotations

from collections.abc import Iterable

import htpy
from htpy import Element, Node
from starlette.responses import HTMLResponse

from concord.common.base_path import at
from data.people import Role
from ui.web.texts import Language

_HEADERS = {
    # nothing on the way may keep it: it differs by who asks
    "cache-control": "no-store",
    # with "no-referrer" browsers would call our own forms' origin null
    "referrer-policy": "same-origin",
}


def sentence(t: Language, title: str, text: str, status: int = 200, *, link: tuple[str, str] | None = None) -> HTMLResponse:
    """A page that says one thing; ``link`` is a path of ours and what to call it."""
    more = link and htpy.p[htpy.a(class_="cc-button cc-entrance-go", href=t.at(link[0]))[link[1]]]
    return _page(t, title, [_text(text), more], status)


def missing(t: Language, path: str, role: Role | None, pages: Iterable[tuple[str, str]]) -> HTMLResponse:
    """The page for a path that has none, with links to what somebody in this role may open (None: nobody knows who comes);
    ``pages`` are the paths of Studio's pages, and what to call them."""
    form = ("/annotate/", t("Label images"))
    links = [("/", t("Go to the start"))] if role is None else [form] if role == "annotator" else [*pages, form]
    # a path is written from left to right in every language
    shown = path[:200] if t.direction == "ltr" else f"\u2066{path[:200]}\u2069"
    text = t("There is no page at {path}. Perhaps the address is mistyped, or the page has another name now.", path=shown)
    others = htpy.ul(class_="cc-entrance-links")[[htpy.li[htpy.a(href=t.at(page))[name]] for page, name in links]]
    return _page(t, t("There is no such page"), [_text(text), others], 404)


def sign_in(t: Language, name: str = "", following: str = "", error: str = "", status: int = 200) -> HTMLResponse:
    """The page that asks for name and password; ``following`` is where it leads."""
    wrong = bool(error)
    fields = [
        _field("name", t("Name"), value=name, complete="username", most=60, wrong=wrong, first=True),
        _field("password", t("Password"), kind="password", complete="current-password", most=1000, wrong=wrong),
        htpy.input(type="hidden", name="next", value=following),
    ]
    return _form(t, t("Sign in"), "", t.at("/login"), fields, t("Sign in"), error, status)


def join(t: Language, path: str, title: str, name: str = "", error: str = "", status: int = 200) -> HTMLResponse:
    """The page that asks whoever came by a link for a name."""
    why = t("Your answers are stored under this name; it may be invented. Come back in this browser to continue.")
    fields = _field("name", t("Your name"), value=name, complete="nickname", most=60, wrong=bool(error), first=True)
    return _form(t, title, why, t.at(path), fields, t("Start"), error, status)


def keep_code(t: Language, title: str, code: str, following: str) -> HTMLResponse:
    """The page that tells a re-entry code, once; ``following`` is a path of ours to go on to."""
    why = t("You can come back in this browser at any time. In another browser, or on another device, you need this code:")
    # a code is written from left to right in every language
    shown = htpy.p[htpy.code(class_="cc-code", id="reentry", dir="ltr")[code]]
    once = _text(t("Write it down or copy it: it is shown only now."))
    start = htpy.p[htpy.a(class_="cc-button cc-button--primary cc-entrance-go", href=t.at(following))[t("Start")]]
    return _page(t, title, [_text(why), shown, once, start], 200)


def reenter(t: Language, path: str, title: str, error: str = "", status: int = 403) -> HTMLResponse:
    """The page that asks for the re-entry code, as somebody came with this id in another browser; ``path`` has the query."""
    why = t(
        "Somebody has already started with your id in another browser. If it was you, go on there, or type the re-entry code"
        " that you were shown. Without the code, ask whoever invited you for a new one."
    )
    fields = _field("code", t("Re-entry code"), complete="off", most=40, wrong=bool(error), first=True)
    return _form(t, title, why, t.at(path), fields, t("Go on"), error, status)


def confirm(t: Language, path: str, title: str, text: str, go: str) -> HTMLResponse:
    """The page that asks before something happens; ``path`` may have a query."""
    return _form(t, title, text, t.at(path), "", go, "", 200)


def _field(
    name: str, label: str, *, kind: str = "text", value: str = "", complete: str, most: int, wrong: bool, first: bool = False
) -> Element:
    error = {"aria-describedby": "error", "aria-invalid": "true"} if wrong else {}
    box = htpy.input(
        error,
        class_="cc-input",
        id=name,
        name=name,
        type=kind,
        value=value,
        autocomplete=complete,
        maxlength=most,
        required=True,
        autofocus=first,
    )
    return htpy.div(class_="cc-stack")[htpy.label(class_="cc-label", for_=name)[label], box]


def _text(text: str) -> Element:
    return htpy.p(class_="cc-muted")[text]


def _form(t: Language, title: str, text: str, action: str, fields: Node, go: str, error: str, status: int) -> HTMLResponse:
    wrong = error and htpy.p(class_="cc-field-error", id="error", role="alert")[error]
    button = htpy.button(class_="cc-button cc-button--primary", type="submit")[go]
    form = htpy.form(class_="cc-stack", method="post", action=action)[fields, button]
    return _page(t, title, [text and _text(text), wrong, form], status)


def _page(t: Language, title: str, body: Node, status: int) -> HTMLResponse:
    page = htpy.html(lang=t.code, dir=t.direction)[
        htpy.head[
            htpy.meta(charset="utf-8"),
            htpy.meta(name="viewport", content="width=device-width, initial-scale=1"),
            htpy.title[f"{title} - Concord"],
            htpy.link(rel="icon", href=at("/assets/icon.svg")),
            [htpy.link(rel="stylesheet", href=at(f"/assets/css/{name}.css")) for name in ("concord", "sign_in")],
        ],
        htpy.body(class_="cc-entrance")[htpy.main(class_="cc-root cc-entrance-card")[htpy.h1(class_="cc-title")[title], body]],
    ]
    return HTMLResponse(str(page), status, _HEADERS)
