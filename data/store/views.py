"""Views of Browse under a name: an append-only log of who kept which address's query, and who let go of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from data.store import rows
from data.store.erased import refuse
from data.store.store import Store, run


@dataclass(frozen=True, slots=True)
class View:
    """A kept view: the query of Browse's address, and who kept it when."""

    name: str
    query: str
    made_by: str
    moment: datetime


def save(store: Store, saving_id: str, name: str, query: str | None, by: str, *, now: datetime | None = None) -> bool:
    """Keep a view under this name, in the place of one that has it; query None: let go of it. False if it was sent before.

    Raises:
        Erased: the person has been erased from the project.
    """
    new: bool = store.write(_save, (saving_id, View(name, query or "", by, now or datetime.now(UTC)), query), shown=False)
    return new


def listed(store: Store) -> list[View]:
    """All views, by their names."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select name, query, made_by, moment from saved_views"
            " qualify row_number() over (partition by name order by seq desc) = 1 order by name",
        )
    return [View(**row) for row in found if row["query"] is not None]


def _save_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, View, str | None]) -> bool:
    saving_id, view, query = payload
    if rows.one(connection, "select 1 from saved_views where saving_id = ?", [saving_id]):
        return False
    refuse(connection, [view.made_by])
    rows.insert(
        connection,
        "saved_views",
        ("saving_id", "name", "query", "made_by", "moment"),
        [(saving_id, view.name, query, view.made_by, view.moment)],
    )
    return True


_save = run(_save_one)
