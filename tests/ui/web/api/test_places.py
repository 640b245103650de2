"""The route of the places that are drawn as HTML: quick and whole, versions, unknown places, hostile addresses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from data.store.core.store import Store
from tests.concord import generators_project
from tests.ui.http_visitor import TOKEN, World
from ui.web.addresses_before import NEW_ADDRESSES
from ui.web.server import create_app
from ui.web.studio import PAGES

PLACES = ("results", "results/compare", "results/votes", "agreement/tune", "agreement/failures", "agreement/captions")
HOSTILE = "</script><script>alert(1)</script>\x00" * 20


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = Path(tmp_path_factory.mktemp("places"))
    with Store(folder / "project") as store:
        generators_project.fill(store)
        yield World(store, create_app(store, TOKEN, pages=False), folder)


@pytest.fixture(scope="module")
def client(world: World) -> TestClient:
    return world.client()


@pytest.mark.parametrize("place", ["results", "results/compare"])
def test_a_place_is_quick_first_and_then_whole(client: TestClient, place: str) -> None:
    quick = client.get(f"/api/studio/places/{place}").json()
    whole = client.get(f"/api/studio/places/{place}", params={"whole": "true"}).json()
    assert (quick["complete"], whole["complete"]) == (False, True)
    assert quick["version"] == whole["version"] != ""
    assert "good" in whole["content"]
    assert 'aria-label="What is shown"' in whole["scope"]


def test_votes_without_any_say_how_to_begin(client: TestClient) -> None:
    drawn = client.get("/api/studio/places/results/votes").json()
    assert drawn["complete"]
    assert "campaigns create duel --questionnaire ab" in drawn["content"]
    # and no tab of Results leads there
    assert "results/votes" not in client.get("/api/studio/places/results", params={"whole": "true"}).json()["content"]


def test_a_place_that_there_is_not_is_said(client: TestClient) -> None:
    for place in ("nothing", "results/nothing", "../results", ""):
        answer = client.get(f"/api/studio/places/{place}")
        assert answer.status_code == 404, place


@pytest.mark.parametrize("place", PLACES)
def test_hostile_addresses_are_drawn_without_their_markup(client: TestClient, place: str) -> None:
    names = (
        "suite",
        "aspect",
        "generator",
        "task",
        "statistic",
        "sort",
        "column",
        "by",
        "a",
        "b",
        "show",
        "two",
        "who",
        "scorer",
        "rater",
        "along",
        "people",
        "flips",
        "picture",
        "flip",
        "said",
        "threshold",
        "rule",
    )
    answer = client.get(f"/api/studio/places/{place}", params=dict.fromkeys(names, HOSTILE) | {"page": "-9", "whole": "1"})
    assert answer.status_code == 200
    assert "<script>" not in answer.text
    # a name that is short enough to be one is said and escaped
    said = client.get(f"/api/studio/places/{place}", params={"suite": "<script>x", "whole": "true"}).json()
    assert "<script>" not in said["content"] + said["scope"]


def test_an_address_that_says_too_much_is_refused(client: TestClient) -> None:
    answer = client.get("/api/studio/places/results", params={"generator": [str(n) for n in range(501)]})
    assert (answer.status_code, answer.json()["detail"]) == (422, "This address says too much.")


def test_the_version_moves_with_the_project(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        client = World(store, create_app(store, TOKEN, pages=False), tmp_path).client()
        empty = client.get("/api/studio/places/results").json()
        assert "Nothing is in this project yet" in empty["content"]
        generators_project.fill(store)
        filled = client.get("/api/studio/places/results").json()
        assert filled["version"] != empty["version"]
        assert "cc-leaderboard" in filled["content"]


def test_every_address_of_before_leads_to_a_page() -> None:
    paths = {page.path.strip("/") for page in PAGES}
    assert {name: path for name, path in NEW_ADDRESSES.items() if path not in paths} == {}
