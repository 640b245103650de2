"""Sessions that have been ended: known by a keyed hash alone, from memory at every request, and on disk so that it lasts."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

import duckdb

from data.people import keyed_hash
from data.store.store import Store, run

_known: WeakKeyDictionary[Store, set[str]] = WeakKeyDictionary()
# asked at every request; only this process changes it
_lock = threading.Lock()


def is_ended(store: Store, session: str) -> bool:
    """Whether a session of this id was ended."""
    with _lock:
        if store not in _known:
            with store.read() as cursor:
                _known[store] = {row[0] for row in cursor.execute("select session from ended_sessions").fetchall()}
        ended = _known[store]
        return bool(ended) and _mark(store, session) in ended


def end(store: Store, session: str, until: datetime, *, now: datetime | None = None) -> None:
    """End a session for all who hold its cookie, now and after a restart; returns once that is on disk.

    ``until`` is when no cookie of it would be good any more; what is older than ``now`` is forgotten.
    """
    store.write(_end, (_mark(store, session), until, now or datetime.now(UTC)), shown=False)
    with _lock:
        _known.pop(store, None)


def _mark(store: Store, session: str) -> str:
    return keyed_hash(store.secret, "session", session)


def _end_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, datetime, datetime]) -> None:
    mark, until, now = payload
    connection.execute("delete from ended_sessions where until < ?", [now])
    connection.execute("insert or replace into ended_sessions values (?, ?)", [mark, until])


_end = run(_end_one)
