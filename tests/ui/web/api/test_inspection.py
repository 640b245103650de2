"""The Workbench's JSON routes: what is covered from whom until when, what is recorded, and which answers stay blind."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.middleware.sessions import SessionMiddleware
from starlette.testclient import TestClient

from concord.judging import derive_source
from data.records import Annotation, Image, Item, Judgement, Rater
from data.selection import Selection
from data.store import imports, runs
from data.store.core.frame import frame
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import answer_status, recording
from tests.ui import drawn_images
from tests.ui.http_visitor import World
from ui.web.api import browsing, form, inspection

NONE = {"objects": "none", "count_0": 0, "caption_fit": 1}
SECRETS = ("confidence", "detections", "expected", "cosine", "checks", "rita", "judged by rita")


def item_id(number: int = 0, index: int = 0) -> str:
    return f"geneval/{number:05d}/{drawn_images.GENERATOR}/{index}"


ITEM = item_id()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pictures, one of each task, with the evidence of two scorers, and one person who has judged them all."""
    project = drawn_images.project(tmp_path_factory.mktemp("seen"), size=64)
    with Store(project) as store:
        imports.apply(
            store, [ImportBundle("ratings", "r", "r", raters=[Rater("rita", "human", "person")], annotations=_rated())]
        )
    return project


@pytest.fixture
def world(template: Path, tmp_path: Path) -> Iterator[World]:
    with Store(shutil.copytree(template, tmp_path / "project")) as store:
        yield World(store, _routes(store), tmp_path)


