"""Compare: the two generators that an address asks for, also one of before, and prompts by what became of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import htpy
import pytest

from data.records import Evidence, Image, Item, Judgement, Prompt, Rater
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from tests.concord import generators_project
from ui.pages.results.compare import ComparePage
from ui.pages.results.view import CompareView
from ui.shell.html import rendered
from ui.shell.live_place import PlaceDrawing


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        generators_project.fill(opened)
        yield opened


def asking(**asked: str) -> Callable[[str], Sequence[str]]:
    return lambda name: [asked[name]] if name in asked else []


def drawings(store: Store, **asked: str) -> list[PlaceDrawing]:
    return list(ComparePage(store).draw_place(asking(**asked)))


def text(drawing: PlaceDrawing) -> str:
    return unescape(re.sub("<[^>]+>", " ", rendered(htpy.fragment[drawing.content])))


def test_an_address_of_before_asks_for_the_same() -> None:
    old = CompareView.read(asking(suite="s", first="good", second="bad", by="verdicts·correct", order="improvements"))
    assert old == CompareView.read(asking(suite="s", aspect="correct", a="good", b="bad", by="verdicts", show="better"))
    assert CompareView.read(lambda name: parse_qs(urlsplit(old.address()).query).get(name, [])) == old
    assert CompareView.read(asking(by="scores·score")).scope.aspect == ""


def test_without_a_query_the_best_stands_beside_the_next_one(store: Store) -> None:
    quick, whole = drawings(store)
    assert (quick.complete, whole.complete, whole.title) == (False, True, "good beside bad")
    # the quick drawing is about people alone
    assert "scores" not in text(quick)
    assert "2 of 2 scorers see the same one ahead" in text(whole)


def test_prompts_stand_under_what_became_of_them(store: Store) -> None:
    worse = [n for n in range(12) if generators_project.is_right("bad", n) and not generators_project.is_right("good", n)]
    better = [n for n in range(12) if generators_project.is_right("good", n) and not generators_project.is_right("bad", n)]
    for show, prompts in (("worse", worse), ("better", better)):
        *_, whole = drawings(store, show=show)
        assert {int(n) for n in re.findall(r"prompt (\d+)", text(whole))} == set(prompts)
        assert f"bad better {len(worse)}" in text(whole)
    # it opens on the side of the one that is better on more prompts, by the generators' names
    *_, whole = drawings(store)
    longer = better if len(better) >= len(worse) else worse
    assert {int(n) for n in re.findall(r"prompt (\d+)", text(whole))} == set(longer)
    assert "Before" not in text(whole)


def test_names_that_there_are_not_are_said_and_left_out(store: Store) -> None:
    hostile = "<script>" * 200
    *_, whole = drawings(store, a=hostile, b="good", by=hostile, show=hostile, page="-1")
    assert whole.title == "good beside bad"
    assert "There is no generator" in text(whole)
    assert "<script>" not in rendered(htpy.fragment[whole.content])


def test_the_first_pair_is_of_generators_that_the_rater_judged(tmp_path: Path) -> None:
    # by the first scorer a is best and b next; the second one has not seen a
    good = {"a": 0.9, "b": 0.7, "c": 0.5}
    prompts = [Prompt(f"s/{n}", "s", f"prompt {n}") for n in range(3)]
    images = [Image(prompt.prompt_id, generator, 0) for prompt in prompts for generator in good]
    items = [Item(each.image_id, "s", each.prompt_id, None, each.generator) for each in images]
    evidence = [
        Evidence(f"{rater}{image.image_id}", image.image_id, rater, {}, (Judgement("score", None, good[image.generator]),), "1")
        for image in images
        for rater in ("m1", "m2")
        if (rater, image.generator) != ("m2", "a")
    ]
    scorers = [Rater("m1", "scorer"), Rater("m2", "scorer")]
    bundle = ImportBundle(
        "ratings", "all", "0", prompts=prompts, images=images, items=items, raters=scorers, evidence=evidence,
        scales=[("s", "score", "interval")],
    )  # fmt: skip
    with Store(tmp_path / "of scores") as scored:
        apply(scored, [bundle])
        assert drawings(scored, by="m1")[-1].title == "a beside b"
        assert drawings(scored, by="m2")[-1].title == "b beside c"
