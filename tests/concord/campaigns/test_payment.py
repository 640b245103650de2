"""Payment of a campaign: outcomes, a budget that stops offering, and a file that adds up to the cent."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from concord.campaigns import payment
from concord.people import link_path
from data.campaigns.items import sample_items
from data.campaigns.settings import Campaign, Settings
from data.people import Terms
from data.selection import Selection
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import revocations
from data.store.people import invitations
from tests.data.store.small_campaign import NAME, start
from tests.ui.http_visitor import World, saying

PAID: dict[str, Any] = {"item_price": "0.075", "base_pay": "0.10", "platform_fee": 0.33, "currency": "GBP"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


def test_a_budget_stops_offering_before_it_is_exceeded(store: Store) -> None:
    campaign = start(store, 12, overlap=3, settings=Settings(order="fixed", item_price="0.10", platform_fee=0.5, budget="2.05"))
    people = ("ann", "bob", "cyd")
    # each holds two while the others are offered theirs
    while any(campaign.offered(name) for name in people):
        for name in people:
            for item in campaign.offered(name)[:1]:
                campaign.say(item, name)
    found = management.get(store, NAME)
    assert found
    roll = payment.payroll(store, found)
    # 0.15 an answer: thirteen fit into 2.05
    assert (sum(person.work.items for person in roll.people), roll.cost) == (13, Decimal("1.95"))
    assert {campaign.desk(name).closed for name in people} == {"budget"}
    management.change_settings(store, NAME, {"budget": "3.00"}, "rita")
    assert campaign.offered("ann")


def test_a_campaign_closes_at_its_moment(store: Store) -> None:
    campaign = start(store, 2, settings=Settings(closes="2026-01-01 01:00"))
    assert campaign.offered("ann")
    campaign.later(61)
    assert campaign.desk("ann").closed == "closed"


def arrive(world: World, who: str, session: str) -> TestClient:
    terms = Terms(campaign="c", role="annotator", expires=datetime.now(UTC) + timedelta(days=1))
    made = invitations.create(world.store, terms, "rita")
    client = world.client()
    path = f"{link_path(world.store, made)}?PROLIFIC_PID={who}&STUDY_ID=s1&SESSION_ID={session}"
    assert client.get(path).status_code in (200, 303)
    return client


def test_every_way_to_leave_has_its_line_and_the_file_adds_up(world: World) -> None:
    store = world.store
    codes: dict[str, Any] = {"completion_code": "FULL", "stopped_code": "PART", "paused_code": "BAD", "quota_code": "NONE"}
    campaign = Campaign("c", "C", "geneval", 1, settings=Settings(limit=2, lease_minutes=1, **PAID, **codes))
    management.create(store, campaign, sample_items(management.images(store, Selection()), None, 0))
    management.move(store, "c", "running")

    def answer(client: TestClient) -> None:
        task = client.get("/api/next").json()["tasks"][0]
        sent = saying(task["ticket"], campaign="c", offer=task["offer"], active_seconds=20)
        assert client.post("/api/submit", json=sent).json()["saved"]

    def work(client: TestClient, n: int) -> dict[str, Any]:
        for _ in range(n):
            answer(client)
        answers: dict[str, Any] = client.get("/api/next").json()
        return answers

    assert work(arrive(world, "whole", "sub-1"), 2)["code"] == "FULL"
    part = arrive(world, "part", "sub-2")
    work(part, 1)
    assert part.post("/api/pause", json={}).json()["code"] == "PART"
    bad = arrive(world, "bad", "sub-3")
    name = bad.get("/api/next").json()["name"]
    answer(bad)
    revocations.revoke(store, name, "rita", "c", uncount=False)
    assert bad.get("/api/next").json()["code"] == "BAD"
    assert work(arrive(world, "late", "sub-4"), 0)["code"] == "NONE"
    arrive(world, "idle", "sub-5")

    found = management.get(store, "c")
    assert found
    sent = [f"sub-{n},{who},s1,AWAITING" for n, who in enumerate(("whole", "part", "bad", "late", "idle", "never-came"), 1)]
    exported = "\n".join(("Submission id,Participant id,Study id,Status", *sent))
    roll = payment.payroll(store, found, exported)
    rows = {row["session_id"]: row for row in csv.DictReader(io.StringIO(payment.payment_file(roll)))}
    lines = {session: [row[name] for name in ("outcome", "code", "decision", "items", "pay")] for session, row in rows.items()}
    # two items at 0.075 are worth 0.15, of which 0.10 comes by approval
    assert lines == {
        "sub-1": ["completion", "FULL", "approve", "2", "0.15"],
        "sub-2": ["stopped", "PART", "return", "1", "0.08"],
        # their answer counts, so it is paid
        "sub-3": ["paused", "BAD", "return", "1", "0.08"],
        "sub-4": ["quota", "NONE", "return", "0", "0.00"],
        "sub-5": ["left", "", "return", "0", "0.00"],
    }
    assert (rows["sub-1"]["base_pay"], rows["sub-1"]["bonus"], rows["sub-1"]["study_id"]) == ("0.10", "0.05", "s1")
    assert (rows["sub-1"]["participant_id"], rows["sub-2"]["participant_id"], roll.unknown) == (
        "whole",
        "part",
        ("never-came",),
    )
    for column, total in (("pay", roll.pay), ("fee", roll.fees), ("cost", roll.cost)):
        assert sum(Decimal(row[column]) for row in rows.values()) == total
    assert sorted(payment.bonus_lines(roll).splitlines()) == ["bad,0.08", "part,0.08", "whole,0.05"]
    # without the file there is none of these ids, as none is stored
    assert not any(person.submission for person in payment.payroll(store, found).people)
    with store.read() as cursor:
        assert cursor.execute("select count(*) from raters where rater_id in ('whole', 'part')").fetchone() == (0,)
