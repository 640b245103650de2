"""What a table or a figure shows is on the clipboard as CSV, Markdown or LaTeX, by keyboard too; figures are files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


def opened(visitor: Visit, server: Server, address: str) -> Page:
    page = visitor(server).page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)
    return page


def copied(page: Page, within: Locator, name: str) -> str:
    """What is on the clipboard after the button of this format was pressed by key."""
    button = within.locator(".cc-copy").first.get_by_role("button", name=name)
    expect(button).to_be_visible()
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".cc-copy", has_text="Copied").first).to_be_visible()
    text: str = page.evaluate("navigator.clipboard.readText()")
    assert text.endswith("\n")
    return text


def rows_of(text: str) -> list[list[str]]:
    rows = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in rows}) == 1
    return rows


def test_a_table_is_copied_as_csv_markdown_and_latex(playground: Server, visitor: Visit) -> None:
    page = opened(visitor, playground, "/studio/agreement?numbers=all")
    tables = page.get_by_role("complementary", name="All numbers")
    table = tables.locator("table.cc-table").first
    expect(table).to_be_visible()
    expect(table.locator(".cc-detail").first).to_contain_text(" to ")
    rows = rows_of(copied(page, tables, "CSV"))
    heads = [re.sub(r"\s+", " ", text).strip() for text in table.locator("thead th").all_text_contents()]
    assert [re.sub(r"\s", "", name) for name in rows[0]] == [re.sub(r"\s", "", name) for name in heads]
    assert len(rows) == 1 + table.locator("tbody tr").count()
    assert any(re.search(r"\d\.\d", cell) for row in rows[1:] for cell in row)

    lines = copied(page, tables, "Markdown").splitlines()
    assert lines[1] == "|" + " --- |" * len(heads)
    assert len(lines) == len(rows) + 1
    assert re.search(r"\d\.\d+(\*\*)? \[-?[\d.]+, -?[\d.]+\]", "".join(lines))

    latex = copied(page, tables, "LaTeX")
    assert latex.startswith("\\begin{table}")
    assert re.search(r"{\\scriptsize \[-?[\d.]+, -?[\d.]+\]}", latex)
    assert latex.count(" & ") == (len(heads) - 1) * len(rows)
    assert "\\caption{" in latex
    assert "\\toprule" in latex


def test_a_figure_is_saved_as_svg_and_png(playground: Server, visitor: Visit) -> None:
    page = opened(visitor, playground, "/studio/agreement/tune")
    for name, first in (("SVG", b"<svg "), ("PNG", b"\x89PNG")):
        with page.expect_download() as download:
            page.locator("svg.cc-tuned-curve + .cc-copy").get_by_role("button", name=name).click()
        content = download.value.path().read_bytes()
        assert content.startswith(first)
        # its look goes along
        assert name == "PNG" or b"stroke:" in content


@pytest.mark.slow
def test_tables_of_other_pages_are_copied(playground: Server, visitor: Visit) -> None:
    page = opened(visitor, playground, "/studio/agreement/tune?threshold=0.9&numbers=1")
    rows = rows_of(copied(page, page.locator(".cc-side-panel"), "CSV"))
    assert len(rows) > 1
    assert any(re.search(r"\d", cell) for row in rows[1:] for cell in row)


@pytest.mark.slow
def test_without_a_clipboard_tables_and_ratings_are_downloaded(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.goto("/studio/agreement?numbers=all")
    button = page.locator(".cc-trust-numbers .cc-copy").first.get_by_role("button", name="CSV")
    expect(button).to_be_visible()
    with page.expect_download() as download:
        button.click()
    assert download.value.suggested_filename == "numbers.csv"

    # the ratings behind the numbers are a file
    link = page.get_by_role("link", name="the ratings that count")
    expect(link).to_be_visible()
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "ratings.csv"
    assert download.value.path().read_text(encoding="utf-8").startswith("suite,prompt,task,")
