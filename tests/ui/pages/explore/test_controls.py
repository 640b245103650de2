"""While a page answers a choice somebody makes the next one: it must not be taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr
import pytest

from data.store.core.store import Store
from tests.ui import explore_project
from tests.ui.explore_project import RATER
from ui.pages import explore
from ui.pages.explore import controls
from ui.pages.explore.controls import view_of
from ui.pages.explore.view import ADDRESS, FLIPPED


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(explore_project.project(tmp_path_factory.mktemp("chosen"))) as store:
        yield store


@pytest.fixture
def called(store: Store) -> dict[str, Callable[..., Any]]:
    """The functions of the page Explore, by name."""
    with gr.Blocks() as blocks:
        explore.build(store)
    return {fn.fn.__name__: fn.fn for fn in blocks.fns.values() if fn.fn is not None}


def asked(store: Store, **other: str) -> dict[str, Any]:
    """What a browser says in which the flip test has just been chosen."""
    view = view_of(store, {"show": FLIPPED})
    return {name: getattr(view, name) or None for name in ADDRESS} | dict.fromkeys(controls.every_knob()) | other


def set_again(changes: list[dict[str, Any]]) -> list[str]:
    return [name for name, change in zip(ADDRESS, changes, strict=False) if "value" in change]


def test_a_control_that_stays_is_not_set_again(store: Store, called: dict[str, Callable[..., Any]]) -> None:
    changes = called["choose"](*asked(store).values())
    assert set_again(changes) == []
    assert changes[ADDRESS.index("task")]["choices"][0] == ("all images", "all"), "its choices may have grown"
    assert set_again(called["choose"](*asked(store, rater="gone").values())) == ["rater"], "what there is not is"


def test_nor_is_it_where_the_scorer_changes(store: Store, called: dict[str, Callable[..., Any]]) -> None:
    controls = [value for name, value in asked(store).items() if name in ADDRESS]
    changes = called["change_rater"]("another’s", *controls)
    assert set_again(changes[: len(ADDRESS)]) == []
    assert any("value" in knob.constructor_args for knob in changes[len(ADDRESS) : -1]), "the knobs are this scorer’s now"
    controls[ADDRESS.index("rater")] = "gone"
    assert set_again(called["change_rater"]("another’s", *controls)[: len(ADDRESS)]) == ["rater"]
    assert RATER in [name for _, name in called["change_rater"]("another’s", *controls)[ADDRESS.index("rater")]["choices"]]
