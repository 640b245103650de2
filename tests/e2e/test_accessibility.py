"""axe-core's rules on every page: nothing that it calls serious or critical."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


def test_the_form_in_dark_mode(visitor: Visit, server: Server) -> None:
    """In the light it is looked at in ``test_campaigns``."""
    page = visitor(server, color_scheme="dark").page
    page.goto("/annotate/")
    expect(page.get_by_role("textbox", name="Your name")).to_be_visible()
    assert serious(page) == []
    form = Form(page)
    form.type("Axel")
    form.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert serious(page) == []
    form.press("Enter")
    form.ready()
    form.objects("a")
    form.press("1")
    form.press("Enter")
    # all kinds of questions are on it, and one that says what is missing
    assert serious(page) == []


READY = {
    "": "main table", "browse": "main .cc-cell", "browse?show=prompts": "main .cc-prompt__cell",
    "browse?task=counting&show=prompts&left=playground-early&right=playground-late": "main .cc-swipe",
    "workbench": ".cc-desk", "agreement": "main table",
    "explore": "main .js-plotly-plot", "explore?show=questions": "#asked-lead .cc-note", "runs": "main table",
    "map": "#map-plot .point",
    "campaigns": "#campaigns .cc-note",
}  # fmt: skip
"""What stands on a page when it is there."""


QUICK = ("", "browse")
"""Both look alike in what most pages have: navigation, tables, controls, a grid."""


@pytest.mark.parametrize("path", [path if path in QUICK else pytest.param(path, marks=pytest.mark.slow) for path in READY])
def test_each_studio_page(visitor: Visit, playground: Server, path: str) -> None:
    page = visitor(playground).page
    item = playground.items()[0]["item_id"]
    page.goto(f"/studio/{path}" + (f"?id={item}" if path == "workbench" else ""))
    expect(page.locator(READY[path]).first).to_be_visible(timeout=30_000)
    assert serious(page) == []


def test_dialogs_of_browse(visitor: Visit, playground: Server) -> None:
    page = visitor(playground).page
    page.goto("/studio/browse?task=counting&rater=geneval-playground")
    cells = page.locator(".cc-cell")
    expect(cells.first).to_be_visible(timeout=30_000)
    cells.first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".cc-selection-bar")).to_be_visible()
    assert serious(page) == []
    for key, shown in (("t", "Tag 2 images"), ("x", "Compare: Two images"), ("?", "Keys of Browse")):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name=shown)).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        cells.nth(1).focus()
