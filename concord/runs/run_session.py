"""A run session: a run's worker process, and its parts taken into the project as they appear."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from concord.common import wording
from concord.common.context import CommandError, Context
from concord.judging import judge, rule_version_of
from concord.runs import queue
from concord.runs.queue import QueuedRun
from data.jobs.runs import Observation, RunFolder, WorkerProgress
from data.records import Judgement
from data.store import runs
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers.running.fault_isolation import RestartPolicy

if TYPE_CHECKING:
    from scorers.base import Scorer

ROOT: Final = Path(__file__).resolve().parents[2]
"""Settings name models below it, so workers start there."""
WORKER: tuple[str, ...] = (sys.executable, "-m", "scorers.running.worker")
LOG: Final = "log.txt"
_LOOK_SECONDS: Final = 0.2
_TELL_SECONDS: Final = 2.0
_LOG_TAIL: Final = 16_384


def runs_at_work(store: Store) -> dict[str, bool]:
    """Runs of this project that somebody in this process is at, and whether they have been asked to stop. Whatever else says
    "running" was interrupted."""
    return {run_id: job.stopping.is_set() for run_id, job in queue.queued_runs(store).items() if job.at_work}


def folder_of(store: Store, row: RunRow) -> RunFolder:
    return RunFolder(store.project / row.folder)


def progress_of(folder: RunFolder) -> WorkerProgress | None:
    """What the worker last told; None if it told nothing that can be read."""
    try:
        return folder.progress()
    except (OSError, ValueError, TypeError):
        return None


def log_tail(folder: RunFolder, start: int = 0) -> list[str]:
    """The worker's last lines, of those that it wrote from byte ``start`` on."""
    try:
        with (folder.path / LOG).open("rb") as file:
            end = file.seek(0, 2)
            file.seek(max(start, end - _LOG_TAIL))
            return file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def work_on(context: Context, row: RunRow, scorer: Scorer) -> RunRow:
    """Bring a run to its end: start its worker, take in each part; returns the run as it stands then.

    Raises:
        CommandError: it was stopped, or it failed; the run's state says which, and the same run can go on.
    """
    with queue.wait_for_turn(
        context.store, row, lambda other: context.warn(f"waiting for run {other}, which is before it")
    ) as job:
        runs.set_state(context.store, row.run_id, "running")
        # parts may have come in while it waited
        row = runs.get(context.store, row.run_id) or row
        session = _RunSession(context, row, scorer, folder_of(context.store, row), job, set(row.parts))
        try:
            # a worker refuses to look with other code than a run was begun with; what it had seen before is not judged by other
            # rules either, as all of it would be said to be one rater's
            if row.version != scorer.version:
                begun = f"this run was started by {row.scorer} {row.version}"
                raise CommandError(f"{begun}, now it is {scorer.version}; start a new run")
            session.run()
        except Exception as error:
            session.end()
            # a project that was closed meanwhile takes no more: the run shows as interrupted when it is opened again
            with suppress(Exception):
                runs.set_state(context.store, row.run_id, "failed", " ".join(str(error).split()))
            raise
        return session.conclude()


