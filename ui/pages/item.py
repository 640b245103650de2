"""One image, its prompt, and all that was said of it."""

from __future__ import annotations

import gradio as gr

from data.store.store import Store
from ui.components.module import module

NAME = "Item"
PATH = "/item"


def build(store: Store) -> None:  # noqa: ARG001 - every page is built alike
    """The page; the item's id is in the address, as ``?id=``."""
    shown = module("item")

    def read(request: gr.Request) -> str:
        return str(request.query_params.get("id", ""))

    gr.on(None, read, None, shown, queue=False, show_progress="hidden", api_visibility="private")
