"""The mount for researchers: its pages, joined by a navigation bar."""

from __future__ import annotations

import json
import shutil
from typing import Final

import gradio as gr

from data.store.core.store import Store
from ui.pages import agreement, browse, campaigns, explore, map, matching, overview, preferences, reports, runs, workbench

_OTHERS: Final = (browse, map, agreement, preferences, matching, explore, campaigns, runs, reports, workbench)
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
