"""The worker that generates pictures: ``python -m scorers.generation.worker JOB_DIR`` (``scorers.running.worker_main``).

A picture that cannot be painted fails alone, and whatever stops the worker costs the batch at hand at most.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from data.jobs.generation import GenerationFolder, WantedPicture, missing_pictures, write_picture
from scorers.generation import generators
from scorers.generation.generators import GeneratedPicture
from scorers.running import worker_main
from scorers.running.fault_isolation import Failed, FaultIsolator, count_crashes, lower_priority, out_of_memory

DIED: Final = "the worker died while it painted this picture"


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
    progress = folder.initial_progress(len(job.wanted) - len(wanted), len(job.wanted))
    folder.tell(progress)
    count_crashes(folder.path)
    paint, opened = generators.load(job.generator, generators.GenerationSettings(**job.settings), job.device)
    if job.weights and opened["weights"] != job.weights:
        raise ValueError(f"the weights of {job.generator} differ from those of the existing images; choose another --name")
    folder.describe(opened)
    loaded()
    carefully: FaultIsolator[WantedPicture, GeneratedPicture] = FaultIsolator(
        lambda batch: paint([picture.text for picture in batch], [picture.seed for picture in batch]),
        lambda picture: f"{picture.prompt_id} {picture.index}",
        lambda picture: replace(picture, text="a photo of a cup", seed=0),
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
    for picture, made in zip(batch, carefully(batch), strict=True):
        if isinstance(made, Failed):
            failures[picture.file] = made.reason
        else:
            write_picture(Path(picture.file), made.picture, made.blanked)
    return failures


def explain(error: BaseException) -> str:
    """Why a generation failed, in a line."""
    if isinstance(error, RuntimeError) and out_of_memory(error):
        return "not enough memory; generate fewer images at once (--batch-size), or use --precision float16"
    return worker_main.explain(error)


if __name__ == "__main__":
    lower_priority()
    sys.exit(worker_main.main(GenerationFolder, work, explain))
