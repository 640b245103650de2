"""A whole database copied while others go on writing into it, and what is in one: to be compared before and after."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from data.files import on_disk
from data.store import opening, rows

_BATCH: Final = 20_000
_TRANSACTION: Final = 200_000
PROJECTIONS: Final = frozenset({"browse", "browse_raters", "prompt_parts", "stale"})
"""Made from other tables."""
PASSING: Final = frozenset({"claims", "copies"})
"""What changes by itself, or by a backup."""


class Stopped(Exception):
    """Whoever copied was asked to stop; nothing is left of the copy."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a table holds.

    Attributes:
        digest: of its rows in whatever order, by this DuckDB's own hash; another DuckDB may give another.
    """

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What a database holds, table by table."""

    schema: int
    tables: Mapping[str, Held]

    def said(self) -> dict[str, Held]:
        """Without what is made from the rest, and what passes: equal if nothing has been said or done between."""
        return {name: held for name, held in self.tables.items() if name not in PROJECTIONS | PASSING}


Rest = Callable[[float], None]
"""Called after each piece of work with the seconds that it took; may wait, and may raise ``Stopped``."""


def no_rest(_: float) -> None:
    """Go on at once."""


def contents(cursor: duckdb.DuckDBPyConnection, rest: Rest = no_rest) -> Contents:
    """What a database holds now; one state of it only inside a transaction."""
    found = {}
    for name in tables(cursor):
        begun = time.monotonic()
        row = cursor.execute(f'select count(*), coalesce(sum(hash(whole_row)), 0) from "{name}" whole_row').fetchone()
        assert row is not None
        found[name] = Held(int(row[0]), f"{int(row[1]):x}")
        rest(time.monotonic() - begun)
    return Contents(schema_of(cursor), found)


def tables(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """The names of all tables."""
    found = cursor.execute("select table_name from duckdb_tables() where not internal and not temporary order by 1").fetchall()
    return [row[0] for row in found]


def schema_of(cursor: duckdb.DuckDBPyConnection) -> int:
    """The version of the schema; 0: no project's database."""
    if "meta" not in tables(cursor):
        return 0
    found = cursor.execute("select value from meta where key = 'schema_version'").fetchone()
    return int(found[0]) if found else 0


def copy(cursor: duckdb.DuckDBPyConnection, path: Path, rest: Rest = no_rest) -> Contents:
    """Copy a database into a new file, on disk when this returns: one state of it, with keys, checks and numbers.

    The cursor needs no right to files: rows come by way of this process, batch by batch.

    Raises:
        OSError: the file cannot be written. It is gone then.
        Stopped: ``rest`` said so. The file is gone then, too.
    """
    path.unlink(missing_ok=True)
    try:
        # for its owner alone from the first byte on; a folder that is not there is said as one
        path.touch(0o600)
        path.unlink()
        cursor.begin()
        try:
            held = contents(cursor, rest)
            with opening.connect(path, threads=1, memory="1GB") as out:
                path.chmod(0o600)
                _copy(cursor, out, rest)
        finally:
            cursor.rollback()
        on_disk(path)
    except duckdb.Error as error:
        _remove(path)
        raise OSError(str(error).splitlines()[0]) from error
    except BaseException:
        _remove(path)
        raise
    return held


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    wal(path).unlink(missing_ok=True)


def wal(path: Path) -> Path:
    """The file in which DuckDB keeps what it has not yet put into the database."""
    return path.with_name(f"{path.name}.wal")


def _copy(cursor: duckdb.DuckDBPyConnection, out: duckdb.DuckDBPyConnection, rest: Rest) -> None:
    # few transactions, as each waits for the disk; none so big that it needs much memory
    out.begin()
    # sequences go on where they are now: no number is given twice
    for kind in ("sequences", "tables"):
        for (sql,) in cursor.execute(f"select sql from duckdb_{kind}() where not temporary").fetchall():
            out.execute(sql)
    written = 0
    for name in tables(cursor):
        for n in _copy_rows(cursor, out, name, rest):
            written += n
            if written >= _TRANSACTION:
                out.commit()
                out.begin()
                written = 0
    out.commit()
    for (sql,) in cursor.execute(
        "select sql from duckdb_indexes() where sql is not null"
        " union all select sql from duckdb_views() where not internal and not temporary"
    ).fetchall():
        begun = time.monotonic()
        out.execute(sql)
        rest(time.monotonic() - begun)


def _copy_rows(cursor: duckdb.DuckDBPyConnection, out: duckdb.DuckDBPyConnection, table: str, rest: Rest) -> Iterator[int]:
    begun = time.monotonic()
    for batch in cursor.sql(f'select * from "{table}"').to_arrow_reader(_BATCH):
        if batch.num_rows:
            out.register("batch", batch)
            out.execute(f'insert into "{table}" select * from batch')
            out.unregister("batch")
        rest(time.monotonic() - begun)
        yield batch.num_rows
        begun = time.monotonic()


def look(path: Path) -> Contents:
    """What a database's file holds; nothing is written.

    Raises:
        OSError: it cannot be opened.
    """
    try:
        with opening.connect(path, read_only=True, threads=1, memory="1GB") as connection:
            return contents(connection)
    except duckdb.Error as error:
        raise OSError(f"{path} cannot be opened: {str(error).splitlines()[0]}") from error


def secret_of(cursor: duckdb.DuckDBPyConnection) -> str:
    """A project's own key; empty if it has none yet."""
    found = rows.one(cursor, "select value from meta where key = 'secret'") if schema_of(cursor) else None
    return str(found["value"]) if found else ""
