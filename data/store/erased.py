"""Names of erased people, stored as keyed hashes, so that a later import cannot bring them back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from data.people import keyed_hash
from data.store import browse_index
from data.store.campaign_items import recount
from data.store.core import rows, schema
from data.store.core.connections import Connection


class Erased(ValueError):
    """Something would bring back a person who was erased; nothing was written."""


def mark(secret: str, name: str) -> str:
    """What is kept of an erased person."""
    return keyed_hash(secret, "erased", name)


def marks(connection: Connection) -> dict[str, datetime]:
    """All who were erased, and when."""
    return dict(connection.execute("select person, moment from erased").fetchall())


def refuse(connection: Connection, names: Iterable[str]) -> None:
    """Let nobody in who was erased.

    Raises:
        Erased: one of these names was.
    """
    wanted = list(names)
    known: Mapping[str, datetime] = marks(connection) if wanted else {}
    if not known:
        return
    secret = str(rows.value(connection, "select value from meta where key = 'secret'"))
    for name in wanted:
        if moment := known.get(mark(secret, name)):
            raise Erased(
                f"{name!r} was erased from this project on {moment:%Y-%m-%d} and cannot be imported again; nothing was"
                " stored. Remove their rows from the file first"
            )


NOBODY = "(erased)"
"""Stands where an erased person did something that others still need, such as making an invitation."""


@dataclass(frozen=True, slots=True)
class ErasedRows:
    """What went: answers with all their revisions, judgements, and verdicts by or about the person."""

    annotations: int
    judgements: int
    adjudications: int


_BY = {
    "invitations": ("made_by",),
    "revocations": ("made_by", "lifted_by"),
    "taggings": ("made_by",),
    "saved_views": ("made_by",),
    "recruitments": ("made_by",),
    "changes": ("made_by",),
    "settlements": ("made_by",),
    "refused_arrivals": ("known_as",),
}


_THEIRS = (
    "judgements", "annotations", "uncovered", "arrivals", "consents", "raters", "claims", "skips", "drafts", "reports",
    "revocations", "identities", "browsers", "departures", "offers", "settlements", "refused_arrivals",
)  # fmt: skip


def strike_person(connection: Connection, name: str) -> ErasedRows:
    """Delete all that a person said and all that names them, in a database of whatever schema, or in a snapshot.

    Inside a transaction; the bytes are still in the file after it.
    """
    there = set(schema.table_names(connection))
    if "stale" in there:
        browse_index.mark_stale_where(connection, "select item_id from judgements where rater_id = ?", [name])
    theirs = dict.fromkeys(_THEIRS, "rater_id = $1")
    theirs |= {"adjudications": "rater_id = $1 or made_by = $1", "notes": "made_by = $1"}
    deleted = {
        table: int(rows.value(connection, f"delete from {table} where {whose}", [name]))
        for table, whose in theirs.items()
        if table in there
    }
    for table, columns in _BY.items():
        for column in columns if table in there else ():
            connection.execute(f"update {table} set {column} = ? where {column} = ?", [NOBODY, name])
    if "uncovered" in there:
        # others came from a grid that showed what this person says
        connection.execute("update uncovered set how = ? where how = ?", [f"browse: {NOBODY}", f"browse: {name}"])
    if "campaign_items" in there:
        recount(connection)
    return ErasedRows(*(deleted.get(table, 0) for table in ("annotations", "judgements", "adjudications")))


def strike_people(connection: Connection, names: Iterable[str], secret: str, known: Mapping[str, Any]) -> None:
    """Take people out of a database that is open to us alone, and keep their marks where a project keeps such."""
    connection.begin()
    for name in names:
        strike_person(connection, name)
    if "erased" in schema.table_names(connection) and secret:
        had = marks(connection)
        new = ({"person": person, "moment": moment} for person, moment in known.items() if person not in had)
        rows.insert(connection, "erased", new)
    connection.commit()


def people_named(cursor: Connection) -> list[str]:
    """Everybody who may be named in a database of whatever schema."""
    queries = [
        f'select "{column}" from "{table}"'
        for table, column in cursor.execute(
            "select table_name, column_name from duckdb_columns() where not internal"
            " and column_name in ('rater_id', 'made_by', 'lifted_by')"
            " and table_name in (select table_name from duckdb_tables())"
        ).fetchall()
    ]
    if not queries:
        return []
    query = f"select distinct name from ({' union all '.join(queries)}) found(name) where name is not null"
    return sorted(rows.column(cursor, query))
