"""Nothing is said of a picture that nobody has seen: not by a key pressed twice, and not of one that does not load."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from data.campaigns.items import sample_items
from data.campaigns.settings import Campaign
from data.selection import Selection
from data.store.campaigns import management
from data.store.core.store import Store
from tests.e2e import project_files
from tests.e2e.conftest import Visit
from tests.e2e.form_driver import Form
from tests.e2e.server import Server, command, serving

_PICTURES = """performance.getEntriesByType("resource").map((one) => one.name).filter((name) => name.includes("/img/"))"""


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001 - none without it
    """Pairs, which one key answers."""
    folder = tmp_path_factory.mktemp("unseen")
    for n, generator in enumerate(("alpha", "beta")):
        images = project_files.visor_folder(folder / generator, (0, 1, 2, 4), 20 * n)
        command(folder / "project", "import", "images", images, "--layout", "visor", "--generator", generator)
    with Store(folder / "project") as store:
        pairs = management.pairs(store, Selection(), "alpha", "beta")
        management.create(store, Campaign("ab", "Which one", "ab", 9), sample_items(pairs, None, 0))
        management.move(store, "ab", "running")
    with serving(folder / "project") as running:
        yield running


def enter(page: Page, name: str) -> Form:
    page.goto("/annotate/?campaign=ab")
    form = Form(page)
    expect(page.get_by_role("textbox", name="Your name")).to_be_focused()
    form.type(name)
    form.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    form.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    return form


def test_a_key_pressed_three_times_answers_a_single_picture(visitor: Visit, server: Server) -> None:
    one = visitor(server, advance=None)
    form = enter(one.page, "Hasty")
    form.active("preference")
    form.press(*["ArrowLeft"] * 3)
    form.saved("1 of")
    form.active("preference")
    assert one.watch.posts.count("/api/submit") == 1
    (stored,) = server.annotations("Hasty")
    assert stored["answers"] == {"preference": "left"}


def test_keys_and_clicks_wait_for_the_picture(visitor: Visit, server: Server) -> None:
    one = visitor(server, advance=None)
    page, held = one.page, list[Route]()
    page.route("**/img/*", lambda route: held.append(route))
    form = enter(page, "Early")
    form.press("ArrowLeft", "Enter")
    page.locator(".cc-tile").first.click(force=True)
    expect(page.locator(".cc-questions[inert]")).to_have_count(1)
    for route in held:
        route.continue_()
    page.unroute("**/img/*")
    form.active("preference")
    assert "/api/submit" not in one.watch.posts
    form.press("ArrowLeft")
    form.saved("1 of")


def test_a_picture_that_does_not_load_is_reported_and_never_judged(visitor: Visit, server: Server) -> None:
    one = visitor(server, advance=None)
    one.watch.expected = lambda problem: "ERR_FAILED" in problem
    page = one.page
    page.route("**/img/*", lambda route: route.abort())
    form = enter(page, "Blindfold")
    failure = page.get_by_role("alert").filter(has_text="The picture did not load, so it cannot be judged.").first
    expect(failure).to_be_visible()
    form.press("ArrowLeft", "Enter")
    assert "/api/submit" not in one.watch.posts

    page.unroute("**/img/*")
    before = page.locator(".cc-picture img").first.get_attribute("src")
    failure.get_by_role("button", name="Picture is broken").click()
    page.get_by_role("dialog").get_by_role("button", name="does not load").click()
    expect(page.locator(".cc-picture img").first).not_to_have_attribute("src", before or "")
    form.active("preference")
    form.press("ArrowRight")
    form.saved("1 of")
    assert one.watch.posts.count("/api/report") == 1


def test_a_draft_outlives_undo_and_skip_while_its_picture_is_awaited(visitor: Visit, server: Server) -> None:
    one = visitor(server, advance=None)
    page, held = one.page, list[Route]()
    form = enter(page, "Careful")
    form.active("preference")
    form.press("ArrowLeft")
    form.saved("1 of")
    form.active("preference")
    half = page.get_by_role("checkbox", name="The left image is blank")
    form.press("e", "1")
    expect(half).to_be_checked()
    page.route("**/img/*", lambda route: held.append(route))
    page.reload()
    waiting = page.locator(".cc-questions[inert]")
    expect(waiting).to_have_count(1)
    form.press("1", "u")
    expect(page.get_by_text("You are revising your last answer.")).to_be_visible()
    form.press("ArrowRight", "u")
    expect(page.get_by_text("You are revising your last answer.")).to_be_hidden()
    for route in held:
        route.continue_()
    page.unroute("**/img/*")
    form.active("preference")
    expect(half).to_be_checked()

    form.press("s")
    expect(page.get_by_text("Skipped: it returns at the end.")).to_be_visible()
    form.saved("1 of")
    form.press("t")
    expect(half).to_be_checked()
    (stored,) = server.annotations("Careful")
    assert stored["answers"] == {"preference": "left"}


def test_a_cold_form_sends_few_requests(visitor: Visit, server: Server) -> None:
    one = visitor(server, advance=None)
    page, requested = one.page, list[str]()
    page.on("request", lambda request: requested.append(request.url.removeprefix(server.url)))
    form = enter(page, "Frugal")
    form.active("preference")
    ours = {re.sub("-[0-9a-f]{12}", "", path) for path in requested if not path.startswith(("/api/", "/img/"))}
    assert ours == {"/annotate/?campaign=ab", "/assets/js/form/form.js", "/assets/css/annotate.css", "/assets/icon.svg"}
    # both pictures of both pairs that are offered, though one pair alone is on the screen
    page.wait_for_function(f"{_PICTURES}.length === 4")
    assert all(name.endswith("?w=1600") for name in page.evaluate(_PICTURES))
    form.press("z")
    original = page.locator(".cc-zoom__image").get_attribute("src") or ""
    assert (page.locator(".cc-picture img").first.get_attribute("src") or "") == f"{original}?w=1600"
