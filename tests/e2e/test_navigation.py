"""Moving between pages, as Gradio does without loading documents, breaks nothing and doubles nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


def go(page: Page, name: str) -> None:
    page.locator(".cc-nav").get_by_role("link", name=name, exact=True).click()


def results(page: Page) -> None:
    expect(page).to_have_url(re.compile("/studio/results"))
    expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()


def browse(page: Page) -> None:
    expect(page).to_have_url(re.compile("/studio/images"))
    expect(page.locator("#cc-images .cc-virtual")).to_have_count(1)
    expect(page.locator(".cc-cell").first).to_be_visible()


def agreement(page: Page) -> None:
    expect(page).to_have_url(re.compile("/studio/agreement"))
    expect(page.locator(".cc-trust-table")).to_be_visible()


PAGES = {"Results": results, "Images": browse, "Agreement": agreement}


def test_studio_pages_and_back(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    page = one.page
    page.goto("/studio/")
    results(page)
    for name in ("Images", "Agreement", "Images", "Results"):
        go(page, name)
        PAGES[name](page)
        expect(page).to_have_title(f"{name} - Concord")
    page.go_back()
    browse(page)
    expect(page).to_have_title("Images - Concord")
    page.go_forward()
    results(page)
    expect(page.locator(".toast-body")).to_have_count(0)


@pytest.mark.slow
def test_the_form_after_going_away_and_back_takes_each_key_once(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    page, form = one.page, Form(one.page)
    form.enter("Wanderer")
    for _ in range(2):
        page.goto("/studio/")
        go(page, "Label images")
        form.ready()
        page.go_back()
        expect(page.get_by_role("heading", name="Leaderboard")).to_be_visible()
        page.go_forward()
        form.ready()
    form.two_objects()
    form.submit()
    form.saved("1 of")
    form.ready()
    form.press("Escape", "s")
    form.ready()
    form.saved("1 of")
    assert one.watch.posts.count("/api/submit") == 1
    assert one.watch.posts.count("/api/skip") == 1
    assert len(server.annotations("Wanderer")) == 1
