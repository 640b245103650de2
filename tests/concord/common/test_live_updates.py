"""What is computed of a project is kept for as long as its version stays, as pages see it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from concord.common import live_updates
from data.store.core.cache import Cache
from data.store.core.store import Store
from tests.data.store.small_project import fill, submit


class Project:
    version = "1"

    def __init__(self) -> None:
        self.memory = Cache()


@pytest.fixture
def project() -> Project:
    return Project()


def test_without_an_app_pages_see_the_project_as_it_is(project: Project) -> None:
    store = cast("Store", project)
    assert live_updates.version(store) == "1"
    project.version = "2"
    assert live_updates.version(store) == "2"


def test_a_result_is_computed_once_until_the_project_changes(project: Project) -> None:
    calls: list[tuple[int, int]] = []

    @live_updates.cached(maxsize=4)
    def total(_: Store, a: int, b: int = 2) -> int:
        calls.append((a, b))
        return a + b

    store = cast("Store", project)
    assert [total(store, 1), total(store, 1, 2), total(store, a=1, b=2), total(store, 5)] == [3, 3, 3, 7]
    assert calls == [(1, 2), (5, 2)]
    project.version = "2"
    assert (total(store, 1), calls[2:]) == (3, [(1, 2)])


def test_of_all_who_look_at_once_one_computes(project: Project) -> None:
    calls: list[str] = []
    everybody = threading.Barrier(8)

    @live_updates.cached(maxsize=4)
    def slow(store: Store) -> str:
        calls.append(store.version)
        time.sleep(0.1)
        return f"of {store.version}"

    def look(_: int) -> str:
        everybody.wait()
        return slow(cast("Store", project))

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(look, range(8))) == {"of 1"}
        project.version = "2"
        assert set(threads.map(look, range(8))) == {"of 2"}
    assert calls == ["1", "2"]


def test_nobody_is_given_what_was_computed_before_the_project_changed(project: Project) -> None:
    begun, go_on = threading.Event(), threading.Event()
    judgements = ["yes"]

    @live_updates.cached(maxsize=4)
    def counted(_: Store) -> int:
        n = len(judgements)
        if n == 1:
            begun.set()
            assert go_on.wait(10)
        return n

    with ThreadPoolExecutor(1) as threads:
        before = threads.submit(counted, cast("Store", project))
        assert begun.wait(10)
        judgements.append("no")
        project.version = "2"
        # at once, although the older one is still being counted, and after that, too
        assert counted(cast("Store", project)) == 2
        go_on.set()
        assert before.result() == 1
    assert counted(cast("Store", project)) == 2


def test_what_the_arguments_say_whole_outlasts_a_change(project: Project) -> None:
    calls: list[str] = []

    @live_updates.cached(maxsize=2, key=live_updates.by_arguments)
    def read(_: Store, stamp: str) -> str:
        calls.append(stamp)
        return stamp

    other = Project()
    for store in (project, project, other):
        read(cast("Store", store), "a")
        store.version = "2"
    assert calls == ["a", "a"], "once for each project"
    for stamp in ("b", "c", "a"):
        read(cast("Store", project), stamp)
    assert calls[2:] == ["b", "c", "a"], "two have room"


def test_whoever_has_answered_is_counted_whoever_else_counts(tmp_path: Path) -> None:
    saved, lock = [0], threading.Lock()

    @live_updates.cached(maxsize=4)
    def counted(store: Store) -> int:
        return int(store.query_value("select count(*) from annotations"))

    def say(store: Store, image: str) -> bool:
        submit(store, image)
        with lock:
            saved[0] += 1
            by_now = saved[0]
        return counted(store) >= by_now

    with Store(tmp_path / "project") as store, ThreadPoolExecutor(4) as threads:
        assert all(threads.map(partial(say, store), fill(store, 24)))
        assert counted(store) == 24
