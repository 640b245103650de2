"""Explore: what would follow from the same evidence by other thresholds, and where generators fail."""

from __future__ import annotations

import gradio as gr

from data.store.store import Store
from ui.pages.explore.failures import PICTURES

NAME = "Explore"
PATH = "/explore"
SHOWN = {"thresholds": "Thresholds", "failures": "Failures"}
"""The page's parts."""


def build(store: Store) -> None:  # noqa: ARG001 - to come
    """The page."""
    gr.Radio([(title, name) for name, title in SHOWN.items()], value="thresholds", label="Show", elem_id="show")
    gr.Dropdown([(title, name) for name, title in PICTURES.items()], label="Picture", elem_id="picture")
