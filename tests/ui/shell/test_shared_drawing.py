"""Who looks at the same part of a page shares one drawing, where an app has the project open."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from data.store.core.store import Store
from ui.shell.drawing_pace import limit_pace
from ui.shell.shared_drawing import SharedDrawing


class Project:
    version = "1"


@pytest.fixture
def project() -> Project:
    return Project()


def test_who_looks_at_the_same_shares_one_drawing(project: Project) -> None:
    store = cast("Store", project)
    drawn: list[str] = []

    def draw(value: str) -> Iterator[list[str]]:
        drawn.append(value)
        yield [f"{value}, soon more"]
        yield [value]

    shared = SharedDrawing(store, draw)
    assert [list(shared.drawn("1", ("a",))) for _ in range(2)] == [[["a, soon more"], ["a"]]] * 2
    assert drawn == ["a", "a"], "without an app nothing is kept"
    drawn.clear()
    limit_pace(store)
    first, second = (list(shared.drawn("1", ("a",))) for _ in range(2))
    assert (first, second) == ([["a, soon more"], ["a"]], [["a"]])
    assert list(shared.drawn("1", ("b",)))[-1] == ["b"]
    assert list(shared.drawn("2", ("a",)))[-1] == ["a"]
    assert drawn == ["a", "b", "a"]


def test_a_drawing_that_failed_is_not_kept(project: Project) -> None:
    store, wrong = cast("Store", project), [True]
    limit_pace(store)

    def draw() -> Iterator[list[str]]:
        yield ["begun"]
        if wrong:
            raise ValueError("no")
        yield ["whole"]

    shared = SharedDrawing(store, draw)
    with pytest.raises(ValueError, match="no"):
        list(shared.drawn("1", ()))
    wrong.clear()
    assert list(shared.drawn("1", ())) == [["begun"], ["whole"]]


def test_who_comes_while_it_is_drawn_waits_for_the_same_drawing(project: Project) -> None:
    store = cast("Store", project)
    limit_pace(store)
    begun, go_on, drawn = threading.Event(), threading.Event(), []

    def draw() -> Iterator[list[str]]:
        drawn.append(1)
        begun.set()
        assert go_on.wait(10)
        yield ["soon more"]
        yield ["whole"]

    shared = SharedDrawing(store, draw)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(lambda: list(shared.drawn("1", ())))
        assert begun.wait(10)
        others = [threads.submit(lambda: list(shared.drawn("1", ()))) for _ in range(3)]
        go_on.set()
        seen = [future.result(10) for future in (first, *others)]
    assert drawn == [1]
    assert [one[-1] for one in seen] == [["whole"]] * 4


def test_who_goes_away_in_the_middle_keeps_nobody_waiting(project: Project) -> None:
    store = cast("Store", project)
    limit_pace(store)

    def draw() -> Iterator[list[str]]:
        yield ["soon more"]
        yield ["whole"]

    shared = SharedDrawing(store, draw)
    gone = shared.drawn("1", ())
    assert next(gone) == ["soon more"]
    assert list(shared.drawn("1", ())) == [["soon more"], ["whole"]]


def test_one_page_is_drawn_at_a_time(project: Project) -> None:
    store = cast("Store", project)
    limit_pace(store)
    at_once, most, lock = 0, 0, threading.Lock()

    def draw(_: int) -> Iterator[list[str]]:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        threading.Event().wait(0.02)
        with lock:
            at_once -= 1
        yield ["whole"]

    shared = SharedDrawing(store, draw)
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda n: list(shared.drawn("1", (n,))), range(6)))
    assert most == 1
