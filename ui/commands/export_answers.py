"""``export annotations``: people's whole answers, with all that it takes to read them back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from agreement.report.certainty import select
from data import people
from data.export import formats
from data.export.annotations import ANSWER_COLUMNS
from data.store.analysis import exports
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import words
from ui.commands.agreement import selected
from ui.commands.context import Context
from ui.commands.export import Found, target, writing


def run(context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str, named: people.NamesAs) -> None:
    """Write the selected answers with all their revisions; ``import exported`` reads them back."""
    form, path = target(context, output, form, formats.FORMATS)
    chosen = selected(context, selection)
    found = Found()
    with writing(path, form, ANSWER_COLUMNS, found) as put:
        for part in parts(context.store, chosen, named):
            found.add(part.assign(excluded=None), part)
            put(part)
    context.say(f"{words.count(found.written, 'answer')} about {words.count(len(found.items), 'item')} in {output}")


def parts(store: Store, chosen: Selection, named: people.NamesAs) -> Iterator[pd.DataFrame]:
    """The selected answers part by part."""
    ids = None
    if chosen.certainty:
        said = select(exports.judgements(store, chosen), frame.scales(store), chosen.certainty)
        ids = sorted(said.loc[said["kind"] != "scorer", "source_id"].unique())
    for part in exports.answer_batches(store, chosen, ids):
        yield people.without_names(part, store.secret) if named == "pseudonyms" else part
