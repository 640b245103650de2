"""Backups: a project's whole state in a folder of its own, checked after it was written, and which of them stay.

The database is copied while others go on writing into it, and its contents are compared before and after; a manifest says
what a backup holds, and it is checked against that.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import duckdb

from data.backup_schedule import WEEKS
from data.files import on_disk, sha256_of, write_whole
from data.people import keyed_hash
from data.store import erased
from data.store.core import connections
from data.store.core.connections import DATABASE, Connection
from data.store.core.database_copy import DatabaseContents, Pause, TableDigest, copy_database, no_pause, read_contents
from data.store.core.schema import secret_of
from data.validation import record_of
from data.version import concord_version

MANIFEST: Final = "manifest.json"
FILES: Final = "files.jsonl"
SCHEDULED: Final = "scheduled"
_FORMAT: Final = 1


class BadBackup(ValueError):
    """A backup is not what it says; the message tells in what."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file beside the database: ``path`` below the backup's folder, and below the project's."""

    path: str
    bytes: int
    sha256: str
    modified: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds.

    Attributes:
        project: tells projects apart that put their backups into one folder.
        number: one more than the last one's; the order does not hang on the clock.
        reason: asked, scheduled, or before-schema-N.
        sha256: of the database; ``before`` is that of what it replaces, while somebody is being taken out of it.
        files: how many files lie beside it; ``files_bytes`` is what they weigh, ``files_sha256`` of their list.
        erased: of how many people it was known, when it was last looked through, that they were erased.
    """

    project: str
    number: int
    reason: str
    made: datetime
    concord: str
    duckdb: str
    schema: int
    sha256: str
    bytes: int
    tables: Mapping[str, TableDigest]
    files: int
    files_bytes: int
    files_sha256: str
    erased: int = 0
    before: str = ""

    @property
    def contents(self) -> DatabaseContents:
        return DatabaseContents(self.schema, self.tables)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup's folder."""

    path: Path
    manifest: Manifest

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    @property
    def bytes(self) -> int:
        """All of it, as if nothing were shared with others."""
        return self.manifest.bytes + self.manifest.files_bytes

    def files(self) -> Iterator[BackupFile]:
        """What lies beside the database.

        Raises:
            BadBackup: their list is not what was written.
        """
        path = self.path / FILES
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            if sha256_of(path) != self.manifest.files_sha256:
                raise BadBackup(f"{path} was changed after the backup")
            files = [BackupFile(**json.loads(line)) for line in lines]
        except (OSError, ValueError, TypeError) as error:
            raise error if isinstance(error, BadBackup) else BadBackup(f"{path} cannot be read: {error}") from error
        for file in files:
            # hash or no hash: a list never leads out of its folder
            if Path(file.path).is_absolute() or ".." in Path(file.path).parts:
                raise BadBackup(f"{path} names {file.path!r}, which is not in the backup")
        return iter(files)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    as_json = asdict(manifest) | {"made": manifest.made.isoformat(), "concord_backup": _FORMAT}
    write_whole(folder / MANIFEST, json.dumps(as_json, indent=1).encode())
    (folder / MANIFEST).chmod(0o600)


