"""One image: what scorers saw of it on the left, the form on the right, what others said below."""

from __future__ import annotations

from urllib.parse import urlencode

import gradio as gr

from data.store.core.store import Store
from ui.components.controls import js_module

NAME = "Workbench"
PATH = "/workbench"


def build(store: Store) -> None:  # noqa: ARG001 - every page is built alike
    """The page; the address holds the image (``?id=``) and the listing that it was opened from, as Browse has it."""
    shown = js_module("workbench")

    def read(request: gr.Request) -> str:
        return urlencode(request.query_params.multi_items())

    gr.on(None, read, None, shown, queue=False, show_progress="hidden", api_visibility="private")
