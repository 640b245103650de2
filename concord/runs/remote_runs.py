"""Remote runs: ``export manifest`` writes what a scorer has before it; ``import scores`` takes in the run, in one folder or
in shards.

Before it is taken in, all of it is judged: nothing is written until it can be.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, digest, parse_overrides, writing
from concord.judging import judge
from concord.runs import run_session, score, sharding
from concord.runs.image_limit import limit_of
from concord.runs.requests import ManifestRequest
from concord.runs.score import plan_scoring, readable
from data.files import printable, quoted
from data.jobs.folder import LOG, WorkerProgress
from data.jobs.runs import Run, RunFolder, WorkItem, write_manifest
from data.selection import Selection
from data.store import imports, runs
from data.store.runs import RunSource
from scorers import registry
from scorers.base import Scorer


def export_manifest(context: Context, request: ManifestRequest, selection: Mapping[str, Sequence[str]]) -> None:
    """Write the images that the rater has not judged yet, with paths that begin at the file's folder.

    Raises:
        CommandError: there are none, or a file cannot be written.
    """
    output, scorer = request.output, request.scorer
    chosen = plan_scoring(context.store, scorer, request.profile, parse_overrides(request.overrides))
    if chosen.note:
        context.warn(chosen.note)
    if chosen.scorer.input == "pair":
        raise CommandError(f"{scorer} compares pairs, which only this machine has: score {scorer}")
    where = Selection.of(lambda name: selection.get(name, ()))
    pending = runs.pending(context.store, where, chosen.rater.rater_id)
    readable_work = readable(context.store, pending, chosen.scorer, chosen.settings)
    most = limit_of(request.limit, request.first, request.seed)
    left = most.choose(context.store, readable_work.work)
    if readable_work.left_out:
        context.warn(readable_work.left_out_text())
    if not left:
        raise CommandError(f"nothing to score: this selection has no image left for {chosen.rater.rater_id}")
    path = context.path(output)
    home = path.absolute().parent.resolve()
    with writing(output):
        home.mkdir(parents=True, exist_ok=True)
        placed = _copied(left, home) if request.images else left
        write_manifest(path, [replace(item, path=os.path.relpath(Path(item.path).resolve(), home)) for item in placed])
    if len(left) < len(readable_work.work):
        context.warn(f"of {wording.count(len(readable_work.work), 'image')}: {most.text}")
    context.say(f"{wording.count(len(left), 'image')} for {chosen.rater.rater_id} to score: {output}")


def _copied(work: Sequence[WorkItem], home: Path) -> list[WorkItem]:
    """The same of copies beside the manifest, named by their content."""
    folder = home / "images"
    folder.mkdir(exist_ok=True)
    placed = []
    for item in work:
        to = folder / f"{item.sha256}{Path(item.path).suffix.lower()}"
        if not to.is_file():
            # a name of its own until it is whole
            temporary = to.with_name(f".{to.name}.{os.getpid()}")
            shutil.copyfile(item.path, temporary)
            temporary.replace(to)
        placed.append(replace(item, path=str(to)))
    return placed


def check_judgeable(context: Context, scorer: Scorer, run: Run, folder: RunFolder, directory: str) -> None:
    """Judge all parts, and forget it.

    Raises:
        CommandError: the settings are none of this scorer's, or what was seen of an image is no evidence for it.
    """
    try:
        with suppress(KeyError):  # a run of before there was that setting
            scorer.check(run.settings)
    except Exception as error:  # of settings that are of any kind whatever is raised
        why = printable(error) if isinstance(error, ValueError) else f"found {quoted(dict(run.settings), 120)}"
        raise CommandError(f"{directory}: 'settings' of run.json are invalid for {scorer.name}: {why}") from error
    for number in folder.parts():
        seen = folder.read_part(number)
        known = runs.known_images(context.store, [observation.item_id for observation in seen])
        for observation in seen:
            try:
                judge(scorer, known.get(observation.item_id, runs.KnownImage(None, {})), observation, run.settings)
            except Exception as error:  # a scorer, perhaps of the user's own, reads what it has not written
                raise CommandError(
                    f"{directory}: part {number}: the evidence on {observation.item_id} is not valid for {scorer.name};"
                    " was it written by another version?"
                ) from error


_FILES = ("run.json", "manifest.jsonl")
_NAMED = 5


@dataclass(frozen=True, slots=True)
class _FinishedRun:
    """A run's folder as it stands; ``name``: as the command names it."""

    name: str
    folder: RunFolder
    job: Run
    work: list[WorkItem]

    def sha256(self) -> str:
        """Of all that counts in it."""
        parts = (self.folder.part(number) for number in self.folder.parts())
        return digest(*(self.folder.path / name for name in _FILES), *parts)


