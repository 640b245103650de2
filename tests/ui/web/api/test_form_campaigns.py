"""The form's JSON routes in campaigns: items of several images, consent, training, what is told and what is not."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from concord.judging import derive_source
from data.campaigns.items import CampaignItem, sample_items
from data.campaigns.settings import OUTCOMES, Campaign, Settings
from data.people import platform_pseudonym
from data.prompts.questions import PromptQuestion
from data.selection import Selection
from data.store import campaign_items, imports
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording, revocations
from tests.ui import small_project
from tests.ui.http_visitor import COW, World, open_world

ALL = Selection()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two generators' images of the same two prompts."""
    folder = tmp_path_factory.mktemp("two")
    for k, name in enumerate(("sdv2", "xl")):
        images = small_project.geneval_folder(folder / name)
        for n, file in enumerate(sorted(images.rglob("*.png"))):
            small_project.png(file, color=f"#{k}0{n}0f0")
        small_project.done(folder / "project", "import", "images", images, "--layout", "geneval", "--generator", name)
    return folder


@pytest.fixture
def two(template: Path, tmp_path: Path) -> Iterator[World]:
    with open_world(template, tmp_path) as made:
        yield made


def start(store: Store, questionnaire: str, items: list[CampaignItem], overlap: int = 2, **more: Any) -> str:
    settings = Settings(**more.pop("settings", {}))
    management.create(store, Campaign(questionnaire, "A title", questionnaire, overlap, settings=settings, **more), items)
    management.move(store, questionnaire, "running")
    return questionnaire


def enter(world: World, campaign: str, name: str = "ann") -> TestClient:
    client = world.person(name)
    assert client.post("/api/campaign", json={"campaign": campaign}).json() == {"campaign": campaign}
    return client


def following(client: TestClient) -> dict[str, Any]:
    results: dict[str, Any] = client.get("/api/next").json()
    return results


def say(client: TestClient, task: dict[str, Any], answers: dict[str, Any], **other: Any) -> dict[str, Any]:
    body = {"id": str(uuid.uuid4()), "ticket": task["ticket"], "campaign": task["campaign"], "asked": task["asked"]}
    answer = client.post("/api/submit", json=body | {"answers": answers} | other)
    assert answer.status_code == 200, answer.text
    saved: dict[str, Any] = answer.json()
    return saved


def judged(world: World) -> set[tuple[str, str, str]]:
    with world.store.read() as cursor:
        rows = cursor.execute("select item_id, aspect, label from judgements where rater_id in ('ann', 'bob')").fetchall()
    return set(rows)


def test_a_preference_is_for_a_generator_whatever_side_it_stands_on(two: World) -> None:
    pairs = management.pairs(two.store, ALL, "sdv2", "xl")
    client = enter(two, start(two.store, "ab", sample_items(pairs, None, 0)))
    sides = []
    while (here := following(client))["state"] == "label":
        task = here["tasks"][0]
        assert not {"sdv2", "xl"} & set(json.dumps(task).split('"'))
        sides.append(task["images"][0]["image"])
        say(client, task, {"preference": "left"})
    with two.store.read() as cursor:
        rows = cursor.execute(
            "select j.label, a.raw, i.generator from annotations a join judgements j on j.source_id = a.annotation_id"
            " join images i on '/img/' || i.sha256 in (select unnest(?::varchar[])) and i.image_id in"
            " (select image_id from item_members m where m.item_id = a.item_id)",
            [sides],
        ).fetchall()
    assert {label == generator for label, _, generator in rows} == {True}
    assert {tuple(json.loads(raw)["order"]) for _, raw, _ in rows} == {(0, 1), (1, 0)}
    before = judged(two)
    assert {item for item, *_ in before} == set(pairs)
    recording.rebuild(two.store, derive_source)
    assert judged(two) == before


def test_what_is_said_of_a_group_stands_at_its_images(two: World) -> None:
    groups = management.groups(two.store, ALL)
    client = enter(two, start(two.store, "tifa_likert", sample_items(groups, None, 0)))
    task = following(client)["tasks"][0]
    assert len(task["images"]) == 2
    say(client, task, {"faithfulness_0": 2, "faithfulness_1": 5, "elements": 3})
    with two.store.read() as cursor:
        rows = cursor.execute(
            "select '/img/' || i.sha256, j.label from judgements j join images i on i.image_id = j.item_id"
            " where j.rater_id = 'ann'"
        ).fetchall()
    assert dict(rows) == {task["images"][0]["image"]: "2", task["images"][1]["image"]: "5"}
    before = judged(two)
    recording.rebuild(two.store, derive_source)
    assert judged(two) == before


