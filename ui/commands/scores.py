"""``import scores``: take in a run that was made elsewhere."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from data.runs import Run, RunFolder, Work
from data.store import imports, runs
from data.store.runs import RunRow, Source
from ui import words
from ui.commands import score, working
from ui.commands.context import CommandError, Context, digest
from ui.commands.scores_check import refuse_senseless

_FILES = ("run.json", "manifest.jsonl")


def run(context: Context, directory: str) -> None:
    """Copy a finished run's folder into the project and take its parts in. The same folder twice is the same import."""
    from scorers import registry

    folder = RunFolder(context.path(directory))
    asked, work = _read(folder, directory)
    _refuse_unfinished(folder, asked, work, directory)
    _refuse_others(context, work)
    scorer = registry.get(asked.scorer)
    refuse_senseless(context, scorer, asked, folder, directory)
    sha256 = digest(*(folder.path / name for name in _FILES), *(folder.part(number) for number in folder.parts()))
    rater = score.rater_of(context.store, scorer, asked.profile, asked.version, asked.settings)
    row = _known(context, sha256)
    if row is not None and row.n_done >= row.n_items:
        context.say(f"nothing to do: this was imported before, as import {row.import_id}")
        return
    if row is None:
        run_id = working.next_id(context.store, rater.rater_id)
        _copy(folder, context.store.project / "runs" / run_id)
        stored = replace(asked, run_id=run_id)
        runs.add_run(context.store, stored, rater, f"runs/{run_id}", len(work), Source(rater.rater_id, sha256))
        row = runs.one(context.store, run_id)
        assert row is not None
    for number in folder.parts():
        working.take_in(context, row, scorer, number, folder.read_part(number))
    runs.set_state(context.store, row.run_id, "done")
    taken = runs.one(context.store, row.run_id)
    assert taken is not None
    failed = f", {taken.n_failed:,} had failed there" if taken.n_failed else ""
    context.say(
        f"{words.count(taken.n_done - taken.n_failed, 'image')} judged by {row.rater_id}{failed}"
        f" (import {row.import_id}; to take it back: import undo {row.import_id})"
    )


def _read(folder: RunFolder, directory: str) -> tuple[Run, list[Work]]:
    if not (folder.path / "run.json").is_file():
        raise CommandError(f"{directory}: this is no run's folder (there is no run.json in it)")
    try:
        return folder.run(), folder.work()
    except (OSError, ValueError, TypeError) as error:
        raise CommandError(f"{directory}: the run cannot be read: {' '.join(str(error).split())}") from error


def _refuse_unfinished(folder: RunFolder, asked: Run, work: list[Work], directory: str) -> None:
    """All parts must be there, each about the images that the manifest names."""
    parts = [work[start : start + asked.part_size] for start in range(0, len(work), asked.part_size)]
    there = sum(len(part) for number, part in enumerate(parts) if folder.is_of(number, part))
    if there < len(work) or not work:
        raise CommandError(
            f"{directory}: the run is not finished, {there:,} of {words.count(len(work), 'image')} are there; "
            "run its worker again, then import it"
        )


def _refuse_others(context: Context, work: list[Work]) -> None:
    """What was seen there must be of the very pictures that are here."""
    known = runs.asked(context.store, [one.item_id for one in work])
    unknown = [one.item_id for one in work if one.item_id not in known]
    if unknown:
        raise CommandError(f"{words.count(len(unknown), 'image')} of the run are not in this project, e.g. {unknown[0]}")
    other = [one.item_id for one in work if known[one.item_id].sha256 != one.sha256]
    if other:
        raise CommandError(f"{words.count(len(other), 'image')} of the run have another file in this project, e.g. {other[0]}")


def _known(context: Context, sha256: str) -> RunRow | None:
    """The run that was imported from this very folder, perhaps not to its end."""
    import_id = imports.known(context.store, "scores", sha256)
    return next((row for row in runs.listed(context.store) if import_id is not None and row.import_id == import_id), None)


def _copy(folder: RunFolder, to: Path) -> None:
    (to / "parts").mkdir(parents=True)
    for name in (*_FILES, "progress.json", working.LOG):
        if (folder.path / name).is_file():
            shutil.copyfile(folder.path / name, to / name)
    for number in folder.parts():
        shutil.copyfile(folder.part(number), RunFolder(to).part(number))
