"""What a disk may do to a database: what is said of it, and how an open project comes back to work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import duckdb

_AGAIN: Final = "; make room, and it goes on by itself"
_WHY: Final = (
    # what the system says, and what the person is to do; the first that fits
    (r"No space left on device|Disk quota exceeded|File too large", f"the disk is full, or may hold no larger files{_AGAIN}"),
    (r"Read-only file system", "the disk can only be read now; have it mounted for writing"),
    (r"Permission denied|Operation not permitted", "it may not be written by this user; give them the right to"),
    (r"Input/output error", "the disk does not answer; look at the disk, and at what the system says of it"),
    (r"Could not (write|truncate|fsync|seek)", "the disk did not take it"),
)
_REOPENED: Final = "it is being opened again after an error; please try again"
_DURABLE: Final = "COMMIT succeeded and is durable"


class NotWritten(OSError):
    """The database took nothing of what was to be written, and holds what it held before; ``why`` says that and what to do."""

    def __init__(self, database: Path, why: str) -> None:
        super().__init__(f"nothing was written to {database}: {why}")
        self.why = why


def first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def told(error: Exception, database: Path) -> Exception:
    """What whoever wanted to write is told: an error of the disk in one sentence, others as they are."""
    if isinstance(error, duckdb.FatalException):
        return NotWritten(database, _REOPENED)
    if isinstance(error, (duckdb.Error, OSError)):
        why = next((words for pattern, words in _WHY if re.search(pattern, str(error))), None)
        if why is not None:
            return NotWritten(database, why)
    return error


def is_durable(error: Exception) -> bool:
    """Whether a commit that failed is on disk all the same, and the database only has to be opened again."""
    return isinstance(error, duckdb.FatalException) and _DURABLE in str(error)


def unreadable(path: Path, error: BaseException, backup: str | None) -> str:
    """Why a database cannot be opened, and what to do (``backup``: its last one); opening has left it as it was."""
    for pattern, words in _WHY[:4]:
        if re.search(pattern, str(error)):
            return f"{path} cannot be opened: {words}"
    return f"{path} is not a Concord project, or is damaged: {first_line(error)[:300]}; {_way_back(backup)}"


def refuse_empty(path: Path, backup: str | None) -> str | None:
    """What is said of a database of no bytes, which DuckDB would take for a new one; None where there is more, or nothing."""
    if not path.is_file() or path.stat().st_size:
        return None
    return (
        f"{path} is empty, which no database is, not even that of a new project; {_way_back(backup)}, or remove the empty file"
    )


def _way_back(backup: str | None) -> str:
    found = f"`restore {backup}` puts its last backup in its place" if backup else "the command `restore` takes a backup back"
    return f"it was left as it is; {found}"
