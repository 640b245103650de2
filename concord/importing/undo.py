"""``import undo``: imports listed, or one of them undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from concord.common import wording
from concord.common.context import CommandError, Context
from data.store import imports
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class PastImport:
    """An import of a project.

    Attributes:
        number: that undoes it.
        name: what it was, such as "images sr2d my-model".
        brought: what was new, in words.
    """

    number: int
    created: datetime
    name: str
    brought: str
    is_undone: bool


def past_imports(store: Store) -> Sequence[PastImport]:
    """Return a project's imports, the newest first."""
    return [
        PastImport(
            row.import_id,
            row.created,
            " ".join([*dict.fromkeys(row.kind.split()), *([] if row.name in row.kind.split() else [row.name])]),
            _in_words(row.counts),
            row.undone is not None,
        )
        for row in reversed(imports.listed(store))
    ]


def undo_obstacle(store: Store, number: int) -> str:
    """Return why an import cannot be undone, and what to do first, as a sentence; "" if it can be undone."""
    why = imports.undo_obstacle(store, number)
    return wording.sentence(why) if why else ""


def take_back(store: Store, number: int) -> None:
    """Undo an import: all that it brought leaves the project.

    Raises:
        CommandError: there is no such import, it is undone already, or others depend on it.
    """
    try:
        imports.undo(store, number)
    except (ValueError, KeyError) as error:
        raise CommandError(str(error.args[0] if error.args else error)) from error


def undo_import(context: Context, import_id: int | None) -> None:
    """``import undo``: undo an import, or list all imports."""
    if import_id is not None:
        counts = imports.undo(context.store, import_id)
        context.say(f"import {import_id} undone: {_counts(counts)}")
        return
    imported = imports.listed(context.store)
    for row in imported:
        state = f"undone {row.undone:%Y-%m-%d %H:%M}" if row.undone else _counts(row.counts)
        context.say(f"{row.import_id:>4}  {row.created:%Y-%m-%d %H:%M}  {row.kind} {row.name}: {state}")
    if not imported:
        raise CommandError("nothing has been imported into this project yet")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {table.replace('_', ' ')}" for table, n in counts.items() if n) or "nothing left to remove"


_NOUNS: Final[Mapping[str, str]] = {
    "images": "image",
    "prompts": "prompt",
    "questions": "question",
    "raters": "rater",
    "annotations": "answer",
    "evidence": "score",
}
"""What tables hold, for people; what is in no other word of theirs is left out."""


def _in_words(counts: Mapping[str, int]) -> str:
    return ", ".join(wording.count(counts[table], noun) for table, noun in _NOUNS.items() if counts.get(table))
