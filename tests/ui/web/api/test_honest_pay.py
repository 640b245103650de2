"""Pay by routes and commands: an answer is paid once, where it was asked for, and whoever leaves is told the truth."""

from __future__ import annotations

import csv
import io
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from concord.people import link_path
from data.campaigns.items import sample_items
from data.campaigns.settings import Campaign, Settings
from data.people import Terms
from data.selection import Selection
from data.store.campaigns import management, participation
from data.store.core.store import Store
from data.store.judgements import revocations
from data.store.people import invitations
from tests.ui.accounts_app import house
from tests.ui.http_visitor import World, saying
from tests.ui.small_project import concord, done

CODES: dict[str, Any] = {"completion_code": "FULL", "stopped_code": "PART", "quota_code": "NONE", "paused_code": "BAD"}
PAID: dict[str, Any] = {"item_price": "0.10", "base_pay": "0.25", "currency": "GBP", **CODES}


def begin(store: Store, overlap: int = 2, **settings: Any) -> None:
    """A running campaign ``c`` of the project's four images."""
    campaign = Campaign("c", "C", "geneval", overlap, settings=Settings(**PAID | settings))
    management.create(store, campaign, sample_items(management.images(store, Selection()), None, 0))
    management.move(store, "c", "running")


def arrive(world: World, who: str) -> TestClient:
    """Somebody comes from a crowd platform, in a browser of their own."""
    until = datetime.now(UTC) + timedelta(days=1)
    made = invitations.create(world.store, Terms(campaign="c", role="annotator", expires=until), "rita")
    client = world.client()
    client.get(f"{link_path(world.store, made)}?PROLIFIC_PID={who}")
    return client


def following(client: TestClient) -> dict[str, Any]:
    reply: dict[str, Any] = client.get("/api/next").json()
    return reply


def send(client: TestClient, task: dict[str, Any], **other: Any) -> dict[str, Any]:
    body = saying(task["ticket"], campaign="c", offer=task["offer"], active_seconds=20)
    answer = client.post("/api/submit", json=body | other)
    assert answer.status_code == 200, answer.text
    saved: dict[str, Any] = answer.json()
    return saved


def pay_file(world: World) -> list[dict[str, str]]:
    """What the command prints once the app is closed."""
    world.store.close()
    return list(csv.DictReader(io.StringIO(done(world.store.project, "campaigns", "pay", "c"))))


def test_who_skips_through_all_and_submits_all_is_paid_by_the_limit(world: World) -> None:
    begin(world.store, limit=1, budget="0.50")
    eve = arrive(world, "eve")
    tasks: dict[str, dict[str, Any]] = {}
    while (task := following(eve)["tasks"][0])["ticket"] not in tasks:
        tasks[task["ticket"]] = task
        eve.post("/api/skip", json={"ticket": task["ticket"], "campaign": "c"})
    assert len(tasks) == 4
    saved = [send(eve, task) for task in tasks.values()]
    assert [each["status"] for each in saved].count("valid") == 1
    (row,) = pay_file(world)
    assert (row["items"], row["pay"]) == ("1", "0.25")


def test_who_reports_most_leaves_as_somebody_who_stopped(world: World) -> None:
    begin(world.store)
    eve = arrive(world, "eve")
    send(eve, following(eve)["tasks"][0])
    while tasks := following(eve).get("tasks"):
        eve.post("/api/report", json={"ticket": tasks[0]["ticket"], "campaign": "c", "reason": "odd"})
    assert following(eve)["code"] == "PART"
    (row,) = pay_file(world)
    assert (row["outcome"], row["decision"], row["items"], row["pay"]) == ("stopped", "return", "1", "0.10")


def test_an_answer_from_the_outbox_counts_after_its_reservation(world: World) -> None:
    begin(world.store, overlap=1, order="fixed", lease_minutes=0.001)
    ann = arrive(world, "ann")
    late = following(ann)["tasks"]
    time.sleep(0.1)
    bob = arrive(world, "bob")
    assert {task["ticket"] for task in following(bob)["tasks"]} & {task["ticket"] for task in late}
    assert send(ann, late[0]) | {"id": ""} == {
        "saved": True, "id": "", "new": True, "status": "valid", "feedback": None, "earlier": None, "reason": None,
    }  # fmt: skip
    assert send(bob, late[0])["reason"] == "full"
    assert sorted(row["items"] for row in pay_file(world)) == ["1", "1"]


def test_tickets_of_another_id_are_worth_nothing(world: World) -> None:
    begin(world.store, limit=2)
    first = arrive(world, "id-1")
    tasks = following(first)["tasks"]
    assert [send(first, task)["status"] for task in tasks] == ["valid", "valid"]
    # the same person comes again by another id, with what they were given as the first
    second = arrive(world, "id-2")
    assert [send(second, task)["status"] for task in tasks] == ["surplus", "surplus"]
    assert sorted(row["items"] for row in pay_file(world)) == ["0", "2"]


