"""Rows in and out of DuckDB: one bulk insert, and reads as dictionaries and records."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from data.store.core.connections import Connection

if TYPE_CHECKING:
    import pandas as pd


def insert(connection: Connection, table: str, records: Iterable[Mapping[str, Any]]) -> None:
    """Insert records into a table of ours; ``table`` and the names, the same in all of them, are code, never data."""
    listed = list(records)
    if listed:
        names = list(listed[0])
        # one list for each column: fifteen times as fast as a multi-row VALUES, which is parsed value by value
        lists = [[record[name] for record in listed] for name in names]
        unnested = ", ".join(["unnest(?)"] * len(names))
        connection.execute(f"insert into {table} ({', '.join(names)}) select {unnested}", lists)


def add(connection: Connection, table: str, /, **record: Any) -> None:
    """Insert one record."""
    insert(connection, table, [record])


def placeholders(values: Collection[Any]) -> str:
    """Return placeholders for a list of values: unlike ``unnest(?)``, these let the database use an index."""
    return f"({', '.join('?' * len(values))})"


T = TypeVar("T")
_FEW = 4
"""So many keys are planned faster one by one than as a join with a list of them."""
Parameters = Sequence[Any] | Mapping[str, Any]


def _bound(parameters: Parameters) -> dict[str, Any] | list[Any]:
    return dict(parameters) if isinstance(parameters, Mapping) else list(parameters)


def dicts(cursor: Connection, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
    """All rows of a query, each as a dictionary."""
    cursor.execute(sql, _bound(parameters))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def first(cursor: Connection, sql: str, parameters: Parameters = ()) -> dict[str, Any] | None:
    """The first row of a query as a dictionary, None if there is none."""
    return next(iter(dicts(cursor, sql, parameters)), None)


def records(cursor: Connection, kind: Callable[..., T], sql: str, parameters: Parameters = (), *json: str) -> list[T]:
    """All rows of a query, each as a record of this kind; ``json``: the columns to be parsed."""
    return [kind(**decoded(row, *json)) for row in dicts(cursor, sql, parameters)]


def column(cursor: Connection, sql: str, parameters: Parameters = ()) -> list[Any]:
    """The first column of a query."""
    return [row[0] for row in cursor.execute(sql, _bound(parameters)).fetchall()]


def mapping(cursor: Connection, sql: str, parameters: Parameters = ()) -> dict[Any, Any]:
    """The second column of a query by its first."""
    return dict(cursor.execute(sql, _bound(parameters)).fetchall())


def frame(cursor: Connection, sql: str, parameters: Parameters = ()) -> pd.DataFrame:
    """All rows of a query as a frame."""
    return cursor.execute(sql, _bound(parameters)).df()


def value(cursor: Connection, sql: str, parameters: Parameters = ()) -> Any:
    """The single value of a query that always has one."""
    row = cursor.execute(sql, _bound(parameters)).fetchone()
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
        marks = ", ".join([placeholders(columns)] * len(keys))
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
