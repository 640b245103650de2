"""Files that are whole or not there at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """On disk before it has its name: a crash leaves the old file, or none."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        # a full disk, or a folder of that name: nothing is left lying about
        temporary.unlink(missing_ok=True)
        raise
