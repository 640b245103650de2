"""The file of an open database: whether it is still in its place, and the number of the last write that was acknowledged.

DuckDB writes into the files that it opened, also when somebody has deleted or replaced them: such a write is in no file that
has a name, and gone when the app closes. So the files are looked at before and after each commit (a `stat` each).
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import duckdb

from data.people import keyed_hash
from data.store.core import rows
from data.store.core.connections import DATABASE, Connection, NotWritten, restore_hint, wal_file

NUMBER_FILE: Final = f".{DATABASE}.acknowledged"
"""The number of the last acknowledged write, beside the database."""
_SEQUENCE: Final = "write_numbers"
_REMAINS: Final = ("runs", "images", "backups")
"""Folders of a project that are not there before its database is."""

_MISSING: Final = "the file of its database is no longer in its place (deleted, or moved with its folder)"
_REPLACED: Final = "another file lies in the place of its database"
_LOG_GONE: Final = "the log of its database was deleted or replaced, and could not be written anew"
_STILL_OPEN: Final = (
    "the open app still has everything that was saved, so do not close it yet: put the file or folder back where it was and it"
    " goes on by itself, or run `backup`, then close the app and `restore` that backup"
)
_ASK_OPERATOR: Final = "; whoever runs Concord finds in its terminal what to do"


class _Identity(NamedTuple):
    """The device and inode of a file: equal for two paths only if they name the same file."""

    device: int
    inode: int


def _stat(path: Path) -> os.stat_result | None:
    with suppress(OSError):
        return path.stat()
    return None


class AcknowledgedNumber:
    """The number of the last acknowledged write, kept in a small file beside the database.

    The file is written in place after each commit, and never flushed to the disk by force: after a crash of the machine it may
    be behind the database, which is harmless, but not ahead of it unless the database lost something.
    """

    def __init__(self, project: Path, secret: str) -> None:
        # a database of another project at the same place has other numbers
        self._key = keyed_hash(secret, "write", "numbers")[:12]
        self._path = project / NUMBER_FILE
        self._descriptor: int | None = None
        self._lock = threading.Lock()

    def read(self) -> int | None:
        """Return the number in the file; None if there is none, or it is another project's."""
        with suppress(OSError, ValueError):
            key, number = self._path.read_text(encoding="ascii").split()
            if key == self._key:
                return int(number)
        return None

    def write(self, number: int) -> None:
        """Keep the number. Does nothing if the disk does not take it: a number that is too small warns of nothing."""
        with suppress(OSError), self._lock:
            if self._descriptor is None:
                self._descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, f"{self._key} {number:020}\n".encode())

    def close(self) -> None:
        """Close the file; a later `write` opens it again."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


class DatabaseFile:
    """The files of one open connection: the database and its log, as they were when they were opened.

    Used by the writer's thread alone, but for `absence`.
    """

    def __init__(self, path: Path, acknowledged: AcknowledgedNumber) -> None:
        self._path = path
        self._acknowledged = acknowledged
        self._log = wal_file(path)
        status = path.stat()
        self._identity = _Identity(status.st_dev, status.st_ino)
        self._log_identity: _Identity | None = None
        self._log_size = 0
        self._is_prepared = False

    def absence(self) -> NotWritten | None:
        """Return why nothing can be saved, if the path no longer names the file that is open; None if all is well."""
        status = _stat(self._path)
        if status is None:
            return self._not_written(_MISSING)
        if _Identity(status.st_dev, status.st_ino) != self._identity or not status.st_nlink:
            return self._not_written(_REPLACED)
        return None

    def take_numbers(self, connection: Connection, n: int) -> int:
        """Count ``n`` writes in the transaction that makes them; return the number of the last."""
        if n > 1:
            return rows.sequence(connection, _SEQUENCE, n)[-1]
        if not self._is_prepared:
            # nearly every answer needs it, and planning it costs more than running it
            connection.execute(f"prepare next_write_number as select nextval('{_SEQUENCE}')")
            self._is_prepared = True
        return int(connection.execute("execute next_write_number").fetchall()[0][0])

    def confirm(self, connection: Connection, number: int) -> NotWritten | None:
        """Return why a commit is in no file that has a name; None if it may be acknowledged, and its number is kept.

        A log that was deleted or replaced is repaired: a checkpoint writes all that DuckDB knows into the database's file.
        """
        if not self._has_log(connection):
            with suppress(duckdb.Error):
                connection.execute("checkpoint")
            if not self._has_log(connection):
                return self.absence() or self._not_written(_LOG_GONE)
        absence = self.absence()
        if absence is None:
            self._acknowledged.write(number)
        return absence

    def _has_log(self, connection: Connection) -> bool:
        """Return True if the log that DuckDB writes into is the file at the log's path, or if its log is empty."""
        status = _stat(self._log)
        identity = None if status is None else _Identity(status.st_dev, status.st_ino)
        size = 0 if status is None else status.st_size
        # only DuckDB lengthens the file that was found to be its own; whatever else is seen, it is asked
        same = identity is not None and identity == self._log_identity and size >= self._log_size
        if not same:
            try:
                expected, actual = connection.execute(
                    "select wal_size, format_bytes(?) from pragma_database_size()", [size]
                ).fetchall()[0]
            except duckdb.Error:
                # DuckDB gave up after the commit, which is in the log then
                return identity is not None
            if expected != actual:
                self._log_identity = None
                return False
        self._log_identity, self._log_size = identity, size
        return True

    def _not_written(self, why: str) -> NotWritten:
        return NotWritten(self._path, why + _ASK_OPERATOR, _STILL_OPEN)


