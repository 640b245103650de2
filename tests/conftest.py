"""For all tests, before anything that computes is imported."""

from __future__ import annotations

import asyncio
import functools
import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from data.store.core import connections

if TYPE_CHECKING:
    from tests.ui.http_visitor import World

# tests that run beside each other compute on one thread each: with more threads than cores, they wait for one another
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# containers set this for images that stay small; here it makes each of hundreds of processes compile torch anew, and each
# worker rewrite the assertions of all tests
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# virtual machines may claim AMX and end with "Illegal instruction" at its first use in bfloat16
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

# a test is not about how fast this machine is just now
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")

SLOW_FOLDERS = ("faults", "fuzz")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that break the machine or feed it garbage are ``slow``, whatever file of their folder they are in."""
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).parts[0] in SLOW_FOLDERS:
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """What is imported by now stays: the collector need not look at it again and again (a tenth of the time)."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _template_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new project's database is a copy of one that was opened once, so that opening it writes nothing.

    All of them share a secret. Where anything of a project is there already, the product's own way is left alone.
    """
    from data.store.core import schema, store

    newest = max(schema.migration_files())
    project = tmp_path_factory.mktemp("template")
    template = project / connections.DATABASE
    with store.Store(project):
        pass
    connect = store._connect

    def connect_to_copy(path: Path, backups: store.Backups) -> Any:
        untouched = not any(path.parent.glob(f"{path.name}*")) and not (path.parent / "backups").exists()
        # a test of migrations may make believe that this Concord is an earlier one
        if untouched and max(schema.migration_files()) == newest:
            try:
                shutil.copyfile(template, path)
                path.chmod(0o600)
            except OSError:
                path.unlink(missing_ok=True)
        return connect(path, backups)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_connect", connect_to_copy)
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


@pytest.fixture(scope="session")
def _world_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.ui.http_visitor import make_project

    return make_project(tmp_path_factory.mktemp("world_template"))


@pytest.fixture
def world(_world_template: Path, tmp_path: Path) -> Iterator[World]:
    """The routes, without Gradio's pages, over four images of two prompts and one study rating.

    Whatever fails inside is an answer with 500.
    """
    from tests.ui.http_visitor import open_world

    with open_world(_world_template, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def standing_world(_world_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The same with pages, for all tests of a file, which never runs out of tasks: for those that leave nothing for others to
    trip over."""
    from tests.ui.http_visitor import open_world

    with open_world(_world_template, tmp_path_factory.mktemp("world"), pages=True) as made:
        with made.store.read() as cursor:
            cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 1000, current_timestamp)")
        yield made


@pytest.fixture(autouse=True)
def _no_loop_of_the_browser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Playwright leaves its event loop running in the main thread as long as there is a browser: other tests have their own."""
    if request.node.get_closest_marker("e2e"):
        yield
        return
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture(scope="session", autouse=True)
def _command_line_built_once() -> Iterator[None]:
    """Typer makes its hundreds of options anew at each call: a fifth of a second, which a process outside tests pays once."""
    from typer import main, testing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "_get_command", functools.cache(main.get_command))
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """An order in which something failed can be had again; quiet runs leave out the line of the plugin that says it."""
    if config.pluginmanager.hasplugin("randomly"):
        terminalreporter.write_line(f"order of the tests: --randomly-seed={config.getoption('randomly_seed')}")
