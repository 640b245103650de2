"""``export``: what was said, and what follows from it, as files that are written whole or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from agreement.report.certainty import select
from data.export import formats
from data.export.formats import Columns
from data.export.judgements import JUDGEMENT_COLUMNS as JUDGEMENTS
from data.export.ratings import RATING_COLUMNS
from data.files import whole_file, write_whole
from data.store.analysis import exports
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import words
from ui.commands.agreement import selected
from ui.commands.context import CommandError, Context, UsageError
from ui.counted import counted, scales_of


def ratings(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str) -> None:
    """``export ratings``: the long frame that the statistics used; ``import ratings`` reads it without options."""
    form, path = target(context, output, form, formats.FORMATS)
    chosen = selected(context, selection)
    found = Found()
    with writing(path, form, RATING_COLUMNS, found) as put:
        for said, scales in said_parts(context.store, chosen):
            kept = counted(said, scales)
            found.add(said, kept)
            put(kept)
    context.say(f"{words.count(found.written, 'rating')} of {words.count(len(found.items), 'item')} in {output}")


def judgements(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str) -> None:
    """``export judgements``: all of the selection, those left out too, with where they come from and why they do not count."""
    form, path = target(context, output, form, formats.FORMATS)
    chosen = selected(context, selection)
    found = Found()
    with writing(path, form, JUDGEMENTS, found) as put:
        for said, scales in said_parts(context.store, chosen):
            found.add(said, said)
            put(said.assign(scale=scales_of(said, scales)).rename(columns={"number": "value"}))
    left = sum(found.excluded.values())
    context.say(f"{words.count(found.written, 'judgement')} in {output}, of which {left:,} do not count")


@dataclass(slots=True)
class Found:
    """What has come past: rows written, the items that they are about, and why some do not count."""

    read: int = 0
    written: int = 0
    items: set[str] = field(default_factory=set)
    excluded: Counter[str] = field(default_factory=Counter)

    def add(self, said: pd.DataFrame, kept: pd.DataFrame) -> None:
        """Count a part: all that was read, and what of it is written."""
        self.read += len(said)
        self.written += len(kept)
        self.items.update(kept["item"].unique())
        self.excluded.update(said["excluded"].dropna())


@contextmanager
def writing(path: Path, form: str, columns: Columns, found: Found) -> Iterator[formats.Put]:
    """A file to put tables into, part by part; it is there once all is written.

    Raises:
        CommandError: it cannot be written, or nothing was.
    """
    try:
        with whole_file(path) as file:
            with formats.writing(form, file, columns) as put:
                yield put
            if not found.written:
                raise CommandError(why_nothing(found))
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error


def why_nothing(found: Found) -> str:
    """Why there is nothing to export."""
    if not found.read:
        return "there is nothing in this selection; nothing was written"
    left = [f"{n:,} {words.reason(name)}" for name, n in found.excluded.most_common()]
    return f"no judgement of this selection counts ({', '.join(left) or 'none has a value'}); nothing was written"


def said_parts(store: Store, chosen: Selection) -> Iterator[tuple[pd.DataFrame, frame.Scales]]:
    """The selected judgements part by part, each with the scales of all."""
    if chosen.certainty:
        # how far people agree is told from all that they said
        found = exports.judgements(store, chosen)
        scales = frame.scales(store)
        yield select(found, scales, chosen.certainty), scales
        return
    scales = {}
    for part in exports.judgement_batches(store, chosen):
        # read after the judgements' state was taken: none of them lacks its scale
        scales = scales or frame.scales(store)
        yield part, scales


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
