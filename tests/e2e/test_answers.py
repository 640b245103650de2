"""One person's answers: given, changed, withheld, kept through reloads and lost connections, never doubled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


def submitted(page: Page, form: Form) -> dict[str, Any]:
    """Submit, and see the answers that are sent."""
    with page.expect_request("**/api/submit") as sent:
        form.submit()
    body: Any = sent.value.post_data_json
    answers: dict[str, Any] = body["answers"]
    return answers


def judged(annotation: dict[str, Any], aspect: str) -> list[str]:
    return [judgement["label"] for judgement in annotation["judged"] if judgement["aspect"] == aspect]


def test_the_last_answer_is_revised_by_keyboard(page: Page, server: Server) -> None:
    form = Form(page)
    form.enter("Reviser")
    form.two_objects()
    form.submit()
    form.saved("1 of")
    (before,) = server.annotations("Reviser")
    assert judged(before, "caption_match") == ["4"]

    form.ready()
    form.press("Escape", "u")
    expect(page.get_by_text("You are revising your last answer.")).to_be_visible()
    expect(form.field).to_have_value("two things")
    expect(form.field).to_be_focused()
    form.press("Escape", *["Backspace"] * 3)
    form.press("Enter")  # everything is answered: this submits
    form.saved("1 of")
    form.ready()
    form.press("Escape", "u")
    expect(form.field).to_have_value("two things")
    expect(form.field).to_be_focused()
    form.question("caption_fit").locator("legend").click()
    expect(form.question("caption_fit").locator(".cc-options")).to_be_visible()
    form.press("3")
    expect(page.get_by_role("button", name="Save change")).to_be_focused()
    form.submit()
    form.saved("1 of")

    chain = server.annotations("Reviser")
    assert len(chain) == 3
    assert [a["revises"] for a in chain] == [None, before["annotation_id"], chain[1]["annotation_id"]]
    assert [bool(a["superseded"]) for a in chain] == [True, True, False]
    assert {a["item_id"] for a in chain} == {before["item_id"]}
    assert judged(chain[-1], "caption_match") == ["3"], "one judgement, and it is the new one"


def test_follow_ups_come_and_go_and_leave_nothing_behind(page: Page, server: Server) -> None:
    form = Form(page)
    form.enter("Follower")
    expect(form.question("count_0")).to_be_hidden()
    prompt = page.locator(".cc-caption")
    expect(prompt).to_be_hidden()
    form.objects("one thing, perhaps")
    expect(prompt).to_be_visible()
    form.active("count_0")
    expect(form.question("color_0")).to_be_hidden()
    form.press("2", "r", "y", "Enter", "1")
    form.active("count_1")
    expect(form.question("realism_0")).to_be_visible()
    form.press("Backspace", "Backspace", "Backspace", "0")  # none of them after all
    expect(form.question("color_0")).to_be_hidden()
    expect(form.question("realism_0")).to_be_hidden()
    form.active("count_1")
    form.press("x")
    expect(form.question("count_1").get_by_label("Cannot tell")).to_be_checked()
    expect(form.question("color_1")).to_be_hidden()
    form.active("caption_fit")
    form.press("2")
    answers = submitted(page, form)
    assert answers == {"objects": "one thing, perhaps", "count_0": 0, "count_1": "cannot_tell", "caption_fit": 2}
    form.saved("1 of")
    (stored,) = server.annotations("Follower")
    assert stored["answers"] == answers
    assert judged(stored, "correct") == ["no"], "one object is certainly missing"


def test_an_incomplete_answer_is_not_sent(page: Page) -> None:
    form = Form(page)
    form.enter("Hasty")
    form.objects("a thing")
    form.active("count_0")
    form.press("Enter")
    expect(form.question("count_0").get_by_role("alert")).to_contain_text("Please answer this question")
    form.press("1")
    form.active("color_0")
    expect(form.question("count_0").get_by_role("alert")).to_have_count(0)


def test_one_question_is_asked_and_answered_by_one_key_until_somebody_wants_detail(visitor: Visit, server: Server) -> None:
    page = visitor(server, advance=None).page
    form = Form(page)
    page.goto("/annotate/")
    form.type("Quick")
    form.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Does the image show what the prompt says?")
    expect(dialog.locator(".cc-examples img")).to_have_count(3)
    expect(dialog.get_by_role("group", name="Questions about each image")).to_have_count(0)
    form.press("Enter")
    form.active("correct")
    expect(page.get_by_role("button", name="Submit")).to_have_count(0)
    # who is used to Enter presses it after the answer, too: it is no mistake of the next picture's
    form.press("y", "Enter")
    form.saved("1 of")
    form.active("correct")
    form.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="answer")).to_have_count(0)
    assert [row["answers"] for row in server.annotations("Quick")] == [{"correct": "yes"}]
    form.press("?")
    dialog.get_by_role("button", name="In detail").click()
    expect(dialog).to_contain_text("List of objects")
    form.press("Enter")
    form.ready()
    # it stays chosen in this browser
    page.reload()
    form.ready()
    page.get_by_role("button", name="Exit").click()
    expect(page.get_by_role("heading", name="1 answer, thank you")).to_be_visible()
    expect(page.get_by_role("link", name="See the results")).to_be_visible()
    form.press("Enter")
    form.ready()


def test_skip_moves_on_and_says_nothing(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    form.enter("Skipper")
    picture = one.page.get_by_role("img", name="The picture to judge")
    first = picture.get_attribute("src") or ""
    form.press("Escape", "s")
    expect(picture).not_to_have_attribute("src", first)
    form.ready()
    form.saved("0 of")
    assert one.watch.posts.count("/api/skip") == 1
    assert server.annotations("Skipper") == []


def test_a_reload_keeps_the_draft(page: Page) -> None:
    form = Form(page)
    form.enter("Reloader")
    form.objects("a half-told story")
    form.active("count_0")
    form.press("1", "r")
    expect(form.question("color_0").get_by_role("checkbox", name="Red")).to_be_checked()
    source = page.get_by_role("img", name="The picture to judge").get_attribute("src") or ""
    page.reload()
    expect(form.field).to_have_value("a half-told story")
    expect(page.get_by_role("img", name="The picture to judge")).to_have_attribute("src", source)
    form.said("count_0", "1")
    form.said("color_0", "Red")


def test_what_somebody_has_begun_is_not_there_for_the_next_person(page: Page) -> None:
    form = Form(page)
    form.enter("Early bird")
    form.objects("begun by somebody else")
    form.active("count_0")
    source = page.get_by_role("img", name="The picture to judge").get_attribute("src") or ""
    page.get_by_role("button", name="not Early bird?").click()
    form.start("Latecomer")
    expect(page.get_by_role("img", name="The picture to judge")).to_have_attribute("src", source)
    page.get_by_role("button", name="not Latecomer?").click()
    field = page.get_by_role("textbox", name="Your name")
    expect(field).to_be_focused()
    form.type("Early bird")
    form.press("Enter")
    expect(form.field).to_have_value("begun by somebody else")


def test_an_unsaved_answer_survives_a_reload(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    form.enter("Unlucky")
    form.two_objects()
    one.watch.expected = lambda problem: "ERR_FAILED" in problem
    one.page.route("**/api/submit", lambda route: route.abort())
    form.submit()
    expect(form.status).to_contain_text("Not saved yet")
    other = one.tab()  # as after a crash: nobody asked the page to leave
    one.page.close()
    form = Form(other)
    other.goto("/annotate/")
    form.saved("1 of")
    assert len(server.annotations("Unlucky")) == 1


def test_words_typed_before_are_offered_again(page: Page) -> None:
    """By the arrow down, or by Tab and Enter; only after their first letters, and only to whoever typed them."""
    form = Form(page)
    form.enter("Typer")
    form.two_objects(text="Cup, cake, a dog")
    form.submit()
    form.saved("1 of")
    form.ready()
    chips = page.get_by_role("group", name="What you typed before").get_by_role("button")
    expect(chips).to_have_count(0)
    form.type("c")
    expect(chips).to_have_text(["Cup↓", "cake"])
    form.press("ArrowDown")
    expect(form.field).to_have_value("Cup")
    expect(form.field).to_be_focused()
    form.type(", c")
    expect(chips).to_have_text(["cake↓"])
    form.press("Tab")
    expect(chips.first).to_be_focused()
    form.press("Enter")
    expect(form.field).to_have_value("Cup, cake")
    form.press("Enter")
    form.active("count_0")
    expect(chips).to_have_count(0)
