"""Have a run's rater look once more at the images that failed in it, and at no others."""

from __future__ import annotations

from dataclasses import replace

from data.jobs.runs import Run
from data.records import Rater
from data.store import runs
from data.store.runs import RunRow
from scorers import registry
from scorers.base import Scorer
from ui import words
from ui.commands import score, working
from ui.commands.context import CommandError, Context
from ui.commands.reading import readable


def run(context: Context, run_id: str) -> None:
    """Make a new run of what failed in this one and was not seen since, and bring it to its end.

    Raises:
        CommandError: there is no such run, nothing of it is left to try, or its rater is not what it was.
    """
    store = context.store
    row = runs.get(store, run_id)
    if row is None or row.kind != "score":
        raise CommandError(f"there is no run {run_id} in this project whose images could be tried again")
    scorer = registry.get(row.scorer)
    _refuse_another(row, scorer)
    with score.beginning:
        others = score.in_hand(store, runs.all_unfinished(store, row.rater_id))
        failing = [work for work in runs.failing(store, run_id) if work.item_id not in others]
        found = readable(store, failing, scorer, row.settings)
        if not found.work:
            raise CommandError(f"of run {run_id} no image is left to try: what failed has been seen since, or is being tried")
        rater = Rater(row.rater_id, "scorer", None, row.version, row.settings)
        asked = replace(_asked(context, row), run_id=working.next_id(store, row.rater_id))
        begun = score.written(store, asked, rater, found.work)
    context.warn(f"run {begun.run_id}: {words.count(len(found.work), 'image')} that failed in run {run_id} to try again")
    working.work(context, begun, scorer)


def _asked(context: Context, row: RunRow) -> Run:
    """What was asked of the run's worker; where its folder is gone, by what the project knows."""
    try:
        return working.folder_of(context.store, row).run()
    except (OSError, ValueError, TypeError):
        return Run(row.run_id, row.scorer, row.version, row.profile, row.settings, row.device or score.DEFAULT_DEVICE)


def _refuse_another(row: RunRow, scorer: Scorer) -> None:
    """What other code or other weights see is another rater's."""
    why = ""
    if row.version != scorer.version:
        why = f"it is version {scorer.version} by now, then {row.version}"
    else:
        try:
            changed = row.settings.get("weights", {}) != registry.fingerprints(scorer, row.settings)
        except ValueError as error:
            raise CommandError(f"{row.rater_id} cannot look again: {error}") from error
        why = "its models' weights are others by now" if changed else ""
    if why:
        raise CommandError(f"{row.rater_id} is not what it was ({why}); Score begins a run of a new rater")
