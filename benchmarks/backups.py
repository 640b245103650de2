"""Backups of a large project while people answer: how long one takes, and what it costs those who submit.

    uv run benchmarks/backups.py [--images 100000] [--people 20] [--think 1]

The scheduled way (with rests, in a modest thread) and the asked one (without) are measured beside a time without any. Each
backup is asserted to be whole; the restored project to have the rows of the backup.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import agreement
from benchmarks.measuring import command_line
from data.store.backup import backups, restoring, scheduler
from data.store.core.database_copy import Pause, database_contents, no_pause
from data.store.core.store import Store
from tests.data.store.small_project import submit


class BusyPeople:
    """People who answer with a pause between, and how long each submit took."""

    def __init__(self, store: Store, items: Sequence[str], n: int, think: float) -> None:
        self.seconds: list[float] = []
        self._stop = threading.Event()
        self._store, self._items, self._think = store, items, think
        self._threads = [threading.Thread(target=self._work, args=(f"answering {k}", random.Random(k))) for k in range(n)]

    def _work(self, who: str, chance: random.Random) -> None:
        while not self._stop.wait(chance.expovariate(1 / self._think)):
            begun = time.perf_counter()
            submit(self._store, chance.choice(self._items), who)
            self.seconds.append(time.perf_counter() - begun)

    def __enter__(self) -> BusyPeople:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def summary(self) -> str:
        if len(self.seconds) < 2:
            return f"{len(self.seconds)} submits"
        cuts = statistics.quantiles(self.seconds, n=100)
        return (
            f"{len(self.seconds):6,} submits, p50 {1000 * cuts[49]:6.1f} ms, p95 {1000 * cuts[94]:6.1f} ms, longest"
            f" {1000 * max(self.seconds):6.1f} ms"
        )


def main(arguments: Sequence[str] | None = None) -> list[str]:
    parser = command_line(__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--think", type=float, default=1.0)
    parser.add_argument("--alone", type=float, default=20.0, help="seconds without a backup")
    options = parser.parse_args(arguments)
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    with tempfile.TemporaryDirectory(prefix="concord-backups-") as folder:
        _measure(Path(folder), options, say)
    return lines


def _measure(folder: Path, arguments: argparse.Namespace, say: Callable[[str], None]) -> None:
    project = folder / "project"
    with Store(project) as store:
        sizes = agreement.make_project(store, arguments.images)
        with store.read() as cursor:
            items = [row[0] for row in cursor.execute("select item_id from items limit 1000").fetchall()]
        say(f"{sizes.images:,} images, {sizes.by_people:,} judgements by people, {sizes.by_scorers:,} by scorers")
        with BusyPeople(store, items, arguments.people, arguments.think) as people:
            time.sleep(arguments.alone)
        say(f"no backup         {arguments.alone:6.1f} s  {people.summary()}")

        def rest_as_scheduled(seconds: float) -> None:
            time.sleep(min(seconds * scheduler.SHARE, scheduler.LONGEST_REST))

        for name, rest in (("asked", no_pause), ("scheduled", rest_as_scheduled)):
            with BusyPeople(store, items, arguments.people, arguments.think) as people:
                begun = time.perf_counter()
                made = _made(store, name, rest)
                seconds = time.perf_counter() - begun
            say(f"backup, {name:9} {seconds:6.1f} s  {people.summary()}; {made.manifest.bytes / 2**20:,.0f} MB")
            backups.check_backup(made)
        begun = time.perf_counter()
        assert scheduler.make_scheduled(store, made) is not None, "people have answered since"
    begun = time.perf_counter()
    restoring.restore(folder / "new", made)
    say(f"restored in       {time.perf_counter() - begun:6.1f} s")
    with Store(folder / "new") as store, store.read() as cursor:
        restored = database_contents(cursor).lasting()
    assert {name: held.rows for name, held in restored.items()} == {
        n: h.rows for n, h in made.manifest.contents.lasting().items()
    }
    say("all rows of the backup are in the restored project")


def _made(store: Store, name: str, rest: Pause) -> backups.Backup:
    made: list[backups.Backup] = []

    def work() -> None:
        if rest is not no_pause:
            scheduler.lower_priority()
        with backups.backup_lock, store.read() as cursor:
            made.append(backups.make_backup(cursor, store.project, name, rest=rest))

    # a thread of its own, as it stays modest
    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    return made[0]


if __name__ == "__main__":
    main()
