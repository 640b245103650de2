"""The pages for researchers are joined as Gradio joins them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio.context import Context

from data.store.core.store import Store
from ui.shell.navigation import add_bar
from ui.shell.page import Page
from ui.web.studio import ADD, PAGES, PLACES, studio


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(Context, "id", 0)
    with Store(tmp_path / "project") as store:
        yield store


def config(blocks: gr.Blocks) -> dict[str, Any]:
    """All that browsers are told, but for a number drawn by lot; paths without slashes, as ``Blocks.route`` takes them."""
    told = json.dumps({name: value for name, value in blocks.get_config_file().items() if name != "app_id"}, default=str)
    for page in PAGES:
        told = told.replace(f'"{page.path.strip("/")}"', f'"{_flat(page.path)}"')
    return dict(json.loads(told))


def _flat(path: str) -> str:
    return path.strip("/").replace("/", "~")


def test_as_by_its_own_routes(store: Store) -> None:
    made = config(studio(store))
    Context.id = 0
    with gr.Blocks(title="Concord", analytics_enabled=False, fill_width=True) as blocks:
        pages: list[type[Page]] = list(PAGES)
    for page in pages:
        with blocks.route(page.title, _flat(page.path), show_in_navbar=True):
            add_bar(store, PLACES, ADD, page)
            page(store).build()
    expected = config(blocks)
    assert made["page"].keys() == {"", *(_flat(page.path) for page in PAGES)}
    for part, value in expected.items():
        assert made[part] == value, part
