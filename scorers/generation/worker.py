"""The worker that generates pictures: ``python -m scorers.generation.worker JOB_DIR``. It never opens the project's database.

As with ``scorers.running.worker``, a picture that cannot be painted fails alone, asked to stop it ends the batch at hand,
and what stops it otherwise costs that batch at most. The exit status is 0 only if all was tried; 143 if it was stopped.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from data.jobs.generation import GenerationFolder, WantedPicture, missing_pictures, write_picture
from data.jobs.runs import RunBusy, RunFolder, WorkerProgress, initial_progress
from scorers.generation import generators
from scorers.generation.generators import GeneratedPicture
from scorers.running.fault_isolation import Failed, FaultIsolator, count_crashes, error_line, lower_priority, out_of_memory

DIED: Final = "the worker died while it painted this picture"
_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TRANSFORMERS_OFFLINE": "1"}
_STOPPED: Final = 128 + signal.SIGTERM


def work(folder: GenerationFolder, stop: Callable[[], bool] = lambda: False, loaded: Callable[[], None] = lambda: None) -> bool:
    """Paint what is not there yet, batch by batch, and tell how far it is. What cannot be painted is told, too.

    Args:
        folder: what is asked.
        stop: asked before every batch.
        loaded: called when the model is in memory.

    Returns:
        Whether all was tried.

    Raises:
        ValueError: there is no such generator, it cannot be asked so, or its weights are others than before.
        RuntimeError: the model fails on every picture, or the memory does not suffice for one.
        OSError: its weights, or the place for the pictures, cannot be used.
    """
    job = folder.job()
    wanted = missing_pictures(job.wanted)
    progress = initial_progress(folder.progress, len(job.wanted) - len(wanted), len(job.wanted))
    folder.tell(progress)
    count_crashes(folder.path)
    paint, opened = generators.load(job.generator, generators.GenerationSettings(**job.settings), job.device)
    if job.weights and opened["weights"] != job.weights:
        raise ValueError(f"the weights of {job.generator} differ from those of the existing images; choose another --name")
    folder.describe(opened)
    loaded()
    carefully: FaultIsolator[WantedPicture, GeneratedPicture] = FaultIsolator(
        lambda batch: paint([one.text for one in batch], [one.seed for one in batch]),
        lambda one: f"{one.prompt_id} {one.index}",
        lambda one: replace(one, text="a photo of a cup", seed=0),
        "picture",
        DIED,
        folder.path,
    )
    failures: dict[str, str] = {}
    folder.tell_failed(failures)
    before, began = progress.seconds, time.monotonic()
    batches = [wanted[start : start + job.batch_size] for start in range(0, len(wanted), job.batch_size)]
    for batch in batches:
        if stop():
            folder.tell(replace(progress, state="stopped"))
            return False
        failures |= _generate_batch(batch, carefully)
        folder.tell_failed(failures)
        progress = replace(
            progress,
            state="running",
            done=progress.done + len(batch),
            failed=len(failures),
            seconds=before + time.monotonic() - began,
            warnings=list(carefully.warnings),
            batch_halved=carefully.halved,
        )
        folder.tell(progress)
    folder.tell(replace(progress, state="done"))
    return True


def _generate_batch(
    batch: Sequence[WantedPicture], carefully: FaultIsolator[WantedPicture, GeneratedPicture]
) -> dict[str, str]:
    """Paint and write; returns why some could not be, by file."""
    failures = {}
    for one, made in zip(batch, carefully(batch), strict=True):
        if isinstance(made, Failed):
            failures[one.file] = made.reason
        else:
            write_picture(Path(one.file), made.picture, made.blanked)
    return failures


class _Stop(BaseException):
    """Asked to stop while nothing is under way that would be lost."""


class _Signals:
    """Turns SIGTERM into a request to stop after the batch at hand; at once where ``at_once``."""

    def __init__(self) -> None:
        self.asked = False
        self.at_once = True

        def ask(*_: object) -> None:
            self.asked = True
            if self.at_once:
                raise _Stop

        signal.signal(signal.SIGTERM, ask)

    def loaded(self) -> None:
        """From now on a batch is worth waiting for."""
        self.at_once = False


def attempt(
    folder: GenerationFolder, stop: Callable[[], bool] = lambda: False, loaded: Callable[[], None] = lambda: None
) -> int:
    """As ``work``; what goes wrong is told in the folder and on stderr. Returns the exit status."""
    before = WorkerProgress("loading", 0, 0)
    try:
        with RunFolder(folder.path).claim():
            try:
                return 0 if work(folder, stop, loaded) else _STOPPED
            except _Stop:
                folder.tell(replace(folder.progress() or before, state="stopped"))
                return _STOPPED
            except (ValueError, OSError, RuntimeError) as error:
                if isinstance(error, RuntimeError):
                    traceback.print_exc()
                why = (
                    "not enough memory; generate fewer images at once (--batch-size), or use --precision float16"
                    if isinstance(error, RuntimeError) and out_of_memory(error)
                    else error_line(error)
                )
                folder.tell(replace(folder.progress() or before, state="failed", error=why))
    except RunBusy as error:
        why = error_line(error)
    print(why, file=sys.stderr)
    return 1


def main() -> None:
    """Command line."""
    os.environ.update(_OFFLINE)
    signals = _Signals()
    sys.exit(attempt(GenerationFolder(Path(sys.argv[1])), lambda: signals.asked, signals.loaded))


if __name__ == "__main__":
    lower_priority()
    main()
