"""JSON files of ours: records read back as they were written, and journals that grow by one object a line.

A record's file holds the fields of its dataclass; whatever else is in it is refused. A journal grows while long work is
done, so that nothing is done twice after a stop.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from data.files import fail, printable, read_text
from data.json_files import parse_json
from data.validation import record_of

T = TypeVar("T")


def read_record(kind: type[T], path: Path) -> T:
    """The record in a file.

    Raises:
        ValueError: the file cannot be read, or holds something else.
    """
    return parse_record(kind, path, 1, read_text(path))


def parse_record(kind: type[T], path: Path, line: int, text: str) -> T:
    """The record of this kind (a dataclass) that a line of a file holds.

    Raises:
        ValueError: a field is missing, unknown or of another kind.
    """
    value = parse_finite_json(path, line, text)
    try:
        return record_of(kind, value)
    except ValueError as error:
        raise ValueError(f"{printable(path)}:{line}: {error}") from None


def parse_finite_json(path: Path, line: int, text: str) -> Any:
    """JSON without NaN and infinities, which we never write.

    Raises:
        ValueError: it is none.
    """
    value = parse_json(path, line, text)
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise ValueError(f"{printable(path)}:{line}: holds a number that is not finite") from None
    return value


class AppendEntry(Protocol):
    """Adds one object; it is on disk when the call returns."""

    def __call__(self, entry: Mapping[str, Any]) -> None: ...


def read_journal(path: Path) -> list[dict[str, Any]]:
    """All objects so far, in order; none if there is no such file. A last line that was cut off is passed over.

    Raises:
        InputError: another line is not a JSON object; this is some other file.
    """
    if not path.exists():
        return []
    *lines, _cut = read_text(path).split("\n")
    entries: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not isinstance(value := parse_json(path, number, line), dict):
            fail(path, number, "is not a JSON object; is this another file? Give the output another name, or move this file")
        entries.append(value)
    return entries


@contextmanager
def open_journal(path: Path) -> Iterator[AppendEntry]:
    """Add to such a file; what was cut off at its end goes.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("a+b") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)

        def append(entry: Mapping[str, Any]) -> None:
            file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

        yield append
