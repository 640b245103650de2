"""The worker that generates pictures: ``python -m scorers.painting JOB_DIR``. It never opens the project's database."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final

from data.pictures import Job, JobFolder, Wanted, missing, write_picture
from data.runs import Progress
from scorers import generators

_OFFLINE: Final = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TRANSFORMERS_OFFLINE": "1"}


def work(folder: JobFolder) -> None:
    """Paint what is not there yet, batch by batch, and tell how far it is.

    Raises:
        ValueError: there is no such generator, it cannot be asked so, or its weights are others than before.
        RuntimeError: the memory does not suffice.
        OSError: its weights, or the place for the pictures, cannot be used.
    """
    job = folder.job()
    wanted = missing(job.wanted)
    done = len(job.wanted) - len(wanted)
    folder.tell(Progress("loading", done, len(job.wanted)))
    paint, opened = generators.load(job.generator, generators.Asking(**job.settings), job.device)
    if job.weights and opened["weights"] != job.weights:
        raise ValueError(f"the weights of {job.generator} are not those of the pictures that are there; give it another --name")
    folder.describe(opened)
    started = time.monotonic()
    for batch in _batches(wanted, job):
        for one, made in zip(batch, paint([one.text for one in batch], [one.seed for one in batch]), strict=True):
            write_picture(Path(one.file), made.picture, made.blanked)
        done += len(batch)
        folder.tell(Progress("running", done, len(job.wanted), seconds=time.monotonic() - started))
    folder.tell(Progress("done", done, len(job.wanted), seconds=time.monotonic() - started))


def _batches(wanted: Sequence[Wanted], job: Job) -> list[Sequence[Wanted]]:
    return [wanted[start : start + job.batch_size] for start in range(0, len(wanted), job.batch_size)]


def _line(error: Exception) -> str:
    said = " ".join(str(error).split())
    full = "out of memory" in said.casefold()
    return "the memory does not suffice; paint fewer at once (--batch-size), or in --precision float16" if full else said[:300]


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's shape
    sys.exit(128 + number)


def attempt(folder: JobFolder) -> int:
    """As ``work``; what goes wrong is told in the folder and on stderr. Returns the exit status."""
    try:
        work(folder)
    except (ValueError, OSError, RuntimeError) as error:
        if isinstance(error, RuntimeError):
            traceback.print_exc()
        said = _line(error)
        before = folder.progress()
        folder.tell(Progress("failed", before.done if before else 0, before.total if before else 0, error=said))
        print(said, file=sys.stderr)
        return 1
    return 0


def main() -> None:
    """Command line."""
    os.environ.update(_OFFLINE)
    signal.signal(signal.SIGTERM, _stop)
    sys.exit(attempt(JobFolder(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
