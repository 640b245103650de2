"""An A/B campaign from the command to the page: votes by the keyboard, and the pairs behind a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.project_files import LEFT_PROMPTS, visor_folder
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


def vote(page: Page, key: str, done: str) -> None:
    # nothing is answered before the pictures are painted
    expect(page.locator(".cc-questions:not([inert]) [data-question='preference']")).to_be_visible()
    page.keyboard.press(key)
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".cc-form__count")).to_contain_text(done)


@pytest.mark.slow
def test_two_votes_by_keyboard_and_the_pair_behind_a_number(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    for n, name in enumerate(("alpha", "beta")):
        folder = visor_folder(tmp_path / name, LEFT_PROMPTS[:2], 20 * n)
        fresh.run("import", "images", folder, "--layout", "visor", "--generator", name)
    studio = visitor(fresh).page
    studio.goto("/studio/results/votes")
    expect(studio.locator("#cc-place")).to_contain_text("campaigns create duel --questionnaire ab")

    two = ("--generator", "alpha", "--generator", "beta")
    fresh.run("campaigns", "create", "duel", "--questionnaire", "ab", *two, "--overlap", "1")
    fresh.run("campaigns", "start", "duel")
    page = visitor(fresh).page
    page.goto("/annotate/?campaign=duel")
    page.get_by_role("textbox", name="Your name").fill("ann")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.locator(".cc-keys dd", has_text="both")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    vote(page, "ArrowLeft", "1")
    vote(page, "b", "2")

    # the open page follows without a reload
    bar = studio.locator(".cc-votes tbody tr", has_text="people").first
    expect(bar).to_contain_text("2 votes on 2 pairs")
    assert bar.locator(".cc-vote-bar").evaluate("bar => getComputedStyle(bar).position") == "static"
    studio.get_by_role("link", name="All numbers").click()
    panel = studio.get_by_role("complementary", name="All numbers")
    expect(panel).to_contain_text("the left image was chosen in 1 of 1 votes")
    panel.get_by_role("link", name="Close").click()
    expect(panel).to_have_count(0)
    expect(studio.locator(".cc-duel")).to_have_count(2)
    clear = bar.locator("a[data-part$=wins]")
    winner = "alpha" if clear.get_attribute("data-part") == "a_wins" else "beta"
    clear.click()
    expect(studio).to_have_url(re.compile(rf"chose={winner}"))
    pair = studio.locator(".cc-duel")
    expect(pair).to_have_count(1)
    expect(pair.locator("figcaption")).to_have_text(["alpha", "beta"])
    expect(pair.locator("dd")).to_have_text(f"1 × {winner}")
    # what the address says is shown again, and Results has a tab that leads there
    assert serious(studio) == []
    again = visitor(fresh, color_scheme="dark").page
    again.goto(studio.url)
    expect(again.locator(".cc-duel")).to_have_count(1)
    assert serious(again) == []
    again.goto("/studio/")
    again.get_by_role("navigation", name="Results").get_by_role("link", name="A/B votes").click()
    expect(again).to_have_url(re.compile("/studio/results/votes"))
    expect(again.locator(".cc-duel")).to_have_count(2)
