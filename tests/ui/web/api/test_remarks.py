"""Notes, verdicts and history on the Workbench: under a name, append-only, covered like everything that others say."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.middleware.sessions import SessionMiddleware
from starlette.testclient import TestClient

from data.campaigns.settings import DEFAULT
from data.records import Annotation, Judgement, Rater
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import remarks as stored_remarks
from data.store.people import erasing
from tests.ui import drawn_images
from tests.ui.http_visitor import World
from ui.web.api import browsing, form, inspection

ITEM = f"geneval/00000/{drawn_images.GENERATOR}/0"
HOSTILE = "<img src=x onerror=alert(1)> '; drop table notes; --"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A picture with a scorer's evidence, judged by rita, too."""
    direct = {"aspect": "correct", "target": None, "label": "yes", "value": 1.0}
    said = [Annotation("r0", ITEM, "rita", "direct", direct, (Judgement("correct", "yes", 1.0),), "direct-1")]
    with Store(drawn_images.project(tmp_path, size=64)) as store:
        imports.apply(store, [ImportBundle("ratings", "r", "r", raters=[Rater("rita", "human", "person")], annotations=said)])
        app = FastAPI()
        for router in (browsing.router, form.router, inspection.router):
            app.include_router(router(store))
        app.add_middleware(SessionMiddleware, secret_key=store.secret)
        yield World(store, app, tmp_path)


def remarks(client: TestClient) -> dict[str, Any]:
    results: dict[str, Any] = client.get("/api/studio/remarks", params={"id": ITEM}).json()
    return results


def uncovered(world: World, name: str = "ann") -> TestClient:
    client = world.person(name)
    assert client.post("/api/studio/uncover", json={"id": ITEM}).status_code == 200
    return client


def note(client: TestClient, text: str, **more: Any) -> Any:
    return client.post("/api/studio/notes", json={"id": str(uuid.uuid4()), "item": ITEM, "text": text} | more)


def verdict(client: TestClient, **more: Any) -> Any:
    body = {"id": str(uuid.uuid4()), "item": ITEM, "aspect": "correct", "verdict": "no", "wrong": "person", "rater": "rita"}
    return client.post("/api/studio/verdict", json=body | more)


def test_nothing_is_told_before_and_nobody_writes_without_a_name(world: World) -> None:
    assert note(uncovered(world), "rita is wrong").status_code == 200
    for client in (world.client(), world.person("ben")):
        assert remarks(client) == {"covered": True}
    assert note(world.client(), "who am I").status_code == 401
    assert verdict(world.client()).status_code == 401
    assert world.column("select count(*) from notes") == [1]


def test_a_note_is_kept_changed_and_taken_back(world: World) -> None:
    ann, ben = uncovered(world), uncovered(world, "ben")
    first = note(ann, HOSTILE).json()["notes"]
    assert [(entry["text"], entry["made_by"], entry["revised"]) for entry in first] == [(HOSTILE, "ann", False)]
    second = note(ben, "mine").json()["notes"]
    refused = note(ben, "theirs", revises=first[0]["note_id"])
    assert (refused.status_code, refused.json()["detail"]) == (409, "Only whoever wrote a note can change it.")
    changed = note(ann, "better", revises=first[0]["note_id"]).json()["notes"]
    assert [(entry["text"], entry["revised"]) for entry in changed] == [("better", True), ("mine", False)]
    gone = note(ann, "  ", revises=changed[0]["note_id"]).json()["notes"]
    assert [entry["note_id"] for entry in gone] == [second[1]["note_id"]]
    # nothing that was written is lost
    assert sorted(world.column("select text from notes")) == sorted([HOSTILE, "mine", "better", ""])


def test_the_same_note_twice_is_one(world: World) -> None:
    ann = uncovered(world)
    once = str(uuid.uuid4())
    for _ in range(3):
        assert len(note(ann, "seen", id=once).json()["notes"]) == 1
    assert note(ann, "   ").status_code == 422
    assert note(ann, "x" * (inspection.MOST_REMARKS + 1)).status_code == 422
    assert note(ann, "lost", item="nowhere").status_code == 404
    assert world.column("select count(*) from notes") == [1]


