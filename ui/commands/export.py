"""``export``: what was said, and what follows from it, as files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from agreement.certainty import select
from data.export import tables
from data.export.ratings import COLUMNS
from data.export.tables import Columns
from data.files import write_whole
from data.store import export, frame
from ui import words
from ui.commands.agreement import selected
from ui.commands.context import CommandError, Context, UsageError
from ui.counted import counted, scales_of

JUDGEMENTS: Columns = {
    "suite": "text",
    "prompt": "text",
    "task": "text",
    "generator": "text",
    "item": "text",
    "rater": "text",
    "kind": "text",
    "identity": "text",
    "simulated": "truth",
    "aspect": "text",
    "target": "text",
    "scale": "text",
    "label": "text",
    "value": "real",
    "excluded": "text",
    "rule_version": "text",
    "source_id": "text",
    "campaign": "text",
    "submitted": "moment",
    "seq": "whole",
}


def ratings(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str) -> None:
    """``export ratings``: the long frame that the statistics used; ``import ratings`` reads it without options."""
    form, path = target(context, output, form, tuple(tables.WRITERS))
    chosen = selected(context, selection)
    scales = frame.scales(context.store)
    said = select(frame.frame(context.store, chosen), scales, chosen.certainty)
    found = counted(said, scales)
    if found.empty:
        raise CommandError(nothing(said))
    write(path, tables.WRITERS[form](found, COLUMNS))
    context.say(f"{words.count(len(found), 'rating')} of {words.count(found['item'].nunique(), 'item')} in {output}")


def judgements(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str) -> None:
    """``export judgements``: all of the selection, those left out too, with where they come from and why they do not count."""
    form, path = target(context, output, form, tuple(tables.WRITERS))
    chosen = selected(context, selection)
    scales = frame.scales(context.store)
    found = select(export.judgements(context.store, chosen), scales, chosen.certainty)
    if found.empty:
        raise CommandError(nothing(found))
    table = found.assign(scale=scales_of(found, scales)).rename(columns={"number": "value"})
    write(path, tables.WRITERS[form](table, JUDGEMENTS))
    left = int(found["excluded"].notna().sum())
    context.say(f"{words.count(len(found), 'judgement')} in {output}, of which {left:,} do not count")


def target(context: Context, output: str, form: str | None, known: tuple[str, ...]) -> tuple[str, Path]:
    """The format and where the file goes; a format that is not said is the file's ending.

    Raises:
        UsageError: this cannot be written in that format.
    """
    path = context.path(output)
    form = form or path.suffix.removeprefix(".").lower()
    if form not in known:
        raise UsageError(f"--format is one of {', '.join(known)}" + (f", not {form}" if form else ""))
    return form, path


def write(path: Path, content: bytes) -> None:
    """Write a file whole.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error


def nothing(said: pd.DataFrame) -> str:
    """Why there is nothing to export."""
    if said.empty:
        return "there is nothing in this selection; nothing was written"
    left = [f"{n:,} {words.reason(str(name))}" for name, n in said["excluded"].value_counts().items()]
    return f"no judgement of this selection counts ({', '.join(left) or 'none has a value'}); nothing was written"
