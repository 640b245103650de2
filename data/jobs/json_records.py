"""JSON files of ours: records read back as they were written, and journals that grow by one object a line.

A record's file holds the fields of its dataclass; whatever else is in it is refused. A journal grows while long work is
done, so that nothing is done twice after a stop.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields
from pathlib import Path
from types import NoneType
from typing import Any, Final, NoReturn, Protocol, TypeVar

from data.files import fail, parse_json, printable, quoted, read_text

T = TypeVar("T")

_NUMBER: Final = (int, float)
# by how the fields of our records are declared; others are whoever made them's to check
_KINDS: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "str": ((str,), "a text"),
    "str | None": ((str, NoneType), "a text"),
    "int": ((int,), "a whole number"),
    "int | None": ((int, NoneType), "a whole number"),
    "float": (_NUMBER, "a number"),
    "Mapping[str, Any]": ((dict,), "an object"),
    "Mapping[str, str]": ((dict,), "an object"),
    "Sequence[str]": ((list, tuple), "a list"),
    "Sequence[Mapping[str, Any]]": ((list, tuple), "a list"),
}


def read_record(kind: type[T], path: Path) -> T:
    """The record in a file.

    Raises:
        ValueError: the file cannot be read, or holds something else.
    """
    return record_of(kind, parse_finite_json(path, 1, read_text(path)), str(path))


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


def record_of(kind: type[T], value: Any, where: str, **lists: Any) -> T:
    """A record of a JSON object; ``lists``: fields that were read apart. ``where``: for people.

    Raises:
        ValueError: a field is missing, unknown or of another kind.
    """

    def wrong(what: str) -> NoReturn:
        raise ValueError(f"{printable(where)}: {what}")

    if not isinstance(value, dict):
        wrong(f"found {quoted(value)}, an object expected")
    # the type is only known to be a dataclass by those who ask
    known: dict[str, Any] = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    for name in value:
        if name not in known:
            wrong(f"{quoted(name)} is nothing that is known here; was it written by another version of Concord?")
    for name, one in known.items():
        if name in lists:
            continue
        if name not in value:
            if one.default is MISSING and one.default_factory is MISSING:
                wrong(f"'{name}' is missing")
            continue
        if (why := _mismatch(one.type, value[name])) is not None:
            wrong(f"'{name}' is {quoted(value[name])}, {why} expected")
    return kind(**{**value, **lists})


def _mismatch(declared: str, found: Any) -> str | None:
    """What was expected instead; None if it is of that kind."""
    if declared not in _KINDS:
        return None
    kinds, name = _KINDS[declared]
    fits = isinstance(found, kinds) and not isinstance(found, bool)
    if fits and isinstance(found, float):
        fits = math.isfinite(found)
    if fits and declared in ("Mapping[str, str]", "Sequence[str]"):
        inner: Sequence[Any] = list(found.values()) if isinstance(found, dict) else found
        fits = all(isinstance(one, str) for one in inner)
    if fits and declared == "Sequence[Mapping[str, Any]]":
        fits = all(isinstance(one, dict) for one in found)
    return None if fits else name


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
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not isinstance(value := parse_json(path, number, line), dict):
            fail(path, number, "is not a JSON object; is this another file? Give the output another name, or move this file")
        found.append(value)
    return found


@contextmanager
def open_journal(path: Path) -> Iterator[AppendEntry]:
    """Add to such a file; what was cut off at its end goes.

    Raises:
        OSError: it cannot be written.
    """
    with path.open("a+b") as file:
        _drop_cut_line(file)

        def append(entry: Mapping[str, Any]) -> None:
            file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

        yield append


def _drop_cut_line(file: Any) -> None:
    file.seek(0)
    content = file.read()
    file.truncate(content.rfind(b"\n") + 1)
