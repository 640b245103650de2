"""Copies of the project: where they were written, and taking people who were erased out of those that can be reached."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import duckdb

from data.files import on_disk, sha256_of
from data.people import person_pseudonym
from data.store.backup import backups, snapshot
from data.store.backup.backups import DATABASE, Backup, BadBackup, Manifest
from data.store.core import connections, rows
from data.store.core.erased import mark, marks
from data.store.core.store import Store, per_payload
from data.store.people import erasing

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


def remember_copy(store: Store, path: Path, kind: Kind, *, names: bool = True) -> None:
    """A copy of the project was written there."""
    store.write(_remember, (str(path.resolve()), kind, "names" if names else "pseudonyms", datetime.now(UTC)), shown=False)


def list_copies(store: Store) -> list[KnownCopy]:
    """All copies that were written out of the project or into it by name, oldest first; each place once, as it was last."""
    with store.read() as cursor:
        found = rows.dicts(cursor, "select path, kind, people, moment from copies order by moment")
    return [KnownCopy(**(row | {"path": Path(row["path"])})) for row in found]


def erase_from_copies(store: Store, names: Iterable[str] = ()) -> list[CopyErasure]:
    """Take everybody who was erased out of every copy that can be reached, and these names out of snapshots with pseudonyms.

    Each file is written anew, so that no byte of them stays in it. Nothing here raises: what fails is said.
    """
    with store.read() as cursor:
        known = marks(cursor)
    given = list(names)
    found: list[CopyErasure] = []
    with backups.backup_lock:
        home = backups.backup_folder(store.project)
        found += [CopyErasure(path, "erased", "a backup that was never finished") for path in backups.delete_unfinished(home)]
        for backup in backups.list_backups(home):
            found.append(_in_backup(backup, store.secret, known))
        found += [CopyErasure(path, "failed", "it cannot be read as a backup") for path in _unreadable(home)]
        for path in sorted(store.project.glob(f"{BEFORE}*")):
            if not path.name.endswith(".wal"):
                found.append(_trying(path, lambda path=path: _in_file(path, store.secret, known)))  # type: ignore[misc]
        inside = home.resolve()
        for copy in list_copies(store):
            if inside not in copy.path.parents:
                found.append(_elsewhere(copy, store.secret, known, given))
    return found


def _unreadable(home: Path) -> list[Path]:
    """Folders with a database that are no backup one can read."""
    readable = {one.path for one in backups.list_backups(home)}
    folders = home.iterdir() if home.is_dir() else ()
    return [path for path in sorted(folders) if path not in readable and (path / DATABASE).exists()]


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
            raise OSError("what is there now is no snapshot by Concord")
        return _in_file(copy.path, secret, known if copy.people == "names" else {}, shown)

    return _trying(copy.path, erase)


def _trying(path: Path, erase: Callable[[], bool]) -> CopyErasure:
    try:
        return CopyErasure(path, "erased" if erase() else "clean")
    except duckdb.Error as error:
        return CopyErasure(path, "failed", str(error).splitlines()[0])
    except (OSError, BadBackup) as error:
        return CopyErasure(path, "failed", getattr(error, "strerror", None) or str(error))


def _in_backup(backup: Backup, secret: str, known: Mapping[str, Any]) -> CopyErasure:
    def erase() -> bool:
        told = backup.manifest
        if told.erased >= len(known) and not told.before:
            return False
        # what is damaged stays as it is, and is said
        backups.check_backup(backup, files=False)
        struck = _in_file(backup.database, secret, known, swap=lambda fresh: _exchange(backup, fresh, len(known)))
        if not struck:
            # the rest of what was broken off, too
            backups.write_manifest(backup.path, replace(_as_it_is(told, backup.database), erased=len(known), before=""))
        return struck

    return _trying(backup.path, erase)


def _exchange(backup: Backup, fresh: Path, n_erased: int) -> None:
    """Put a backup's new database in its place; killed at any moment, it is a backup still."""
    told = replace(_as_it_is(backup.manifest, fresh), erased=n_erased, before="")
    backups.write_manifest(backup.path, replace(told, before=sha256_of(backup.database)))
    fresh.replace(backup.database)
    on_disk(backup.path)
    backups.write_manifest(backup.path, told)


def _as_it_is(told: Manifest, database: Path) -> Manifest:
    """What is to be said of a backup with this database."""
    return replace(
        told,
        sha256=sha256_of(database),
        bytes=database.stat().st_size,
        tables=backups.read_contents(database).tables,
        duckdb=duckdb.__version__,
    )


def _in_file(
    path: Path,
    secret: str,
    known: Mapping[str, Any],
    names: Iterable[str] = (),
    swap: Callable[[Path], None] | None = None,
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
            backups.copy_database(old, first)
        with connections.connect(first) as connection:
            strike_people(connection, gone, secret, known)
            # once more: deleted rows stay in a file's blocks
            backups.copy_database(connection, second)
        second.chmod(path.stat().st_mode & 0o777)
        if swap is not None:
            swap(second)
        else:
            # what it held is in the new file already; an old one beside a new database would be read into it
            backups.wal_file(path).unlink(missing_ok=True)
            second.replace(path)
            on_disk(path.parent)
        return True
    finally:
        shutil.rmtree(work, ignore_errors=True)


def strike_people(connection: duckdb.DuckDBPyConnection, names: Iterable[str], secret: str, known: Mapping[str, Any]) -> None:
    """Take people out of a database that is open to us alone, and keep their marks where a project keeps such."""
    connection.begin()
    for name in names:
        erasing.strike_person(connection, name)
    if "erased" in backups.table_names(connection) and secret:
        had = marks(connection)
        rows.insert(connection, "erased", ("person", "moment"), [row for row in known.items() if row[0] not in had])
    connection.commit()


def people_named(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """Everybody who may be named in a database of whatever schema."""
    queries = [
        f'select "{column}" from "{table}"'
        for table, column in cursor.execute(
            "select table_name, column_name from duckdb_columns() where not internal"
            " and column_name in ('rater_id', 'made_by', 'lifted_by')"
            " and table_name in (select table_name from duckdb_tables())"
        ).fetchall()
    ]
    if not queries:
        return []
    found = cursor.execute(f"select distinct name from ({' union all '.join(queries)}) found(name) where name is not null")
    return sorted(row[0] for row in found.fetchall())


def _write_copy(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, datetime]) -> None:
    # another copy at the same place has replaced the one before
    connection.execute("delete from copies where path = ?", [payload[0]])
    rows.insert(connection, "copies", ("path", "kind", "people", "moment"), [payload])


_remember = per_payload(_write_copy)
