"""Makes the pictures of the pages from the playground: ``python -m docs.screenshots [NAME ...]`` from the repository's root.

They show what Concord drew itself, so they may be handed on. A page that this Concord does not have is left out.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Error, Page, ViewportSize, expect, sync_playwright

from tests.e2e.server import ROOT, Server, command, serving

OUT: Final = ROOT / "docs" / "screenshots"
LARGEST: Final = 200_000
"""Bytes of a picture."""
_SIZE: Final[ViewportSize] = {"width": 1280, "height": 860}
_PATIENCE_MS: Final = 30_000
_CASE: Final = "?suite=playground&aspect=correct"


def _annotate(page: Page, _: Server) -> None:
    page.goto("/annotate/")
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("textbox").first.fill("a bottle")
    # keys count once the picture has been seen
    page.wait_for_timeout(1000)
    page.keyboard.press("Enter")


def _agreement(page: Page, _: Server) -> None:
    page.goto(f"/studio/agreement{_CASE}")
    expect(page.locator(".cc-trust-table")).to_be_visible()
    # the intervals follow
    page.wait_for_timeout(8000)


def _results(page: Page, _: Server) -> None:
    page.goto("/studio/")
    expect(page.locator(".cc-leaderboard")).to_be_visible()
    # the intervals follow
    page.wait_for_timeout(8000)


def _drawer(page: Page, server: Server) -> None:
    items = server.items(suite="playground", generator="renderer-careless", task="position")
    item = (items or server.items(suite="playground"))[0]["item_id"]
    page.goto(f"/studio/images?suite=playground&image={item}")
    expect(page.locator(".cc-verdicts")).to_be_visible()


def _page(address: str, shown: str) -> Callable[[Page, Server], None]:
    """A page of Studio, when something on it is visible."""

    def shot(page: Page, _: Server) -> None:
        page.goto(f"/studio/{address}")
        expect(page.locator(shown).first).to_be_visible()

    return shot


_CARELESS: Final = "images?suite=playground&generator=renderer-careless&rater=geneval-playground&order=lowest"
SHOTS: Final[dict[str, Callable[[Page, Server], None]]] = {
    "annotate": _annotate,
    "results": _results,
    "images": _page(_CARELESS, ".cc-cell img"),
    "drawer": _drawer,
    "agreement": _agreement,
    "tune": _page("agreement/tune?suite=playground&rater=geneval-playground&threshold=0.9", ".cc-flips"),
    "people": _page("people", ".cc-place h1"),
    "add": _page("add", ".cc-add-zone"),
}
"""By the picture's name: how its page is opened and when it is drawn."""


def main(names: list[str]) -> None:
    """Make the pictures of these names, or all."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "playground"
        _fill(project)
        with serving(project) as server, sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=path)
            expect.set_options(timeout=_PATIENCE_MS)
            missed = []
            for name in names or [*SHOTS]:
                try:
                    _shoot(browser, server, name)
                except (AssertionError, Error) as error:
                    missed.append(name)
                    print(f"{name}: not made: {str(error)[:300]}", file=sys.stderr)
            browser.close()
    if missed:
        raise SystemExit(f"not made: {', '.join(missed)}")


def _fill(project: Path) -> None:
    command(project, "import", "playground")
    command(project, "import", "study", "selfeval")
    command(project, "import", "itm", "--playground")
    command(project, "score", "clipmatch", "--suite", "itm-playground")
    command(project, "score", "clipscore", "--suite", "playground")


def _shoot(browser: Browser, server: Server, name: str) -> None:
    # each in a session of its own: what one has uncovered or chosen is nothing to another
    page = browser.new_context(base_url=server.url, viewport=_SIZE).new_page()
    if name != "annotate":
        page.request.post("/api/name", data={"name": "Ada"})
    SHOTS[name](page, server)
    page.wait_for_timeout(2500)
    page.wait_for_function(
        f"[...document.images].filter((i) => i.getBoundingClientRect().top < {_SIZE['height']}).every((i) => i.complete)"
    )
    page.mouse.move(0, 0)
    size = _save(page.screenshot(), OUT / f"{name}.webp")
    print(f"{name}.webp: {size:,} bytes")
    page.context.close()


def _save(png: bytes, path: Path) -> int:
    """As WebP, as good as the size allows."""
    with Image.open(io.BytesIO(png)) as image:
        for quality in (90, 80, 65, 50, 35):
            image.convert("RGB").save(path, "WEBP", quality=quality, method=6)
            if path.stat().st_size < LARGEST:
                break
    return path.stat().st_size


if __name__ == "__main__":
    main(sys.argv[1:])
