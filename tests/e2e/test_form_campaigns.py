"""The form in campaigns, as people meet it: several pictures by keyboard, ways back, what survives, what is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from data.campaigns.items import CampaignItem, sample_items
from data.campaigns.settings import Campaign, Settings
from data.selection import Selection
from data.store.campaigns import management
from data.store.core.store import Store
from tests.e2e import project_files
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server, command, serving
from ui.pages.people.view import TABS

Visit = Callable[..., Visitor]
LINES = (0, 1, 2, 4)


def campaigns(project: Path) -> None:
    """One of each kind, over two generators' images of four prompts."""
    with Store(project) as store:
        images = management.images(store, Selection())
        pairs = management.pairs(store, Selection(), "alpha", "beta")
        groups = management.groups(store, Selection())
        consent = Settings(consent="You may stop **at any time**.", content_warning="Some are odd.", completion_code="D0NE")
        checked = Settings(order="fixed", instructions="## Mind\nthe *gap*", pass_mark=None)
        train = CampaignItem(images[0], "training", expected={"present_a": "yes"})
        for campaign, items in (
            (Campaign("ab", "Which one", "ab", 9, settings=consent), sample_items(pairs, None, 0)),
            (Campaign("likert", "How faithful", "tifa_likert", 9), sample_items(groups, None, 0)),
            (Campaign("geneval", "Objects", "geneval", 9, settings=Settings(order="shared")), sample_items(images, None, 0)),
            (Campaign("visor", "Places", "visor", 9, settings=checked), [*sample_items(images[1:3], None, 0), train]),
        ):
            management.create(store, campaign, items)
            management.move(store, campaign.campaign_id, "running")


@pytest.fixture(scope="module")
def folder(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001 - none without it
    folder = tmp_path_factory.mktemp("campaigns")
    for n, generator in enumerate(("alpha", "beta")):
        images = project_files.visor_folder(folder / generator, LINES, 20 * n)
        command(folder / "project", "import", "images", images, "--layout", "visor", "--generator", generator)
    campaigns(folder / "project")
    return folder


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Server]:
    with serving(folder / "project") as server:
        yield server


def enter(page: Page, campaign: str, name: str) -> Form:
    """Come by the campaign's address, agree to what it asks, and read the instructions."""
    form = Form(page)
    page.goto(f"/annotate/?campaign={campaign}")
    field = page.get_by_role("textbox", name="Your name")
    expect(field).to_be_focused()
    form.type(name)
    form.press("Enter")
    dialog = page.get_by_role("dialog")
    agree = page.get_by_role("button", name="I have read this and agree")
    expect(dialog.or_(agree)).to_be_visible()
    if agree.is_visible():
        expect(page.locator("img")).to_have_count(0)
        # Enter has just given the name, and agrees to nothing
        form.press("Enter")
        agree.press("Enter")
        expect(agree).to_be_visible()
        agree.press("Space")
    expect(dialog).to_be_visible()
    form.press("Enter")
    expect(dialog).to_have_count(0)
    return form


def sent(page: Page, act: Callable[[], None], route: str = "submit") -> dict[str, Any]:
    with page.expect_response(f"**/api/{route}") as answered:
        act()
    assert answered.value.status == 200
    body: Any = answered.value.request.post_data_json
    return dict(body)


def test_declining_the_consent_shows_no_picture_and_can_be_taken_back(running: Server, visitor: Visit) -> None:
    page = visitor(running).page
    page.goto("/annotate/?campaign=ab")
    page.get_by_role("textbox", name="Your name").fill("Nele")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="I do not agree").click()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    expect(page.locator("img")).to_have_count(0)
    page.get_by_role("button", name="Read it again").click()
    expect(page.get_by_role("button", name="I have read this and agree")).to_be_visible()


def test_a_position_item_takes_nine_keys_after_the_list_of_objects(visitor: Visit, running: Server) -> None:
    page = visitor(running, advance=None).page
    form = enter(page, "geneval", "Swift")
    form.ready()
    form.objects("cat, dog")
    keys = ["1", "r", "3", "2", "b", "2", "ArrowLeft", "n"]
    form.press(*keys)
    form.active("caption_fit")
    body = sent(page, lambda: form.press("4"))
    assert len([*keys, "4"]) == 9
    assert body["answers"] == {
        "objects": "cat, dog", "count_0": 1, "color_0": ["red"], "realism_0": 3, "count_1": 2, "color_1": ["blue"],
        "realism_1": 2, "position_x": "left", "position_y": "neither", "caption_fit": 4,
    }  # fmt: skip
    form.saved("1 of")
    # the next picture is here, and what was sent can be taken up again
    form.ready()
    form.press("Escape", "u")
    expect(page.get_by_text("You are revising your last answer.")).to_be_visible()
    expect(form.field).to_have_value("cat, dog")


