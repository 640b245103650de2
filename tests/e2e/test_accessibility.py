"""axe-core's rules on every page: nothing that it calls serious or critical."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import expect

from data.store.core.store import Store
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server, listening
from tests.ui.accounts_app import users_file
from ui.web.auth.accounts import Accounts
from ui.web.server import create_app

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
    "": ".cc-leaderboard", "add": ".cc-add-zone", "browse": "main .cc-cell", "images?show=map": ".cc-map__canvas",
    "browse?show=prompts": "main .cc-prompt__cell",
    "browse?task=counting&show=prompts&left=playground-early&right=playground-late": "main .cc-swipe",
    "workbench": ".cc-verdicts", "agreement": ".cc-trust-table", "agreement?numbers=pair": ".cc-side-panel table",
    "results?numbers=1": ".cc-side-panel table", "plan": ".cc-curve-figure, .cc-place h1", "compare": ".cc-versus",
    "results/votes": ".cc-votes", "agreement/captions": ".cc-matches",
    "agreement/tune?threshold=0.9": ".cc-flips", "agreement/failures": ".cc-heatmap",
    "agreement/failures?picture=types&rater=tifa-playground": ".cc-dots-figure", "people": "main h1",
    "runs": "main table", "report": ".cc-paper h1",
}  # fmt: skip
"""What stands on a page when it is there."""


QUICK = ("", "browse")
"""Both look alike in what most pages have: navigation, tables, controls, a grid."""


@pytest.mark.parametrize("path", [path if path in QUICK else pytest.param(path, marks=pytest.mark.slow) for path in READY])
def test_each_studio_page(visitor: Visit, playground: Server, path: str) -> None:
    """In light and dark, wide and on a phone."""
    page = visitor(playground, viewport={"width": 1280, "height": 900}).page
    item = playground.items()[0]["item_id"]
    modes: tuple[tuple[Literal["light", "dark"], tuple[int, int]], ...] = (("light", (1280, 390)), ("dark", (390, 1280)))
    for mode, widths in modes:
        page.emulate_media(color_scheme=mode)
        page.goto(f"/studio/{path}" + (f"?id={item}" if path == "workbench" else ""))
        expect(page.locator(READY[path]).locator("visible=true").first).to_be_visible()
        assert page.locator("body").evaluate("body => body.classList.contains('dark')") is (mode == "dark")
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            assert serious(page) == [], f"{mode}, {width} px"


def test_signing_in(visitor: Visit, tmp_path: Path) -> None:
    accounts = Accounts(users_file(tmp_path / "users.toml"))
    with Store(tmp_path / "project") as store, listening(create_app(store, "token", accounts, pages=False)) as url:
        page = visitor(Server(url, store.project)).page
        for mode in ("light", "dark"):
            page.emulate_media(color_scheme=mode)
            page.goto("/login")
            expect(page.get_by_label("Password")).to_be_visible()
            assert serious(page) == []


def test_dialogs_of_browse(visitor: Visit, playground: Server) -> None:
    page = visitor(playground).page
    page.goto("/studio/images?task=counting&rater=geneval-playground")
    cells = page.locator(".cc-cell")
    expect(cells.first).to_be_visible()
    cells.first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".cc-selection-bar")).to_be_visible()
    assert serious(page) == []
    for key, shown in (("t", "Tag 2 images"), ("x", "Compare: Two images"), ("?", "Keys of Images")):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name=shown)).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        cells.nth(1).focus()
