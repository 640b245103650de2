"""The mount for annotators: the form and nothing else, so that nothing else can be asked for through it."""

from __future__ import annotations

import gradio as gr

from ui.components.module import module
from ui.root import at


def annotate() -> gr.Blocks:
    with gr.Blocks(title="Label images - Concord", analytics_enabled=False, fill_width=True) as blocks:
        module("form", api=at("/api/"))
    return blocks
