"""A page that follows its project neither runs ahead of its own opening nor undoes what somebody does meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import gradio as gr
import pytest

from data.store.core.store import Store
from ui.shell.controls import Choice, dropdown
from ui.shell.following import keep_current, version_signal

Followed = Callable[..., list[Any]]


class Project:
    version = "1"


@pytest.fixture
def project() -> Project:
    return Project()


def page(project: Project, *, opens: bool) -> dict[str, Any]:
    """The functions of a page with one filter, by what calls them."""

    def draw(value: str) -> Iterator[Sequence[Any]]:
        yield [Choice(["a", "b", project.version], value if value in ("a", "b") else "a").control(), f"drawn {value}"]

    with gr.Blocks() as blocks:
        chosen, shown = dropdown("Letter", ["a", "b"], "a"), gr.HTML()
        signal = version_signal() if opens else None
        if signal is not None:
            blocks.load(lambda: ["b", "first", "1"], None, [chosen, shown, signal])
        keep_current(cast("Store", project), draw, [chosen], [chosen, shown], signal=signal)
    return {fn.fn.__name__: fn.fn for fn in blocks.fns.values() if fn.fn is not None}


def last(answers: Iterator[Any]) -> Any:
    return list(answers)[-1]


@pytest.mark.parametrize("opens", [True, False])
def test_nothing_follows_before_the_page_has_been_drawn(project: Project, opens: bool) -> None:
    tick = page(project, opens=opens)["tick"]
    assert last(tick("", "a")) == [gr.skip()] * 3


def test_after_its_opening_a_page_follows_once_for_each_version(project: Project) -> None:
    functions = page(project, opens=True)
    assert "fresh" not in functions, "the opening draws this page"
    assert last(functions["tick"]("1", "b")) == [gr.skip()] * 3, "what the opening has drawn is not drawn again"
    seen, project.version = "1", "2"
    *_, seen = last(functions["tick"](seen, "b"))
    assert seen == "2"


def test_a_control_that_stays_is_not_set_again(project: Project) -> None:
    tick = page(project, opens=True)["tick"]
    control, shown, _ = last(tick("0", "b"))
    assert "value" not in control, "a click made meanwhile would be undone"
    assert control["choices"] == ["a", "b", "1"]
    assert shown == "drawn b"
    # what it cannot hold any more is changed
    control, *_ = last(tick("0", "gone"))
    assert control["value"] == "a"


def test_a_page_that_draws_itself_knows_from_then_on_what_it_has_seen(project: Project) -> None:
    functions = page(project, opens=False)
    *_, seen = last(functions["fresh"]("a"))
    assert seen == "1"
    assert last(functions["tick"](seen, "a")) == [gr.skip()] * 3
