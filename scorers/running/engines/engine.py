"""What every engine is: it opens a run's models, has them look at parts, and hands over what was seen, in any order; and the
engine of several processes, to which parts are handed out as they become free.

Nothing here knows what a process is: that is a ``WorkerPool``'s. A part at which a process died is given out again; at which
two died, image by image. An image at which two die alone has failed, and the others go on.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Protocol, Self

from data.jobs.runs import Observation, Run, WorkItem
from scorers.running.engines import device_worker
from scorers.running.engines.device_worker import PerceiveTask, TaskResult, WorkerDied, WorkerError, WorkerMessage, WorkerReady
from scorers.running.perceive import DIED


@dataclass(frozen=True, slots=True)
class RunPart:
    """Some images of a run, which are written together."""

    number: int
    work: Sequence[WorkItem]


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """What was seen of a part, in its order."""

    number: int
    seen: list[Observation]


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """How an engine's processes stand.

    Attributes:
        devices: what they run on, as people know it (``cuda:0 (NVIDIA H100)``), in the order of the run.
        warnings: what looked odd when the models were opened, or since, a line each.
        versions: of the packages that matter, where the models are.
        memory: bytes, the most that each process held so far, summed; None where it is not known.
        batch_halved: how often a batch was halved because memory ran out, in all.
    """

    devices: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    memory: int | None = None
    batch_halved: int = 0


class Engine(Protocol):
    """Models in memory on at least one device while it is used as a context; leaving it ends all its processes.

    Entering raises what opening the models raises: ``ValueError`` (the run cannot be done by this code), ``OSError`` (a model
    is not at hand), ``ImportError``, ``ModelBroken``, or ``RuntimeError`` where every device's process dies.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    @property
    def status(self) -> EngineStatus:
        """As far as is known now."""
        ...

    def make(self, parts: Sequence[RunPart], stop: Callable[[], bool]) -> Iterator[FinishedPart]:
        """Whole parts as they are ready. Once ``stop`` says so, those at hand are finished and no other is begun.

        Raises:
            ModelBroken: a model gives what no working model gives.
            RuntimeError: a model fails on every image of a part, or the processes die of it.
        """
        ...


_TRIES: Final = 2
"""A process may die of something else than what it looks at, once."""
_DEATHS: Final = 4
"""So many times in a row, and nothing to blame for it: that device is given up."""
_LOOK_SECONDS: Final = 0.2


class WorkerPool(Protocol):
    """Processes that have models, one for each device, known by their place among the devices."""

    devices: Sequence[str]

    def start(self, place: int) -> None:
        """Begin to open the models there; the process says ``Ready``."""
        ...

    def give(self, place: int, task: PerceiveTask, following: PerceiveTask | None) -> None:
        """Have it look at a task. A process that died is heard of, here nothing is raised."""
        ...

    def hear(self, seconds: float) -> list[tuple[int, WorkerMessage]]:
        """What was said, as soon as anything was; after so many seconds nothing."""
        ...

    def close(self) -> None:
        """End them all, at once."""
        ...


@dataclass(slots=True)
class _DeviceSlot:
    """A device and its process."""

    device: str
    alive: bool = True
    ready: bool = False
    task: PerceiveTask | None = None
    following: PerceiveTask | None = None
    deaths: int = 0
    told: TaskResult | None = None


@dataclass(slots=True)
class _OpenPart:
    """A part that is not whole yet."""

    part: RunPart
    seen: dict[int, Observation] = field(default_factory=dict)
    deaths: dict[int | None, int] = field(default_factory=dict)


