"""Texts that somebody else chose are shown as they are, and nothing in them ever runs."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.project_files import HOSTILE, HOSTILE_ASPECT, HOSTILE_SUITE
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
CELLS = "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"


@pytest.fixture
def page(visitor: Visit, attacked: Server) -> Page:
    return visitor(attacked).page


def visible_texts(texts: Locator) -> list[str]:
    """What each element says, less blanks around it."""
    return [text.strip() for text in texts.all_text_contents()]


def assert_inert(page: Page) -> None:
    """Nothing that somebody wrote has become an element."""
    assert page.locator("img[src='x'], a[href^='javascript:']").count() == 0
    assert page.locator("script").filter(has_text="alert(1)").count() == 0


def captions_of_all(page: Page, form: Form) -> set[str | None]:
    """The captions of all images, each skipped in turn."""
    captions = set()
    for _ in HOSTILE:
        form.type("x")
        captions.add(page.locator(".cc-caption").text_content())
        form.press("Backspace")
        source = page.get_by_role("img", name="The picture to judge").get_attribute("src") or ""
        form.press("Escape", "s")
        expect(page.get_by_role("img", name="The picture to judge")).not_to_have_attribute("src", source)
        form.ready()
    return captions


@pytest.mark.slow
def test_hostile_texts_in_the_form(page: Page, attacked: Server) -> None:
    form = Form(page)
    captions = set()
    page.goto("/annotate/")
    for number, text in enumerate(HOSTILE):
        if number:
            page.get_by_role("button", name=f"not {HOSTILE[number - 1]}?").click()
        form.start(text)
        if number == 0:
            captions = captions_of_all(page, form)
        expect(page.locator(".cc-form__person")).to_have_text(text)
        form.objects(text)
        form.active("caption_fit")
        form.press("3")
        form.submit()
        form.saved("1 of")
        form.ready()
    assert captions == set(HOSTILE)
    assert_inert(page)
    answered = [item for item in attacked.items(suite="images", by="caption_match") if item["n"]]
    said: set[str] = set()
    raters: set[str] = set()
    for item in answered:
        page.goto(f"/studio/images?image={quote(item['item_id'], safe='')}")
        expect(page.get_by_role("heading", level=2)).to_have_text(item["text"])
        answers = page.locator("table").filter(has=page.locator("caption", has_text="Answers as given"))
        covered = page.get_by_role("button", name="Uncover")
        expect(covered.or_(answers).first).to_be_attached()
        if covered.count():
            covered.click()
        expect(answers).to_have_count(1)
        # in one look: the drawer may be drawn anew between two
        for rater, *_, answer in answers.locator("tbody tr").evaluate_all(CELLS):
            raters.add(rater)
            said.add(answer.split("objects: ")[1].split("\n")[0])
        assert_inert(page)
    assert raters == said == set(HOSTILE)


def test_hostile_texts_among_images(page: Page) -> None:
    page.goto("/studio/images?suite=images")
    expect(page.locator(".cc-cell-text")).to_have_count(len(HOSTILE))
    assert set(visible_texts(page.locator(".cc-cell-text"))) == set(HOSTILE)
    made = set(visible_texts(page.locator(".cc-cell-text + .cc-cell-meta")))
    assert {place.removesuffix(" · image 0") for place in made} >= {f"{text.replace('/', '')} · {text}" for text in HOSTILE}
    assert_inert(page)
    tasks = page.locator("#scope-task a").evaluate_all("all => all.map((one) => one.firstChild.textContent)")
    generators = page.locator("#scope-generator label span").all_text_contents()
    assert set(tasks) == {"all tasks", *HOSTILE}
    assert set(generators) == {text.replace("/", "") for text in HOSTILE}
    page.locator(".cc-scope").get_by_role("button", name="Task").click()
    page.locator("#scope-task a").nth(1).click()
    expect(page.get_by_role("link", name="Task: back to all")).to_be_visible()
    assert_inert(page)
    page.get_by_role("button", name="By prompt").click()
    expect(page.locator(".cc-prompt__text").first).to_be_visible()
    assert_inert(page)


@pytest.mark.slow
def test_hostile_texts_in_campaigns(page: Page, attacked: Server) -> None:
    for number, text in enumerate(HOSTILE):
        attacked.run("campaigns", "create", f"hostile-{number}", "--title", text, "--suite", "images", "--instructions", text)
    page.goto("/studio/people?campaign=hostile-0&tab=settings")
    expect(page.get_by_role("heading", level=1)).to_contain_text(HOSTILE[0])
    assert_inert(page)
    page.goto("/studio/people")
    expect(page.get_by_role("article").nth(len(HOSTILE) - 1)).to_be_visible()
    assert set(visible_texts(page.get_by_role("article").get_by_role("heading"))) >= set(HOSTILE)
    assert_inert(page)
    for number in range(len(HOSTILE)):
        attacked.run("campaigns", "delete", f"hostile-{number}")


def test_hostile_texts_in_results(page: Page) -> None:
    page.goto(f"/studio/results?suite={HOSTILE_SUITE}&numbers=1")
    panel = page.get_by_role("complementary", name="All numbers")
    table = panel.get_by_role("table").filter(has_text=HOSTILE_SUITE)
    expect(table.locator("caption")).to_have_text(f"{HOSTILE_SUITE}: mean of “{HOSTILE_ASPECT}”")
    assert set(visible_texts(table.locator("thead th"))) >= set(HOSTILE)
    assert set(visible_texts(table.locator("tbody th"))) >= set(HOSTILE[:2])
    assert_inert(page)


def test_hostile_texts_in_agreement(page: Page) -> None:
    page.goto(f"/studio/agreement?suite={HOSTILE_SUITE}&numbers=all")
    scorers = {f"scorer {text}" for text in HOSTILE}
    against = page.get_by_role("table").filter(has_text="Scorers against people")
    expect(against.locator("tbody tr")).to_have_count(len(HOSTILE))
    assert set(visible_texts(against.locator("tbody th"))) == scorers
    among = page.get_by_role("table").filter(has_text="People among themselves")
    assert set(visible_texts(among.locator("tbody th"))) >= {text.replace("_", " ") for text in HOSTILE}
    assert set(visible_texts(page.locator(".cc-trust-table tbody .is-scorer .cc-trust-name"))) == scorers
    assert_inert(page)


@pytest.mark.slow
def test_hostile_texts_in_the_matrix_and_in_a_pair(page: Page) -> None:
    page.goto(f"/studio/agreement?suite={HOSTILE_SUITE}&statistic=percent_agreement")
    names = {"people", *HOSTILE, *(f"scorer {text}" for text in HOSTILE)}
    heads = page.locator(".cc-trust-matrix tbody th")
    expect(heads).to_have_count(len(names))
    assert set(visible_texts(heads)) == names
    for text in HOSTILE:
        row = page.locator(".cc-trust-matrix tbody tr").filter(
            has=page.get_by_role("rowheader", name=f"scorer {text}", exact=True)
        )
        row.get_by_role("link").first.click()
        expect(page.get_by_role("complementary", name="Two raters").get_by_role("heading").first).to_have_text(
            f"scorer {text} and people"
        )
    assert_inert(page)
