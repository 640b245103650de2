"""The run manager of the app: runs begun and resumed in threads of the server, paused, given up, removed; the state of each."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from concord.common import live_updates
from concord.common.context import Context, run_guarded
from concord.runs import generate, queue, run_session, score
from concord.runs.queue import QueuedRun
from concord.runs.requests import GenerateRequest, ScoreRequest
from data.jobs.folder import LOG, WorkerProgress
from data.store import runs
from data.store.core.store import Store
from data.store.runs import RunRow

_BEGIN_SECONDS = 5.0
_LOG_LINES = 200


@dataclass(frozen=True, slots=True)
class RunView:
    """A run as it stands now.

    Attributes:
        state: as stored, but ``loading``, ``pausing`` and ``giving up`` of a run that somebody is at, and ``interrupted`` where
            it was left running and nobody is.
        done: images seen so far, also those whose part is not in yet.
        per_second: of the last minutes while it is at work, else over all; ``overall``: over all. None where nothing can be
            said, as of ``seconds_left``.
        seconds: at work, in all.
        progress: what its worker last told, ``loading`` where it told nothing.
        waits_for: the run that it waits for.
    """

    row: RunRow
    state: str
    done: int
    per_second: float | None
    overall: float | None
    seconds_left: float | None
    progress: WorkerProgress
    waits_for: str | None = None

    @property
    def seconds(self) -> float:
        return self.progress.seconds

    @property
    def is_active(self) -> bool:
        return self.state in ("loading", "running", "pausing", "giving up")

    @property
    def can_pause(self) -> bool:
        return self.state in ("loading", "running", "queued")

    @property
    def can_resume(self) -> bool:
        return self.state in ("interrupted", "paused", "failed")

    @property
    def can_cancel(self) -> bool:
        return self.can_pause or self.can_resume or self.state == "pausing"

    @property
    def can_remove(self) -> bool:
        return not self.is_active and self.state != "queued"


def run_rows(store: Store) -> list[RunRow]:
    """All runs: those at work, those that wait in their order, the others, the newest first."""
    busy = {run_id for run_id, job in queue.queued_runs(store).items() if job.at_work}
    listed = list(reversed(runs.of_every_kind(store)))
    waiting = sorted((row for row in listed if row.state == "queued"), key=lambda row: (row.place or 0, row.run_id))
    at_work = [row for row in listed if row.run_id in busy]
    rest = [row for row in listed if row.run_id not in busy and row.state != "queued"]
    return [*at_work, *(row for row in waiting if row.run_id not in busy), *rest]


def run_view(store: Store, row: RunRow) -> RunView:
    """Return a run's state, progress and expected time left, for display."""
    job = queue.queued_runs(store).get(row.run_id)
    progress = run_session.folder_of(store, row).last_progress() or WorkerProgress("loading", 0, row.n_items)
    state = _state(row, job, progress)
    overall = progress.done / progress.seconds if progress.done and progress.seconds else None
    rate = (job.per_second() if job is not None and job.at_work else None) or overall
    left = (row.n_items - progress.done) / rate if rate and state == "running" else None
    n_done = max(row.n_done, min(progress.done, row.n_items))
    return RunView(row, state, n_done, rate, overall, left, progress, queue.run_ahead(store, row.run_id))


def active_runs(store: Store) -> set[str]:
    """Return ids of runs that are queued or running in this process."""
    return set(queue.queued_runs(store))


def run_before(store: Store, device: str) -> str | None:
    """The last run that one begun now on this device would wait for."""
    devices = queue.devices_of(device)
    queued_runs = sorted(
        (job for job in queue.queued_runs(store).values() if job.devices & devices),
        key=lambda job: (not job.at_work, job.place),
    )
    return queued_runs[-1].run_id if queued_runs else None


def queue_version(store: Store) -> str:
    """Moves with the project and with which runs are at work here."""
    queued_runs = queue.queued_runs(store)
    jobs = [(name, job.at_work, job.worker.stopping.is_set()) for name, job in sorted(queued_runs.items())]
    return f"{live_updates.version(store)} {jobs}"


def progress_version(store: Store) -> str:
    """Moves with the project and with what workers tell of runs that are at work here."""
    parts = [queue_version(store)]
    for run_id, job in sorted(queue.queued_runs(store).items()):
        if job.at_work and (row := runs.get(store, run_id)) is not None:
            folder = run_session.folder_of(store, row)
            log = folder.path / LOG
            size = log.stat().st_size if log.exists() else 0
            parts.append(f"{folder.last_progress()} {size}")
    return "\n".join(parts)


