"""Files that are whole or not there at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_whole(path: Path, content: bytes) -> None:
    """On disk before it has its name: a crash leaves the old file, or none."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to be written bit by bit, which gets its name when all of it is on disk; an error leaves the old one, or none."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        # a full disk, or a folder of that name: nothing is left lying about
        temporary.unlink(missing_ok=True)
        raise
