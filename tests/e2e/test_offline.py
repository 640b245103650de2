"""A browser that loses its server in the middle of a form: nothing written is lost, and all of it is saved once."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e import project_files
from tests.e2e.conftest import Visit
from tests.e2e.form_driver import Form
from tests.e2e.server import Server, command, serving


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001 - none without it
    """Images that nobody else answers."""
    folder = tmp_path_factory.mktemp("offline")
    images = project_files.visor_folder(folder / "images", (0, 1, 2, 4, 6, 8))
    command(folder / "project", "import", "images", images, "--layout", "visor", "--generator", "alpha")
    with serving(folder / "project") as running:
        yield running


def _no_network(problem: str) -> bool:
    return "ERR_INTERNET_DISCONNECTED" in problem


def test_an_offline_draft_survives_closing_the_tab(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    form.enter("Tunneller")
    form.ready()
    form.objects("begun above ground")
    form.active("count_0")
    one.watch.expected = _no_network
    one.context.set_offline(True)
    form.press("1", "r")
    expect(form.question("color_0").get_by_role("checkbox", name="Red")).to_be_checked()
    other = one.tab()
    one.page.close()
    one.context.set_offline(False)
    form = Form(other)
    other.goto("/annotate/")
    expect(form.field).to_have_value("begun above ground")
    form.said("color_0", "Red")
    assert server.annotations("Tunneller") == []


def test_answers_given_offline_are_sent_once_though_the_tab_was_closed(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    form.enter("Diver")
    one.watch.expected = _no_network
    form.ready()
    one.context.set_offline(True)
    form.two_objects()
    form.submit()
    expect(form.status).to_contain_text("Not saved yet")
    # the next item was loaded before: it can be begun, too
    form.ready()
    form.objects("the second one")
    form.active("count_0")
    other = one.tab()
    one.page.close()
    one.context.set_offline(False)
    form = Form(other)
    other.goto("/annotate/")
    form.saved("1 of")
    expect(form.field).to_have_value("the second one")
    assert len(server.annotations("Diver")) == 1


def test_two_tabs_that_come_back_save_an_answer_once(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    form.enter("Twofold")
    form.ready()
    second = one.tab()
    beside = Form(second)
    second.goto("/annotate/")
    beside.ready()
    one.watch.expected = _no_network
    one.page.bring_to_front()
    one.context.set_offline(True)
    form.two_objects()
    form.submit()
    expect(form.status).to_contain_text("Not saved yet")
    one.context.set_offline(False)
    form.saved("1 of")
    second.reload()
    expect(beside.count).to_contain_text("1 of")
    assert len(server.annotations("Twofold")) == 1


@pytest.mark.slow
def test_a_server_that_cannot_save_says_why_and_gets_the_answer_later(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    form.enter("Patient")
    statuses = [503, 429, 500]
    ids: list[str] = []

    def answer(route: Route) -> None:
        ids.append(json.loads(route.request.post_data or "{}")["id"])
        if not statuses:
            return route.continue_()
        detail = {"detail": "The server cannot save just now: the disk is full <b>."}
        return route.fulfill(status=statuses.pop(0), content_type="application/json", body=json.dumps(detail))

    one.page.route("**/api/submit", answer)
    one.watch.expected = lambda problem: any(status in problem for status in ("503", "429", "500"))
    form.two_objects()
    form.submit()
    expect(form.status).to_have_text("Not saved yet: will be saved. The server cannot save just now: the disk is full <b>.")
    form.ready()
    form.saved("1 of")
    assert len(ids) == 4
    assert len(set(ids)) == 1, "sent again under another id"
    assert len(server.annotations("Patient")) == 1
