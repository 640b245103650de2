"""The page Map: a line drawn around points leads to these images; the same by keys; a link shows the same line."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server
from ui.pages import map as map_page

Visit = Callable[..., Visitor]
INSIDE = "() => document.getElementById('map-told').innerText.match(/([\\d,]+) images? inside/)?.[1]"
"""JavaScript for how many images are in the lasso; nothing while the map is drawn."""


def opened(page: Page, address: str = "/studio/images/map") -> None:
    page.goto(address)
    expect(page.locator("#map-plot .point").first).to_be_visible()
    expect(page.locator("#cc-map_panel .cc-map-groups li").first).to_be_visible()


def draw(page: Page, part: float) -> None:
    """A circle around the middle of the figure."""
    page.locator("#map-plot .nsewdrag").scroll_into_view_if_needed()
    box = page.locator("#map-plot .nsewdrag").bounding_box()
    assert box
    x, y, radius = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, part * box["height"] / 2
    page.mouse.move(x + radius, y)
    page.mouse.down()
    for k in range(1, 150):
        page.mouse.move(x + radius * math.cos(k / 150 * 2 * math.pi), y + radius * math.sin(k / 150 * 2 * math.pi))
    page.mouse.up()


def inside(page: Page) -> int:
    number: str = page.wait_for_function(INSIDE).json_value()
    return int(number.replace(",", ""))


def page_query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_lasso_leads_to_its_images_and_its_link_shows_it(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page, "/studio/images/map?generator=playground-late")
    expect(page.locator("#map-lead")).to_contain_text("168 images of 504 on the map")
    draw(page, 0.55)
    n = inside(page)
    assert 0 < n < 168
    corners = page_query(page)["lasso"][0].split(";")
    assert 3 <= len(corners) <= 60
    expect(page.locator("#cc-map_panel .cc-map-pictures img")).to_have_count(min(n, 12))
    link = page.url
    page.get_by_role("link", name="Show these images").click()
    expect(page).to_have_url(re.compile("/studio/images"))
    expect(page.locator(".cc-cell").first).to_be_visible()
    assert page_query(page)["lasso"] == address_query(link)["lasso"]
    expect(page.locator("#crossing")).to_contain_text("inside an area of the map")
    here = playground.json("/api/studio/items", **{name: values[0] for name, values in address_query(link).items()})
    assert here["total"] == n
    assert {row["generator"] for row in here["items"]} == {"playground-late"}

    # somebody else sees the same line and the same number
    other = visitor(playground).page
    opened(other, link)
    assert inside(other) == n
    expect(other.locator("#map-plot .selectionlayer path").first).to_be_attached()
    assert other.locator("#ignored").inner_text().strip() == ""


def address_query(address: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address).query)


@pytest.mark.slow
def test_grid_to_map_and_back_with_the_same_selection(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.goto("/studio/images?task=counting&says=geneval-playground:no")
    n = playground.json("/api/studio/items", task="counting", says="geneval-playground:no")["total"]
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.locator("#map-lead")).to_contain_text(f"{n} images of 504 on the map")
    page.get_by_role("link", name="Grid", exact=True).click()
    expect(page.locator(".cc-cell").first).to_be_visible()
    assert (page_query(page)["task"], page_query(page)["says"]) == (["counting"], ["geneval-playground:no"])


def test_pointing_at_an_image_shows_it(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page)
    card = page.locator(".cc-map-card")
    expect(card).to_be_hidden()
    for k in (5, 50, 120, 200):  # one may lie beneath another
        box = page.locator("#map-plot .point").nth(k).bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(card).to_be_visible()
        expect(card.locator("img")).to_have_attribute("src", re.compile(r"/img/[0-9a-f]{64}\?w=320"))
        expect(card).to_contain_text("a photo of")
    page.mouse.move(2, 2)
    expect(card).to_be_hidden()


def test_a_drawing_that_comes_late_leaves_the_selection(
    playground: Server, visitor: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = visitor(playground).page
    opened(page, "/studio/images/map?paint=task")
    page.get_by_role("button", name="Select by numbers").press("Enter")
    for label, value in {"x from": "0", "x to": "60", "y from": "0", "y to": "100"}.items():
        page.get_by_label(label, exact=True).fill(value)
    begun, go, draw_page = threading.Event(), threading.Event(), map_page.draw_page

    def late(*arguments: Any) -> Iterator[Any]:
        last = [*draw_page(*arguments)]
        begun.set()
        assert go.wait(30)
        yield from last

    monkeypatch.setattr(map_page, "draw_page", late)
    page.get_by_label("Colour by").click()
    page.get_by_role("option", name="generator").click()
    assert begun.wait(30)
    monkeypatch.undo()
    page.get_by_role("button", name="Select this rectangle").press("Enter")
    n = inside(page)
    go.set()
    expect(page.locator("#cc-map_panel .cc-map-groups")).to_contain_text("playground-late")
    assert inside(page) == n
    page.get_by_label("x to", exact=True).fill("50")
    page.get_by_role("button", name="Select this rectangle").press("Enter")
    expect(page).to_have_url(re.compile("50%2C0"))
    assert 0 < inside(page) < n


@pytest.mark.slow
def test_the_map_by_keyboard_alone(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page, "/studio/images/map?paint=task")
    page.get_by_role("button", name="Select by numbers").focus()
    page.keyboard.press("Enter")
    sides = {"x from": "0", "x to": "60", "y from": "0", "y to": "100"}
    for label, value in sides.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Select this rectangle").press("Enter")
    n = inside(page)
    assert 0 < n < 504
    assert page_query(page)["lasso"] == ["0,0;60,0;60,100;0,100"]
    page.get_by_label("x to", exact=True).fill("0")
    page.get_by_role("button", name="Select this rectangle").press("Enter")
    expect(page.locator("#map-message")).to_contain_text("Empty selection")
    page.get_by_role("button", name="Select nothing").press("Enter")
    expect(page.locator("#map-told")).to_contain_text("Nothing is selected")
    assert "lasso" not in page_query(page)
    # a class of the colours
    page.locator("#cc-map_panel").get_by_role("link", name="counting").press("Enter")
    expect(page).to_have_url(re.compile("/studio/images.*task=counting"))
    expect(page.locator(".cc-cell").first).to_be_visible()