def test_a_single_image_is_a_group_of_one(two: World) -> None:
    image = management.images(two.store, ALL)[0]
    client = enter(two, start(two.store, "tifa_likert", sample_items([image], None, 0)))
    say(client, following(client)["tasks"][0], {"faithfulness_0": 3})
    before = judged(two)
    assert before == {(image, "faithfulness", "3")}
    recording.rebuild(two.store, derive_source)
    assert judged(two) == before


def ask(store: Store, *questions: PromptQuestion) -> None:
    imports.apply(store, [ImportBundle("questions", "q", uuid.uuid4().hex, questions={"geneval/00000": questions})])


CAT = PromptQuestion("cat", "is there a cat?", ("yes", "no"), "yes", "animal/human", "cat")
DOG = PromptQuestion("dog", "is there a dog?", ("yes", "no"), "yes", "animal/human", "dog")


def test_answers_are_about_the_questions_that_were_asked(two: World) -> None:
    ask(two.store, CAT)
    images = [image for image in management.images(two.store, ALL) if image.startswith("geneval/00000/")]
    client = enter(two, start(two.store, "tifa_vqa", sample_items(images[:1], None, 0)))
    task = following(client)["tasks"][0]
    ask(two.store, DOG)
    assert following(client)["tasks"][0]["asked"] == task["asked"] + 1
    wrong = {"id": str(uuid.uuid4()), "ticket": task["ticket"], "campaign": "tifa_vqa", "asked": 77, "answers": {}}
    assert client.post("/api/submit", json=wrong).status_code == 422
    say(client, task, {"blank_image": "yes"})
    last = client.get("/api/last").json()
    assert (last["asked"], [entry["id"] for entry in last["questionnaire"]["questions"]]) == (1, ["answer:cat"])
    before = judged(two)
    assert {(aspect, label) for _, aspect, label in before} == {("answer", "no")}
    recording.rebuild(two.store, derive_source)
    assert judged(two) == before


def test_a_third_person_where_two_differ(two: World) -> None:
    ask(two.store, CAT)
    (image, other, *_) = (image for image in management.images(two.store, ALL) if image.startswith("geneval/00000/"))
    campaign = start(two.store, "tifa_vqa", sample_items([image, other], None, 0), settings={"order": "shared"})
    tickets = [task["ticket"] for task in following(enter(two, campaign))["tasks"]]
    for name, answers in (("ann", ("yes", "yes")), ("bob", ("yes", "no"))):
        client = enter(two, campaign, name)
        for answer in answers:
            say(client, following(client)["tasks"][0], {"answer:cat": answer})
    third = following(enter(two, campaign, "cid"))
    assert [task["ticket"] for task in third["tasks"]] == tickets[1:]


def test_nothing_is_shown_before_somebody_agrees(two: World) -> None:
    example = "![x](item:geneval/00000/sdv2/0)"
    settings: dict[str, Any] = {"consent": "I **agree** <b>", "content_warning": "odd", "instructions": example}
    items = sample_items(management.images(two.store, ALL), 1, 0)
    client = enter(two, start(two.store, "geneval", items, settings=settings))
    requested = following(client)
    assert (requested["state"], "tasks" in requested) == ("consent", False)
    (agreeing,) = requested["consent"]
    assert agreeing["children"][1] == {"tag": "strong", "children": ["agree"]}
    assert "".join(agreeing["children"][2:]) == " <b>"
    (paragraph,) = requested["campaign"]["instructions"]
    (picture,) = paragraph["children"]
    assert (picture["tag"], picture["src"].startswith("/img/"), picture["alt"]) == ("img", True, "x")
    assert client.post("/api/consent", json={"text": "another"}).status_code == 409
    assert client.post("/api/consent", json={"text": requested["text"]}).json() == {"agreed": True}
    assert following(client)["state"] == "label"
    management.change_settings(two.store, "geneval", {"consent": "something else"}, "manager")
    assert following(client)["state"] == "consent"


