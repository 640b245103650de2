"""What a backup says of itself, and whether it is what it says."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import duckdb

from data.files import sha256_of, write_whole
from data.store import copying
from data.store.copying import Contents, Held

MANIFEST: Final = "manifest.json"
FILES: Final = "files.jsonl"
DATABASE: Final = "concord.duckdb"
SCHEDULED: Final = "scheduled"
_FORMAT: Final = 1
_ROOT: Final = Path(__file__).resolve().parents[2]


class BadBackup(ValueError):
    """A backup is not what it says; the message tells in what."""


@dataclass(frozen=True, slots=True)
class File:
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
    tables: Mapping[str, Held]
    files: int
    files_bytes: int
    files_sha256: str
    erased: int = 0
    before: str = ""

    @property
    def contents(self) -> Contents:
        return Contents(self.schema, self.tables)


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

    def files(self) -> Iterator[File]:
        """What lies beside the database.

        Raises:
            BadBackup: their list is not what was written.
        """
        path = self.path / FILES
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            if sha256_of(path) != self.manifest.files_sha256:
                raise BadBackup(f"{path} was changed since it was made")
            found = [File(**json.loads(line)) for line in lines]
        except (OSError, ValueError, TypeError) as error:
            raise error if isinstance(error, BadBackup) else BadBackup(f"{path} cannot be read: {error}") from error
        for one in found:
            # hash or no hash: a list never leads out of its folder
            if Path(one.path).is_absolute() or ".." in Path(one.path).parts:
                raise BadBackup(f"{path} names {one.path!r}, which is not in the backup")
        return iter(found)


@cache
def concord() -> str:
    """Concord's version."""
    about = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(about["project"]["version"])


def write(folder: Path, manifest: Manifest) -> None:
    told = asdict(manifest) | {"made": manifest.made.isoformat(), "concord_backup": _FORMAT}
    write_whole(folder / MANIFEST, json.dumps(told, indent=1).encode())
    (folder / MANIFEST).chmod(0o600)


def read(folder: Path) -> Backup:
    """A backup by its folder.

    Raises:
        BadBackup: it is none.
    """
    path = folder / MANIFEST
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if told.pop("concord_backup") != _FORMAT:
            raise BadBackup(f"{folder} is a backup of a later Concord: update Concord to read it")
        made = datetime.fromisoformat(told["made"])
        made = made if made.tzinfo else made.replace(tzinfo=UTC)
        tables = {name: Held(**held) for name, held in told["tables"].items()}
        return Backup(folder, Manifest(**(told | {"made": made, "tables": tables})))
    except OSError as error:
        raise BadBackup(f"{folder} is no backup: its {MANIFEST} cannot be read ({error.strerror})") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise error if isinstance(error, BadBackup) else BadBackup(f"{path} is not as Concord writes it: {error}") from error


def listed(folder: Path) -> list[Backup]:
    """The backups in a folder, oldest first. What is none is passed over."""
    found = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.name.startswith(".") and (path / MANIFEST).is_file():
            try:
                found.append(read(path))
            except BadBackup:
                continue
    return sorted(found, key=lambda one: (one.manifest.number, one.manifest.made))


def check(backup: Backup, *, files: bool = True) -> None:
    """Look whether a backup is what it says: the database's hash, that it opens, how many rows it has, and its files' hashes.

    Raises:
        BadBackup: it is not.
    """
    manifest = backup.manifest
    try:
        if sha256_of(backup.database) not in {manifest.sha256, manifest.before} - {""}:
            raise BadBackup(f"{backup.database} is not what was written: it was changed or is damaged")
        held = copying.look(backup.database)
    except OSError as error:
        raise BadBackup(f"{backup.database} cannot be read: {error.strerror or error}") from error
    if not manifest.before:
        differing(manifest.contents, held, backup.database, hashes=manifest.duckdb == duckdb.__version__)
    for one in backup.files() if files else ():
        _check_file(backup.path / one.path, one)


def _check_file(path: Path, one: File) -> None:
    try:
        if path.stat().st_size != one.bytes or sha256_of(path) != one.sha256:
            raise BadBackup(f"{path} is not what was written: it was changed or is damaged")
    except OSError as error:
        raise BadBackup(f"{path} cannot be read: {error.strerror}") from error


def differing(was: Contents, held: Contents, path: Path, *, hashes: bool = True) -> None:
    """Compare what a database is to hold with what it holds.

    Raises:
        BadBackup: they differ.
    """
    if held.schema != was.schema:
        raise BadBackup(f"{path} has schema {held.schema}, not {was.schema}")
    for name, expected in was.tables.items():
        found = held.tables.get(name)
        if found is None or found.rows != expected.rows or (hashes and found.digest != expected.digest):
            n = "no such table" if found is None else f"{found.rows:,} rows"
            raise BadBackup(f"{path} differs in {name}: {expected.rows:,} rows were there, {n} in the copy, or others")
