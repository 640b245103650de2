"""The one place where a database is opened, and shut in with itself: data text never names a file.

SQL of ours is fixed and values are bound, so nothing that follows should ever matter. It is for the day on which that fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import duckdb

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
    folders: Sequence[Path] = (),
) -> duckdb.DuckDBPyConnection:
    """Open a database, which is made if it is not there. Times are UTC.

    From then on SQL reaches no other file, fetches nothing, and changes no setting: also what a file that somebody handed on
    may hold in place of our tables (a view that reads ``/etc/passwd``).

    Args:
        path: its file; None: in memory.
        read_only: nothing is written, and nothing made.
        memory: the most that it takes, such as ``4GB``.
        threads: how many work on one query.
        spill: where a query puts what does not fit into memory; made when it is needed. None: beside the file.
        folders: whose files SQL may read and write nevertheless.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    config = _CONFIG | {"memory_limit": memory, "max_temp_directory_size": SPILL, "threads": threads}
    if spill is not None:
        config["temp_directory"] = str(spill)
    connection = duckdb.connect(":memory:" if path is None else str(path), read_only=read_only, config=config)
    try:
        connection.execute("set TimeZone = 'UTC'")
        if folders:
            named = ", ".join(_quoted(f"{folder}/") for folder in folders)
            connection.execute(f"set allowed_directories = [{named}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return connection


def attach(connection: duckdb.DuckDBPyConnection, name: str, path: Path, *, read_only: bool = False) -> None:
    """Attach a database of one of the connection's ``folders``.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    connection.execute(f"attach {_quoted(str(path))} as {name}{' (read_only)' if read_only else ''}")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
