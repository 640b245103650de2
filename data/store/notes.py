"""Notes that researchers write beside an image. Append-only; of one note the latest text counts, an empty one takes it back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from data.store import rows
from data.store.store import Store, run


@dataclass(frozen=True, slots=True)
class Note:
    """A note on an item.

    Attributes:
        note_id: made by whoever sends it (a UUID), so that sending it twice is harmless.
        revises: the note that this one takes the place of; only whoever wrote that may.
    """

    note_id: str
    item_id: str
    text: str
    made_by: str
    revises: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A note as it stands: ``note_id`` is the one to revise, ``moment`` that of its latest text, ``revised`` whether it has
    had another."""

    note_id: str
    text: str
    made_by: str
    moment: datetime
    revised: bool


class NoteRefused(ValueError):
    """Nothing was written; the message says why."""


def write(store: Store, note: Note) -> bool:
    """Write a note; returns False if it had been written before.

    Raises:
        KeyError: there is no such item.
        NoteRefused: what it revises is another person's, or on another item.
    """
    new: bool = store.write(_write, note, touched=frozenset())
    return new


def of_item(store: Store, item_id: str) -> list[Written]:
    """The notes on an item as they stand, oldest first; those that were taken back are left out."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select note_id, text, made_by, moment, count(*) over (partition by root_id) > 1 as revised,"
            " min(seq) over (partition by root_id) as place, row_number() over (partition by root_id order by seq desc) as age"
            " from notes where item_id = ? qualify age = 1 order by place",
            [item_id],
        )
    return [Written(*(row[name] for name in Written.__slots__)) for row in found if row["text"]]


def _write_one(connection: duckdb.DuckDBPyConnection, note: Note) -> bool:
    if rows.one(connection, "select 1 from notes where note_id = ?", [note.note_id]) is not None:
        return False
    if rows.one(connection, "select 1 from items where item_id = ?", [note.item_id]) is None:
        raise KeyError(note.item_id)
    root = note.note_id
    if note.revises is not None:
        before = rows.one(connection, "select root_id, item_id, made_by from notes where note_id = ?", [note.revises])
        if before is None or (before["item_id"], before["made_by"]) != (note.item_id, note.made_by):
            raise NoteRefused("Only whoever wrote a note can change it.")
        root = before["root_id"]
    columns = ("note_id", "root_id", "item_id", "text", "made_by", "moment", "seq")
    values = (note.note_id, root, note.item_id, note.text, note.made_by, datetime.now(UTC))
    rows.insert(connection, "notes", columns, [(*values, rows.sequence(connection, "statement_seq", 1)[0])])
    return True


_write = run(_write_one)
