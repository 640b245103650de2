"""What pages follow moves with the project: at once after a quiet time, and only so often while drawing takes long."""

from __future__ import annotations

from typing import cast

import pytest

from data.store.core.store import Store
from ui.shell.drawing_pace import DrawingPace


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
