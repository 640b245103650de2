"""Parts handed out to several processes as they become free, and what to do when one dies.

Nothing here knows what a process is: that is a ``Crew``'s. A part at which a process died is given out again; at which two
died, image by image. An image at which two die alone has failed, and the others go on.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Protocol, Self

from data.jobs.runs import Observation, Run
from scorers.engines import opening
from scorers.engines.base import Made, Part, Standing
from scorers.engines.hand import Broken, Died, Ready, Said, Task, Told
from scorers.seeing import DIED

_TRIES: Final = 2
"""A process may die of something else than what it looks at, once."""
_DEATHS: Final = 4
"""So many times in a row, and nothing to blame for it: that device is given up."""
_LOOK_SECONDS: Final = 0.2


class Crew(Protocol):
    """Processes that have models, one for each device, known by their place among the devices."""

    devices: Sequence[str]

    def start(self, place: int) -> None:
        """Begin to open the models there; the process says ``Ready``."""
        ...

    def give(self, place: int, task: Task, following: Task | None) -> None:
        """Have it look at a task. A process that died is heard of, here nothing is raised."""
        ...

    def hear(self, seconds: float) -> list[tuple[int, Said]]:
        """What was said, as soon as anything was; after so many seconds nothing."""
        ...

    def close(self) -> None:
        """End them all, at once."""
        ...


@dataclass(slots=True)
class _Place:
    """A device and its process."""

    device: str
    alive: bool = True
    ready: bool = False
    task: Task | None = None
    following: Task | None = None
    deaths: int = 0
    told: Told | None = None


@dataclass(slots=True)
class _Open:
    """A part that is not whole yet."""

    part: Part
    seen: dict[int, Observation] = field(default_factory=dict)
    deaths: dict[int | None, int] = field(default_factory=dict)


class Dispatch:
    """An engine's work with several processes. See ``scorers.engines.base.Engine`` for ``open``, ``standing``, ``make``."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._places = [_Place(device) for device in crew.devices]
        self._open: dict[int, _Open] = {}
        self._queue: deque[Task] = deque()
        self._whole: deque[Made] = deque()
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
    def standing(self) -> Standing:
        said = [place.told for place in self._places if place.told is not None]
        memory = [told.memory for told in said if told.memory is not None]
        warnings = dict.fromkeys([*self._warnings, *(line for told in said for line in told.warnings)])
        return Standing(
            tuple(place.device for place in self._places),
            tuple(warnings),
            self._versions,
            sum(memory) if memory else None,
            self._gone + sum(told.halved for told in said),
        )

    def make(self, parts: Sequence[Part], stop: Callable[[], bool]) -> Iterator[Made]:
        """See ``Engine``."""
        self._open = {part.number: _Open(part) for part in parts}
        self._queue = deque(Task(part.number, part.work) for part in parts)
        stopping = False
        while True:
            stopping = stopping or stop()
            if not stopping:
                self._hand_out()
            if not self._whole and not any(place.task for place in self._places) and (stopping or not self._open):
                return
            while self._whole:
                yield self._whole.popleft()
            if any(place.task for place in self._places) or self._queue:
                self._listen()

    def _hand_out(self) -> None:
        free = [(k, place) for k, place in enumerate(self._places) if place.alive and place.ready and place.task is None]
        for k, place in free:
            task = place.following or (self._queue.popleft() if self._queue else None)
            if task is None:
                continue
            # at the end nobody keeps for later what another could begin now
            working = sum(place.alive for place in self._places)
            place.task, place.following = task, self._queue.popleft() if len(self._queue) >= working else None
            self._crew.give(k, task, place.following)

    def _listen(self) -> None:
        for k, said in self._crew.hear(_LOOK_SECONDS):
            place = self._places[k]
            if isinstance(said, Ready):
                place.ready, place.device = True, said.device
                self._versions |= said.versions
                self._warnings += said.warnings
            elif isinstance(said, Told):
                self._take(place, said)
            elif isinstance(said, Broken):
                if said.trace:
                    print(said.trace, file=sys.stderr)
                raise said.error(place.device)
            else:
                self._bury(k, place, said)

    def _take(self, place: _Place, told: Told) -> None:
        task = place.task
        assert task is not None
        assert told.task == (task.number, task.place)
        place.task, place.told, place.deaths, self._blamed = None, told, 0, None
        begin = task.place or 0
        self._put(task, dict(enumerate(told.seen, begin)))

    def _put(self, task: Task, seen: dict[int, Observation]) -> None:
        opened = self._open[task.number]
        opened.seen |= seen
        if len(opened.seen) == len(opened.part.work):
            del self._open[task.number]
            self._whole.append(Made(task.number, [opened.seen[k] for k in range(len(opened.part.work))]))

    def _bury(self, k: int, place: _Place, died: Died) -> None:
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
            raise RuntimeError(f"{place.device}: its process died {when} ({died.why}); perhaps the memory did not suffice")

    def _again(self, place: _Place, task: Task) -> None:
        deaths = self._open[task.number].deaths
        deaths[task.place] = deaths.get(task.place, 0) + 1
        if deaths[task.place] < _TRIES:
            self._queue.appendleft(task)
        elif task.place is None and len(task.work) > 1:
            self._queue.extendleft(Task(task.number, [one], at) for at, one in reversed(list(enumerate(task.work))))
        else:
            place.deaths = 0  # it is the image's
            self._blame(task)

    def _blame(self, task: Task) -> None:
        """Raises:
        RuntimeError: it is not this image, as there was no image yet at which no process died.
        """
        if self._blamed is not None:
            self._blamed += 1
            if self._blamed > _TRIES:
                raise RuntimeError("the model's process dies on every image")
        at = task.place or 0
        self._put(task, {at: Observation(self._open[task.number].part.work[at].item_id, failed=DIED)})


class Manned:
    """The engine of a crew: ``crew`` begins one, and ends it when it is left."""

    def __init__(self, run: Run, crew: Callable[[], AbstractContextManager[Crew]]) -> None:
        self._run, self._crew = run, crew
        self._leaving = ExitStack()
        self._dispatch: Dispatch

    def __enter__(self) -> Self:
        opening.check(self._run)
        with ExitStack() as so_far:
            self._dispatch = Dispatch(so_far.enter_context(self._crew()))
            self._dispatch.open()
            self._leaving = so_far.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._leaving.close()

    @property
    def standing(self) -> Standing:
        return self._dispatch.standing

    def make(self, parts: Sequence[Part], stop: Callable[[], bool]) -> Iterator[Made]:
        """See ``Engine``."""
        return self._dispatch.make(parts, stop)
