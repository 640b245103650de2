"""A study's manager without a mouse: a verdict, gold made of it, somebody paused and let in again; axe-core finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form, introduce
from tests.e2e.server import Server, serving
from tests.e2e.test_drawer import address, item_id, judged, nothing_there
from tests.e2e.test_people import person
from tests.ui import drawn_images
from tests.ui.drawn_images import RATER

_MOST_STOPS = 200


def tab_to(page: Page, wanted: Locator) -> None:
    """Move the focus there by Tab alone."""
    expect(wanted).to_be_visible()
    for _ in range(_MOST_STOPS):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {wanted}")


@pytest.mark.slow
def test_gold_verdict_and_pause_by_keyboard(visitor: Callable[..., Visitor], tmp_path: Path) -> None:
    with serving(drawn_images.project(tmp_path, each=1)) as server:
        server.run("campaigns", "create", "main-study", "--title", "Main study")
        server.run("campaigns", "create", "crowd", "--task", "single_object")
        server.run("campaigns", "start", "crowd")
        verdicts = {entry["item_id"]: entry["verdict"] for entry in server.json("/api/studio/items", rater=RATER)["items"]}
        number = next(n for n in range(len(verdicts)) if verdicts[item_id(n)] == "yes")
        page = visitor(server).page
        introduce(page, "Judith")

        page.goto(address(number))
        expect(page.get_by_text("Hidden until you answer")).to_be_visible()
        page.keyboard.press("Alt+g")
        expect(page.locator(".cc-toast")).to_contain_text("Give a verdict first")
        page.keyboard.press("Enter")
        form = Form(page)
        nothing_there(form)
        page.keyboard.press("Enter")
        verdict = page.get_by_role("region", name="Verdict", exact=True)
        expect(verdict).to_contain_text(f"{RATER} is wrong")
        judged(page, "1", f"Saved: {RATER} is wrong")
        # the next image is here; gold is the one that was judged
        page.keyboard.press("Alt+g")
        expect(page.get_by_role("dialog", name="Make gold")).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("1")
        expect(page.locator(".cc-toast")).to_contain_text("Gold in Main study: ")
        page.goto(address(number))
        expect(verdict.get_by_role("button", name="Make gold")).to_be_visible()
        assert serious(page) == []

        page.goto("/studio/people?campaign=main-study")
        expect(page.get_by_text("one check in 10")).to_be_visible()
        person(server, "crowd", "bob", 1, {"objects": "none", "count_0": 0})
        page.goto("/studio/people?campaign=crowd&show=people")
        tab_to(page, page.get_by_role("button", name="Pause or revoke bob"))
        page.keyboard.press("Enter")
        tab_to(page, page.get_by_role("button", name="Pause: answers stay"))
        assert serious(page) == []
        page.keyboard.press("Enter")
        expect(page.locator(".cc-toast")).to_contain_text("bob is paused")
        tab_to(page, page.get_by_role("button", name="Reinstate bob"))
        page.keyboard.press("Enter")
        expect(page.locator(".cc-toast")).to_contain_text("bob is back.")
        expect(page.get_by_role("button", name="Pause or revoke bob")).to_be_visible()
        assert serious(page) == []

        previewed_without_a_trace(page, server, form)

        page.goto("/annotate/?campaign=crowd")
        expect(page.get_by_role("dialog")).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Enter")
        form.ready()
        assert serious(page) == []


def previewed_without_a_trace(page: Page, server: Server, form: Form) -> None:
    """A draft as its workers will see it, answered by keys to its end."""
    before = server.json("/api/studio/version")
    page.goto("/studio/people?campaign=main-study")
    with page.expect_popup() as opened:
        tab_to(page, page.get_by_role("link", name="Preview"))
        page.keyboard.press("Enter")
    preview = opened.value
    form = Form(preview)
    expect(preview.get_by_role("dialog")).to_be_visible()
    form.press("Enter")
    form.ready()
    expect(preview.get_by_text("Preview: nothing is stored")).to_be_visible()
    assert serious(preview) == []
    expect(form.count).to_contain_text("0 of 6")
    form.press("Escape", "e", "Enter")
    expect(form.count).to_contain_text("1 of 6")
    form.ready()
    form.press("Escape", "u")
    expect(preview.get_by_text("You are revising your last answer.")).to_be_visible()
    form.press("u")
    for done in range(2, 7):
        form.ready()
        form.press("Escape", "s")
        expect(form.count).to_contain_text(f"{done} of 6")
    expect(preview.get_by_text("None of your answers was stored")).to_be_visible()
    assert server.json("/api/studio/version") == before
    preview.close()