def stored_number(connection: Connection) -> int:
    """Return the number of the last write that the database holds; 0 if it was never written to."""
    # in a copy the sequence starts behind its last number, which it does not know
    last = "select max(coalesce(last_value, start_value - 1)) from duckdb_sequences() where sequence_name = ?"
    return int(rows.value(connection, last, [_SEQUENCE]) or 0)


class LogCopy:
    """A copy of a database's log, made before DuckDB reads the log and deletes it.

    DuckDB takes an entry whose length reaches behind the end of the log for the last one, broken off by a loss of power, and
    drops all entries behind it, whole ones too. The copy is what they can be read from.
    """

    def __init__(self, database: Path) -> None:
        self._log = wal_file(database)
        self._copy = self._log.with_name(f".{self._log.name}.copy-{os.getpid()}-{threading.get_ident()}")

    def __enter__(self) -> LogCopy:
        # without a log, or on a full disk, there is none
        with suppress(OSError):
            if self._log.stat().st_size:
                shutil.copyfile(self._log, self._copy)
                self._copy.chmod(0o600)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._copy.unlink(missing_ok=True)

    def keep(self) -> Path | None:
        """Return the path under which the copy stays beside the database; None if there is no copy."""
        path = self._log.with_name(f"{self._log.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
        with suppress(OSError):
            return self._copy.rename(path)
        return None


def missing_writes(
    connection: Connection, acknowledged: AcknowledgedNumber, path: Path, backup: str | None, log: LogCopy | None = None
) -> list[str]:
    """Return one line if the database holds fewer writes than were acknowledged; empty if it holds all of them.

    The log's copy is kept then.
    """
    number, stored = acknowledged.read(), stored_number(connection)
    if number is None or number <= stored:
        return []
    n = number - stored
    writes = f"{n:,} {'write that was' if n == 1 else 'writes that were'} acknowledged"
    newest = f"the newest backup is {backup} (`restore {backup}`)" if backup else "there is no backup in the project"
    kept = log.keep() if log else None
    if kept is None:
        lost = f"its log {wal_file(path).name} was lost (by a crash of the machine, or deleted)"
        why = f"{lost}, or an older copy lies in its place"
    else:
        why = f"its log was damaged or broke off, and is kept as {kept.name}"
    return [
        f"{path} lacks {writes}: {why}; if you have the newer file, close Concord and put it back; {newest}; this is said until"
        " something new is saved"
    ]


def why_missing(path: Path, backup: str | None) -> str | None:
    """Return what to tell a user whose project folder has no database but had one; None if all is well or the folder is new."""
    if path.exists():
        return None
    remains = list(_remains(path))
    if not remains:
        return None
    *others, last = remains
    named = f"{', '.join(others)} and {last}" if others else last
    return (
        f"{path} is missing, but {named} beside it {'are' if others else 'is'} of a project that had one; nothing was created:"
        f" put the file back (with its {wal_file(path).name}), or {restore_hint(backup)}; to begin a new project in this"
        f" folder, move {named} away first"
    )


def _remains(path: Path) -> Iterator[str]:
    """Yield the names of files and folders beside a database's path that only a project that had one has."""
    if path.is_symlink():
        yield f"{path.name} (a link to nowhere)"
    for name in _REMAINS:
        folder = path.parent / name
        with suppress(OSError):
            if folder.is_dir() and any(folder.iterdir()):
                yield f"{name}/"
    for file in (wal_file(path), path.parent / NUMBER_FILE):
        if file.exists():
            yield file.name
    with suppress(OSError):
        yield from sorted(file.name for file in path.parent.glob(f"{path.name}.before-restore-*") if file.suffix != ".wal")
