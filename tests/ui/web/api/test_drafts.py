"""New campaign over HTTP: its steps as HTML, checks while one types, saving, presets, starting; hostile forms."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from concord.campaigns import planning
from concord.campaigns.spec import campaign_spec
from concord.new_campaigns.drafting import FIELDS
from data.store.campaigns import management
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World
from ui.web.addresses_before import new_address
from ui.web.auth.authorization import Access, access_of

HOSTILE = "<img src=x onerror=alert(1)>"


def place(client: TestClient, **query: Any) -> str:
    answer = client.get("/api/studio/places/people/new", params=query | {"whole": "true"})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["content"])


def shown(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def test_from_the_plan_to_a_running_campaign(world: World) -> None:
    client = world.person("rita")
    plan = shown(place(client, goal="mean", margin="0.1", people="2"))
    assert "What do you want to find out?" in plan
    assert "2 people an image" in plan
    values = {"title": "First", "n": "2", "overlap": "2", "suite": ["geneval"], "generator": []}
    checked = client.post("/api/studio/drafts/check", json={"values": values}).json()
    assert checked["problems"] == {}
    assert "4 answers" in shown(checked["foot"])
    assert "2 images (2 drawn by chance from 4, 0 picked by hand) × 2 people = 4 answers" in shown(checked["summary"])
    assert management.listed(world.store) == []
    saved = client.post("/api/studio/drafts", json={"values": values}).json()
    assert saved == {"campaign": "first"}
    for step, words in {
        "images": "How many",
        "questions": "What is asked",
        "checks": "Known answers and training",
        "invite": "What starts",
    }.items():
        assert words in shown(place(client, campaign="first", step=step)), step
    paid = {"currency": "EUR", "item_price": "0.5", "limit": "1"}
    assert client.post("/api/studio/drafts", json={"campaign": "first", "values": paid}).status_code == 200
    assert "2.00 EUR" in shown(place(client, campaign="first", step="invite"))
    assert client.post("/api/studio/drafts/start", json={"campaign": "first"}).json() == {"campaign": "first"}
    running = management.get(world.store, "first")
    assert running
    assert (running.state, running.settings.item_price, running.settings.limit) == ("running", "0.5", 1)
    assert "campaign 'first' is running" in shown(place(client, campaign="first", step="checks"))


def test_every_field_of_a_campaign_has_a_control(world: World) -> None:
    client = world.client()
    first = place(client, step="images")
    client.post("/api/studio/drafts", json={"values": {"title": "T"}})
    steps = [first, *(place(client, campaign="t", step=step) for step in ("images", "questions", "checks"))]
    controls = set(re.findall(r'data-field="([a-z_]+)"', "".join(steps)))
    # of one suite and one generator there is nothing to choose
    assert FIELDS.keys() - controls == {"suite", "generator", "task"} - controls
    assert controls <= FIELDS.keys()


def test_refusals_name_their_fields(world: World) -> None:
    client = world.client()
    answer = client.post("/api/studio/drafts", json={"values": {"title": "T", "n": "99", "limit": "x"}})
    assert (answer.status_code, list(answer.json()["problems"])) == (422, ["limit"])
    answer = client.post("/api/studio/drafts", json={"values": {"title": "T", "n": "99"}})
    assert answer.json()["problems"] == {"n": "99 images are requested, but only 4 are available."}
    assert answer.json()["detail"] == "99 images are requested, but only 4 are available."
    for body in ({"campaign": "gone"}, {"campaign": "gone", "values": {"title": "T"}}):
        assert client.post("/api/studio/drafts", json=body).status_code == 409
    assert client.post("/api/studio/drafts/start", json={"campaign": "gone"}).status_code == 409
    assert client.post("/api/studio/drafts/preset", json={"preset": "Gone"}).status_code == 404
    codes = [client.post("/api/studio/drafts/preset", json={"preset": "Crowd"}).json()["values"] for _ in range(2)]
    assert codes[0]["completion_code"] != codes[1]["completion_code"]
    # what is no field is none
    assert client.post("/api/studio/drafts", json={"values": {"title": "T", "state": "running"}}).status_code == 200
    stored = management.get(world.store, "t")
    assert stored
    assert stored.state == "draft"
    assert access_of("/api/studio/drafts/start") is Access.RESEARCHER


def test_a_selection_of_images_is_a_campaign_by_hand(world: World) -> None:
    item = world.column("select item_id from items order by 1 limit 1")[0]
    html = place(world.client(), item=[item, item])
    assert "1 image by hand" in shown(html)
    assert f">{item}</textarea>" in html
    assert 'aria-current="step"' in html


@pytest.mark.parametrize("step", ["plan", "images", "questions", "checks", "invite"])
def test_nothing_of_the_data_or_the_address_is_html(world: World, step: str) -> None:
    store = answered(world, ann="yn", bob="yy")
    planning.make_campaign(
        store, campaign_spec({"id": "h", "title": HOSTILE, "instructions": HOSTILE, "completion_code": HOSTILE})
    )
    client = world.client()
    hostile = dict.fromkeys(
        ("goal", "margin", "people", "suite", "aspect", "scorer", "wage", "currency", "item", "rated"), HOSTILE
    )
    for query in ({"campaign": "h"}, hostile, {"campaign": HOSTILE}, {"wage": "1e999", "goal": "difference", "margin": "nan"}):
        assert "<img src=x" not in place(client, step=step, **query)


def test_addresses_of_the_page_plan_lead_to_the_step(world: World) -> None:
    old = [("rated", "geneval·correct·simulated"), ("precision", "0.1")]
    assert new_address("plan", old).startswith("people/new?rated=")
    html = place(world.client(), rated="geneval·correct", precision="0.1")
    assert "goal=mean&amp;margin=0.1&amp;suite=geneval" in html
    assert new_address("people/plan", []) == "people/new"
