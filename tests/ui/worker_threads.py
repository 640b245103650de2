"""Workers as threads of the test's own process, in place of ``subprocess.Popen``.

A process of its own costs seconds of imports, and most tests promise nothing about processes. Those that do (killed, stopped by
a signal, outliving the app) start real ones.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TextIO

from concord.runs import worker_process

if TYPE_CHECKING:  # this is imported by processes, too
    import pytest


class Killed(Exception):
    """As a process ends of SIGKILL."""


class Control:
    """What reaches a worker from outside: its environment, and what it is asked to do."""

    def __init__(self) -> None:
        self.environment: Mapping[str, str] = dict(os.environ)
        self.is_asked_to_stop, self._killed = threading.Event(), threading.Event()

    def kill(self) -> None:
        self._killed.set()

    def die(self) -> None:
        raise Killed

    def sleep(self, seconds: float) -> None:
        if self._killed.wait(seconds):
            raise Killed


Work = Callable[[Path, Control, TextIO], int]
"""Works in a folder, writes a log, and returns an exit status."""


class Worker:
    """What the app uses of a ``subprocess.Popen``."""

    def __init__(self, work: Work, folder: Path, log: Any) -> None:
        self.returncode: int | None = None
        self._control = Control()
        # who begins a process closes its own end of the log at once
        own = os.fdopen(os.dup(log.fileno()), "w", encoding="utf-8")
        self._thread = threading.Thread(target=self._run, args=(work, folder, own), daemon=True)
        self._thread.start()

    def _run(self, work: Work, folder: Path, log: TextIO) -> None:
        try:
            with log:
                status = work(folder, self._control, log)
        except Killed:
            status = -9
        except BaseException:
            self.returncode = 1
            raise
        self.returncode = status

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._thread.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("worker", timeout or 0)
        return self.returncode

    def terminate(self) -> None:
        self._control.is_asked_to_stop.set()

    def kill(self) -> None:
        self._control.kill()


def put(monkeypatch: pytest.MonkeyPatch, worker: Sequence[str], work: Work) -> None:
    """Where the process ``worker FOLDER`` would be started, a thread works from now on; other commands stay processes."""
    before: Any = vars(worker_process)["subprocess"].Popen

    def popen(command: Sequence[str], **how: Any) -> Any:
        if tuple(command[:-1]) == tuple(worker):
            return Worker(work, Path(command[-1]), how["stderr"])
        return before(command, **how)

    names = {name: getattr(subprocess, name) for name in ("DEVNULL", "PIPE", "STDOUT", "TimeoutExpired", "run")}
    monkeypatch.setattr(worker_process, "subprocess", SimpleNamespace(Popen=popen, **names))
