"""Seconds from a click in Studio's bar to the first numbers of the next place, and from image to image in the drawer.

    uv run benchmarks/navigation.py [--project DIR] [--rounds 4]

A warm app on the playground (or ``--project``), headless Chromium on the same cores. Each round goes through the places by
their links; of each click is measured how long it takes until the place's first number can be seen. What a browser makes ready
when one points at a link is not in it: Playwright's Chromium has that switched off. Of the drawer it is the time, in the
browser, from a click on an image that nobody has pointed at, or from the key for the next one, until the verdicts can be seen.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from playwright.sync_api import Page, ViewportSize

from benchmarks.annotate import ROOT, open_browser, served
from benchmarks.measuring import command_line, machine, percentile

PAGES: Final = {
    "Results": ".cc-leaderboard td a",
    "Images": ".cc-cell img",
    "Agreement": "#headline .cc-headline, #teaching p, .cc-place h1",
}
"""By the link's name what shows the first number, or the first picture."""
TARGET_S: Final = 1.0
OPEN_TARGET_MS: Final = 150
NEXT_TARGET_MS: Final = 80
_UNTIL_VERDICTS: Final = """(act) => new Promise((done) => {
    const image = () => new URL(location.href).searchParams.get("image");
    const [before, start] = [image(), performance.now()];
    const look = () => {
        const seen = image() !== before && document.querySelector(".cc-verdicts")?.checkVisibility();
        if (seen) done(performance.now() - start);
        else requestAnimationFrame(look);
    };
    if (act === "next") document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", code: "KeyJ", bubbles: true }));
    else document.querySelectorAll(".cc-cell")[act].click();
    requestAnimationFrame(look);
})"""
"""JavaScript: opens the image of a place in the grid, or the next one; resolves to how long its verdicts took, in ms."""
_WARM_S: Final = 4.0


def visit(page: Page, name: str) -> float:
    """Seconds from the click to the first number."""
    link = page.locator(".cc-nav").get_by_role("link", name=name, exact=True)
    start = time.perf_counter()
    link.click()
    page.wait_for_url(lambda url: url.split("?")[0].endswith(name.lower()))
    page.locator(PAGES[name]).first.wait_for(state="visible", timeout=30_000)
    return time.perf_counter() - start


def walk_images(page: Page, rounds: int) -> tuple[list[float], list[float]]:
    """Return how long opening an image in the drawer took, and how long the next one, in ms."""
    visit(page, "Images")
    page.wait_for_timeout(1000 * _WARM_S)
    opened, following = [], []
    for turn in range(rounds + 1):
        took = [page.evaluate(_UNTIL_VERDICTS, 2 * turn)]
        for _ in range(2):
            # the next one is fetched ahead meanwhile, as while somebody looks
            page.wait_for_timeout(1000)
            took.append(page.evaluate(_UNTIL_VERDICTS, "next"))
        page.wait_for_timeout(1000)
        page.keyboard.press("Escape")
        page.wait_for_timeout(500)
        if turn:
            opened.append(took[0])
            following += took[1:]
    return opened, following


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a line for each page."""
    parser = command_line(__doc__)
    parser.add_argument("--project", type=Path, help="the project; by default a new one with the playground")
    parser.add_argument("--rounds", type=int, default=4, help="how often each page is opened")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, open_browser() as chromium:
        if chromium is None:
            print("navigation: there is no Chromium here", file=sys.stderr)
            return 1
        project = Path(folder) / "project"
        if options.project:
            shutil.copytree(options.project, project)
        else:
            filling = [sys.executable, "app.py", "import", "playground", "--project", str(project)]
            subprocess.run(filling, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        with served(["app.py", "serve", "--no-browser", "--project", project], "/studio/") as (_, port):
            size = ViewportSize(width=1280, height=900)
            page = chromium.new_context(base_url=f"http://127.0.0.1:{port}", viewport=size).new_page()
            page.goto("/studio/")
            page.locator(PAGES["Results"]).first.wait_for(state="visible", timeout=60_000)
            seconds_of: dict[str, list[float]] = {name: [] for name in PAGES}
            for turn in range(options.rounds + 1):
                for name in (*list(PAGES)[1:], "Results"):
                    seconds = visit(page, name)
                    # what comes later: intervals, pictures
                    page.wait_for_timeout(1000 * _WARM_S)
                    if turn:
                        seconds_of[name].append(seconds)
            opened, following = walk_images(page, options.rounds)
    print(machine("gradio", "playwright"))
    for name, values in seconds_of.items():
        print(f"{name:10} median {statistics.median(values):.2f} s, worst {max(values):.2f} s")
    every = [seconds for values in seconds_of.values() for seconds in values]
    median = percentile(every, 0.5)
    print(f"{len(every)} clicks: median {median:.2f} s, 95 % under {percentile(every, 0.95):.2f} s (aim {TARGET_S:.0f} s)")
    for words, took, target in (("drawer open", opened, OPEN_TARGET_MS), ("next image", following, NEXT_TARGET_MS)):
        print(f"{words}: median {statistics.median(took):.0f} ms, worst {max(took):.0f} ms (aim {target} ms)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
