"""Who has been erased: known by a keyed hash of the name alone, so that nothing brings them back unnoticed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

import duckdb

from data.people import keyed_hash
from data.store.core import rows


class Erased(ValueError):
    """Something would bring back a person who was erased; nothing was written."""


def mark(secret: str, name: str) -> str:
    """What is kept of an erased person."""
    return keyed_hash(secret, "erased", name)


def marks(connection: duckdb.DuckDBPyConnection) -> dict[str, datetime]:
    """All who were erased, and when."""
    return dict(connection.execute("select person, moment from erased").fetchall())


def refuse(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
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
                f"{name!r} was erased from this project on {moment:%Y-%m-%d} and stays out; nothing was kept of this."
                " From a file, take their rows out first"
            )
