"""From a prompt to a verdict, offline: two stages paint, one judges itself, a person votes, and all stands together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server
from tests.e2e.test_votes import vote


@pytest.mark.slow
def test_generate_score_and_vote(visitor: Callable[..., Visitor], fresh: Server) -> None:
    pytest.importorskip("diffusers", reason="the group scorers is not installed")
    quick = ("--task", "single_object", "--limit", "2", "--n", "1", "--steps", "2", "--guidance", "1")
    for stage in ("early", "late"):
        fresh.run("generate", "playground", "--generator", f"playground-{stage}", "--name", stage, *quick)
    fresh.run("score", "elbo", "--suite", "playground", "--set", "trials=1", "--set", "steps=2")
    two = ("--generator", "early", "--generator", "late")
    fresh.run("campaigns", "create", "duel", "--questionnaire", "ab", *two, "--overlap", "1")
    fresh.run("campaigns", "start", "duel")

    page = visitor(fresh).page
    page.goto("/annotate/?campaign=duel")
    page.get_by_role("textbox", name="Your name").fill("ann")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    vote(page, "ArrowLeft", "1")
    vote(page, "n", "2")

    page = visitor(fresh).page
    page.goto("/studio/results/votes")
    rows = page.locator(".cc-votes tbody tr")
    expect(rows.filter(has_text="people").first).to_contain_text("2 votes on 2 pairs")
    elbo = rows.filter(has_text="elbo-playground[steps=2,trials=1]").first
    expect(elbo).to_contain_text("2 pairs")
    pairs = page.locator(".cc-duel")
    expect(pairs).to_have_count(2)
    expect(pairs.first.locator("figcaption")).to_have_text(["early", "late"])
    pictures = pairs.first.locator("img")
    expect(pictures).to_have_count(2)
    for k in range(2):
        pictures.nth(k).scroll_into_view_if_needed()
        expect(pictures.nth(k)).to_have_js_property("complete", True)
        assert pictures.nth(k).evaluate("image => image.naturalWidth") > 0
