"""Runs as the app looks after them: begun and resumed in threads of the server, stopped, removed; how each stands now."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.runs import Progress
from data.store import runs
from data.store.runs import RunRow
from data.store.store import Store
from ui import following
from ui.commands import runner, score, working
from ui.commands.context import CommandError, Context

_BEGIN_SECONDS = 5.0
_LOG_LINES = 40


@dataclass(frozen=True, slots=True)
class View:
    """A run as it stands now.

    Attributes:
        state: as stored, but ``loading`` and ``stopping`` of a run that somebody is at, and ``interrupted`` where it was left
            running and nobody is.
        done: images seen so far, also those whose part is not in yet.
        per_second, seconds_left: None where nothing can be said.
        seconds: at work, in all.
    """

    row: RunRow
    state: str
    done: int
    per_second: float | None
    seconds_left: float | None
    seconds: float

    @property
    def is_active(self) -> bool:
        return self.state in ("loading", "running", "stopping")

    @property
    def can_stop(self) -> bool:
        return self.state in ("loading", "running")

    @property
    def can_resume(self) -> bool:
        return self.state in ("interrupted", "stopped", "failed")

    @property
    def can_remove(self) -> bool:
        return not self.is_active


def views(store: Store) -> list[View]:
    """All runs, newest first."""
    active = working.at_work(store)
    return [_view(store, row, active) for row in reversed(runs.listed(store))]


def occupation(store: Store) -> str:
    """Moves with the project and with which runs are at work here."""
    return f"{following.version(store)} {sorted(working.at_work(store).items())}"


def version(store: Store) -> str:
    """Moves with the project and with what workers tell of runs that are at work here."""
    parts = [following.version(store)]
    for run_id, stopping in sorted(working.at_work(store).items()):
        row = runs.one(store, run_id)
        progress = working.progress_of(working.folder_of(store, row)) if row is not None else None
        parts.append(f"{run_id} {stopping} {progress}")
    return "\n".join(parts)


def start(store: Store, parameters: Mapping[str, Any]) -> str:
    """Begin what the command ``score`` with these parameters does; returns at once, with what went wrong so far."""
    return _in_background(store, lambda context: runner.run(context, "score", parameters))


def resume(store: Store, run_id: str) -> str:
    """Go on with a run; returns at once, with what went wrong so far."""

    def go_on(context: Context) -> int:
        try:
            score.resume(context, run_id)
        except (CommandError, ValueError, OSError) as error:
            context.warn(str(error))
            return 1
        return 0

    return _in_background(store, go_on)


def stop(store: Store, run_id: str) -> str:
    """Ask a run to stop after the images that it is at."""
    return "" if working.stop(store, run_id) else f"Nobody is at run {run_id} here."


def remove(store: Store, run_id: str) -> str:
    """Take back what a run saw and what was judged by it, and delete its folder, unless masks in it are those of settings that
    were kept; returns what went wrong."""
    row = runs.one(store, run_id)
    if row is None:
        return f"There is no run {run_id} any more."
    if run_id in working.at_work(store):
        return f"Run {run_id} is at work; stop it first."
    try:
        runs.remove(store, run_id)
    except runs.RunRefused as error:
        return str(error)
    if all(other.folder != row.folder for other in runs.listed(store)):
        shutil.rmtree(working.folder_of(store, row).path, ignore_errors=True)
    return ""


def log_of(store: Store, row: RunRow) -> str:
    """The last lines that the run's worker wrote."""
    return "\n".join(working.log_tail(working.folder_of(store, row))[-_LOG_LINES:])


def _view(store: Store, row: RunRow, active: Mapping[str, bool]) -> View:
    progress = working.progress_of(working.folder_of(store, row)) or Progress("loading", 0, row.n_items)
    state: str = row.state
    if row.run_id in active:
        # what an earlier attempt told last is no word of this one's
        state = "stopping" if active[row.run_id] else "running" if progress.state in ("running", "done") else "loading"
    elif state == "running":
        state = "interrupted"
    rate = progress.done / progress.seconds if progress.done and progress.seconds else None
    left = progress.seconds_left if state == "running" else None
    return View(row, state, max(row.n_done, min(progress.done, row.n_items)), rate, left, progress.seconds)


def _in_background(store: Store, action: Callable[[Context], int]) -> str:
    """Returns when a run is at work that was not, or the action has ended; says what an action that failed said last."""
    said = io.StringIO()
    ended: list[int] = []

    def work() -> None:
        ended.append(action(Context(store, store.project, said, said)))

    before = set(working.at_work(store))
    thread = threading.Thread(target=work, name="run", daemon=True)
    thread.start()
    for _ in range(int(_BEGIN_SECONDS / 0.05)):
        thread.join(0.05)
        if ended or set(working.at_work(store)) - before:
            break
    lines: Sequence[str] = said.getvalue().split("\n") if ended and ended[0] else ()
    return next((line.removeprefix("score: ") for line in reversed(lines) if line), "")
