"""While a page answers a choice somebody makes the next one: it must not be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr
import pytest

from data.store.core.store import Store
from tests.ui import explore_project
from tests.ui.explore_project import RATER
from ui.pages.explore import ExplorePage
from ui.pages.explore.controls import view_of
from ui.pages.explore.view import ADDRESS, FLIPPED


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(explore_project.project(tmp_path_factory.mktemp("chosen"))) as store:
        yield store


@pytest.fixture
def page(store: Store) -> ExplorePage:
    with gr.Blocks():
        made = ExplorePage(store)
        made.build()
    return made


def asked(page: ExplorePage, **other: str) -> list[Any]:
    """What a browser says in which the flip test has just been chosen."""
    view = view_of(page.store, {"show": FLIPPED})
    values = {name: getattr(view, name) or None for name in ADDRESS} | other
    return [values.get(name) for name in page.controls]


def named(page: ExplorePage, changes: list[Any]) -> dict[str, Any]:
    return dict(zip(page.controls, changes, strict=False))


def set_again(page: ExplorePage, changes: list[Any]) -> list[str]:
    return [name for name, change in named(page, changes).items() if name in ADDRESS and "value" in change]


def test_a_control_that_stays_is_not_set_again(page: ExplorePage) -> None:
    changes = page.choose(*asked(page))
    assert set_again(page, changes) == []
    assert named(page, changes)["task"]["choices"][0] == ("all images", "all"), "its choices may have grown"
    assert set_again(page, page.choose(*asked(page, rater="gone"))) == ["rater"], "what there is not is"


def test_nor_is_it_where_the_scorer_changes(page: ExplorePage) -> None:
    changes = page.change_rater("another’s", *asked(page))
    assert set_again(page, changes) == []
    assert any("value" in named(page, changes)[name] for name in page.knobs), "the knobs are this scorer’s now"
    gone = page.change_rater("another’s", *asked(page, rater="gone"))
    assert set_again(page, gone) == ["rater"]
    assert RATER in [name for _, name in named(page, gone)["rater"]["choices"]]
