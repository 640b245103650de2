"""A disk that takes no more, for tests without a disk of their own: no file of this process may grow beyond so many bytes."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def full(project: Path, room: int = 0) -> Iterator[None]:
    """The project's log of the database takes ``room`` bytes more, and no new file more than it has then."""
    log = project / "concord.duckdb.wal"
    size = (log.stat().st_size if log.exists() else 0) + room
    with limited(size):
        yield


@contextmanager
def limited(size: int) -> Iterator[None]:
    """No file may be longer than this; whoever writes on is told "File too large".

    Modules imported meanwhile are not cached: Python would keep the first bytes of each, and none could be imported again.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    cached, sys.dont_write_bytecode = not sys.dont_write_bytecode, True
    # Python ignores the signal that comes with it
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = not cached
