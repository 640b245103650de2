"""The map of Images: a line drawn around points lists their images; the same by keys; a link shows the same line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
INSIDE = "() => document.body.innerText.match(/([\\d,]+) images? inside/)?.[1]"
"""JavaScript for how many images are in the lasso; nothing while the map is drawn."""


def opened(page: Page, address: str = "/studio/images?show=map") -> None:
    page.goto(address)
    expect(page.get_by_role("img", name=re.compile("on the map"))).to_be_visible()


def draw(page: Page, part: float) -> None:
    """A circle around the middle of the figure."""
    canvas = page.get_by_role("img", name=re.compile("on the map"))
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    x, y, radius = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, part * box["height"] / 2
    page.mouse.move(x + radius, y)
    page.mouse.down()
    for k in range(1, 60):
        page.mouse.move(x + radius * math.cos(k / 60 * 2 * math.pi), y + radius * math.sin(k / 60 * 2 * math.pi))
    page.mouse.up()


def inside(page: Page) -> int:
    number: str = page.wait_for_function(INSIDE).json_value()
    return int(number.replace(",", ""))


def page_query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_line_lists_its_images_in_every_view_and_its_link_shows_it(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.goto("/studio/images?generator=playground-late")
    page.get_by_role("button", name="Map", exact=True).click()
    expect(page.get_by_text("168 images of 504 on the map")).to_be_visible()
    draw(page, 0.55)
    n = inside(page)
    assert 0 < n < 168
    asked = {name: values[0] for name, values in page_query(page).items()}
    assert 3 <= len(asked["lasso"].split(";")) <= 60
    link = page.url
    expect(page.get_by_role("heading", name=f"{n} images by playground-late inside a line on the map")).to_be_visible()
    page.get_by_role("button", name="Show as a grid").click()
    expect(page.get_by_role("listbox", name="Images").get_by_role("option").first).to_be_visible()
    expect(page.get_by_text("inside an area of the map")).to_be_visible()
    listed = playground.json("/api/studio/items", **{name: asked[name] for name in ("generator", "map", "lasso")})
    assert listed["total"] == n
    assert {row["generator"] for row in listed["items"]} == {"playground-late"}

    # somebody else sees the same line and the same number
    other = visitor(playground).page
    opened(other, link)
    assert inside(other) == n
    # the images inside open in the drawer
    other.locator(".cc-map__pictures a").first.click()
    expect(other.get_by_text(f"1 of {n}", exact=True)).to_be_visible()


def test_pointing_at_an_image_shows_it_and_a_click_opens_it(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page)
    data = playground.json("/api/studio/map")
    box = page.get_by_role("img", name=re.compile("on the map")).bounding_box()
    assert box
    scale = (box["width"] - 20) / data["extent"]
    x, y = box["x"] + 10 + scale * data["x"][0], box["y"] + box["height"] - 10 - scale * data["y"][0]
    card = page.locator(".cc-map__card")
    expect(card).to_be_hidden()
    page.mouse.move(x + 1, y)
    page.mouse.move(x, y)
    expect(card.locator("img")).to_have_attribute("src", re.compile(r"/img/[0-9a-f]{64}\?w=320"))
    expect(card).to_contain_text("a photo of")
    page.mouse.move(2, 2)
    expect(card).to_be_hidden()
    page.mouse.click(x, y)
    expect(page.get_by_role("heading", name="Verdicts")).to_be_visible()
    assert page_query(page)["image"]


def test_the_map_by_keyboard_alone(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page, "/studio/images?show=map&paint=task")
    page.get_by_text("All numbers").press("Enter")
    for label, value in {"x from": "0", "x to": "60", "y from": "0", "y to": "100"}.items():
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Select this rectangle").press("Enter")
    assert 0 < inside(page) < 504
    assert page_query(page)["lasso"] == ["0,0;60,0;60,100;0,100"]
    page.get_by_label("x to", exact=True).fill("0")
    page.get_by_role("button", name="Select this rectangle").press("Enter")
    expect(page.get_by_role("alert").filter(has_text="Empty selection")).to_be_visible()
    page.get_by_role("button", name="Remove the line").press("Enter")
    expect(page.get_by_text("Draw a line around some points")).to_be_visible()
    assert "lasso" not in page_query(page)
    # a class of the colours is a filter
    page.get_by_role("button", name="counting", exact=True).last.press("Enter")
    expect(page).to_have_url(re.compile("task=counting"))
    expect(page.get_by_text(re.compile("84 images of 504 on the map"))).to_be_visible()
