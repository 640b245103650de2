"""The two Gradio apps and their theme: Studio for researchers, and the form for annotators; and where Gradio falls short.

They are two mounts, so that nothing of Studio can be asked for through the annotators' one. The tokens of the theme live in
``assets/css/concord.css``; this maps Gradio's own controls onto them. Worked around: two parts of an address never reach
Gradio, a stream may end early, and a page is blank at first.
"""

from __future__ import annotations

import json
import shutil
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import gradio as gr
from starlette.exceptions import HTTPException

from concord.common.base_path import at
from data.store.core.store import Store
from ui.components.controls import js_module
from ui.pages import agreement, browse, campaigns, explore, map, matching, overview, preferences, reports, runs, workbench

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_MOUNTS: Final = ("/annotate", "/studio")
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
    """ASGI middleware, right before the pages."""

    def __init__(self, app: App, root: str = "") -> None:
        self._app = app
        self._root = root

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        path = str(scope.get("path", "")).removeprefix(self._root)
        if scope["type"] == "http" and path.startswith(_MOUNTS) and scope.get("query_string"):
            query = scope["query_string"].decode("latin-1")
            left_out = (_DEEP_LINK, _PAGE) if path.rstrip("/") in _MOUNTS else (_DEEP_LINK,)
            given = parse_qsl(query, keep_blank_values=True)
            if any(name in left_out for name, _ in given):
                kept = [(name, value) for name, value in given if name not in left_out]
                scope = {**scope, "query_string": urlencode(kept).encode()}
        try:
            await self._app(scope, receive, _with_opening_notice(send) if path.startswith(_MOUNTS) else send)
        except (RuntimeError, KeyError) as error:
            if not (path.endswith(_STREAM) and _left(error)):
                raise
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _with_opening_notice(send: Send) -> Send:
    """As ``send``; a page says that it opens until it is drawn."""
    start: MutableMapping[str, Any] = {}

    async def sending(message: MutableMapping[str, Any]) -> None:
        headers = dict(message.get("headers", ()))
        if message["type"] == "http.response.start" and headers.get(b"content-type", b"").startswith(b"text/html"):
            start.update(message)
            return
        if start and message["type"] == "http.response.body":
            # Gradio sends a page whole
            body = message.get("body", b"")
            message = {**message, "body": body.replace(b"</head>", _OPENING, 1)}
            more = len(message["body"]) - len(body)
            kept = [
                (name, str(int(value) + more).encode() if name == b"content-length" else value)
                for name, value in start["headers"]
            ]
            await send({**start, "headers": kept})
            start.clear()
        await send(message)

    return sending


def _left(error: Exception) -> bool:
    """Whether a stream failed because its page was left."""
    why = error.__cause__
    if isinstance(error, KeyError):
        return isinstance(why, CancelledError)
    return isinstance(why, HTTPException) and why.status_code == 404


_OTHERS: Final = (browse, map, agreement, preferences, matching, explore, campaigns, runs, reports, workbench)
_UPLOADS: Final = (3600, 24 * 3600)
"""Seconds: so often Gradio looks for files that came by an upload, and so old those are that it deletes."""


def studio(store: Store) -> gr.Blocks:
    # Gradio deletes what this process was sent, on its schedule and when the app is closed (a mounted app's lifespan is run,
    # too). It knows nothing of what an earlier process was sent and was killed with; nobody reads that any more.
    shutil.rmtree(store.project / "cache" / "gradio", ignore_errors=True)
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True, delete_cache=_UPLOADS) as blocks:
        for page in (overview, *_OTHERS):
            if page is not overview:
                _begin(blocks, page.NAME, page.PATH, page is not workbench)
            _navigation("Overview" if page is overview else page.NAME)
            page.build(store)
            blocks.fill_expected_parents()
    return blocks


def _begin(blocks: gr.Blocks, name: str, path: str, in_bar: bool) -> None:
    """What is built from now on belongs to another page.

    As ``blocks.route`` has it, but inside of one context: whenever one is left, Gradio makes all routes of an app that nobody
    uses, as the one that is served is made when it is mounted.
    """
    blocks.current_page = path.strip("/")
    blocks.pages.append((blocks.current_page, name, in_bar))


def _navigation(name: str) -> None:
    """The bar, on each page, as Gradio keeps one for each; and the page's own title, as it knows one for all."""
    gr.Navbar(main_page_name="Overview", value=[("Label images", "../annotate/")])
    gr.HTML("", js_on_load=f"document.title = {json.dumps(f'{name} - Concord')};", visible="hidden")


def annotate() -> gr.Blocks:
    with gr.Blocks(title="Label images - Concord", analytics_enabled=False, fill_width=True) as blocks:
        js_module("form", api=at("/api/"))
    return blocks


_STYLES = (
    "concord", "studio", "agreement", "picture", "form", "dialogs", "workbench", "workbench_remarks", "runs", "explore",
    "matching", "preferences", "campaigns", "browse", "map",
)  # fmt: skip
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


# Gradio's variable: our token. Both modes get the same, as the tokens know light from dark themselves.
_TOKENS = {
    "body_background_fill": "page",
    "body_text_color": "text",
    "body_text_color_subdued": "muted",
    "background_fill_primary": "surface",
    "background_fill_secondary": "sunken",
    "block_background_fill": "surface",
    "block_border_color": "border",
    "block_label_text_color": "muted",
    "block_title_text_color": "muted",
    "border_color_primary": "border",
    "border_color_accent": "accent",
    "input_background_fill": "surface",
    "input_border_color": "border",
    "link_text_color": "accent",
    "link_text_color_hover": "accent-fill-hover",
    "button_primary_background_fill": "accent-fill",
    "button_primary_background_fill_hover": "accent-fill-hover",
    "button_primary_border_color": "accent-fill",
    "button_primary_border_color_hover": "accent-fill-hover",
    "button_primary_text_color": "on-accent",
    "button_secondary_background_fill": "surface",
    "button_secondary_text_color": "text",
}


def head(styles: Sequence[str] = _STYLES) -> str:
    """Our icon and style sheets: linked, not handed to Gradio as text, as it rewrites the selectors of what it is handed."""
    icon = f'<link rel="icon" type="image/svg+xml" href="{at("/assets/icon.svg")}">'
    return icon + "".join(f'<link rel="stylesheet" href="{at(f"/assets/css/{name}.css")}">' for name in styles)


def scripts() -> str:
    """What every page of the studio runs: the buttons that copy numbers."""
    return f'<script type="module" src="{at("/assets/js/copy_numbers.js")}"></script>'


def theme() -> gr.themes.Base:
    """System fonts only: a web font would be fetched from elsewhere."""
    base = gr.themes.Base(
        primary_hue=gr.themes.colors.indigo,
        neutral_hue=gr.themes.colors.slate,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_md,
        font=list(_SANS),
        font_mono=list(_MONO),
    )
    values = {name: f"var(--cc-{token})" for name, token in _TOKENS.items()}
    dark = {f"{name}_dark": value for name, value in values.items()}
    return base.set(**values, **dark, input_border_width="1px", input_border_width_dark="1px")
