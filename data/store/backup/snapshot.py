"""A copy of the database for others: one state of the project, without what must not leave it, and with what describes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import duckdb

from data.store.analysis.exports import BATCH
from data.store.core import connections, rows
from data.store.core.connections import Connection
from data.store.core.schema import LEFT_OUT, SCHEMA, describe_table
from data.store.core.store import Store

ABOUT, COLUMNS = "about", "about_columns"
DESCRIPTION = "a snapshot of a Concord project, made to be read"
Rename = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class SnapshotCounts:
    """How many rows of each table a snapshot has."""

    tables: dict[str, int]

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


def write(store: Store, path: Path, rename: Rename | None = None) -> SnapshotCounts:
    """Write a snapshot, whole or not at all; the app may go on writing meanwhile, none of which is in it.

    ``rename`` gives people other names; scorers, slots and simulated people keep theirs.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    try:
        # a folder that is not there is said as one by whoever writes files
        temporary.touch()
        temporary.unlink()
        with connections.connect(temporary, memory="2GB") as out:
            copied = _copy(store, out, rename)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        # nobody is to write into it by mistake
        temporary.chmod(0o444)
        temporary.replace(path)
    except duckdb.Error as error:
        raise OSError(connections.first_line(error)) from error
    finally:
        temporary.unlink(missing_ok=True)
    return copied


def _copy(store: Store, out: Connection, rename: Rename | None) -> SnapshotCounts:
    with store.read() as cursor:
        cursor.begin()
        try:
            version = rows.value(cursor, "select value from meta where key = 'schema_version'")
            types = _types(cursor)
            out.execute("create temp table people (name varchar, other varchar)")
            if rename is not None:
                rows.insert(out, "people", ({"name": name, "other": rename(name)} for name in _people(cursor)))
            copied = {name: _copy_table(cursor, out, name, types[name]) for name in SCHEMA}
        finally:
            cursor.rollback()
    _describe(out, version, types, pseudonyms=rename is not None)
    out.execute("drop table people")
    return SnapshotCounts(copied)


def _types(cursor: Connection) -> dict[str, dict[str, str]]:
    """The types of all columns, in their order."""
    by_table: dict[str, dict[str, str]] = {}
    for table, column, kind in cursor.execute(
        "select table_name, column_name, data_type from duckdb_columns() where schema_name = 'main' and not internal"
        " order by table_name, column_index"
    ).fetchall():
        by_table.setdefault(table, {})[column] = kind
    return by_table


def _people(cursor: Connection) -> list[str]:
    """Everybody who is named: real people among the raters, and who decided or reported without being one."""
    named = " union ".join(
        f"select {column} from {table}"
        for table, described in SCHEMA.items()
        for column, description in described.columns.items()
        if description.person and description.kept
    )
    others = "select rater_id from raters where kind <> 'human' or identity is distinct from 'person' or simulated"
    query = f"select name from ({named}) n(name) where name is not null and name not in ({others}) order by name"
    return rows.column(cursor, query)


def _copy_table(cursor: Connection, out: Connection, table: str, types: dict[str, str]) -> int:
    columns = {name: column for name, column in SCHEMA[table].columns.items() if column.kept and name in types}
    out.execute(f"create table {table} ({', '.join(f'{name} {types[name]}' for name in columns)})")
    query = f"select {', '.join(f'{column.select or name} as {name}' for name, column in columns.items())} from {table}"
    joined = [name for name, column in columns.items() if column.person]
    placed = ", ".join(f"coalesce(p_{name}.other, b.{name})" if name in joined else f"b.{name}" for name in columns)
    joins = "".join(f" left join people p_{name} on p_{name}.name = b.{name}" for name in joined)
    n = 0
    for batch in cursor.sql(query).to_arrow_reader(BATCH):
        out.register("batch", batch)
        out.execute(f"insert into {table} ({', '.join(columns)}) select {placed} from batch b{joins}")
        out.unregister("batch")
        n += batch.num_rows
    return n


def _describe(out: Connection, version: str, types: dict[str, dict[str, str]], *, pseudonyms: bool) -> None:
    """Tables of what the others are."""
    out.execute(f"create table {ABOUT} (name varchar, value varchar)")
    about = [
        ("what", DESCRIPTION),
        ("made", datetime.now(UTC).isoformat(timespec="seconds")),
        ("schema_version", version),
        ("people", "pseudonyms" if pseudonyms else "names"),
        *((f"left out: {name}", why) for name, why in LEFT_OUT.items()),
        *(
            (f"left out: {name}.{column}", description.why)
            for name, table in SCHEMA.items()
            for column, description in table.columns.items()
            if not description.kept
        ),
    ]
    rows.insert(out, ABOUT, ({"name": name, "value": value} for name, value in about))
    out.execute(f"create table {COLUMNS} (table_name varchar, column_name varchar, type varchar, description varchar)")
    for name, table in {**SCHEMA, **_OWN_TABLES}.items():
        whole: dict[str, str | None] = {"column_name": None, "type": None, "description": table.text}
        of_columns: list[dict[str, str | None]] = [
            {"column_name": column, "type": types.get(name, {}).get(column, "VARCHAR"), "description": described.text}
            for column, described in table.columns.items()
            if described.kept and (name not in types or column in types[name])
        ]
        rows.insert(out, COLUMNS, ({"table_name": name, **row} for row in (whole, *of_columns)))


_OWN_TABLES: Final = {
    ABOUT: describe_table("what this file is, and what is not in it", name="of what it tells", value="what it tells"),
    COLUMNS: describe_table(
        "every table (column_name is null) and column of this file, in words",
        table_name="the table",
        column_name="the column; null: about the table",
        type="as DuckDB has it",
        description="in words",
    ),
}


def is_snapshot(path: Path) -> bool:
    """Whether a file is a snapshot that was written here.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    with connections.connect(path, read_only=True) as connection:
        if not connection.execute("select 1 from duckdb_tables() where table_name = ?", [ABOUT]).fetchone():
            return False
        mark = rows.first(connection, f"select value from {ABOUT} where name = 'what'")
    return mark is not None and mark["value"] == DESCRIPTION
