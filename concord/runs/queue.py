"""The queue of runs: one run at a time on each device, in the order in which they came."""

from __future__ import annotations

import atexit
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from concord.common.context import CommandError
from concord.runs.worker_process import WorkerProcess
from data.store import runs
from data.store.core.store import Store
from data.store.runs import RunRow

_RECENT_SECONDS: Final = 120.0
_LOOK_SECONDS: Final = 0.2


@dataclass(eq=False, slots=True)
class QueuedRun:
    """A run that a thread of this process is at, or waits to be at.

    Attributes:
        devices: what it occupies while it is at work.
        place: in the queue.
        given_up: it is not to go on later. ``closing``: it was asked to stop as the project is closed.
        seen: (moment, images done) of the last minutes, as somebody looked.
    """

    project: Path
    run_id: str
    devices: frozenset[str]
    place: int
    at_work: bool = False
    worker: WorkerProcess = field(default_factory=WorkerProcess)
    given_up: bool = False
    closing: bool = False
    seen: deque[tuple[float, int]] = field(default_factory=deque)

    def stop(self) -> None:
        """Ask the worker to end after the part that it is at; who waits, waits no longer."""
        self.worker.stop()
        with _moved:
            _moved.notify_all()

    def saw(self, done: int) -> None:
        """So many images are through now."""
        now = time.monotonic()
        if not self.seen or self.seen[-1][1] != done:
            self.seen.append((now, done))
        # the two last are kept however long a part takes
        while len(self.seen) > 2 and now - self.seen[0][0] > _RECENT_SECONDS:
            self.seen.popleft()

    def per_second(self) -> float | None:
        """Images a second in the last minutes; None before two parts are through."""
        seen = list(self.seen)
        if len(seen) < 3:
            return None
        # the first look was at some moment of a part
        (began, before), (ended, after) = seen[1] if len(seen) > 3 else seen[0], seen[-1]
        return (after - before) / (ended - began) if ended > began and after > before else None


_line: list[QueuedRun] = []
_moved = threading.Condition()


def busy_message(run_id: str) -> CommandError:
    """What whoever wants a run hears while somebody else is at it."""
    return CommandError(f"run {run_id} is being worked on already, or waits for it; the page Runs shows how far it is")


def devices_of(device: str | None, engine: str | None = None) -> frozenset[str]:
    """What a run occupies: each of its devices; with Ray the cluster, which looks after its own."""
    if engine == "ray":
        return frozenset({"ray"})
    names = [name.strip() for name in (device or "cpu").split(",")]
    return frozenset("cuda:0" if name == "cuda" else name for name in names if name)


def queued_runs(store: Store) -> dict[str, QueuedRun]:
    """Runs of this project that somebody in this process is at or waits for."""
    with _moved:
        return {job.run_id: job for job in _line if job.project == store.project}


def run_ahead(store: Store, run_id: str) -> str | None:
    """The run that this one waits for; None if it does not wait."""
    with _moved:
        mine = next((job for job in _line if (job.project, job.run_id) == (store.project, run_id)), None)
        other = None if mine is None or mine.at_work else _ahead(mine)
        return None if other is None else other.run_id


@contextmanager
def wait_for_turn(store: Store, row: RunRow, waiting: Callable[[str], object]) -> Iterator[QueuedRun]:
    """Be at a run when its devices are free and nothing that came before it waits for them; ``waiting`` hears of the run
    that is waited for, if any is.

    Raises:
        CommandError: somebody is at it already, or it was paused or given up while it waited.
    """
    # written first: the queue's order is the project's
    with _moved:
        if any((job.project, job.run_id) == (store.project, row.run_id) for job in _line):
            raise busy_message(row.run_id)
        runs.set_state(store, row.run_id, "queued")
        now = runs.get(store, row.run_id)
        if now is None:
            raise CommandError(f"there is no run {row.run_id} in this project (any more)")
        job = QueuedRun(store.project, row.run_id, devices_of(now.device, now.engine), now.place or 0)
        _line.append(job)
    try:
        with _moved:
            first = _ahead(job)
        if first is not None:
            waiting(first.run_id)
        with _moved:
            while not job.worker.stopping.is_set() and _ahead(job) is not None:
                _moved.wait()
            job.at_work = not job.worker.stopping.is_set()
        if not job.at_work:
            raise CommandError(_left(store, job))
        yield job
    finally:
        with _moved:
            _line.remove(job)
            _moved.notify_all()


def stop_run(store: Store, run_id: str, *, given_up: bool = False) -> bool:
    """Ask a run to stop after the part that it is at, or to wait no longer; False if nobody is at it."""
    job = queued_runs(store).get(run_id)
    if job is not None:
        job.given_up = job.given_up or given_up
        job.stop()
    return job is not None


def stop_all(store: Store, seconds: float = 5.0) -> None:
    """Before a project is closed: ask its runs to stop, and let them take in what is at hand, so long as that is soon. What
    waits goes on waiting in the project."""
    for job in sorted(queued_runs(store).values(), key=lambda job: job.at_work):
        job.closing = True
        job.stop()
    until = time.monotonic() + seconds
    while queued_runs(store) and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)


def move_run(store: Store, run_id: str, by: int) -> bool:
    """Have a run that waits come before (-1) or after (+1) its neighbour in the queue; False if there is none."""
    waiting = [row.run_id for row in runs.queued(store)]
    at = waiting.index(run_id) if run_id in waiting else -1
    to = at + by
    if at < 0 or not 0 <= to < len(waiting):
        return False
    runs.swap(store, run_id, waiting[to])
    places = {row.run_id: row.place for row in runs.queued(store)}
    with _moved:
        for job in _line:
            if job.project == store.project:
                job.place = places.get(job.run_id) or job.place
        _moved.notify_all()
    return True


def _ahead(job: QueuedRun) -> QueuedRun | None:
    """Who keeps it waiting: at work on a device of its own, else the first who waits for one."""
    others = [
        other
        for other in _line
        if other is not job and other.project == job.project and other.devices & job.devices
        if other.at_work or (other.place, other.run_id) < (job.place, job.run_id)
    ]
    return min(others, key=lambda other: (not other.at_work, other.place), default=None)


def _left(store: Store, job: QueuedRun) -> str:
    """It was asked to stop before its turn came; returns what is said of that."""
    if job.closing:
        return f"run {job.run_id} waits in the queue; it begins when the app is open again"
    runs.set_state(store, job.run_id, "cancelled" if job.given_up else "paused")
    return f"run {job.run_id} was {'cancelled' if job.given_up else 'paused'} before it began"


def _end_all() -> None:
    """Workers of runs that nobody will look after go, too."""
    with _moved:
        waiting = list(_line)
    for job in waiting:
        job.closing = True
        job.stop()


atexit.register(_end_all)