@pytest.mark.parametrize("end", ["stopped", "archived", "closed", "full"])
def test_who_comes_too_late_gets_the_code_for_that_and_a_true_sentence(world: World, end: str) -> None:
    begin(world.store, overlap=1)
    late = arrive(world, "late")
    if end == "full":
        ann = arrive(world, "ann")
        while tasks := following(ann).get("tasks"):
            send(ann, tasks[0])
    elif end == "closed":
        management.change_settings(world.store, "c", {"closes": "2020-01-01"}, "rita")
    else:
        management.move(world.store, "c", end)  # type: ignore[arg-type]
    reply = following(late)
    assert reply["code"] == "NONE"
    assert "you have answered is kept" not in reply["message"]
    rows = {row["code"]: row for row in pay_file(world)}
    assert (rows["NONE"]["outcome"], rows["NONE"]["pay"]) == ("quota", "0.00")


def test_without_a_code_for_it_they_are_told_so(world: World) -> None:
    begin(world.store, quota_code="")
    late = arrive(world, "late")
    management.move(world.store, "c", "stopped")
    assert "code" not in following(late)
    assert "You have answered nothing here, so there is no code" in following(late)["contact"]


@pytest.mark.parametrize(("setting", "code", "pay"), [("completion", "FULL", "0.25"), ("items", "NONE", "0.10")])
def test_who_finds_the_last_items_held_is_paid_as_the_setting_says(world: World, setting: str, code: str, pay: str) -> None:
    begin(world.store, overlap=1, nothing_left=setting)
    ann, bob, cyd, dan = (arrive(world, who) for who in ("ann", "bob", "cyd", "dan"))
    first, second = following(ann)["tasks"]
    assert len(following(bob)["tasks"]) == 2
    # ann answers one and gives one back, which cyd takes
    send(ann, first)
    ann.post("/api/pause", json={})
    assert [task["ticket"] for task in following(cyd)["tasks"]] == [second["ticket"]]
    assert following(ann)["code"] == code
    # who has answered nothing came for nothing
    assert following(dan)["code"] == "NONE"
    rows = {row["outcome"]: row["pay"] for row in pay_file(world) if row["items"] == "1"}
    assert rows == {"completion" if code == "FULL" else "quota": pay}


def test_whom_a_manager_pauses_is_told_so_and_what_they_send_is_saved_and_counts_once_they_go_on(world: World) -> None:
    begin(world.store)
    ann = arrive(world, "ann")
    shown, ahead = following(ann)["tasks"]
    name = following(ann)["name"]
    revocations.revoke(world.store, name, "rita", "c")
    saved = send(ann, shown, following=True)
    assert (saved["status"], saved["reason"]) == ("surplus", "revoked")
    told = saved["next"]
    # the form puts the image ahead down by this word
    assert (told["state"], told["why"], told["code"], "tasks" in told) == ("closed", "paused", "BAD", False)
    assert told["message"].startswith("Your work is paused by those who run this study; what you sent is saved.")
    assert revocations.restore(world.store, name, "rita", "c") == 1
    assert following(ann)["tasks"][0]["ticket"] == ahead["ticket"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "You are paid 0.10 GBP for each image that you answer, examples and checks included, and at least 0.25 GBP if you"
             " reach the end."),
        ({"base_pay": ""}, "You are paid 0.10 GBP for each image that you answer, examples and checks included."),
        ({"item_price": ""}, "You are paid 0.25 GBP if you reach the end."),
        ({"pay_told": False}, ""),
        ({"item_price": "", "base_pay": ""}, ""),
    ],
)  # fmt: skip
def test_people_are_told_what_is_paid_before_the_first_image_and_at_the_end(
    world: World, settings: dict[str, Any], said: str
) -> None:
    begin(world.store, limit=1, **settings)
    ann = arrive(world, "ann")
    told = following(ann)
    assert told["campaign"]["instructions"] == ([{"tag": "p", "children": [said]}] if said else [])
    assert send(ann, told["tasks"][0], following=True)["next"]["pay"] == said


@pytest.mark.parametrize(
    ("setting", "said"), [("completion", "as at the end"), ("items", "what their answers are worth, without the base pay")]
)
def test_creating_a_campaign_says_what_they_are_paid(world: World, setting: str, said: str) -> None:
    world.store.close()
    settings = ("--item-price", "0.10", "--nothing-left", setting, "--reports-needed", "3", "--withdrawal")
    printed = done(world.store.project, "campaigns", "create", "x", *settings)
    assert f"who finds nothing left because others hold the last images is paid {said}" in printed
    with Store(world.store.project) as store:
        made = management.get(store, "x")
        assert made
        assert (made.settings.nothing_left, made.settings.reports_needed, made.settings.withdrawal) == (setting, 3, True)


