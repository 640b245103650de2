"""The form on a phone, in the dark, and for people who cannot see it or cannot use a mouse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.form_driver import Form
from tests.e2e.server import Server

Visit = Callable[..., Visitor]

_WIDTH, _HEIGHT = 390, 844
_PHONE = {"viewport": {"width": _WIDTH, "height": _HEIGHT}, "has_touch": True, "is_mobile": True, "color_scheme": "dark"}
_TOUCH = 44
_CONTROLS = {"button", "checkbox", "combobox", "link", "radio", "slider", "textbox"}
_LIGHTNESS = """(element) => {
    const numbers = getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(Number);
    return numbers.slice(0, 3).reduce((sum, one) => sum + one, 0) / 3;
}"""
_FOCUSED = """() => {
    const focused = document.activeElement;
    const shown = focused.closest(".cc-tile") ?? focused;
    const { outlineStyle, boxShadow } = getComputedStyle(shown);
    return { id: focused.value + focused.textContent + focused.name, seen: outlineStyle !== "none" || boxShadow !== "none" };
}"""


def visible(controls: Locator) -> Iterator[tuple[str, FloatRect]]:
    for control in controls.all():
        box = control.bounding_box()
        if control.is_visible() and box:
            yield control.inner_text(), box


def assert_no_sideways_scroll(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= _WIDTH


def test_pages_fit_a_phone_in_dark_mode(visitor: Visit, server: Server) -> None:
    page = visitor(server, **_PHONE).page
    page.goto("/annotate/")
    page.get_by_role("textbox", name="Your name").fill("Phone")
    assert_no_sideways_scroll(page)
    page.get_by_role("button", name="Start").tap()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert page.locator("body").evaluate(_LIGHTNESS) < 60
    assert dialog.evaluate(_LIGHTNESS) < 80
    dialog.get_by_role("button", name="Start").tap()
    assert_no_sideways_scroll(page)

    form = Form(page)
    form.field.fill("a thing")
    page.get_by_role("button", name="Next").tap()
    form.question("count_0").get_by_role("radio", name="2", exact=True).tap()
    form.question("color_0").get_by_role("checkbox", name="Red").tap()
    expect(form.question("color_0").get_by_role("checkbox", name="Red")).to_be_checked()
    assert_no_sideways_scroll(page)
    picture = page.get_by_role("img", name="The picture to judge")
    main = [picture, *(page.get_by_role("button", name=name) for name in ("Next", "Skip", "Undo", "Exit", "Back"))]
    for control in main:
        expect(control).to_be_in_viewport(ratio=0.99)
        box = control.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= _WIDTH
    small = {text: box["height"] for text, box in visible(page.locator(".cc-form .cc-tile, .cc-form button"))}
    assert len(small) > 10
    assert {text: height for text, height in small.items() if height < _TOUCH} == {}
    outside = [
        text for text, box in visible(page.locator(".cc-tile, button")) if box["x"] < 0 or box["x"] + box["width"] > _WIDTH
    ]
    assert outside == []


_ZOOMED = "(image) => new DOMMatrix(getComputedStyle(image).transform)"
_TOUCH_POINTS = """(picture, [fingers, type]) => {
    const { left, top } = picture.getBoundingClientRect();
    for (const [id, x, y] of fingers) {
        const where = { clientX: left + x, clientY: top + y, pointerId: id };
        const at = { ...where, pointerType: "touch", bubbles: true, cancelable: true };
        picture.dispatchEvent(new PointerEvent(type, at));
    }
}"""


def test_a_picture_is_enlarged_where_it_stands(page: Page) -> None:
    """By wheel and by two fingers; a drag moves it; a click still opens the large one."""
    form = Form(page)
    form.enter("Zoomer")
    picture = page.get_by_role("img", name="The picture to judge")
    frame = page.locator(".cc-picture")
    box = frame.bounding_box()
    assert box
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    page.mouse.move(*middle)
    page.mouse.wheel(0, -600)
    expect(frame).to_have_class("cc-picture is-larger")
    before = picture.evaluate(_ZOOMED)
    assert before["a"] > 2
    # a finer file is fetched for it
    expect(picture).not_to_have_attribute("src", re.compile("w=1600"))
    page.mouse.down()
    page.mouse.move(middle[0] - 40, middle[1] - 30, steps=4)
    page.mouse.up()
    after = picture.evaluate(_ZOOMED)
    assert (round(after["e"] - before["e"]), round(after["f"] - before["f"])) == (-40, -30)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.mouse.wheel(0, 3000)
    expect(frame).to_have_class("cc-picture")
    for type_, fingers in (("pointerdown", [[7, 60, 60], [8, 80, 60]]), ("pointermove", [[7, 40, 60], [8, 100, 60]])):
        picture.evaluate(_TOUCH_POINTS, [fingers, type_])
    assert picture.evaluate(_ZOOMED)["a"] == pytest.approx(3, rel=0.02)
    picture.evaluate(_TOUCH_POINTS, [[[7, 40, 60], [8, 100, 60]], "pointerup"])
    form.press("Escape", "z")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="One image pixel as one screen pixel").click()
    expect(dialog.locator(".cc-zoom__frame")).to_have_class(re.compile("is-larger"))
    form.press("z")
    expect(dialog).to_have_count(0)


def test_every_control_has_a_name(visitor: Visit, server: Server) -> None:
    one = visitor(server)
    form = Form(one.page)
    one.page.goto("/annotate/")
    expect(one.page.get_by_role("textbox", name="Your name")).to_be_focused()
    assert_named(one)
    form.enter("Listener")
    form.press("Escape", "?")
    expect(one.page.get_by_role("dialog", name="Instructions and keys")).to_be_visible()
    assert_named(one)
    form.press("Escape")
    expect(one.page.get_by_role("dialog")).to_have_count(0)
    form.field.focus()
    expect(form.field).to_be_focused()
    form.objects("a thing")
    names = assert_named(one)
    form.press("1", "r", "Enter")
    names |= assert_named(one)
    form.press("2", "1")
    form.active("color_1")
    names |= assert_named(one)
    assert {"Red", "Cannot tell", "5 or more", "Severe defects"} <= {name.removeprefix("1 ") for name in names}
    expect(one.page.get_by_role("group", name="How many")).to_have_count(2)


def assert_named(visitor: Visitor) -> set[str]:
    """Every control that the browser tells assistive technology about has a name there."""
    tree: dict[str, Any] = visitor.context.new_cdp_session(visitor.page).send("Accessibility.getFullAXTree")
    controls = [node for node in tree["nodes"] if not node["ignored"] and node["role"]["value"] in _CONTROLS]
    assert controls
    unnamed = [node for node in controls if not node.get("name", {}).get("value")]
    assert unnamed == []
    return {node["name"]["value"] for node in controls}


def test_the_focus_is_visible_and_moves_with_the_keyboard(page: Page) -> None:
    form = Form(page)
    form.enter("Tabber")
    form.objects("a thing")
    form.active("count_0")
    seen = []
    for _ in range(6):
        form.press("Tab")
        seen.append(page.evaluate(_FOCUSED))
    assert len({place["id"] for place in seen}) == len(seen), seen
    assert all(place["seen"] for place in seen), seen
    form.press("Shift+Tab")
    assert page.evaluate(_FOCUSED)["id"] == seen[-2]["id"]
