"""The engine of one machine. One device: its models are in the worker's own process; several: each has a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import partial
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from data.jobs.runs import Run
from scorers import engines
from scorers.ahead import Ahead, decoders
from scorers.engines import opening
from scorers.engines.base import Engine, Made, Part, Standing
from scorers.engines.dispatch import Manned
from scorers.engines.hand import PIXELS_AHEAD, Broken, Died, Hand, Said, Task, broken
from scorers.seeing import Guarded, guarded, opened, pixels, see

_ENDING_SECONDS: Final = 5.0


def make(run: Run, base: Path, threads: int | None) -> Engine:
    """See ``scorers.engines.engine``."""
    devices = engines.devices(run.device)
    if len(devices) == 1:
        return Here(run, devices[0], base, threads or decoders())
    each = max(1, (threads or decoders()) // len(devices))
    # a process for each device
    return Manned(run, lambda: closing(_Children(run, devices, base, each)))


class Here:
    """An engine in this very process; images open in threads beside it."""

    def __init__(self, run: Run, device: str, base: Path, threads: int) -> None:
        self._run, self._device, self._base, self._threads = run, device, base, threads
        self._leaving = ExitStack()
        self._perceiver: Guarded

    def __enter__(self) -> Self:
        with ExitStack() as so_far:
            so_far.enter_context(opening.computing_with(opening.threads(self._run)))
            self._perceiver = guarded(opening.perceiver(self._run, self._device), self._base)
            self._leaving = so_far.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._leaving.close()

    @property
    def standing(self) -> Standing:
        return Standing(
            (opening.called(self._device),),
            tuple(self._perceiver.warnings),
            opening.versions(),
            opening.peak_memory(),
            self._perceiver.halved,
        )

    def make(self, parts: Sequence[Part], stop: Callable[[], bool]) -> Iterator[Made]:
        """See ``Engine``."""
        todo = [one for part in parts for one in part.work]
        with Ahead(todo, partial(opened, base=self._base), pixels, PIXELS_AHEAD, self._threads) as images:
            for part in parts:
                if stop():
                    return
                yield Made(part.number, see(self._perceiver, images.take(len(part.work))))


class _Child:
    """A process and the two ways to it. What is at hand when it ends is told before its end is."""

    def __init__(self, run: Run, device: str, base: Path, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        tasks, self._tasks = context.Pipe(duplex=False)
        self.said, said = context.Pipe(duplex=False)
        self.process: SpawnProcess = context.Process(
            target=_serve, args=(tasks, said, run, device, base, threads), name=f"concord {device}", daemon=True
        )
        self.process.start()
        # the child's ends: as long as they are open here, its death would not be seen
        tasks.close()
        said.close()

    def give(self, task: Task, following: Task | None) -> None:
        with suppress(OSError):  # it is gone: its other way says so
            self._tasks.send((task, following))

    def end(self) -> None:
        """At once: nobody waits for what it is at."""
        self.process.kill()
        self.process.join(_ENDING_SECONDS)
        self._tasks.close()
        self.said.close()


class _Children:
    """See ``Crew``."""

    def __init__(self, run: Run, devices: Sequence[str], base: Path, threads: int) -> None:
        self._run, self.devices, self._base, self._threads = run, devices, base, threads
        self._children: dict[int, _Child] = {}

    def start(self, place: int) -> None:
        self._children[place] = _Child(self._run, self.devices[place], self._base, self._threads)

    def give(self, place: int, task: Task, following: Task | None) -> None:
        self._children[place].give(task, following)

    def hear(self, seconds: float) -> list[tuple[int, Said]]:
        heard: list[tuple[int, Said]] = []
        places = {child.said: place for place, child in self._children.items()}
        for way in connection.wait(list(places), seconds):
            place = places[way]  # type: ignore[index]  # only ways were waited for
            child = self._children[place]
            try:
                heard.append((place, child.said.recv()))
            except (EOFError, OSError):
                child.process.join(_ENDING_SECONDS)
                code = child.process.exitcode
                child.end()
                del self._children[place]
                heard.append((place, Died(_how(code))))
        return heard

    def close(self) -> None:
        for child in self._children.values():
            child.process.kill()  # all of them first, then each is waited for
        for child in self._children.values():
            child.end()
        self._children.clear()


def _how(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
    return f"status {code}"


def _serve(tasks: Connection, said: Connection, run: Run, device: str, base: Path, threads: int) -> None:
    """What a child does. Whoever owns the run decides when it ends: Ctrl-C and SIGTERM are for them."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    try:
        hand = Hand(run, device, partial(opened, base=base), threads, opening.threads(run))
        said.send(hand.ready)
        while True:
            said.send(hand.see(*tasks.recv()))
    except (EOFError, BrokenPipeError):  # nobody is there any more
        return
    except BaseException as error:
        told: Broken = broken(error)
        with suppress(OSError):
            said.send(told)


def _follow_parent() -> None:
    """End with the process that owns the run, whatever ended it: nobody would take what is seen."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        sys.stderr.flush()
        os._exit(1)
