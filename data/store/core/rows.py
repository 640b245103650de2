"""Rows in and out of DuckDB: one bulk insert, and reads as dictionaries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from data.store.core.connections import Connection


def insert(connection: Connection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows into a table of ours; ``table`` and ``columns`` are code, never data."""
    # one list for each column: fifteen times as fast as a multi-row VALUES, which is parsed value by value
    lists = [list(column) for column in zip(*rows, strict=True)]
    if lists:
        unnested = ", ".join(["unnest(?)"] * len(columns))
        connection.execute(f"insert into {table} ({', '.join(columns)}) select {unnested}", lists)


_FEW = 4
"""So many keys are planned faster one by one than as a join with a list of them."""
Parameters = Sequence[Any] | Mapping[str, Any]


def dicts(cursor: Connection, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
    """All rows of a query, each as a dictionary."""
    cursor.execute(sql, dict(parameters) if isinstance(parameters, Mapping) else list(parameters))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def first(cursor: Connection, sql: str, parameters: Parameters = ()) -> dict[str, Any] | None:
    """The first row of a query as a dictionary, None if there is none."""
    rows = dicts(cursor, sql, parameters)
    return rows[0] if rows else None


def value(cursor: Connection, sql: str, parameters: Sequence[Any] = ()) -> Any:
    """The single value of a query that always has one."""
    row = cursor.execute(sql, list(parameters)).fetchone()
    assert row is not None, f"no row: {sql}"
    return row[0]


def existing(
    connection: Connection, table: str, key: str, columns: Sequence[str], keys: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Those rows of ``table`` whose ``key`` is among ``keys``, by key."""
    records = dicts(
        connection, f"select {', '.join((key, *columns))} from {table} where {key} in (select unnest(?))", [list(keys)]
    )
    return {row[key]: row for row in records}


def delete(connection: Connection, table: str, columns: Sequence[str], keys: Sequence[Sequence[str]]) -> None:
    """Delete the rows with one of these texts in these columns; ``table`` and ``columns`` are code, never data."""
    named = ", ".join(columns)
    if len(keys) <= _FEW:
        marks = ", ".join([f"({', '.join('?' * len(columns))})"] * len(keys))
        connection.execute(f"delete from {table} where ({named}) in ({marks})", [value for key in keys for value in key])
        return
    lists = ", ".join(["unnest(?::varchar[])"] * len(columns))
    columns_of = [list(column) for column in zip(*keys, strict=True)]
    connection.execute(f"delete from {table} where ({named}) in (select ({lists}))", columns_of)


def sequence(connection: Connection, name: str, n: int) -> list[int]:
    """The next ``n`` numbers of a sequence, ascending."""
    if n == 0:
        return []
    return sorted(row[0] for row in connection.execute(f"select nextval('{name}') from range(?)", [n]).fetchall())


def to_json(payload: Any) -> str:
    """Compact JSON. DuckDB takes NaN for JSON and other readers do not, so it is refused here."""
    return json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def decoded(row: Mapping[str, Any], *columns: str) -> dict[str, Any]:
    """The row with its JSON columns parsed."""
    return {key: from_json(value) if key in columns else value for key, value in row.items()}
