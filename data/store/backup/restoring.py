"""Putting a backup in the place of a project's database; what was there is put aside, and nothing is deleted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import duckdb

from data.files import on_disk, sha256_of
from data.store.backup import backups, copies
from data.store.backup.backups import DATABASE, Backup, BackupFile, BadBackup
from data.store.core import connections
from data.store.core.erased import mark, marks
from data.store.core.schema import migrate, migration_files
from data.store.core.store import StoreBusy

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
            f"the backup has schema {backup.manifest.schema}, this Concord knows {newest}: update Concord to restore it"
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
            placed = sum(_restore_file(backup.path / one.path, project / one.path, one, stamp) for one in backup.files())
            aside = _exchange(project / DATABASE, fresh, stamp)
        except duckdb.Error as error:
            raise BadBackup(f"{backup.database} cannot be restored: {str(error).splitlines()[0]}") from error
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return Restored(aside, backup.manifest.schema, placed, struck)


def _marks(project: Path) -> tuple[str, dict[str, Any]]:
    """The project's secret and who was erased from it, as the database says, or where it cannot be read, its backups.

    Raises:
        StoreBusy: somebody has it open.
    """
    secret, known = "", dict[str, Any]()
    paths = [project / DATABASE, *(one.database for one in reversed(backups.list_backups(backups.backup_folder(project))))]
    for n, path in enumerate(paths):
        if not path.exists():
            continue
        try:
            # the project's own is opened to be written: so it takes in what it had put beside itself
            with connections.connect(path, read_only=n > 0, threads=1) as connection:
                found = backups.secret_of(connection)
                if secret in ("", found) and "erased" in backups.table_names(connection):
                    known |= marks(connection)
                secret = secret or found
        except duckdb.Error as error:
            if n == 0 and ("lock" in str(error) or "different configuration" in str(error)):
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
        same = backups.secret_of(connection) == secret
        gone = [name for name in copies.people_named(connection) if mark(secret, name) in known] if same and known else []
        if same and known:
            copies.strike_people(connection, gone, secret, known)
            if gone:
                # deleted rows stay in a file's blocks
                backups.copy_database(connection, work / "clean")
                fresh = work / "clean"
        connection.execute("checkpoint")
    on_disk(fresh)
    return fresh, len(gone)


def _restore_file(source: Path, target: Path, one: BackupFile, stamp: str) -> int:
    """Bring one file back where it is not, or is another; 1 if that was to be done."""
    if target.is_file() and target.stat().st_size == one.bytes:
        same = target.samefile(source) or sha256_of(target) == one.sha256
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
        aside = path.with_name(f"{copies.BEFORE}{stamp}")
        if aside.exists():
            raise OSError(f"{aside} is there already; wait a second")
        try:
            # a second name first: at no moment is there no database, which the app would take for a new project
            os.link(path, aside)
        except OSError:
            path.rename(aside)
    left = backups.wal_file(path)
    if left.exists():
        # beside the restored database it would be read into that one
        left.rename(backups.wal_file(aside) if aside else left.with_name(f"{left.name}.before-restore-{stamp}"))
    fresh.replace(path)
    with suppress(OSError):
        path.chmod(0o600 if aside is None else aside.stat().st_mode & 0o777)
    on_disk(path.parent)
    return aside
