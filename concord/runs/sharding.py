"""``score --manifest``: a shard of a run, scored where there is no project and no DuckDB: on a cluster's machines."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from concord.common.context import CommandError, UsageError, parse_overrides, report_errors, warn
from concord.runs.requests import ScoreRequest
from concord.runs.worker_process import ProgressReport, WorkerProcess
from data.files import printable
from data.jobs.runs import PART_SIZE, Run, RunFolder, WorkItem, manifest_hash, read_manifest
from scorers import registry
from scorers.base import Scorer
from scorers.running.fault_isolation import RestartPolicy

WORKER: tuple[str, ...] = (sys.executable, "-m", "scorers.running.worker")
_SHARD: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")
_TELL_SECONDS: Final = 10.0


def execute(request: ScoreRequest, manifest: Path, shard: str | None, out: Path) -> int:
    """Score a manifest or a share of it; returns the exit status: 0 only if all of it has been looked at."""
    return report_errors(warn, "score", lambda: run(request, manifest, shard, out))


def run(request: ScoreRequest, manifest: Path, shard: str | None, out: Path) -> None:
    """Make the run's folder, or find it, and bring it to its end. What is there from before a stop is kept.

    Raises:
        CommandError: it cannot be done, or it was stopped, or it failed; the same command goes on.
        OSError: a file cannot be read or written.
    """
    mine = None if shard is None else parse_shard(shard)
    try:
        chosen = registry.get(request.scorer)
        profile = registry.profile_of(chosen, request.profile)
        settings = registry.settings(chosen, profile, parse_overrides(request.overrides))
    except ValueError as error:
        raise UsageError(str(error)) from error
    work = _read_work(manifest, chosen, settings)
    left = shard_of(work, mine)
    if not left:
        raise CommandError(f"{manifest}: of {len(work):,} images none is left for shard {shard}; use fewer shards")
    name = f"{chosen.name}-{profile}" if mine is None else f"{chosen.name}-{profile}-{folder_name(mine)}"
    new_run = Run(
        name,
        chosen.name,
        chosen.version,
        profile,
        settings,
        request.device,
        request.batch_size or PART_SIZE,
        request.engine,
        force=request.force,
    )
    if mine is not None:
        new_run = replace(new_run, shard=f"{mine[0]}/{mine[1]}", of=manifest_hash(work))
    folder = RunFolder(out.absolute() if mine is None else out.absolute() / folder_name(mine))
    # paths below the manifest's folder as the run's folder has them: both can be moved together
    of, to = manifest.absolute().parent.resolve(), folder.path.resolve()
    moved = [
        item if Path(item.path).is_absolute() else replace(item, path=os.path.relpath(of / item.path, to)) for item in left
    ]
    _write(folder, new_run, moved)
    _bring_to_end(folder, f"shard {shard}" if shard else "the manifest")


def shard_of(work: Sequence[WorkItem], mine: tuple[int, int] | None) -> list[WorkItem]:
    """Every n-th, beginning with the i-th: shares differ by one image at most, and each has some of every generator."""
    if mine is None:
        return list(work)
    number, of = mine
    return list(work[number - 1 :: of])


def folder_name(mine: tuple[int, int]) -> str:
    """``shard-02-of-16``: names that sort as their numbers do."""
    digits = max(2, len(str(mine[1])))
    return f"shard-{mine[0]:0{digits}d}-of-{mine[1]:0{digits}d}"


def parse_shard(text: str) -> tuple[int, int]:
    """``2/16`` as numbers.

    Raises:
        UsageError: it is no share.
    """
    match = _SHARD.fullmatch(text)
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= of:
        raise UsageError(f"--shard {text}: expected i/n with i from 1 to n, e.g. 2/16")
    return number, of


def _read_work(manifest: Path, scorer: Scorer, settings: Mapping[str, Any]) -> list[WorkItem]:
    """All that is in the manifest.

    Raises:
        CommandError: it is no manifest, or not one for this scorer.
    """
    if not manifest.is_file():
        raise CommandError(f"{manifest}: {'this is a folder, not a file' if manifest.is_dir() else 'there is no such file'}")
    try:
        work = read_manifest(manifest)
    except ValueError as error:
        raise CommandError(f"this is not a manifest (`export manifest` writes one): {error}") from error
    if not work:
        raise CommandError(f"{manifest}: it has no images")
    twice = [item_id for item_id, n in Counter(item.item_id for item in work).items() if n > 1]
    if twice:
        raise CommandError(f"{manifest}: {len(twice)} images are in it more than once, e.g. {printable(twice[0])}")
    lacks = (
        "questions" if scorer.input == "questions" and not all(item.questions for item in work)
        else "captions" if scorer.input == "captions" and not all(item.captions for item in work)
        else None
    )  # fmt: skip
    if lacks:
        flags = f" --set flip={settings['flip']}" if settings.get("flip") else ""
        raise CommandError(f"{manifest}: it lacks {lacks}; write it with: export manifest {scorer.name}{flags} -o FILE")
    return work


def _write(folder: RunFolder, run: Run, work: Sequence[WorkItem]) -> None:
    """Write the run and its work, unless they stand there from before.

    Raises:
        CommandError: there is something else.
    """
    path = folder.path
    if (path / "run.json").is_file():
        there, items = folder.job(), folder.work()
        other = [
            name
            for name, first, second in (
                ("scorer", (there.scorer, there.version), (run.scorer, run.version)),
                ("settings", there.settings, run.settings),
                ("share", (there.shard, there.of), (run.shard, run.of)),
                ("images", [_same(item) for item in items], [_same(item) for item in work]),
            )
            if first != second
        ]
        if other:
            raise CommandError(f"{path}: a run with other {' and '.join(other)} is there; choose another --out")
        if there.device != run.device or there.engine != run.engine:
            # no settings: who goes on may have others
            folder.replace(replace(there, device=run.device, engine=run.engine))
        return
    # an earlier attempt may have been killed while it wrote this
    with suppress(FileNotFoundError):
        (path / "manifest.jsonl").unlink()
    with suppress(OSError):
        (path / "parts").rmdir()
    try:
        folder.create(run, work)
    except FileExistsError as error:
        raise CommandError(f"{path}: there is something that is not a run; choose another --out") from error


def _same(item: WorkItem) -> WorkItem:
    return replace(item, path="")


def _bring_to_end(folder: RunFolder, label: str) -> None:
    """Until all parts are there.

    Raises:
        CommandError: they are not.
    """
    worker = WorkerProcess()
    report = ProgressReport(lambda text: warn(text if text.startswith("warning") else f"{label}: {text}"), _TELL_SECONDS)
    look = lambda _: report(folder.last_progress())  # noqa: E731
    worker.work(WORKER, folder, look, warn, again=RestartPolicy(folder).again)
    progress = folder.last_progress()
    if worker.status or progress is None or progress.state != "done":
        done = f"after {progress.done:,} of {progress.total:,} images" if progress is not None else "before the first image"
        if worker.was_stopped(folder):
            raise CommandError(f"{label} was stopped {done}; run the same command again to continue")
        raise CommandError(f"{label} failed {done}: {worker.why_ended(folder)}")
    failures = Counter(observation.failed for observation in folder.observations() if observation.failed is not None)
    for why, n in failures.most_common():
        warn(f"failed: {n:,} x {why}")
    failed = f", {sum(failures.values()):,} of them could not be seen" if failures else ""
    print(f"{label}: all {progress.total:,} images are done{failed}: {folder.path}", flush=True)
