"""Every view has an address, every number leads to what is behind it, and pages show what the command line prints."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from agreement.catalogue import DEFINITIONS
from tests.e2e.browser_watch import Visitor
from tests.e2e.project_files import RATED_SUITE, STUDY_SUITE
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
Row = dict[str, Any]


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_a_filter_of_browse_is_in_the_address(visitor: Visit, server: Server) -> None:
    page = visitor(server).page
    page.goto("/studio/images?suite=sr2d&generator=beta")
    cells = page.locator(".cc-cell")
    expect(cells).to_have_count(6)
    value = page.locator('[data-facet="object"] .cc-facet__value').first
    name, n = (value.locator(f".cc-facet__{part}").inner_text() for part in ("name", "n"))
    value.click()
    expect(page).to_have_url(re.compile(rf"[?&]generator=beta&object={name}"))
    expect(cells).to_have_count(int(n))

    other = visitor(server).page
    other.goto(page.url)
    expect(other.locator(".cc-cell")).to_have_count(int(n))
    expect(other.locator('.cc-facet__value[aria-pressed="true"]')).to_have_text([re.compile(f"^{name}")])
    expect(other.locator(".cc-scope")).to_contain_text("Generators beta")


@pytest.mark.slow
def test_a_filter_of_agreement_is_in_the_address(page: Page) -> None:
    page.goto("/studio/agreement")
    # it opens where people and scorers judged most images together
    expect(page.locator(".cc-scope")).to_contain_text(RATED_SUITE)
    expect(page.locator(".cc-scope")).to_contain_text("faithfulness")
    page.get_by_role("button", name="Suite").click()
    page.locator("#scope-suite").get_by_role("link", name=re.compile(f"^{STUDY_SUITE}")).click()
    expect(page).to_have_url(re.compile(rf"suite={STUDY_SUITE}"))
    page.goto(f"/studio/agreement?suite={RATED_SUITE}&task=second&numbers=all")
    expect(page.get_by_text("Scorers against people, second")).to_be_visible()


def test_a_number_leads_to_its_images_and_an_image_to_its_answers(page: Page) -> None:
    page.goto(f"/studio/results?suite={STUDY_SUITE}")
    page.get_by_role("link", name="All numbers").click()
    table = page.get_by_role("table").filter(has_text=f"{STUDY_SUITE}: share of yes to")
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="sdv2", exact=True))
    row.get_by_role("link").nth(1).click()
    expect(page).to_have_url(re.compile(rf"/studio/images\?suite={STUDY_SUITE}&task=counting&generator=sdv2"))
    cells = page.locator(".cc-cell")
    expect(cells).to_have_count(4)
    expect(cells.first).to_contain_text("no picture, answers only")
    expect(cells.first).to_contain_text("people ")
    cells.first.click()
    expect(page).to_have_url(re.compile(r"/studio/images\?.*image="))
    expect(page.get_by_text("This item has answers but no picture")).to_be_visible()
    expect(page.get_by_role("heading", level=2)).to_have_text(re.compile(r"a photo of \d (clock|carrot)"))
    answers = page.get_by_role("region", name="What people answered")
    expect(answers).to_contain_text("geneval/slot-3")
    expect(page.get_by_role("region", name="Verdicts of all raters")).to_contain_text("2 of 3 say yes")


def test_a_picture_appears_with_its_prompt(page: Page) -> None:
    page.goto("/studio/images?generator=beta")
    cell = page.locator(".cc-cell").first
    text = cell.locator(".cc-cell-text").inner_text()
    cell.click()
    expect(page.get_by_role("heading", level=2)).to_have_text(text)
    picture = page.get_by_role("img", name=text)
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 96)


def cells(table: Locator) -> dict[tuple[str, str], str]:
    """The table's texts by (row, column), details left out."""
    columns = [text.strip() for text in table.locator("thead th").all_text_contents()]
    results = {}
    for row in table.locator("tbody tr").all():
        name = row.locator("th").inner_text().strip()
        for column, cell in zip(columns[1:], row.locator("td").all(), strict=True):
            results[name, column] = cell.inner_text().split("\n")[0].strip()
    return results


def assert_equal(shown: dict[tuple[str, str], str], rows: list[Row], name: Callable[[Row], str]) -> None:
    """Each statistic that the page shows has the command line's value, and something was compared."""
    columns = {column for _, column in shown}
    expected = {
        (name(row), DEFINITIONS[row["statistic"]].title): "–" if row["value"] is None else f"{row['value']:.3f}"
        for row in rows
        if DEFINITIONS[row["statistic"]].title in columns
    }
    assert len(expected) >= 2
    assert {key: shown.get(key) for key in expected} == expected


def readable(task: str) -> str:
    return {"all": "all images", "tasks_mean": "average over tasks"}.get(task, task.replace("_", " "))


def test_pages_and_command_line_show_the_same_digits(page: Page, server: Server) -> None:
    suite, aspect = RATED_SUITE, "faithfulness"
    page.goto(f"/studio/agreement?suite={suite}&aspect={aspect}&numbers=all")
    expect(page.get_by_role("table").filter(has_text="People among themselves")).to_be_visible()
    rows = server.agreement("--suite", suite, "--aspect", aspect, "--no-intervals")
    pooled = {
        section: [row for row in rows[section] if row["generator"] == "all"] for section in rows if section != "selection"
    }
    table = page.get_by_role("table")
    assert_equal(
        cells(table.filter(has_text="People among themselves")), pooled["among_people"], lambda row: readable(row["task"])
    )
    against = [row for row in pooled["raters"] if row["task"] == "all"]
    if against:
        assert_equal(cells(table.filter(has_text="Scorers against people")), against, lambda row: str(row["rater"]))


def test_unknown_values_in_an_address_are_reported(page: Page) -> None:
    page.goto("/studio/agreement?suite=nosuch&since=yesterday")
    expect(page.get_by_text("There is no suite 'nosuch' here")).to_be_visible()