def test_training_tells_and_checks_do_not(two: World) -> None:
    train, gold, *images = management.images(two.store, ALL)
    known = {"count_0": {"any": [2, 3]}, "caption_fit": 4}
    items = [CampaignItem(train, "training", expected=known), CampaignItem(gold, "gold", expected=known)]
    settings = {"check_every": 2, "pass_mark": None}
    client = enter(two, start(two.store, "geneval", [*sample_items(images[:3], None, 0), *items], settings=settings))
    here = following(client)
    assert here["training"] == {"right": 0, "needed": 0, "left": 1}
    reply = say(client, here["tasks"][0], COW)
    assert reply["status"] == "valid"
    assert reply["feedback"]["right"] is False
    assert reply["feedback"]["wrong"] == [{"question": "count_0", "expected": [2, 3], "given": 1}]
    kinds = set()
    while (here := following(client))["state"] == "label":
        assert here["training"] is None
        kinds.add(json.dumps(say(client, here["tasks"][0], COW) | {"id": ""}))
    reply = {"saved": True, "id": "", "new": True, "status": "valid", "feedback": None, "earlier": None, "reason": None}
    assert kinds == {json.dumps(reply)}
    assert two.column("select count(*) from annotations where status = 'gold'") == [1]


@pytest.mark.parametrize("tells", [True, False])
def test_a_preview_tells_what_a_worker_is_told_and_stores_nothing(two: World, tells: bool) -> None:
    train, gold, *images = management.images(two.store, ALL)
    items = [*sample_items(images, None, 0), CampaignItem(gold, "gold", expected={"count_0": 2})]
    items.append(CampaignItem(train, "training", expected={"count_0": {"any": [1, 2]}, "caption_fit": 4}))
    settings = Settings(check_every=2, pass_mark=1.0, gold_feedback=tells, training_feedback=tells)
    management.create(two.store, Campaign("draft", "A title", "geneval", settings=settings), items)
    client = two.person("rosa")
    version = two.store.version
    shown = client.get("/api/studio/preview?campaign=draft").json()
    assert shown["training"] == {"right": 0, "needed": 1, "left": 1}
    tickets = [task["ticket"] for task in shown["tasks"]]
    order = [item_behind(two.store, ticket) for ticket in tickets]
    # training first, and the check where a schedule of one in two has it
    assert order[0] == train
    assert sorted(order[1:]) == sorted([gold, *images])
    assert gold in order[1:3]

    def feedback_on(item: str, answers: dict[str, Any]) -> dict[str, Any]:
        body = {"campaign": "draft", "ticket": tickets[order.index(item)], "answers": answers}
        said: dict[str, Any] = client.post("/api/studio/preview", json=body).raise_for_status().json()
        return said

    wrong = [{"question": "count_0", "expected": [2], "given": 1}]
    assert feedback_on(train, COW | {"caption_fit": 4}) == {
        "right": True,
        "feedback": {"right": True, "wrong": []} if tells else None,
    }
    assert feedback_on(gold, COW) == {"right": False, "feedback": {"right": False, "wrong": wrong} if tells else None}
    assert feedback_on(images[0], COW) == {"right": None, "feedback": None}
    assert two.store.version == version
    assert two.column("select count(*) from annotations") == [0]
    for body in ({"campaign": "none", "ticket": tickets[0]}, {"campaign": "draft", "ticket": "none"}):
        assert client.post("/api/studio/preview", json=body | {"answers": COW}).status_code == 404


def item_behind(store: Store, ticket: str) -> str:
    task = campaign_items.get_task(store, ticket)
    assert task is not None
    return task.item_id


def test_a_prompt_that_no_question_shows_is_hidden_everywhere(two: World) -> None:
    first, *others = management.images(two.store, ALL)
    items = [CampaignItem(first, "training", expected={"quality": 5}), *sample_items(others, None, 0)]
    client = enter(two, start(two.store, "visor", items, settings={"training_feedback": True, "pass_mark": None}))
    prompts = two.column("select text from prompts")
    (training, *_), before = following(client)["tasks"], client.get("/api/next").text
    answers = {"quality": 1, "scene": 1, "objects": 0} | {
        entry["id"]: "no" for entry in training["questionnaire"]["questions"] if entry["id"].startswith("present")
    }
    fields = say(client, training, answers)
    assert fields["feedback"]["right"] is False
    (mine,) = client.get("/api/mine").json()["answers"]
    assert mine["images"] == training["images"], "known by its picture instead"
    again = [client.get(path).text for path in ("/api/mine", f"/api/mine/{fields['id']}", "/api/last", "/api/next")]
    for text in (before, json.dumps(fields), *again):
        assert not [prompt for prompt in prompts if prompt in text]


