"""``export datasets``: a folder for Hugging Face's ``datasets``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from data.export import annotations as whole
from data.export import datasets, judgements
from data.people import NamesAs, person_pseudonym
from data.store.analysis import exports
from data.store.core.selection import Selection
from ui import words
from ui.commands.agreement import selected
from ui.commands.context import CommandError, Context
from ui.commands.export import said_parts
from ui.commands.export_answers import parts
from ui.counted import scales_of

_MEBIBYTE = 2**20


def run(context: Context, selection: Mapping[str, Sequence[str]], output: str, named: NamesAs, shard: int) -> None:
    """Write the folder, whole or not at all; ``shard`` is the size of a file in MiB, from which the next one begins."""
    folder = context.path(output)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise CommandError(f"{output} is there already and not an empty folder; give a new one")
    chosen = selected(context, selection)
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}")
    store, limit = context.store, shard * _MEBIBYTE
    try:
        temporary.mkdir()
        n, missing = datasets.write_images(temporary, exports.image_batches(store, chosen), store.project, limit)
        sizes = {"images": n}
        told = _judgements(context, chosen, named)
        sizes["judgements"] = datasets.write_table(temporary, "judgements", told, judgements.JUDGEMENT_COLUMNS, limit)
        answers = parts(store, chosen, named)
        sizes["annotations"] = datasets.write_table(temporary, "annotations", answers, whole.ANSWER_COLUMNS, limit)
        if not any(sizes.values()):
            raise CommandError("there is nothing in this selection; nothing was written")
        (temporary / "README.md").write_text(datasets.card(folder.name, sizes), encoding="utf-8")
        temporary.replace(folder)
    except OSError as error:
        raise CommandError(f"{folder} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    context.say(
        f"{words.count(n, 'image')}, {words.count(sizes['judgements'], 'judgement')},"
        f" {words.count(sizes['annotations'], 'answer')} in {output}; fill in the licence in its README.md"
    )
    if missing:
        context.warn(f"{words.count(missing, 'image')} without a file: their rows have no picture")


def _judgements(context: Context, chosen: Selection, named: NamesAs) -> Iterator[pd.DataFrame]:
    for said, scales in said_parts(context.store, chosen):
        table = said.assign(scale=scales_of(said, scales)).rename(columns={"number": "value"})
        if named == "pseudonyms":
            people = (table["identity"] == "person") & ~table["simulated"].astype(bool)
            other = table["rater"].map(lambda name: person_pseudonym(context.store.secret, name))
            table = table.assign(rater=table["rater"].mask(people, other))
        yield table
