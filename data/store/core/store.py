"""A project's database: one read-write connection, one writer thread, a cursor for each reader.

Beside it what each open project has: a read-write lock for the moment in which the database file is exchanged.
"""

from __future__ import annotations

import re
import secrets
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, NamedTuple, ParamSpec, TypeVar

import duckdb

from data.files import on_disk
from data.store.core import connections, database_file, rows, schema
from data.store.core.cache import Cache
from data.store.core.connections import DATABASE, Connection, NotWritten, as_disk_error, first_line, refuse_empty, unreadable
from data.store.core.database_copy import copy_database
from data.store.core.database_file import AcknowledgedNumber, DatabaseFile, LogCopy
from data.store.core.schema import SchemaTooNew, migrate, migration_files
from data.store.core.writer import Items, Operation, P, R, Writer

if TYPE_CHECKING:
    import pandas as pd


class ReadWriteLock:
    """Shared by whoever reads or writes; exclusive for whoever exchanges what they work on.

    A thread that is inside may enter again, so that one who waits for all to leave never waits for somebody who waits for them.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False
        self._mine = threading.local()

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Be one of many."""
        depth = getattr(self._mine, "depth", 0)
        with self._changed:
            if depth == 0:
                self._changed.wait_for(lambda: not self._closed)
            self._inside += 1
        self._mine.depth = depth + 1
        try:
            yield
        finally:
            self._mine.depth -= 1
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Be alone: wait until all have left, and let nobody in meanwhile. Never from inside ``shared``."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)
        try:
            yield
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()


T = TypeVar("T")
A = ParamSpec("A")

_REOPEN_SECONDS = 0.5
_CLOSING_SECONDS = 5.0
_REMEMBERED = 1000  # commits of which it is known what they touched


class StoreBusy(RuntimeError):
    """Another process holds the project's database."""


class StoreError(RuntimeError):
    """The project's database cannot be opened."""


class DatabaseMissing(StoreError):
    """The folder is a project's, but its database is not in it."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What has changed up to ``version``: what is said of these items, None if it may be anything."""

    version: str
    items: Items


class Backups(NamedTuple):
    """What opening a project takes of its backups; ``data.store`` says which.

    Attributes:
        latest: the name of the newest one, which may stand in the place of a database that cannot be opened.
        make: make one without the project's files; returns its folder. OSError, ValueError: there is none.
    """

    latest: Callable[[Path], str | None]
    make: Callable[[Connection, Path, str], Path]