@dataclass(slots=True)
class _RunSession:
    """One attempt at a run."""

    context: Context
    row: RunRow
    scorer: Scorer
    folder: RunFolder
    job: QueuedRun
    taken: set[int]
    log_start: int = 0
    told: tuple[float, int] = (0.0, -1)
    warned: int = 0

    def run(self) -> None:
        """Until the worker has ended and all its parts are in. Ctrl-C stops after the part at hand, twice at once."""
        with sigterm_as_interrupt():
            try:
                # a worker may have outlived the app that started it: what it makes is taken in before another one is started
                if self.folder.at_work():
                    self.context.warn("a worker from before is still at it; its images are taken in as they come")
                while self.folder.at_work() and not self.job.stopping.wait(_LOOK_SECONDS):
                    self._take_in(wary=True)
                    self._tell()
                self._start()
                self._follow()
                self._start_again()
            except KeyboardInterrupt:
                self.context.warn("stopping after the images at hand (Ctrl-C again: at once)")
                self.job.stop()
                try:
                    self._follow()
                except KeyboardInterrupt:
                    self.job.kill()
                    self._follow()

    def end(self) -> None:
        """Have the worker gone."""
        self.job.stop()
        if self.job.process is not None:
            self.job.process.wait()

    def conclude(self) -> RunRow:
        """Say how it ended."""
        store, run_id = self.context.store, self.row.run_id
        row = runs.get(store, run_id)
        if row is None:
            raise CommandError(f"run {run_id} was removed in the meantime")
        if row.n_done >= row.n_items:
            runs.set_state(store, run_id, "done")
            return row
        so_far = f"after {row.n_done:,} of {wording.count(row.n_items, 'image')}"
        if self._was_stopped():
            runs.set_state(store, run_id, "cancelled" if self.job.given_up else "paused")
            if self.job.given_up:
                raise CommandError(f"run {run_id} was cancelled {so_far}; its judgements stay")
            raise CommandError(f"run {run_id} was stopped {so_far}; run the same command again to continue")
        why = self._why()
        runs.set_state(store, run_id, "failed", why)
        raise CommandError(f"run {run_id} failed {so_far}: {why}")

    def _start(self) -> None:
        if self.job.stopping.is_set():
            return
        with (self.folder.path / LOG).open("ab") as log:
            self.log_start = log.tell()
            # a session of its own: Ctrl-C in the terminal is for us, who then ask the worker to finish its part
            self.job.process = subprocess.Popen(
                [*WORKER, str(self.folder.path)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if self.job.stopping.is_set():  # said between the two
            self.job.process.terminate()

    def _start_again(self) -> None:
        """As long as a worker died while it looked at images, and that leads to the one that does it."""
        patience = RestartPolicy(self.folder)
        while not self.job.stopping.is_set() and self.job.process is not None and self.job.process.returncode:
            if not patience.again():
                return
            why = self._why()
            self.context.warn(f"{why}; it is started again, to find the image that it dies of, if it is one")
            self._start()
            self._follow()

    def _follow(self) -> None:
        while True:
            # asked first: what the worker wrote before it ended is seen
            ended = self.job.process is None or self.job.process.poll() is not None
            self._take_in(wary=not ended)
            self._tell()
            if ended:
                return
            assert self.job.process is not None
            with suppress(subprocess.TimeoutExpired):
                self.job.process.wait(_LOOK_SECONDS)

    def _take_in(self, *, wary: bool) -> None:
        """``wary``: a part that cannot be read may be one that the worker is about to make anew."""
        for number in self.folder.parts():
            if number in self.taken:
                continue
            try:
                seen = self.folder.read_part(number)
            except ValueError:
                if wary:
                    continue
                raise
            take_in(self.context, self.row, self.scorer, number, seen)
            self.taken.add(number)

    def _tell(self) -> None:
        progress = progress_of(self.folder)
        if progress is not None and progress.state == "running":
            self.job.saw(progress.done)
        when, done = self.told
        for warning in () if progress is None else progress.warnings[self.warned :]:
            self.warned += 1
            self.context.warn(f"warning: {warning}")
        if progress is None or progress.done == done or time.monotonic() - when < _TELL_SECONDS:
            return
        self.told = (time.monotonic(), progress.done)
        self.context.warn(progress_text(progress))

    def _was_stopped(self) -> bool:
        if self.job.stopping.is_set():
            return True
        code = 0 if self.job.process is None else self.job.process.returncode
        progress = progress_of(self.folder)
        # somebody else may have asked the worker to stop
        return code == -signal.SIGTERM or (code >= 0 and progress is not None and progress.state == "stopped")

    def _why(self) -> str:
        """Why the worker ended before its time: its last line says, unless it was killed."""
        code = None if self.job.process is None else self.job.process.returncode
        if code is not None and code < 0:
            return f"the worker was killed ({signal.Signals(-code).name}); perhaps the memory did not suffice"
        said = [line for line in log_tail(self.folder, self.log_start) if line.strip()]
        progress = progress_of(self.folder)
        if progress is not None and progress.state == "failed" and progress.error:
            return progress.error
        return said[-1].strip() if said else f"the worker ended with status {code} and said nothing"


def take_in(context: Context, row: RunRow, scorer: Scorer, part: int, seen: Sequence[Observation]) -> None:
    """Judge one part by the project's own specs and store it; what failed is named."""
    known = runs.known_images(context.store, [one.item_id for one in seen])

    def judged(one: Observation) -> Sequence[Judgement]:
        # an unknown image is for the store to refuse
        return judge(scorer, known[one.item_id].spec, one, row.settings) if one.item_id in known else ()

    if runs.ingest(context.store, row.run_id, part, [(one, judged(one)) for one in seen], rule_version_of(scorer)):
        for one in seen:
            if one.failed is not None:
                context.warn(f"failed: {one.item_id}: {one.failed}")


def progress_text(progress: WorkerProgress) -> str:
    """``64 of 504 images, 5.2 a second, about 2 min left``."""
    parts = [f"{progress.done:,} of {wording.count(progress.total, 'image')}"]
    if progress.state == "loading":
        parts.append("loading the models")
    elif progress.done and progress.seconds:
        parts.append(f"{progress.done / progress.seconds:.1f} a second")
        if progress.seconds_left:
            parts.append(f"about {wording.duration(progress.seconds_left)} left")
    return ", ".join(parts)


def next_id(store: Store, rater_id: str) -> str:
    """The next run's id, which is its folder's name."""
    names = [row.run_id for row in runs.of_every_kind(store)]
    with suppress(OSError):
        names += [path.name for path in (store.project / "runs").iterdir()]
    last = max((int(found[1]) for name in names if (found := re.match(r"(\d{4,})-", name))), default=0)
    slug = re.sub(r"[^\w.,=-]+", "-", rater_id, flags=re.ASCII).strip("-")[:80]
    return f"{last + 1:04d}-{slug}"


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Where this is the command line's own process, SIGTERM means what Ctrl-C means; in the app it is the server's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