def read_backup(folder: Path) -> Backup:
    """A backup by its folder.

    Raises:
        BadBackup: it is none.
    """
    path = folder / MANIFEST
    try:
        as_json: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if as_json.pop("concord_backup") != _FORMAT:
            raise BadBackup(f"{folder} was made by a newer Concord: update Concord to read it")
        manifest = record_of(Manifest, as_json)
        made = manifest.made if manifest.made.tzinfo else manifest.made.replace(tzinfo=UTC)
        return Backup(folder, replace(manifest, made=made))
    except OSError as error:
        raise BadBackup(f"{folder} is not a backup: its {MANIFEST} cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise error if isinstance(error, BadBackup) else BadBackup(f"{path} is not as Concord writes it: {error}") from error


def list_backups(folder: Path) -> list[Backup]:
    """The backups in a folder, oldest first. What is none is passed over."""
    backups = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.name.startswith(".") and (path / MANIFEST).is_file():
            with suppress(BadBackup):
                backups.append(read_backup(path))
    return sorted(backups, key=lambda backup: (backup.manifest.number, backup.manifest.made))


def check_backup(backup: Backup, *, files: bool = True) -> None:
    """Look whether a backup is what it says: the database's hash, that it opens, how many rows it has, and its files' hashes.

    Raises:
        BadBackup: it is not.
    """
    manifest = backup.manifest
    try:
        if sha256_of(backup.database) not in {manifest.sha256, manifest.before} - {""}:
            raise BadBackup(f"{backup.database} was changed or is damaged")
        held = read_contents(backup.database)
    except OSError as error:
        raise BadBackup(f"{backup.database} cannot be read: {error.strerror or error}") from error
    if not manifest.before:
        check_contents(manifest.contents, held, backup.database, hashes=manifest.duckdb == duckdb.__version__)
    for file in backup.files() if files else ():
        path = backup.path / file.path
        try:
            if path.stat().st_size != file.bytes or sha256_of(path) != file.sha256:
                raise BadBackup(f"{path} was changed or is damaged")
        except OSError as error:
            raise BadBackup(f"{path} cannot be read: {error.strerror}") from error


def check_contents(was: DatabaseContents, held: DatabaseContents, path: Path, *, hashes: bool = True) -> None:
    """Compare what a database is to hold with what it holds.

    Raises:
        BadBackup: they differ.
    """
    if held.schema != was.schema:
        raise BadBackup(f"{path} has schema {held.schema}, not {was.schema}")
    for name, expected in was.tables.items():
        digest = held.tables.get(name)
        if digest is None or digest.rows != expected.rows or (hashes and digest.digest != expected.digest):
            n = "no such table" if digest is None else f"{digest.rows:,} rows"
            raise BadBackup(f"{path} differs in {name}: {expected.rows:,} rows were there, {n} in the copy, or others")


FOLDER: Final = "backups"
"""Below the project's."""
ON_REQUEST: Final = "asked"
BESIDE: Final = ("runs", "images")
"""Folders whose files go with the database: what scorers saw in whole, and images that were made here."""

_MAKING: Final = ".making-"
_OURS: Final = re.compile(r"\.making-[0-9]+-[0-9]{8}T[0-9]{6}Z-")
_APPENDED: Final = {".txt", ".log"}
"""Whatever else there is, is written whole and then left alone, so that a second name for it (a link) is a copy."""
_SKIPPED: Final = {".lock"}

backup_lock = threading.Lock()
"""Held while a backup is made, and while somebody is taken out of backups: by whoever does it, for as long as that takes."""


def backup_folder(project: Path) -> Path:
    """Where a project's own backups are."""
    return project / FOLDER


def make_backup(
    cursor: Connection,
    project: Path,
    reason: str = ON_REQUEST,
    into: Path | None = None,
    *,
    beside: bool = True,
    now: datetime | None = None,
    rest: Pause = no_pause,
) -> Backup:
    """Make a backup of what the cursor sees, whole or not at all, and check it. ``into``: where, if not in the project;
    ``beside``: whether the files go with it.

    Files that the last backup there holds already are shared with it (hard links), and in the project's own folder with the
    project; elsewhere what is new is copied.

    Raises:
        OSError: it cannot be written.
        BadBackup: what was written is not what was there (a broken disk).
        Stopped: ``rest`` said so.
    """
    folder = backup_folder(project) if into is None else into
    moment = now or datetime.now(UTC)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = f"{moment:%Y%m%dT%H%M%SZ}-{reason}"
    with _temporary(folder, name, alone=into is None) as temporary:
        held = copy_database(cursor, temporary / DATABASE, rest)
        check_contents(held, read_contents(temporary / DATABASE), temporary / DATABASE)
        before = list_backups(folder)
        files = _add_files(project if beside else None, temporary, before, rest)
        write_manifest(temporary, _make_manifest(temporary, held, project, reason, moment, before, files))
        on_disk(temporary)
        return read_backup(_finish(temporary, folder, name))


@contextmanager
def _temporary(folder: Path, name: str, *, alone: bool) -> Iterator[Path]:
    """A place to make a backup in, held meanwhile and gone afterwards; first those that killed processes left here are gone."""
    temporary = folder / f"{_MAKING}{os.getpid()}-{name}"
    with ExitStack() as stack:
        # one at a time, so that nobody takes a place that is not held yet for one that was left
        with _folder_lock(folder, patient=True):
            delete_unfinished(folder, alone=alone)
            temporary.mkdir(mode=0o700)
            stack.enter_context(_folder_lock(temporary))
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        yield temporary


@contextmanager
def _folder_lock(folder: Path, *, patient: bool = False) -> Iterator[bool]:
    """Hold a folder, whatever its name becomes; whether that could be done. Whatever ends the process lets go of it.

    It cannot be done where another process holds it, unless ``patient``, nor where there are no such locks: on Windows, and on
    some network disks.
    """
    try:
        import fcntl
    except ImportError:
        yield False
        return
    descriptor = os.open(folder, os.O_RDONLY)
    could = False
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if patient else fcntl.LOCK_NB))
            could = True
        yield could
    finally:
        os.close(descriptor)


def _finish(temporary: Path, folder: Path, name: str) -> Path:
    """Give a finished backup its name: another, if there is one of that name."""
    for n in range(1, 1000):
        path = folder / (name if n == 1 else f"{name}-{n}")
        if not path.exists():
            # a folder is not renamed onto one that holds something
            temporary.rename(path)
            on_disk(folder)
            return path
    raise OSError(f"{folder} holds too many backups called {name}")


def _make_manifest(
    temporary: Path,
    held: DatabaseContents,
    project: Path,
    reason: str,
    made: datetime,
    before: Sequence[Backup],
    files: Sequence[BackupFile],
) -> Manifest:
    database = temporary / DATABASE
    with connections.connect(database, read_only=True) as connection:
        secret = secret_of(connection)
        n_erased = len(erased.marks(connection)) if "erased" in held.tables else 0
    return Manifest(
        # names a project without telling its secret
        project=keyed_hash(secret, "backup", "project")[:12] if secret else project.name,
        number=max((backup.manifest.number for backup in before), default=0) + 1,
        reason=reason,
        made=made,
        concord=concord_version(),
        duckdb=duckdb.__version__,
        schema=held.schema,
        sha256=sha256_of(database),
        bytes=database.stat().st_size,
        tables=held.tables,
        files=len(files),
        files_bytes=sum(file.bytes for file in files),
        files_sha256=sha256_of(temporary / FILES),
        erased=n_erased,
    )


