"""Kills a scoring run and its ingestion at random moments, and asserts that nothing of it can be told afterwards.

    uv run benchmarks/kills.py [--kills 30 --imports 30 --seed 0 --scorer geneval --generator NAME]

The playground is scored with real small models, once undisturbed, and once by a command that is killed (SIGKILL) again and
again: its worker, the command itself, which takes parts into the database, or both at once. What its worker makes while nobody
looks is taken in later. Then the finished folder is taken into other projects by ``import scores``, which is killed as often.
In the end judgements, evidence and detections of all are asserted to be equal in every column but times and source ids.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from data.jobs.runs import RunFolder  # noqa: E402

WHO = ("worker", "command", "both")
MINE = {
    "judgements": "rater_id = ?",
    "evidence": "rater_id = ?",
    "detections": "run_id in (select run_id from runs where rater_id = ?)",
}
"""Whose rows are compared."""
SOURCES = {"source_id", "evidence_id", "run_id", "import_id", "seq"}
"""Columns that say which run or import a row is from, and in which order rows came. No other may differ."""


@dataclass(slots=True)
class Killed:
    """What was killed when, and how far the run was."""

    kills: Counter[str] = field(default_factory=Counter)
    when: Counter[str] = field(default_factory=Counter)
    starts: int = 0


def app(project: Path, *words: str) -> list[str]:
    return [sys.executable, str(ROOT / "app.py"), *words, "--project", str(project)]


def finished(project: Path, *words: str) -> str:
    """What a command says that is left in peace."""
    done = subprocess.run(app(project, *words), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def workers(project: Path) -> list[int]:
    """Processes of workers of this project's runs, whoever started them."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = path.read_bytes().decode(errors="replace").split("\0")
            if "scorers.running.worker" in words and any(word.startswith(f"{project}/") for word in words):
                processes.append(int(path.parent.name))
    return processes


