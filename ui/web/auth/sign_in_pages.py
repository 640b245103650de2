"""The pages before the pages: sign in, join, and one sentence. Plain HTML, without scripts, in the reader's language.

What a caller hands in as title, text or error is in that language already: only the caller knows its values.
"""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup
from starlette.responses import HTMLResponse

from concord.common.base_path import at
from data.people import Role
from ui.web.texts import Language

_PAGE = Markup("""<!doctype html>
<html lang="{language}" dir="{direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Concord</title>
<link rel="icon" href="{icon}">
<link rel="stylesheet" href="{concord}">
<link rel="stylesheet" href="{sign_in}">
</head>
<body class="cc-entrance">
<main class="cc-root cc-entrance-card">
<h1 class="cc-title">{title}</h1>
{body}
</main>
</body>
</html>
""")
_FIELD = Markup(
    '<div class="cc-stack"><label class="cc-label" for="{name}">{label}</label>'
    '<input class="cc-input" id="{name}" name="{name}" type="{kind}" value="{value}" autocomplete="{complete}"'
    ' maxlength="{most}" required{more}></div>\n'
)
_FORM = Markup(
    '{said}<form class="cc-stack" method="post" action="{action}">\n{fields}'
    '<button class="cc-button cc-button--primary" type="submit">{go}</button>\n</form>'
)
_ERROR = Markup('<p class="cc-field-error" id="error" role="alert">{}</p>\n')
_TEXT = Markup('<p class="cc-muted">{}</p>\n')
_LINK = Markup('<p><a class="cc-button cc-entrance-go" href="{}">{}</a></p>\n')
_OTHERS = Markup('<ul class="cc-entrance-links">\n{}\n</ul>\n')
_OTHER = Markup('<li><a href="{}">{}</a></li>')
_HEADERS = {
    # nothing on the way may keep it: it differs by who asks
    "cache-control": "no-store",
    # with "no-referrer" browsers would call our own forms' origin null
    "referrer-policy": "same-origin",
}


def sentence(t: Language, title: str, text: str, status: int = 200, *, link: tuple[str, str] | None = None) -> HTMLResponse:
    """A page that says one thing; ``link`` is a path of ours and what to call it."""
    more = _LINK.format(t.at(link[0]), link[1]) if link else Markup()
    return _page(t, title, _TEXT.format(text) + more, status)


def missing(t: Language, path: str, role: Role | None, pages: Iterable[tuple[str, str]]) -> HTMLResponse:
    """The page for a path that has none, with links to what somebody in this role may open (None: nobody knows who comes);
    ``pages`` are the paths of Studio's pages, and what to call them."""
    form = ("/annotate/", t("Label images"))
    links = [("/", t("Go to the start"))] if role is None else [form] if role == "annotator" else [*pages, form]
    # a path is written from left to right in every language
    shown = path[:200] if t.direction == "ltr" else f"\u2066{path[:200]}\u2069"
    text = t("There is no page at {path}. Perhaps the address is mistyped, or the page has another name now.", path=shown)
    others = Markup("\n").join(_OTHER.format(t.at(page), name) for page, name in links)
    return _page(t, t("There is no such page"), _TEXT.format(text) + _OTHERS.format(others), 404)


def sign_in(t: Language, name: str = "", following: str = "", error: str = "", status: int = 200) -> HTMLResponse:
    """The page that asks for name and password; ``following`` is where it leads."""
    wrong = bool(error)
    fields = (
        _field("name", t("Name"), value=name, complete="username", most=60, wrong=wrong, first=True)
        + _field("password", t("Password"), kind="password", complete="current-password", most=1000, wrong=wrong)
        + Markup('<input type="hidden" name="next" value="{}">\n').format(following)
    )
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
    shown = Markup('<p><code class="cc-code" id="reentry" dir="ltr">{}</code></p>\n').format(code)
    once = _TEXT.format(t("Write it down or copy it: it is shown only now."))
    start = Markup('<p><a class="cc-button cc-button--primary cc-entrance-go" href="{}">{}</a></p>\n').format(
        t.at(following), t("Start")
    )
    return _page(t, title, _TEXT.format(why) + shown + once + start, 200)


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
    return _form(t, title, text, t.at(path), Markup(), go, "", 200)


def _field(
    name: str, label: str, *, kind: str = "text", value: str = "", complete: str, most: int, wrong: bool, first: bool = False
) -> Markup:
    more = Markup(' aria-describedby="error" aria-invalid="true"' if wrong else "") + Markup(" autofocus" if first else "")
    return _FIELD.format(name=name, label=label, kind=kind, value=value, complete=complete, most=most, more=more)


def _form(t: Language, title: str, text: str, action: str, fields: Markup, go: str, error: str, status: int) -> HTMLResponse:
    messages = (_TEXT.format(text) if text else Markup()) + (_ERROR.format(error) if error else Markup())
    return _page(t, title, _FORM.format(said=messages, action=action, fields=fields, go=go), status)


def _page(t: Language, title: str, body: Markup, status: int) -> HTMLResponse:
    styles = {name: at(f"/assets/css/{name}.css") for name in ("concord", "sign_in")}
    how = {"language": t.code, "direction": t.direction, "icon": at("/assets/icon.svg")} | styles
    return HTMLResponse(_PAGE.format(title=title, body=body, **how), status, _HEADERS)