def import_scores(context: Context, directory: str | Sequence[str]) -> None:
    """Copy a finished run's folder, or all its shards', into the project as one run, and take its parts in. The same folders
    twice are the same import, whatever their order.

    Raises:
        CommandError: they are not finished, do not belong together or not here, or one is missing.
    """
    directories = [directory] if isinstance(directory, str) else list(directory)
    made = _runs_in(context, directories)
    for run in made:
        _refuse_unfinished(run)
    made = _in_shard_order(made)
    _refuse_others(context, [work for finished_run in made for work in finished_run.work])
    job = made[0].job
    scorer = registry.get(job.scorer)
    for finished_run in made:
        check_judgeable(context, scorer, job, finished_run.folder, finished_run.name)
    sha256 = made[0].sha256() if len(made) == 1 else digest(*(finished_run.sha256() for finished_run in made))
    # the run that was imported from these very folders, perhaps not to its end
    import_id = imports.find_import(context.store, "scores", sha256)
    row = next((row for row in runs.listed(context.store) if import_id is not None and row.import_id == import_id), None)
    if row is not None and row.n_done >= row.n_items:
        context.say(f"nothing to do: this was imported before, as import {row.import_id}")
        return
    if row is None:
        rater = score.rater_of(context.store, scorer, job.profile, job.version, job.settings)
        run_id = run_session.next_id(context.store, rater.rater_id)
        _copy(made, context.store.project / "runs" / run_id)
        stored = replace(job, run_id=run_id, shard="", of="")
        n_items = sum(len(finished_run.work) for finished_run in made)
        runs.add_run(context.store, stored, rater, f"runs/{run_id}", n_items, RunSource(rater.rater_id, sha256))
        row = runs.get(context.store, run_id)
        assert row is not None
    for number, (folder, part) in enumerate(_parts(made)):
        run_session.take_in(context, row, scorer, number, folder.read_part(part))
    runs.set_state(context.store, row.run_id, "done")
    taken = runs.get(context.store, row.run_id)
    assert taken is not None
    failed = f", {taken.n_failed:,} had failed there" if taken.n_failed else ""
    context.say(
        f"{wording.count(taken.n_done - taken.n_failed, 'image')} judged by {row.rater_id}{failed}"
        f" (import {row.import_id}; to take it back: import undo {row.import_id})"
    )


def _runs_in(context: Context, directories: Sequence[str]) -> list[_FinishedRun]:
    """The runs in the folders that are named, and in those of a folder that is none itself; each once."""
    names: dict[Path, str] = {}
    for name in directories:
        path = context.path(name)
        if path.is_file():
            raise CommandError(
                f"{name}: this is a file, not a run's folder; for a table of scores: import ratings --kind scorer"
            )
        paths = [path] if (path / "run.json").is_file() else sorted(below.parent for below in path.glob("*/run.json"))
        if not paths:
            raise CommandError(f"{name}: this is not a run's folder (no run.json in it or in its subfolders)")
        for folder in paths:
            names.setdefault(folder.resolve(), name if folder == path else f"{name.rstrip('/')}/{folder.name}")
    made = []
    for path, name in names.items():
        run = RunFolder(path)
        try:
            made.append(_FinishedRun(name, run, run.job(), run.work()))
        except (OSError, ValueError, TypeError) as error:
            raise CommandError(f"{name}: the run cannot be read: {' '.join(str(error).split())}") from error
    return made


def _refuse_unfinished(made: _FinishedRun) -> None:
    """All parts must be there, each about the images that the manifest names."""
    work, size = made.work, made.job.part_size
    parts = [work[start : start + size] for start in range(0, len(work), size)]
    there = sum(len(part) for number, part in enumerate(parts) if made.folder.is_of(number, part))
    if there < len(work) or not work:
        raise CommandError(
            f"{made.name}: the run is not finished, {there:,} of {wording.count(len(work), 'image')} are there; "
            "run its worker again, then import it"
        )


