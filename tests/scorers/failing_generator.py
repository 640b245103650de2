"""A generator that does as the prompt says, and its worker: this file, run as a script: ``JOB_DIR [SECONDS]`` a batch.

A text is ``raise``, ``die 11`` (the signal), ``large`` (memory suffices for no batch with it) or a colour's name.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PIL import Image

from data.jobs.generation import GenerationFolder, GenerationJob, WantedPicture
from scorers.generation import generators, worker
from scorers.generation.generators import GeneratedPicture
from scorers.running import worker_main

WORKER = (sys.executable, str(Path(__file__).resolve()))
batches: list[int] = []
"""How many pictures were asked for at once."""


def load(room: int = 100, seconds: float = 0.0) -> tuple[Any, dict[str, Any]]:
    """As ``generators.load``; more than ``room`` pictures at once do not fit into memory."""

    def paint(texts: Sequence[str], seeds: Sequence[int]) -> list[GeneratedPicture]:
        batches.append(len(texts))
        if len(texts) > room or "large" in texts:
            raise RuntimeError("CUDA out of memory")
        if "raise" in texts:
            raise ValueError("the prompt has 900 tokens")
        for text in texts:
            if text.startswith("die"):
                os.kill(os.getpid(), int(text.split()[1]))
        time.sleep(seconds)
        return [GeneratedPicture(Image.new("RGB", (4, 4), (seed % 256, 1, 2))) for seed in seeds]

    return paint, {"weights": "0" * 12}


def job(folder: Path, texts: Sequence[str], batch: int) -> GenerationFolder:
    """A picture of each text."""
    wanted = [WantedPicture(f"s/{k}", 0, text, 7 + k, str(folder / "images" / f"{k}.png")) for k, text in enumerate(texts)]
    made = GenerationFolder(folder / "job")
    made.ask(GenerationJob("any", tuple(wanted), batch))
    return made


if __name__ == "__main__":
    pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    generators.load = lambda *values, **named: load(seconds=pause)  # noqa: ARG005
    sys.exit(worker_main.main(GenerationFolder, worker.work, worker.explain, sys.argv[1:2]))
