"""How fast each engine goes through the playground's pictures with its own small models, on the CPU; all must see the same.

    uv run --group ray benchmarks/scorers/engines.py [--scorer geneval] [--limit 240] [--repeat 1]

Per engine: the seconds in all, with starting its processes and opening the models; and the images a second from when the first
process has its models, as the page Runs tells it. Without Ray its rows are left out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from data.jobs.runs import Observation, Run, RunFolder, WorkItem
from scorers import registry
from scorers.running import engines, worker

SAMPLE: Final = Path(__file__).resolve().parents[2] / "assets" / "playground" / "sample" / "runs"
WAYS: Final = ((engines.LOCAL, "cpu"), (engines.LOCAL, "cpu,cpu"), (engines.RAY, "cpu,cpu"))


@dataclass(frozen=True, slots=True)
class EngineSpeed:
    """One way to do the run. ``rate``: images a second once models are open; ``seconds``: all of it."""

    engine: str
    device: str
    rate: float
    seconds: float


def sample_items(scorer: str, limit: int) -> list[WorkItem]:
    """The sample's pictures, by absolute paths."""
    folder = RunFolder(SAMPLE / f"{scorer}-playground")
    return [replace(item, path=str((folder.path / item.path).resolve())) for item in folder.work()[:limit]]


def measure(scorer: str, work: Sequence[WorkItem], folder: Path) -> list[EngineSpeed]:
    """Each way once.

    Raises:
        AssertionError: two of them did not see the same.
    """
    registered = registry.get(scorer)
    settings = registry.settings(registered, "playground")
    first: list[Observation] | None = None
    measured = []
    for engine, device in WAYS:
        if (why := engines.missing_package(engine)) is not None:
            print(f"left out: {why}")
            continue
        run = RunFolder(folder / f"{engine} {device}")
        run.create(Run("benchmark", scorer, registered.version, "playground", settings, device, 16, engine), work)
        began = time.perf_counter()
        assert worker.work_through(run)
        seconds = time.perf_counter() - began
        progress = run.progress()
        assert progress is not None
        seen = list(run.observations())
        first = seen if first is None else first
        assert seen == first, f"{engine} on {device} saw something else"
        measured.append(EngineSpeed(engine, device, len(work) / progress.seconds, seconds))
    return measured


def table(measured: Sequence[EngineSpeed]) -> list[str]:
    """Lines for people; ratios are to the first."""
    lines = [f"{'engine':8} {'device':9} {'images/s':>9} {'ratio':>6} {'seconds in all':>15}"]
    for speed in measured:
        ratio = speed.rate / measured[0].rate
        lines.append(f"{speed.engine:8} {speed.device:9} {speed.rate:9.1f} {ratio:6.2f} {speed.seconds:15.1f}")
    return lines


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scorer", default="geneval", choices=sorted(path.name.split("-")[0] for path in SAMPLE.iterdir()))
    parser.add_argument("--limit", type=int, default=240)
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    work = sample_items(arguments.scorer, arguments.limit)
    print(f"{arguments.scorer}, {len(work)} images")
    for _ in range(arguments.repeat):
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(table(measure(arguments.scorer, work, Path(folder)))))
    print("all saw the same")


if __name__ == "__main__":
    main()
