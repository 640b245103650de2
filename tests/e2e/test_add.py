"""Add: two generators in one folder and a zip become images, which are asked about, without a command; a run is watched."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from concord.runs import score
from data.jobs.runs import Run, RunFolder
from data.selection import Selection
from data.store import runs
from data.store.core.store import Store
from tests.e2e import project_files
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server, command, serving
from tests.ui.small_project import png

Visit = Callable[..., Visitor]


def undo(page: Page, number: int) -> None:
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=str(number), exact=True))
    row.get_by_role("button", name=f"Undo import {number}").click()
    page.get_by_role("button", name="Undo it").click()
    expect(row).to_contain_text("undone")


def test_a_newcomer_adds_two_generators_and_labels(fresh: Server, visitor: Visit, tmp_path: Path) -> None:
    for n in range(4):
        png(tmp_path / "mine" / ("flux", "sdxl")[n % 2] / f"{n // 2}.png", f"rgb(9, {n}, 9)")
    (tmp_path / "mine" / "prompts.txt").write_text("an <b>apple</b>\ntwo cups\n")
    page = visitor(fresh).page
    page.goto("/")
    expect(page.get_by_role("heading", name="Nothing is in this project yet. What shall be judged?")).to_be_visible()
    expect(page.get_by_role("button", name="Score images")).to_be_disabled()
    expect(page.get_by_text("Or a folder on this machine").first).to_be_visible()
    assert serious(page) == []

    page.get_by_label("Choose a folder").first.set_input_files(tmp_path / "mine")
    read = page.get_by_role("region", name="What was read")
    expect(read.get_by_role("heading", name="4 images of 2 prompts by 2 generators")).to_be_visible()
    expect(read).to_contain_text("an <b>apple</b>")
    expect(read.get_by_role("textbox", name="Generator")).to_have_count(2)
    read.get_by_role("textbox", name="Generator").first.fill("flux-schnell")
    assert serious(page) == []
    read.get_by_role("button", name="Store 4 images").click()
    receipt = page.get_by_role("status", name="Receipt")
    expect(receipt).to_contain_text("4 images of 2 prompts.")
    expect(receipt).to_be_focused()
    expect(receipt).to_be_in_viewport()
    page.get_by_role("region", name="Label").get_by_role("link", name="Label images").click()
    page.get_by_role("textbox", name="Your name").fill("Ann")
    page.keyboard.press("Enter")
    expect(page.get_by_role("img", name="The picture to judge")).to_be_visible()

    page.goto("/studio/add")
    undo(page, 1)


def test_a_zip_is_dropped_in_any_place_and_left(fresh: Server, visitor: Visit, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.write(png(tmp_path / "a.png"), "a.png")
        archive.writestr("images.csv", "path,prompt\na.png,a red apple\ngone.png,a dog\n")
    page = visitor(fresh).page
    page.goto("/studio/images")
    expect(page.locator("nav.cc-nav")).to_be_visible()
    content = list((tmp_path / "mine.zip").read_bytes())
    drop = """(bytes) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(bytes)], "mine.zip"));
        for (const type of ["dragenter", "dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }"""
    page.wait_for_timeout(500)
    page.evaluate(drop, content)
    read = page.get_by_role("region", name="What was read")
    expect(read.get_by_role("heading", name="1 image of 1 prompt by 1 generator")).to_be_visible()
    expect(read).to_contain_text("Gone.png: images.csv:3: no such file")
    read.get_by_role("button", name="Leave it").click()
    expect(page.get_by_role("heading", name="Drop a folder, a zip or a table")).to_be_visible()


def left_running(project: Path, scorer: str) -> RunFolder:
    """A run of all images as an app leaves it that is killed just after it began one."""
    with Store(project) as store:
        plan = score.plan_scoring(store, scorer, "playground", {})
        run = Run(f"0001-{plan.rater.rater_id}", scorer, plan.scorer.version, "playground", plan.settings)
        folder = RunFolder(project / "runs" / run.run_id)
        work = runs.pending(store, Selection(), "x")
        folder.create(run, work)
        runs.add_run(store, run, plan.rater, f"runs/{run.run_id}", len(work))
    return folder


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_is_removed(visitor: Visit, tmp_path: Path) -> None:
    project, images = tmp_path / "project", project_files.visor_folder(tmp_path / "images", (0, 1))
    command(project, "import", "images", images, "--layout", "visor", "--generator", "alpha")
    left_running(project, "clipscore")
    with serving(project) as server:
        page = visitor(server).page
        page.goto("/studio/add/runs")
        expect(page.locator(".cc-state")).to_have_text("interrupted")
        page.get_by_role("button", name="Resume").click()
        expect(page.locator(".cc-state")).to_have_text("done", timeout=240_000)
        expect(page.get_by_role("table")).to_contain_text("2 of 2 images")
        assert serious(page) == []
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(page.get_by_text("what it saw of 2 images")).to_be_visible()
        page.get_by_role("button", name="Remove it").click()
        expect(page.get_by_role("heading", name="No scorer has scored this project’s images yet")).to_be_visible()


def test_hostile_names_stay_texts(attacked: Server, visitor: Visit) -> None:
    page = visitor(attacked).page
    for address in ("/studio/add?kind=prompts&read=%3Cimg%20src=x%20onerror=alert(1)%3E", "/studio/add/runs?run=%3Cscript%3E"):
        page.goto(address)
        expect(page.locator("main.cc-place h1")).to_be_visible()
        expect(page.locator("main.cc-place script, main.cc-place img[src='x']")).to_have_count(0)