def test_pairs_by_keyboard_alone_to_the_completion_code(visitor: Visit, running: Server) -> None:
    page = visitor(running, advance=None).page
    form = enter(page, "ab", "Pat")
    expect(page.locator(".cc-picture__name")).to_have_text(["Left", "Right"])
    expect(page.locator(".cc-picture img")).to_have_count(2)
    form.active("preference")
    form.press("e", "1")
    expect(page.get_by_role("checkbox", name="The left image is blank")).to_be_checked()
    form.press("e", "1", "z")
    zoomed = page.get_by_role("dialog")
    expect(zoomed).to_contain_text("Left")
    form.press("ArrowRight")
    expect(zoomed).to_contain_text("Right")
    form.press("z")
    expect(zoomed).to_have_count(0)
    values = []
    total = int(re.findall(r"of (\d+)", form.count.inner_text())[0])
    for n in range(total):
        expect(form.count).to_contain_text(f"{n} of {total}")
        form.active("preference")
        key = ("1", "ArrowRight", "b", "n", "x")[n % 5]
        values.append(sent(page, lambda key=key: form.press(key))["answers"]["preference"])  # type: ignore[misc]
        form.saved(f"{n + 1} of")
        if n == 0:
            # whoever leaves before the end has no code, and is told whom to write to
            form.press(".")
            expect(page.get_by_text("Paused", exact=True)).to_be_visible()
            expect(page.locator("[data-contact]")).to_contain_text("write to whoever invited you")
            expect(page.get_by_text("D0NE")).to_have_count(0)
            form.press("Enter")
    assert values == [("left", "right", "both", "none", "cannot_tell")[n % 5] for n in range(total)]
    expect(page.get_by_text("D0NE")).to_be_visible()


def test_groups_by_keyboard_alone_with_counting(visitor: Visit, running: Server) -> None:
    page = visitor(running).page
    form = enter(page, "likert", "Lia")
    expect(page.locator(".cc-picture__name")).to_have_text(["Image 1", "Image 2"])
    # the score is all that is asked, until somebody wants to count
    form.active("faithfulness_0")
    expect(page.get_by_text("1 of 2", exact=True)).to_be_visible()
    form.press("c")
    form.active("elements")
    form.type("99")
    form.press("Enter")
    expect(form.question("elements").get_by_role("alert")).to_contain_text("Please give a number from 1 to 20")
    form.press("Backspace", "Backspace", "3", "Enter")
    form.active("missed_0")
    expect(page.locator(".cc-picture.is-active")).to_have_count(1)
    form.press("1", "Enter")
    form.active("faithfulness_0")
    expect(page.locator("[data-question=faithfulness_0] .is-suggested")).to_have_count(1)
    suggested = page.locator("[data-question=faithfulness_0] [role=status]").inner_text()
    score = int(re.findall(r"\d", suggested)[0])
    form.press("Enter")
    form.active("missed_1")
    form.press("Enter")
    form.active("faithfulness_1")
    form.press("e")
    expect(page.get_by_role("checkbox", name="Image 2 is blank")).to_be_checked()
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    body = sent(page, form.submit)
    assert body["answers"] == {"elements": 3, "missed_0": 1, "faithfulness_0": score, "blank_image_1": "yes"}
    form.saved("1 of")


def test_a_second_tab_says_that_the_first_answer_stays(visitor: Visit, running: Server) -> None:
    one = visitor(running)
    form = enter(one.page, "ab", "Tabea")
    other = one.tab()
    other.goto("/annotate/?campaign=ab")
    second = Form(other)
    second.active("preference")
    one.page.bring_to_front()
    form.press("ArrowLeft", "Enter")
    form.saved("1 of")
    other.bring_to_front()
    second.press("ArrowRight", "Enter")
    expect(other.get_by_text("Your first answer stays.")).to_be_visible()
    second.saved("1 of")
    other.get_by_role("button", name="Change it").click()
    expect(other.get_by_text("You are revising an earlier answer.")).to_be_visible()
    expect(other.get_by_role("radio", name="The left one")).to_be_checked()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (640, 400)], ids=["desktop", "phone", "zoomed"])
def test_the_prompt_stays_in_view_to_the_last_question(visitor: Visit, running: Server, width: int, height: int) -> None:
    page = visitor(running, viewport={"width": width, "height": height}).page
    form = enter(page, "likert", f"Lia {width}")
    form.active("faithfulness_0")
    form.press("c")
    for question in ("elements", "missed_0", "faithfulness_0", "missed_1", "faithfulness_1"):
        form.active(question)
        expect(page.locator(".cc-caption")).to_be_in_viewport(ratio=0.99)
        expect(form.question(question).locator("legend")).to_be_in_viewport(ratio=0.99)
        form.press("3" if question.startswith("faithfulness") else "Enter")
    expect(page.get_by_role("button", name="Submit")).to_be_focused()
    expect(page.locator(".cc-caption")).to_be_in_viewport(ratio=0.99)