class Store:
    """An open project. Thread-safe; close it once (or use it as a context manager).

    Attributes:
        project: the project's folder, absolute.
        memory: what is kept of it, until it changes.
        notes: messages for the user who opened the project, one per line.
    """

    backups: ClassVar[Backups]
    projections: ClassVar[Sequence[Callable[[Connection], None]]]
    """Functions that bring a projection up to date in a database that was just opened; ``data.store`` lists them."""

    def __init__(self, project: Path) -> None:
        """Open or create the project in this folder.

        Raises:
            StoreBusy: another process has it open.
            DatabaseMissing: the folder was a project's, and its database is gone.
            StoreError: the folder or the database cannot be used.
        """
        self.project = project.resolve()
        refuse_missing(self.project)
        try:
            # a folder that is there already may be shared on purpose
            self.project.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"the project folder {self.project} cannot be created: {error.strerror}") from error
        with LogCopy(self.project / DATABASE) as log:
            self._connection = _connect(self.project / DATABASE, self.backups)
            try:
                # a connection that has not read a result to its end stays in a transaction, for whose sake DuckDB would keep
                # all that is overwritten from then on: this one lives as long as the project is open, and so is asked nothing
                with closing(self._connection.cursor()) as cursor:
                    self.notes = _backup_before_migration(cursor, self.project, self.backups)
                    migrate(cursor)
                    for bring_up_to_date in self.projections:
                        bring_up_to_date(cursor)
                    self.secret = _secret(cursor)
                    self._acknowledged = AcknowledgedNumber(self.project, self.secret)
                    self.notes += self._missing_writes(cursor, log)
            except BaseException as error:
                self._connection.close()
                if isinstance(error, SchemaTooNew):
                    raise StoreError(str(error)) from error
                if isinstance(error, duckdb.Error):
                    raise StoreError(self._unreadable(error)) from error
                raise
        self.memory = Cache()
        self._version = 0
        self._touched: deque[Items] = deque(maxlen=_REMEMBERED)
        self._log = threading.Lock()
        self._epoch = secrets.token_hex(4)
        self._gate = ReadWriteLock()
        self._writer = self._new_writer()
        self._closed = False
        self._reopening: threading.Thread | None = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def version(self) -> str:
        """Moves with every commit that pages show, and differs between openings: equal versions mean equal data."""
        return f"{self._epoch}.{self._version}"

    def changes_since(self, version: str) -> Changes:
        """What has changed since the project had this version."""
        epoch, _, number = version.partition(".")
        with self._log:
            now = self.version
            behind = self._version - int(number) if epoch == self._epoch else len(self._touched) + 1
            recent = list(self._touched)[len(self._touched) - behind :] if behind <= len(self._touched) else [None]
        known = [items for items in recent if items is not None]
        return Changes(now, frozenset().union(*known) if len(known) == len(recent) else None)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A cursor of its own for one reader: a shared one gives other threads' rows."""
        with self._gate.shared():
            cursor = self._connection.cursor()
            try:
                yield cursor
            except duckdb.FatalException as error:
                raise self._failed(error) from error
            finally:
                cursor.close()

    def query(self, sql: str, parameters: rows.Parameters = ()) -> list[dict[str, Any]]:
        """All rows of one query, each as a dictionary."""
        with self.read() as cursor:
            return rows.dicts(cursor, sql, parameters)

    def query_first(self, sql: str, parameters: rows.Parameters = ()) -> dict[str, Any] | None:
        """The first row of one query as a dictionary, None if there is none."""
        with self.read() as cursor:
            return rows.first(cursor, sql, parameters)

    def query_records(self, kind: Callable[..., T], sql: str, parameters: rows.Parameters = (), *json: str) -> list[T]:
        """All rows of one query, each as a record of this kind; ``json``: the columns to be parsed."""
        with self.read() as cursor:
            return rows.records(cursor, kind, sql, parameters, *json)

    def query_column(self, sql: str, parameters: rows.Parameters = ()) -> list[Any]:
        """The first column of one query."""
        with self.read() as cursor:
            return rows.column(cursor, sql, parameters)

    def query_dict(self, sql: str, parameters: rows.Parameters = ()) -> dict[Any, Any]:
        """The second column of one query by its first."""
        with self.read() as cursor:
            return rows.mapping(cursor, sql, parameters)

    def query_frame(self, sql: str, parameters: rows.Parameters = ()) -> pd.DataFrame:
        """All rows of one query as a frame."""
        with self.read() as cursor:
            return rows.frame(cursor, sql, parameters)

    def query_value(self, sql: str, parameters: rows.Parameters = ()) -> Any:
        """The single value of one query that always has one."""
        with self.read() as cursor:
            return rows.value(cursor, sql, parameters)

    def write(
        self, operation: Operation[P, R], payload: P, *, shown: bool = True, touched: Items = None, forget: bool = True
    ) -> R:
        """Run a write and wait until it is on disk. What the operation raises is raised here.

        ``shown`` is False for what no page shows (who is looking at what): it does not move the version. ``touched`` are
        the items of which it changes what people say, if it changes no other numbers. ``forget`` is False for what changes
        numbers, but nothing that ``memory`` keeps.
        """
        with self._gate.shared():
            written = self._writer.submit(operation, payload, shown=shown, touched=touched, forget=forget)
        return written.result()

    def change(self, work: Callable[[Connection], R], *, shown: bool = True, touched: Items = None, forget: bool = True) -> R:
        """As `write`, for a write that gains nothing from being done together with others of its kind."""
        done: R = self.write(_run_each, work, shown=shown, touched=touched, forget=forget)
        return done

    def touch(self, items: Items = None) -> None:
        """Move the version and write nothing: pages draw again. ``items``: as ``touched`` of `write`."""
        self.change(lambda _: None, touched=items)

    def rewrite(self) -> None:
        """Write the database anew, so that nothing that was deleted stays in its file; all others wait meanwhile.

        Not from inside ``read``.

        Raises:
            StoreError: the new file cannot be written; the project goes on with the old one.
        """
        with self._gate.exclusive():
            if (absence := self._file.absence()) is not None:
                raise StoreError(str(absence)) from absence
            self._writer.close()
            try:
                # a copy takes its place: deleted rows stay in DuckDB's blocks, and are not copied
                path = self.project / DATABASE
                fresh = path.with_suffix(".new")
                try:
                    with closing(self._connection), closing(self._connection.cursor()) as cursor:
                        copy_database(cursor, fresh)
                        # the log of an app that was killed would stay beside the new file, which then could not be opened
                        cursor.execute("checkpoint")
                    fresh.chmod(stat.S_IMODE(path.stat().st_mode))
                    fresh.replace(path)
                    on_disk(path.parent)
                except (OSError, duckdb.Error) as error:
                    fresh.unlink(missing_ok=True)
                    raise StoreError(
                        f"{path} cannot be rewritten, so deleted data may still be in it: {first_line(error)}"
                    ) from error
            finally:
                self._connection = _connect(self.project / DATABASE, self.backups)
                self._writer = self._new_writer()

    def absence(self) -> NotWritten | None:
        """Return why nothing can be saved, if the database's file was deleted, moved or replaced; None if all is well."""
        with self._gate.shared():
            return self._file.absence()

    def why_unreadable(self, error: Exception) -> str | None:
        """What is said where the database opened, but a part of its file is missing or damaged; None: it is another error."""
        damaged = isinstance(error, duckdb.IOException) and "Could not read" in str(error)
        return self._unreadable(error) if damaged else None

    def _unreadable(self, error: Exception) -> str:
        return unreadable(self.project / DATABASE, error, self.backups.latest(self.project))

    @property
    def is_closed(self) -> bool:
        """Return True if the project was closed: nothing is read or written any more."""
        return self._closed

    def close(self) -> None:
        """Finish queued writes and let go of the database. Safe to call twice."""
        if not self._closed:
            self._closed = True
            if self._reopening is not None:
                self._reopening.join()
            self._writer.close()
            self._acknowledged.close()
            until = time.monotonic() + _CLOSING_SECONDS
            while True:
                try:
                    self._connection.close()
                    return
                except duckdb.ResourceInUseException:
                    # a reader of a page that is still open has just come for a cursor
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.02)

    def _new_writer(self) -> Writer:
        self._file = DatabaseFile(self.project / DATABASE, self._acknowledged)
        return Writer(self._connection.cursor(), self._committed, self._failed, self.memory.forget, self._file)

    def _missing_writes(self, cursor: Connection, log: LogCopy) -> list[str]:
        backup = self.backups.latest(self.project)
        return database_file.missing_writes(cursor, self._acknowledged, self.project / DATABASE, backup, log)

    def _failed(self, error: Exception) -> Exception:
        """What whoever asked for something that failed is told; a database that DuckDB gave up is opened again meanwhile."""
        if isinstance(error, duckdb.FatalException):
            with self._log:
                if self._reopening is None and not self._closed:
                    self._reopening = threading.Thread(target=self._reopen, name="store-reopening", daemon=True)
                    self._reopening.start()
        return as_disk_error(error, self.project / DATABASE)

    def _reopen(self) -> None:
        """Open the database anew, as often as it takes; what was acknowledged is in the log beside it, and so is not lost."""
        with self._gate.exclusive():
            self._writer.close()
            self._connection.close()
            while True:
                # as long as the disk is full, everybody waits here
                with suppress(StoreError, StoreBusy, duckdb.Error):
                    # where the file is not in its place, DuckDB would make an empty one
                    if self._file.absence() is None:
                        self._connection = _connect(self.project / DATABASE, self.backups)
                        break
                if self._closed:
                    return
                time.sleep(_REOPEN_SECONDS)
            self._writer = self._new_writer()
            self._reopening = None

    def _committed(self, touched: Sequence[Items], forget: bool) -> None:
        if forget:
            self.memory.forget()
        known = [items for items in touched if items is not None]
        with self._log:
            self._touched.append(frozenset().union(*known) if len(known) == len(touched) else None)
            self._version += 1


