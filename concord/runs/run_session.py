"""A run session: a run's worker process, and its parts taken into the project as they appear."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from concord.common import wording
from concord.common.context import CommandError, Context
from concord.judging import judge, rule_version_of
from concord.runs import queue
from concord.runs.queue import QueuedRun
from concord.runs.worker_process import LOOK_SECONDS, ProgressReport
from data.jobs.folder import JobFolder
from data.jobs.runs import Observation, RunFolder
from data.records import Judgement
from data.store import runs
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers.base import Scorer
from scorers.running.fault_isolation import RestartPolicy

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
    with at_work(context, row) as job:
        # parts may have come in while it waited
        row = runs.get(context.store, row.run_id) or row
        # a worker refuses to look with other code than a run was begun with; what it had seen before is not judged by other
        # rules either, as all of it would be said to be one rater's
        if row.version != scorer.version:
            begun = f"this run was started by {row.scorer} {row.version}"
            raise CommandError(f"{begun}, now it is {scorer.version}; start a new run")
        report = ProgressReport(context.warn, _TELL_SECONDS)
        session = _RunSession(context, row, scorer, folder_of(context.store, row), job, set(row.parts), report)
        session.run()
        row, ended = session.conclude()
    if ended:
        raise CommandError(ended)
    return row


@contextmanager
def at_work(context: Context, row: RunRow) -> Iterator[QueuedRun]:
    """Be at a run in its turn; after an error its worker is gone, and the run's state says why.

    Raises:
        CommandError: somebody is at it already, or it was paused or given up while it waited.
    """
    warn = context.warn
    with queue.wait_for_turn(context.store, row, lambda other: warn(f"waiting for run {other}, which is before it")) as job:
        runs.set_state(context.store, row.run_id, "running")
        try:
            yield job
        except Exception as error:
            job.stop()
            job.worker.watch(lambda _: None)
            # a project that was closed meanwhile takes no more: the run shows as interrupted when it is opened again
            with suppress(Exception):
                runs.set_state(context.store, row.run_id, "failed", " ".join(str(error).split()))
            raise


def end_early(store: Store, job: QueuedRun, folder: JobFolder[Any], why: str) -> bool:
    """Write down how a run has ended that is not through: whether it was stopped, or else ``why`` it failed."""
    stopped = job.worker.was_stopped(folder)
    if stopped:
        runs.set_state(store, job.run_id, "cancelled" if job.given_up else "paused")
    else:
        runs.set_state(store, job.run_id, "failed", why)
    return stopped


@dataclass(slots=True)
class _RunSession:
    """One attempt at a run."""

    context: Context
    row: RunRow
    scorer: Scorer
    folder: RunFolder
    job: QueuedRun
    taken: set[int]
    report: ProgressReport

    def run(self) -> None:
        """Until the worker has ended and all its parts are in; one that died while it looked at images is started again, as
        long as that leads to the one that does it."""
        patience = RestartPolicy(self.folder)
        worker, say = self.job.worker, self.context.warn
        worker.work(WORKER, self.folder, self._look, say, first=self._follow_earlier, again=patience.again)

    def _follow_earlier(self) -> None:
        """A worker may have outlived the app that started it: what it makes is taken in before another one is started."""
        if self.folder.at_work():
            self.context.warn("a worker from before is still at it; its images are taken in as they come")
        while self.folder.at_work() and not self.job.worker.stopping.wait(LOOK_SECONDS):
            self._look(False)

    def conclude(self) -> tuple[RunRow, str]:
        """The run as it stands then; and how it ended, if it is not through."""
        store, run_id = self.context.store, self.row.run_id
        row = runs.get(store, run_id)
        if row is None:
            raise CommandError(f"run {run_id} was removed in the meantime")
        if row.n_done >= row.n_items:
            runs.set_state(store, run_id, "done")
            return row, ""
        so_far = f"after {row.n_done:,} of {wording.count(row.n_items, 'image')}"
        why = self.job.worker.why_ended(self.folder)
        if not end_early(store, self.job, self.folder, why):
            return row, f"run {run_id} failed {so_far}: {why}"
        if self.job.given_up:
            return row, f"run {run_id} was cancelled {so_far}; its judgements stay"
        return row, f"run {run_id} was stopped {so_far}; run the same command again to continue"

    def _look(self, ended: bool) -> None:
        self._take_in(wary=not ended)
        progress = self.folder.last_progress()
        if progress is not None and progress.state == "running":
            self.job.saw(progress.done)
        self.report(progress)

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


def take_in(context: Context, row: RunRow, scorer: Scorer, part: int, seen: Sequence[Observation]) -> None:
    """Judge one part by the project's own specs and store it; what failed is named."""
    known = runs.known_images(context.store, [observation.item_id for observation in seen])

    def judged(observation: Observation) -> Sequence[Judgement]:
        # an unknown image is for the store to refuse
        return judge(scorer, known[observation.item_id], observation, row.settings) if observation.item_id in known else ()

    if runs.ingest(
        context.store, row.run_id, part, [(observation, judged(observation)) for observation in seen], rule_version_of(scorer)
    ):
        for observation in seen:
            if observation.failed is not None:
                context.warn(f"failed: {observation.item_id}: {observation.failed}")


def next_id(store: Store, rater_id: str) -> str:
    """The next run's id, which is its folder's name."""
    names = [row.run_id for row in runs.of_every_kind(store)]
    with suppress(OSError):
        names += [path.name for path in (store.project / "runs").iterdir()]
    last = max((int(match[1]) for name in names if (match := re.match(r"(\d{4,})-", name))), default=0)
    slug = re.sub(r"[^\w.,=-]+", "-", rater_id, flags=re.ASCII).strip("-")[:80]
    return f"{last + 1:04d}-{slug}"
