"""The report in the browser: chosen, made and taken on the page; then opened by itself, without a network."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Download, Page, Route, expect

from tests.e2e.axe import serious
from tests.e2e.browser_watch import PATIENCE_MS, Visitor
from tests.e2e.server import Server
from tests.ui.report_data import unpacked_data

Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def taken(browser: Browser, playground: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Made on the page for one aspect and generator, and taken in each format."""
    context = browser.new_context(base_url=playground.url, accept_downloads=True)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto("/studio/report?aspect=correct&generator=renderer-careless&seed=3")
    # the first page as it will be, in a root of its own
    paper = page.locator(".cc-paper")
    expect(paper.get_by_role("heading", level=1)).to_have_text(re.compile(": correct$"))
    expect(paper.locator(".cc-dot-bar").first).to_be_attached()
    assert serious(page) == []
    page.get_by_role("button", name="Make the report").click()
    made = page.locator("#made")
    links = made.locator(".cc-report-downloads a")
    expect(links).to_have_text(["HTML", "PDF", "Markdown", "LaTeX", "CSV", "Parquet"])
    expect(made.locator("code")).to_contain_text("export report --generator renderer-careless --aspect correct --seed 3")
    folder, results = tmp_path_factory.mktemp("taken"), {}
    for n in range(6):
        with page.expect_download() as waiting:
            links.nth(n).click()
        download: Download = waiting.value
        name = links.nth(n).inner_text()
        results[name] = folder / download.suggested_filename
        download.save_as(results[name])
    yield results
    context.close()


def test_every_format_can_be_downloaded(taken: dict[str, Path], playground: Server) -> None:
    endings = {name: path.suffix for name, path in taken.items()}
    assert endings == {
        "HTML": ".html", "PDF": ".pdf", "Markdown": ".md", "LaTeX": ".tex", "CSV": ".zip", "Parquet": ".zip"
    }  # fmt: skip
    assert taken["PDF"].read_bytes().startswith(b"%PDF-")
    assert taken["LaTeX"].read_text().startswith("\\documentclass")
    with zipfile.ZipFile(taken["CSV"]) as archive:
        assert {"README.md", "ratings.csv", "raters.csv", "judgements.csv", "recruitment.csv"} <= set(archive.namelist())
    html = taken["HTML"].read_text(encoding="utf-8")
    data = json.loads(unpacked_data(html))
    wanted = playground.agreement("--aspect", "correct", "--generator", "renderer-careless", "--seed", "3")
    assert data["among_people"] == wanted["among_people"]
    assert len(data["among_people"]) > 20


def test_the_html_report_opens_without_any_request(browser: Browser, taken: dict[str, Path]) -> None:
    """Every request but the file's own is noted and refused; so is every complaint of the browser's."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    requested: list[str] = []
    answers: list[str] = []
    own = taken["HTML"].as_uri()

    def refuse(route: Route) -> None:
        if route.request.url.split("#")[0] == own:
            route.continue_()
        else:
            requested.append(route.request.url)
            route.abort()

    context.route("**/*", refuse)
    page.on("console", lambda message: answers.append(message.text))
    page.on("pageerror", lambda error: answers.append(str(error)))
    page.goto(own)
    expect(page.locator(".cc-dot-point").first).to_be_visible()
    assert serious(page) == []
    looked_at(page)
    assert requested == []
    assert answers == []
    context.close()


def looked_at(page: Page) -> None:
    """Tables are sorted by a click, the numbers are saved as JSON, boxes go and come."""
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the numbers as JSON").click()
    assert "among_people" in json.loads(Path(saving.value.path()).read_text("utf-8"))
    table = page.locator("section", has=page.get_by_role("heading", name="People among themselves")).locator("table").first
    heading = table.locator("thead th").last
    heading.click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    numbers = [
        float(text) for text in table.locator("tbody tr td:last-child data").evaluate_all("all => all.map(e => e.value)")
    ]
    assert len(numbers) > 1
    assert numbers == sorted(numbers, reverse=True)
    heading.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    pictures = page.locator(".picture img")
    assert pictures.count() > 0
    assert pictures.first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    boxes = page.locator(".picture svg").first
    expect(boxes).to_be_visible()
    page.get_by_label("boxes").uncheck()
    expect(boxes).to_be_hidden()
    page.get_by_label("boxes").check()
    page.get_by_role("link", name="Sample failures").click()


@pytest.mark.slow
def test_recruitment_is_entered_once_and_appears_in_the_report(visitor: Visit, fresh: Server) -> None:
    guest = visitor(fresh)
    guest.watch.expected = lambda problem: "401" in problem
    page = guest.page
    page.goto("/studio/report")
    expect(page.get_by_text("Nothing is in this project yet").first).to_be_visible()
    fresh.run("import", "playground")
    expect(page.get_by_role("button", name="Make the report")).to_be_enabled()
    fresh.run("campaigns", "create", "pilot", "--n", "1")
    page.goto("/studio/people?campaign=pilot")
    page.get_by_role("link", name="How people were asked").click()
    pay = page.get_by_label("Pay per item")
    expect(pay).to_have_value("")
    pay.fill("0.05 <b>USD</b>")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("textbox", name="Your name").fill("rita")
    page.keyboard.press("Enter")
    expect(page.locator(".cc-toast")).to_contain_text("Saved: 1 field said, 11 not reported.")
    page.reload()
    expect(pay).to_have_value("0.05 <b>USD</b>")
    # what a manager types is not undone by what happens meanwhile
    page.get_by_label("Ethics review").fill("none needed")
    fresh.run("campaigns", "start", "pilot")
    page.wait_for_timeout(2500)
    expect(page.get_by_label("Ethics review")).to_have_value("none needed")
    told = fresh.run("campaigns", "describe", "pilot")
    assert "pay_per_item: 0.05 <b>USD</b>\n" in told
    assert "ethics: not reported" in told
