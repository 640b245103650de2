"""Images: facets, the address as the state, the grid by keyboard, tags, comparing, the strip, kept views."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e import project_files
from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server, serving

Visit = Callable[..., Visitor]
GENEVAL, CLIP = "geneval-playground", "clipscore-playground"
PEOPLE = ("Ann", "Ben", "Cem")
COUNTING = "counting"


@pytest.fixture(scope="module")
def browsed(browser: Browser, sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001 - none without it
    """The playground, and three people who call every second image of counting right, whatever the scorer says."""
    folder = tmp_path_factory.mktemp("browsed")
    with serving(shutil.copytree(sample, folder / "project")) as running:
        caught_up(running)
        rows = [
            {"image": item["item_id"], "who": who, "said": "no" if index % 2 else "yes"}
            for index, item in enumerate(running.items(task=COUNTING))
            for who in PEOPLE
        ]
        file = project_files.write_csv(folder / "people.csv", rows)
        columns = ("--item", "image", "--rater", "who", "--value", "said")
        running.run("import", "ratings", file, *columns, "--aspect", "correct", "--scale", "nominal", "--suite", "playground")
        caught_up(running)
        yield running


def caught_up(server: Server) -> None:
    """What Images count from is made after a write, by the app itself."""
    for _ in range(600):
        reply = server.json("/api/studio/facets")
        if reply["total"] and not reply["behind"]:
            return
        time.sleep(0.1)
    raise AssertionError("Images have not caught up with the project within a minute")


@pytest.fixture
def page(visitor: Visit, browsed: Server) -> Page:
    return visitor(browsed).page


def opened(page: Page, **query: str) -> Locator:
    """Images, or lines by prompt, there."""
    page.goto(f"/studio/images?{urlencode(query)}")
    shown = page.locator(".cc-prompt__cell" if query.get("show") == "prompts" else ".cc-cell")
    expect(shown.first).to_be_visible()
    settled(page)
    return shown


def settled(page: Page) -> None:
    """Images and counts are those of the address."""
    expect(page.locator(".cc-images.is-loading")).to_have_count(0)
    expect(page.locator(".cc-rail__body")).to_have_attribute("aria-busy", "false")


def sentence(page: Page) -> Locator:
    return page.locator(".cc-images__sentence")


def facet(page: Page, name: str, value: str) -> Locator:
    return page.locator(f'[data-facet="{name}"] [data-value="{value}"]')


def of_task(page: Page, task: str) -> None:
    """Choose a task in the scope bar."""
    page.locator(".cc-scope").get_by_role("button", name=re.compile("^Task")).click()
    page.locator("#scope-task").get_by_role("link", name=task).click()


def listed(page: Page) -> list[str]:
    """The ids of the images that have elements, in order."""
    hrefs = [str(cell.get_attribute("href")) for cell in page.locator(".cc-cell").all()]
    return [parse_qs(urlsplit(href).query)["image"][0] for href in hrefs]


def listed_items(server: Server, **query: str) -> dict[str, Any]:
    results: dict[str, Any] = server.json("/api/studio/items", **query)
    return results


def focused_index(page: Page) -> int:
    """On which image the focus is."""
    index: int = page.evaluate("Number(document.activeElement.dataset.index ?? -1)")
    return index


def named(visitor: Visitor, name: str) -> Visitor:
    """Who tags is recorded: a name given before asks nothing in between."""
    assert visitor.context.request.post(f"{visitor.watch.origin}/api/name", data={"name": name}).ok
    return visitor


# ---- filters and the address
def test_from_the_start_page_to_where_people_and_a_scorer_differ(visitor: Visit, browsed: Server) -> None:
    page = visitor(browsed).page
    page.goto("/studio/")
    actions: list[Callable[[], object]] = [
        lambda: page.locator(".cc-nav").get_by_role("link", name="Images", exact=True).click(),
        lambda: of_task(page, COUNTING),
        lambda: facet(page, "differs", f"{GENEVAL}:missed").click(),
    ]
    for act in actions:
        act()
    assert len(actions) <= 4
    people = {item["item_id"] for index, item in enumerate(listed_items(browsed, task=COUNTING)["items"]) if index % 2 == 0}
    wrong = {
        item["item_id"] for item in listed_items(browsed, task=COUNTING, rater=GENEVAL)["items"] if item["verdict"] == "no"
    }
    assert people & wrong
    assert people - wrong
    expect(sentence(page)).to_contain_text(f"{len(people & wrong)} ")
    expect(sentence(page)).to_contain_text(f"counting images where {GENEVAL} says no and most people say yes")
    settled(page)
    assert set(listed(page)) == people & wrong
    chips = page.locator(".cc-chip")
    expect(chips).to_have_count(1)

    # the link is what is shown, also for who was never here
    other = visitor(browsed).page
    other.goto(page.url)
    expect(sentence(other)).to_have_text(sentence(page).inner_text())
    settled(other)
    assert listed(other) == listed(page)
    expect(other.locator("#ignored")).to_have_text("")

    # the scope and the filters are taken back apart
    page.get_by_role("button", name="Clear all").click()
    expect(sentence(page)).to_contain_text("84 counting images")
    expect(chips).to_have_count(0)
    page.get_by_role("link", name="Task: back to all").click()
    expect(sentence(page)).to_contain_text("504")


def test_counts_say_what_a_value_would_list(page: Page, browsed: Server) -> None:
    opened(page, task=COUNTING)
    value = facet(page, "says", f"{GENEVAL}:no")
    n = int(value.locator(".cc-facet__n").inner_text())
    value.click()
    # its own choice does not count against a facet
    expect(facet(page, "says", f"{GENEVAL}:yes")).to_be_visible()
    expect(page.locator(".cc-images__status")).to_have_text(re.compile(rf"^{n} images?$"))
    assert listed_items(browsed, task=COUNTING, says=f"{GENEVAL}:no")["total"] == n
    # the focus stays where somebody clicks on, and a second click takes the choice back
    expect(value).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".cc-images__status")).to_have_text("84 images")


def test_a_long_facet_has_more_and_a_box_to_find_in(page: Page) -> None:
    opened(page)
    objects = page.locator('[data-facet="object"]')
    values = objects.locator(".cc-facet__value")
    expect(values).to_have_count(8)
    name = values.nth(7).get_attribute("data-value") or ""
    objects.get_by_role("button", name=re.compile("more of Object")).click()
    assert values.count() > 8
    box = objects.get_by_role("searchbox")
    if box.is_visible():
        box.fill(name)
        expect(values.first).to_have_attribute("data-value", name)


def test_back_forward_and_typing_change_the_filters(page: Page) -> None:
    opened(page)
    of_task(page, COUNTING)
    expect(page).to_have_url(re.compile(r"task=counting"))
    sentence(page).click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Words of the prompt")).to_be_focused()
    page.keyboard.type("umbrel", delay=60)
    expect(page).to_have_url(re.compile(r"q=umbrel$"))
    page.keyboard.type("las", delay=60)
    expect(page).to_have_url(re.compile(r"q=umbrellas$"))
    expect(sentence(page)).to_contain_text("umbrellas")
    # one step back undoes all that was typed
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?task=counting$"))
    expect(page.locator(".cc-images__status")).to_have_text("84 images")
    page.go_back()
    expect(page.locator(".cc-images__status")).to_have_text("504 images")
    page.go_forward()
    page.go_forward()
    expect(page.get_by_role("searchbox", name="Words of the prompt")).to_have_value("umbrellas")
    expect(page.locator(".cc-cell-text").first).to_contain_text("umbrellas")


def test_an_empty_result_says_what_to_do(page: Page) -> None:
    page.goto("/studio/images?task=counting&q=zeppelin")
    expect(page.get_by_text("No image matches all these filters")).to_be_visible()
    page.locator(".cc-images__trouble").get_by_role("button", name="Clear all").click()
    expect(page.locator(".cc-cell").first).to_be_visible()


# ---- the grid
def test_many_images_have_few_elements_and_keys_reach_all(page: Page, browsed: Server) -> None:
    cells = opened(page)
    total = listed_items(browsed)["total"]
    expect(page.get_by_role("listbox", name="Images")).to_be_visible()
    expect(cells.first).to_have_attribute("aria-setsize", str(total))
    assert cells.count() < total / 3
    height = page.evaluate("document.querySelector('.cc-virtual').offsetHeight")
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    assert focused_index(page) == 1
    page.keyboard.press("ArrowDown")
    columns = focused_index(page) - 1
    assert columns >= 3
    page.keyboard.press("PageDown")
    assert focused_index(page) > 1 + columns
    page.keyboard.press("End")
    expect(page.locator(f'.cc-cell[data-index="{total - 1}"]')).to_be_focused()
    last = page.locator(".cc-cell").last
    expect(last).to_have_attribute("aria-posinset", str(total))
    # the scrollbar was of honest length
    assert page.evaluate("document.querySelector('.cc-virtual').offsetHeight") == height
    assert page.locator(".cc-cell").count() < total / 3
    expected = listed_items(browsed, page="8")["items"]
    assert listed(page)[-1] == expected[-1]["item_id"]
    page.keyboard.press("Home")
    expect(page.locator('.cc-cell[data-index="0"]')).to_be_focused()


def test_two_links_skip_to_the_first_image(page: Page) -> None:
    opened(page)
    for link in ("Skip to content", "Skip to images"):
        page.keyboard.press("Tab")
        expect(page.locator(":focus")).to_have_text(link)
        expect(page.locator(":focus")).to_be_in_viewport()
        page.keyboard.press("Enter")
    expect(page.locator(".cc-cell").first).to_be_focused()


def test_an_image_opens_beside_the_grid_and_esc_returns_to_its_position(page: Page) -> None:
    cells = opened(page, task=COUNTING, order="recent")
    cells.first.focus()
    for key in ("PageDown", "PageDown", "ArrowRight"):
        page.keyboard.press(key)
    index, id = focused_index(page), page.evaluate("document.activeElement.dataset.item")
    assert index > 8
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/studio/images\?.*image="))
    expect(page.locator(".cc-drawer__title h2")).to_have_attribute("title", id)
    # the drawer has the whole listing, and the grid is still there
    expect(page.get_by_text(f"{index + 1} of 84")).to_be_visible()
    expect(page.locator(f'.cc-cell[data-index="{index}"]')).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.locator(f'.cc-cell[data-index="{index}"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".cc-drawer__title h2")).to_have_attribute("title", id)
    expect(page.get_by_role("list", name="Verdicts")).to_be_visible()
    # its address opens both
    page.reload()
    expect(page.locator(".cc-drawer__title h2")).to_have_attribute("title", id)
    expect(page.locator(f'.cc-cell[data-item="{id}"]')).to_be_in_viewport()
    expect(page.get_by_role("list", name="Verdicts")).to_be_visible()


def test_twenty_are_tagged_by_keyboard(visitor: Visit, browsed: Server) -> None:
    one = named(visitor(browsed), "Tagger")
    page = one.page
    cells = opened(page, task=COUNTING)
    cells.first.focus()
    page.keyboard.press("ArrowDown")
    columns = focused_index(page)
    page.keyboard.press("Home")
    keys = ["Shift+ArrowDown"] * (20 // columns - 1) + ["Shift+ArrowRight"] * (columns - 1)
    for key in keys:
        page.keyboard.press(key)
    more = 20 - (20 // columns) * columns
    for _ in range(more):
        page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".cc-images__status")).to_contain_text("20 chosen")
    wanted = [item["item_id"] for item in listed_items(browsed, task=COUNTING)["items"][:20]]
    page.keyboard.press("t")
    expect(page.get_by_role("dialog", name="Tag 20 images")).to_be_visible()
    page.keyboard.type("twenty <b>")
    page.keyboard.press("Enter")
    expect(page.locator(".cc-toast")).to_contain_text("20 images tagged “twenty <b>”")
    results = listed_items(browsed, tag="twenty <b>")
    assert sorted(item["item_id"] for item in results["items"]) == sorted(wanted)
    expect(page.locator(".cc-cell-tags").first).to_have_text("twenty <b>")
    # the focus is where it was: one may go on
    assert focused_index(page) == 19
    value = page.locator('[data-facet="tag"] .cc-facet__value')
    expect(value).to_have_text(re.compile(r"twenty <b>\s*20"))
    page.keyboard.press("u")
    expect(page.locator(".cc-toast")).to_contain_text("Undone")
    assert listed_items(browsed, tag="twenty <b>")["total"] == 0
    page.keyboard.press("Escape")
    expect(page.locator(".cc-images__status")).to_have_text("84 images")


def test_tagging_requires_a_name_only_once(visitor: Visit, browsed: Server) -> None:
    one = visitor(browsed)
    # that a name is needed is an answer, not a failure
    one.watch.expected = lambda problem: "401" in problem
    page = one.page
    cells = opened(page, task="colors")
    cells.nth(2).focus()
    page.keyboard.press("t")
    page.keyboard.type("odd")
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Your name").fill("Newcomer")
    page.keyboard.press("Enter")
    expect(page.locator(".cc-toast")).to_contain_text("1 image tagged “odd”")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("t")
    # an empty field means the same tag again
    page.keyboard.press("Enter")
    expect(page.locator(".cc-toast")).to_contain_text("1 image tagged “odd”")
    # both toasts read alike: the second tag may be on its way still
    deadline = time.monotonic() + 20
    while listed_items(browsed, tag="odd")["total"] < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert listed_items(browsed, tag="odd")["total"] == 2


def test_choosing_by_mouse_and_undoing(visitor: Visit, browsed: Server) -> None:
    page = named(visitor(browsed), "Mouser").page
    cells = opened(page, task="position")
    cells.nth(1).locator("[data-tick]").click()
    cells.nth(4).click(modifiers=["Shift"])
    expect(page.locator(".cc-images__status")).to_contain_text("4 chosen")
    expect(page.locator('.cc-cell[aria-selected="true"]')).to_have_count(4)
    page.locator(".cc-selection-bar").get_by_role("button", name="Let go").click()
    expect(page.locator('.cc-cell[aria-selected="true"]')).to_have_count(0)


# ---- comparing
def test_a_prompt_is_compared_over_generators_and_swiped(page: Page) -> None:
    cells = opened(page, task=COUNTING)
    cells.first.focus()
    page.keyboard.press("x")
    dialog = page.get_by_role("dialog")
    slider = dialog.get_by_role("slider")
    expect(slider).to_be_focused()
    names = [dialog.get_by_label(side, exact=True).locator("option:checked").inner_text() for side in ("Left", "Right")]
    assert names[0].split(",")[0] != names[1].split(",")[0]
    assert names[0].split(",")[1] == names[1].split(",")[1]
    clip = "getComputedStyle(document.querySelector('dialog .cc-swipe__left')).clipPath"
    before = page.evaluate(clip)
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("52")
    assert page.evaluate(clip) != before
    box = slider.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    assert 84 <= int(slider.input_value()) <= 96
    page.keyboard.press("s")
    expect(dialog.locator("img")).to_have_count(2)
    expect(slider).to_have_count(0)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(cells.first).to_be_focused()


def test_rows_by_prompt_put_generators_side_by_side(page: Page) -> None:
    opened(page, task=COUNTING)
    page.get_by_role("button", name="By prompt").click()
    expect(page).to_have_url(re.compile("show=prompts"))
    row = page.locator(".cc-prompt").first
    expect(row.locator("a.cc-prompt__cell")).to_have_count(3)
    assert len(set(row.locator(".cc-prompt__generator").all_inner_texts())) == 3
    page.get_by_label("Left", exact=True).select_option("playground-early")
    page.get_by_label("Right", exact=True).select_option("renderer-careless")
    expect(row.locator("a.cc-prompt__cell")).to_have_count(2)
    expect(page).to_have_url(re.compile("left=playground-early&right=renderer-careless"))
    settled(page)
    slider = row.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_value("48")
    # the same image of each
    row.locator("a.cc-prompt__cell").first.focus()
    page.keyboard.press("]")
    expect(row.get_by_role("link", name="playground-early, image 1")).to_be_focused()
    expect(row.get_by_role("link", name="renderer-careless, image 1")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"image=.*renderer-careless%2F1"))


def test_rows_by_prompt_mark_images_outside_the_filter(page: Page, browsed: Server) -> None:
    cells = opened(page, task=COUNTING, show="prompts", rater=GENEVAL, says=f"{GENEVAL}:no")
    row = page.locator(".cc-prompt").first
    assert row.locator(".cc-prompt__cell:not(.is-other)").count() >= 1
    pages = [listed_items(browsed, task=COUNTING, rater=GENEVAL, says=f"{GENEVAL}:no", page=number) for number in ("0", "1")]
    wrong = {item["item_id"] for part in pages for item in part["items"]}
    assert len(wrong) == pages[0]["total"]
    for cell in cells.all():
        item = parse_qs(urlsplit(str(cell.get_attribute("href"))).query)["image"][0]
        assert ("is-other" in str(cell.get_attribute("class"))) == (item not in wrong)
        expect(cell.locator(".cc-saying__value").first).to_have_text(re.compile("^no( ≠)?$" if item in wrong else "^(yes|no)"))


# ---- the strip
def test_scores_are_brushed_by_mouse_and_by_keyboard(page: Page, browsed: Server) -> None:
    opened(page, task=COUNTING, of=CLIP)
    strip = page.get_by_role("region", name="Scores")
    expect(strip.get_by_label("Scorer", exact=True)).to_have_value(CLIP)
    strip.locator(".cc-hist").scroll_into_view_if_needed()
    box = strip.locator(".cc-hist").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + 20, steps=6)
    page.mouse.up()
    expect(page).to_have_url(re.compile("range=clipscore-playground"))
    settled(page)

    def agreed() -> int:
        """How many the page and the server list, for the range in the address."""
        requested = parse_qs(urlsplit(page.url).query)["range"][0]
        n = int(listed_items(browsed, task=COUNTING, range=requested)["total"])
        expect(page.locator(".cc-images__status")).to_have_text(re.compile(rf"^{n} images?$"))
        return n

    brushed = agreed()
    assert 0 < brushed < 84
    before = page.url
    low = page.get_by_role("slider", name="The lowest score")
    low.focus()
    page.keyboard.press("Home")
    expect(page).not_to_have_url(before)
    settled(page)
    assert agreed() >= brushed
    assert f"{CLIP}:.." in parse_qs(urlsplit(page.url).query)["range"][0]
    page.get_by_role("button", name="Any score").click()
    expect(page.locator(".cc-images__status")).to_have_text("84 images")


# ---- kept views
def test_a_view_is_saved_opened_and_deleted(visitor: Visit, browsed: Server) -> None:
    page = named(visitor(browsed), "Keeper").page
    opened(page, task=COUNTING, order="recent", rater=GENEVAL)
    page.get_by_role("button", name="Views").click()
    page.get_by_role("textbox", name="Name of the view").fill("Hard & <odd>")
    page.keyboard.press("Enter")
    expect(page.locator(".cc-toast")).to_contain_text("Saved as “Hard & <odd>”")
    shown = sentence(page).inner_text()

    other = named(visitor(browsed), "Reader").page
    opened(other)
    other.get_by_role("button", name="Views").click()
    expect(other.locator(".cc-views__row")).to_contain_text("Keeper")
    other.get_by_role("link", name="Hard & <odd>").click()
    expect(sentence(other)).to_have_text(shown)
    expect(other.get_by_label("Order", exact=True)).to_have_value("recent")
    expect(other.get_by_label("Judged by", exact=True)).to_have_value(GENEVAL)
    # a link may name it
    other.goto(f"/studio/images?{urlencode({'view': 'Hard & <odd>'})}")
    expect(sentence(other)).to_have_text(shown)
    expect(other.get_by_label("Order", exact=True)).to_have_value("recent")
    expect(other.locator("#ignored")).to_have_text("")
    settled(other)
    other.get_by_role("button", name="Views").click()
    other.get_by_role("button", name="Delete the view Hard & <odd>").click()
    expect(other.get_by_text("None yet.")).to_be_visible()


# ---- from elsewhere
def test_a_confusion_cell_of_agreement_opens_its_images(page: Page) -> None:
    page.goto(f"/studio/agreement?suite=playground&aspect=correct&task={COUNTING}&a={GENEVAL}&b=people")
    link = page.locator("a.cc-crossing-n").first
    expect(link).to_be_visible()
    n = int(link.locator("small").inner_text().split()[1])
    link.click()
    expect(page).to_have_url(re.compile(r"/studio/images\?.*a_says="))
    expect(page.locator("#crossing")).to_contain_text(f"{n} image")
    expect(page.locator(".cc-images__status")).to_have_text(re.compile(rf"^{n} images?$"))
    expect(page.locator(".cc-cell").first).to_contain_text(GENEVAL)
    # a facet restricts it further, and the crossing stays
    facet(page, "says", f"{GENEVAL}:yes").click()
    expect(page).to_have_url(re.compile(r"says=geneval.*a_says="))
    settled(page)
    page.get_by_role("link", name="Show all images").click()
    expect(page).not_to_have_url(re.compile("a_says="))
    expect(page.locator(".cc-images__status")).to_have_text(re.compile(r"^\d+ images$"))
    expect(page.locator("#crossing")).to_have_text("")


def test_the_page_follows_its_project(visitor: Visit, browsed: Server) -> None:
    page = visitor(browsed).page
    opened(page, task="single_object")
    wanted = listed_items(browsed, task="single_object")["items"][0]["item_id"]
    client = named(visitor(browsed, locale="en-GB"), "Elsewhere").context.request
    body = {"id": "4f7f4f3e-0000-4000-8000-00000000f011", "items": [wanted], "tag": "from elsewhere", "on": True}
    assert client.post("/api/studio/tags", data=body).ok
    expect(page.locator(".cc-cell-tags").first).to_have_text("from elsewhere")
    expect(page.locator('[data-facet="tag"]')).to_contain_text("from elsewhere")


# ---- small windows
def test_on_a_phone_the_filters_stand_behind_a_button(visitor: Visit, browsed: Server) -> None:
    page = visitor(browsed, viewport={"width": 390, "height": 844}, has_touch=True).page
    opened(page)
    expect(facet(page, "says", f"{GENEVAL}:no")).to_be_hidden()
    page.get_by_role("button", name="Filters").click()
    facet(page, "says", f"{GENEVAL}:no").click()
    expect(page.get_by_role("button", name="Filters")).to_contain_text("1")
    expect(sentence(page)).to_contain_text(f"{GENEVAL} says no")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
