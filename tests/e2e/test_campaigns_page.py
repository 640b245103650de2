"""A campaign in the browser: made, started, answered, watched, and decided about by the keyboard."""

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
def test_a_campaign_from_the_first_click_to_the_verdict(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    page = visitor(fresh).page
    page.goto("/studio/people")
    expect(page.locator("#campaigns")).to_contain_text("A campaign asks people the same questions")
    images = visor_folder(tmp_path / "alpha", LEFT_PROMPTS[:3])
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")

    page.get_by_role("button", name="New campaign").click()
    expect(page.locator("#campaign-preview")).to_contain_text("× 3 people = 9 answers")
    page.locator("#new-id").get_by_role("textbox").fill("pilot")
    page.locator("#new-title").get_by_role("textbox").fill("A pilot")
    page.get_by_label("People for each").fill("2")
    expect(page.locator("#campaign-preview")).to_contain_text("3 images (all that fit) × 2 people = 6 answers")
    page.get_by_role("button", name="Create draft").click()
    expect(page).to_have_url(re.compile(r"[?&]campaign=pilot"))
    expect(page.locator("#campaign-title")).to_contain_text("A pilot draft")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#campaign-title")).to_contain_text("running")
    expect(page.locator("#coverage")).to_contain_text("0 of 6 answers")

    for name, fit in (("ann", 4), ("bob", 2)):
        person(fresh, "pilot", name, fit)
    # the page follows without a reload
    expect(page.locator("#coverage")).to_contain_text("6 of 6 answers; 3 of 3 items have enough")
    expect(page.locator("#by-answers .js-plotly-plot")).to_be_visible()
    page.get_by_role("radio", name="People", exact=True).check()
    people = page.locator("#people")
    expect(people.get_by_role("rowheader")).to_have_text(["ann", "bob"])
    revoked_and_reinstated(page)
    page.get_by_label("Adjudicate").check()
    page.get_by_label("About", exact=True).click()
    page.get_by_role("option", name="caption match").click()
    decided_by_keyboard(page)

    other = visitor(fresh).page
    other.goto(page.url)
    expect(other.locator("#campaign-title")).to_contain_text("A pilot")
    expect(other.locator("#verdicts")).to_contain_text("person bob")
    # this browser has given no name: nothing is uncovered
    expect(other.locator(".cc-case")).to_have_count(0)


def revoked_and_reinstated(page: Page) -> None:
    """What worked is told, and does not look like an error."""
    page.get_by_role("button", name="Revoke bob").click()
    page.locator("#revoke-keep").click()
    for told, then in (("bob is revoked.", "Reinstate bob"), ("bob is back.", "Revoke bob")):
        message = page.locator("#campaign-message .cc-note")
        expect(message).to_contain_text(told)
        expect(message).not_to_have_class(re.compile("cc-bad"))
        again = page.get_by_role("button", name=then)
        expect(again).to_be_visible()
        if then == "Reinstate bob":
            again.click()


def decided_by_keyboard(page: Page) -> None:
    """The first case is opened and decided without a mouse."""
    page.locator("#cases a").first.press("Enter")
    expect(page.locator("#case")).to_contain_text("Enter your name first")
    page.locator("#case-name").get_by_role("textbox").fill("rita")
    page.get_by_role("button", name="Go on").press("Enter")
    expect(page.locator(".cc-case")).to_contain_text("All answers")
    # a key before the questions stand below the case reaches nothing
    expect(page.locator("#case-wrong input").nth(1)).to_be_visible()
    page.locator("body").press("d")
    expect(page.locator("#case-verdict input").nth(3)).to_be_checked()
    page.locator("body").press("2")
    expect(page.get_by_label("Which person")).to_have_value("bob")
    page.get_by_label("Note").fill("half of it is missing")
    page.locator("#case-wrong input").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#verdicts")).to_contain_text("person bob")
    expect(page.locator("#cases tbody tr").first).to_contain_text("4: person bob was wrong")
    # the next one is open
    expect(page).to_have_url(re.compile(r"[?&]case="))
    expect(page.locator("#cases tr.cc-chosen td").first).to_have_text("2")
    # Enter saves although the case was opened by its link
    third = page.locator("#cases a").nth(2)
    third.press("Enter")
    expect(page.locator(".cc-case-title")).to_have_text(third.inner_text())
    expect(page.locator("#case")).to_be_focused()
    page.keyboard.press("d")
    page.keyboard.press("2")
    expect(page.get_by_label("Which person")).to_have_value("bob")
    page.keyboard.press("Enter")
    expect(page.locator("#cases tbody tr").nth(2)).to_contain_text("4: person bob was wrong")
