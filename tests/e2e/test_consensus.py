"""The Agreement page's consensuses: off at first, then in matrix, tables and address with the command line's digits."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.project_files import RATED_SUITE
from tests.e2e.server import Server
from tests.e2e.test_agreement_page import RATED, met, ready

CHOSEN = ("majority", "dawid_skene")


@pytest.mark.slow
def test_consensuses_become_raters(page: Page, server: Server) -> None:
    page.goto(f"{RATED}&statistic=cohen_kappa")
    ready(page)
    before = met(page)
    assert not any("consensus" in name for pair in before for name in pair)
    expect(page.get_by_text("Consensus beside people")).to_have_count(0)
    for title in ("Majority", "Dawid–Skene"):
        page.get_by_label(title, exact=True).check()
    expect(page).to_have_url(re.compile(r"consensus=majority%2Cdawid_skene"))
    expect(page.locator(".cc-matrix tbody th", has_text="consensus:dawid_skene")).to_be_visible()
    expect(page.get_by_text("Intervals are being computed")).to_have_count(0)
    requested = [word for method in CHOSEN for word in ("--consensus", method)]
    selection = ["--suite", RATED_SUITE, "--aspect", "faithfulness", "--statistic", "cohen_kappa"]
    rows = server.agreement(*selection, *requested)
    expected = {}
    for section, names in (("raters", ("rater",)), ("matrix", ("a", "b"))):
        for row in rows[section]:
            if (
                row.get("kind") == "consensus"
                and (row["generator"], row["task"]) == ("all", "all")
                and row["value"] is not None
            ):
                entry, other = [*(row[name] for name in names), "people"][:2]
                expected[entry, other] = expected[other, entry] = repr(row["value"])
    after = met(page)
    assert {pair: value for pair, value in after.items() if any("consensus" in name for name in pair)} == expected != {}
    assert {pair: value for pair, value in after.items() if pair not in expected} == before

    persons = page.locator("table", has=page.locator("caption", has_text="Each of the people beside the others"))
    expect(persons.locator("tbody th")).to_have_text(["Ann", "Ben"])
    expect(page.get_by_text("Consensus beside people, all images")).to_be_visible()

    # the address brings them back, and without any it is as it was
    page.goto(page.url)
    expect(page.get_by_label("Dawid–Skene", exact=True)).to_be_checked()
    expect(page.locator(".cc-matrix tbody th", has_text="consensus:majority")).to_be_visible()
    expect(page.locator("#ignored")).not_to_contain_text("asks for")
    for title in ("Majority", "Dawid–Skene"):
        page.get_by_label(title, exact=True).uncheck()
    expect(page.locator(".cc-matrix tbody th", has_text="consensus:")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("consensus="))
