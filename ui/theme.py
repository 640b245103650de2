"""Gradio in Concord's colours: the tokens live in ``assets/concord.css``, this maps Gradio's own controls onto them."""

from __future__ import annotations

import gradio as gr

HEAD = '<meta name="color-scheme" content="light dark">'
_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


def theme() -> gr.themes.Base:
    """System fonts only: a web font would be fetched from elsewhere."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.indigo,
        neutral_hue=gr.themes.colors.slate,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_md,
        font=list(_SANS),
        font_mono=list(_MONO),
    )
