"""An engine: it opens a run's models, once for every device, has them look at parts, and hands over what was seen, in any
order. Parts are handed out as processes become free.

Nothing here knows what a process is: that is a ``WorkerPool``'s. A part at which a process died is given out again; at which
two died, image by image. An image at which two die alone has failed, and the others go on.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Final, Protocol, Self

from data.jobs.runs import Observation
from scorers.running.engines.device_worker import (
    DIED,
    PerceiveTask,
    TaskResult,
    WorkerDied,
    WorkerError,
    WorkerMessage,
    WorkerState,
)

_TRIES: Final = 2
"""A process may die of something else than what it looks at, once."""
_DEATHS: Final = 4
"""So many times in a row, and nothing to blame for it: that device is given up."""
_LOOK_SECONDS: Final = 0.2


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


class WorkerPool(Protocol):
    """Processes that have models, one for each device, known by their place among the devices."""

    devices: Sequence[str]

    def start(self, place: int) -> None:
        """Begin to open the models there; the process says how it stands when it has them."""
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
    """A device and its process; ``state`` is None while that opens its models, or is no more."""

    device: str
    alive: bool = True
    state: WorkerState | None = None
    task: PerceiveTask | None = None
    following: PerceiveTask | None = None
    deaths: int = 0


@dataclass(slots=True)
class _OpenPart:
    """A part that is not whole yet."""

    part: PerceiveTask
    seen: dict[int, Observation] = field(default_factory=dict)
    deaths: dict[int | None, int] = field(default_factory=dict)


class Engine:
    """Models in memory on at least one device while it is used as a context; leaving it ends all its processes.

    Entering raises what opening the models raises: ``ValueError`` (the run cannot be done by this code), ``OSError`` (a model
    is not at hand), ``ImportError``, ``ModelBroken``, or ``RuntimeError`` where every device's process dies.

    Args:
        open_pool: makes the processes; what it enters is left with the engine.
    """

    def __init__(self, open_pool: Callable[[ExitStack], WorkerPool]) -> None:
        self._open_pool = open_pool
        self._leaving = ExitStack()
        self._pool: WorkerPool
        self._slots: list[_DeviceSlot] = []
        self._open: dict[int, _OpenPart] = {}
        self._queue: deque[PerceiveTask] = deque()
        self._whole: deque[tuple[int, list[Observation]]] = deque()
        self._warnings: list[str] = []
        self._versions: dict[str, str] = {}
        self._gone = 0  # halved by processes that are no more
        self._blamed: int | None = 0

    def __enter__(self) -> Self:
        """Until the first process has its models."""
        with ExitStack() as so_far:
            self._pool = so_far.enter_context(closing(self._open_pool(so_far)))
            self._slots = [_DeviceSlot(device) for device in self._pool.devices]
            for k in range(len(self._slots)):
                self._pool.start(k)
            while not any(slot.state for slot in self._slots):
                self._listen()
            self._leaving = so_far.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._leaving.close()

    @property
    def status(self) -> EngineStatus:
        """As far as is known now."""
        states = [slot.state for slot in self._slots if slot.state is not None]
        memory = [state.memory for state in states if state.memory is not None]
        warnings = dict.fromkeys([*self._warnings, *(line for state in states for line in state.warnings)])
        return EngineStatus(
            tuple(slot.device for slot in self._slots),
            tuple(warnings),
            self._versions,
            sum(memory) if memory else None,
            self._gone + sum(state.halved for state in states),
        )

    def make(self, parts: Sequence[PerceiveTask], stop: Callable[[], bool]) -> Iterator[tuple[int, list[Observation]]]:
        """Whole parts as they are ready, each its number and what was seen of it, in its order. Once ``stop`` says so, those
        at hand are finished and no other is begun.

        Raises:
            ModelBroken: a model gives what no working model gives.
            RuntimeError: a model fails on every image of a part, or the processes die of it.
        """
        self._open = {part.number: _OpenPart(part) for part in parts}
        self._queue = deque(parts)
        stopping = False
        while True:
            stopping = stopping or (bool(self._open) and stop())
            if not stopping:
                self._hand_out()
            busy = any(slot.task for slot in self._slots)
            if not self._whole and not busy and (stopping or not self._open):
                return
            while self._whole:
                yield self._whole.popleft()
            if busy or self._queue:
                self._listen()

    def _hand_out(self) -> None:
        """To whoever is free."""
        for k, slot in enumerate(self._slots):
            if slot.state is None or slot.task is not None:
                continue
            slot.task = slot.following or (self._queue.popleft() if self._queue else None)
            if slot.task is not None:
                # at the end nobody keeps for later what another could begin now
                working = sum(other.alive for other in self._slots)
                slot.following = self._queue.popleft() if len(self._queue) >= working else None
                self._pool.give(k, slot.task, slot.following)

    def _listen(self) -> None:
        for k, message in self._pool.hear(_LOOK_SECONDS):
            slot = self._slots[k]
            if isinstance(message, WorkerState):
                slot.state, slot.device = message, message.device
                self._versions |= message.versions
            elif isinstance(message, TaskResult):
                task = slot.task
                assert task is not None
                assert message.task == task.key
                slot.task, slot.state, slot.deaths, self._blamed = None, message.state, 0, None
                self._put(task, dict(enumerate(message.seen, task.place or 0)))
            elif isinstance(message, WorkerError):
                if message.trace:
                    print(message.trace, file=sys.stderr)
                raise message.error(slot.device)
            else:
                self._bury(k, slot, message)

    def _put(self, task: PerceiveTask, seen: dict[int, Observation]) -> None:
        opened = self._open[task.number]
        opened.seen |= seen
        if len(opened.seen) == len(opened.part.work):
            del self._open[task.number]
            self._whole.append((task.number, [opened.seen[k] for k in range(len(opened.part.work))]))

    def _bury(self, k: int, slot: _DeviceSlot, died: WorkerDied) -> None:
        """A process is gone: what it was at is tried again, elsewhere or by the next process on its device."""
        before, task = slot.state, slot.task
        if slot.following is not None:
            self._queue.appendleft(slot.following)
        if before is not None:
            self._gone += before.halved
            self._warnings += before.warnings
        slot.state, slot.task, slot.following = None, None, None
        slot.deaths += 1
        if task is not None:
            self._again(slot, task)
        if before is not None and slot.deaths < _DEATHS:
            self._warnings.append(f"{slot.device}: a process died ({died.why}); another one takes its place")
            self._pool.start(k)
            return
        slot.alive = False
        when = "while it opened the models" if before is None else f"{slot.deaths} times in a row"
        self._warnings.append(f"{slot.device}: its process died {when} ({died.why}); the run goes on without it")
        if not any(other.alive for other in self._slots):
            raise RuntimeError(f"{slot.device}: its process died {when} ({died.why}), perhaps for lack of memory")

    def _again(self, slot: _DeviceSlot, task: PerceiveTask) -> None:
        opened = self._open[task.number]
        opened.deaths[task.place] = opened.deaths.get(task.place, 0) + 1
        if opened.deaths[task.place] < _TRIES:
            self._queue.appendleft(task)
        elif task.place is None and len(task.work) > 1:
            self._queue.extendleft(PerceiveTask(task.number, [work], at) for at, work in reversed(list(enumerate(task.work))))
        else:
            slot.deaths = 0  # it is the image's, unless there was no image yet at which no process died
            if self._blamed is not None:
                self._blamed += 1
                if self._blamed > _TRIES:
                    raise RuntimeError("the model's process dies on every image")
            at = task.place or 0
            self._put(task, {at: Observation(opened.part.work[at].item_id, failed=DIED)})