def _in_shard_order(made: Sequence[_FinishedRun]) -> list[_FinishedRun]:
    """In the order of their shards.

    Raises:
        CommandError: they are not from one rater, not shares of the same images, or some are missing.
    """
    first = made[0]
    for finished_run in made[1:]:
        other = _differences(first.job, finished_run.job)
        if other:
            raise CommandError(f"{first.name} and {finished_run.name} are not from one rater: {'; '.join(other)}")
        if bool(finished_run.job.shard) != bool(first.job.shard) or finished_run.job.of != first.job.of:
            raise CommandError(f"{first.name} and {finished_run.name} are not shards of one manifest; import them separately")
    homes: dict[str, _FinishedRun] = {}
    for finished_run in made:
        for work in finished_run.work:
            other_home = homes.setdefault(work.item_id, finished_run)
            if other_home is not finished_run:
                raise CommandError(
                    f"{work.item_id} is in {other_home.name} and in {finished_run.name}; each image may be in only one of them"
                )
    if not first.job.shard:
        return sorted(made, key=lambda finished_run: finished_run.work[0].item_id)
    numbers = {}
    for finished_run in made:
        try:
            numbers[finished_run.name] = sharding.parse_shard(finished_run.job.shard)
        except UsageError as error:  # what stands in a file is nobody's option
            raise CommandError(f"{finished_run.name}: 'shard' of run.json: {error}") from error
    of = {n for _, n in numbers.values()}
    if len(of) > 1:
        raise CommandError(f"shards of {' and of '.join(map(str, sorted(of)))} are mixed; import shards of one division only")
    missing = sorted(set(range(1, max(of) + 1)) - {number for number, _ in numbers.values()})
    if missing:
        named = ", ".join(map(str, missing[:_NAMED])) + (" ..." if len(missing) > _NAMED else "")
        them = "it" if len(missing) == 1 else "them"
        raise CommandError(
            f"{wording.count(len(missing), 'shard')} of {max(of)} missing: {named}; score {them}"
            " (score --manifest --shard), then import all together"
        )
    return sorted(made, key=lambda run: numbers[run.name])


def _differences(first: Run, second: Run) -> list[str]:
    """What makes two runs those of two raters, in words."""
    pairs = [(name, getattr(first, name), getattr(second, name)) for name in ("scorer", "version", "profile")]
    for key in sorted({*first.settings, *second.settings}):
        if first.settings.get(key) != second.settings.get(key):
            pairs.append((key, first.settings.get(key), second.settings.get(key)))
    return [f"{name} {a}, there {b}" for name, a, b in pairs if a != b]


def _refuse_others(context: Context, work: list[WorkItem]) -> None:
    """What was seen there must be of the very pictures that are here."""
    known = runs.known_images(context.store, [item.item_id for item in work])
    unknown = [item.item_id for item in work if item.item_id not in known]
    if unknown:
        raise CommandError(f"{wording.count(len(unknown), 'image')} of the run are not in this project, e.g. {unknown[0]}")
    other = [item.item_id for item in work if known[item.item_id].sha256 != item.sha256]
    if other:
        raise CommandError(
            f"{wording.count(len(other), 'image')} of the run have another file in this project, e.g. {other[0]}"
        )


def _parts(made: Sequence[_FinishedRun]) -> list[tuple[RunFolder, int]]:
    """Where the parts of the one run are, in order."""
    return [(run.folder, number) for run in made for number in run.folder.parts()]


def _copy(made: Sequence[_FinishedRun], to: Path) -> None:
    """One run's folder of all of them. Shards may end with a smaller part, so parts have numbers of their own here."""
    (to / "parts").mkdir(parents=True)
    for name in (*_FILES, "progress.json", LOG):
        if (made[0].folder.path / name).is_file():
            shutil.copyfile(made[0].folder.path / name, to / name)
    for number, (folder, part) in enumerate(_parts(made)):
        shutil.copyfile(folder.part(part), RunFolder(to).part(number))
    if len(made) > 1:
        whole = RunFolder(to)
        write_manifest(to / "manifest.jsonl", [work for finished_run in made for work in finished_run.work])
        whole.replace(replace(made[0].job, run_id=to.name, shard="", of=""))
        whole.tell(_total_progress(made))


def _total_progress(made: Sequence[_FinishedRun]) -> WorkerProgress:
    """How far all of them together came: to their end."""
    progresses = [progress for run in made if (progress := run.folder.last_progress()) is not None]
    total = sum(len(run.work) for run in made)
    seconds, failed = sum(progress.seconds for progress in progresses), sum(progress.failed for progress in progresses)
    versions = progresses[0].versions if progresses else {}
    return WorkerProgress("done", total, total, failed, seconds, versions=versions)
