"""Moving between pages, as Gradio does without loading documents, breaks nothing and doubles nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.form import Form
from tests.e2e.serving import Server
from tests.e2e.watching import Visitor

pytestmark = pytest.mark.e2e
Visit = Callable[..., Visitor]


def go(page: Page, name: str) -> None:
    page.locator(".nav-holder").get_by_text(name, exact=True).click()


def test_studio_pages_and_back(page: Page) -> None:
    page.goto("/studio/")
    scores = page.locator("#scores table").first
    expect(scores).to_be_visible()
    for _ in range(2):
        go(page, "Browse")
        expect(page).to_have_url(re.compile("/studio/browse"))
        expect(page.locator(".cc-cell").first).to_be_visible()
        expect(page.locator("#cc-browse .cc-grid")).to_have_count(1)
        go(page, "Agreement")
        expect(page).to_have_url(re.compile("/studio/agreement"))
        expect(page.get_by_role("table").filter(has_text="People among themselves")).to_be_visible()
        expect(page.locator("#agreement-plot .legendtext").first).to_be_visible()
        go(page, "Overview")
        expect(scores).to_be_visible()
    page.go_back()
    expect(page.get_by_role("table").filter(has_text="People among themselves")).to_be_visible()
    page.go_forward()
    expect(scores).to_be_visible()


def test_the_form_after_going_away_and_back_takes_each_key_once(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    page, form = one.page, Form(one.page)
    form.enter("Wanderer")
    for _ in range(2):
        page.goto("/studio/")
        go(page, "Label images")
        form.ready()
        page.go_back()
        expect(page.locator("#summary")).to_contain_text("Project")
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
