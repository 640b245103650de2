"""The mount for researchers: its pages, joined by a navigation bar."""

from __future__ import annotations

import gradio as gr

from data.store.store import Store
from ui.pages import agreement, browse, item, overview


def studio(store: Store) -> gr.Blocks:
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True) as blocks:
        gr.Navbar(main_page_name="Overview", value=[("Label images", "/annotate/")])
        overview.build(store)
    for page in (browse, agreement, item):
        with blocks.route(page.NAME, page.PATH, show_in_navbar=page is not item):
            page.build(store)
    return blocks
