"""Failure pictures: their sentences, numbers and figures, and that every mark leads to exactly its images."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams
from starlette.middleware.sessions import SessionMiddleware
from starlette.testclient import TestClient

from concord.browsing.listing import marked_in
from concord.error_analysis import failures
from concord.error_analysis.failures import NEEDS, TITLES, FailureMark, describe_mark
from concord.scope import Scope
from data.formats.cooccurrence import Cooccurrence, ordered_pair
from data.jobs.runs import Detection, Observation
from data.prompts.coco import COCO
from data.records import Image, Item, Prompt
from data.selection import Selection
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from scorers.failures import PICTURES
from scorers.geneval import scorer
from tests.ui import drawn_images
from ui.components.addresses import browse_address
from ui.components.linked_figures import Mark, Series, dots, heat, lines, stacked
from ui.pages.failures.drawing import Drawing
from ui.pages.failures.pictures import DRAW, failures_picture
from ui.pages.images import open_images
from ui.shell.html import rendered
from ui.web.api import browsing

HOSTILE = "<script>alert(1)</script>&a=b#\"'+"
WHERE = ("geneval", drawn_images.RATER)
SETTINGS = {**scorer.SCORER.profiles["playground"], **drawn_images.SETTINGS}


def failures_failures(store: Store, suite: str, rater: str, picture: str, generator: str = "") -> Drawing:
    return failures_picture(store, Scope(suite, generator=(generator,) if generator else ()), rater, picture)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The careless renderer's pictures, each seen as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_images, "SETTINGS", SETTINGS)
        made = drawn_images.project(tmp_path_factory.mktemp("failures"), each=4, per_prompt=3, size=64)
    with Store(made) as opened:
        apply(opened, [_photographs(*COCO)])
        yield opened


def _photographs(*names: str) -> ImportBundle:
    """Classes that are together in as many images as their names have letters, less sevens."""
    pairs = {ordered_pair(a, b): (len(a) + len(b)) % 7 for a, b in combinations(names, 2)}
    together = {(name, name): 9 for name in names} | {pair: n for pair, n in pairs.items() if n}
    return ImportBundle("cooccurrence", "x", "x", cooccurrence=Cooccurrence(HOSTILE, 100, together))


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    app = FastAPI()
    app.include_router(browsing.router(store))
    app.add_middleware(SessionMiddleware, secret_key=store.secret)
    return TestClient(app, raise_server_exceptions=False)


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html))


def links(html: str) -> list[tuple[str, str]]:
    """Addresses, each with what is said on it."""
    return [(unescape(href), text_of(said)) for href, said in re.findall(r'<a href="([^"]+)"[^>]*>(.*?)</a>', html)]


def total(client: TestClient, address: str) -> int:
    answer = client.get(f"/api/studio/items?{urlsplit(address).query}")
    assert answer.status_code == 200, answer.text
    return int(answer.json()["total"])


# ---- pictures
def test_every_picture_has_a_title_a_way_to_draw_it_and_words_for_when_it_is_empty() -> None:
    assert set(PICTURES) == set(TITLES) == set(DRAW) == set(NEEDS)


@pytest.mark.parametrize("picture", PICTURES)
def test_every_number_of_a_picture_leads_to_its_images(store: Store, client: TestClient, picture: str) -> None:
    made = failures_failures(store, *WHERE, picture)
    assert made.figure is not None
    assert made.lead
    # in the table: the address, and how many it says there are
    cells = re.findall(
        r'<a href="([^"]+)">([^<]+)</a>(?:<small class="cc-detail">([\d,]+) of ([\d,]+))?', rendered([made.numbers, made.notes])
    )
    assert len(cells) >= 5
    for href, said, hits, _ in cells:
        n = total(client, unescape(href))
        count = int((hits or said).replace(",", ""))
        # several objects may be in one image
        assert n == count or (picture == "colors" and 0 < n < count)
    # every number but those of nothing is a link
    rest = re.sub(r"<a .*?</a>", "", rendered([made.numbers, made.notes]))
    if picture == "cooccurrence":  # shares of photographs, which are not in the project, have nothing beneath them
        rest = re.sub(r"<td[^>]*>[\d.]+\s%</td>", "", rest)
    assert set(re.findall(r"<td[^>]*>(\d[\d,]*\s%|\d+(?=<))", rest)) <= {"0\u00a0%", "0"}


@pytest.mark.parametrize("picture", PICTURES)
def test_every_mark_of_a_figure_is_a_link_too(store: Store, client: TestClient, picture: str) -> None:
    made = failures_failures(store, *WHERE, picture)
    marks = re.findall(r'<(?:a|span)(?: href="([^"]*)")? (?:title|aria-label)="([^"]*)"', rendered(made.figure))
    assert len(marks) >= 3
    for href, note in marks:
        counted = re.search(r"([\d,]+) of [\d,]+ (image|object)s?$", note)
        assert counted is not None
        hits = int(counted[1].replace(",", ""))
        assert bool(href) is bool(hits)
        n = total(client, unescape(href)) if href else 0
        assert n == hits or (picture == "colors" and 0 < n < hits)


def test_the_faults_that_were_drawn_are_told(store: Store) -> None:
    bound = failures_failures(store, *WHERE, "bindings")
    assert re.search(
        r"Of \d+ images in which all coloured objects are found, \d+\s% show them in each other’s colours", rendered(bound.lead)
    )
    sides = failures_failures(store, *WHERE, "positions")
    assert re.search(
        r"Asked for “(left of|right of|above|below)”, “\w+( of)?” is found in \d+\s% of \d+ images? that", rendered(sides.lead)
    )
    counted = failures_failures(store, *WHERE, "counts")
    assert re.search(
        r"In \d+\s% of 12 images the number is not the asked one: too few in \d+\s%, too many in \d+\s%\.",
        rendered(counted.lead),
    )


def test_one_generator_or_all(store: Store) -> None:
    every, alone = (failures_failures(store, *WHERE, "kinds", name) for name in ("", drawn_images.GENERATOR))
    assert all("generator=" not in href for href, _ in links(rendered([every.numbers, every.notes])))
    assert all(f"generator={drawn_images.GENERATOR}" in href for href, _ in links(rendered([alone.numbers, alone.notes])))
    # of a name that nobody has there is nothing
    assert failures_failures(store, *WHERE, "kinds", "nobody").figure is None


def test_a_scope_has_the_pictures_of_its_images(store: Store) -> None:
    assert failures.failing_raters(store, "geneval") == [drawn_images.RATER]
    every = failures.pictures_of(store, Scope("geneval"), drawn_images.RATER)
    assert every == [*PICTURES]
    counting = failures.pictures_of(store, Scope("geneval", task="counting"), drawn_images.RATER)
    assert "counts" in counting
    assert not {"colors", "positions", "bindings"} & {*counting}
    assert failures.pictures_of(store, Scope("other"), drawn_images.RATER) == []


def test_empty_pictures_teach(store: Store) -> None:
    nobody = failures_failures(store, "geneval", "nobody", "counts")
    assert nobody.figure is None
    assert "has not looked at images of geneval" in rendered(nobody.lead)
    assert "uv run app.py score geneval" in rendered([nobody.numbers, nobody.notes])
    blind = failures_failures(store, "geneval", drawn_images.CLIP, "colors")
    assert blind.figure is None
    assert text_of(rendered(blind.lead)).strip() == NEEDS["colors"]
    assert "uv run app.py prompts geneval" in rendered([blind.numbers, blind.notes])
    assert failures_failures(store, "", "", "counts").figure is None
    assert failures_failures(store, *WHERE, "no such picture").figure is None


def test_settings_that_make_no_sense_are_told_in_a_line(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise ValueError("threshold must be from 0 to 1, got 7")

    monkeypatch.setattr(failures, "_table_of", refuse)
    made = failures_failures(store, *WHERE, "counts")
    assert (made.figure, rendered([made.numbers, made.notes])) == (None, "")
    assert "cannot be judged: threshold must be from 0 to 1, got 7" in rendered(made.lead)
    assert failures.items(store, FailureMark("counts", drawn_images.RATER), Selection()) == []


def test_people_who_answer_leave_a_picture_as_it_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = failures_failures(store, *WHERE, "positions")
    monkeypatch.setattr(
        "data.store.judgements.scorer_evidence.evidence_without_masks", lambda *_: pytest.fail("evidence was read again")
    )
    monkeypatch.setattr(Store, "version", property(lambda _: "moved"))
    assert rendered(failures_failures(store, *WHERE, "positions").lead) == rendered(before.lead)


# ---- hostile names
@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("odd") / "project") as opened:
        _fill(opened)
        apply(opened, [_photographs("cup", HOSTILE)])
        yield opened


def _fill(store: Store) -> None:
    """Generators, classes and colours of names that are no names."""
    include = [{"class": HOSTILE, "count": 1, "color": HOSTILE}, {"class": "cup", "count": 1, "color": "red"}]
    spec = {"tag": HOSTILE, "include": include}
    prompts = [Prompt(f"geneval/{k:05d}", "geneval", HOSTILE, HOSTILE, spec) for k in range(2)]
    images = [Image(prompt.prompt_id, name, k) for prompt in prompts for name in (HOSTILE, "a/b c") for k in (0, 1)]
    items = [Item(image.image_id, "geneval", image.prompt_id, HOSTILE, image.generator) for image in images]
    apply(store, [ImportBundle("images", "odd", "0" * 64, prompts=prompts, images=images, items=items)])
    red = tuple(1.0 if k == 0 else 0.0 for k in range(10))
    box = (1.0, 1.0, 9.0, 9.0)
    result = (Detection(HOSTILE, 0.9, box, None, red), Detection("cup", 0.8, box, None, red))
    seen = [
        (next(p for p in prompts if p.prompt_id == image.prompt_id), Observation(image.image_id, {}, result))
        for image in images
    ]
    drawn_images._ingest(store, scorer.SCORER, drawn_images.RATER, SETTINGS, seen)


@pytest.mark.parametrize("picture", PICTURES)
def test_names_are_escaped_and_their_links_hold(odd: Store, picture: str) -> None:
    made = failures_failures(odd, *WHERE, picture)
    said = rendered(made.lead) + rendered([made.numbers, made.notes]) + rendered(made.figure)
    assert "<script" not in said
    assert "\\u003cscript" not in said
    if made.figure is None:
        return
    for href, _ in links(rendered([made.numbers, made.notes])):
        query = QueryParams(urlsplit(href).query)
        marked, places = marked_in(query.getlist), Selection.of(query.getlist)
        assert marked is not None
        assert failures.items(odd, marked, replace(places, rater=()))
    assert picture not in ("kinds", "first", "bindings") or "<a " in rendered(made.figure)


# ---- addresses
TEXT = st.one_of(st.just(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))


@given(st.builds(FailureMark, st.sampled_from([*PICTURES]), TEXT, TEXT | st.just(""), TEXT | st.just("")))
def test_an_address_is_read_as_it_was_written(marked: FailureMark) -> None:
    read = QueryParams(urlsplit(browse_address(Selection(suite=("s",)), marked=marked, order="lowest")).query).getlist
    assert marked_in(read) == marked


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("asked=2", "a failure picture's mark needs picture and seen_by."),
        ("picture=counts", "a failure picture's mark needs picture and seen_by."),
        ("picture=no&seen_by=m", "picture must be one of counts, colors,"),
    ],
)
def test_half_a_mark_is_refused_with_the_reason(client: TestClient, query: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        marked_in(QueryParams(query).getlist)
    answer = client.get(f"/api/studio/items?{query}")
    assert answer.status_code == 422
    assert reason in answer.json()["detail"]


def test_a_mark_combines_with_the_other_filters(store: Store, client: TestClient) -> None:
    def query(**more: str) -> int:
        places = Selection(**{name: (value,) for name, value in more.items()})
        return total(client, browse_address(places, marked=FailureMark("kinds", drawn_images.RATER, found="all found")))

    whole = query()
    # all suites and tasks, if none is named
    assert whole == len(failures.items(store, FailureMark("kinds", drawn_images.RATER, "", "all found"), Selection()))
    tasks = [query(task=task) for task in ("single_object", "two_object", "colors", "color_attr", "position")]
    assert sum(tasks) == whole
    assert min(tasks) > 0
    assert query(generator="nobody") == query(suite="other") == query(task="counting") == 0


# ---- what Browse says of it
def opened(store: Store, query: str) -> dict[str, Any]:
    place = open_images(store, QueryParams(query))
    notice, words, listing = place["lost"], place["restriction"], place["query"]
    return {"notice": notice, "listing": QueryParams(listing), "words": text_of(words), "links": links(words)}


def test_browse_says_what_it_lists_and_shows_the_scorers_verdicts(store: Store) -> None:
    address = browse_address(Selection(suite=("geneval",)), marked=FailureMark("counts", drawn_images.RATER, "2", "too few"))
    results = opened(store, urlsplit(address).query)
    assert results["notice"] == ""
    sentence = (
        r"(No|\d+) images? of “Requested and detected counts”, by what geneval-playground saw: 2 asked for, too few found\."
    )
    assert re.fullmatch(f"{sentence} +Show all images", results["words"].strip())
    shown = {name: results["listing"].get(name) for name in ("suite", "rater", "picture", "seen_by", "asked", "found")}
    assert shown == {
        "suite": "geneval",
        "rater": drawn_images.RATER,
        "picture": "counts",
        "seen_by": drawn_images.RATER,
        "asked": "2",
        "found": "too few",
    }
    assert results["links"] == [(f"/studio/images?suite=geneval&rater={drawn_images.RATER}", "Show all images")]


def test_images_name_what_they_cannot_follow_and_lists_without_it(store: Store) -> None:
    nobody = opened(store, "suite=geneval&picture=counts&seen_by=nobody&asked=2")
    assert "seen_by=nobody" in nobody["notice"]
    assert dict(nobody["listing"]) == {"suite": "geneval"}
    assert "picture=nonsense" in opened(store, f"picture=nonsense&seen_by={drawn_images.RATER}")["notice"]
    assert "asked=2" in opened(store, "asked=2")["notice"]
    other = opened(store, f"picture=counts&seen_by={drawn_images.RATER}&rater=people&by=count")
    assert other["notice"] == "" or "rater" not in other["notice"]
    assert other["listing"]["rater"] == "people"


def test_a_mark_in_words() -> None:
    assert describe_mark("positions", "left of", "right of") == "“left of” asked for, “right of” found"
    assert describe_mark("bindings", "", "swapped") == "swapped (two objects have each other’s colours)"
    assert describe_mark("thresholds", "0.3", "wrong") == "confidence above 0.3, wrong"
    assert describe_mark("colors", "", "") == ""


def test_the_drawer_learns_what_a_mark_has_told() -> None:
    """Who comes from such a listing knows what a scorer says of its images: their answers are not blind."""
    script = (Path(__file__).resolve().parents[3] / "assets" / "js" / "drawer" / "address.js").read_text(encoding="utf-8")
    names = json.loads(re.search(r"MARKED = (\[.*?\]);", script)[1])  # type: ignore[index]
    assert names == ["picture", "seen_by", "asked", "found"]
    assert re.search(r'return \["about", "picture", .*some\(\(name\) => listing\.has\(name\)\)', script)


# ---- figures
HALF = Mark(0.5, 0.25, 0.75, "a note\nmore", "/studio/images?suite=a%2Fb&found=x+y", "50 %", right=True)
NONE = Mark(None)


def test_a_mark_is_a_link_that_says_what_it_is_of() -> None:
    for figure in (
        heat(["r"], ["c"], [[HALF]], ("x", "y")),
        dots(["a"], [Series("one", [HALF])], "share"),
        lines(["0.1"], [Series("one", [HALF])], ("x", "y")),
        stacked(["g"], [Series("one", [HALF])], "share"),
    ):
        text = rendered(figure)
        assert [href for href, _ in links(text)] == [HALF.href]
        assert 'aria-label="a note\nmore"' in text


def test_what_is_missing_is_not_drawn_and_names_stay_texts() -> None:
    named = rendered(dots([HOSTILE], [Series(HOSTILE, [replace(HALF, note=HOSTILE)])], HOSTILE))
    assert "<script" not in named
    assert rendered(heat(["r", "s"], ["c"], [[HALF], [NONE]], ("x", "y"))).count("<a ") == 1
    text = rendered(dots(["a", "b"], [Series("one", [HALF, NONE]), Series("two", [NONE, HALF])], "share"))
    assert text.count("<a ") == text.count("no number") == 2


def test_wrong_and_right_have_colours_of_their_own_and_what_is_neither_has_none() -> None:
    cells = [[HALF, replace(HALF, right=False), replace(HALF, right=None)]]
    text = rendered(heat(["r"], ["a", "b", "c"], cells, ("x", "y")))
    assert re.findall(r"is-(right|wrong|neither)", text) == ["right", "wrong", "neither"]
