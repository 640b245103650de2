"""The engine of one machine. One device: its models are in the worker's own process; several: each has a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from data.jobs.runs import Run
from scorers.running import engines
from scorers.running.engines.device_worker import (
    DeviceWorker,
    PerceiveTask,
    WorkerDied,
    WorkerError,
    WorkerMessage,
    compute_threads,
    decoders,
    open_image_of,
)
from scorers.running.engines.engine import Engine

_ENDING_SECONDS: Final = 5.0


def make(run: Run, base: Path, threads: int | None) -> Engine:
    """See ``scorers.running.engines.open_engine``."""
    devices = engines.devices(run.device)
    if len(devices) == 1:
        return Engine(lambda _: _ThisProcess(run, devices, base, threads or decoders()))
    each = max(1, (threads or decoders()) // len(devices))
    return Engine(lambda _: _WorkerProcesses(run, devices, base, each))


class _ThisProcess:
    """A ``WorkerPool`` of this very process: it looks at a task while one listens to it."""

    def __init__(self, run: Run, devices: Sequence[str], base: Path, threads: int) -> None:
        self._run, self.devices, self._base, self._threads = run, devices, base, threads
        self._worker: DeviceWorker | None = None
        self._task: tuple[PerceiveTask, PerceiveTask | None] | None = None

    def start(self, place: int) -> None:
        opener = partial(open_image_of, base=self._base)
        device, computing = self.devices[place], compute_threads(self._run)
        self._worker = DeviceWorker(self._run, device, opener, self._threads, computing, self._base)

    def give(self, place: int, task: PerceiveTask, following: PerceiveTask | None) -> None:  # noqa: ARG002
        self._task = task, following

    def hear(self, seconds: float) -> list[tuple[int, WorkerMessage]]:  # noqa: ARG002
        assert self._worker is not None
        task, self._task = self._task, None
        return [(0, self._worker.state if task is None else self._worker.see(*task))]

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()


class _WorkerProcesses:
    """A ``WorkerPool`` of child processes. What one said before it ended is heard before its end is."""

    def __init__(self, run: Run, devices: Sequence[str], base: Path, threads: int) -> None:
        self._run, self.devices, self._base, self._threads = run, devices, base, threads
        self._children: dict[int, tuple[BaseProcess, Connection]] = {}

    def start(self, place: int) -> None:
        context, device = multiprocessing.get_context("spawn"), self.devices[place]
        ours, theirs = context.Pipe()
        arguments = (theirs, self._run, device, self._base, self._threads)
        process = context.Process(target=_run_worker, args=arguments, name=f"concord {device}", daemon=True)
        process.start()
        # as long as the child's end is open here, its death would not be seen
        theirs.close()
        self._children[place] = process, ours

    def give(self, place: int, task: PerceiveTask, following: PerceiveTask | None) -> None:
        with suppress(OSError):  # it is gone, which is heard
            self._children[place][1].send((task, following))

    def hear(self, seconds: float) -> list[tuple[int, WorkerMessage]]:
        heard: list[tuple[int, WorkerMessage]] = []
        ready = connection.wait([way for _, way in self._children.values()], seconds)
        for place, (process, way) in list(self._children.items()):
            if way not in ready:
                continue
            try:
                heard.append((place, way.recv()))
            except (EOFError, OSError):
                process.join(_ENDING_SECONDS)
                code = process.exitcode
                self._end(place)
                how = f"status {code}"
                if code is not None and code < 0:
                    with suppress(ValueError):
                        how = signal.Signals(-code).name
                heard.append((place, WorkerDied(how)))
        return heard

    def close(self) -> None:
        for process, _ in self._children.values():
            process.kill()  # all of them first, then each is waited for
        for place in list(self._children):
            self._end(place)

    def _end(self, place: int) -> None:
        """At once: nobody waits for what it is at."""
        process, way = self._children.pop(place)
        process.kill()
        process.join(_ENDING_SECONDS)
        way.close()


def _run_worker(way: Connection, run: Run, device: str, base: Path, threads: int) -> None:
    """What a child does. Whoever owns the run decides when it ends: Ctrl-C and SIGTERM are for them."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_follow_parent, daemon=True).start()
    try:
        worker = DeviceWorker(run, device, partial(open_image_of, base=base), threads, compute_threads(run))
        way.send(worker.state)
        while True:
            way.send(worker.see(*way.recv()))
    except (EOFError, BrokenPipeError):  # nobody is there any more
        return
    except BaseException as error:
        with suppress(OSError):
            way.send(WorkerError.of(error))


def _follow_parent() -> None:
    """End with the process that owns the run, whatever ended it: nobody would take what is seen."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        sys.stderr.flush()
        os._exit(1)
