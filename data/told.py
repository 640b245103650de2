"""JSON files of ours read back as the records that they were written from: whatever else stands there is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from types import NoneType
from typing import Any, Final, NoReturn, TypeVar

from data.prompts.reading import parse_json, printable, quoted, read_text

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


def read(kind: type[T], path: Path) -> T:
    """The record in a file.

    Raises:
        ValueError: the file cannot be read, or holds something else.
    """
    return of(kind, parse(path, 1, read_text(path)), str(path))


def parse(path: Path, line: int, text: str) -> Any:
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


def of(kind: type[T], value: Any, where: str, **lists: Any) -> T:
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
        if (why := _wrong(one.type, value[name])) is not None:
            wrong(f"'{name}' is {quoted(value[name])}, {why} expected")
    return kind(**{**value, **lists})


def _wrong(declared: str, found: Any) -> str | None:
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
