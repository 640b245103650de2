"""The process that scores: ``python -m scorers.running.worker RUN_DIR``.

Reads what ``data.jobs.runs`` says is asked, writes parts, never opens a project's database, and never goes to the network.
Started again after whatever stopped it, it leaves whole parts as they are and does the others. The exit status is 0 only if
all parts are there; else the last line on stderr says why.
"""

from __future__ import annotations

import os

# before anything that reads them
os.environ.update({"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"})
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import contextlib
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from data.files import printable
from data.jobs.runs import RunBusy, RunFolder, WorkerProgress, initial_progress
from scorers.base import ModelBroken
from scorers.running import engines
from scorers.running.engines.engine import Engine, RunPart
from scorers.running.fault_isolation import count_crashes, lower_priority
from scorers.running.perceive import single_line


class _Stop(BaseException):
    """Asked to stop while nothing is under way that would be lost."""


class _Signals:
    """Turns SIGTERM and SIGINT into a request to stop after the part at hand; at once where ``at_once``."""

    def __init__(self) -> None:
        self.asked = False
        self.at_once = True

        def ask(*_: object) -> None:
            self.asked = True
            if self.at_once:
                raise _Stop

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, ask)


def work_through(
    folder: RunFolder,
    stop: Callable[[], bool] = lambda: False,
    loaded: Callable[[], None] = lambda: None,
    threads: int | None = None,
) -> bool:
    """Make the parts of a run that are not there yet.

    Args:
        folder: the run. Its progress is told after every part.
        stop: asked before every part.
        loaded: called when the models are in memory.
        threads: how many open images while the model looks at earlier ones; None: as many as suits this machine.

    Returns:
        Whether all parts are there.

    Raises:
        ValueError: the run cannot be done by this code: unknown scorer, other version, other weights, senseless settings.
        ModelBroken: a model gives what no working model gives.
        OSError: a model's files are not at hand.
        ImportError: a package is not installed.
    """
    try:
        run, work = folder.run(), folder.work()
    except (ValueError, TypeError) as error:
        raise ValueError(f"the run cannot be read: {error}") from error
    parts = {n: work[at : at + run.part_size] for n, at in enumerate(range(0, len(work), run.part_size))}
    there = {n for n in folder.parts() if n in parts and folder.is_of(n, parts[n])}
    progress = initial_progress(folder.progress, sum(len(parts[n]) for n in there), len(work), sum(map(folder.failures, there)))
    folder.tell(progress)
    count_crashes(folder.path)
    missing = [RunPart(n, parts[n]) for n in parts if n not in there]
    if missing:
        with engines.open_engine(run, folder.path, threads) as engine:
            loaded()
            progress = _make(folder, engine, missing, progress, stop)
        if progress.done < len(work):
            folder.tell(replace(progress, state="stopped"))
            return False
    folder.tell(replace(progress, state="done"))
    return True


def _make(
    folder: RunFolder, engine: Engine, parts: Sequence[RunPart], progress: WorkerProgress, stop: Callable[[], bool]
) -> WorkerProgress:
    """Write parts as the engine makes them; returns how far that came."""
    warned: set[str] = set()

    def report_progress(progress: WorkerProgress) -> WorkerProgress:
        """With what is known of the devices by now, in the folder; warnings in the log, too."""
        now = engine.status
        for warning in (one for one in now.warnings if one not in warned):
            warned.add(warning)
            print(f"warning: {warning}", file=sys.stderr, flush=True)
        progress = replace(
            progress,
            state="running",
            versions=dict(now.versions),
            warnings=list(now.warnings),
            device=", ".join(now.devices),
            memory=now.memory,
            batch_halved=now.batch_halved,
            host=socket.gethostname(),
        )
        folder.tell(progress)
        return progress

    progress = report_progress(progress)
    before, began = progress.seconds, time.monotonic()
    for made in engine.make(parts, stop):
        folder.write_part(made.number, made.seen)
        progress = report_progress(
            replace(
                progress,
                done=progress.done + len(made.seen),
                failed=progress.failed + sum(one.failed is not None for one in made.seen),
                # by the clock: several devices at once take the time of one
                seconds=before + time.monotonic() - began,
            )
        )
    return progress


@contextlib.contextmanager
def _telling_why(folder: RunFolder) -> Iterator[None]:
    """Whatever goes wrong is told in the run's progress too, as far as the disk allows."""
    try:
        yield
    except BaseException as error:
        with contextlib.suppress(OSError, ValueError, TypeError):
            last = folder.progress() or WorkerProgress("loading", 0, 0)
            stopped = isinstance(error, _Stop)
            folder.tell(
                replace(last, state="stopped" if stopped else "failed", error=None if stopped else single_line(_why(error)))
            )
        raise


def _why(error: BaseException) -> str:
    if isinstance(error, ImportError):
        return f"a package is missing ({error}); install the groups scorers and yolo"
    return str(error) or type(error).__name__


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m scorers.running.worker RUN_DIR", file=sys.stderr)
        return 2
    folder, signals = RunFolder(Path(arguments[0]).absolute()), _Signals()
    if not (folder.path / "run.json").is_file():
        print(f"there is no run in {printable(folder.path)}", file=sys.stderr)
        return 1

    def loaded() -> None:
        signals.at_once = False

    try:
        with folder.claim(), _telling_why(folder):
            if work_through(folder, lambda: signals.asked, loaded):
                return 0
            why = "stopped after a part; start it again to go on"
    except _Stop:
        why = "stopped before the first part; start it again to go on"
    except (RunBusy, ModelBroken, ValueError, OSError, ImportError) as error:
        why = _why(error)
    except Exception as error:
        traceback.print_exc()
        why = _why(error)
    print(single_line(why), file=sys.stderr)
    return 1


if __name__ == "__main__":
    lower_priority()
    sys.exit(main())
