"""Files that grow by one JSON object a line while long work is done, so that nothing is done twice after a stop."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from data.prompts.reading import fail, parse_json, read_text


class Append(Protocol):
    """Adds one object; it is on disk when the call returns."""

    def __call__(self, entry: Mapping[str, Any]) -> None: ...


def read_journal(path: Path) -> list[dict[str, Any]]:
    """All objects so far, in order; none if there is no such file. A last line that was cut off is passed over.

    Raises:
        InputError: another line is no JSON object; this is some other file.
    """
    if not path.exists():
        return []
    *lines, _cut = read_text(path).split("\n")
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not isinstance(value := parse_json(path, number, line), dict):
            fail(path, number, "is no JSON object; is this another file? Give the output another name, or move this file")
        found.append(value)
    return found


@contextmanager
def appending(path: Path) -> Iterator[Append]:
    """Add to such a file; what was cut off at its end goes.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("a+b") as file:
        _end_with_a_line(file)

        def append(entry: Mapping[str, Any]) -> None:
            file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

        yield append


def _end_with_a_line(file: Any) -> None:
    file.seek(0)
    content = file.read()
    file.truncate(content.rfind(b"\n") + 1)
