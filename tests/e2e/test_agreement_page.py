"""The Agreement page: the matrix of raters, the pair behind a click, the images behind a number, live and by its address."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.page_driver import unfold
from tests.e2e.project_files import RATED_SUITE
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
ANSWERS = re.compile(r"(\d+) answers? by people")
RATED = f"/studio/agreement?suite={RATED_SUITE}&aspect=faithfulness"


def ready(page: Page) -> None:
    unfold(page)
    expect(page.locator("#agreement-tables table, #agreement-tables .cc-note").first).to_be_visible()
    expect(page.get_by_text("Intervals are being computed")).to_have_count(0)


def met(page: Page) -> dict[tuple[str, str], str]:
    """The exact values of the matrix by row and column."""
    columns = [name.strip() for name in page.locator(".cc-matrix thead th").all_text_contents()]
    results = {}
    for row in page.locator(".cc-matrix tbody tr").all():
        cells = row.locator("td").all()
        for column, cell in zip(columns, cells, strict=True):
            if (value := cell.get_attribute("data-value")) is not None:
                results[row.locator("th").inner_text(), column] = value
    return results


def expected(server: Server, statistic: str, task: str) -> dict[tuple[str, str], str]:
    """The same from the command line."""
    rows = server.agreement("--suite", RATED_SUITE, "--aspect", "faithfulness", "--statistic", statistic)
    results = {}
    for section, names in (("among_people", None), ("raters", ("rater",)), ("matrix", ("a", "b"))):
        for row in rows[section]:
            if (row["generator"], row["task"]) == ("all", task) and row["value"] is not None:
                one, other = ("people", "people") if names is None else [*(row[name] for name in names), "people"][:2]
                results[one, other] = results[other, one] = repr(row["value"])
    return results


def test_the_matrix_has_the_digits_of_the_command_line(page: Page, server: Server) -> None:
    statistic = "spearman"
    page.goto(f"{RATED}&statistic={statistic}")
    ready(page)
    shown = met(page)
    assert shown == expected(server, statistic, "all")
    # two people and two scorers, all of whom have judged the same twelve images
    assert {("people", "clipscore"), ("clipscore", "tifa"), ("Ann", "Ben"), ("Ann", "tifa")} <= set(shown)


def pair_of(page: Page, a: str, b: str) -> Locator:
    return page.locator(f'.cc-matrix a[data-a="{a}"][data-b="{b}"]').first


def test_a_click_opens_the_pair_and_a_copied_link_the_same_view(visitor: Visit, server: Server) -> None:
    page = visitor(server).page
    page.goto(f"{RATED}&statistic=cohen_kappa")
    ready(page)
    pair_of(page, "tifa", "people").click()
    expect(page.get_by_role("heading", name="tifa and people")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]a=tifa&b=people"))
    table = page.locator(".cc-confusion")
    expect(table.get_by_role("row")).to_have_count(8)  # two lines of heads, five labels, sums
    expect(page.locator("#pair-scores .js-plotly-plot")).to_be_visible()

    other = visitor(server).page
    other.goto(page.url)
    expect(other.get_by_role("heading", name="tifa and people")).to_be_visible()
    ready(other)
    expect(other.locator(".cc-confusion")).to_have_text(table.inner_text(), use_inner_text=True)
    assert met(other) == met(page)
    expect(other.get_by_label("Statistic", exact=True)).to_have_value("Cohen’s κ")


def test_a_cell_of_the_confusion_table_leads_to_its_images(page: Page, server: Server, tmp_path: Any) -> None:
    page.goto(f"{RATED}&a=tifa&b=people")
    expect(page.locator(".cc-confusion")).to_be_visible()
    file = tmp_path / "said.csv"
    server.run("export", "ratings", "--suite", RATED_SUITE, "--aspect", "faithfulness", "-o", file)
    judgements = pd.read_csv(file, dtype=str)
    scorer = judgements[judgements["rater"] == "tifa"].set_index("item")["value"]
    people = judgements[judgements["kind"] == "human"]
    # images by what more than half of the people say
    share = people.groupby("item")["value"].value_counts(normalize=True).reset_index()
    majority = share[share["proportion"] > 0.5].set_index("item")["value"]
    links = page.locator(".cc-confusion tbody a")
    addresses = [str(link.get_attribute("href")) for link in links.all()]
    assert len(addresses) > 1
    for address in addresses:
        requested = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        cell = {item for item in majority.index if (scorer[item], majority[item]) == (requested["a_says"], requested["b_says"])}
        results = {item["item_id"] for item in server.items(**requested)}
        assert results == cell != set()
    last = links.last
    n = int(last.locator("xpath=following-sibling::small").inner_text().split()[0])
    last.click()
    expect(page).to_have_url(re.compile(r"/studio/images\?.*a_says="))
    expect(page.locator(".cc-cell")).to_have_count(n)


def test_two_persons_are_compared_and_missing_pairs_are_explained(page: Page) -> None:
    page.goto(f"{RATED}&a=Ann&b=people")
    expect(page.get_by_role("heading", name="Ann and people")).to_be_visible()
    # Ben is the only other
    expect(page.locator(".cc-confusion .cc-total td").last).to_have_text("12")
    page.goto(f"{RATED}&a=Ann&b=Ann")
    expect(page.locator("#pair-text")).to_contain_text("Choose two different raters")


def test_the_page_follows_an_answer(visitor: Visit, server: Server) -> None:
    form = Form(visitor(server).page)
    form.enter(f"Poll {uuid.uuid4().hex[:6]}")
    form.two_objects()
    form.submit()
    form.saved("1")
    page = visitor(server).page
    page.goto("/studio/agreement?suite=sr2d&aspect=correct")
    sentence = page.locator("#headline")
    expect(sentence).to_contain_text(ANSWERS)
    ready(page)
    match = ANSWERS.search(sentence.inner_text())
    assert match
    form.two_objects()
    form.submit()
    form.saved("2")
    now = int(match[1]) + 1
    expect(sentence).to_contain_text(f"{now} answers by people")


def test_a_section_has_an_address(page: Page) -> None:
    page.goto(f"{RATED}&statistic=cohen_kappa&show=scorers")
    expect(page.locator("#agreement-tables")).to_contain_text("Closer to people by")
    expect(page.locator("#ignored")).to_have_text("")


@pytest.mark.slow
def test_all_statistics_are_a_click_away_and_in_the_address(page: Page) -> None:
    page.goto(RATED)
    ready(page)
    heads = page.get_by_role("table").filter(has_text="Scorers against people").locator("thead th")
    main = ["Cohen’s κ, quadratic", "Spearman’s ρ", "Agreement"]
    assert [text.strip() for text in heads.all_text_contents()][3:6] == main
    expect(heads.filter(has_text="PABAK")).to_have_count(0)
    page.get_by_label("All statistics", exact=True).check()
    expect(heads.filter(has_text="PABAK")).to_have_count(1)
    expect(page).to_have_url(re.compile("table=all_statistics"))
    page.goto(page.url)
    expect(heads.filter(has_text="PABAK")).to_have_count(1)
    expect(page.locator("#ignored")).to_have_text("")
    page.get_by_label("All statistics", exact=True).uncheck()
    expect(heads.filter(has_text="PABAK")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("table="))


@pytest.mark.slow
def test_other_filters_of_the_selection_apply_and_are_listed(page: Page, server: Server) -> None:
    page.goto(f"{RATED}&rater=Ann&rater=tifa")
    expect(page.locator("#headline")).to_contain_text("Restricted to rater Ann, tifa.")
    expect(page.locator("#headline")).to_contain_text("12 answers by people")
    ready(page)
    rows = server.agreement("--suite", RATED_SUITE, "--aspect", "faithfulness", "--rater", "Ann", "--rater", "tifa")
    shown = page.get_by_role("table").filter(has_text="Scorers against people").locator("tbody th")
    # until it says so: the page may be drawing its numbers once more, with intervals, and is met half drawn
    expect(shown).to_have_text(sorted({row["rater"] for row in rows["raters"]}))
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("#headline")).to_contain_text("24 answers by people")
