"""The mount for researchers: its pages, joined by a navigation bar."""

from __future__ import annotations

import gradio as gr

from data.store.store import Store
from ui.pages import agreement, browse, campaigns, explore, map, matching, overview, preferences, reports, runs, workbench


def studio(store: Store) -> gr.Blocks:
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True) as blocks:
        _navigation()
        overview.build(store)
    for page in (browse, map, agreement, preferences, matching, explore, campaigns, runs, reports, workbench):
        with blocks.route(page.NAME, page.PATH, show_in_navbar=page is not workbench):
            _navigation()
            page.build(store)
    return blocks


def _navigation() -> None:
    """The bar, on each page: Gradio keeps one for each."""
    gr.Navbar(main_page_name="Overview", value=[("Label images", "../annotate/")])