def _add_files(project: Path | None, temporary: Path, before: Sequence[Backup], rest: Pause) -> list[BackupFile]:
    """Put the project's files beside the database, and list them."""
    last = before[-1] if before else None
    known: dict[str, BackupFile] = {}
    with suppress(BadBackup):
        known = {file.path: file for file in last.files()} if last is not None else {}
    files = []
    for path, name in _project_files(project) if project else ():
        with suppress(FileNotFoundError):
            # a run that is thrown away meanwhile
            files.append(_add_file(path, name, temporary / name, known.get(name), last))
            rest(0.0)
    lines = temporary / FILES
    lines.write_text("".join(json.dumps(asdict(file)) + "\n" for file in files), encoding="utf-8")
    lines.chmod(0o600)
    on_disk(lines)
    return files


def _project_files(project: Path) -> Iterator[tuple[Path, str]]:
    for name in BESIDE:
        for path in sorted((project / name).rglob("*")):
            below = path.relative_to(project)
            hidden = any(part.startswith(".") for part in below.parts)
            if not hidden and path.suffix not in _SKIPPED and path.is_file() and not path.is_symlink():
                yield path, below.as_posix()


def _add_file(source: Path, name: str, target: Path, known: BackupFile | None, last: Backup | None) -> BackupFile:
    """One file: a second name for it if that can be, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    stat = source.stat()
    same = known is not None and (known.bytes, known.modified) == (stat.st_size, stat.st_mtime_ns)
    linked = (source.suffix not in _APPENDED and _link(source, target)) or (
        same and last is not None and _link(last.path / name, target)
    )
    if not linked:
        shutil.copy2(source, target)
        on_disk(target)
    digest = known.sha256 if linked and same and known is not None else sha256_of(target)
    return BackupFile(name, target.stat().st_size, digest, stat.st_mtime_ns)


def _link(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def delete_unfinished(folder: Path, *, alone: bool = True) -> list[Path]:
    """Throw away what backups left that were never finished, because their process ended; the paths.

    ``alone``: nobody else can be at work here, as whoever makes one in a project holds the project. Elsewhere other projects
    may have theirs made: those go of which it can be told that no living process holds them.
    """
    paths = [path for path in folder.iterdir() if path.name.startswith(_MAKING)] if folder.is_dir() else []
    gone = [path for path in paths if alone or _is_abandoned(path)]
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return gone


def _is_abandoned(path: Path) -> bool:
    """Whether it is a backup's that no living process is making; no where it cannot be told."""
    if not _OURS.match(path.name) or path.is_symlink() or not path.is_dir():
        return False
    try:
        with _folder_lock(path) as could:
            return could
    except OSError:
        # another's, or gone meanwhile
        return False


def superfluous_backups(backups: Iterable[Backup], keep: int) -> list[Backup]:
    """Which scheduled backups may go: all but the ``keep`` newest, and the last of each of ``WEEKS`` weeks before those.

    The newest are those made last, whatever the clock said. Backups made for another reason stay.
    """
    scheduled = [backup for backup in backups if backup.manifest.reason == SCHEDULED]
    newest = scheduled[-max(1, keep) :]
    weeks: dict[tuple[int, int], Backup] = {}
    for backup in reversed(scheduled[: -len(newest)] if newest else []):
        weeks.setdefault(backup.manifest.made.isocalendar()[:2], backup)
    staying = {backup.path for backup in [*newest, *list(weeks.values())[:WEEKS]]}
    return [backup for backup in scheduled if backup.path not in staying]


def retire_backups(project: Path, keep: int, good: Callable[[Backup], bool]) -> list[Path]:
    """Delete the scheduled backups of a project that are superfluous, if the newest is ``good``; what was deleted.

    Nothing else in the folder is touched: neither other files, nor other projects' backups.
    """
    backups = list_backups(backup_folder(project))
    if not backups or not good(backups[-1]):
        return []
    mine = [backup for backup in backups if backup.manifest.project == backups[-1].manifest.project]
    gone = []
    for backup in superfluous_backups(mine, keep):
        delete_backup(backup)
        gone.append(backup.path)
    return gone


def delete_backup(backup: Backup) -> None:
    """Delete a backup, and no file that is none of its own: first what makes it one, so that half is never taken for whole."""
    with suppress(BadBackup):
        files = [file.path for file in backup.files()]
        (backup.path / MANIFEST).unlink(missing_ok=True)
        for name in (*files, DATABASE, FILES):
            (backup.path / name).unlink(missing_ok=True)
        folders = [path for path in backup.path.rglob("*") if path.is_dir()]
        for path in sorted([*folders, backup.path], reverse=True):
            # somebody's own file may lie there
            with suppress(OSError):
                path.rmdir()