def test_the_completion_code_is_for_those_who_did_something(two: World) -> None:
    settings = {"completion_code": "C0DE", "completion_url": "https://crowd.example/?cc=C0DE"}
    items = sample_items(management.images(two.store, ALL), 1, 0)
    campaign = start(two.store, "geneval", items, overlap=1, settings=settings)
    ann = enter(two, campaign)
    say(ann, following(ann)["tasks"][0], COW)
    done = following(ann)
    assert (done["state"], done["code"], done["url"]) == ("done", "C0DE", "https://crowd.example/?cc=C0DE")
    assert "results" not in done  # a campaign's people are there to answer, not to look
    late = following(enter(two, campaign, "late"))
    assert (late["state"], late["title"]) == ("done", "Enough people have answered")
    assert not {"code", "url"} & set(late)


def test_a_platform_id_stays_hidden_from_its_owner(two: World) -> None:
    items = sample_items(management.images(two.store, ALL), 1, 0)
    campaign, name = start(two.store, "geneval", items), platform_pseudonym(two.store.secret, "prolific", "5f")
    client = enter(two, campaign, name)
    say(client, following(client)["tasks"][0], COW)
    assert name not in following(client)["message"]


def test_what_others_only_hold_is_not_called_answered(two: World) -> None:
    items = sample_items(management.images(two.store, ALL), 2, 0)
    campaign = start(two.store, "geneval", items, overlap=1, settings={"completion_code": "C0DE"})
    ann, visitor = enter(two, campaign), enter(two, campaign, "visitor")
    say(ann, following(ann)["tasks"][0], COW)
    ann.post("/api/pause", json={})
    assert len(following(visitor)["tasks"]) == 1
    left, late = following(ann), following(enter(two, campaign, "late"))
    assert (left["title"], left["progress"]["remaining"], left["code"]) == ("All done for now, thank you", 1, "C0DE")
    assert (late["title"], late["progress"]["remaining"]) == ("Others work on the last images", 1)


OWN_CODES = {f"{outcome}_code": outcome.upper() for outcome in OUTCOMES}


@pytest.mark.parametrize("codes", [OWN_CODES, {"completion_code": "COMPLETION"}])
def test_a_code_for_every_way_to_leave(two: World, codes: dict[str, str]) -> None:
    train, *images = sorted(management.images(two.store, ALL))
    right = {"count_0": 1}
    settings: dict[str, Any] = {
        "completion_url": "https://crowd.example/?cc=COMPLETION",
        "consent": "?",
        "check_every": 2,
        "pass_mark": 1.0,
    }
    items = [CampaignItem(train, "training", expected=right), *map(CampaignItem, images[:4])]
    items += [CampaignItem(item, "gold", expected={"count_0": 0}) for item in images[4:]]
    campaign = start(two.store, "geneval", items, settings=settings | {"gold_pass_mark": 1.0} | codes)
    own = len(codes) > 1

    def agreed(name: str) -> TestClient:
        client = enter(two, campaign, name)
        requested = following(client)
        assert requested["declined"] == ({"code": "DECLINED", "url": "https://crowd.example/?cc=DECLINED"} if own else {})
        client.post("/api/consent", json={"text": requested["text"]})
        return client

    def check(left: dict[str, Any], outcome: str, title: str = "") -> None:
        if own or outcome == "COMPLETION":
            assert (left["code"], left["url"]) == (outcome, f"https://crowd.example/?cc={outcome}")
            assert "contact" not in left
        else:
            assert "COMPLETION" not in json.dumps(left)
            assert "recorded" in left["contact"]
            assert "write to whoever invited you" in left["contact"]
        assert left.get("title", "") == title

    failing = agreed("failing")
    say(failing, following(failing)["tasks"][0], COW | {"count_0": 2})
    check(following(failing), "TRAINING", "The examples were not passed")
    careless = agreed("careless")
    assert set(careless.post("/api/pause", json={}).json()) == ({"paused", "code", "url"} if own else {"paused"})
    while (here := following(careless))["state"] == "label" and here["tasks"]:
        answers = say(careless, here["tasks"][0], COW)
        # nobody is told which answer it was
        assert answers["status"] == "valid"
    check(here, "PAUSED", "You are paused")
    check(careless.post("/api/pause", json={}).json(), "PAUSED")
    revocations.restore(two.store, "careless", "manager", campaign)
    management.change_settings(two.store, campaign, {"gold_pass_mark": 0.0}, "manager")
    good = agreed("good")
    say(good, following(good)["tasks"][0], COW)
    check(good.post("/api/pause", json={}).json(), "STOPPED")
    while (here := following(good))["state"] == "label":
        say(good, here["tasks"][0], COW)
    check(here, "COMPLETION", here["title"])
    assert here["title"] == "All done, thank you"


