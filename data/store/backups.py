"""Backups: a project's whole state in a folder of its own, checked after it was written, and which of them are kept."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import duckdb

from data.files import on_disk, sha256_of
from data.people import keyed_hash
from data.store import copying, erased, manifest, opening
from data.store.copying import Contents, Rest, no_rest
from data.store.manifest import DATABASE, FILES, MANIFEST, SCHEDULED, Backup, BadBackup, File, Manifest

FOLDER: Final = "backups"
"""Below the project's."""
ASKED: Final = "asked"
BESIDE: Final = ("runs", "images")
"""Folders whose files go with the database: what scorers saw in whole, and images that were made here."""
WEEKS: Final = 4
"""Of so many weeks the last scheduled backup stays, besides the newest ones."""

_MAKING: Final = ".making-"
_OURS: Final = re.compile(r"\.making-[0-9]+-[0-9]{8}T[0-9]{6}Z-")
_APPENDED: Final = {".txt", ".log"}
"""Whatever else there is, is written whole and then left alone, so that a second name for it (a link) is a copy."""
_SKIPPED: Final = {".lock"}

making = threading.Lock()
"""Held while a backup is made, and while somebody is taken out of backups: by whoever does it, for as long as that takes."""


def home(project: Path) -> Path:
    """Where a project's own backups are."""
    return project / FOLDER


def make(
    cursor: duckdb.DuckDBPyConnection,
    project: Path,
    reason: str = ASKED,
    into: Path | None = None,
    *,
    beside: bool = True,
    now: datetime | None = None,
    rest: Rest = no_rest,
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
    folder = home(project) if into is None else into
    moment = now or datetime.now(UTC)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = f"{moment:%Y%m%dT%H%M%SZ}-{reason}"
    with _temporary(folder, name, alone=into is None) as temporary:
        held = copying.copy(cursor, temporary / DATABASE, rest)
        found = copying.look(temporary / DATABASE)
        manifest.differing(held, found, temporary / DATABASE)
        before = manifest.listed(folder)
        files = _beside(project if beside else None, temporary, before, rest)
        told = _tell(temporary, held, project, reason, moment, before, files)
        manifest.write(temporary, told)
        on_disk(temporary)
        return manifest.read(_named(temporary, folder, name))


@contextmanager
def _temporary(folder: Path, name: str, *, alone: bool) -> Iterator[Path]:
    """A place to make a backup in, held meanwhile and gone afterwards; first those that killed processes left here are gone."""
    temporary = folder / f"{_MAKING}{os.getpid()}-{name}"
    with ExitStack() as stack:
        # one at a time, so that nobody takes a place that is not held yet for one that was left
        with _held(folder, patient=True):
            sweep(folder, alone=alone)
            temporary.mkdir(mode=0o700)
            stack.enter_context(_held(temporary))
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        yield temporary


@contextmanager
def _held(folder: Path, *, patient: bool = False) -> Iterator[bool]:
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
    try:
        could = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if patient else fcntl.LOCK_NB))
        except OSError:
            could = False
        yield could
    finally:
        os.close(descriptor)


def _named(temporary: Path, folder: Path, name: str) -> Path:
    """Give a finished backup its name: another, if there is one of that name."""
    for n in range(1, 1000):
        path = folder / (name if n == 1 else f"{name}-{n}")
        if not path.exists():
            # a folder is not renamed onto one that holds something
            temporary.rename(path)
            on_disk(folder)
            return path
    raise OSError(f"{folder} holds too many backups called {name}")


def _tell(
    temporary: Path, held: Contents, project: Path, reason: str, made: datetime, before: Sequence[Backup], files: Sequence[File]
) -> Manifest:
    database = temporary / DATABASE
    with opening.connect(database, read_only=True) as connection:
        secret = copying.secret_of(connection)
        n_erased = len(erased.marks(connection)) if "erased" in held.tables else 0
    return Manifest(
        project=project_id(secret, project),
        number=max((one.manifest.number for one in before), default=0) + 1,
        reason=reason,
        made=made,
        concord=manifest.concord(),
        duckdb=duckdb.__version__,
        schema=held.schema,
        sha256=sha256_of(database),
        bytes=database.stat().st_size,
        tables=held.tables,
        files=len(files),
        files_bytes=sum(one.bytes for one in files),
        files_sha256=sha256_of(temporary / FILES),
        erased=n_erased,
    )