def refuse_missing(project: Path) -> None:
    """Refuse a folder that was a project's and has no database any more, in which DuckDB would make an empty one.

    Raises:
        DatabaseMissing: it is such a folder.
    """
    path = project / DATABASE
    if not path.exists() and (why := database_file.why_missing(path, Store.backups.latest(project))):
        raise DatabaseMissing(why)


def _connect(path: Path, backups: Backups) -> Connection:
    if why := refuse_empty(path, backups.latest(path.parent)):
        raise StoreError(why)
    try:
        made = not path.exists()
        connection = connections.connect(path, spill=path.parent / "cache" / "duckdb")
        if made:
            # its secret signs cookies: for this user's eyes alone, whatever becomes of the folder
            path.chmod(0o600)
        return connection
    except duckdb.IOException as error:
        holder = re.search(r"PID (\d+)", str(error))
        if holder or "Could not set lock" in str(error):
            who = f"process {holder[1]}" if holder else "another process"
            raise StoreBusy(f"{path} is open in {who}; close it, or use the same command while that app is running") from error
        raise StoreError(unreadable(path, error, backups.latest(path.parent))) from error
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise StoreError(unreadable(path, error, backups.latest(path.parent))) from error


def _backup_before_migration(connection: Connection, project: Path, backups: Backups) -> list[str]:
    """Keep a project of an earlier schema as it is, before it is brought to the newest; what is to be said of that."""
    version, newest = schema.schema_version(connection), max(migration_files())
    if not 0 < version < newest:
        return []
    try:
        folder = backups.make(connection, project, f"before-schema-{newest:02d}")
    except (OSError, ValueError) as error:
        raise StoreError(
            f"the project has schema {version}, and the backup before its upgrade to {newest} failed:"
            f" {first_line(error)}; nothing was changed"
        ) from error
    return [f"the project was brought from schema {version} to {newest}; as it was before, it is in {folder}"]


def _secret(connection: Connection) -> str:
    """The project's own key: signs cookies and hides item names from annotators."""
    row = connection.execute("select value from meta where key = 'secret'").fetchone()
    if row:
        return str(row[0])
    secret = secrets.token_hex(32)
    rows.add(connection, "meta", key="secret", value=secret)
    return secret


def _run_each(connection: Connection, works: Sequence[Callable[[Connection], Any]]) -> list[Any]:
    return [work(connection) for work in works]


def transaction(
    *, shown: bool = True, touched: Items = None, forget: bool = True
) -> Callable[[Callable[Concatenate[Connection, A], R]], Callable[Concatenate[Store, A], R]]:
    """Make a function that writes by a connection one that is called with the store: it runs as by `Store.change`."""

    def decorated(work: Callable[Concatenate[Connection, A], R]) -> Callable[Concatenate[Store, A], R]:
        @wraps(work)
        def run(store: Store, /, *args: A.args, **kwargs: A.kwargs) -> R:
            return store.change(
                lambda connection: work(connection, *args, **kwargs), shown=shown, touched=touched, forget=forget
            )

        return run

    return decorated
