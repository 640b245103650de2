"""Results and Images from the narrowest phone to the widest screen: nothing outside the window, no interval gone, no jump."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server
from tests.e2e.test_layout_jumps import JUMPS

Visit = Callable[..., Visitor]

WIDTHS: Final = (360, 390, 600, 699, 768, 899, 901, 1024, 1200, 1280, 1366, 1440, 1536, 1920, 2560)
LOADED: Final = (360, 768, 1366, 2560)
"""The widths at which the place is also loaded, to see whether something jumps."""
READY: Final = {
    "results": ".cc-leaderboard .cc-dot-bar", "results/compare": ".cc-versus .cc-dot-bar",
    "results?numbers=1": ".cc-side-panel table", "images": ".cc-cell img", "images?show=map": ".cc-map__canvas",
    "images?show=prompts": ".cc-prompt__cell img",
}  # fmt: skip
"""What stands in a place when it is whole."""
OUTSIDE: Final = """() => {
    const inside = (element) => {
        for (let one = element.parentElement; one && one !== document.body; one = one.parentElement)
            if (getComputedStyle(one).overflowX !== "visible" || getComputedStyle(one).position === "fixed") return true;
        return false;
    };
    const places = [...document.querySelectorAll("nav *, .cc-scope-place *, .cc-place *, .cc-images *, .cc-drawer *")];
    return places.filter((one) => {
        const box = one.getBoundingClientRect();
        const beside = box.width > 0 && box.height > 0 && (box.right > innerWidth + 1 || box.left < -1);
        return beside && one.checkVisibility() && !inside(one);
    }).map((one) => `${one.className?.baseVal ?? one.className} ${one.textContent.slice(0, 30)}`).slice(0, 5);
}"""
"""What of a place lies beside the window, and in nothing that scrolls or clips it."""
INTERVALS: Final = """() => [...document.querySelectorAll(".cc-dot-bar")].filter((one) => one.checkVisibility())
    .map((one) => one.getBoundingClientRect().width)"""


def assert_fits(page: Page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{width} px: sideways scroll"
    assert page.evaluate(OUTSIDE) == [], f"{width} px"
    intervals = page.evaluate(INTERVALS)
    assert min(intervals, default=1) >= 1, f"{width} px: an interval is gone"


@pytest.mark.parametrize(
    "path", ["results", "images", *(pytest.param(path, marks=pytest.mark.slow) for path in [*READY][1:] if path != "images")]
)
def test_a_place_fits_every_width_and_does_not_jump(visitor: Visit, playground: Server, path: str) -> None:
    page = visitor(playground).page
    page.add_init_script(JUMPS)
    for width in LOADED:
        page.set_viewport_size({"width": width, "height": 844 if width < 600 else 900})
        # once more where something moved: on a busy machine parts are mounted in another order
        for _ in range(2):
            page.goto(f"/studio/{path}")
            expect(page.locator(READY[path]).locator("visible=true").first).to_be_visible()
            page.wait_for_function("performance.now() - window.changed > 800")
            if not (jumps := page.evaluate("window.jumps")):
                break
        assert jumps == [], f"{width} px"
        assert_fits(page, width)
    people = page.locator(".cc-leaderboard tbody .is-wide .cc-dot-bar").count()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844 if width < 600 else 900})
        page.wait_for_timeout(50)
        assert_fits(page, width)
        assert page.locator(".cc-leaderboard tbody .is-wide .cc-dot-bar").locator("visible=true").count() == people


@pytest.mark.slow
def test_the_drawer_fits_every_width(visitor: Visit, playground: Server) -> None:
    page = visitor(playground).page
    item = playground.items()[0]["item_id"]
    page.goto(f"/studio/images?image={item}")
    expect(page.get_by_role("heading", name="Verdicts")).to_be_visible()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844 if width < 600 else 900})
        page.wait_for_timeout(100)
        assert_fits(page, width)
