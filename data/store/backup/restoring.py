"""Restoring a backup, and keeping copies of the project true.

A backup goes in the place of a project's database; what was there is put aside, and nothing is deleted. It is known where
copies were written, and people who were erased are taken out of those that can be reached.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import duckdb

from data.files import on_disk, sha256_of
from data.people import person_pseudonym
from data.store.backup import backups, snapshot
from data.store.backup.backups import Backup, BackupFile, BadBackup, Manifest
from data.store.core import connections, rows, schema
from data.store.core.connections import DATABASE, Connection, first_line
from data.store.core.database_copy import copy_database, read_contents
from data.store.core.database_file import NUMBER_FILE
from data.store.core.schema import migrate, migration_files
from data.store.core.store import Store, StoreBusy, transaction
from data.store.erased import mark, marks, people_named, strike_people

Kind = Literal["snapshot", "backup"]
BEFORE: Final = f"{DATABASE}.before-restore-"
"""How databases are called that a restored one has replaced."""


@dataclass(frozen=True, slots=True)
class KnownCopy:
    """A copy that was written somewhere."""

    path: Path
    kind: Kind
    people: Literal["names", "pseudonyms"]
    moment: datetime


@dataclass(frozen=True, slots=True)
class CopyErasure:
    """What became of one copy when somebody was erased.

    Attributes:
        outcome: ``erased`` (they were in it, and are no more), ``clean`` (they were not), ``gone`` (it is not there any more)
            or ``failed``: they may still be in it, and ``why``.
    """

    path: Path
    outcome: Literal["erased", "clean", "gone", "failed"]
    why: str = ""


@transaction(shown=False)
def remember_copy(connection: Connection, path: Path, kind: Kind, *, names: bool = True) -> None:
    """A copy of the project was written there."""
    resolved, people = str(path.resolve()), "names" if names else "pseudonyms"
    # another copy at the same place has replaced the one before
    connection.execute("delete from copies where path = ?", [resolved])
    rows.add(connection, "copies", path=resolved, kind=kind, people=people, moment=datetime.now(UTC))


def list_copies(store: Store) -> list[KnownCopy]:
    """All copies that were written out of the project or into it by name, oldest first; each place once, as it was last."""
    records = store.query("select path, kind, people, moment from copies order by moment")
    return [KnownCopy(**(row | {"path": Path(row["path"])})) for row in records]


def erase_from_copies(store: Store, names: Iterable[str] = ()) -> list[CopyErasure]:
    """Take everybody who was erased out of every copy that can be reached, and these names out of snapshots with pseudonyms.

    Each file is written anew, so that no byte of them stays in it. Nothing here raises: what fails is said.
    """
    with store.read() as cursor:
        known = marks(cursor)
    people = list(names)
    erasures: list[CopyErasure] = []
    with backups.backup_lock:
        home = backups.backup_folder(store.project)
        erasures += [
            CopyErasure(path, "erased", "a backup that was never finished") for path in backups.delete_unfinished(home)
        ]
        erasures += [_in_backup(backup, store.secret, known) for backup in backups.list_backups(home)]
        # folders with a database that are no backup one can read
        readable = {backup.path for backup in backups.list_backups(home)}
        others = [path for path in sorted(home.iterdir()) if path not in readable] if home.is_dir() else []
        erasures += [
            CopyErasure(path, "failed", "it cannot be read as a backup") for path in others if (path / DATABASE).exists()
        ]
        for path in sorted(store.project.glob(f"{BEFORE}*")):
            if not path.name.endswith(".wal"):
                erasures.append(_trying(path, lambda path=path: _in_file(path, store.secret, known)))  # type: ignore[misc]
        elsewhere = [copy for copy in list_copies(store) if home.resolve() not in copy.path.parents]
        erasures += [_elsewhere(copy, store.secret, known, people) for copy in elsewhere]
    return erasures


def _elsewhere(copy: KnownCopy, secret: str, known: Mapping[str, Any], names: list[str]) -> CopyErasure:
    if not copy.path.exists():
        return CopyErasure(copy.path, "gone")
    if copy.kind == "backup":
        try:
            return _in_backup(backups.read_backup(copy.path), secret, known)
        except BadBackup as error:
            return CopyErasure(copy.path, "failed", str(error))
    shown = names if copy.people == "names" else [person_pseudonym(secret, name) for name in names]

    def erase() -> bool:
        if not snapshot.is_snapshot(copy.path):
            raise OSError("the existing file is not a Concord snapshot")
        return _in_file(copy.path, secret, known if copy.people == "names" else {}, shown)

    return _trying(copy.path, erase)


def _trying(path: Path, erase: Callable[[], bool]) -> CopyErasure:
    try:
        return CopyErasure(path, "erased" if erase() else "clean")
    except duckdb.Error as error:
        return CopyErasure(path, "failed", first_line(error))
    except (OSError, BadBackup) as error:
        return CopyErasure(path, "failed", getattr(error, "strerror", None) or str(error))


def _in_backup(backup: Backup, secret: str, known: Mapping[str, Any]) -> CopyErasure:
    def erase() -> bool:
        manifest = backup.manifest
        if manifest.erased >= len(known) and not manifest.before:
            return False
        # what is damaged stays as it is, and is said
        backups.check_backup(backup, files=False)
        struck = _in_file(backup.database, secret, known, swap=lambda fresh: _exchange_copy(backup, fresh, len(known)))
        if not struck:
            # the rest of what was broken off, too
            backups.write_manifest(backup.path, replace(_as_it_is(manifest, backup.database), erased=len(known), before=""))
        return struck

    return _trying(backup.path, erase)


def _exchange_copy(backup: Backup, fresh: Path, n_erased: int) -> None:
    """Put a backup's new database in its place; killed at any moment, it is a backup still."""
    manifest = replace(_as_it_is(backup.manifest, fresh), erased=n_erased, before="")
    backups.write_manifest(backup.path, replace(manifest, before=sha256_of(backup.database)))
    fresh.replace(backup.database)
    on_disk(backup.path)
    backups.write_manifest(backup.path, manifest)