def test_a_verdict_convicts_either_side(world: World) -> None:
    ann = uncovered(world)
    cases = {(entry["aspect"], entry["target"]): entry for entry in remarks(ann)["cases"]}
    case = cases["correct", None]
    assert case["labels"] == ["yes", "no"]
    assert {entry["rater"] for entry in case["said"]} == {"rita", drawn_images.RATER}
    first = verdict(ann, note="it is there").json()
    verdicts = first["verdicts"]
    assert first["so_far"] == {"blamed": 1, "verdicts": 1}
    ruled = [(one["verdict"], one["wrong"], one["rater_id"], one["made_by"]) for one in verdicts]
    assert ruled == [("no", "person", "rita", "ann")]
    verdicts = verdict(ann, verdict="yes", wrong="scorer", rater=drawn_images.RATER).json()["verdicts"]
    assert [(one["verdict"], one["rater_id"]) for one in verdicts] == [("yes", drawn_images.RATER)]
    # the Campaigns page lists it with the default campaign's
    assert {one.campaign_id for one in stored_remarks.verdicts(world.store, replaced=True)} == {DEFAULT}
    assert len(stored_remarks.verdicts(world.store, replaced=True)) == 2


def test_a_verdict_is_taken_back(world: World) -> None:
    ann = uncovered(world)
    unit = {"item": ITEM, "aspect": "correct"}

    def back() -> Any:
        return ann.post("/api/studio/verdict/back", json={"id": str(uuid.uuid4())} | unit)

    def listed(*wrong: str) -> int:
        return int(ann.get("/api/studio/items", params={"verdict": wrong, "q": ITEM}).json()["total"])

    assert back().status_code == 409
    assert (listed("none"), listed("person")) == (1, 0)
    verdict(ann)
    assert (listed("none"), listed("person"), listed("scorer", "prompt"), listed("none", "person")) == (0, 1, 0, 1)
    verdict(ann, verdict="yes", wrong="prompt", rater=None)
    # the one before counts again, and then none
    assert [(entry["wrong"], entry["verdict"]) for entry in back().json()["verdicts"]] == [("person", "no")]
    assert listed("person") == 1
    verdict(ann, verdict="yes", wrong="person", rater=None)
    assert [entry["rater_id"] for entry in remarks(ann)["verdicts"]] == [None]
    world.store.change(lambda connection: connection.execute("delete from adjudications"))
    verdict(ann)
    assert back().json()["verdicts"] == []
    assert (listed("none"), listed("person")) == (1, 0)
    assert [entry["kind"] for entry in remarks(ann)["history"]][-2:] == ["verdict", "withdrawal"]
    values = ann.get("/api/studio/facets", params={"verdict": "none"}).json()["facets"]
    assert [entry["value"] for facet in values if facet["name"] == "verdict" for entry in facet["values"]] == ["none"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"rater": "ghost"}, "ghost is no person who has judged that"),
        ({"wrong": "scorer"}, "rita is no scorer"),
        ({"aspect": "nothing"}, "Nobody has judged this aspect"),
        ({"verdict": ""}, "Say what is right"),
        ({"wrong": "weather"}, "not understood"),
    ],
)
def test_a_verdict_that_makes_no_sense_is_refused(world: World, wrong: dict[str, Any], why: str) -> None:
    refused = verdict(uncovered(world), **wrong)
    assert refused.status_code == 422
    if why != "not understood":
        assert why in refused.json()["detail"]
    assert world.column("select count(*) from adjudications") == [0]


def test_a_verdict_needs_what_was_said(world: World) -> None:
    assert verdict(world.person("ben")).status_code == 409


def test_the_history_tells_all_in_order(world: World) -> None:
    ann = uncovered(world)
    note(ann, "odd")
    verdict(ann)
    history = remarks(ann)["history"]
    assert [entry["moment"] for entry in history] == sorted(entry["moment"] for entry in history)
    results = [(entry["kind"], entry["who"]) for entry in history]
    assert ("import", None) in results
    assert ("scored", drawn_images.RATER) in results
    assert [one for one in results if one[1] == "ann"] == [("uncovered", "ann"), ("note", "ann"), ("verdict", "ann")]
    assert ("answer", "rita") in results


def test_tags_stand_beside_and_in_the_history(world: World) -> None:
    ann = uncovered(world)
    for on in (True, False, True):
        body = {"id": str(uuid.uuid4()), "items": [ITEM], "tag": HOSTILE, "on": on}
        assert ann.post("/api/studio/tags", json=body).status_code == 200
    fields = remarks(ann)
    assert (fields["tags"], fields["known_tags"]) == ([HOSTILE], [HOSTILE])
    assert [entry["kind"] for entry in fields["history"] if entry["about"] == HOSTILE] == ["tag", "untag", "tag"]


def test_erasing_a_person_takes_their_notes(world: World) -> None:
    note(uncovered(world), "by ann")
    note(uncovered(world, "ben"), "by ben")
    erasing.erase(world.store, "ann")
    assert world.column("select made_by from notes") == ["ben"]
