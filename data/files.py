"""Files that are whole or not there at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

_BLOCK: Final = 1 << 20


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


def on_disk(path: Path) -> None:
    """Wait until a file's bytes, or a folder's names, are on disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        if path.is_dir():
            # no folder can be opened on Windows, whose file system keeps names by itself
            return
        raise
    try:
        os.fsync(descriptor)
    except OSError:
        # some network disks cannot, for folders
        if not path.is_dir():
            raise
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes, hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
