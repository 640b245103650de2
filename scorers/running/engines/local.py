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
from scorers.running import engines
from scorers.running.engines import device_worker
from scorers.running.engines.device_worker import (
    PIXELS_AHEAD,
    DeviceWorker,
    PerceiveTask,
    WorkerDied,
    WorkerError,
    WorkerMessage,
    error_message,
)
from scorers.running.engines.engine import Engine, EngineStatus, FinishedPart, MultiProcessEngine, RunPart
from scorers.running.perceive import GuardedPerceiver, Prefetcher, decoders, guard, open_image_of, perceive_images, pixel_count

_ENDING_SECONDS: Final = 5.0


def make(run: Run, base: Path, threads: int | None) -> Engine:
    """See ``scorers.running.engines.open_engine``."""
    devices = engines.devices(run.device)
    if len(devices) == 1:
        return InProcessEngine(run, devices[0], base, threads or decoders())
    each = max(1, (threads or decoders()) // len(devices))
    # a process for each device
    return MultiProcessEngine(run, lambda: closing(_WorkerProcesses(run, devices, base, each)))


class InProcessEngine:
    """An engine in this very process; images open in threads beside it."""

    def __init__(self, run: Run, device: str, base: Path, threads: int) -> None:
        self._run, self._device, self._base, self._threads = run, device, base, threads
        self._leaving = ExitStack()
        self._perceiver: GuardedPerceiver

    def __enter__(self) -> Self:
        with ExitStack() as so_far:
            so_far.enter_context(device_worker.torch_threads(device_worker.compute_threads(self._run)))
            self._perceiver = guard(device_worker.open_perceiver(self._run, self._device), self._base)
            self._leaving = so_far.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._leaving.close()

    @property
    def status(self) -> EngineStatus:
        return EngineStatus(
            (device_worker.device_name(self._device),),
            tuple(self._perceiver.warnings),
            device_worker.package_versions(),
            device_worker.peak_memory(),
            self._perceiver.halved,
        )

    def make(self, parts: Sequence[RunPart], stop: Callable[[], bool]) -> Iterator[FinishedPart]:
        """See ``Engine``."""
        todo = [one for part in parts for one in part.work]
        with Prefetcher(todo, partial(open_image_of, base=self._base), pixel_count, PIXELS_AHEAD, self._threads) as images:
            for part in parts:
                if stop():
                    return
                yield FinishedPart(part.number, perceive_images(self._perceiver, images.take(len(part.work))))


class _WorkerProcess:
    """A process and the two ways to it. What is at hand when it ends is told before its end is."""

    def __init__(self, run: Run, device: str, base: Path, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        tasks, self._tasks = context.Pipe(duplex=False)
        self.said, said = context.Pipe(duplex=False)
        self.process: SpawnProcess = context.Process(
            target=_run_worker, args=(tasks, said, run, device, base, threads), name=f"concord {device}", daemon=True
        )
        self.process.start()
        # the child's ends: as long as they are open here, its death would not be seen
        tasks.close()
        said.close()

    def give(self, task: PerceiveTask, following: PerceiveTask | None) -> None:
        with suppress(OSError):  # it is gone: its other way says so
            self._tasks.send((task, following))

    def end(self) -> None:
        """At once: nobody waits for what it is at."""
        self.process.kill()
        self.process.join(_ENDING_SECONDS)
        self._tasks.close()
        self.said.close()


class _WorkerProcesses:
    """See ``Crew``."""

    def __init__(self, run: Run, devices: Sequence[str], base: Path, threads: int) -> None:
        self._run, self.devices, self._base, self._threads = run, devices, base, threads
        self._children: dict[int, _WorkerProcess] = {}

    def start(self, place: int) -> None:
        self._children[place] = _WorkerProcess(self._run, self.devices[place], self._base, self._threads)

    def give(self, place: int, task: PerceiveTask, following: PerceiveTask | None) -> None:
        self._children[place].give(task, following)

    def hear(self, seconds: float) -> list[tuple[int, WorkerMessage]]:
        heard: list[tuple[int, WorkerMessage]] = []
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
                how = f"status {code}"
                if code is not None and code < 0:
                    with suppress(ValueError):
                        how = signal.Signals(-code).name
                heard.append((place, WorkerDied(how)))
        return heard

    def close(self) -> None:
        for child in self._children.values():
            child.process.kill()  # all of them first, then each is waited for
        for child in self._children.values():
            child.end()
        self._children.clear()


def _run_worker(tasks: Connection, said: Connection, run: Run, device: str, base: Path, threads: int) -> None:
    """What a child does. Whoever owns the run decides when it ends: Ctrl-C and SIGTERM are for them."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    try:
        hand = DeviceWorker(run, device, partial(open_image_of, base=base), threads, device_worker.compute_threads(run))
        said.send(hand.ready)
        while True:
            said.send(hand.see(*tasks.recv()))
    except (EOFError, BrokenPipeError):  # nobody is there any more
        return
    except BaseException as error:
        told: WorkerError = error_message(error)
        with suppress(OSError):
            said.send(told)


def _follow_parent() -> None:
    """End with the process that owns the run, whatever ended it: nobody would take what is seen."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        sys.stderr.flush()
        os._exit(1)
