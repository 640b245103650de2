"""A CSV file of a million ratings imported by this checkout and by another one, in turns on one machine.

    uv run benchmarks/import_ratings.py --base FOLDER [--ratings 1000000] [--rounds 3] [--quick] [--json FILE]

Compared are the whole command, ``import ratings`` into an empty project, in seconds by the clock and of processors, and the
most memory that it holds. What both store must be equal.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Final

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.measuring import command_line, machine, planned, written

HERE: Final = Path(__file__).resolve().parents[1]
OPTIONS: Final = ("--item", "image", "--rater", "rater", "--value", "value", "--aspect", "quality", "--scale", "ordinal:1-5")
_CONTENT: Final = (
    "select count(*), bit_xor(hash(item_id, rater_id, aspect, label, value, reason, source_id, rule_version, seq))"
    " from judgements"
    " union all select count(*), bit_xor(hash(annotation_id, item_id, rater_id, answers, seq)) from annotations"
    " union all select count(*), bit_xor(hash(item_id, suite, kind, generator, task)) from items"
)


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The size of the file, and how often each checkout imports it."""

    ratings: int = 1_000_000
    rounds: int = 3


QUICK: Final = ImportPlan(5_000, 1)


@dataclass(frozen=True, slots=True)
class ImportRun:
    """One import: seconds by the clock and of processors, and the most memory in GB."""

    checkout: str
    wall: float
    cpu: float
    memory: float


def write_ratings(path: Path, count: int) -> float:
    """Write ratings of five people each of images, whose names are as long as usual; returns the file's MB."""
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        file.write("image,rater,value\n")
        for n in range(count):
            file.write(f"sdxl-base/{n // 5:08d}.png,person_{draw.randrange(500):04d},{draw.randint(1, 5)}\n")
    return path.stat().st_size / 1e6


def timed_import(checkout: Path, file: Path, project: Path) -> ImportRun:
    """Import the file by a checkout's command into a new project."""
    command = [sys.executable, "app.py", "import", "ratings", str(file), *OPTIONS, "--project", str(project)]
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=checkout, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{checkout}: the import failed")
    return ImportRun(str(checkout), time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e6)


def stored(project: Path) -> list[tuple[object, ...]]:
    """Return how many judgements, answers and items a project has, and a sum over what they say."""
    from data.store.core.store import Store

    with Store(project) as store, store.read() as cursor:
        return cursor.execute(_CONTENT).fetchall()


def run(plan: ImportPlan, checkouts: Sequence[Path]) -> tuple[list[ImportRun], list[str]]:
    """Import in turns; returns each run, and lines about them."""
    runs: list[ImportRun] = []
    with tempfile.TemporaryDirectory() as folder:
        size = write_ratings(file := Path(folder, "ratings.csv"), plan.ratings)
        for n in range(plan.rounds):
            projects = [Path(folder, f"{n}-{place}") for place in range(len(checkouts))]
            runs += [timed_import(checkout, file, project) for checkout, project in zip(checkouts, projects, strict=True)]
            if n == 0 and len({tuple(stored(project)) for project in projects}) > 1:
                raise SystemExit("the checkouts store different ratings")
    lines = [machine("duckdb"), f"{plan.ratings:,} ratings, {size:.0f} MB, {plan.rounds} rounds"]
    lines += ["| checkout | seconds | processor seconds | GB |", "|---|---|---|---|"]
    each = {checkout: [found for found in runs if found.checkout == str(checkout)] for checkout in checkouts}
    for checkout, found in each.items():
        wall, cpu, memory = (median(getattr(one, name) for one in found) for name in ("wall", "cpu", "memory"))
        lines.append(f"| {'this' if checkout == HERE else 'before'} | {wall:.1f} | {cpu:.1f} | {memory:.2f} |")
    if len(checkouts) > 1:
        pairs = list(zip(*each.values(), strict=True))
        ratios = {name: median(getattr(a, name) / getattr(b, name) for a, b in pairs) for name in ("wall", "cpu", "memory")}
        lines.append("before / this: " + ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items()))
    return runs, lines


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Run and print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--base", type=Path, help="the folder of the checkout to compare with")
    helps = {"ratings": "ratings in the file", "rounds": "imports of each checkout"}
    plan, options = planned(parser, ImportPlan(), QUICK, helps, arguments)
    checkouts = ([options["base"].resolve()] if options["base"] else []) + [HERE]
    runs, lines = run(plan, checkouts)
    return written(options, [asdict(one) for one in runs], lines)


if __name__ == "__main__":
    main()
