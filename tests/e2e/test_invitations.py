"""Signing in, coming by a link, and all pages behind a proxy that serves the app below a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e import project_files
from tests.e2e.browser_watch import Visitor, visit
from tests.e2e.reverse_proxy import proxy
from tests.e2e.server import Server, command, served_by_a_process
from tests.ui.accounts_app import PASSWORD, users_file

PREFIX = "/lab/concord"
PAGES = ("", "browse", "agreement", "agreement/tune", "runs")


@pytest.fixture(scope="module")
def guarded(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("guarded")
    project = folder / "project"
    images = project_files.visor_folder(folder / "sd", (0, 1, 2))
    command(project, "import", "images", images, "--layout", "visor", "--generator", "secretmodel")
    with served_by_a_process(project, "--users", users_file(folder / "users.toml"), "--root-path", PREFIX) as running:
        yield running


def arrive(browser: Browser, address: str, **options: Any) -> Visitor:
    parts = urlsplit(address)
    return visit(browser, f"{parts.scheme}://{parts.netloc}", **options)


def sign_in(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")


def port(server: Server) -> int:
    result = urlsplit(server.url).port
    assert result is not None
    return result


def expect_loaded(page: Page, selector: str) -> None:
    """A picture is there and has loaded."""
    expect(page.locator(selector).first).to_be_visible()
    page.wait_for_function(f"document.querySelector({selector!r})?.naturalWidth > 0")


@pytest.mark.slow
def test_an_invitation_works_behind_a_proxy(guarded: Server, browser: Browser) -> None:
    with proxy(port(guarded), PREFIX, stripped=False) as address:
        visitor = arrive(browser, address)
        page = visitor.page
        page.goto(f"{address}/annotate/")
        sign_in(page, "anna")
        expect(page).to_have_url(f"{address}/annotate/")
        expect_loaded(page, ".cc-picture img")
        assert visitor.watch.problems == []
        visitor.context.close()

        visitor = arrive(browser, address)
        page = visitor.page
        # pages are left before Gradio has asked all that it asks
        visitor.watch.expected = lambda problem: "/studio/gradio_api/" in problem and "ERR_ABORTED" in problem
        page.goto(f"{address}/")
        sign_in(page, "rosa")
        expect(page).to_have_url(f"{address}/studio/results")
        # a page that is still being opened may go elsewhere by itself, which ends whatever navigation is under way
        expect(page.get_by_role("link", name="Label images").first).to_be_visible()
        page.wait_for_load_state()
        for name in PAGES:
            page.goto(f"{address}/studio/{name}")
            expect(page.get_by_role("link", name="Label images").first).to_be_visible()
            outside = page.eval_on_selector_all(
                "a[href], img[src], link[rel=stylesheet], script[src]",
                "all => all.map((one) => one.getAttribute('href') ?? one.src)",
            )
            absolute = [entry for entry in outside if entry.startswith("/") and not entry.startswith(PREFIX + "/")]
            assert absolute == []
        page.goto(f"{address}/studio/images")
        expect_loaded(page, "#cc-images img")
        page.locator("#cc-images a.cc-cell").first.click()
        expect(page).to_have_url(re.compile(re.escape(f"{address}/studio/images?")))
        expect_loaded(page, ".cc-drawer img")
        # what is under way when one leaves is broken off
        page.wait_for_load_state("networkidle")
        page.get_by_role("link", name="Label images").first.click()
        expect(page).to_have_url(f"{address}/annotate/")
        expect_loaded(page, ".cc-picture img")
        assert visitor.watch.problems == []
        visitor.context.close()


def test_an_invitation_link_works_on_a_phone(guarded: Server, browser: Browser, tmp_path: Path) -> None:
    with proxy(port(guarded), PREFIX, stripped=True) as address:
        link = guarded.run("people", "invite", "--address", address).strip()
        visitor = arrive(browser, address, viewport={"width": 390, "height": 844})
        page = visitor.page
        page.goto(link)
        page.screenshot(path=tmp_path / "join.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_label("Your name").fill("kim")
        page.get_by_role("button", name="Start").click()
        expect(page).to_have_url(f"{address}/annotate/")
        expect_loaded(page, ".cc-picture img")
        # on a phone the bar has no room for who answers
        page.get_by_role("dialog").get_by_role("button", name="Start").click()
        page.get_by_role("button", name="Help").click()
        expect(page.get_by_role("dialog").get_by_role("button", name="not kim?")).to_be_visible()
        assert "secretmodel" not in page.content()
        assert visitor.watch.problems == []
        visitor.context.close()