@pytest.fixture(scope="module")
def standing(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The same for all tests of this file: for those that leave nothing behind."""
    folder = tmp_path_factory.mktemp("standing")
    with Store(shutil.copytree(template, folder / "project")) as store:
        yield World(store, _routes(store), folder)


def _routes(store: Store) -> FastAPI:
    """The routes without the pages, which take seconds to build."""
    app = FastAPI()
    for router in (form.router, browsing.router, inspection.router):
        app.include_router(router(store))
    app.add_middleware(SessionMiddleware, secret_key=store.secret)
    return app


def _rated() -> list[Annotation]:
    direct = {"aspect": "correct", "target": None, "label": "yes", "value": 1.0}
    parts = (Judgement("correct", "yes", 1.0),)
    return [Annotation(f"r{n}", item_id(n), "rita", "direct", direct, parts, "direct-1") for n in range(6)]


def get(client: TestClient, route: str, item: str = ITEM, **more: str) -> Any:
    answer = client.get(f"/api/studio/{route}", params={"id": item, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def uncover(client: TestClient, item: str = ITEM, **more: str) -> Any:
    answer = client.post("/api/studio/uncover", json={"id": item, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def answer(client: TestClient, item: str = ITEM, **more: Any) -> str:
    """Answer "none of them"; the answer's id."""
    task = get(client, "task", item)
    answers = {
        question["id"]: NONE[question["id"]] for question in task["questionnaire"]["questions"] if question["id"] in NONE
    }
    counts = {q["id"]: 0 for q in task["questionnaire"]["questions"] if q["id"].startswith("count_")}
    body = {"id": str(uuid.uuid4()), "ticket": task["ticket"], "answers": answers | counts} | more
    sent = client.post("/api/submit", json=body)
    assert sent.status_code == 200, sent.text
    assert sent.json()["id"] == body["id"]
    return str(body["id"])


def of(world: World, person: str = "ann", item: str = ITEM) -> dict[str, bool]:
    """Each answer of a person, and whether it was given after seeing."""
    with world.store.read() as cursor:
        rows = cursor.execute(
            "select annotation_id, saw_evidence from annotations where rater_id = ? and item_id = ? order by submitted",
            [person, item],
        ).fetchall()
    return dict(rows)


def counting(world: World, person: str = "ann") -> list[tuple[str, str | None]]:
    """The labels of `correct`, each with why it does not count, if it does not."""
    table = frame(world.store, Selection(aspect=("correct",), rater=(person,)))
    mine = table[(table["rater"] == person) & (table["item"] == ITEM)]
    return [(label, why if isinstance(why, str) else None) for label, why in zip(mine["label"], mine["excluded"], strict=True)]


def assert_covered(client: TestClient, item: str = ITEM) -> None:
    facts, evidence = client.get(f"/api/studio/item?id={quote(item)}"), client.get(f"/api/studio/evidence?id={quote(item)}")
    assert facts.json()["covered"] is True
    assert set(evidence.json()) == {"covered", "name"}
    for route in ("task", "neighbours"):
        texts = client.get(f"/api/studio/{route}?id={quote(item)}").text + facts.text + evidence.text
        assert [secret for secret in SECRETS if secret in texts] == []


def test_nothing_is_told_before(standing: World) -> None:
    for client in (standing.client(), standing.person()):
        assert_covered(client)
    assert standing.column("select count(*) from uncovered") == [0]


def test_who_uncovers_has_a_name(standing: World) -> None:
    client = standing.client()
    refused = client.post("/api/studio/uncover", json={"id": ITEM})
    assert refused.status_code == 401
    assert "give your name first" in refused.json()["detail"]
    assert get(client, "task") == {"state": "name"}
    assert standing.column("select count(*) from uncovered") == [0]


def test_uncovering_is_recorded_and_shows_all(world: World) -> None:
    client = world.person()
    shown = uncover(client)
    assert (shown["covered"], shown["how"]) == (False, "asked")
    assert world.column("select rater_id || ' ' || item_id || ' ' || how from uncovered") == [f"ann {ITEM} asked"]
    assert {said["rater_id"] for said in shown["judgements"]} == {"rita", drawn_images.RATER, drawn_images.CLIP}
    assert get(client, "evidence") == shown
    assert get(client, "item")["covered"] is False
    # of this image and for this person alone
    assert_covered(client, item_id(1))
    assert_covered(world.person("ben"))
    again = uncover(client, shown="people")
    assert again["how"] == "asked"
    assert world.column("select count(*) from uncovered") == [1]


def opened(client: TestClient, item: str = ITEM, **more: str) -> Any:
    answer = client.post("/api/studio/open", json={"id": item, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_is_opened_outside_of_blind_mode_is_recorded_before_it_is_told(world: World) -> None:
    client = world.person()
    shown = opened(client)
    assert shown["evidence"]["how"] == "opened"
    assert {said["rater_id"] for said in shown["evidence"]["judgements"]} == {"rita", drawn_images.RATER, drawn_images.CLIP}
    assert shown["remarks"]["cases"]
    assert world.column("select rater_id || ' ' || how from uncovered") == ["ann opened"]
    answer(client)
    assert list(of(world).values()) == [True]
    # a grid's values are named; who has answered blind keeps that
    assert opened(client, item_id(1), shown="people")["evidence"]["how"] == "browse: people"
    answer(client, item_id(2))
    assert opened(client, item_id(2))["evidence"]["how"] == "answered"
    assert list(of(world, item=item_id(2)).values()) == [False]


def test_what_is_opened_without_a_name_is_the_persons_who_gives_one(world: World) -> None:
    client, other = world.client(), world.client()
    assert opened(client)["evidence"]["name"] is None
    assert get(client, "item")["covered"] is False
    assert get(client, "remarks")["covered"] is False
    assert_covered(other)
    assert "somebody without a name" in {event["who"] for event in get(client, "remarks")["history"]}
    assert client.post("/api/studio/verdict", json=_verdict()).status_code == 401
    assert client.post("/api/name", json={"name": "ann"}).status_code == 200
    assert world.column("select rater_id || ' ' || item_id || ' ' || how from uncovered") == [f"ann {ITEM} opened"]
    answer(client)
    answer(client, item_id(1))
    assert list(of(world).values()) == [True]
    assert list(of(world, item=item_id(1)).values()) == [False]
    assert client.post("/api/studio/verdict", json=_verdict()).status_code == 200
    # somebody who has seen it under their name before keeps how they saw it
    uncover(world.person("ben"))
    opened(other)
    assert other.post("/api/name", json={"name": "ben"}).status_code == 200
    assert sorted(world.column("select rater_id || ' ' || how from uncovered")) == ["ann opened", "ben asked"]


def _verdict() -> dict[str, Any]:
    about = {"item": ITEM, "aspect": "correct", "verdict": "yes", "wrong": "prompt"}
    return {"id": str(uuid.uuid4()), **about}


def test_it_outlives_the_server(world: World) -> None:
    uncover(world.person())
    project = world.store.project
    world.store.close()
    with Store(project) as store:
        assert answer_status.unblinded_how(store, "ann", ITEM) == "asked"


def test_evidence_in_full(world: World) -> None:
    client = world.person()
    shown = {entry["rater"]: entry for entry in uncover(client, item_id(4))["scorers"]}
    geneval, clip = shown[drawn_images.RATER], shown[drawn_images.CLIP]
    assert geneval["settings"] == {k: v for k, v in drawn_images.SETTINGS.items() if k != "keep"}
    relation = geneval["checks"][-1]
    assert relation["relation"] in ("left of", "right of", "above", "below")
    for entry in geneval["detections"][:-1]:
        assert len(entry["box"]) == 4
        assert entry["mask"].startswith("iVBORw0KGgo")
    assert geneval["detections"][-1]["mask"] is None
    assert clip["score"]["standing"]["n"] == 6
    assert 0 <= clip["score"]["standing"]["below"] < 6
    assert clip["score"]["standing"]["low"] <= clip["score"]["value"] <= clip["score"]["standing"]["high"]
    assert (clip["verdict"], clip["detections"]) == (None, [])
    colored = next(entry for entry in uncover(client, item_id(5))["scorers"] if entry["rater"] == drawn_images.RATER)
    assert sum(colored["detections"][0]["colors"]) == pytest.approx(1)


def test_a_first_answer_is_blind_and_then_all_is_shown(world: World) -> None:
    client = world.person()
    answer(client)
    assert list(of(world).values()) == [False]
    assert get(client, "task")["blind"] is True
    assert world.column("select count(*) from uncovered") == [0]
    assert get(client, "evidence")["how"] == "answered"
    assert world.column("select how from uncovered") == ["answered"]
    assert counting(world) == [("no", None)]


def test_an_answer_says_at_once_how_often_each_scorer_says_the_same(world: World) -> None:
    ann, bob = world.person("ann"), world.person("bob")
    assert get(ann, "task")["matches"] == []
    matches = []
    for number in range(3):
        answer(ann, item_id(number))
        (match, *_) = get(ann, "task", item_id(number))["matches"]
        matches.append((match["same"], match["n"]))
    labels = "select label from judgements where aspect = 'correct' and rater_id = ? and item_id = any(?) order by item_id"
    items = [item_id(number) for number in range(3)]
    with world.store.read() as cursor:
        (mine, theirs) = (
            [row[0] for row in cursor.execute(labels, [rater, items]).fetchall()] for rater in ("ann", drawn_images.RATER)
        )
    same = [a == b for a, b in zip(mine, theirs, strict=True)]
    assert matches == [(sum(same[:n]), n) for n in (1, 2, 3)]
    # what was said after seeing does not count
    uncover(bob)
    answer(bob)
    assert get(bob, "task")["matches"] == []


def test_an_answer_after_uncovering_is_not_blind(world: World) -> None:
    client = world.person()
    uncover(client)
    first = answer(client)
    second = answer(client, revises=first)
    assert of(world) == {first: True, second: True}
    assert counting(world) == [("no", "saw_evidence")]
    task = get(client, "task")
    assert (task["blind"], task["revises"]) == (False, second)


def test_also_on_the_page_for_annotators(world: World) -> None:
    client = world.person()
    for number in range(6):
        if number % 2:
            uncover(client, item_id(number))
    for _ in range(6):
        ticket = client.get("/api/next").json()["tasks"][0]["ticket"]
        number = next(n for n in range(6) if get(client, "task", item_id(n))["ticket"] == ticket)
        answer(client, item_id(number))
    assert [list(of(world, item=item_id(number)).values()) for number in range(6)] == [
        [bool(number % 2)] for number in range(6)
    ]


def test_a_blind_answer_stays_whatever_is_said_later(world: World) -> None:
    client = world.person()
    blind = answer(client)
    get(client, "evidence")
    objects = {"objects": "it is there", "caption_fit": "cannot_tell"}
    counts = {q["id"]: "cannot_tell" for q in get(client, "task")["questionnaire"]["questions"] if q["kind"] == "count"}
    after = answer(client, revises=blind, answers=objects | counts)
    assert of(world) == {blind: False, after: True}
    assert counting(world)[0] == ("no", None), "the blind answer counts"
    # a revision of the answer after seeing takes that one's place, whichever of the two it names
    last = answer(client, revises=blind)
    assert of(world) == {blind: False, after: True, last: True}
    with world.store.read() as cursor:
        assert cursor.execute("select revises from annotations where annotation_id = ?", [last]).fetchone() == (after,)
    recording.rebuild(world.store, derive_source)
    assert counting(world) == [("no", None), ("no", "saw_evidence")]
    latest = client.get("/api/last").json()
    assert latest["revises"] == last


def test_a_blind_revision_takes_the_place_of_the_first(world: World) -> None:
    client = world.person()
    first = answer(client)
    second = answer(client, revises=first)
    assert of(world) == {first: False, second: False}
    assert counting(world) == [("no", None)]
    assert world.column(f"select revises from annotations where annotation_id = '{second}'") == [first]


def test_sending_twice_changes_nothing_though_it_was_uncovered_meanwhile(world: World) -> None:
    client = world.person()
    sent = answer(client)
    uncover(client)
    answer(client, id=sent)
    assert of(world) == {sent: False}


def test_revising_what_is_not_ones_own_is_refused_after_seeing_too(world: World) -> None:
    theirs = answer(world.person("ben"))
    client = world.person()
    uncover(client)
    task = get(client, "task")
    body = {"id": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "ticket": task["ticket"], "answers": NONE, "revises": theirs}
    assert client.post("/api/submit", json=body).status_code == 422


def test_answers_after_seeing_fill_no_place(world: World) -> None:
    for name in "abc":
        client = world.person(name)
        uncover(client)
        answer(client)
    ticket = get(world.person("d"), "task")["ticket"]
    offered = set()
    last = world.person("d")
    for _ in range(6):
        task = last.get("/api/next").json()["tasks"][0]
        offered.add(task["ticket"])
        last.post("/api/skip", json={"ticket": task["ticket"]})
    assert ticket in offered
    answer(last)
    assert world.column(f"select status from annotations where rater_id = 'd' and item_id = '{ITEM}'") == ["valid"]


def test_what_a_grid_had_shown_has_been_seen(world: World) -> None:
    client = world.person()
    assert uncover(client, shown=drawn_images.RATER)["how"] == f"browse: {drawn_images.RATER}"
    answer(client)
    assert list(of(world).values()) == [True]


def test_own_answers_are_no_secret_and_others_are(world: World) -> None:
    answer(world.person("ben"))
    client = world.person()
    answer(client)
    facts = get(client, "item")
    assert {said["rater_id"] for said in facts["annotations"]} == {"ann"}
    assert {said["rater_id"] for said in facts["judgements"]} == {"ann"}
    assert "public_id" not in facts


def test_a_place_without_a_picture_hides_nothing(world: World) -> None:
    blank = Item("geneval/00000/none/0", "geneval", "geneval/00000", "single_object", "none")
    parts = (Judgement("correct", "no", 0.0),)
    rated = Annotation("n0", blank.item_id, "rita", "direct", {"aspect": "correct", "label": "no", "value": 0.0}, parts, "1")
    imports.apply(world.store, [ImportBundle("x", "x", "x", items=[blank], annotations=[rated])])
    for client in (world.client(), world.person()):
        assert get(client, "task", blank.item_id) == {"state": "none"}
        assert [said["label"] for said in get(client, "evidence", blank.item_id)["judgements"]] == ["no"]
    assert world.column("select count(*) from uncovered") == [0]


def test_how_an_image_was_generated_and_that_it_is_blank(world: World) -> None:
    facts = world.client().get(f"/api/studio/item?id={quote(ITEM)}").json()
    assert (facts["generated"], facts["blanked"]) == (None, None)
    runs.set_generator_settings(world.store, drawn_images.GENERATOR, {"model": "</script>", "seed": 3})
    blank = Image("geneval/00000", drawn_images.GENERATOR, 9, Path("a.png"), "0" * 64, 4, 4, "filter")
    item = Item(blank.image_id, "geneval", blank.prompt_id, None, drawn_images.GENERATOR)
    imports.apply(world.store, [ImportBundle("generated", "blank", "b", images=[blank], items=[item])])
    facts = world.client().get(f"/api/studio/item?id={quote(blank.image_id)}").json()
    assert facts["generated"] == {"model": "</script>", "seed": 3}
    assert facts["blanked"] == "blanked by the generator's safety filter"
    listed = world.client().get("/api/studio/items").json()["items"]
    assert [row["blanked"] for row in listed if row["idx"] == 9] == ["blanked by the generator's safety filter"]


def test_masks_that_are_gone(world: World) -> None:
    for part in world.store.project.glob("runs/*/parts/*.parquet"):
        part.unlink()
    shown = uncover(world.person(), item_id(4))["scorers"]
    assert all(entry["mask"] is None for scorer in shown for entry in scorer["detections"])
    assert any(scorer["checks"] for scorer in shown)


def test_a_scorer_that_this_concord_does_not_know(world: World) -> None:
    with world.store.read() as cursor:
        cursor.execute("update runs set scorer = 'newer'")
    shown = uncover(world.person())["scorers"]
    assert all("no scorer 'newer'" in entry["unknown"] and entry["verdict"] is None for entry in shown)
    listed = world.client().get(f"/api/studio/items?rater={drawn_images.RATER}").json()["items"]
    assert {entry["reason"] for entry in listed} == {None}


def test_an_imported_scorer_has_its_say(world: World) -> None:
    said = [
        Annotation(f"m{n}", item_id(n), "metric", "direct", {}, (Judgement("score", None, 0.1 * n),), f"metric-{n}")
        for n in range(3)
    ]
    imports.apply(world.store, [ImportBundle("ratings", "m", "m", raters=[Rater("metric", "scorer")], annotations=said)])
    shown = {entry["rater"]: entry for entry in uncover(world.person(), item_id(1))["scorers"]}
    assert set(shown) == {drawn_images.RATER, drawn_images.CLIP, "metric"}
    metric = shown["metric"]
    assert (metric["imported"], metric["verdict"], metric["score"]["value"]) == (True, None, 0.1)
    assert metric["score"]["standing"] == {"low": 0.0, "high": 0.2, "n": 3, "below": 1}


def test_neighbours_follow_the_listing(standing: World) -> None:
    client = standing.client()
    for listing in (
        {},
        {"order": "lowest", "rater": drawn_images.RATER},
        {"order": "highest", "rater": drawn_images.CLIP, "by": "score"},
    ):
        listed = client.get("/api/studio/items", params=listing).json()["items"]
        ids = [entry["item_id"] for entry in listed]
        assert len(ids) == 6
        for index, here in enumerate(ids):
            value = get(client, "neighbours", here, **listing)
            assert (value["place"], value["total"]) == (index + 1, 6)
            assert (value["previous"] or {}).get("id") == (ids[index - 1] if index else None)
            assert (value["next"] or {}).get("id") == (ids[index + 1] if index < 5 else None)
            if value["next"]:
                assert value["next"]["shown"] is (listed[index + 1]["mean"] is not None)
    alone = get(client, "neighbours", item_id(2), task="counting")
    assert (alone["place"], alone["total"], alone["previous"], alone["next"]) == (1, 1, None, None)
    # what has left a listing still leads on in it
    colors = [entry["item_id"] for entry in client.get("/api/studio/items", params={"task": "colors"}).json()["items"]]
    outside = get(client, "neighbours", item_id(2), task="colors")
    assert (outside["place"], outside["total"]) == (None, 1)
    assert [side["id"] for side in (outside["previous"], outside["next"]) if side] == colors
    assert client.get(f"/api/studio/neighbours?id={ITEM}&order=up").status_code == 422


def test_neighbours_without_a_value_are_told_apart(standing: World) -> None:
    value = get(standing.client(), "neighbours", item_id(1), rater="nobody")
    assert (value["previous"]["shown"], value["next"]["shown"]) == (False, False)


def test_browse_tells_why(standing: World) -> None:
    client = standing.client()
    listed = client.get("/api/studio/items", params={"rater": drawn_images.RATER, "order": "lowest"}).json()["items"]
    verdicts = [entry["verdict"] for entry in listed]
    assert verdicts == sorted(verdicts)
    assert {"yes", "no"} == set(verdicts)
    assert all(("expected" in (entry["reason"] or "")) is (entry["verdict"] == "no") for entry in listed)
    assert all("spec" not in entry for entry in listed)
    numbers = client.get("/api/studio/items", params={"rater": drawn_images.CLIP, "by": "score"}).json()["items"]
    assert all(number["verdict"] is None and number["reason"] is None and 0.1 < number["mean"] < 0.4 for number in numbers)
    people = client.get("/api/studio/items").json()["items"]
    assert all(person["verdict"] is None and person["reason"] is None and person["mean"] == 1 for person in people)


@pytest.mark.parametrize("id_", ["", "nothing", "'; drop table items; --", "<script>", "\0", "x" * 1000, "a/../b", "🦊"])
def test_ids_of_nothing(standing: World, id_: str) -> None:
    client = standing.person()
    for route in ("item", "task", "evidence"):
        assert client.get(f"/api/studio/{route}", params={"id": id_}).status_code == 404
    assert client.get("/api/studio/neighbours", params={"id": id_}).json()["place"] is None
    assert client.post("/api/studio/uncover", json={"id": id_}).status_code == 404
    assert standing.column("select count(*) from uncovered") == [0]


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"id": 1}', b'{"id": null}', b"\xff", b'{"id": "' + b"x" * 1001 + b'"}'])
def test_absurd_uncovering(standing: World, body: bytes) -> None:
    sent = standing.person().post("/api/studio/uncover", content=body, headers={"Content-Type": "application/json"})
    assert sent.status_code in (400, 422)


def test_hostile_names_are_kept_as_they_are(world: World) -> None:
    for name in ("<img src=x onerror=alert(1)>", "'; drop table uncovered; --", "Zoë 🦊"):
        client = world.person(name)
        assert uncover(client, shown=name)["name"] == name
        assert answer_status.unblinded_how(world.store, name, ITEM) == f"browse: {name}"
