"""Every questionnaire in a real browser: the same rules as the server's, and all of it by keyboard alone."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.questionnaires.base import TICKED, Question, Questionnaire, check, is_blank, to_json, visible
from annotation.questionnaires.custom import read
from annotation.questionnaires.form import FormItem
from data.aspects import CANNOT_TELL
from tests.annotation.questionnaires.forms import ALL, item_of
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server

SINGLE = [name for name, form in ALL.items() if form.item_kind == "image"]
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

_RULES = """async ([questionnaire, cases]) => {
    const { visible, clean, unanswered } = await import("/assets/js/form/rules.js");
    return cases.map((answers) => [visible, clean, unanswered].map((rule) => rule(questionnaire, answers)));
}"""


def an_answer(question: Question, rng: random.Random) -> Any:
    values = [option.value for option in question.options]
    some: list[Any] = [None, "", " x ", CANNOT_TELL, 0, 1, 2.5, True, "yes", "left", [], ["red"], [1], *values]
    if question.kind in TICKED:
        some += [rng.sample(values, rng.randint(1, len(values))) for _ in range(len(some))]
    return rng.choice(some)


def cases(questionnaire: Questionnaire, n: int) -> list[dict[str, Any]]:
    rng = random.Random(7)
    results = []
    for _ in range(n):
        answers = {question.id: an_answer(question, rng) for question in questionnaire.questions if rng.random() < 0.9}
        blanks = {blank.id: rng.choice(["yes", None, "no", True]) for blank in questionnaire.blanks if rng.random() < 0.3}
        results.append(answers | blanks)
    return results


def test_the_browser_has_the_servers_rules(page: Page) -> None:
    page.goto("/annotate/")
    for name in ALL:
        _, _, questionnaire = item_of(name)
        some = cases(questionnaire, 300)
        optional = {question.id for question in questionnaire.questions if question.optional}
        expected = []
        for answers in some:
            shown = visible(questionnaire, answers)
            still = [id_ for id_ in shown if is_blank(answers.get(id_)) and id_ not in optional]
            expected.append([shown, check(questionnaire, answers).answers, still])
        payload = page.evaluate(_RULES, [json.loads(json.dumps(to_json(questionnaire))), some])
        assert payload == json.loads(json.dumps(expected)), name
        assert len({tuple(shown) for shown, _, _ in expected}) > 1


class Desk:
    """A server that asks the same of a few items and keeps what it is told."""

    def __init__(self, page: Page, questionnaire: Questionnaire, n_images: int = 1, n_items: int = 2) -> None:
        self.page = page
        self.answers: list[dict[str, Any]] = []
        picture = {"image": "/img/none", "width": 1, "height": 1}
        about: dict[str, Any] = {
            "images": [picture] * n_images,
            "campaign": "default",
            "caption": "a <b>caption</b>",
            "answers": None,
            "revises": None,
        }
        asked = to_json(questionnaire)
        self.tasks = [about | {"ticket": f"item {number}", "questionnaire": asked} for number in range(n_items)]
        page.route("**/api/next*", self.following)
        page.route("**/api/submit", self.submit)
        page.route("**/api/draft", lambda route: route.fulfill(json={"kept": True}))
        page.route("**/img/none*", lambda route: route.fulfill(body=PIXEL, content_type="image/png"))

    def following(self, route: Route) -> None:
        left = self.tasks[len(self.answers) :]
        progress = {"done": len(self.answers), "remaining": len(left), "total": len(self.tasks)}
        state = (
            {"state": "label", "tasks": left}
            if left
            else {"state": "done", "title": "All done, thank you", "message": "Thank you!"}
        )
        route.fulfill(json={"name": "Kay", "progress": progress} | state)

    def submit(self, route: Route) -> None:
        body: Any = route.request.post_data_json
        self.answers.append(body["answers"])
        route.fulfill(json={"saved": True, "id": "i", "new": True, "status": "valid"})

    def open(self, language: str = "") -> Form:
        form = Form(self.page)
        self.page.goto(f"/annotate/?lang={language}")
        expect(self.page.get_by_role("dialog")).to_be_visible()
        form.press("Enter")
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        return form


def keys_of(question: Question) -> list[str]:
    """The first answer by its key; the last, too, where several may be ticked, which then stands alone or joins."""
    if question.kind == "text":
        return ["w", "Enter"]
    first, last = question.options[0].key, question.options[-1].key
    return [first, last, "Enter"] if question.kind in TICKED else [first]


def answer_of(question: Question) -> Any:
    if question.kind == "text":
        return "w"
    first, last = question.options[0].value, question.options[-1].value
    if question.kind not in TICKED:
        return first
    return [last] if last in question.alone else [first, last]


@pytest.mark.parametrize("name", SINGLE)
def test_a_questionnaire_by_keyboard_then_a_blank_image_by_two_keys(page: Page, name: str) -> None:
    _, _, questionnaire = item_of(name)
    desk = Desk(page, questionnaire)
    form = desk.open()
    expected: dict[str, Any] = {}
    for question in questionnaire.questions:
        if question.id in visible(questionnaire, expected):
            form.active(question.id)
            # what may be left open is passed by Enter, which submits when nothing else is open
            form.press(*(["Enter"] if question.optional else keys_of(question)))
            expected |= {} if question.optional else {question.id: answer_of(question)}
    if not questionnaire.questions[-1].optional:
        expect(page.get_by_role("button", name="Submit")).to_be_focused()
        form.press("Enter")
    expect(form.count).to_contain_text("1 of 2")
    assert check(questionnaire, expected).errors == {}

    first = questionnaire.questions[0]
    box = page.get_by_role("checkbox", name="The image is blank")
    form.active(first.id)
    form.press("Escape", "e")
    expect(box).to_be_checked()
    expect(page.locator(".cc-question:visible")).to_have_count(0)
    # taken back, everything is asked as before
    form.press("e")
    expect(box).not_to_be_checked()
    form.active(first.id)
    form.press("Escape", "e")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    form.press("Enter")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert desk.answers == [expected, {"blank_image": "yes"}]


def a_keyed_answer(question: Question, rng: random.Random) -> tuple[list[str], Any]:
    """Some answer that the form takes, by its keys, and as it is to be stored; None: the question is left open."""
    if question.optional and rng.random() < 0.5:
        return ["Enter"], None
    if question.cannot_tell and rng.random() < 0.1:
        return [*(["Escape"] if question.kind in ("text", "number") else []), "x"], CANNOT_TELL
    if question.kind == "text":
        return ["w", "Space", "o", "Enter"], "w o"
    if (numbers := question.numbers) is not None:
        number = numbers.low + rng.randint(0, 3) * numbers.step
        return [*f"{number:g}", "Enter"], int(number) if float(number).is_integer() else number
    if question.kind not in TICKED:
        option = rng.choice(question.options)
        arrows = {"left": "ArrowLeft", "right": "ArrowRight"}
        return [rng.choice([option.key, arrows.get(str(option.value), option.key)])], option.value
    free = [option for option in question.options if option.value not in question.alone]
    picked = rng.sample(free, rng.randint(1, len(free)))
    # a tick that is taken back leaves nothing
    keys = [option.key for option in picked] + [picked[0].key] * rng.choice((0, 2))
    return [*keys, "Enter"], [option.value for option in question.options if option in picked]


def answered_by_keys(page: Page, desk: Desk, questionnaire: Questionnaire, rng: random.Random) -> dict[str, Any]:
    """Answer the item on the screen by keys alone, and return what was meant."""
    questions = {question.id: question for question in questionnaire.questions}
    done, meant = len(desk.answers), dict[str, Any]()
    if any(question.on_request for question in questionnaire.questions) and rng.random() < 0.5:
        page.keyboard.press("c")
    asked = set[str]()
    while len(desk.answers) == done:
        active = page.locator(".cc-question.is-active").get_attribute("data-question") or ""
        assert active not in asked, f"{active} is asked twice"
        asked.add(active)
        blank = next((one for one in questionnaire.blanks if one.member == questions[active].member), None)
        if blank is not None and questions[active].kind not in ("text", "number") and rng.random() < 0.1:
            page.keyboard.press("e")
            meant[blank.id] = "yes"
        else:
            keys, value = a_keyed_answer(questions[active], rng)
            for key in keys:
                page.keyboard.press(key)
            meant |= {} if value is None else {active: value}
        cleaned = check(questionnaire, meant).answers
        left = [id_ for id_ in visible(questionnaire, cleaned) if not questions[id_].optional and is_blank(cleaned.get(id_))]
        if not left:
            # what may be left open stands before the end, or after it
            if not _submitted(page, desk, done, asked):
                continue
            break
    stored: dict[str, Any] = dict(check(questionnaire, meant).answers)
    return stored


def _submitted(page: Page, desk: Desk, done: int, asked: set[str]) -> bool:
    """Whether that was all; False: a question that may be left open comes next."""
    for _ in range(200):
        following = page.locator(".cc-questions:not([inert]) .cc-question.is-active")
        if len(desk.answers) > done:
            return True
        if following.count() and following.get_attribute("data-question") not in asked:
            return False
        page.wait_for_timeout(20)
    raise AssertionError("all is answered, and nothing is sent")


def compare_by_keys(page: Page, name: str, n: int, seed: int = 11) -> int:
    """Return how many items were answered by keys; each is stored as it was meant."""
    _, item, questionnaire = item_of(name)
    desk = Desk(page, questionnaire, item.n_images, n)
    desk.open()
    rng = random.Random(f"{name} {seed}")
    meant = []
    for _ in range(n):
        expect(page.locator(".cc-questions:not([inert])")).to_be_visible()
        meant.append(answered_by_keys(page, desk, questionnaire, rng))
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert desk.answers == meant, name
    assert all(check(questionnaire, answers).errors == {} for answers in desk.answers)
    return len(meant)


def test_every_form_by_keys_stores_what_was_meant(visitor: Callable[..., Visitor], server: Server) -> None:
    page = visitor(server, advance=None).page
    assert sum(compare_by_keys(page, name, 2) for name in ALL) == 2 * len(ALL)


_TRANSLATED = """
name: reds
questions:
  - {id: red, kind: choice, text: "Is it red?", options: [yes, no]}
  - {id: blue, kind: choice, text: "Is it blue?", options: [yes, no]}
translations:
  ar:
    Is it red?: هل هو أحمر؟
    Is it blue?: هل هو أزرق؟
    Yes: نعم
    No: لا
"""


def test_a_translated_questionnaire_stores_the_values_of_the_first(page: Page) -> None:
    desk = Desk(page, read(_TRANSLATED).build(FormItem("p")))
    form = desk.open("ar")
    questions = page.locator(".cc-questions")
    expect(questions).to_have_attribute("lang", "ar")
    expect(questions).to_have_css("direction", "rtl")
    expect(form.question("red")).to_contain_text("هل هو أحمر؟")
    form.active("red")
    expect(form.question("red").get_by_role("radio", name="نعم")).to_be_visible()
    form.press("y", "n")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    assert serious(page) == []
    form.press("Enter")
    expect(form.count).to_contain_text("1 of 2")
    assert desk.answers == [{"red": "yes", "blue": "no"}]
