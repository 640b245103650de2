"""A run session: a run's worker process, and its parts taken into the project as they appear."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from concord.common import wording
from concord.common.context import CommandError, Context
from concord.judging import judge, rule_version_of
from concord.runs import queue
from concord.runs.queue import QueuedRun
from concord.runs.worker_process import LOOK_SECONDS, sigterm_as_interrupt
from data.jobs.folder import WorkerProgress
from data.jobs.runs import Observation, RunFolder
from data.records import Judgement
from data.store import runs
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers.running.fault_isolation import RestartPolicy

if TYPE_CHECKING:
    from scorers.base import Scorer

WORKER: tuple[str, ...] = (sys.executable, "-m", "scorers.running.worker")
_TELL_SECONDS: Final = 2.0


def runs_at_work(store: Store) -> dict[str, bool]:
    """Runs of this project that somebody in this process is at, and whether they have been asked to stop. Whatever else says
    "running" was interrupted."""
    return {run_id: job.worker.stopping.is_set() for run_id, job in queue.queued_runs(store).items() if job.at_work}


def folder_of(store: Store, row: RunRow) -> RunFolder:
    return RunFolder(store.project / row.folder)


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
    told: tuple[float, int] = (0.0, -1)
    warned: int = 0

    def run(self) -> None:
        """Until the worker has ended and all its parts are in. Ctrl-C stops after the part at hand, twice at once."""
        with sigterm_as_interrupt():
            try:
                # a worker may have outlived the app that started it: what it makes is taken in before another one is started
                if self.folder.at_work():
                    self.context.warn("a worker from before is still at it; its images are taken in as they come")
                while self.folder.at_work() and not self.job.worker.stopping.wait(LOOK_SECONDS):
                    self._take_in(wary=True)
                    self._tell()
                self.job.worker.start(WORKER, self.folder)
                self.job.worker.watch(self._look)
                self._start_again()
            except KeyboardInterrupt:
                self.context.warn("stopping after the images at hand (Ctrl-C again: at once)")
                self.job.stop()
                try:
                    self.job.worker.watch(self._look)
                except KeyboardInterrupt:
                    self.job.worker.kill()
                    self.job.worker.watch(self._look)

    def end(self) -> None:
        """Have the worker gone."""
        self.job.stop()
        self.job.worker.watch(lambda _: None)

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
        if self.job.worker.was_stopped(self.folder):
            runs.set_state(store, run_id, "cancelled" if self.job.given_up else "paused")
            if self.job.given_up:
                raise CommandError(f"run {run_id} was cancelled {so_far}; its judgements stay")
            raise CommandError(f"run {run_id} was stopped {so_far}; run the same command again to continue")
        why = self.job.worker.why_ended(self.folder)
        runs.set_state(store, run_id, "failed", why)
        raise CommandError(f"run {run_id} failed {so_far}: {why}")

    def _start_again(self) -> None:
        """As long as a worker died while it looked at images, and that leads to the one that does it."""
        patience = RestartPolicy(self.folder)
        worker = self.job.worker
        while not worker.stopping.is_set() and worker.status and patience.again():
            why = worker.why_ended(self.folder)
            self.context.warn(f"{why}; it is started again, to find the image that it dies of, if it is one")
            worker.start(WORKER, self.folder)
            worker.watch(self._look)

    def _look(self, ended: bool) -> None:
        self._take_in(wary=not ended)
        self._tell()

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
        progress = self.folder.last_progress()
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


def take_in(context: Context, row: RunRow, scorer: Scorer, part: int, seen: Sequence[Observation]) -> None:
    """Judge one part by the project's own specs and store it; what failed is named."""
    known = runs.known_images(context.store, [one.item_id for one in seen])

    def judged(one: Observation) -> Sequence[Judgement]:
        # an unknown image is for the store to refuse
        return judge(scorer, known[one.item_id], one, row.settings) if one.item_id in known else ()

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
