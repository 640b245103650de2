"""Numbered SQL files, applied once each, in order."""

from __future__ import annotations

from pathlib import Path

import duckdb

FOLDER = Path(__file__).parent / "migrations"


class SchemaTooNew(RuntimeError):
    """The project was written by a later Concord."""


def steps() -> dict[int, Path]:
    """The SQL file of each version."""
    return {int(file.name.split("_")[0]): file for file in sorted(FOLDER.glob("[0-9]*.sql"))}


def migrate(connection: duckdb.DuckDBPyConnection) -> int:
    """Bring a database to the newest schema, each step in its own transaction; returns the version.

    Raises:
        SchemaTooNew: the database is ahead of this program.
    """
    known = steps()
    newest = max(known)
    current = _version(connection)
    if current > newest:
        raise SchemaTooNew(f"the project has schema {current}, this Concord knows {newest}: update Concord to open it")
    for version in sorted(number for number in known if number > current):
        connection.begin()
        try:
            connection.execute(known[version].read_text(encoding="utf-8"))
            connection.execute("insert or replace into meta values ('schema_version', ?)", [str(version)])
            connection.commit()
        except BaseException:
            connection.rollback()
            raise
    return newest


def _version(connection: duckdb.DuckDBPyConnection) -> int:
    if not connection.execute("select 1 from duckdb_tables() where table_name = 'meta'").fetchone():
        return 0
    row = connection.execute("select value from meta where key = 'schema_version'").fetchone()
    return int(row[0]) if row else 0
