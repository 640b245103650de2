"""``import undo``: imports listed, or one of them undone."""

from __future__ import annotations

from collections.abc import Mapping

from concord.common.context import CommandError, Context
from data.store import imports


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
