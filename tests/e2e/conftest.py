"""A real browser before a real server with small hand-made data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e import project_files
from tests.e2e.browser_watch import PATIENCE_MS, VIEWPORT, Visitor, visit
from tests.e2e.server import PROBLEMS, Server, command, commands_reach_apps, serving

_FLAGS = ["--disable-dev-shm-usage"]
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
Visit = Callable[..., Visitor]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder are ``e2e``."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session", autouse=True)
def _in_this_process() -> Iterator[None]:
    """Apps are served by threads of this process: what they complain about is heard, and commands reach them."""
    with PROBLEMS.watching(), commands_reach_apps():
        yield


@pytest.fixture(autouse=True)
def _no_problems() -> Iterator[None]:
    """An app that complains fails the test in which it does; what other tests logged before is not the app's."""
    PROBLEMS.taken()
    yield
    assert not (problems := PROBLEMS.taken()), "the app had problems:\n" + "\n".join(problems)


@pytest.fixture(scope="session")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser whose first visitor of each test begins without cookies and storage, but with its cache."""
    path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if path is None:
        missing = f"no browser: none of {', '.join(_BROWSERS)} is installed"
        if os.environ.get("CONCORD_E2E") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        # a profile keeps what it has cached and compiled of Gradio's scripts: half the cost of a page
        profile = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=path, args=_FLAGS, viewport=VIEWPORT
        )
        yield profile
        profile.close()


@pytest.fixture(scope="session")
def browser(profile: BrowserContext) -> Browser:
    """For visitors who need a browser of their own."""
    assert profile.browser is not None
    return profile.browser


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001 - none without it
    """A project with everything in it; tests share it, so each uses names of its own and adds answers only."""
    folder = tmp_path_factory.mktemp("full")
    project = folder / "project"
    visor = (project_files.visor_folder(folder / name, lines, 20 * n) for n, (name, lines) in enumerate(_VISOR.items()))
    for generator, images in zip(_VISOR, visor, strict=True):
        command(project, "import", "images", images, "--layout", "visor", "--generator", generator)
    study = project_files.study(folder / "study")
    command(project, "import", "study", "geneval", "--metadata", study.metadata, f"sdv2={study.annotations}")
    people = project_files.ratings(folder / "people.csv", {"Ann": 0, "Ben": 1})
    scorers = project_files.ratings(folder / "scorers.csv", {"clipscore": 2, "tifa": 3})
    for file, kind in ((people, "human"), (scorers, "scorer")):
        _import_ratings(project, file, "faithfulness", project_files.RATED_SUITE, kind, "--prompt", "prompt")
    with serving(project) as running:
        yield running


@pytest.fixture(scope="session")
def attacked(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001
    """A project in which every name and text that somebody else chose is an attempt at an attack."""
    folder = tmp_path_factory.mktemp("attacked")
    project = folder / "project"
    prompts = project_files.hostile_prompts(folder / "prompts.jsonl")
    command(project, "import", "prompts", prompts, "--suite", "images")
    command(project, "import", "images", project_files.hostile_folder(folder / "hostile"), "--layout", "csv")
    file = project_files.hostile_ratings(folder / "people.csv")
    _import_ratings(project, file, project_files.HOSTILE_ASPECT, project_files.HOSTILE_SUITE, "human")
    scorers = project_files.hostile_ratings(folder / "scorers.csv", "scorer ")
    _import_ratings(project, scorers, project_files.HOSTILE_ASPECT, project_files.HOSTILE_SUITE, "scorer")
    with serving(project) as running:
        yield running


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project, closed, to be copied."""
    project: Path = tmp_path_factory.mktemp("sample") / "project"
    command(project, "import", "playground")
    return project


@pytest.fixture(scope="session")
def playground(browser: Browser, sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:  # noqa: ARG001
    """The sample project; tests that share it add kept settings and names of their own, nothing else."""
    with serving(shutil.copytree(sample, tmp_path_factory.mktemp("explored") / "project")) as running:
        yield running


@pytest.fixture
def fresh(browser: Browser, tmp_path: Path) -> Iterator[Server]:  # noqa: ARG001
    """An empty project."""
    with serving(tmp_path / "project") as running:
        yield running


@pytest.fixture
def visitor(browser: Browser, profile: BrowserContext) -> Iterator[Visit]:
    """Makes visitors of a server; none of them may have met a problem when the test ends."""
    visitors: list[Visitor] = []

    def make(server: Server, **options: Any) -> Visitor:
        free = None if any(visitor.kept for visitor in visitors) else profile
        visitors.append(visit(browser, server.url, profile=free, **options))
        return visitors[-1]

    yield make
    problems = [problem for visitor in visitors for problem in visitor.watch.problems]
    for visitor in visitors:
        visitor.leave()
    assert not problems, "the page had problems:\n" + "\n".join(problems)


@pytest.fixture
def page(visitor: Visit, server: Server) -> Page:
    """A page of the project with everything in it."""
    return visitor(server).page


_VISOR = {"alpha": (0, 1, 2, 4, 6, 8, 10, 11), "beta": (0, 1, 2, 4, 6, 8)}


def _import_ratings(project: Path, file: Path, aspect: str, suite: str, kind: str, *more: str) -> None:
    columns = ("--item", "image", "--rater", "who", "--value", "score", "--task", "task", "--generator", "model")
    meaning = ("--aspect", aspect, "--scale", "ordinal:1-5", "--suite", suite, "--kind", kind)
    command(project, "import", "ratings", file, *columns, *meaning, *more)
