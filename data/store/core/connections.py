"""Database connections: the one place where DuckDB is opened, shut in with itself, and where errors of the disk get their
words.

SQL of ours is fixed and values are bound, so no data text ever names a file. The locks on the connection are for the day on
which that fails.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import duckdb

Connection = duckdb.DuckDBPyConnection
"""An open database, or a cursor of one."""

MEMORY: Final = "4GB"
SPILL: Final = "16GB"
"""What a query may put on disk when it does not fit into memory: less than an empty disk, so that it cannot fill one."""
_CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    # nothing is fetched or loaded; what is needed is built in
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    # a Python variable is never a table
    "python_enable_replacements": "false",
    "allow_persistent_secrets": "false",
}


def connect(
    path: Path | None,
    *,
    read_only: bool = False,
    memory: str = MEMORY,
    threads: int = 2,
    spill: Path | None = None,
) -> Connection:
    """Open a database, which is made if it is not there. Times are UTC.

    From then on SQL reaches no other file, fetches nothing, and changes no setting: also what a file that somebody handed on
    may hold in place of our tables (a view that reads ``/etc/passwd``).

    Args:
        path: its file; None: in memory.
        read_only: nothing is written, and nothing made.
        memory: the most that it takes, such as ``4GB``.
        threads: how many work on one query.
        spill: where a query puts what does not fit into memory; made when it is needed. None: beside the file.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    config = _CONFIG | {"memory_limit": memory, "max_temp_directory_size": SPILL, "threads": threads}
    if spill is not None:
        config["temp_directory"] = str(spill)
    connection = duckdb.connect(":memory:" if path is None else str(path), read_only=read_only, config=config)
    try:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return connection


_CONTINUES: Final = "; make room, and it goes on by itself"
_WHY: Final = (
    # what the system says, and what the person is to do; the first that fits
    (
        r"No space left on device|Disk quota exceeded|File too large",
        f"the disk is full, or may hold no larger files{_CONTINUES}",
    ),
    (r"Read-only file system", "the disk can only be read now; have it mounted for writing"),
    (r"Permission denied|Operation not permitted", "it may not be written by this user; give them the right to"),
    (r"Input/output error", "the disk does not answer; look at the disk, and at what the system says of it"),
    (r"Could not (write|truncate|fsync|seek)", "the disk did not take it"),
)
_REOPENED: Final = "it is being opened again after an error; please try again"
_DURABLE: Final = "COMMIT succeeded and is durable"


class NotWritten(OSError):
    """The database took nothing of what was to be written, and holds what it held before.

    Attributes:
        why: the reason, for everybody: it names no path of the machine.
    """

    def __init__(self, database: Path, why: str, todo: str = "") -> None:
        """``todo``: what whoever runs Concord has to do, where ``why`` does not say it."""
        super().__init__(f"nothing was written to {database}: {why}{f'; {todo}' if todo else ''}")
        self.why = why


def first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def as_disk_error(error: Exception, database: Path) -> Exception:
    """Turn a disk error into a ``NotWritten`` with one sentence for the user; return other errors unchanged."""
    if isinstance(error, duckdb.FatalException):
        return NotWritten(database, _REOPENED)
    if isinstance(error, (duckdb.Error, OSError)):
        why = next((words for pattern, words in _WHY if re.search(pattern, str(error))), None)
        if why is not None:
            return NotWritten(database, why)
    return error


_HELD: Final = ("Could not set lock", "Conflicting lock", "used by another process", "different configuration")


def is_held_elsewhere(error: Exception) -> bool:
    """Whether a database cannot be opened because another process, or this one in another way, has it open."""
    # a damaged file's error may name a "block"
    return any(words in str(error) for words in _HELD)


def is_durable(error: Exception) -> bool:
    """Whether a commit that failed is on disk all the same, and the database only has to be opened again."""
    return isinstance(error, duckdb.FatalException) and _DURABLE in str(error)


def unreadable(path: Path, error: BaseException, backup: str | None) -> str:
    """Why a database cannot be opened, and what to do (``backup``: its last one); opening has left it as it was."""
    for pattern, words in _WHY[:4]:
        if re.search(pattern, str(error)):
            return f"{path} cannot be opened: {words}"
    return f"{path} is not a Concord project, or is damaged: {first_line(error)[:300]}; {_left_as_it_is(backup)}"


def refuse_empty(path: Path, backup: str | None) -> str | None:
    """What is said of a database of no bytes, which DuckDB would take for a new one; None where there is more, or nothing."""
    if not path.is_file() or path.stat().st_size:
        return None
    empty = f"{path} is empty, which no database is, not even that of a new project"
    return f"{empty}; {_left_as_it_is(backup)}, or remove the empty file"


def _left_as_it_is(backup: str | None) -> str:
    return f"it was left as it is; {restore_hint(backup)}"


def restore_hint(backup: str | None) -> str:
    """Return which command brings a database back; ``backup``: the name of the project's newest backup, if it has one."""
    return f"`restore {backup}` puts its last backup in its place" if backup else "the command `restore` takes a backup back"


def wal_file(path: Path) -> Path:
    """Return the path of the log in which DuckDB keeps commits that are not yet in the database's own file."""
    return path.with_name(f"{path.name}.wal")


DATABASE: Final = "concord.duckdb"