def kill(pids: Sequence[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def moment(folder: RunFolder | None) -> str:
    """Where a run is, in words."""
    if folder is None:
        return "before the run"
    parts, total = len(folder.parts()), -(-len(folder.work()) // folder.job().part_size)
    return "before the first part" if not parts else "after the last part" if parts == total else "between"


def newest(project: Path, known: set[str]) -> RunFolder | None:
    """The folder of the run that was begun here."""
    folders = sorted(path for path in (project / "runs").iterdir() if path.name not in known and (path / "run.json").is_file())
    return RunFolder(folders[-1]) if folders else None


def scored(project: Path, words: Sequence[str], killed: Killed, kills: int, chance: random.Random) -> None:
    """Score, killed again and again until ``killed`` counts ``kills``, or the run is whole; then in peace."""
    known = {path.name for path in (project / "runs").iterdir()}
    while sum(killed.kills.values()) < kills and moment(newest(project, known)) != "after the last part":
        killed.starts += 1
        command = subprocess.Popen(app(project, *words), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _wait_a_while(project, command, known, chance)
        who = WHO[sum(killed.kills.values()) % len(WHO)]
        at_work = workers(project)
        if command.poll() is None and (at_work or who == "command"):
            killed.kills[who] += 1
            killed.when[when := moment(newest(project, known))] += 1
            print(f"kill {sum(killed.kills.values())}: {who}, {when}", file=sys.stderr, flush=True)
            kill([*(at_work if who != "command" else ()), *((command.pid,) if who != "worker" else ())])
        # where the worker alone is killed, the command says so, or starts another one: then it goes, too
        with suppress(subprocess.TimeoutExpired):
            command.wait(3)
        kill([command.pid])
        command.wait()
    finished(project, *words)


def _wait_a_while(project: Path, command: subprocess.Popen[bytes], known: set[str], chance: random.Random) -> None:
    """Until there is a worker, then for some seconds: two times of three until it has made a part, as loading takes longest."""
    until = time.monotonic() + 60

    def parts() -> int:
        folder = newest(project, known)
        return 0 if folder is None else len(folder.parts())

    while not workers(project) and command.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    before, made = parts(), chance.random() < 2 / 3
    while made and parts() == before and command.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(chance.uniform(0.0, 0.4 if made else 4.0))


def taken_in(fresh: Path, run: Path, kills: int, chance: random.Random) -> tuple[Killed, list[Path]]:
    """Import a finished run, killed so many times at random moments of its time, and then in peace: each time that it came to
    its end, another copy of the project is next. Returns the projects, too."""
    killed, projects, words = Killed(), [fresh.with_name("imported-0")], ("import", "scores", str(run))
    shutil.copytree(fresh, projects[0])
    began = time.monotonic()
    finished(projects[0], *words)
    longest = time.monotonic() - began
    while sum(killed.kills.values()) < kills:
        projects.append(fresh.with_name(f"imported-{len(projects)}"))
        shutil.copytree(fresh, projects[-1])
        ended = False
        while not ended and sum(killed.kills.values()) < kills:
            killed.starts += 1
            command = subprocess.Popen(
                app(projects[-1], *words), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            with suppress(subprocess.TimeoutExpired):
                # the program starts in the first part of its time, and has nothing to lose
                command.wait(chance.uniform(longest / 4, longest))
            ended = command.poll() is not None
            if ended:
                assert command.returncode == 0
                killed.when["it was done"] += 1
            else:
                kill([command.pid])
                killed.kills["import"] += 1
            command.wait()
        finished(projects[-1], *words)
    return killed, projects


def rows(project: Path, rater: str) -> dict[str, list[Any]]:
    """All that there is by a rater, in an order of its own."""
    with duckdb.connect(str(project / "concord.duckdb"), read_only=True) as connection:
        tables = {}
        for table, mine in MINE.items():
            known = [name for name, *_ in connection.execute(f"describe {table}").fetchall()]
            columns = ", ".join(name for name in known if name not in SOURCES)
            tables[table] = connection.execute(f"select {columns} from {table} where {mine} order by all", [rater]).fetchall()
        return tables


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Run it; returns the lines that it printed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--imports", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scorer", default="geneval")
    parser.add_argument("--set", default="threshold=0.31", help="a setting, so that it is a rater of its own")
    parser.add_argument("--generator", default="playground-late")
    parser.add_argument("--batch-size", default="4")
    options = parser.parse_args(arguments)
    chance, lines = random.Random(options.seed), []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    with tempfile.TemporaryDirectory() as made:
        undisturbed, fresh = Path(made) / "undisturbed", Path(made) / "fresh"
        finished(fresh, "import", "playground")
        shutil.copytree(fresh, undisturbed)
        words = [
            "score",
            options.scorer,
            "--set",
            options.set,
            "--generator",
            options.generator,
            "--batch-size",
            options.batch_size,
        ]
        known = {path.name for path in (undisturbed / "runs").iterdir()}
        began = time.monotonic()
        ended = finished(undisturbed, *words)
        seconds = time.monotonic() - began
        run = newest(undisturbed, known)
        assert run is not None
        say(f"undisturbed: {ended}, {len(run.parts())} parts, {seconds:.0f} s")
        rater = f"{options.scorer}-playground[{options.set}]"
        # a run that came to its end between the kills is compared, and another one killed
        scoring, killed = Killed(), [undisturbed]
        while sum(scoring.kills.values()) < options.kills:
            killed.append(Path(made) / f"killed-{len(killed)}")
            shutil.copytree(fresh, killed[-1])
            scored(killed[-1], words, scoring, options.kills, chance)
        importing, imported = taken_in(fresh, run.path, options.imports, chance)
        there = {project.name: rows(project, rater) for project in (*killed, *imported)}
        assert there["undisturbed"]["judgements"]
        for name, records in there.items():
            assert records == there["undisturbed"], f"{name} differs from undisturbed"
        for label, tally in (("scoring", scoring), ("import scores", importing)):
            of = ", ".join(f"{who} {n}" for who, n in sorted(tally.kills.items()))
            when = ", ".join(f"{at} {n}" for at, n in sorted(tally.when.items()))
            say(f"{label}: {sum(tally.kills.values())} kills ({of}) in {tally.starts} starts{f'; {when}' if when else ''}")
        counts = ", ".join(f"{len(records):,} {table}" for table, records in there["undisturbed"].items())
        say(f"equal in all {len(there)} projects, in every column but times and source ids: {counts}")
    return lines


if __name__ == "__main__":
    main()
