"""The one way to copy a database: row by row into a new file, so that nothing that was deleted comes along.

Backups, restored backups, copies from which somebody was erased, and a project's own database after that are all made by
`copy_database`. DuckDB's `copy from database` needs a connection that may open files, which a project's may not, and is no
faster: a million judgements take 4 s of processor time either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from data.files import on_disk
from data.store.core import connections
from data.store.core.connections import Connection
from data.store.core.schema import schema_version, table_names

_BATCH: Final = 20_000
_TRANSACTION: Final = 200_000
PROJECTIONS: Final = frozenset({"browse", "browse_raters", "prompt_parts", "stale"})
"""Made from other tables."""
TRANSIENT: Final = frozenset({"claims", "copies"})
"""What changes by itself, or by a backup."""


class Stopped(Exception):
    """Whoever copied was asked to stop; nothing is left of the copy."""


@dataclass(frozen=True, slots=True)
class TableDigest:
    """What a table holds.

    Attributes:
        digest: of its rows in whatever order, by this DuckDB's own hash; another DuckDB may give another.
    """

    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """What a database holds, table by table."""

    schema: int
    tables: Mapping[str, TableDigest]

    def lasting(self) -> dict[str, TableDigest]:
        """Without what is made from the rest, and what passes: equal if nothing has been said or done between."""
        return {name: held for name, held in self.tables.items() if name not in PROJECTIONS | TRANSIENT}


Pause = Callable[[float], None]
"""Called after each piece of work with the seconds that it took; may wait, and may raise ``Stopped``."""


def no_pause(_: float) -> None:
    """Go on at once."""


def database_contents(cursor: Connection, rest: Pause = no_pause) -> DatabaseContents:
    """Return the contents of a database now; of one state only inside a transaction."""
    digests = {}
    for name in table_names(cursor):
        begun = time.monotonic()
        row = cursor.execute(f'select count(*), coalesce(sum(hash(whole_row)), 0) from "{name}" whole_row').fetchone()
        assert row is not None
        digests[name] = TableDigest(int(row[0]), f"{int(row[1]):x}")
        rest(time.monotonic() - begun)
    return DatabaseContents(schema_version(cursor) if "meta" in digests else 0, digests)


def copy_database(cursor: Connection, path: Path, rest: Pause = no_pause) -> DatabaseContents:
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
            held = database_contents(cursor, rest)
            with connections.connect(path, threads=1, memory="1GB") as out:
                path.chmod(0o600)
                _copy_tables(cursor, out, rest)
        finally:
            cursor.rollback()
        on_disk(path)
    except BaseException as error:
        for file in (path, connections.wal_file(path)):
            file.unlink(missing_ok=True)
        if isinstance(error, duckdb.Error):
            raise OSError(connections.first_line(error)) from error
        raise
    return held


def _copy_tables(cursor: Connection, out: Connection, rest: Pause) -> None:
    # few transactions, as each waits for the disk; none so big that it needs much memory
    out.begin()
    # sequences go on where they are now: no number is given twice
    for kind in ("sequences", "tables"):
        for (sql,) in cursor.execute(f"select sql from duckdb_{kind}() where not temporary").fetchall():
            out.execute(sql)
    written = 0
    for name in table_names(cursor):
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


def _copy_rows(cursor: Connection, out: Connection, table: str, rest: Pause) -> Iterator[int]:
    begun = time.monotonic()
    for batch in cursor.sql(f'select * from "{table}"').to_arrow_reader(_BATCH):
        if batch.num_rows:
            out.register("batch", batch)
            out.execute(f'insert into "{table}" select * from batch')
            out.unregister("batch")
        rest(time.monotonic() - begun)
        yield batch.num_rows
        begun = time.monotonic()


def read_contents(path: Path) -> DatabaseContents:
    """Return the contents of a database's file; nothing is written.

    Raises:
        OSError: it cannot be opened.
    """
    try:
        with connections.connect(path, read_only=True, threads=1, memory="1GB") as connection:
            return database_contents(connection)
    except duckdb.Error as error:
        raise OSError(f"{path} cannot be opened: {connections.first_line(error)}") from error
