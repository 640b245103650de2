"""Handing out parts: processes that are slow, that die, that never come up; played by a crew without processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import pytest

from data.jobs.runs import Observation, WorkItem
from scorers.base import ModelBroken
from scorers.running.engines.device_worker import (
    DIED,
    PerceiveTask,
    TaskResult,
    WorkerDied,
    WorkerError,
    WorkerMessage,
    WorkerState,
)
from scorers.running.engines.engine import Engine


def parts(n: int, size: int) -> list[PerceiveTask]:
    return [PerceiveTask(k, [WorkItem(f"{k}.{at}", "", "", "", {}) for at in range(size)]) for k in range(n)]


class Played:
    """Each place answers when it is asked for the ``pace``-th time; it dies of whatever ``deadly`` says so of."""

    def __init__(
        self, devices: Sequence[str], pace: Sequence[int] = (), deadly: Callable[[int, PerceiveTask], bool] = lambda *_: False
    ) -> None:
        self.devices = devices
        self.pace = pace or [1] * len(devices)
        self.deadly = deadly
        self.given: list[tuple[int, int, int | None]] = []
        self.starts = [0] * len(devices)
        self.never: set[int] = set()
        self._waiting: dict[int, tuple[int, WorkerMessage]] = {}
        self._said: deque[tuple[int, WorkerMessage]] = deque()

    def start(self, place: int) -> None:
        self.starts[place] += 1
        self._said.append((place, WorkerDied("SIGKILL") if place in self.never else self._state(place)))

    def _state(self, index: int, memory: int | None = None, halved: int = 0) -> WorkerState:
        return WorkerState(f"{self.devices[index]} (it)", {}, (), memory, halved)

    def give(self, index: int, task: PerceiveTask, following: PerceiveTask | None) -> None:  # noqa: ARG002  (as every crew's)
        self.given.append((index, task.number, task.place))
        if self.deadly(index, task):
            self._waiting[index] = (self.pace[index], WorkerDied("SIGSEGV"))
        else:
            seen = [Observation(entry.item_id, {"place": index}) for entry in task.work]
            self._waiting[index] = (self.pace[index], TaskResult(task.key, seen, self._state(index, 100, 1)))

    def hear(self, seconds: float) -> list[tuple[int, WorkerMessage]]:  # noqa: ARG002
        heard = list(self._said)
        self._said.clear()
        for index, (left, said) in list(self._waiting.items()):
            if left > 1:
                self._waiting[index] = (left - 1, said)
            else:
                del self._waiting[index]
                heard.append((index, said))
        return heard

    def close(self) -> None:
        self._waiting.clear()


def made(crew: Played, tasks: Sequence[PerceiveTask], stop: Callable[[], bool] = lambda: False) -> dict[int, list[Observation]]:
    with Engine(lambda _: crew) as engine:
        return dict(engine.make(tasks, stop))


def items(results: dict[int, list[Observation]]) -> dict[int, list[str]]:
    return {number: [observation.item_id for observation in seen] for number, seen in results.items()}


def whole(tasks: Sequence[PerceiveTask]) -> dict[int, list[str]]:
    return {part.number: [entry.item_id for entry in part.work] for part in tasks}


def test_a_slow_device_does_not_hold_up_a_fast_one() -> None:
    tasks = parts(12, 2)
    crew = Played(["fast", "slow"], [1, 5])
    results = made(crew, tasks)
    assert items(results) == whole(tasks)
    assert list(results) != sorted(results)  # as they come
    by = [index for index, _, _ in crew.given]
    assert by.count(0) > 2 * by.count(1) >= 2


def test_a_part_whose_process_dies_is_given_out_again() -> None:
    tasks = parts(6, 2)
    died: list[int] = []

    def deadly(index: int, task: PerceiveTask) -> bool:
        first = task.number == 2 and not died
        died.extend([index] if first else [])
        return first

    crew = Played(["a", "b"], deadly=deadly)
    with Engine(lambda _: crew) as engine:
        results = dict(engine.make(tasks, lambda: False))
        status = engine.status
    assert items(results) == whole(tasks)
    assert not any(observation.failed for seen in results.values() for observation in seen)
    assert sorted(crew.starts) == [1, 2]
    assert crew.given.count((0, 2, None)) + crew.given.count((1, 2, None)) == 2
    assert status.devices == ("a (it)", "b (it)")
    assert any("SIGSEGV" in warning for warning in status.warnings)
    assert (status.memory, status.batch_halved >= 2) == (200, True)


@pytest.mark.parametrize("devices", [["a", "b"], ["a"]])
def test_an_image_that_kills_is_found_and_the_others_are_seen(devices: list[str]) -> None:
    tasks = parts(5, 4)
    poisoned = {"1.0", "1.1", "3.3"}
    crew = Played(devices, deadly=lambda _, task: any(entry.item_id in poisoned for entry in task.work))
    results = made(crew, tasks)
    assert items(results) == whole(tasks)
    assert {
        observation.item_id: observation.failed for seen in results.values() for observation in seen if observation.failed
    } == dict.fromkeys(poisoned, DIED)
    # twice with the others, twice alone
    assert sum(crew.starts) == len(devices) + 2 * 2 + 3 * 2


def test_where_every_image_kills_it_is_not_the_images() -> None:
    with pytest.raises(RuntimeError, match="dies on every image"):
        made(Played(["a", "b"], deadly=lambda *_: True), parts(1, 8))


def test_a_device_whose_processes_keep_dying_is_left_out() -> None:
    tasks = parts(12, 2)
    crew = Played(["good", "bad"], [2, 1], deadly=lambda index, _: index == 1)
    results = made(crew, tasks)
    assert items(results) == whole(tasks)
    assert crew.starts[1] <= 5


def test_a_device_that_does_not_come_up_is_left_out_unless_none_does() -> None:
    crew = Played(["a", "b"])
    crew.never = {1}
    assert items(made(crew, parts(3, 2))) == whole(parts(3, 2))
    crew = Played(["a", "b"])
    crew.never = {0, 1}
    with pytest.raises(RuntimeError, match="its process died while it opened the models"):
        made(crew, parts(3, 2))


def test_what_a_process_says_of_a_broken_model_ends_the_run() -> None:
    crew = Played(["a", "b"])
    with Engine(lambda _: crew) as engine:
        crew._said.append((1, WorkerError("ModelBroken", "it gives no numbers")))
        with pytest.raises(ModelBroken, match=r"b.*: it gives no numbers"):
            list(engine.make(parts(3, 2), lambda: False))


def test_asked_to_stop_what_is_at_hand_is_finished_and_nothing_begun() -> None:
    crew = Played(["a", "b"], [3, 3])
    requested = iter([False, True])
    results = made(crew, parts(9, 2), lambda: next(requested, True))
    assert sorted(results) == sorted(number for _, number, _ in crew.given)
    assert len(results) == 2
