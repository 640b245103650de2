"""The two Gradio apps and their theme: Studio for researchers, and the form for annotators.

They are two mounts, so that nothing of Studio can be asked for through the annotators' one. The tokens of the theme live in
``assets/css/concord.css``; this maps Gradio's own controls onto them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from typing import Final

import gradio as gr

from concord.common.base_path import at
from data.store.core.store import Store
from ui.components.controls import js_module
from ui.pages import (
    agreement,
    browse,
    campaigns,
    explore,
    importing,
    map,
    matching,
    overview,
    preferences,
    reports,
    runs,
    workbench,
)

_OTHERS: Final = (importing, browse, map, agreement, preferences, matching, explore, campaigns, runs, reports, workbench)
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
    "matching", "preferences", "campaigns", "browse", "map", "importing",
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
