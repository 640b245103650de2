"""The annotators' page: plain HTML around the form; a slow line waits for a script, a style sheet and the first picture.

Nothing of Gradio is on it: its scripts are 200 kB in a chain of six requests, and the form has no use for any of them.
"""

from __future__ import annotations

import json
from typing import Final

import htpy
from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import HTMLResponse

from concord.common.base_path import at
from ui.web.assets import ASSETS, SCRIPT, STYLES, address
from ui.web.texts import languages

_FIRST_REQUEST: Final = ASSETS / "js" / "form" / "first_request.js"


def router() -> APIRouter:
    """The page under ``/annotate/``."""
    routes = APIRouter()

    @routes.get("/annotate/", include_in_schema=False)
    def page() -> HTMLResponse:
        return HTMLResponse(str(_page()))

    return routes


def _page() -> htpy.Element:
    script, styles = address(SCRIPT), address(STYLES)
    options = json.dumps({"api": at("/api/"), "languages": languages()}).replace("<", "\\u003c")
    begin = f"import {{ mount }} from {json.dumps(script)};\nmount(document.getElementById('cc-form'), {options});"
    return htpy.html(lang="en")[
        htpy.head[
            htpy.meta(charset="utf-8"),
            htpy.meta(name="viewport", content="width=device-width, initial-scale=1"),
            htpy.meta(name="color-scheme", content="light dark"),
            htpy.title["Label images - Concord"],
            htpy.link(rel="modulepreload", href=script),
            htpy.link(rel="stylesheet", href=styles),
            htpy.link(rel="icon", type="image/svg+xml", href=at("/assets/icon.svg")),
            htpy.script(data_api=at("/api/"))[Markup(_FIRST_REQUEST.read_text("utf-8"))],
            htpy.script(type="module")[Markup(begin)],
        ],
        htpy.body(class_="cc-form-page")[htpy.main(class_="cc-root cc-form", id="cc-form")],
    ]
