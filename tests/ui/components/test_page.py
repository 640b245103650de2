"""The shell of pages: no draw of several loses what those before it gave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gradio as gr

from data.store.core.store import Store
from ui.components.page import Drawn, Page, View


class SlowPage(Page[View]):
    title, path = "Slow", "/slow"

    def lay_out(self) -> None:
        for name in ("first", "second"):
            self.html(name)

    def view(self, requested: object) -> View:  # noqa: ARG002 - one view
        return View()

    def draw(self, view: View) -> Iterator[Drawn | None]:  # noqa: ARG002 - one view
        yield {"first": "quick"}
        yield {"second": "later"}


def test_each_drawing_holds_those_before_it(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store, gr.Blocks():
        page = SlowPage(store)
        page.build()
        draw, _, outputs = page._main
        quick, later = draw()
    assert outputs[-2:] == [page["first"], page["second"]]
    assert quick[-2:] == ["quick", gr.skip()]
    assert later[-2:] == ["quick", "later"]
