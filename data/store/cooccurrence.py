"""Tables of how often classes are together in photographs, one for each import."""

from __future__ import annotations

from functools import lru_cache

import duckdb

from data.formats.cooccurrence import Cooccurrence
from data.store import rows
from data.store.store import Store

_TABLES = ("cooccurrence", "cooccurrence_files")


def latest(store: Store) -> Cooccurrence | None:
    """The one that was imported last; None if there is none."""
    with store.read() as cursor:
        found = rows.one(cursor, "select max(import_id) as import_id from cooccurrence_files")
    return _loaded(store, found["import_id"]) if found and found["import_id"] is not None else None


def names(store: Store) -> list[str]:
    """What there is, the latest first."""
    with store.read() as cursor:
        found = rows.dicts(cursor, "select name from cooccurrence_files order by import_id desc")
    return [row["name"] for row in found]


def insert(connection: duckdb.DuckDBPyConnection, found: Cooccurrence, import_id: int) -> int:
    """Write one; returns how many rows."""
    rows.insert(connection, "cooccurrence_files", ("import_id", "name", "images"), [(import_id, found.name, found.images)])
    pairs = [(import_id, a, b, images) for (a, b), images in found.together.items()]
    rows.insert(connection, "cooccurrence", ("import_id", "a", "b", "images"), pairs)
    return len(pairs)


def delete(connection: duckdb.DuckDBPyConnection, import_id: int) -> int:
    """Take one back; returns how many rows."""
    counts = [int(rows.value(connection, f"delete from {table} where import_id = ?", [import_id])) for table in _TABLES]
    return counts[0]


# an import's number is never given to another
@lru_cache(maxsize=4)
def _loaded(store: Store, import_id: int) -> Cooccurrence:
    with store.read() as cursor:
        file = rows.one(cursor, "select name, images from cooccurrence_files where import_id = ?", [import_id])
        found = rows.dicts(cursor, "select a, b, images from cooccurrence where import_id = ?", [import_id])
    assert file is not None
    return Cooccurrence(file["name"], file["images"], {(row["a"], row["b"]): row["images"] for row in found})