def begin_queued(store: Store) -> None:
    """When a project is opened to be served: what waits begins in its turn, and what a worker from before is still at is
    followed on. Returns at once."""

    def all_of_them() -> None:
        listed = runs.of_every_kind(store)
        orphans = [row for row in listed if row.state == "running" and run_session.folder_of(store, row).at_work()]
        for row in [*(row for row in orphans if row.kind == "score"), *runs.queued(store)]:
            resume(store, row.run_id)

    threading.Thread(target=all_of_them, name="queue", daemon=True).start()


def start(store: Store, request: ScoreRequest, selection: Mapping[str, Sequence[str]]) -> str:
    """Have what the command ``score`` does wait in the queue; returns at once, with what went wrong."""
    return _in_background(store, "score", partial(score.run, request=request, selection=selection))


def start_generation(store: Store, request: GenerateRequest) -> str:
    """Have what the command ``generate`` does wait in the queue; returns at once, with what went wrong."""
    return _in_background(store, "generate", partial(generate.run, request=request))


def resume(store: Store, run_id: str) -> str:
    """Have a run go on in its turn; returns at once, with what went wrong so far."""
    row = runs.get(store, run_id)
    name, go_on = ("generate", generate.resume) if row is not None and row.kind == "generate" else ("score", score.resume)
    return _in_background(store, name, partial(go_on, run_id=run_id))


def retry(store: Store, run_id: str) -> str:
    """Have what failed in a run tried again; returns at once, with what went wrong so far."""
    return _in_background(store, "score", partial(score.retry_failed, run_id=run_id))


def pause(store: Store, run_id: str) -> str:
    """Ask a run to stop after the images that it is at, or to wait no longer; it can go on later."""
    if queue.stop_run(store, run_id):
        return ""
    row = runs.get(store, run_id)
    if row is not None and row.state == "queued":
        runs.set_state(store, run_id, "paused")
        return ""
    return f"Nobody is at run {run_id} here."


def cancel(store: Store, run_id: str) -> str:
    """Give a run up: what it judged stays, and it does not go on."""
    row = runs.get(store, run_id)
    if row is None:
        return f"There is no run {run_id} any more."
    if not queue.stop_run(store, run_id, given_up=True):
        if row.state in ("done", "lost", "cancelled"):
            return f"Run {run_id} is over already."
        runs.set_state(store, run_id, "cancelled")
    return ""


def remove(store: Store, run_id: str) -> str:
    """Take back what a run saw and what was judged by it, and delete its folder, unless masks in it are those of settings that
    were kept; returns what went wrong."""
    row = runs.get(store, run_id)
    if row is None:
        return f"There is no run {run_id} any more."
    if run_id in queue.queued_runs(store):
        return f"Run {run_id} is at work or waits; cancel it first."
    try:
        runs.remove(store, run_id)
    except runs.RunRefused as error:
        return str(error)
    if all(other.folder != row.folder for other in runs.of_every_kind(store)):
        shutil.rmtree(run_session.folder_of(store, row).path, ignore_errors=True)
    return ""


def move_up(store: Store, run_id: str) -> str:
    """Have a run that waits come before the one ahead of it."""
    return "" if queue.move_run(store, run_id, -1) else f"Run {run_id} is the first that waits."


def log_tail_of(store: Store, row: RunRow) -> str:
    """The last lines that the run's worker wrote."""
    return "\n".join(run_session.folder_of(store, row).log_tail()[-_LOG_LINES:])


def _state(row: RunRow, job: QueuedRun | None, progress: WorkerProgress) -> str:
    if job is not None and job.at_work:
        if job.worker.stopping.is_set():
            return "giving up" if job.given_up else "pausing"
        # what an earlier attempt told last is no word of this one's
        return "running" if progress.state in ("running", "done") else "loading"
    return "interrupted" if row.state == "running" else row.state


def _in_background(store: Store, name: str, command: Callable[[Context], None]) -> str:
    """Returns when a run is in the queue that was not, or the command has ended; says what one that failed said last."""
    output = io.StringIO()
    ended: list[int] = []

    def work() -> None:
        context = Context(store, store.project, output, output)
        ended.append(run_guarded(context, name, lambda: command(context)))

    before = set(queue.queued_runs(store))
    thread = threading.Thread(target=work, name="run", daemon=True)
    thread.start()
    for _ in range(int(_BEGIN_SECONDS / 0.05)):
        thread.join(0.05)
        if ended or set(queue.queued_runs(store)) - before:
            break
    lines: Sequence[str] = output.getvalue().split("\n") if ended and ended[0] else ()
    return next((line.removeprefix(f"{name}: ") for line in reversed(lines) if line), "")
