"""What memory a run takes as it goes on: every picture of a folder through a detector with random weights, on the CPU.

    uv run benchmarks/scorers/memory.py DIR [--limit 700]

Measured is the worker's memory before each part; after a first fifth, in which everything has been used once, it must not grow.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmarks.measuring import command_line, resident, tell
from benchmarks.scorers import geneval
from data.jobs.runs import Run, RunFolder, WorkItem
from scorers import registry
from scorers.running import worker

SIDE: Final = 256
PART: Final = 8
MOST_GROWTH: Final = 0.1
"""Of the memory after the first fifth: allocators keep some of what they were given back."""
_SUFFIXES: Final = {".png", ".jpg", ".jpeg", ".webp"}


@dataclass(frozen=True, slots=True)
class Taken:
    """MB resident before each part, how many pictures were looked at, and how many of them could not be."""

    megabytes: list[float]
    images: int
    failed: int

    @property
    def settled(self) -> float:
        """The most within the first fifth."""
        return max(self.megabytes[: max(1, len(self.megabytes) // 5)])

    @property
    def last(self) -> float:
        """The most within the last fifth."""
        return max(self.megabytes[-max(1, len(self.megabytes) // 5) :])


def measure(paths: Sequence[Path], folder: Path) -> Taken:
    """Through the very code of ``score visor``, in this process."""
    detector = geneval.save_mask2former(folder / "detector", small=True)
    scorer = registry.get("visor")
    settings = registry.settings(scorer, "paper", {"detector": str(detector), "detector_side": str(SIDE)})
    run = RunFolder(folder / "run")
    spec = {"a": "cat", "b": "dog", "relation": "left"}
    work = [WorkItem(str(k), str(path), "", "", spec) for k, path in enumerate(paths)]
    run.create(Run("memory", "visor", scorer.version, "paper", settings, "cpu", PART, force=True), work)
    megabytes: list[float] = []

    def stop() -> bool:
        megabytes.append(resident())
        return False

    assert worker.work_through(run, stop)
    megabytes.append(resident())
    seen = list(run.observations())
    return Taken(megabytes, len(seen), sum(observation.failed is not None for observation in seen))


def lines_of(taken: Taken) -> list[str]:
    """The lines to print.

    Raises:
        AssertionError: memory grew by more than ``MOST_GROWTH``.
    """
    growth = taken.last / taken.settled - 1
    assert growth <= MOST_GROWTH, f"memory grew by {growth:.1%}, from {taken.settled:.0f} to {taken.last:.0f} MB"
    return [
        f"{taken.images} images, {taken.failed} that could not be looked at",
        f"memory in MB before part 1: {taken.megabytes[0]:.0f}, at most in the first fifth: {taken.settled:.0f}, "
        f"in the last: {taken.last:.0f} ({growth:+.1%})",
    ]


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Measure and print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("folder", type=Path, help="of pictures, searched through")
    parser.add_argument("--limit", type=int, default=700, help="how many (default 700)")
    options = parser.parse_args(arguments)
    paths = sorted(path for path in options.folder.rglob("*") if path.suffix.lower() in _SUFFIXES)[: options.limit]
    with tempfile.TemporaryDirectory() as folder:
        taken = measure(paths, Path(folder))
    return tell(lines_of(taken))


if __name__ == "__main__":
    main()
