"""Gradio in Concord's colours: the tokens live in ``assets/concord.css``, this maps Gradio's own controls onto them."""

from __future__ import annotations

from collections.abc import Sequence

import gradio as gr

from ui.root import at

_STYLES = (
    "concord", "studio", "agreement", "picture", "form", "dialogs", "workbench", "remarks", "runs", "explore", "matching",
    "preferences", "campaigns", "browse", "map",
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
    return icon + "".join(f'<link rel="stylesheet" href="{at(f"/assets/{name}.css")}">' for name in styles)


def scripts() -> str:
    """What every page of the studio runs: the buttons that copy numbers."""
    return f'<script type="module" src="{at("/assets/copying.js")}"></script>'


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
