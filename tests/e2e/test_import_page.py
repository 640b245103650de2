"""Import: a zip becomes images, which are then asked about, without the command line."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server
from tests.ui.small_project import png

Visit = Callable[..., Visitor]


def test_a_zip_is_seen_stored_asked_about_and_undone(fresh: Server, visitor: Visit, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.write(png(tmp_path / "a.png"), "a.png")
        archive.writestr("images.csv", "path,prompt\na.png,an <b>apple</b>\ngone.png,a dog\n")
    page = visitor(fresh).page
    page.goto("/studio/add")
    expect(page.locator("#import-path")).to_be_visible()
    page.locator("#import-files input[type=file]").set_input_files(tmp_path / "mine.zip")
    summary = page.locator("#import-summary")
    expect(summary).to_contain_text("1 image of 1 prompt by mine.")
    expect(summary).to_contain_text("gone.png: images.csv:3: no such file")
    expect(page.locator("#import-preview")).to_contain_text("an <b>apple</b>")
    expect(page.locator("#imports .cc-act")).to_have_count(0)
    assert serious(page) == []

    page.get_by_role("button", name="Store 1 image").click()
    expect(page.locator("#import-done")).to_contain_text("Stored: 1 image")
    expect(page.locator("#imports .cc-act")).to_have_count(1)
    page.get_by_role("link", name="Answer yes or no about them").click()
    page.get_by_role("textbox", name="Your name").fill("Ann")
    page.keyboard.press("Enter")
    expect(page.get_by_text("an <b>apple</b>")).to_be_visible()

    page.goto("/studio/add")
    page.get_by_role("button", name="Undo import 1").click()
    page.get_by_role("button", name="Undo it").click()
    expect(page.locator("#import-done")).to_contain_text("Import 1 is undone")
