"""Erasing a person: everything that they said or that names them goes, from the database file too."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

import duckdb

from data.store.backup import backups
from data.store.browse import index_refresh
from data.store.core import browse_index, erased, rows, schema
from data.store.core.campaign_items import recount
from data.store.core.store import Store, per_payload
from data.store.people import invitations

NOBODY = "(erased)"
"""Stands where an erased person did something that others still need, such as making an invitation."""


class NoSuchPerson(ValueError):
    """There is nobody of this name to erase; the message says so."""


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """What went: answers with all their revisions, judgements, and verdicts by or about the person."""

    annotations: int
    judgements: int
    adjudications: int


_known: WeakKeyDictionary[Store, frozenset[str]] = WeakKeyDictionary()
# asked at every request; only this process changes it
_lock = threading.Lock()


def is_erased(store: Store, name: str) -> bool:
    """Whether a person of this name was erased from the project."""
    with _lock:
        if store not in _known:
            with store.read() as cursor:
                _known[store] = frozenset(erased.marks(cursor))
        marks = _known[store]
    return bool(marks) and erased.mark(store.secret, name) in marks


def erase(store: Store, name: str, *, now: datetime | None = None) -> ErasedRows:
    """Erase a person, and write the database anew, so that no byte of them stays in its file.

    Raises:
        NoSuchPerson: there is none of this name, or it is a scorer's or a study's slot.
    """
    # first nobody may write in their name any more: their open pages are sent away from now on
    store.write(_mark_erased, (name, store.secret, now or datetime.now(UTC)), shown=False)
    with _lock:
        _known.pop(store, None)
    removed: ErasedRows = store.write(_erase, name)
    invitations.forget_cached(store)
    index_refresh.refresh(store)
    # a backup reads for long: who waits for it is to wait outside, and not to let everybody wait
    with backups.backup_lock:
        store.rewrite()
    return removed


def _write_erased(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, datetime]) -> None:
    name, secret, now = payload
    found = rows.first(connection, "select kind, identity from raters where rater_id = ?", [name])
    if found is not None and (found["kind"], found["identity"]) != ("human", "person"):
        raise NoSuchPerson(
            f"{name!r} is a {found['identity'] or found['kind']} and no person; `import undo` takes back what came"
        )
    mark, marks = erased.mark(secret, name), erased.marks(connection)
    if found is None and mark not in marks and not any(connection.execute(_NAMED, {"name": name}).fetchone() or ()):
        raise NoSuchPerson(f"there is nobody called {name!r} in this project; `people list` has the names")
    if mark not in marks:
        rows.insert(connection, "erased", ("person", "moment"), [(mark, now)])


# what may name somebody who is no rater (any more)
_NAMED = """
select exists (from annotations where rater_id = $name) or exists (from claims where rater_id = $name)
    or exists (from arrivals where rater_id = $name) or exists (from uncovered where rater_id = $name)
    or exists (from adjudications where rater_id = $name or made_by = $name)
    or exists (from revocations where rater_id = $name) or exists (from notes where made_by = $name)
    or exists (from taggings where made_by = $name) or exists (from saved_views where made_by = $name)
"""
_BY = {
    "invitations": ("made_by",),
    "revocations": ("made_by", "lifted_by"),
    "taggings": ("made_by",),
    "saved_views": ("made_by",),
    "recruitments": ("made_by",),
    "changes": ("made_by",),
}
_THEIRS = (
    "judgements", "annotations", "uncovered", "arrivals", "consents", "raters", "claims", "skips", "drafts", "reports",
    "revocations", "identities", "browsers",
)  # fmt: skip


def strike_person(connection: duckdb.DuckDBPyConnection, name: str) -> ErasedRows:
    """Delete all that a person said and all that names them, in a database of whatever schema, or in a snapshot.

    Inside a transaction; the bytes are still in the file after it.
    """
    there = set(schema.table_names(connection))
    verdicts = _count(connection, there, "adjudications", "rater_id = $1 or made_by = $1", name)
    said = _count(connection, there, "annotations", "rater_id = $1", name)
    judged = _count(connection, there, "judgements", "rater_id = $1", name)
    if "stale" in there:
        browse_index.mark_stale_where(connection, "select item_id from judgements where rater_id = ?", [name])
    deleted = dict.fromkeys(_THEIRS, "rater_id = $1")
    deleted |= {"adjudications": "rater_id = $1 or made_by = $1", "notes": "made_by = $1"}
    for table, whose in deleted.items():
        if table in there:
            connection.execute(f"delete from {table} where {whose}", [name])
    for table, columns in _BY.items():
        for column in columns if table in there else ():
            connection.execute(f"update {table} set {column} = ? where {column} = ?", [NOBODY, name])
    if "uncovered" in there:
        # others came from a grid that showed what this person says
        connection.execute("update uncovered set how = ? where how = ?", [f"browse: {NOBODY}", f"browse: {name}"])
    if "campaign_items" in there:
        recount(connection)
    return ErasedRows(said, judged, verdicts)


def _count(connection: duckdb.DuckDBPyConnection, there: set[str], table: str, whose: str, name: str) -> int:
    return int(rows.value(connection, f"select count(*) from {table} where {whose}", [name])) if table in there else 0


_mark_erased = per_payload(_write_erased)
_erase = per_payload(strike_person)