def project_id(secret: str, project: Path) -> str:
    """Names a project without telling its secret."""
    return keyed_hash(secret, "backup", "project")[:12] if secret else project.name


def _beside(project: Path | None, temporary: Path, before: Sequence[Backup], rest: Rest) -> list[File]:
    """Put the project's files beside the database, and list them."""
    last = before[-1] if before else None
    known: dict[str, File] = {}
    if last is not None:
        with suppress(BadBackup):
            known = {one.path: one for one in last.files()}
    found = []
    for path, name in _files(project) if project else ():
        with suppress(FileNotFoundError):
            # a run that is thrown away meanwhile
            found.append(_put(path, name, temporary / name, known.get(name), last))
            rest(0.0)
    lines = temporary / FILES
    lines.write_text("".join(json.dumps(asdict(one)) + "\n" for one in found), encoding="utf-8")
    lines.chmod(0o600)
    on_disk(lines)
    return found


def _files(project: Path) -> Iterator[tuple[Path, str]]:
    for name in BESIDE:
        for path in sorted((project / name).rglob("*")):
            below = path.relative_to(project)
            hidden = any(part.startswith(".") for part in below.parts)
            if not hidden and path.suffix not in _SKIPPED and path.is_file() and not path.is_symlink():
                yield path, below.as_posix()


def _put(source: Path, name: str, target: Path, known: File | None, last: Backup | None) -> File:
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
    return File(name, target.stat().st_size, digest, stat.st_mtime_ns)


def _link(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def sweep(folder: Path, *, alone: bool = True) -> list[Path]:
    """Throw away what backups left that were never finished, because their process ended; the paths.

    ``alone``: nobody else can be at work here, as whoever makes one in a project holds the project. Elsewhere other projects
    may have theirs made: those go of which it can be told that no living process holds them.
    """
    found = [path for path in folder.iterdir() if path.name.startswith(_MAKING)] if folder.is_dir() else []
    gone = [path for path in found if alone or _left(path)]
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return gone


def _left(path: Path) -> bool:
    """Whether it is a backup's that no living process is making; no where it cannot be told."""
    if not _OURS.match(path.name) or path.is_symlink() or not path.is_dir():
        return False
    try:
        with _held(path) as could:
            return could
    except OSError:
        # another's, or gone meanwhile
        return False


def superfluous(backups: Iterable[Backup], keep: int) -> list[Backup]:
    """Which scheduled backups may go: all but the ``keep`` newest, and the last of each of ``WEEKS`` weeks before those.

    The newest are those made last, whatever the clock said. Backups made for another reason stay.
    """
    scheduled = [one for one in backups if one.manifest.reason == SCHEDULED]
    newest = scheduled[-max(1, keep) :]
    weeks: dict[tuple[int, int], Backup] = {}
    for one in reversed(scheduled[: -len(newest)] if newest else []):
        weeks.setdefault(one.manifest.made.isocalendar()[:2], one)
    kept = {one.path for one in [*newest, *list(weeks.values())[:WEEKS]]}
    return [one for one in scheduled if one.path not in kept]


def retire(project: Path, keep: int, good: Callable[[Backup], bool]) -> list[Path]:
    """Delete the scheduled backups of a project that are superfluous, if the newest is ``good``; what was deleted.

    Nothing else in the folder is touched: neither other files, nor other projects' backups.
    """
    found = manifest.listed(home(project))
    if not found or not good(found[-1]):
        return []
    mine = [one for one in found if one.manifest.project == found[-1].manifest.project]
    gone = []
    for one in superfluous(mine, keep):
        throw_away(one)
        gone.append(one.path)
    return gone


def throw_away(backup: Backup) -> None:
    """Delete a backup, and no file that is none of its own: first what makes it one, so that half is never taken for whole."""
    with suppress(BadBackup):
        files = [one.path for one in backup.files()]
        (backup.path / MANIFEST).unlink(missing_ok=True)
        for name in (*files, DATABASE, FILES):
            (backup.path / name).unlink(missing_ok=True)
        folders = [path for path in backup.path.rglob("*") if path.is_dir()]
        for path in sorted([*folders, backup.path], reverse=True):
            # somebody's own file may lie there
            with suppress(OSError):
                path.rmdir()
