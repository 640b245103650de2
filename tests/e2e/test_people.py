"""People in the browser: a campaign is started, answered, watched, its people paused, and its disputes decided by keys."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.project_files import LEFT_PROMPTS, visor_folder
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
TWO_OBJECTS = {"objects": "things", "count_0": 1, "color_0": ["red"], "realism_0": 2, "count_1": 0}


def person(
    server: Server, campaign: str, name: str, caption_fit: int, fields: Mapping[str, Any] = MappingProxyType(TWO_OBJECTS)
) -> None:
    """Somebody turns to a campaign and answers all that they are offered, in their own way."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client:
        client.post("/api/name", json={"name": name}).raise_for_status()
        client.post("/api/campaign", json={"campaign": campaign}).raise_for_status()
        while tasks := client.get("/api/next").raise_for_status().json().get("tasks"):
            answer = {"id": str(uuid.uuid4()), "ticket": tasks[0]["ticket"], "campaign": campaign, "active_seconds": 9}
            answers = {**fields, "caption_fit": caption_fit}
            client.post("/api/submit", json=answer | {"answers": answers}).raise_for_status()


@pytest.mark.slow
def test_a_campaign_from_its_start_to_the_verdict(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    manager = visitor(fresh)
    # whoever acts is asked for a name first
    manager.watch.expected = lambda problem: "401" in problem
    page = manager.page
    page.goto("/studio/people")
    expect(page.get_by_role("heading", name="Nobody has answered yet")).to_be_visible()
    images = visor_folder(tmp_path / "alpha", LEFT_PROMPTS[:3])
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    fresh.run("campaigns", "create", "pilot", "--title", "A pilot", "--overlap", "2")
    # the place follows without a reload
    page.get_by_role("button", name="Start A pilot").click()
    card = page.get_by_role("article").filter(has_text="A pilot")
    expect(card).to_contain_text("running")
    expect(card).to_contain_text("0 of 6 answers")
    for name, fit in (("ann", 4), ("bob", 2)):
        person(fresh, "pilot", name, fit)
    expect(card).to_contain_text("6 of 6 answers")
    expect(card).to_contain_text("Every image has its 2 answers")
    assert serious(page) == []
    card.get_by_role("link", name="Open").click()
    expect(page.get_by_text("3 of 3 images have enough answers")).to_be_visible()
    page.locator(".cc-place").get_by_role("link", name=re.compile("^People 2")).click()
    paused_and_reinstated(page)
    page.get_by_role("link", name="Disputes").click()
    decided_by_keys(page)
    for tab in ("Links", "Settings", "Pay"):
        page.get_by_role("link", name=re.compile(f"^{tab}")).click()
        expect(page.get_by_role("link", name=re.compile(f"^{tab}"))).to_have_attribute("aria-current", "page")
        assert serious(page) == [], tab
    typed_and_saved(page, fresh)

    other = visitor(fresh).page
    other.goto("/studio/people?campaign=pilot&show=adjudicate")
    expect(other.get_by_role("table").filter(has_text="Who was wrong")).to_contain_text("person bob")


def paused_and_reinstated(page: Page) -> None:
    """Who acts gives a name once; what happens is asked first, and said."""
    page.get_by_role("button", name="Pause or revoke bob").press("Enter")
    assert serious(page) == []
    page.get_by_role("button", name="Pause: answers stay").locator("visible=true").press("Enter")
    page.get_by_role("textbox", name="Your name").fill("rita")
    page.keyboard.press("Enter")
    row = page.get_by_role("row").filter(has_text="bob")
    expect(row).to_contain_text("paused by rita")
    expect(page.locator(".cc-toast")).to_contain_text("bob is paused")
    page.get_by_role("button", name="Reinstate bob").press("Enter")
    expect(page.get_by_role("button", name="Pause or revoke bob")).to_be_visible()


def decided_by_keys(page: Page) -> None:
    """Cases are opened, decided and followed by the next without a mouse."""
    expect(page.get_by_text("Opening a case shows all answers")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Question")).click()
    page.get_by_role("link", name="caption match").click()
    page.get_by_role("link", name="Decide one by one").press("Enter")
    case = page.locator(".cc-case")
    expect(case).to_contain_text("bob (person)")
    expect(case.get_by_role("heading")).to_be_focused()
    assert serious(page) == []
    first = case.get_by_role("heading").inner_text()
    page.keyboard.press("d")
    page.keyboard.press("2")
    expect(case.get_by_role("radio", name="bob")).to_be_checked()
    page.keyboard.press("Enter")
    expect(case.get_by_role("heading")).not_to_have_text(first)
    page.keyboard.press("Escape")
    expect(page.locator(".cc-cases tbody tr").first).to_contain_text("4: person bob was wrong")


def typed_and_saved(page: Page, server: Server) -> None:
    """What a manager types is not undone by what happens meanwhile, and what it means is said before it is saved."""
    page.get_by_role("link", name="Settings").click()
    overlap = page.get_by_label("People for each")
    overlap.fill("3")
    expect(page.get_by_text("People for each: 3 answers more")).to_be_visible()
    person(server, "default", "cyd", 3)
    expect(overlap).to_have_value("3")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".cc-toast")).to_contain_text("The settings are saved.")
    expect(page.get_by_text("3 people an image")).to_be_visible()


@pytest.mark.slow
def test_a_link_is_made_copied_and_taken_back(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    images = visor_folder(tmp_path / "alpha", LEFT_PROMPTS[:1])
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    fresh.run("campaigns", "create", "pilot")
    guest = visitor(fresh)
    guest.watch.expected = lambda problem: "401" in problem
    page = guest.page
    # the place's module comes after all is drawn
    page.route("**/people/people.js*", lambda _held: None)
    page.goto("/studio/people?campaign=pilot&tab=links")
    expect(page.get_by_role("heading", name="pilot")).to_be_visible()
    page.unroute("**/people/people.js*")
    expect(page.get_by_text("This campaign has no link yet.")).to_be_visible()
    page.get_by_role("button", name="Make a link").click()
    page.get_by_role("textbox", name="Your name").fill("rita")
    page.keyboard.press("Enter")
    link = page.get_by_text(re.compile(r"^http://127\.0\.0\.1:\d+/join/"))
    expect(link).to_be_visible()
    page.get_by_label("the person’s on the platform").fill("abc")
    page.get_by_role("button", name="Make their link").click()
    expect(page.get_by_text(re.compile("PROLIFIC_PID=abc&signature="))).to_be_visible()
    page.reload()
    page.get_by_role("button", name=re.compile("^Revoke the link")).click()
    expect(page.get_by_text("This invitation has been taken back.")).to_be_visible()
