"""The process that scores: ``python -m scorers.running.worker RUN_DIR`` (``scorers.running.worker_main``).

Reads what ``data.jobs.runs`` says is asked, and writes parts. Started again after whatever stopped it, it leaves whole parts as
they are and does the others.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from data.jobs.folder import WorkerProgress
from data.jobs.runs import RunFolder
from scorers.running import engines, worker_main
from scorers.running.engines.device_worker import PerceiveTask
from scorers.running.engines.engine import Engine
from scorers.running.fault_isolation import count_crashes, lower_priority


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
        run, work = folder.job(), folder.work()
    except (ValueError, TypeError) as error:
        raise ValueError(f"the run cannot be read: {error}") from error
    parts = {n: work[at : at + run.part_size] for n, at in enumerate(range(0, len(work), run.part_size))}
    there = {n for n in folder.parts() if n in parts and folder.is_of(n, parts[n])}
    progress = folder.initial_progress(sum(len(parts[n]) for n in there), len(work), sum(map(folder.failures, there)))
    folder.tell(progress)
    count_crashes(folder.path)
    missing = [PerceiveTask(n, parts[n]) for n in parts if n not in there]
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
    folder: RunFolder, engine: Engine, parts: Sequence[PerceiveTask], progress: WorkerProgress, stop: Callable[[], bool]
) -> WorkerProgress:
    """Write parts as the engine makes them; returns how far that came."""
    warned: set[str] = set()

    def report_progress(progress: WorkerProgress) -> WorkerProgress:
        """With what is known of the devices by now, in the folder; warnings in the log, too."""
        now = engine.status
        for warning in (warning for warning in now.warnings if warning not in warned):
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
    for number, seen in engine.make(parts, stop):
        folder.write_part(number, seen)
        progress = report_progress(
            replace(
                progress,
                done=progress.done + len(seen),
                failed=progress.failed + sum(observation.failed is not None for observation in seen),
                # by the clock: several devices at once take the time of one
                seconds=before + time.monotonic() - began,
            )
        )
    return progress


if __name__ == "__main__":
    lower_priority()
    sys.exit(worker_main.main(RunFolder, work_through))
