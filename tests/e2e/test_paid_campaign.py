"""A manager in the browser alone: a pilot, gold from what all say alike, the main study with pay, a change after the start."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.project_files import LEFT_PROMPTS, visor_folder
from tests.e2e.server import Server
from tests.e2e.test_campaigns_page import person

Visit = Callable[..., Visitor]


@pytest.mark.slow
def test_from_a_pilot_to_the_pay_file(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    images = visor_folder(tmp_path / "alpha", LEFT_PROMPTS[:3])
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    page = visitor(fresh).page
    page.goto("/studio/campaigns")
    preview = page.locator("#campaign-preview")
    title = page.locator("#new-title").get_by_role("textbox")
    heading = page.locator("#campaign-title")

    page.get_by_role("button", name="New campaign").click()
    title.fill("Pilot, first")
    title.blur()
    expect(preview).to_contain_text("Its id is pilot-first.")
    page.get_by_role("button", name="Create draft").click()
    expect(heading).to_contain_text("Pilot, first draft")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(heading).to_contain_text("running")
    for name in ("ann", "bob", "cyd"):
        person(fresh, "pilot-first", name, 4)

    page.get_by_role("button", name="New campaign").click()
    page.locator("#preset-crowd").click()
    title.fill("Main study")
    page.locator("#campaign-form").get_by_role("button", name="Gold, attention").click()
    page.locator("#new-gold-from input").click()
    page.get_by_role("option", name="unanimous answers: 3 items").click()
    page.get_by_label("Gold items").fill("1")
    page.locator("#campaign-form").get_by_role("button", name=re.compile("^Pay")).click()
    for label, value in (("Currency", "GBP"), ("Target wage", "12"), ("Price of an item", "0.03")):
        page.locator("#campaign-form").get_by_label(label).fill(value)
    page.locator("#campaign-form").get_by_label("Currency").focus()
    expect(preview).to_contain_text("besides: 1 gold items")
    expect(preview).to_contain_text("cost: 0.21 GBP by items")
    page.get_by_role("button", name="Create draft").click()
    expect(heading).to_contain_text("Main study draft")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(heading).to_contain_text("running")
    for name in ("dan", "eve", "fay"):
        person(fresh, "main-study", name, 4)

    page.get_by_role("radio", name="Settings", exact=True).check()
    overlap = page.locator("#part-settings").get_by_label("People for each")
    expect(overlap).to_have_value("3")
    overlap.fill("4")
    overlap.blur()
    expect(page.locator("#set-meaning")).to_contain_text("People for each: 2 answers more")
    page.locator("#settings-save").click()
    expect(page.locator("#campaign-message")).to_contain_text("The settings are saved.")
    expect(heading).to_contain_text("4 people for each item")

    page.get_by_role("radio", name="Pay", exact=True).check()
    table = page.locator(".cc-pay")
    expect(table.get_by_role("rowheader")).to_have_text(["dan", "eve", "fay", "all"])
    expect(page.locator("#health")).to_contain_text("GBP spent")
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("Decisions and pay")).click()
    rows = list(csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines()))
    assert {row["outcome"] for row in rows} == {"completion"}
    assert all(row["code"] for row in rows)
    total = sum(round(100 * float(row["pay"])) for row in rows)
    expect(page.locator("#pay .cc-lead")).to_contain_text(f"{total / 100:.2f} GBP pay")