def test_axe_finds_nothing_serious_in_what_only_campaigns_show(visitor: Visit, running: Server) -> None:
    page = visitor(running).page
    page.goto("/annotate/")
    page.get_by_role("textbox", name="Your name").fill("Axe")
    page.keyboard.press("Enter")
    expect(page.locator("[data-screen=choose]")).to_be_visible()
    assert serious(page) == []
    page.get_by_role("button", name="Which one").click()
    expect(page.get_by_role("button", name="I have read this and agree")).to_be_visible()
    assert serious(page) == []
    page.get_by_role("button", name="I have read this and agree").press("Space")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".cc-picture__name")).to_have_text(["Left", "Right"])
    assert serious(page) == []
    for key, words in (("Shift+Digit1", "What is wrong with it?"), ("h", "My answers"), ("z", "Left")):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_contain_text(words)
        assert serious(page) == []
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.goto("/annotate/?campaign=likert")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    Form(page).active("faithfulness_0")
    assert serious(page) == []


@pytest.mark.slow
def test_axe_finds_nothing_serious_on_the_campaigns_page(visitor: Visit, running: Server) -> None:
    page = visitor(running).page
    for name, title in TABS.items():
        page.goto(f"/studio/people?campaign=geneval&tab={name}")
        expect(page.locator(".cc-tab")).to_have_attribute("aria-label", title)
        expect(page.locator("[data-fetch]:empty")).to_have_count(0)
        assert serious(page) == [], f"in the tab {title}"


def test_skip_undo_pause_report_and_review(visitor: Visit, running: Server) -> None:
    page = visitor(running).page
    form = enter(page, "geneval", "Wanda")
    form.ready()
    picture = page.locator(".cc-picture img")
    first = picture.get_attribute("src") or ""
    form.press("Escape", "s")
    expect(picture).not_to_have_attribute("src", first)
    expect(page.get_by_text("Skipped: it returns at the end.")).to_be_visible()
    expect(form.status).to_have_text("Saved")
    form.press("Escape", "t")
    expect(picture).to_have_attribute("src", first)

    form.press("Escape", ".")
    expect(page.get_by_text("Paused")).to_be_visible()
    form.press("Enter")
    form.ready()
    expect(picture).to_have_attribute("src", first)

    form.press("Escape", "Shift+Digit1")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What is wrong with it?")
    reported = sent(page, lambda: form.press("1"), "report")
    assert reported["reason"].startswith("The picture is broken")
    expect(picture).not_to_have_attribute("src", first)

    form.two_objects()
    form.submit()
    form.saved("1 of")
    form.ready()
    form.press("Escape", "h")
    expect(dialog).to_contain_text("My answers (1)")
    form.press("Enter")
    expect(page.get_by_text("You are revising an earlier answer.")).to_be_visible()
    expect(form.field).to_have_value("two things")


def test_a_training_item_explains_the_expected_answer(visitor: Visit, running: Server) -> None:
    page = visitor(running, advance=None).page
    form = enter(page, "visor", "Tim")
    expect(form.count).to_have_text("Training: 1 to go")
    for question, key in (("quality", "1"), ("scene", "1"), ("objects", "0"), ("present_a", "n"), ("present_b", "n")):
        form.active(question)
        form.press(key)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Not quite")
    expect(dialog).to_contain_text("Correct: Yes. Your answer: No.")
    form.press("Enter")
    expect(dialog).to_have_count(0)
    expect(form.count).to_contain_text("0 of 2")
    form.press("?")
    expect(dialog).to_contain_text("the gap")


@pytest.mark.slow
def test_another_browser_continues_after_a_restart(visitor: Visit, folder: Path, running: Server) -> None:
    page = visitor(running).page
    form = enter(page, "geneval", "Zoe")
    form.two_objects()
    form.submit()
    form.saved("1 of")
    form.ready()
    with page.expect_response("**/api/draft"):
        form.objects("half a draft")
        form.press("2")
    copy = folder / "copy"
    _copy(folder / "project", copy)
    # another port is another place for the browser: nothing of what it kept for itself is there
    with serving(copy) as again:
        elsewhere = visitor(again).page
        other = Form(elsewhere)
        elsewhere.goto("/annotate/?campaign=geneval")
        expect(elsewhere.get_by_role("textbox", name="Your name")).to_be_focused()
        other.type("Zoe")
        other.press("Enter")
        elsewhere.get_by_role("dialog").get_by_role("button", name="Start").click()
        expect(other.field).to_have_value("half a draft")
        other.active("color_0")
        expect(other.count).to_contain_text("1 of")


def _copy(project: Path, to: Path) -> None:
    """The database as it is on disk at this moment, as a machine that lost its power would find it."""
    to.mkdir()
    for file in project.iterdir():
        if file.name.startswith("concord.duckdb"):
            (to / file.name).write_bytes(file.read_bytes())
