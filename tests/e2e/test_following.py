"""A page that follows its project while somebody chooses: what is drawn late does not stand under what was chosen since."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import expect

from data.store import campaigns
from data.store.store import Store
from tests.e2e.conftest import Visit
from tests.e2e.serving import Server
from ui.pages import reports
from ui.pages.live import keep_current
from ui.server import create_app

_LATE_SECONDS = 30


class Drawing:
    """A page with one choice; once ``held``, its first drawing waits until it is let go."""

    def __init__(self) -> None:
        self.held, self.begun, self.let_go = threading.Event(), threading.Event(), threading.Event()

    def build(self, store: Store) -> None:
        def draw(letter: str) -> Iterator[Sequence[Any]]:
            if self.held.is_set() and not self.begun.is_set():
                self.begun.set()
                assert self.let_go.wait(_LATE_SECONDS)
            yield [f"drawn of {letter}"]

        letter, shown = gr.Radio(["a", "b"], value="a", label="Letter"), gr.HTML(elem_id="drawn")
        keep_current(store, draw, [letter], [shown], seconds=1)


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until = time.monotonic() + _LATE_SECONDS
        while not server.started and time.monotonic() < until:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(_LATE_SECONDS)


def test_a_drawing_that_was_overtaken_is_made_again(visitor: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = Drawing()
    monkeypatch.setattr(reports, "build", drawing.build)
    with Store(tmp_path / "project") as store, listening(create_app(store, "a token")) as url:
        page = visitor(Server(url, tmp_path / "project")).page
        page.goto("/studio/reports")
        drawn = page.locator("#drawn")
        expect(drawn).to_have_text("drawn of a")
        drawing.held.set()
        campaigns.enter(store, "ann")
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
