"""Captions without a browser: what its parts say of evidence made by hand, hostile texts, and an address in vain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from agreement import Options
from concord.comparison.matching import evidence, matching_cells, recall
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice
from tests.concord.comparison.test_matching import images, rows
from tests.ui import matching_evidence
from tests.ui.small_project import done
from ui.pages import captions
from ui.pages.captions import CaptionsPage, CaptionsView, choices, gallery
from ui.shell.html import rendered
from ui.shell.live_place import PlaceDrawing

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def store(project: Path, tmp_path: Path) -> Store:
    images(tmp_path, "a.png", "b.png")
    entries = [
        {"image": "a.png", "captions": [HOSTILE, "y"], "right": 0, "task": "color"},
        {"image": "b.png", "captions": ["x", "y"], "right": 1, "task": "count"},
    ]
    done(project, "import", "itm", rows(tmp_path / "a.jsonl", *entries))
    a, b = matching_evidence.items(project)
    opened = Store(project)
    matching_evidence.said(opened, "one", {a: [2, 1], b: [2, 1]}, scale=1.0)
    matching_evidence.said(opened, f"two {HOSTILE}", {a: [1, 2], b: [1, None]})
    return opened


def view_of(caption_choices: Sequence[CaptionChoice], values: Mapping[str, str]) -> CaptionsView:
    return CaptionsView.chosen(choices(caption_choices, values), values)


def test_what_is_asked_for_and_what_there_is(store: Store) -> None:
    with store:
        caption_choices = evidence(store)
        assert view_of(caption_choices, {}) == CaptionsView("itm", "real")
        requested = {"suite": "itm", "generator": "real", "task": "color", "who": "one", "said": "wrong"}
        assert view_of(caption_choices, {**requested, "page": "2"}) == CaptionsView("itm", "real", "color", "one", "wrong", 2)
        assert view_of(caption_choices, {"suite": "none", "task": HOSTILE, "said": "x", "page": "-3"}) == CaptionsView(
            "itm", "real"
        )
        assert view_of((), requested).suite == ""
        assert [choice[1] for choice in choices(caption_choices, {})["task"].choices] == ["all", "color", "count"]
        assert (
            CaptionsView("itm", "real", "color", page=3).address()
            == "/studio/agreement/captions?suite=itm&generator=real&task=color&page=3"
        )


def test_the_images_behind_a_number(store: Store) -> None:
    with store:
        caption_choices, view = evidence(store), CaptionsView("itm", "real")
        listed = rendered(gallery(store, caption_choices, view))
        assert listed.count('class="cc-match"') == 2
        assert HOSTILE not in listed
        assert "&lt;img src=x" in listed
        # by softmax of 2 and 1
        assert "p 0.73" in listed

        def shown(**requested: str) -> list[bool]:
            text = rendered(gallery(store, caption_choices, CaptionsView("itm", "real", **requested)))  # type: ignore[arg-type]
            return [f"itm%2F0000{k}" in text for k in (0, 1)]

        assert shown(who="one", said="right") == [True, False]
        assert shown(who="one", said="wrong") == [False, True]
        assert shown(who="one", said="only") == [True, False]
        # of the second image there is a caption without a number: neither right nor wrong
        assert shown(who=f"two {HOSTILE}", said="wrong") == [True, False]
        assert shown(who=f"two {HOSTILE}") == [True, False]
        assert shown(task="count") == [False, True]
        assert shown(said="right") == [True, False]


def test_the_tables(store: Store) -> None:
    with store:
        view, statistics = CaptionsView("itm", "real"), recall(store, "itm", Options(intervals=False))
        table = rendered(captions.accuracy(matching_cells(statistics.matching), view))
        assert HOSTILE not in table
        assert "0.500" in table
        assert "said=wrong" in table
        assert "1 left out" in table
        assert "only a is right" in rendered(captions.votes(statistics.votes, view))
        assert rendered(captions.winoground(statistics.winoground)) == ""


def drawn(store: Store, **asked: str) -> list[PlaceDrawing]:
    return list(CaptionsPage(store).draw_place(lambda name: [asked[name]] if name in asked else []))


def test_the_whole_place(store: Store) -> None:
    with store:
        quick, whole = drawn(store, task="none", numbers="1")
    assert (quick.complete, whole.complete) == (False, True)
    text = rendered(whole.content)
    assert HOSTILE not in text
    # two hold the same: whoever is first by name
    assert "takes the right caption 0.50 of the time" in text
    assert "There is no task &#39;none&#39; among the captions here." in text
    # no likelihood with several trials
    assert "Ablation" not in text
    assert "chance 0.50" in text


def test_an_empty_project_is_taught(project: Path) -> None:
    with Store(project) as empty:
        (only,) = drawn(empty)
        text = rendered(only.content)
        assert "import itm --playground" in text
        assert str(project) in text
        # and no tab leads to what is not there
        assert "agreement/tune" not in text