class Dispatch:
    """An engine's work with several processes. See ``scorers.running.engines.engine.Engine`` for ``open``, ``status``,
    ``make``.
    """

    def __init__(self, crew: WorkerPool) -> None:
        self._crew = crew
        self._places = [_DeviceSlot(device) for device in crew.devices]
        self._open: dict[int, _OpenPart] = {}
        self._queue: deque[PerceiveTask] = deque()
        self._whole: deque[FinishedPart] = deque()
        self._warnings: list[str] = []
        self._versions: dict[str, str] = {}
        self._gone = 0  # halved by processes that are no more
        self._blamed: int | None = 0

    def open(self) -> None:
        """Until the first process has its models.

        Raises:
            Exception: one cannot have them, and says why.
            RuntimeError: all died.
        """
        for place in range(len(self._places)):
            self._crew.start(place)
        while not any(place.ready for place in self._places):
            self._listen()

    @property
    def status(self) -> EngineStatus:
        said = [place.told for place in self._places if place.told is not None]
        memory = [told.memory for told in said if told.memory is not None]
        warnings = dict.fromkeys([*self._warnings, *(line for told in said for line in told.warnings)])
        return EngineStatus(
            tuple(place.device for place in self._places),
            tuple(warnings),
            self._versions,
            sum(memory) if memory else None,
            self._gone + sum(told.halved for told in said),
        )

    def make(self, parts: Sequence[RunPart], stop: Callable[[], bool]) -> Iterator[FinishedPart]:
        """See ``Engine``."""
        self._open = {part.number: _OpenPart(part) for part in parts}
        self._queue = deque(PerceiveTask(part.number, part.work) for part in parts)
        stopping = False
        while True:
            stopping = stopping or stop()
            if not stopping:
                free = [
                    (k, hand_out)
                    for k, hand_out in enumerate(self._places)
                    if hand_out.alive and hand_out.ready and hand_out.task is None
                ]
                for k, hand_out in free:
                    task = hand_out.following or (self._queue.popleft() if self._queue else None)
                    if task is None:
                        continue
                    # at the end nobody keeps for later what another could begin now
                    working = sum(hand_out.alive for hand_out in self._places)
                    hand_out.task, hand_out.following = task, self._queue.popleft() if len(self._queue) >= working else None
                    self._crew.give(k, task, hand_out.following)
            if not self._whole and not any(place.task for place in self._places) and (stopping or not self._open):
                return
            while self._whole:
                yield self._whole.popleft()
            if any(place.task for place in self._places) or self._queue:
                self._listen()

    def _listen(self) -> None:
        for k, said in self._crew.hear(_LOOK_SECONDS):
            place = self._places[k]
            if isinstance(said, WorkerReady):
                place.ready, place.device = True, said.device
                self._versions |= said.versions
                self._warnings += said.warnings
            elif isinstance(said, TaskResult):
                self._take(place, said)
            elif isinstance(said, WorkerError):
                if said.trace:
                    print(said.trace, file=sys.stderr)
                raise said.error(place.device)
            else:
                self._bury(k, place, said)

    def _take(self, place: _DeviceSlot, told: TaskResult) -> None:
        task = place.task
        assert task is not None
        assert told.task == (task.number, task.place)
        place.task, place.told, place.deaths, self._blamed = None, told, 0, None
        begin = task.place or 0
        self._put(task, dict(enumerate(told.seen, begin)))

    def _put(self, task: PerceiveTask, seen: dict[int, Observation]) -> None:
        opened = self._open[task.number]
        opened.seen |= seen
        if len(opened.seen) == len(opened.part.work):
            del self._open[task.number]
            self._whole.append(FinishedPart(task.number, [opened.seen[k] for k in range(len(opened.part.work))]))

    def _bury(self, k: int, place: _DeviceSlot, died: WorkerDied) -> None:
        """A process is gone: what it was at is tried again, elsewhere or by the next process on its device."""
        loading, task = not place.ready, place.task
        if place.following is not None:
            self._queue.appendleft(place.following)
        if place.told is not None:
            self._gone += place.told.halved
        place.ready, place.task, place.following = False, None, None
        place.deaths += 1
        if task is not None:
            self._again(place, task)
        if not loading and place.deaths < _DEATHS:
            self._warnings.append(f"{place.device}: a process died ({died.why}); another one takes its place")
            self._crew.start(k)
            return
        place.alive = False
        when = "while it opened the models" if loading else f"{place.deaths} times in a row"
        self._warnings.append(f"{place.device}: its process died {when} ({died.why}); the run goes on without it")
        if not any(place.alive for place in self._places):
            raise RuntimeError(f"{place.device}: its process died {when} ({died.why}), perhaps for lack of memory")

    def _again(self, place: _DeviceSlot, task: PerceiveTask) -> None:
        deaths = self._open[task.number].deaths
        deaths[task.place] = deaths.get(task.place, 0) + 1
        if deaths[task.place] < _TRIES:
            self._queue.appendleft(task)
        elif task.place is None and len(task.work) > 1:
            self._queue.extendleft(PerceiveTask(task.number, [one], at) for at, one in reversed(list(enumerate(task.work))))
        else:
            place.deaths = 0  # it is the image's
            self._blame(task)

    def _blame(self, task: PerceiveTask) -> None:
        """Raises:
        RuntimeError: it is not this image, as there was no image yet at which no process died.
        """
        if self._blamed is not None:
            self._blamed += 1
            if self._blamed > _TRIES:
                raise RuntimeError("the model's process dies on every image")
        at = task.place or 0
        self._put(task, {at: Observation(self._open[task.number].part.work[at].item_id, failed=DIED)})


class MultiProcessEngine:
    """The engine of a crew: ``crew`` begins one, and ends it when it is left."""

    def __init__(self, run: Run, crew: Callable[[], AbstractContextManager[WorkerPool]]) -> None:
        self._run, self._crew = run, crew
        self._leaving = ExitStack()
        self._dispatch: Dispatch

    def __enter__(self) -> Self:
        device_worker.check_run(self._run)
        with ExitStack() as so_far:
            self._dispatch = Dispatch(so_far.enter_context(self._crew()))
            self._dispatch.open()
            self._leaving = so_far.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._leaving.close()

    @property
    def status(self) -> EngineStatus:
        return self._dispatch.status

    def make(self, parts: Sequence[RunPart], stop: Callable[[], bool]) -> Iterator[FinishedPart]:
        """See ``Engine``."""
        return self._dispatch.make(parts, stop)
