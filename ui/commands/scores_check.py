"""Before a run that was made elsewhere is taken in: can all of it be judged? Nothing is written until it can."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from data.files import printable, quoted
from data.jobs.runs import Run, RunFolder
from data.store import runs
from ui.commands.context import CommandError, Context
from ui.commands.derive import judge

if TYPE_CHECKING:
    from scorers.base import Scorer


def refuse_senseless(context: Context, scorer: Scorer, asked: Run, folder: RunFolder, directory: str) -> None:
    """Judge all parts, and forget it.

    Raises:
        CommandError: the settings are none of this scorer's, or what was seen of an image is no evidence for it.
    """
    try:
        with suppress(KeyError):  # a run of before there was that setting
            scorer.check(asked.settings)
    except Exception as error:  # of settings that are of any kind whatever is raised
        why = printable(error) if isinstance(error, ValueError) else f"found {quoted(dict(asked.settings), 120)}"
        raise CommandError(f"{directory}: 'settings' of run.json make no sense to {scorer.name}: {why}") from error
    for number in folder.parts():
        seen = folder.read_part(number)
        known = runs.known_images(context.store, [one.item_id for one in seen])
        for one in seen:
            try:
                judge(scorer, known[one.item_id].spec if one.item_id in known else {}, one, asked.settings)
            except Exception as error:  # a scorer, perhaps of the user's own, reads what it has not written
                raise CommandError(
                    f"{directory}: part {number}: what was seen of {one.item_id} is no evidence that {scorer.name} can judge;"
                    " was it made by another version of it?"
                ) from error
