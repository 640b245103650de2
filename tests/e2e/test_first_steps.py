"""From an empty project to agreement between two people, all pages following without a reload."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e import project_files
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.page_driver import unfold
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


def mark(page: Page) -> None:
    """Leave something in the page that a reload would take away."""
    page.evaluate("window.unloaded = false")


def assert_same_document(page: Page) -> None:
    assert page.evaluate("window.unloaded") is False, "the page was loaded again"


def import_left(server: Server, folder: Path) -> None:
    server.run(
        "import",
        "images",
        project_files.visor_folder(folder, project_files.LEFT_PROMPTS),
        "--layout",
        "visor",
        "--generator",
        "alpha",
    )


def test_an_empty_project_teaches_and_follows(fresh: Server, visitor: Visit, tmp_path: Path) -> None:
    researcher, annotator = visitor(fresh).page, visitor(fresh).page
    researcher.goto("/")
    expect(researcher.get_by_role("heading", name="Nothing is in this project yet")).to_be_visible()
    for command in ("import images FOLDER --layout visor", "import study tifa", "import ratings", "prompts geneval"):
        expect(researcher.locator("code").filter(has_text=command)).to_be_visible()
    mark(researcher)

    annotator.goto("/annotate/")
    annotator.get_by_role("textbox", name="Your name").fill("Ann")
    annotator.keyboard.press("Enter")
    expect(annotator.get_by_role("heading", name="No pictures yet")).to_be_visible()
    expect(annotator.get_by_text("uv run app.py import images FOLDER --layout csv")).to_be_visible()
    mark(annotator)
    annotator.get_by_role("button", name="Look again").click()
    expect(annotator.get_by_role("heading", name="No pictures yet")).to_be_visible()

    import_left(fresh, tmp_path / "images")

    expect(researcher.get_by_role("heading", name="Nothing has been judged yet")).to_be_visible()
    assert_same_document(researcher)
    # the form looks by itself every few seconds
    expect(annotator.get_by_role("img", name="The picture to judge")).to_be_visible()
    assert_same_document(annotator)


def test_two_people_label_by_keyboard_while_agreement_is_open(fresh: Server, visitor: Visit, tmp_path: Path) -> None:
    import_left(fresh, tmp_path / "images")
    agreement = visitor(fresh).page
    agreement.goto("/studio/agreement")
    expect(agreement.get_by_text("Nothing has been judged yet.")).to_be_visible()
    mark(agreement)

    ann, ben = Form(visitor(fresh).page), Form(visitor(fresh).page)
    ann.enter("Ann")
    ann.two_objects()
    ann.submit()
    ann.saved("1 of 5")
    sentence = agreement.locator("#headline")
    expect(sentence).to_contain_text("1 answer by people about 1 image")

    for number in range(2, 6):
        ann.two_objects(correct=number != 2)
        ann.submit()
    ann.saved("5 of 5")
    expect(ann.page.get_by_role("heading", name="All done, thank you")).to_be_visible()
    expect(ann.page.get_by_role("link", name="See the results")).to_have_attribute("href", "/studio/")
    expect(sentence).to_contain_text("5 answers by people about 5 images")

    ben.enter("Ben")
    for number in range(1, 6):
        ben.two_objects(correct=number not in (2, 3))
        ben.submit()
    ben.saved("5 of 5")

    expect(sentence).to_contain_text("10 answers by people about 5 images")
    unfold(agreement)
    # both yes on 3, both no on 1: 0.8 observed, 0.7 of all say yes: 0.58 by chance
    table = agreement.get_by_role("table").filter(has_text="People among themselves")
    column = table.get_by_role("columnheader").all_inner_texts().index("Fleiss’ κ")
    row = table.get_by_role("row").filter(has=agreement.get_by_role("rowheader", name="all images"))
    expect(row.locator("th, td").nth(column)).to_contain_text("0.524")
    assert_same_document(agreement)

    assert len(fresh.annotations("Ann")) == len(fresh.annotations("Ben")) == 5
    rows = fresh.agreement("--suite", "sr2d", "--aspect", "correct", "--no-intervals")["among_people"]
    means = [row for row in rows if row["statistic"] == "mean" and row["task"] == row["generator"] == "all"]
    assert [(row["n_ratings"], row["n_items"]) for row in means] == [(10, 5)]
