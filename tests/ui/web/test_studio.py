"""The pages for researchers are joined as Gradio joins them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio.context import Context

from data.store.core.store import Store
from ui.shell.navigation import add_bar
from ui.shell.page import Page
from ui.web.studio import NAVIGATION, PAGES, studio


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(Context, "id", 0)
    with Store(tmp_path / "project") as store:
        yield store


def config(blocks: gr.Blocks) -> dict[str, Any]:
    """All that browsers are told, but for a number drawn by lot."""
    return {name: value for name, value in blocks.get_config_file().items() if name != "app_id"}


def test_as_by_its_own_routes(store: Store) -> None:
    made = config(studio(store))
    Context.id = 0
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True) as blocks:
        pages: list[type[Page[Any]]] = list(PAGES)
        first, *others = pages
        add_bar(store, NAVIGATION, first)
        first(store).build()
    for page in others:
        with blocks.route(page.title, page.path, show_in_navbar=True):
            add_bar(store, NAVIGATION, page)
            page(store).build()
    expected = config(blocks)
    assert made["page"].keys() == {page.path.strip("/") for page in PAGES}
    for part, value in expected.items():
        assert made[part] == value, part