def _as_it_is(manifest: Manifest, database: Path) -> Manifest:
    """What is to be said of a backup with this database."""
    return replace(
        manifest,
        sha256=sha256_of(database),
        bytes=database.stat().st_size,
        tables=read_contents(database).tables,
        duckdb=duckdb.__version__,
    )


def _in_file(
    path: Path, secret: str, known: Mapping[str, Any], names: Iterable[str] = (), swap: Callable[[Path], None] | None = None
) -> bool:
    """Take people out of a database that nobody has open: whoever is among the marks, and these names. Whether there were any.

    Raises:
        OSError, duckdb.Error: it cannot be opened, or the new file not be written; the old one is as it was.
    """
    work = path.with_name(f".{path.name}.erasing")
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(mode=0o700)
        first, second = work / "first", work / "second"
        with connections.connect(path, read_only=True) as old:
            there = people_named(old)
            gone = [name for name in there if mark(secret, name) in known or name in set(names)]
            if not gone:
                return False
            copy_database(old, first)
        with connections.connect(first) as connection:
            strike_people(connection, gone, secret, known)
            # once more: deleted rows stay in a file's blocks
            copy_database(connection, second)
        second.chmod(path.stat().st_mode & 0o777)
        if swap is not None:
            swap(second)
        else:
            # what it held is in the new file already; an old one beside a new database would be read into it
            connections.wal_file(path).unlink(missing_ok=True)
            second.replace(path)
            on_disk(path.parent)
        return True
    finally:
        shutil.rmtree(work, ignore_errors=True)


try:
    import fcntl
except ImportError:  # Windows has none: there, whoever holds a file keeps it from being replaced
    fcntl = None  # type: ignore[assignment]

