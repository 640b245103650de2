"""Makes the pictures of the pages: ``python -m docs.screenshots SHARED [OUT]`` from the repository's root.

SHARED holds ``studies/geneval``, ``studies/tifa`` and ``studies/visor`` as published; what is missing is left out. Only
``agreement.png`` may be committed: the others show the studies' pictures, which are not ours to hand on.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests.e2e.form import Form
from tests.e2e.serving import ROOT, Server, command, serving

_SIZE: ViewportSize = {"width": 1280, "height": 1000}
_INTERVALS_MS = 180_000


def main(shared: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "demo"
        _fill(project, shared / "studies")
        with serving(project) as server, sync_playwright() as playwright:
            path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=path)
            page = browser.new_context(base_url=server.url, viewport=_SIZE).new_page()
            for name, show in {"annotate": _annotate, "browse": _browse, "agreement": _agreement}.items():
                show(page, server)
                page.screenshot(path=out / f"{name}.png")
            browser.close()


def _fill(project: Path, studies: Path) -> None:
    geneval, tifa, visor = studies / "geneval", studies / "tifa", studies / "visor" / "images"
    sources = [f"{file.stem.removeprefix('annotations_')}={file}" for file in sorted(geneval.glob("annotations_*.csv"))]
    if sources:
        metadata = geneval / "evaluation_metadata.jsonl"
        print(command(project, "import", "study", "geneval", "--metadata", metadata, *sources))
    if (file := tifa / "human_annotations_with_scores.json").is_file():
        print(command(project, "import", "study", "tifa", file))
    for folder in sorted(visor.iterdir()) if visor.is_dir() else ():
        print(command(project, "import", "images", folder, "--layout", "visor", "--generator", folder.name))


def _annotate(page: Page, _server: Server) -> None:
    form = Form(page)
    form.enter("Ada")
    form.two_objects(text="a dog, a bench, a tree")
    form.submit()
    form.saved("1 of")
    form.ready()
    form.objects("a dog, a bench")
    form.active("count_0")
    form.press("1", "n")
    page.mouse.move(0, 0)


def _browse(page: Page, _server: Server) -> None:
    page.goto("/studio/browse?suite=sr2d")
    expect(page.locator(".cc-cell img").first).to_be_visible()
    page.wait_for_function(
        "[...document.images].filter((i) => i.getBoundingClientRect().top < 800).every((i) => i.naturalWidth)"
    )


def _agreement(page: Page, _server: Server) -> None:
    page.goto("/studio/agreement?suite=tifa")
    expect(page.locator("#agreement-plot .ytick").first).to_be_visible(timeout=_INTERVALS_MS)
    # said once the intervals are there
    expect(page.locator("#sentence")).to_contain_text("95% interval", timeout=_INTERVALS_MS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "screenshots")
