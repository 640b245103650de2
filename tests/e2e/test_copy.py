"""Copy numbers: what a table or a figure shows is on the clipboard as tab-separated values, by keyboard too."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
_DRAWN_MS = 40_000


def opened(visitor: Visit, server: Server, address: str) -> Page:
    page = visitor(server).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)
    return page


def copied(page: Page, button: Locator) -> list[list[str]]:
    """What is on the clipboard after the button was pressed by key."""
    expect(button).to_be_visible(timeout=_DRAWN_MS)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".cc-copy", has_text="Copied").first).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    assert text.endswith("\n")
    rows = [line.split("\t") for line in text[:-1].split("\n")]
    assert len({len(row) for row in rows}) == 1
    return rows


def test_a_table_and_a_figure_of_agreement_are_copied_as_displayed(playground: Server, visitor: Visit) -> None:
    page = opened(visitor, playground, "/studio/agreement")
    table = page.locator("#agreement-tables table.cc-table").first
    expect(table).to_be_visible(timeout=_DRAWN_MS)
    rows = copied(page, page.locator("#agreement-tables .cc-copy").first)
    heads = [re.sub(r"\s+", " ", text).strip() for text in table.locator("thead th").all_text_contents()]
    assert [re.sub(r"\s", "", name) for name in rows[0]] == [re.sub(r"\s", "", name) for name in heads]
    assert len(rows) == 1 + table.locator("tbody tr").count()
    assert any(re.search(r"\d\.\d", cell) for row in rows[1:] for cell in row)

    # a figure with its intervals
    expect(page.locator("#agreement-plot .js-plotly-plot")).to_be_visible(timeout=_DRAWN_MS)
    rows = copied(page, page.locator("#agreement-plot .cc-copy").first)
    assert rows[0][:2] == ["series", "label"]
    named = [row for row in rows[1:] if row[0] in ("people", "scorer")]
    assert named
    assert all(re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", row[2]) for row in named)


@pytest.mark.slow
def test_tables_of_other_pages_are_copied(playground: Server, visitor: Visit) -> None:
    page = opened(visitor, playground, "/studio/explore")
    rows = copied(page, page.locator(".cc-copy:visible").first)
    assert len(rows) > 1
    assert any(re.search(r"\d", cell) for row in rows[1:] for cell in row)


@pytest.mark.slow
def test_without_a_clipboard_tables_and_ratings_are_downloaded(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto("/studio/agreement")
    button = page.locator("#agreement-tables .cc-copy").first
    expect(button).to_be_visible(timeout=_DRAWN_MS)
    with page.expect_download() as download:
        button.click()
    assert download.value.suggested_filename == "numbers.tsv"

    # the ratings behind the numbers are a file
    link = page.get_by_role("link", name="the ratings that count")
    expect(link).to_be_visible(timeout=_DRAWN_MS)
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "ratings.csv"
    assert download.value.path().read_text(encoding="utf-8").startswith("suite,prompt,task,")
