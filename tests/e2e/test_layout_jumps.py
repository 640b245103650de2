"""What one sees of a Studio page stays where it is while its numbers arrive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server

Visit = Callable[..., Visitor]

READY: Final = {
    "": ".cc-leaderboard", "add": ".cc-add-zone", "browse": ".cc-cell", "images?show=map": ".cc-map__canvas",
    "agreement": ".cc-trust-table", "compare": ".cc-versus",
    "results/votes": ".cc-votes", "agreement/captions": ".cc-matches",
    "agreement/tune": ".cc-tuned-curve", "agreement/failures": ".cc-heatmap", "people": "main h1", "runs": "main table",
    "report": ".cc-paper h1", "workbench": ".cc-verdicts",
}  # fmt: skip
MOST_PX: Final = 8
JUMPS: Final = """
window.jumps = [];
window.changed = performance.now();
new MutationObserver(() => { window.changed = performance.now(); })
  .observe(document, { childList: true, subtree: true, characterData: true });
// a source is the text or element that moved; Gradio's frame stands elsewhere before there is a page in it
new PerformanceObserver((list) => {
  for (const { sources } of list.getEntries()) for (const { node, previousRect, currentRect } of sources) {
    const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const moved = Math.round(currentRect.top - previousRect.top);
    if (!element?.closest("main") || !previousRect.height || Math.abs(moved) <= MOST_PX) continue;
    window.jumps.push(`${moved} px: ${element.id || element.className || element.tagName} at ${Math.round(previousRect.top)}`);
  }
}).observe({ type: "layout-shift", buffered: true });
""".replace("MOST_PX", str(MOST_PX))
"""A script that notes what of a page's main part moves by more while it is loaded."""


@pytest.mark.parametrize("path", [path if path == "" else pytest.param(path, marks=pytest.mark.slow) for path in READY])
def test_nothing_in_view_moves(visitor: Visit, playground: Server, path: str) -> None:
    page = visitor(playground, viewport={"width": 1280, "height": 900}).page
    page.add_init_script(JUMPS)
    item = playground.items()[0]["item_id"]
    # once more where something moved: on a busy machine Gradio mounts a page's parts one by one, now and then in another order
    for _ in range(2):
        page.goto(f"/studio/{path}" + (f"?id={item}" if path == "workbench" else ""))
        expect(page.locator(READY[path]).locator("visible=true").first).to_be_visible()
        page.wait_for_function("performance.now() - window.changed > 800")
        if not (jumps := page.evaluate("window.jumps")):
            break
    assert jumps == []
