"""Unblinding: who has been shown evidence and others' answers about an item; what they answer after that is not blind."""

from __future__ import annotations

from datetime import UTC, datetime

import duckdb

from data.store.core import rows
from data.store.core.store import Store, per_payload

ON_REQUEST = "asked"
"""They uncovered it on purpose, before answering."""
AFTER_ANSWER = "answered"
"""It was shown to them after they had answered."""


def by_browsing(rater: str) -> str:
    """How it is called to come from a grid that showed what ``rater`` says."""
    return f"browse: {rater}"


def record_unblinding(store: Store, person: str, item_id: str, how: str) -> None:
    """Remember that this person is shown it now; returns once that is on disk. The first time is the one that counts."""
    if unblinded_how(store, person, item_id) is None:
        store.write(_record, (person, item_id, how, datetime.now(UTC)), shown=False)
        store.memory.forget()


def unblinded_how(store: Store, person: str, item_id: str) -> str | None:
    """How this person came to see it, or one of its images, first; None: they have not."""
    # most people in a campaign never see any, and are asked about with every answer
    if person not in (store.memory.keep("uncovered", lambda: _people(store)) or ()):
        return None
    with store.read() as cursor:
        found = rows.first(
            cursor,
            "select how from uncovered where rater_id = ? and (item_id = ? or item_id in"
            " (select image_id from item_members where item_id = ?)) order by moment limit 1",
            [person, item_id, item_id],
        )
    return None if found is None else str(found["how"])


def _people(store: Store) -> frozenset[str]:
    """Who has ever been shown anything."""
    with store.read() as cursor:
        return frozenset(row[0] for row in cursor.execute("select distinct rater_id from uncovered").fetchall())


def has_answered(store: Store, person: str, item_id: str) -> bool:
    """Whether this person has said something about the item."""
    with store.read() as cursor:
        found = rows.first(cursor, "select 1 from annotations where rater_id = ? and item_id = ?", [person, item_id])
    return found is not None


def resolve_revision(store: Store, person: str, item_id: str, revises: str | None) -> tuple[bool, str | None]:
    """Whether an answer that comes now was given after seeing, and which answer it takes the place of.

    A blind answer keeps its place in the statistics whatever is said after seeing, so a revision then stands beside it: it
    takes the place of an earlier answer after seeing, or of none. What ``revises`` names stays if it is not this person's.
    """
    if unblinded_how(store, person, item_id) is None:
        return False, revises
    with store.read() as cursor:
        own = rows.dicts(
            cursor,
            "select annotation_id, saw_evidence,"
            " annotation_id in (select revises from annotations where revises is not null and rater_id = ?) as superseded"
            " from annotations where rater_id = ? and item_id = ? order by seq, submitted",
            [person, person, item_id],
        )
    if revises not in {row["annotation_id"] for row in own}:
        return True, revises
    after = [str(row["annotation_id"]) for row in own if row["saw_evidence"] and not row["superseded"]]
    return True, after[-1] if after else None


def _write_unblinding(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, datetime]) -> None:
    person, item_id, how, now = payload
    if rows.first(connection, "select 1 from uncovered where rater_id = ? and item_id = ?", [person, item_id]) is None:
        rows.insert(connection, "uncovered", ("rater_id", "item_id", "moment", "how"), [(person, item_id, now, how)])


_record = per_payload(_write_unblinding)
