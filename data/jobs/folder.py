"""A job's folder: the contract between whoever asks for work and the worker process that does it.

One file says what is asked, ``progress.json`` how far the worker is, and ``log.txt`` has what it printed. A lock says whether a
worker is at it. Scoring, generation and maps add their own files.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, Final, Generic, TypeVar

from data.files import write_whole
from data.jobs import json_records

LOG: Final = "log.txt"
_LOCK: Final = "worker.lock"
_LOG_TAIL: Final = 16_384


@dataclass(frozen=True, slots=True)
class WorkerProgress:
    """How far a worker is with its job.

    Attributes:
        state: loading, running, stopped (asked to, between parts), done or failed (``error`` says why). A worker that was
            killed says nothing: see ``JobFolder.at_work``.
        done: items that are through, ``failed`` of them without being seen.
        seconds: spent on them so far, over all attempts, without loading the models.
        versions: of the packages that matter.
        warnings: what looked odd when the models were opened or while they were at work, a line each.
        device: what it runs on, with its name; ``host``: on which machine. Empty: not told.
        memory: the most bytes that the worker process held so far, of several the sum; None: not told.
        stage: what it is at, in words; empty: not told.
        batch_halved: how many times the memory did not suffice and fewer images were taken at once from then on.
    """

    state: str
    done: int
    total: int
    failed: int = 0
    seconds: float = 0.0
    error: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = field(default_factory=list)
    device: str = ""
    memory: int | None = None
    batch_halved: int = 0
    host: str = ""
    stage: str = ""

    @property
    def seconds_left(self) -> float | None:
        """None before the first part is through, as nothing can be said then."""
        return self.seconds / self.done * (self.total - self.done) if self.done and self.seconds else None


class RunBusy(RuntimeError):
    """Another worker is at this job."""


Job = TypeVar("Job")


class JobFolder(Generic[Job]):
    """A job's files.

    Attributes:
        JOB: the file that says what is asked; ``KIND``: the record that it holds.
        RESULTS: files that tell of the job, and go when another one is written.
    """

    KIND: ClassVar[type]
    JOB: ClassVar[str] = "job.json"
    RESULTS: ClassVar[tuple[str, ...]] = ("progress.json",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def ask(self, job: Job) -> None:
        """Write what is asked; an older job here is replaced, and what was told of it goes."""
        self.path.mkdir(parents=True, exist_ok=True)
        for name in self.RESULTS:
            (self.path / name).unlink(missing_ok=True)
        self.replace(job)

    def replace(self, job: Job) -> None:
        """Write otherwise what is asked (on another device, say); what was told of it stays."""
        # asdict is typed for those that are known to be dataclasses
        content: Any = job
        write_whole(self.path / self.JOB, json.dumps(asdict(content), indent=2, ensure_ascii=False).encode())

    def job(self) -> Job:
        """What is asked.

        Raises:
            ValueError: this is no such job's folder.
        """
        job: Job = json_records.read_record(self.KIND, self.path / self.JOB)
        return job

    def tell(self, progress: WorkerProgress) -> None:
        """Say how far the job is."""
        write_whole(self.path / "progress.json", json.dumps(asdict(progress)).encode())

    def progress(self) -> WorkerProgress | None:
        """How far the worker last said it was; None before it first said so.

        Raises:
            ValueError: the file cannot be read.
        """
        path = self.path / "progress.json"
        return json_records.read_record(WorkerProgress, path) if path.is_file() else None

    def last_progress(self) -> WorkerProgress | None:
        """As ``progress``; None also if the file cannot be read."""
        try:
            return self.progress()
        except (OSError, ValueError, TypeError):
            return None

    def initial_progress(self, done: int, total: int, failed: int = 0) -> WorkerProgress:
        """Where an attempt begins, by what is there; the time spent on that is known from an earlier attempt alone, which may
        have told it a part late."""
        earlier = self.last_progress()
        if earlier is None or not earlier.done:
            return WorkerProgress("loading", done, total, failed)
        seconds = earlier.seconds * done / earlier.done
        return WorkerProgress("loading", done, total, failed, seconds, versions=earlier.versions)

    def log_tail(self, start: int = 0) -> list[str]:
        """The worker's last lines, of those that it wrote from byte ``start`` on."""
        try:
            with (self.path / LOG).open("rb") as file:
                end = file.seek(0, 2)
                file.seek(max(start, end - _LOG_TAIL))
                return file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            return []

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Hold the job: one worker at a time. Whatever ends the process lets go of it.

        Raises:
            RunBusy: another process holds it.
        """
        with (self.path / _LOCK).open("ab") as file:
            _lock(file, patience=1.0)
            yield

    def at_work(self) -> bool:
        """Whether a worker holds the job now."""
        if not self.path.is_dir():
            return False
        try:
            with (self.path / _LOCK).open("ab") as file:
                _lock(file, patience=0.0)
        except RunBusy:
            return True
        return False


def _lock(file: IO[bytes], patience: float) -> None:
    """Seconds of patience, as whoever only looks holds the lock for a moment too."""
    import fcntl  # not on Windows, where this module is still wanted for reading

    until = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise RunBusy(f"another worker is running in {Path(file.name).parent}") from None
            time.sleep(0.05)