def test_withdrawn_answers_stop_counting_are_kept_and_their_items_return(world: World) -> None:
    begin(world.store, overlap=1, withdrawal=True)
    ann, bob = arrive(world, "ann"), arrive(world, "bob")
    while tasks := following(ann).get("tasks"):
        send(ann, tasks[0])
    assert following(bob)["state"] == "done"
    reply = ann.post("/api/withdraw", json={"campaign": "c"}).json()
    assert (reply["withdrawn"], reply["why"]) == (4, "withdrawn")
    assert "What was paid or published before stays as it is" in reply["message"]
    assert following(ann)["why"] == "withdrawn"
    assert len(following(bob)["tasks"]) == 2
    assert world.column("select surplus_reason from annotations where campaign_id = 'c'") == ["withdrawn"] * 4
    name = following(ann)["name"]
    # a manager can revoke them besides and let them in again, but not make the answers count
    revocations.revoke(world.store, name, "rita", "c")
    assert revocations.restore(world.store, name, "rita", "c") == 0
    rows = {row["person"]: row for row in pay_file(world)}
    assert (rows[name]["outcome"], rows[name]["decision"], rows[name]["pay"]) == ("withdrawn", "return", "0.00")
    refused = concord(world.store.project, "people", "reinstate", name, "--campaign", "c")
    assert (refused.status, "has withdrawn" in refused.err) == (1, True)


def test_nothing_is_withdrawn_where_the_manager_does_not_allow_it(world: World) -> None:
    begin(world.store)
    ann = arrive(world, "ann")
    send(ann, following(ann)["tasks"][0])
    assert ann.post("/api/withdraw", json={"campaign": "c"}).status_code == 403
    assert world.column("select status from annotations where campaign_id = 'c'") == ["valid"]


def test_erasing_says_what_is_owed_and_keeps_the_sum(world: World) -> None:
    begin(world.store)
    for who in ("ann", "bob"):
        client = arrive(world, who)
        send(client, following(client)["tasks"][0])
        client.post("/api/pause", json={})
    name = following(client)["name"]
    before = pay_file(world)
    project = world.store.project
    assert done(project, "people", "owed", name) == "c: 0.10 GBP for 1 item (return)\n"
    refused = concord(project, "people", "erase", name, "--yes")
    assert (refused.status, "c: 0.10 GBP for 1 item (return)" in refused.err) == (1, True)
    assert name in done(project, "people", "list")
    assert "kept without a name: c: 0.10 GBP" in done(project, "people", "erase", name, "--yes", "--keep-debt")
    since = list(csv.DictReader(io.StringIO(done(project, "campaigns", "pay", "c"))))
    assert sorted(row["pay"] for row in since) == sorted(row["pay"] for row in before)
    assert [row["person"] for row in since if row["person"] not in {row["person"] for row in before}] == ["(erased)"]
    assert name not in done(project, "people", "list")
    with Store(project) as store, store.read() as cursor:
        assert name not in str(cursor.execute("select * from ledger").fetchall())


def test_what_erased_people_earned_stays_spent_of_the_budget(world: World) -> None:
    begin(world.store, overlap=9, base_pay="", budget="0.20")
    ann = arrive(world, "ann")
    while tasks := following(ann).get("tasks"):
        send(ann, tasks[0])
    name = following(ann)["name"]
    world.store.close()
    done(world.store.project, "people", "erase", name, "--yes", "--keep-debt")
    with Store(world.store.project) as store:
        assert participation.next_tasks(store, "bob", "c").closed == "budget"


def test_administrators_erase_and_hand_out_codes_and_links_by_route(tmp_path: Path) -> None:
    with house(tmp_path) as place:
        management.change_settings(place.store, "c", {"item_price": "0.10", "currency": "GBP"}, "rita")
        invitation = place.invitation()
        worker = place.client()
        path = f"{link_path(place.store, invitation)}?PROLIFIC_PID=abc"
        assert worker.get(path).status_code in (200, 303)
        send(worker, following(worker)["tasks"][0])
        name = following(worker)["name"]
        admin, researcher = place.account("adam"), place.account("rosa")
        for method, route, body in (
            ("GET", "/api/studio/people/owed?name=x", None),
            ("POST", "/api/studio/people/erase", {"name": name}),
            ("POST", "/api/studio/people/code", {"name": name}),
            ("POST", "/api/studio/people/link", {"invitation": "x", "platform": "prolific", "identifier": "x"}),
        ):
            assert researcher.request(method, route, json=body).status_code == 403
        code = admin.post("/api/studio/people/code", json={"name": name}).json()["code"]
        assert len(code) == 14
        assert admin.post("/api/studio/people/code", json={"name": "nobody"}).status_code == 404
        link = {"invitation": invitation.invitation_id, "platform": "prolific", "identifier": "abc"}
        assert "signature=" in admin.post("/api/studio/people/link", json=link).json()["path"]
        assert admin.post("/api/studio/people/link", json=link | {"invitation": "x"}).status_code == 404
        (owed,) = admin.get(f"/api/studio/people/owed?name={name}").json()["owed"]
        assert (owed["campaign"], owed["pay"], owed["items"]) == ("c", "0.10", 1)
        refused = admin.post("/api/studio/people/erase", json={"name": name})
        assert (refused.status_code, "c: 0.10 GBP" in refused.json()["detail"]) == (409, True)
        erased = admin.post("/api/studio/people/erase", json={"name": name, "keep_debt": True}).json()
        assert (erased["answers"], erased["kept"][0]["pay"]) == (1, "0.10")
        assert admin.post("/api/studio/people/erase", json={"name": "nobody"}).status_code == 404
        assert worker.get("/api/next").status_code == 401
