"""Trust in a browser: a row opens its rater, two raters are compared by their address, a number leads to its images, live."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pandas as pd
from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.project_files import RATED_SUITE
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
ANSWERS = re.compile(r"(\d+) answers? of \d+ (person|people)")
RATED = f"/studio/agreement?suite={RATED_SUITE}&aspect=faithfulness"


def test_a_row_opens_its_rater_and_a_link_the_same_view(page: Page) -> None:
    page.goto(f"{RATED}&statistic=cohen_kappa")
    panel = page.get_by_role("complementary", name="Two raters")
    table = page.get_by_role("table", name="What each rater of")
    expect(panel).to_be_visible()
    table.get_by_role("link", name="clipscore").click()
    expect(page).to_have_url(re.compile(r"[?&]rater=clipscore"))
    expect(panel.get_by_role("heading", name="clipscore and people")).to_be_visible()
    # any two raters, by a click on their number
    page.get_by_role("table", name="of any two raters").get_by_role(
        "link", name=re.compile("^(Ann and tifa|tifa and Ann):")
    ).first.click()
    expect(panel.get_by_role("heading", name=re.compile("(Ann and tifa|tifa and Ann)"))).to_be_visible()
    address = page.url
    page.goto(address)
    expect(panel.get_by_role("heading", name=re.compile("(Ann and tifa|tifa and Ann)"))).to_be_visible()
    page.go_back()
    expect(panel.get_by_role("heading", name="clipscore and people")).to_be_visible()


def test_a_cell_of_the_confusion_table_leads_to_its_images(page: Page, server: Server, tmp_path: object) -> None:
    page.goto(f"{RATED}&rater=tifa&beside=people&numbers=pair")
    table = page.get_by_role("complementary", name="All numbers").locator(".cc-confusion")
    expect(table).to_be_visible()
    file = f"{tmp_path}/said.csv"
    server.run("export", "ratings", "--suite", RATED_SUITE, "--aspect", "faithfulness", "-o", file)
    judgements = pd.read_csv(file, dtype=str)
    scorer = judgements[judgements["rater"] == "tifa"].set_index("item")["value"]
    people = judgements[judgements["kind"] == "human"]
    # images by what more than half of the people say
    share = people.groupby("item")["value"].value_counts(normalize=True).reset_index()
    majority = share[share["proportion"] > 0.5].set_index("item")["value"]
    addresses = [str(link.get_attribute("href")) for link in table.locator("tbody a").all()]
    assert len(addresses) > 1
    for address in addresses:
        requested = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        cell = {item for item in majority.index if (scorer[item], majority[item]) == (requested["a_says"], requested["b_says"])}
        assert {item["item_id"] for item in server.items(**requested)} == cell != set()


def test_the_place_follows_an_answer(visitor: Visit, server: Server) -> None:
    form = Form(visitor(server).page)
    form.enter(f"Poll {uuid.uuid4().hex[:6]}")
    form.two_objects()
    form.submit()
    form.saved("1")
    page = visitor(server).page
    page.goto("/studio/agreement?suite=sr2d&aspect=correct")
    said = page.get_by_text(ANSWERS).first
    expect(said).to_be_visible()
    match = ANSWERS.search(said.inner_text())
    assert match
    form.two_objects()
    form.submit()
    form.saved("2")
    expect(page.get_by_text(re.compile(rf"\b{int(match[1]) + 1} answers of")).first).to_be_visible()


def test_parts_of_all_numbers_have_addresses_and_close_with_escape(page: Page) -> None:
    page.goto(f"{RATED}&statistic=cohen_kappa&show=scorers")
    panel = page.get_by_role("complementary", name="All numbers")
    expect(panel).to_contain_text("Closer to people by")
    panel.get_by_role("link", name="Consensus of people").click()
    panel.get_by_role("link", name="Majority: add to the matrix").click()
    expect(page).to_have_url(re.compile("consensus=majority"))
    expect(panel.get_by_role("link", name="Majority: in the matrix")).to_be_visible()
    expect(panel).to_contain_text("Consensus beside people, all images")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.get_by_role("rowheader", name="consensus:majority")).to_be_visible()
