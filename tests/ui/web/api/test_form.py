"""The form's JSON routes: who answers, what comes next, what is saved, and what is never told."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from concord.form import item_form, offers
from data.store import campaign_items
from tests.ui.http_visitor import COW, World, first, saying
from tests.ui.other_language import write_catalogue
from ui.web import texts

JSON = {"Content-Type": "application/json"}
HOSTILE = [
    "<img src=x onerror=alert(1)>", "'; drop table raters; --", "${alert(1)}", "{{7*7}}", "../../etc/passwd",
    "javascript:alert(1)", "Zoë 🦊", "a\\b\"c'd",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_kept_as_they_are(standing_world: World, name: str) -> None:
    client = standing_world.person(name)
    client.post("/api/submit", json=saying(first(client)["ticket"]))
    assert name in standing_world.column("select rater_id from annotations where import_id is null")
    assert client.get("/api/next").json()["name"] == name


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "Please type a name."),
        ("  \t ", "Please type a name."),
        ("x" * 61, "That name is too long. Choose a shorter one."),
        ("a\0b", "That name has characters that cannot be shown."),
        ("a\nb", "That name has characters that cannot be shown."),
        ("a\u202eb", "That name has characters that cannot be shown."),
        ("x" * 1001, "This request is not understood: name."),
        ("\ud800", "This request is not understood: name."),
        (None, "This request is not understood: name."),
    ],
)
def test_names_that_are_none(standing_world: World, name: str | None, sentence: str) -> None:
    client = standing_world.client()
    answer = client.post("/api/name", content=json.dumps({"name": name}), headers=JSON)
    assert (answer.status_code, answer.json()) == (422, {"detail": sentence})
    assert client.get("/api/next").json() == {"state": "name"}


def test_blanks_and_accents_make_no_second_person(world: World) -> None:
    client = world.client()
    assert [client.post("/api/name", json={"name": n}).json()["name"] for n in (" Zoë ", "Zoe\u0308")] == ["Zoë", "Zoë"]
    assert world.column("select rater_id from raters where import_id is null") == ["Zoë"]


def test_names_of_others(world: World) -> None:
    with world.store.read() as cursor:
        cursor.execute("insert into raters values ('clip', 'scorer', null, null, '{}', false, null)")
        cursor.execute("insert into raters values ('s/slot-1', 'human', 'slot', null, '{}', false, null)")
    for name in ("clip", "s/slot-1"):
        answer = world.client().post("/api/name", json={"name": name})
        assert answer.status_code == 422
        assert answer.json()["detail"] == "That name is taken. Choose another one."


def test_without_a_name(standing_world: World) -> None:
    client = standing_world.client()
    assert client.get("/api/next").json() == {"state": "name"}
    for path, body in (("/api/skip", {"ticket": "x"}), ("/api/submit", saying("x"))):
        assert client.post(path, json=body).status_code == 401
    assert client.get("/api/last").status_code == 401


def test_answer_last_revise_and_leave(world: World) -> None:
    client = world.person()
    assert client.get("/api/last").status_code == 404
    before = client.get("/api/next").json()
    assert before["progress"] == {"done": 0, "remaining": 4, "total": 4}
    answers = saying(before["tasks"][0]["ticket"], active_seconds=2.5, started="2026-11-20T10:00:00Z")
    fate = {"saved": True, "id": answers["id"], "new": True, "status": "valid", "feedback": None, "earlier": None}
    fate["reason"] = None
    assert client.post("/api/submit", json=answers).json() == fate
    assert client.post("/api/submit", json=answers).json()["new"] is False
    after = client.get("/api/next").json()
    assert after["progress"] == {"done": 1, "remaining": 3, "total": 4}
    assert after["tasks"][0] | {"offer": None} == before["tasks"][1] | {"offer": None}
    last = client.get("/api/last").json()
    assert (last["ticket"], last["answers"], last["revises"]) == (answers["ticket"], COW, answers["id"])
    again = saying(answers["ticket"], revises=last["revises"], answers={"objects": "none", "count_0": 0, "caption_fit": 1})
    assert client.post("/api/submit", json=again).status_code == 200
    assert client.get("/api/next").json()["progress"]["done"] == 1
    assert world.column("select label from judgements where aspect = 'correct' and rater_id = 'ann'") == ["no"]
    assert client.post("/api/leave", json={}).json() == {"left": True}
    assert client.get("/api/next").json() == {"state": "name"}


def test_nobody_worked_longer_than_the_item_was_offered(world: World) -> None:
    client, before = world.person(), datetime.now(UTC)
    here, then = client.get("/api/next").json()["tasks"]
    absurd = {"active_seconds": 86_400, "started": "2020-01-01T00:00:00Z"}
    client.post("/api/submit", json=saying(here["ticket"], offer=here["offer"]) | absurd)
    # the moment is good for nothing else, and without one a browser's word is nothing
    for offer in (here["offer"], here["offer"].replace("20", "19", 1), None):
        client.post("/api/submit", json=saying(then["ticket"], offer=offer) | absurd)
    seconds, *others = world.column("select active_seconds from annotations where import_id is null order by seq")
    assert 0 <= seconds <= (datetime.now(UTC) - before).total_seconds()
    assert others == [None, None, None]
    started, *_ = world.column("select started from annotations where import_id is null order by seq")
    assert before <= started <= datetime.now(UTC)


def test_a_plausible_time_is_stored_unchanged(world: World) -> None:
    client = world.person()
    campaign, task = (
        item_form.campaign_of(world.store, "default"),
        campaign_items.get_task(world.store, first(client)["ticket"]),
    )
    assert campaign is not None
    assert task is not None
    about = item_form.item_form(world.store, campaign, task, "ann")
    signed = offers.sign_offer(world.store, "ann", about, datetime.now(UTC) - timedelta(seconds=60))
    client.post("/api/submit", json=saying(task.public_id, offer=signed, active_seconds=42.5))
    assert world.column("select active_seconds from annotations where import_id is null") == [42.5]


def test_skip(world: World) -> None:
    client = world.person()
    here, then = client.get("/api/next").json()["tasks"]
    assert client.post("/api/skip", json={"ticket": here["ticket"]}).json() == {"skipped": True}
    assert first(client)["ticket"] == then["ticket"]
    assert client.get("/api/next").json()["progress"]["remaining"] == 4
    assert client.post("/api/skip", json={"ticket": "nothing"}).status_code == 404


def test_nothing_is_left(world: World) -> None:
    client = world.person()
    for _ in range(4):
        assert client.post("/api/submit", json=saying(first(client)["ticket"])).status_code == 200
    done = client.get("/api/next").json()
    assert (done["state"], done["progress"]) == ("done", {"done": 4, "remaining": 0, "total": 4})
    assert done["results"] == "/studio/"  # nobody signs in here: who labels may see everything


def test_an_annotator_learns_nothing(world: World) -> None:
    world.person("rival").post("/api/submit", json=saying(first(world.person("rival"))["ticket"]))
    client = world.person()
    text = client.get("/api/next").text
    for secret in ("sdv2", "geneval/", "0000.png", str(world.folder), "rita", "rival", "samples", "single_object"):
        assert secret not in text, secret
    task = first(client)
    assert set(task) == {
        "ticket", "campaign", "images", "caption", "questionnaire", "asked", "offer", "answers", "revises", "draft",
    }  # fmt: skip
    assert [set(entry) for entry in task["images"]] == [{"image", "width", "height"}]
    assert (task["answers"], task["revises"], task["asked"], task["draft"]) == (None, None, None, None)


def test_late_answers_are_saved(world: World) -> None:
    people = [world.person(name) for name in "abcd"]
    ticket = first(people[0])["ticket"]
    world.store.change(lambda connection: connection.execute("delete from claims"))
    statuses = [client.post("/api/submit", json=saying(ticket)).json()["status"] for client in people]
    assert statuses == ["valid", "valid", "valid", "surplus"]


@pytest.mark.parametrize(
    ("answers", "wrong"),
    [
        ({}, ["objects"]),
        ({"objects": "cow"}, ["count_0", "caption_fit"]),
        (COW | {"count_0": 9}, ["count_0"]),
        (COW | {"count_0": True}, ["count_0"]),
        (COW | {"color_0": ["pinkish"]}, ["color_0"]),
        (COW | {"caption_fit": "4"}, ["caption_fit"]),
        (COW | {"colour": "x"}, ["colour"]),
        (COW | {"objects": "x" * 2001}, ["objects"]),
        (COW | {"objects": "a\0b"}, ["objects"]),
        (COW | {"objects": {"a": 1}}, ["objects"]),
        (COW | {"count_0": 10**400}, ["count_0"]),
    ],
)
def test_each_wrong_answer_is_named(standing_world: World, answers: dict[str, Any], wrong: list[str]) -> None:
    client = standing_world.person("wrong")
    answer = client.post("/api/submit", json=saying(first(client)["ticket"], answers=answers))
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == wrong
    assert "wrong" not in standing_world.column("select rater_id from annotations")


def test_errors_are_in_the_language_of_the_page(standing_world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "FOLDER", write_catalogue(tmp_path))
    client = standing_world.person("wrong")
    body = saying(first(client)["ticket"], answers=COW | {"objects": "x" * 2001, "color_0": ["pinkish"]})
    errors = client.post("/api/submit", json=body, headers={"accept-language": "fa"}).json()["errors"]
    assert errors == {
        "objects": "⟦Please use at most 2000 characters; this answer has 2001.⟧",
        "color_0": "⟦Please choose from the answers listed; 'pinkish' is not one of them.⟧",
    }


@pytest.mark.parametrize(
    "change",
    [
        '"answers": {"objects": NaN}', '"answers": {"objects": Infinity}', '"answers": {"objects": "\\ud800"}',
        '"answers": {"\\ud800": 1}', '"answers": []', '"answers": null', '"answers": {"a": ' + "[" * 900 + "]" * 900 + "}",
        '"answers": ' + "[" * 100_000, '"answers": ' + "9" * 5000, '"active_seconds": NaN', '"active_seconds": Infinity',
        '"active_seconds": -1', '"active_seconds": 1e300', '"started": "yesterday"', '"started": 1e300', '"started": NaN',
        '"started": "0001-01-01T00:00:00+14:00"', '"started": "9999-12-31T23:59:59-14:00"', '"id": "1"', '"id": NaN',
        '"ticket": "\\ud800"', '"ticket": "a\\u0000b"', '"ticket": {}', '"revises": "x"',
        f'"revises": "{uuid.UUID(int=7)}"', '"answers": {"objects": "\\u0000"}',
    ],
)  # fmt: skip
def test_absurd_requests_are_refused_and_harm_nothing(standing_world: World, change: str) -> None:
    client = standing_world.person("absurd")
    good = json.dumps(saying(first(client)["ticket"]))
    answer = client.post("/api/submit", content=good[:-1] + ", " + change + "}", headers=JSON)
    assert 400 <= answer.status_code < 500, answer.text
    assert "absurd" not in standing_world.column("select rater_id from annotations")


@pytest.mark.parametrize("body", [b"", b"[", b"null", b"[]", b'"x"', b"\xff\xfe", b"{}", b"[" * 100_000])
def test_bodies_that_are_none(standing_world: World, body: bytes) -> None:
    for path in ("/api/name", "/api/skip", "/api/submit"):
        assert 400 <= standing_world.client().post(path, content=body, headers=JSON).status_code < 500


def test_a_second_answer_to_the_same_image_names_the_one_that_stands(world: World) -> None:
    client = world.person()
    values, again = (saying(first(client)["ticket"]) for _ in range(2))
    again["ticket"] = values["ticket"]
    assert client.post("/api/submit", json=values).json()["earlier"] is None
    for _ in range(2):
        assert client.post("/api/submit", json=again).json()["earlier"] == values["id"]
    revised = saying(values["ticket"], revises=values["id"])
    assert client.post("/api/submit", json=revised).json()["earlier"] is None
    assert client.post("/api/submit", json=again).json()["earlier"] == values["id"]
    assert client.get(f"/api/mine/{values['id']}").json()["revises"] == revised["id"]
    # undo and the list of one's own answers have the one that stands
    assert client.get("/api/last").json()["revises"] == revised["id"]
    assert [entry["id"] for entry in client.get("/api/mine").json()["answers"]] == [revised["id"]]


def test_the_same_id_from_somebody_else_is_refused(world: World) -> None:
    ann, bob = world.person("ann"), world.person("bob")
    answers = saying(first(ann)["ticket"])
    assert ann.post("/api/submit", json=answers).status_code == 200
    assert bob.post("/api/submit", json=answers).status_code == 422
    assert bob.post("/api/submit", json=saying(answers["ticket"], revises=answers["id"])).status_code == 422


def test_forged_cookies_are_nobody(standing_world: World) -> None:
    client = standing_world.person()
    (cookie,) = client.cookies
    for forged in ("x", "eyJuYW1lIjogInJpdGEifQ==.aaaa.bbbb"):
        other = standing_world.client()
        other.cookies.set(cookie, forged)
        assert other.get("/api/next").json() == {"state": "name"}
