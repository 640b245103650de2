"""One image: what scorers saw of it on the left, the form on the right, what others said below."""

from __future__ import annotations

from urllib.parse import urlencode

import gradio as gr

from concord.common.live_updates import stored_version
from ui.shell.events import QUIET
from ui.shell.followed_versions import poll
from ui.shell.html import js_module
from ui.shell.page import Page


class WorkbenchPage(Page[None]):
    """The page; the address holds the image (``?id=``) and the listing that it was opened from, as Browse has it."""

    title, path = "Image", "/images/one"

    def build(self) -> None:
        def read(request: gr.Request) -> str:
            return urlencode(request.query_params.multi_items())

        gr.on(None, read, None, js_module("workbench", poll=poll(stored_version)), queue=False, **QUIET)
