"""The images of a confusion table's cell: their address, what the place says of them, where the drawer goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
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

from concord.browsing.listing import crossed_among, crossed_in
from concord.error_analysis.confusion import crossing_of, describe_cell
from data.browsing import ConfusionCell
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.core.store import Store
from data.store.judgements.recording import submit
from tests.data.store.counted_judgements import UGLY, Said, fill
from tests.data.store.small_project import answer
from ui.components.addresses import browse_address
from ui.pages.images import open_images
from ui.web.api import browsing, inspection

HOSTILE = "<script>alert(1)</script>&a=b#\"'"
SUITE = Selection(suite=("s",))
NO_YES = ConfusionCell("correct", "m", "no", PEOPLE, "yes")
CELL = browse_address(SUITE, NO_YES)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """For tests that leave nothing behind."""
    with Store(tmp_path_factory.mktemp("crossing") / "project") as opened:
        fill(opened, [*UGLY, Said("x/1", "m", HOSTILE, HOSTILE), Said("x/1", "ann", HOSTILE, HOSTILE)])
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    app = FastAPI()
    for router in (browsing.router, inspection.router):
        app.include_router(router(store))
    app.add_middleware(SessionMiddleware, secret_key=store.secret)
    return TestClient(app, raise_server_exceptions=False)


def query(address: str) -> str:
    return urlsplit(address).query


def listed(client: TestClient, address: str) -> dict[str, Any]:
    answer = client.get(f"/api/studio/items?{query(address)}")
    assert answer.status_code == 200, answer.text
    results: dict[str, Any] = answer.json()
    assert results["total"] == len(results["items"])
    return results


def ids(client: TestClient, address: str) -> list[str]:
    return [item["item_id"] for item in listed(client, address)["items"]]


# --- addresses --------------------------------------------------------------------------------------------------------
def test_the_address_of_a_cell() -> None:
    assert CELL == "/studio/images?suite=s&about=correct&a=m&a_says=no&b=people&b_says=yes"
    assert browse_address(Selection()) == "/studio/images"
    whole = Selection(suite=("s",), task=("all",), generator=("g",), rater=("ann",), since=("2026-01-01",))
    assert browse_address(whole, rater="m", order="") == "/studio/images?suite=s&generator=g&rater=m"
    assert browse_address(whole, ConfusionCell("correct", "m", "", SIMULATED, "yes", "majority"), by="correct") == (
        "/studio/images?suite=s&generator=g&since=2026-01-01&among=ann"
        "&about=correct&a=m&b=simulated+people&b_says=yes&way=majority&by=correct"
    )


TEXT = st.one_of(st.just(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8))


@given(
    st.builds(ConfusionCell, TEXT, TEXT, TEXT | st.just(""), TEXT, TEXT | st.just(""), st.sampled_from(["each", "majority"]))
)
def test_an_address_is_read_as_it_was_written(crossed: ConfusionCell) -> None:
    selection = Selection(suite=("s",), task=("t",), target=("x", HOSTILE), rater=("ann",), certainty=("split",))
    read = QueryParams(query(browse_address(selection, crossed, rater="m"))).getlist
    assert crossed_in(read) == crossed
    assert crossed_among(read) == selection


def test_an_address_without_a_crossing_asks_for_none() -> None:
    assert crossed_in(QueryParams("suite=s&rater=m&by=correct").getlist) is None


# --- the grid ---------------------------------------------------------------------------------------------------------
def test_the_grid_lists_the_cell_and_what_both_sides_say(client: TestClient) -> None:
    results = listed(client, CELL)
    crossed = {item["item_id"]: item["crossed"] for item in results["items"]}
    assert crossed == {
        "s/1": [{"target": None, "a": "no", "b": {"no": 1, "yes": 1}}],
        "s/2": [{"target": None, "a": "no", "b": {"yes": 2, "no": 1}}],
    }
    assert "crossed" not in listed(client, "/studio/images?suite=s")["items"][0]


def test_it_combines_with_places_and_order(client: TestClient) -> None:
    assert ids(client, browse_address(Selection(), NO_YES)) == ["r/1", "s/1", "s/2"]
    assert ids(client, browse_address(Selection(task=("t1",)), NO_YES)) == ["r/1", "s/1"]
    assert ids(client, browse_address(Selection(generator=("no such",)), NO_YES)) == []
    assert ids(client, browse_address(SUITE, NO_YES, rater="ann", by="correct", order="highest")) == ["s/1", "s/2"]


@pytest.mark.parametrize(
    "crossed",
    [
        ConfusionCell("correct", "nobody", "no", PEOPLE, "yes"),
        ConfusionCell("correct", "m", "no", "nobody", "yes"),
        ConfusionCell("correct", "m", "perhaps", PEOPLE, "yes"),
        ConfusionCell("no such", "m", "no", PEOPLE, "yes"),
        ConfusionCell("score", "m", "no", PEOPLE, "yes"),
        ConfusionCell(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE),
        ConfusionCell("\0", "\0", "\0", "\0", "\0"),
    ],
)
def test_what_the_project_does_not_have_is_an_empty_grid(client: TestClient, crossed: ConfusionCell) -> None:
    assert ids(client, browse_address(Selection(), crossed)) == []


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("about=correct&a=m", "no b"),
        ("a_says=no", "no about and no a and no b"),
        ("about=correct&a=m&b=people&way=most", "each, majority"),
        ("about=correct&a=m&b=people&since=soon", "since"),
        ("about=correct&a=m&b=people&certainty=sure", "certainty"),
    ],
)
@pytest.mark.parametrize("route", ["items?", "neighbours?id=s/1&"])
def test_what_cannot_be_asked_is_refused_in_words(client: TestClient, route: str, asked: str, why: str) -> None:
    answer = client.get(f"/api/studio/{route}{asked}")
    assert answer.status_code == 422
    assert why in answer.json()["detail"]


def test_the_drawer_goes_on_within_the_cell(client: TestClient) -> None:
    reply = client.get(f"/api/studio/neighbours?{query(CELL)}&id=s/1").json()
    assert (reply["place"], reply["total"], reply["previous"], reply["next"]["id"]) == (1, 2, None, "s/2")
    last = client.get(f"/api/studio/neighbours?{query(CELL)}&id=s/2").json()
    assert (last["place"], last["previous"]["id"], last["next"]) == (2, "s/1", None)
    assert client.get(f"/api/studio/neighbours?{query(CELL)}&id=s/3").json()["place"] is None


# --- the page ---------------------------------------------------------------------------------------------------------
def opened(store: Store, address: str) -> dict[str, str]:
    """What stands on the page that an address opens: its notice, its sentence, and what the grid is asked for."""
    place = open_images(store, QueryParams(query(address)))
    notice, told, grid = place["lost"], place["restriction"], place["query"]
    return {"notice": notice, "grid": grid, "told": told, "text": unescape(re.sub("<[^>]*>", "", told)).strip()}


def test_the_page_says_what_the_images_are(store: Store, client: TestClient) -> None:
    shown = opened(store, CELL)
    assert shown["text"] == (
        "2 images that m calls “no” and people (at least one) call “yes”, about “correct”. Show all images"
    )
    assert shown["notice"] == ""
    assert ids(client, f"/studio/images?{shown['grid']}") == ["s/1", "s/2"]
    (back,) = re.findall('href="([^"]*)"', shown["told"])
    everything = unescape(back)
    assert everything == "/studio/images?suite=s"
    assert opened(store, everything)["told"] == opened(store, everything)["notice"] == ""
    assert len(ids(client, everything)) == 7


def test_the_way_back_keeps_the_places(store: Store) -> None:
    told = opened(store, browse_address(Selection(suite=("s",), task=("t1",), generator=("g",)), NO_YES))["told"]
    assert 'suite=s&amp;task=t1&amp;generator=g"' in told
    assert "1 image that m" in told


def test_the_number_is_that_of_the_grid_as_answers_come_in(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, UGLY)
        address = browse_address(SUITE, NO_YES)
        before = opened(store, address)["text"]
        submit(store, answer("s/6", "dot", campaign_id=None))
        after = opened(store, address)["text"]
        assert (before[:40].count("2 images"), after[:40].count("3 images")) == (1, 1)


def test_the_aspect_that_is_crossed_is_shown_unless_another_is_asked_for(store: Store) -> None:
    other = ConfusionCell("other", "m", "no", PEOPLE, "yes")
    assert "by=other" in opened(store, browse_address(SUITE, other))["grid"]
    assert "by=correct" in opened(store, browse_address(SUITE, other, by="correct"))["grid"]


@pytest.mark.parametrize(
    ("asked", "lost"),
    [
        ("about=no+such&a=m&a_says=no&b=people", "about=no such"),
        ("about=correct&a=nobody&b=people&b_says=yes", "a=nobody"),
        ("about=correct&a=m&b=nobody", "b=nobody"),
        ("about=correct&a=all&b=people", "a=all"),
        ("about=correct&a=nobody&b=no+one", "a=nobody, b=no one"),
        ("about=correct&a=m", "about=correct, a=m"),
        ("b_says=yes", "b_says=yes"),
        ("about=correct&a=m&b=people&way=most", "way=most"),
        ("about=correct&a=m&b=people&since=soon", "since=soon"),
        ("about=correct&a=m&b=people&certainty=sure&target=dog", "certainty=sure"),
        ("since=2026-01-01", "since=2026-01-01"),
        ("about=correct&a=m&b=people&generator=g&generator=no&generator=nor", "generator=no,nor"),
    ],
)
def test_what_cannot_be_followed_is_said(store: Store, asked: str, lost: str) -> None:
    shown = opened(store, f"/studio/images?suite=s&{asked}")
    assert f"This address asks for {lost}, which this page does not have" in shown["notice"]
    if "generator" not in asked:
        assert shown["told"] == ""
        assert shown["grid"] == "suite=s"


def test_nothing_there_says_why(store: Store) -> None:
    perhaps = opened(store, browse_address(SUITE, ConfusionCell("correct", "m", "perhaps", PEOPLE, "yes")))
    assert perhaps["notice"] == ""
    assert perhaps["text"].startswith("No image that m calls “perhaps” and people (at least one) call “yes”, about “correct”.")
    assert "Nobody says “perhaps” here, but “no”, “yes”." in perhaps["text"]
    score = crossing_of(store, ConfusionCell("score", "m", "", PEOPLE, ""), SUITE)
    assert describe_cell(store, score).endswith("Nothing that was said about “score” counts here as a label.")
    empty = crossing_of(store, ConfusionCell("correct", "m", "yes", PEOPLE, "no", "majority"), SUITE)
    assert describe_cell(store, empty).endswith("about “correct”.")


@pytest.mark.parametrize(
    ("crossed", "among", "told"),
    [
        (("m", "no", PEOPLE, "yes", "majority"), {}, "1 image that m calls “no” and people (more than half) call “yes”"),
        (("m", "", PEOPLE, "yes"), {}, "5 images that m has judged and people (at least one) call “yes”"),
        (("m", "no", PEOPLE, ""), {}, "3 images that m calls “no” and people (at least one) have judged"),
        (("m", "no", PEOPLE, "", "majority"), {}, "2 images that m calls “no” and people (more than half) agree on"),
        (("m", "yes", SIMULATED, "no"), {}, "1 image that m calls “yes” and simulated people (at least one) call “no”"),
        (("ann", "yes", PEOPLE, "yes"), {}, "1 image that ann calls “yes” and other people (at least one) call “yes”"),
        (("sim 1", "no", PEOPLE, "yes"), {}, "1 image that sim 1 calls “no” and people (at least one) call “yes”"),
        (("ann", "yes", "m", ""), {}, "4 images that ann calls “yes” and m has judged"),
        (
            ("m", "no", PEOPLE, "no"),
            {"target": ("dog",), "until": ("2999-01-01",)},
            "1 image that m calls “no” and people (at least one) call “no”, about “correct”, of answers only those of"
            " target “dog”, until 2999-01-01.",
        ),
    ],
)
def test_the_sentence(store: Store, crossed: Any, among: Any, told: str) -> None:
    result = describe_cell(store, crossing_of(store, ConfusionCell("correct", *crossed), Selection(suite=("s",), **among)))
    assert result.startswith(told)
    assert "about “correct”" in result


def test_no_text_of_the_project_is_html(store: Store) -> None:
    shown = opened(store, browse_address(Selection(suite=("x",)), ConfusionCell("correct", "m", HOSTILE, "ann", HOSTILE)))
    assert shown["text"].startswith(f"1 image that m calls “{HOSTILE}” and ann calls “{HOSTILE}”")
    assert re.findall("<[^>]*>", shown["told"]) == [
        '<p class="cc-note">',
        re.findall("<a[^>]*>", shown["told"])[0],
        "</a>",
        "</p>",
    ]
    lost = opened(store, browse_address(Selection(), ConfusionCell("correct", HOSTILE, "", "ann", "")))
    assert "<script>" not in lost["notice"]
    assert "a=&lt;script&gt;" in lost["notice"]
