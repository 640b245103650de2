"""A worker process over a job's folder: started, watched until it ends, asked to stop; how far it is, and why it ended."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from concord.common import wording
from data.jobs.folder import LOG, JobFolder, WorkerProgress

ROOT: Final = Path(__file__).resolve().parents[2]
"""Settings name models below it, so workers start there."""
LOOK_SECONDS: Final = 0.2


@dataclass(eq=False, slots=True)
class WorkerProcess:
    """At most one process at a time. Thread-safe in ``stop`` and ``kill``.

    Attributes:
        stopping: it was asked to stop, perhaps before it began.
    """

    process: subprocess.Popen[bytes] | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    log_start: int = 0

    def start(self, command: tuple[str, ...], folder: JobFolder[Any]) -> None:
        """Start it, unless it was asked to stop: a command, which is given the folder. What it prints goes to the log there."""
        if self.stopping.is_set():
            return
        with (folder.path / LOG).open("ab") as log:
            self.log_start = log.tell()
            # a session of its own: Ctrl-C in the terminal is for us, who then ask the worker to finish its part
            self.process = subprocess.Popen(
                [*command, str(folder.path)],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if self.stopping.is_set():  # said between the two
            self.process.terminate()

    def work(
        self,
        command: tuple[str, ...],
        folder: JobFolder[Any],
        look: Callable[[bool], object],
        say: Callable[[str], object],
        *,
        first: Callable[[], object] = lambda: None,
        again: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start it and look until it has ended; one that died is started again as long as ``again`` says so.

        Ctrl-C (on the command line SIGTERM, too) stops it after what it is at, twice at once; ``first`` is done before.
        """
        with sigterm_as_interrupt():
            try:
                first()
                self.start(command, folder)
                self.watch(look)
                while self.status and not self.stopping.is_set() and again():
                    say(f"{self.why_ended(folder)}; it is started again, to find the image that it dies of, if it is one")
                    self.start(command, folder)
                    self.watch(look)
            except KeyboardInterrupt:
                say("stopping after the images at hand (Ctrl-C again: at once)")
                self.stop()
                try:
                    self.watch(look)
                except KeyboardInterrupt:
                    self.kill()
                    self.watch(look)

    def watch(self, look: Callable[[bool], object]) -> int:
        """Look until it has ended, each time with whether it has: all that it wrote is seen. Returns the exit status."""
        while True:
            ended = self.ended
            look(ended)
            if ended:
                return self.status
            assert self.process is not None
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(LOOK_SECONDS)

    def stop(self) -> None:
        """Ask it to end after the part that it is at; one that has not begun does not begin."""
        self.stopping.set()
        if self.process is not None:
            self.process.terminate()

    def kill(self) -> None:
        """End it at once."""
        if self.process is not None:
            self.process.kill()

    @property
    def ended(self) -> bool:
        """Whether no process runs (any more)."""
        return self.process is None or self.process.poll() is not None

    @property
    def status(self) -> int:
        """The exit status; 0 before the process has ended, or without one."""
        return 0 if self.process is None else self.process.returncode or 0

    def was_stopped(self, folder: JobFolder[Any]) -> bool:
        """Whether it ended because somebody asked it to, us or others."""
        progress = folder.last_progress()
        stopped = self.status >= 0 and progress is not None and progress.state == "stopped"
        return self.stopping.is_set() or self.status == -signal.SIGTERM or stopped

    def why_ended(self, folder: JobFolder[Any]) -> str:
        """Why it ended before its time: its progress or its last line says, unless it was killed."""
        progress = folder.last_progress()
        if self.status >= 0 and progress is not None and progress.state == "failed" and progress.error:
            return progress.error
        return last_words(self.status, folder.log_tail(self.log_start))


def last_words(status: int, log: Iterable[str]) -> str:
    """Why a worker ended with this status: who killed it, or the last line that it wrote."""
    if status < 0:
        return f"the worker was killed ({signal.Signals(-status).name}); perhaps the memory did not suffice"
    lines = [line.strip() for line in log if line.strip()]
    return lines[-1] if lines else f"the worker ended with status {status} and said nothing"


@dataclass(slots=True)
class ProgressReport:
    """Says now and then how far a worker is, and each of its warnings once."""

    say: Callable[[str], object]
    seconds: float
    noun: str = "image"
    reported: tuple[float, int] = field(default_factory=lambda: (time.monotonic(), -1))
    warned: int = 0

    def __call__(self, progress: WorkerProgress | None) -> None:
        if progress is None:
            return
        for warning in progress.warnings[self.warned :]:
            self.warned += 1
            self.say(f"warning: {warning}")
        when, done = self.reported
        if progress.done != done and time.monotonic() - when >= self.seconds:
            self.reported = (time.monotonic(), progress.done)
            self.say(progress_text(progress, self.noun))


def progress_text(progress: WorkerProgress, noun: str = "image") -> str:
    """``64 of 504 images, 5.2 a second, about 2 min left``."""
    parts = [f"{progress.done:,} of {wording.count(progress.total, noun)}"]
    if progress.state == "loading":
        parts.append("loading the models")
    elif progress.done and progress.seconds:
        parts.append(f"{progress.done / progress.seconds:z.1f} a second")
        if progress.seconds_left:
            parts.append(f"about {wording.duration(progress.seconds_left)} left")
    return ", ".join(parts)


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