def test_ways_beside_answering(two: World) -> None:
    campaign = start(two.store, "geneval", sample_items(management.images(two.store, ALL), None, 0))
    client = enter(two, campaign)
    first, second = following(client)["tasks"]
    about = {"ticket": first["ticket"], "campaign": campaign}
    assert client.post("/api/draft", json=about | {"answers": {"objects": "a c"}}).json() == {"kept": True}
    assert following(client)["tasks"][0]["draft"] == {"objects": "a c"}
    assert client.post("/api/skip", json=about).status_code == 200
    assert following(client)["tasks"][0]["ticket"] == second["ticket"]
    assert client.post("/api/unskip", json={}).json() == {"taken_back": True}
    assert client.post("/api/unskip", json={}).json() == {"taken_back": False}
    assert following(client)["tasks"][0]["ticket"] == first["ticket"]
    assert client.post("/api/report", json=about | {"reason": "cut off"}).json() == {"reported": True}
    assert first["ticket"] not in [task["ticket"] for task in following(client)["tasks"]]
    assert client.post("/api/pause", json={}).json() == {"paused": True}
    assert two.column("select count(*) from claims") == [0]
    answers = say(client, second, COW)
    (mine,) = client.get("/api/mine").json()["answers"]
    assert (mine["id"], mine["answers"]) == (answers["id"], COW)
    again = client.get(f"/api/mine/{answers['id']}").json()
    assert (again["ticket"], again["revises"]) == (second["ticket"], answers["id"])
    assert enter(two, campaign, "bob").get(f"/api/mine/{answers['id']}").status_code == 404


def test_an_answer_goes_to_the_campaign_that_asked(two: World) -> None:
    images = management.images(two.store, ALL)
    campaign = start(two.store, "geneval", sample_items(images, None, 0))
    start(two.store, "visor", sample_items(images[:2], None, 0))
    client = enter(two, campaign)
    task = following(client)["tasks"][0]
    # meanwhile, in another tab
    client.post("/api/campaign", json={"campaign": "visor"})
    say(client, task, COW)
    assert two.column("select campaign_id from annotations") == [campaign]
    stranger = enter(two, "visor", "bob")
    body = {"id": str(uuid.uuid4()), "ticket": task["ticket"], "campaign": campaign, "answers": COW}
    assert stranger.post("/api/submit", json=body).status_code == 422


def test_whoever_was_not_invited_chooses(two: World) -> None:
    client = two.person()
    assert following(client)["state"] == "label"
    start(two.store, "geneval", sample_items(management.images(two.store, ALL), None, 0))
    offered = following(two.person("bob"))
    assert (offered["state"], [entry["id"] for entry in offered["campaigns"]]) == ("choose", ["geneval", "default"])
    assert client.post("/api/campaign", json={"campaign": "none"}).status_code == 404


@pytest.mark.parametrize(("state", "why"), [("draft", "draft"), ("stopped", "stopped"), ("archived", "archived")])
def test_closed_campaigns_say_so(two: World, state: str, why: str) -> None:
    management.create(two.store, Campaign("c", "C"), sample_items(management.images(two.store, ALL), 1, 0))
    for step in {"draft": (), "stopped": ("running", "stopped"), "archived": ("archived",)}[state]:
        management.move(two.store, "c", step)  # type: ignore[arg-type]
    closed = following(enter(two, "c"))
    assert (closed["state"], closed["why"]) == ("closed", why)
    assert closed["message"].endswith((".", "!"))
