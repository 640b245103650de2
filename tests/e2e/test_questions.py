"""A person answers a model's questions in the browser, and whose fault its wrong answers are appears on Failures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from data.prompts.questions import PromptQuestion
from data.store.core.store import Store
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server, serving
from tests.ui import question_project
from tests.ui.question_project import SUITE, VQA
from tests.ui.small_project import done

Visit = Callable[..., Visitor]
ITEM = f"{SUITE}/00000/alpha/0"


def wrong(_: str, question: PromptQuestion) -> str:
    return next(choice for choice in question.choices if choice != question.answer)


@pytest.fixture(scope="module")
def project(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001 - none without it
    """A model answers all questions wrong; people are asked the same of one image."""
    project = question_project.project(tmp_path_factory.mktemp("asked"))
    with Store(project) as store:
        question_project.answer(store, VQA, wrong)
    asking = ("--questionnaire", "tifa_vqa", "--item", ITEM, "--overlap", "1")
    done(project, "campaigns", "create", "asked", *asking)
    done(project, "campaigns", "start", "asked")
    return project


@pytest.fixture(scope="module")
def running(project: Path) -> Iterator[Server]:
    with serving(project) as server:
        yield server


@pytest.mark.slow
def test_a_persons_answers_split_the_wrong_ones(visitor: Visit, running: Server) -> None:
    page = visitor(running).page
    failures = f"/studio/agreement/failures?suite={SUITE}&picture=people"
    page.goto(failures)
    expect(page.get_by_role("heading", level=1)).to_contain_text("No person has answered questions")
    expect(page.locator("main pre")).to_contain_text("--questionnaire tifa_vqa")

    # is there one? yes, as asked for: the model is wrong; which is it? another: so is the image
    form = Form(page)
    page.goto("/annotate/?campaign=asked")
    expect(page.get_by_role("textbox", name="Your name")).to_be_focused()
    form.type("Vera")
    form.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    form.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    locator = page.locator(".cc-question")
    expect(locator).to_have_count(2)
    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("radio", name="None of the above").check()
    with page.expect_response("**/api/submit") as answered:
        page.get_by_role("button", name="Submit").click()
    assert answered.value.status == 200
    form.saved("")  # before, the page asks whoever leaves it to stay

    page.goto(failures)
    expect(page.get_by_role("heading", level=1)).to_contain_text("of 2 wrong answers 50% are the image’s fault")
    expect(page.locator(".cc-share-part").first).to_be_visible()
    page.get_by_role("link", name="All numbers").click()
    numbers, listed = page.get_by_role("complementary", name="All numbers"), page.locator(".cc-asked")
    expect(numbers).to_contain_text("Whose fault wrong answers are")
    # what is drawn anew is muted until then
    expect(page.locator(".cc-place")).to_have_css("opacity", "1")
    assert serious(page) == []
    (split,) = (
        row for row in json.loads(running.run("vqa", "--no-intervals", "--format", "json"))["splits"] if row["by"] == "all"
    )
    assert (split["image_wrong"], split["vqa_wrong"]) == (1, 1)

    # a number lists what is behind it, without another page
    cells = numbers.get_by_role("row", name=re.compile("^all ")).get_by_role("link")
    cells.nth(2).click()
    expect(page.get_by_role("heading", name=re.compile("wrong, though the image is right"))).to_be_attached()
    expect(listed.locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile("answers=vqa_wrong"))
    page.get_by_role("link", name="Close").click()
    expect(numbers).to_have_count(0)
    listed.locator("tbody a").click()

    # and leads to the image, its questions and what was said
    page.get_by_role("button", name=re.compile("^tifa-playground.*Show what it saw")).click()
    questions = page.locator(".cc-ask")
    expect(questions).to_have_count(2)
    expect(questions.first).to_contain_text("its answer")
    expect(questions.first.locator(".cc-ask__people")).to_contain_text("Vera: yes")
    expect(questions.last.locator(".cc-ask__people")).to_contain_text("Vera: none of the above")
    assert serious(page) == []


def test_before_an_answer_nothing_of_it_is_in_the_drawer(visitor: Visit, running: Server) -> None:
    page = visitor(running).page
    page.goto(f"/studio/images?blind=1&image={ITEM}")
    expect(page.get_by_role("heading", name="Hidden until you answer")).to_be_visible()
    expect(page.locator(".cc-ask")).to_have_count(0)
    assert VQA not in page.content()
