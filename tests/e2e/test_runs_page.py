"""The page Runs: a real scorer begun with a click, an interrupted run resumed, a queue, what failed tried again, and names that
are attempts at an attack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from concord.runs import score
from data.jobs.runs import Run, RunFolder
from data.selection import Selection
from data.store import runs
from data.store.core.store import Store
from tests.e2e import project_files
from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server, command, serving

Visit = Callable[..., Visitor]
# models are loaded, on whatever machine this is


def button(page: Page, name: str, *, can: bool) -> None:
    locator = page.get_by_role("button", name=name, exact=True)
    expect(locator).to_be_visible()
    expect(locator).to_be_enabled(enabled=can)


def row(page: Page, text: str) -> None:
    expect(page.locator("#runs tbody tr").filter(has_text=text)).to_have_count(1)


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


def state(page: Page, run_id: str, says: str) -> None:
    shown = page.locator("#runs tbody tr").filter(has=page.get_by_role("link", name=run_id, exact=True))
    expect(shown.locator(".cc-state")).to_have_text(says)


def choose(page: Page, run_id: str) -> None:
    page.get_by_role("link", name=run_id, exact=True).click()
    expect(page.locator("#run-details h2")).to_have_text(run_id)


def act(page: Page, name: str) -> None:
    button(page, name, can=True)
    page.locator("#run-actions").get_by_role("button", name=name, exact=True).click()


@pytest.mark.slow
def test_from_no_images_to_all_scored(fresh: Server, visitor: Visit, tmp_path: Path) -> None:
    page = visitor(fresh).page
    page.goto("/studio/add/runs?scorer=clipscore")
    expect(page.locator("#run-plan")).to_contain_text("There are no images to score yet.")
    expect(page.locator("#runs")).to_contain_text("uv run app.py score geneval --project")
    button(page, "Score", can=False)
    images = project_files.visor_folder(tmp_path / "images", project_files.LEFT_PROMPTS)
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    page.evaluate("window.unloaded = false")
    button(page, "Score 5 images", can=True)
    page.get_by_role("button", name="Score 5 images").click()
    row(page, "0001-clipscore-playground")
    row(page, "5 of 5 images")
    button(page, "Nothing left to score", can=False)
    expect(page.locator(".cc-state")).to_have_text("done")
    button(page, "Pause", can=False)
    assert page.evaluate("window.unloaded") is False, "the page was loaded again"
    assert "nothing to do: clipscore-playground has judged all 5 images" in fresh.run("score", "clipscore")
    page.goto("/studio/")
    expect(page.locator("#board")).to_contain_text("clipscore-playground")


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_is_removed(visitor: Visit, tmp_path: Path) -> None:
    project = tmp_path / "project"
    command(
        project,
        "import",
        "images",
        project_files.visor_folder(tmp_path / "images", (0, 1)),
        "--layout",
        "visor",
        "--generator",
        "alpha",
    )
    left_running(project, "clipscore")
    with serving(project) as server:
        page = visitor(server).page
        page.goto("/studio/add/runs?scorer=clipscore")
        expect(page.locator(".cc-state")).to_have_text("interrupted")
        button(page, "Resume", can=True)
        page.get_by_role("button", name="Resume").click()
        row(page, "2 of 2 images")
        expect(page.locator(".cc-state")).to_have_text("done")
        page.get_by_role("button", name="Remove", exact=True).click()
        expect(page.locator("#run-confirm")).to_contain_text("what it saw of 2 images")
        page.get_by_role("button", name="Remove it").click()
        expect(page.locator("#runs")).to_contain_text("No scorer has scored this project’s images yet.")
        button(page, "Score 2 images", can=True)


@pytest.mark.slow
def test_a_queue_and_what_failed_tried_again(visitor: Visit, tmp_path: Path) -> None:
    project, images = tmp_path / "project", project_files.visor_folder(tmp_path / "images", (0, 1, 2))
    command(project, "import", "images", images, "--layout", "visor", "--generator", "alpha")
    first, second, third, fourth = (
        f"000{n}-{name}-playground" for n, name in enumerate(("geneval", "visor", "clipscore", "clipscore"), 1)
    )
    picture = images / "1_0.png"
    whole = picture.read_bytes()
    picture.write_bytes(whole[: len(whole) // 2])
    # the worker of an app from before, which does not end before it is let go
    with left_running(project, "geneval").claim(), serving(project) as server:
        page = visitor(server).page
        for n, scorer in enumerate(("visor", "clipscore")):
            page.goto(f"/studio/add/runs?scorer={scorer}")
            expect(page.locator("#run-plan")).to_contain_text(f"It waits for run {(first, second)[n]}")
            button(page, "Queue 3 images", can=True)
            page.get_by_role("button", name="Queue 3 images").click()
            state(page, (second, third)[n], "queued")
        state(page, first, "loading the models")

        choose(page, third)
        act(page, "Pause")
        state(page, third, "paused")
        act(page, "Resume")
        state(page, third, "queued")
        act(page, "Sooner")
        expect(page.locator("#runs tbody tr").nth(1)).to_contain_text(third)
        choose(page, second)
        act(page, "Cancel")
        state(page, second, "cancelled")
        choose(page, first)
        act(page, "Pause")
        state(page, first, "paused")

        state(page, third, "done")
        row(page, "the file has changed since it was imported (1)")
        choose(page, third)
        expect(page.locator("#run-details")).to_contain_text("1 image failed:")
        picture.write_bytes(whole)
        act(page, "Try these again")
        state(page, fourth, "done")
        row(page, "1 of 1 image")
        choose(page, third)
        expect(page.locator("#run-details")).to_contain_text("1 image failed, 1 of them seen since by a later run:")
        expect(page.get_by_role("button", name="Try these again")).to_be_hidden()
        state(page, first, "paused")
        state(page, second, "cancelled")


def test_a_hostile_name_stays_text(attacked: Server, visitor: Visit) -> None:
    page = visitor(attacked).page
    name = project_files.HOSTILE[0].replace("/", "")
    page.goto(f"/studio/add/runs?{urlencode({'scorer': 'clipscore', 'generator': name})}")
    expect(page.get_by_role("textbox", name="Generator").or_(page.get_by_label("Generator"))).to_have_value(name)
    expect(page.locator("#run-plan code")).to_contain_text("--generator")
    expect(page.locator("#run-plan img, #run-plan script")).to_have_count(0)
