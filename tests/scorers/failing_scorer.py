"""A scorer that breaks as it is told, and its worker: this file, run as a script: ``RUN_DIR``.

An image's text says what it does to the model: ``raise``, ``die 11`` (the signal), ``nan``, ``other``. More images than
``room`` at once do not fit into memory. What it sees is the image's width.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PIL import Image

from data.jobs.runs import Observation, Run, RunFolder, WorkItem
from scorers import registry
from scorers.base import Scorer, Shown, Verdict
from scorers.running import worker, worker_main

WORKER = (sys.executable, str(Path(__file__).resolve()))


class Breaking:
    """See the module."""

    def __init__(self, room: int) -> None:
        self._room = room

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``."""
        if len(batch) > self._room:
            raise MemoryError
        seen = []
        for shown in batch:
            label, _, number = shown.text.partition(" ")
            if label == "raise":
                raise RuntimeError("tensor of the wrong shape")
            if label == "die":
                os.kill(os.getpid(), int(number))
            width = float("nan") if label == "nan" else shown.image.width
            seen.append(Observation("another" if label == "other" else shown.item_id, {"width": width}))
        return seen


def run(folder: Path, n: int, doing: Mapping[int, str], part_size: int) -> RunFolder:
    """``n`` images, 1, 2, ... pixels wide; some of them ``doing`` something."""
    folder.mkdir(exist_ok=True)
    work = []
    for k in range(n):
        path = folder / f"{k}.png"
        Image.new("RGB", (k + 1, 2)).save(path)
        work.append(WorkItem(f"i{k}", str(path), hashlib.sha256(path.read_bytes()).hexdigest(), doing.get(k, ""), {}))
    made = RunFolder(folder / "run")
    made.create(Run("r", "breaking", "1", "playground", {}, part_size=part_size), work)
    return made


def scorer(room: int = 1000) -> Scorer:
    """As the registry knows it."""
    return Scorer("breaking", "1", "", {"playground": {}}, frozenset(), lambda *_: Breaking(room), lambda *_: Verdict(()))


def _main(folder: str) -> int:
    registry.get = lambda name: scorer()  # noqa: ARG005
    return worker_main.main(RunFolder, worker.work_through, arguments=[folder])


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
