"""The route that saves a scorer's settings: what it takes, who may, and what the place shows then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from data.store.core.store import Store
from tests.ui import explore_project
from tests.ui.explore_project import RATER
from tests.ui.http_visitor import TOKEN, World
from ui.web.server import create_app

ROUTE = "/api/studio/tune/save"
PLACE = "/api/studio/places/agreement/tune"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with Store(explore_project.project(tmp_path / "made")) as store:
        yield World(store, create_app(store, TOKEN, pages=False), tmp_path).client()


def content(client: TestClient, **query: str) -> str:
    answer = client.get(PLACE, params={"whole": "true", **query})
    assert answer.status_code == 200
    return str(answer.json()["content"])


def test_settings_are_saved_as_a_scorer_whose_verdicts_are_those_that_were_shown(client: TestClient) -> None:
    shown = content(client, threshold="0.9")
    assert "confidence at 0.9" in shown
    assert "on held-out prompts" in shown
    saved = client.post(ROUTE, json={"rater": RATER, "settings": {"threshold": 0.9}, "name": "strict"})
    assert saved.status_code == 200
    assert (saved.json()["rater"], saved.json()["images"]) == ("strict", 36)
    assert "import undo" in saved.json()["said"]
    # the old one stays, and the new one stands where it was saved
    assert f">{RATER}<" in content(client, rater="strict")
    assert "strict’s Cohen’s κ is" in content(client, rater="strict")
    again = client.post(ROUTE, json={"rater": RATER, "settings": {"threshold": 0.9}, "name": "other"})
    assert (again.json()["rater"], again.json()["images"]) == ("strict", 0)


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        ({"rater": "nobody", "settings": {"threshold": 0.9}}, 409, "no evidence"),
        ({"rater": RATER, "settings": {}}, 409, "already has these settings"),
        ({"rater": RATER, "settings": {"threshold": 7}}, 409, "from 0 to 1"),
        ({"rater": RATER, "settings": {"models": "x"}}, 409, "no setting 'models'"),
        ({"rater": RATER, "settings": {"threshold": 0.9}, "name": "ann"}, 409, "take another one"),
        ({"rater": RATER, "settings": {"threshold": None}}, 422, ""),
        ({"rater": RATER, "settings": {"threshold": 0.9}, "name": "x" * 201}, 422, ""),
        ({"rater": RATER}, 422, ""),
    ],
)
def test_what_cannot_be_saved_says_why(client: TestClient, body: dict[str, object], status: int, why: str) -> None:
    answer = client.post(ROUTE, json=body)
    assert answer.status_code == status
    assert why in str(answer.json()["detail"])


def test_names_of_a_hostile_project_stay_texts(tmp_path: Path) -> None:
    with Store(explore_project.project(tmp_path / "made")) as store:
        explore_project.hostile(store)
        client = World(store, create_app(store, TOKEN, pages=False), tmp_path).client()
        for place in ("tune", "failures", "failures?picture=flips"):
            path, _, query = place.partition("?")
            address = f"/api/studio/places/agreement/{path}?{query}&whole=true"
            drawn = client.get(f"{address}&suite={quote(explore_project.HOSTILE)}").json()
            assert "&lt;img src=x" in drawn["content"]
            assert "<img src=x" not in drawn["content"] + drawn["scope"]
