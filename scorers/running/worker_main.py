"""The main function of worker processes: ``python -m MODULE FOLDER``, where the folder says what is asked.

A worker never opens a project's database, and fetches no model: it goes to the network only where the settings name a judge's
address, and only there. Asked to stop (SIGTERM, SIGINT), it ends after the part at hand, at once while it still loads its
model. The exit status is 0 only if all is done, ``STOPPED`` if it was stopped, else 1; then the last line on stderr, and the
job's progress, say why.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from data.files import printable
from data.jobs.folder import JobFolder, RunBusy, WorkerProgress
from scorers.base import ModelBroken
from scorers.running.fault_isolation import single_line

OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
"""The environment of whatever loads models."""
STOPPED: Final = 128 + signal.SIGTERM
Folder = TypeVar("Folder", bound=JobFolder[Any])
Work = Callable[[Folder, Callable[[], bool], Callable[[], None]], bool]
"""Does a job; whether all is done. It is given the folder, what says whether to stop before the next part, and what is to be
called once models are loaded."""


class _Stop(BaseException):
    """Asked to stop while nothing is under way that would be lost."""


class _StopRequest:
    """SIGTERM and SIGINT as a request to stop after the part at hand; at once until ``loaded`` is called."""

    def __init__(self) -> None:
        self._requested, self._at_once = False, True

        def request(*_: object) -> None:
            self._requested = True
            if self._at_once:
                raise _Stop

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, request)

    def requested(self) -> bool:
        return self._requested

    def loaded(self) -> None:
        self._at_once = False


def explain(error: BaseException) -> str:
    """Why a job failed, in a line."""
    if isinstance(error, ImportError):
        return single_line(ImportError(f"a package is missing ({error}); install the groups scorers and yolo"))
    return single_line(error)


def attempt(folder: Folder, work: Callable[[Folder], bool], why: Callable[[BaseException], str] = explain) -> int:
    """Do a job, alone; whatever goes wrong is told in its progress, as far as the disk allows, and on stderr.

    Returns:
        The exit status.
    """

    def tell(state: str, error: str | None) -> None:
        with suppress(OSError, ValueError, TypeError):
            last = folder.last_progress() or WorkerProgress("loading", 0, 0)
            folder.tell(replace(last, state=state, error=error))

    status = 1
    try:
        with folder.claim():
            try:
                if work(folder):
                    return 0
                status, message = STOPPED, "stopped after a part; start it again to go on"
            except _Stop:
                tell("stopped", None)
                status, message = STOPPED, "stopped before the first part; start it again to go on"
            except Exception as error:
                if not isinstance(error, (ModelBroken, ValueError, OSError, ImportError)):
                    traceback.print_exc()
                message = why(error)
                tell("failed", message)
    except RunBusy as error:
        message = single_line(error)
    print(message, file=sys.stderr)
    return status


def main(
    kind: type[Folder],
    work: Work[Folder],
    why: Callable[[BaseException], str] = explain,
    arguments: Sequence[str] | None = None,
) -> int:
    """A worker's command line; returns the exit status."""
    os.environ.update(OFFLINE)
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or arguments[0].startswith("-"):
        module = getattr(sys.modules["__main__"].__spec__, "name", "MODULE")
        print(f"usage: python -m {module} FOLDER", file=sys.stderr)
        return 2
    folder, stop = kind(Path(arguments[0]).absolute()), _StopRequest()
    if not (folder.path / kind.JOB).is_file():
        print(f"there is no {kind.JOB} in {printable(folder.path)}", file=sys.stderr)
        return 1
    return attempt(folder, lambda folder: work(folder, stop.requested, stop.loaded), why)
