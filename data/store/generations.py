"""How the generators whose images were made here were asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb

from data.store import rows
from data.store.store import Store, run


def of(store: Store, generator: str) -> dict[str, Any] | None:
    """A generator's settings, None if nothing was made by it here."""
    with store.read() as cursor:
        found = rows.one(cursor, "select settings from generations where generator = ?", [generator])
    return None if found is None else dict(rows.from_json(found["settings"]))


def made_elsewhere(store: Store, generator: str) -> bool:
    """Whether the project has images by it and does not know how it was asked."""
    with store.read() as cursor:
        found = rows.one(
            cursor,
            "select 1 from images where generator = ? and sha256 is not null"
            " and generator not in (select generator from generations) limit 1",
            [generator],
        )
    return found is not None


def keep(store: Store, generator: str, settings: Mapping[str, Any]) -> None:
    """Write a generator's settings; what was known of it before is replaced."""
    store.write(_keep, (generator, settings))


def forget(store: Store, generator: str) -> None:
    """Take a generator's settings away."""
    store.write(_forget, generator)


def _keep_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, Mapping[str, Any]]) -> None:
    generator, settings = payload
    connection.execute(
        "insert into generations (generator, settings) values (?, ?) on conflict do update set settings = excluded.settings",
        [generator, rows.to_json(settings)],
    )


def _forget_one(connection: duckdb.DuckDBPyConnection, generator: str) -> None:
    connection.execute("delete from generations where generator = ?", [generator])


_keep = run(_keep_one)
_forget = run(_forget_one)
