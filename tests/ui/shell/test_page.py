"""The shell of pages: no draw of several loses what those before it gave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import htpy
from starlette.datastructures import QueryParams

from data.store.core.store import Store
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.page import Page
from ui.shell.view import View

HOSTILE = "<img src=x onerror=alert(1)>"


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


class WritingPage(SlowPage):
    """A page that joins elements and texts, the same ones at each drawing."""

    def draw(self, view: View) -> Iterator[Drawn | None]:  # noqa: ARG002 - one view
        yield {"first": [htpy.b["a", HOSTILE], [HOSTILE, None, 0]], "second": HOSTILE}
        yield {}


class ChoosingPage(SlowPage):
    """A page with a control, whose project moves while it opens."""

    def lay_out(self) -> None:
        self.dropdown("letter", "Letter")
        super().lay_out()

    def offer(self, view: View) -> dict[str, Any]:  # noqa: ARG002 - one view
        self.store.change(lambda connection: connection.execute("select 1"))
        return {"letter": Choice(["a", "b"], "a")}


def test_what_a_page_draws_is_text_unless_it_is_an_element(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store, gr.Blocks():
        page = WritingPage(store)
        page.build()
        draw, *_ = page._main
        drawn = [step[-2:] for step in draw()]
    text = "&lt;img src=x onerror=alert(1)&gt;"
    assert drawn == [[f"<b>a{text}</b>{text}0", text]] * 2
    assert {type(value) for step in drawn for value in step} == {str}


def test_the_opening_says_which_version_it_has_drawn(tmp_path: Path) -> None:
    """Else all controls are asked for and set again a few seconds later, though nothing has moved."""
    with Store(tmp_path / "project") as store, gr.Blocks() as blocks:
        page = ChoosingPage(store)
        page.build()
        asking = [one for one in blocks.fns.values() if any(event == "select" for _, event in one.targets)]
        # of the two it is the one that sets the controls, and nothing else
        (following,) = (one for one in asking if len(one.outputs) == 2)
        signal = following.inputs[0]
        # what the browser calls when the page loads, and sets the version with
        loading = [one for one in blocks.fns.values() if any(event == "load" for _, event in one.targets)]
        (opening,) = (one for one in loading if signal in one.outputs)
        before = store.version
        request = SimpleNamespace(query_params=QueryParams(""))
        values = dict(zip((one._id for one in opening.outputs), opening.fn(request), strict=True))
        assert values[signal._id] == before != store.version
        assert [*following.fn(store.version, "yes", "a")] == [[gr.skip()] * 2]


def test_each_drawing_holds_those_before_it(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store, gr.Blocks():
        page = SlowPage(store)
        page.build()
        draw, _, outputs = page._main
        quick, later = draw()
    assert outputs[-2:] == [page["first"], page["second"]]
    assert quick[-2:] == ["quick", gr.skip()]
    assert later[-2:] == ["quick", "later"]
