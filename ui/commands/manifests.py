"""``export manifest``: what a scorer has before it, as a file that it can be scored from elsewhere (``score --manifest``)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from data.jobs.runs import WorkItem, write_manifest
from data.store import runs
from data.store.core.selection import Selection
from ui import words
from ui.commands.context import CommandError, Context
from ui.commands.overrides import pairs
from ui.commands.reading import readable
from ui.commands.score import plan


def run(
    context: Context,
    scorer: str,
    profile: str | None,
    overrides: Sequence[str],
    limit: int | None,
    selection: Mapping[str, Sequence[str]],
    output: str,
    images: bool,
) -> None:
    """Write the images that the rater has not judged yet, with paths that begin at the file's folder.

    Raises:
        CommandError: there are none, or a file cannot be written.
    """
    chosen = plan(context.store, scorer, profile, pairs(overrides))
    where = Selection.of(lambda name: selection.get(name, ()))
    pending = runs.pending(context.store, where, chosen.rater.rater_id)
    found = readable(context.store, pending, chosen.scorer, chosen.settings)
    left = found.work[:limit]
    if found.left_out:
        context.warn(found.told())
    if not left:
        raise CommandError(f"there is nothing to score: no image of this selection is left for {chosen.rater.rater_id}")
    path = context.path(output)
    home = path.absolute().parent.resolve()
    try:
        home.mkdir(parents=True, exist_ok=True)
        placed = _copied(left, home) if images else left
        write_manifest(path, [replace(one, path=os.path.relpath(Path(one.path).resolve(), home)) for one in placed])
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror or error}") from error
    context.say(f"{words.count(len(left), 'image')} for {chosen.rater.rater_id} to score: {output}")


def _copied(work: Sequence[WorkItem], home: Path) -> list[WorkItem]:
    """The same of copies beside the manifest, named by their content."""
    folder = home / "images"
    folder.mkdir(exist_ok=True)
    placed = []
    for one in work:
        to = folder / f"{one.sha256}{Path(one.path).suffix.lower()}"
        if not to.is_file():
            # a name of its own until it is whole
            temporary = to.with_name(f".{to.name}.{os.getpid()}")
            shutil.copyfile(one.path, temporary)
            temporary.replace(to)
        placed.append(replace(one, path=str(to)))
    return placed
