"""What pages follow moves with the project: at once after a quiet time, and only so often while drawing takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from concord.common import live_updates
from concord.common.live_updates import DrawingPace, SharedDrawing
from data.store.core.store import Store


class Project:
    version = "1"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def project() -> Project:
    return Project()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(project: Project, clock: Clock) -> DrawingPace:
    return DrawingPace(cast("Store", project), clock, clock)


def draw(pace: DrawingPace, clock: Clock, seconds: float) -> None:
    def step() -> None:
        clock.now += seconds

    pace.draw(step)


def test_what_is_drawn_quickly_moves_with_every_write(pace: DrawingPace, project: Project, clock: Clock) -> None:
    for n in range(100):
        project.version = str(n)
        assert pace.version() == str(n)
        draw(pace, clock, 0.1)
        clock.now += 1


def test_drawing_takes_a_share_of_the_time_while_answers_come_in(pace: DrawingPace, project: Project, clock: Clock) -> None:
    drawn, spent, start = "", 0.0, clock.now
    for n in range(6000):
        project.version = str(n)
        clock.now += 0.1
        if pace.version() != drawn:
            drawn = pace.version()
            draw(pace, clock, 2.0)
            spent += 2.0
    assert 0.1 < spent / (clock.now - start) < 0.2


def test_all_see_the_same_meanwhile(pace: DrawingPace, project: Project, clock: Clock) -> None:
    draw(pace, clock, 8.0)
    project.version = "2"
    assert pace.version() == "1"
    clock.now += 60
    assert pace.version() == "2", "and it moves in the end"


def test_one_long_drawing_does_not_stop_pages_for_long(pace: DrawingPace, project: Project, clock: Clock) -> None:
    draw(pace, clock, 3600.0)
    project.version = "2"
    clock.now += 61
    assert pace.version() == "2"


def test_waiting_for_a_busy_machine_costs_nothing(project: Project, clock: Clock) -> None:
    pace = DrawingPace(cast("Store", project), clock, worked=lambda: 0.0)
    draw(pace, clock, 600.0)
    project.version = "2"
    assert pace.version() == "2"


def test_a_clock_that_stands_still_owes_nothing(pace: DrawingPace, project: Project) -> None:
    project.version = "2"
    assert pace.version() == "2"


def test_without_an_app_pages_see_the_project_as_it_is(project: Project) -> None:
    store = cast("Store", project)
    assert live_updates.version(store) == "1"
    project.version = "2"
    assert live_updates.version(store) == "2"


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
    live_updates.limit_pace(store)
    first, second = (list(shared.drawn("1", ("a",))) for _ in range(2))
    assert (first, second) == ([["a, soon more"], ["a"]], [["a"]])
    assert list(shared.drawn("1", ("b",)))[-1] == ["b"]
    assert list(shared.drawn("2", ("a",)))[-1] == ["a"]
    assert drawn == ["a", "b", "a"]


def test_a_drawing_that_failed_is_not_kept(project: Project) -> None:
    store, wrong = cast("Store", project), [True]
    live_updates.limit_pace(store)

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
    live_updates.limit_pace(store)
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
    live_updates.limit_pace(store)

    def draw() -> Iterator[list[str]]:
        yield ["soon more"]
        yield ["whole"]

    shared = SharedDrawing(store, draw)
    gone = shared.drawn("1", ())
    assert next(gone) == ["soon more"]
    assert list(shared.drawn("1", ())) == [["soon more"], ["whole"]]


def test_one_page_is_drawn_at_a_time(project: Project) -> None:
    store = cast("Store", project)
    live_updates.limit_pace(store)
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
