"""Answers to campaigns that have not started or are archived: refused by every route, with nothing changed."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from starlette.testclient import TestClient

from data.campaigns.items import sample_items
from data.campaigns.settings import Campaign, Settings, State
from data.selection import Selection
from data.store.campaigns import management
from tests.ui.http_visitor import COW, World, first, saying

TABLES = ("annotations", "judgements", "skips", "drafts", "reports", "claims")
WHY = {
    "draft": "This campaign has not started yet, so nothing can be saved in it. Please come back later.",
    "archived": "This campaign has been archived, so its answers cannot change any more. What was saved before is kept.",
}


def worker(world: World, *, answered: int = 1) -> tuple[TestClient, dict[str, Any], str]:
    """Somebody at work in the running campaign ``c``: what lies before them, and the id of their last answer."""
    campaign = Campaign("c", "C", overlap=3, settings=Settings(withdrawal=True))
    management.create(world.store, campaign, sample_items(management.images(world.store, Selection()), 4, 0))
    management.move(world.store, "c", "running")
    client = world.person()
    client.post("/api/campaign", json={"campaign": "c"})
    for _ in range(answered):
        said = client.post("/api/submit", json=saying(first(client)["ticket"], campaign="c")).json()
    return client, first(client), said["id"]


def written(world: World) -> dict[str, list[Any]]:
    return {table: world.column(f"select {table}::varchar from {table} order by all") for table in TABLES}


def set_state(world: World, state: State) -> None:
    """Put the campaign into a state that people with answers can find it in, a draft too: by an older version, say."""
    with world.store.read() as cursor:
        cursor.execute("update campaigns set state = ? where campaign_id = 'c'", [state])
    world.store.memory.forget()


@pytest.mark.parametrize("state", ["draft", "archived"])
def test_nothing_is_saved_in_drafts_and_in_archived_campaigns(world: World, state: State) -> None:
    client, task, said = worker(world)
    client.post("/api/skip", json={"ticket": task["ticket"], "campaign": "c"})
    task = first(client)
    here = {"ticket": task["ticket"], "campaign": "c"}
    again = client.get(f"/api/mine/{said}").json()["ticket"]
    set_state(world, state)
    before = written(world)
    refused = [
        client.post("/api/submit", json=saying(**here)),
        client.post("/api/submit", json=saying(**here, following=True)),
        client.post("/api/submit", json=saying(again, campaign="c", revises=said)),
        client.post("/api/submit", json=saying(again, campaign="c", revises=said, following=True)),
        # by way of another campaign, which takes answers
        client.post("/api/submit", json=saying(again, campaign="default", revises=said)),
        client.post("/api/skip", json=here),
        client.post("/api/unskip", json={}),
        client.post("/api/report", json=here | {"reason": "black"}),
        client.post("/api/draft", json=here | {"answers": COW}),
        client.post("/api/withdraw", json={"campaign": "c"}),
    ]
    assert [(answer.status_code, answer.json()["detail"]) for answer in refused] == [(409, WHY[state])] * len(refused)
    assert written(world) == before
    closed = client.get("/api/next").json()
    assert (closed["state"], closed["why"], "tasks" in closed) == ("closed", state, False)


def test_what_was_saved_before_is_acknowledged_again_after_the_archiving(world: World) -> None:
    client, task, _ = worker(world)
    body = saying(task["ticket"], campaign="c")
    assert client.post("/api/submit", json=body).json()["new"]
    management.move(world.store, "c", "archived")
    # the browser never heard of it, and sends once more
    answer = client.post("/api/submit", json=body)
    assert (answer.status_code, answer.json()["saved"], answer.json()["new"]) == (200, True, False)
    assert client.post("/api/submit", json=body | {"id": str(uuid.uuid4())}).status_code == 409


def test_a_stopped_campaign_takes_what_is_on_its_way(world: World) -> None:
    client, task, said = worker(world)
    management.move(world.store, "c", "stopped")
    here = {"ticket": task["ticket"], "campaign": "c"}
    assert client.post("/api/draft", json=here | {"answers": COW}).json() == {"kept": True}
    assert client.post("/api/submit", json=saying(**here)).json()["status"] == "valid"
    again = client.get(f"/api/mine/{said}").json()["ticket"]
    assert client.post("/api/submit", json=saying(again, campaign="c", revises=said)).json()["saved"]
