"""Pictures of prompts without specs: the form asks yes or no, and earlier answers keep their questions."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from concord.campaigns import planning
from concord.campaigns.spec import campaign_spec
from concord.form import item_form
from data.campaigns.settings import DEFAULT
from data.store import campaign_items
from data.store.core.store import Store
from data.store.judgements import recording
from tests.ui import small_project
from tests.ui.http_visitor import TOKEN, World, first
from ui.web.server import create_app


@pytest.fixture
def plain(tmp_path: Path) -> Iterator[World]:
    """An app over one picture, imported by its ``images.csv``."""
    folder = small_project.png(tmp_path / "mine" / "0.png", "red", (16, 16)).parent
    (folder / "images.csv").write_text("path,prompt\n0.png,two dogs\n", encoding="utf-8")
    small_project.done(tmp_path / "project", "import", "images", folder, "--layout", "csv", "--generator", "mine")
    with Store(tmp_path / "project") as store:
        yield World(store, create_app(store, TOKEN, pages=False), folder)


def judged(world: World) -> list[tuple[str, str | None]]:
    with world.store.read() as cursor:
        return cursor.execute("select aspect, label from judgements where reason is null order by seq, aspect").fetchall()


def test_one_answer_is_one_judgement_and_can_be_revised(plain: World) -> None:
    client = plain.person("ann")
    task = first(client)
    assert (task["questionnaire"]["name"], task["caption"]) == ("yes_no", "two dogs")
    body = {"id": str(uuid.uuid4()), "ticket": task["ticket"], "answers": {"correct": "yes"}}
    assert client.post("/api/submit", json=body).json()["saved"]
    assert judged(plain) == [("correct", "yes")]
    last = client.get("/api/last").json()
    again = body | {"id": str(uuid.uuid4()), "revises": last["revises"], "answers": {"correct": "no"}}
    assert client.post("/api/submit", json=again).json()["saved"]
    assert judged(plain)[-1] == ("correct", "no")


def test_an_answer_from_before_is_revised_in_its_own_questions(plain: World) -> None:
    client = plain.person("ann")
    task = campaign_items.get_task(plain.store, first(client)["ticket"])
    campaign = item_form.campaign_of(plain.store, DEFAULT)
    assert task
    assert campaign
    about = item_form.item_form(plain.store, campaign, task, "ann", answered="geneval")
    recording.submit(
        plain.store, about.annotation("ann", {"objects": "dogs", "caption_fit": 4}, annotation_id=str(uuid.uuid4())), None
    )
    last = client.get("/api/last").json()
    assert (last["questionnaire"]["name"], last["answers"]["caption_fit"]) == ("geneval", 4)
    body = {"id": str(uuid.uuid4()), "ticket": last["ticket"], "revises": last["revises"]}
    answer = client.post("/api/submit", json=body | {"answers": {"objects": "dogs", "caption_fit": 2}})
    assert answer.status_code == 200, answer.text
    assert judged(plain)[-1] == ("caption_match", "2")


def test_who_wants_one_question_gets_it_for_prompts_with_specs(world: World) -> None:
    client = world.person("ann")
    assert first(client)["questionnaire"]["name"] == "geneval"
    (task, *_) = client.get("/api/next?quick=true").json()["tasks"]
    assert [question["id"] for question in task["questionnaire"]["questions"]] == ["correct"]
    body = {"id": str(uuid.uuid4()), "ticket": task["ticket"], "answers": {"correct": "yes"}, "quick": True, "following": True}
    reply = client.post("/api/submit", json=body).json()
    assert {task["questionnaire"]["name"] for task in reply["next"]["tasks"]} == {"yes_no"}
    last = client.get("/api/last").json()
    assert (last["questionnaire"]["name"], last["answers"]) == ("yes_no", {"correct": "yes"})
    # the Workbench shows an answer in its own form, where it can be revised
    (item_id,) = world.store.query_value("select list(item_id) from annotations where rater_id = 'ann'")
    shown = client.get("/api/studio/task", params={"id": item_id}).json()
    assert (shown["questionnaire"]["name"], shown["answers"]) == ("yes_no", {"correct": "yes"})
    again = body | {"id": str(uuid.uuid4()), "revises": shown["revises"], "answers": {"correct": "no"}, "quick": False}
    assert client.post("/api/submit", json=again).json()["saved"]


def test_a_campaign_without_a_questionnaire_asks_what_its_prompts_allow(plain: World) -> None:
    made = planning.plan_campaign(plain.store, campaign_spec({"id": "quick"}))
    assert (made.form.name, made.campaign.version) == ("yes_no", "1")
    assert planning.plan_campaign(plain.store, campaign_spec({"id": "x", "questionnaire": "geneval"})).form.name == "geneval"