_TEMPORARY: Final = f".{DATABASE}.restoring"


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done.

    Attributes:
        aside: where the database is now that was there before; None: there was none.
        schema: what the backup had; it was brought to the newest.
        files: so many were brought back.
        erased: so many people who had been erased since were taken out once more.
    """

    aside: Path | None
    schema: int
    files: int
    erased: int


def restore(project: Path, backup: Backup, now: datetime | None = None) -> Restored:
    """Make a project what it was when a backup was made; the folder may be empty, or not there.

    Everything is checked, and brought to the newest schema, before anything is exchanged.

    Raises:
        StoreBusy: somebody has the project open.
        BadBackup: the backup is not what was written, or is a later Concord's.
        OSError: something cannot be written; the project is as it was.
    """
    newest = max(migration_files())
    if backup.manifest.schema > newest:
        raise BadBackup(
            f"the backup has schema {backup.manifest.schema}, this version supports {newest}: update Concord to restore it"
        )
    project.mkdir(parents=True, exist_ok=True)
    stamp = f"{now or datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    secret, known = _marks(project)
    with _lock_database(project / DATABASE):
        backups.check_backup(backup)
        work = project / _TEMPORARY
        shutil.rmtree(work, ignore_errors=True)
        try:
            work.mkdir(mode=0o700)
            fresh, struck = _prepared(backup, work, secret, known)
            placed = sum(_restore_file(backup.path / file.path, project / file.path, file, stamp) for file in backup.files())
            # what was acknowledged since the backup is missing on purpose
            (project / NUMBER_FILE).unlink(missing_ok=True)
            aside = _exchange(project / DATABASE, fresh, stamp)
        except duckdb.Error as error:
            raise BadBackup(f"{backup.database} cannot be restored: {first_line(error)}") from error
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return Restored(aside, backup.manifest.schema, placed, struck)


def _marks(project: Path) -> tuple[str, dict[str, Any]]:
    """The project's secret and who was erased from it, as the database says, or where it cannot be read, its backups.

    Raises:
        StoreBusy: somebody has it open.
    """
    secret, known = "", dict[str, Any]()
    paths = [
        project / DATABASE,
        *(backup.database for backup in reversed(backups.list_backups(backups.backup_folder(project)))),
    ]
    for n, path in enumerate(paths):
        if not path.exists():
            continue
        try:
            # the project's own is opened to be written: so it takes in what it had put beside itself
            with connections.connect(path, read_only=n > 0, threads=1) as connection:
                stored = schema.secret_of(connection)
                if secret in ("", stored) and "erased" in schema.table_names(connection):
                    known |= marks(connection)
                secret = secret or stored
        except duckdb.Error as error:
            if n == 0 and connections.is_held_elsewhere(error):
                raise StoreBusy(f"{path} is open in another process: close the app, then restore") from error
    return secret, known


@contextmanager
def _lock_database(path: Path) -> Iterator[None]:
    """Keep everybody from opening a database, also one that is broken."""
    if fcntl is None or not path.exists():
        yield
        return
    with path.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreBusy(f"{path} is open in another process: close the app, then restore") from error
        yield


def _prepared(backup: Backup, work: Path, secret: str, known: Mapping[str, Any]) -> tuple[Path, int]:
    """The database to put in place, in the newest schema and without whoever was erased; and how many those were."""
    fresh = work / "fresh"
    shutil.copyfile(backup.database, fresh)
    if sha256_of(fresh) not in {backup.manifest.sha256, backup.manifest.before}:
        raise BadBackup(f"{backup.database} was changed while it was read")
    fresh.chmod(0o600)
    with connections.connect(fresh, memory="2GB") as connection:
        migrate(connection)
        same = schema.secret_of(connection) == secret
        gone = [name for name in people_named(connection) if mark(secret, name) in known] if same and known else []
        if same and known:
            strike_people(connection, gone, secret, known)
            if gone:
                # deleted rows stay in a file's blocks
                copy_database(connection, work / "clean")
                fresh = work / "clean"
        connection.execute("checkpoint")
    on_disk(fresh)
    return fresh, len(gone)


def _restore_file(source: Path, target: Path, file: BackupFile, stamp: str) -> int:
    """Bring one file back where it is not, or is another; 1 if that was to be done."""
    if target.is_file() and target.stat().st_size == file.bytes:
        same = target.samefile(source) or sha256_of(target) == file.sha256
        if same:
            return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        target.rename(target.with_name(f"{target.name}.before-restore-{stamp}"))
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copy2(source, temporary)
    on_disk(temporary)
    temporary.replace(target)
    return 1


def _exchange(path: Path, fresh: Path, stamp: str) -> Path | None:
    """Put a database in the place of another, which is there under another name then."""
    aside = None
    if path.exists():
        aside = path.with_name(f"{BEFORE}{stamp}")
        if aside.exists():
            raise OSError(f"{aside} exists already; wait a second")
        try:
            # a second name first: at no moment is there no database, which the app would take for a new project
            os.link(path, aside)
        except OSError:
            path.rename(aside)
    left = connections.wal_file(path)
    if left.exists():
        # beside the restored database it would be read into that one
        left.rename(connections.wal_file(aside) if aside else left.with_name(f"{left.name}.before-restore-{stamp}"))
    fresh.replace(path)
    with suppress(OSError):
        path.chmod(0o600 if aside is None else aside.stat().st_mode & 0o777)
    on_disk(path.parent)
    return aside
