"""The mount for researchers: its pages, joined by a navigation bar."""

from __future__ import annotations

import shutil
from typing import Final

import gradio as gr

from data.store.store import Store
from ui.pages import agreement, browse, campaigns, explore, map, matching, overview, preferences, reports, runs, workbench

_UPLOADS: Final = (3600, 24 * 3600)
"""Seconds: so often Gradio looks for files that came by an upload, and so old those are that it deletes."""


def studio(store: Store) -> gr.Blocks:
    # Gradio deletes what this process was sent, on its schedule and when the app is closed (a mounted app's lifespan is run,
    # too). It knows nothing of what an earlier process was sent and was killed with; nobody reads that any more.
    shutil.rmtree(store.project / "cache" / "gradio", ignore_errors=True)
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True, delete_cache=_UPLOADS) as blocks:
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
