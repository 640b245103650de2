"""A page that follows its project while somebody chooses: what is drawn late does not stand under what was chosen since."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from playwright.sync_api import expect

from data.store.campaigns import participation
from data.store.core.store import Store
from tests.e2e.conftest import Visit
from tests.e2e.server import Server, listening
from ui.pages.reports import ReportsPage
from ui.shell.following import keep_current
from ui.web.server import create_app

_LATE_SECONDS = 30


class Drawing:
    """A page with one choice; once ``held``, its first drawing waits until it is let go."""

    def __init__(self) -> None:
        self.held, self.begun, self.let_go = threading.Event(), threading.Event(), threading.Event()

    def build(self, page: ReportsPage) -> None:
        def draw(letter: str) -> Iterator[Sequence[Any]]:
            if self.held.is_set() and not self.begun.is_set():
                self.begun.set()
                assert self.let_go.wait(_LATE_SECONDS)
            yield [f"drawn of {letter}"]

        letter, shown = gr.Radio(["a", "b"], value="a", label="Letter"), gr.HTML(elem_id="drawn")
        keep_current(page.store, draw, [letter], [shown], seconds=1)


def test_a_plot_overtaken_by_a_change_is_redrawn(visitor: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = Drawing()
    monkeypatch.setattr(ReportsPage, "build", lambda page: drawing.build(page))
    with Store(tmp_path / "project") as store, listening(create_app(store, "a token")) as url:
        page = visitor(Server(url, tmp_path / "project")).page
        page.goto("/studio/report")
        drawn = page.locator("#drawn")
        expect(drawn).to_have_text("drawn of a")
        drawing.held.set()
        participation.enter(store, "ann")
        assert drawing.begun.wait(_LATE_SECONDS), "the page follows the project"
        page.get_by_label("b", exact=True).check()
        expect(drawn).to_have_text("drawn of b")
        page.evaluate(
            "() => { window.seen = []; new MutationObserver(() => window.seen.push(document.getElementById('drawn').innerText))"
            ".observe(document.getElementById('drawn'), {subtree: true, childList: true, characterData: true}); }"
        )
        drawing.let_go.set()
        page.wait_for_function("() => window.seen.some((text) => text.includes('drawn of a'))", timeout=_LATE_SECONDS * 1000)
        expect(drawn).to_have_text("drawn of b")
        expect(page.get_by_label("b", exact=True)).to_be_checked()
