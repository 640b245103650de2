"""JSON lines read one at a time: a bad one is told and left out, a file of any length needs the memory of one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from data.prompts.reading import fail, unreadable

MAX_BYTES: Final = 1 << 24
"""Of one line; what is longer is a bad line, and no reason to hold it."""

_UTF8_MARK: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Line:
    """A line's number (from 1) and its JSON object, or why it is none (``wrong``, one line for people)."""

    number: int
    value: dict[str, Any]
    wrong: str | None = None


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a UTF-8 file, blank ones left out.

    Raises:
        InputError: the file cannot be read, or is UTF-16.
    """
    try:
        with path.open("rb") as file:
            if file.peek(2)[:2] in _UTF16_MARKS:
                fail(path, 1, "the file is UTF-16; save it as UTF-8")
            yield from _lines(file)
    except FileNotFoundError:
        fail(path, None, "no such file; check the path")
    except IsADirectoryError:
        fail(path, None, "this is a folder, a file is expected")
    except OSError as error:
        fail(path, None, f"cannot be read ({error.strerror or error})")


def _lines(file: IO[bytes]) -> Iterator[Line]:
    number = 0
    while raw := file.readline(MAX_BYTES + 1):
        number += 1
        if len(raw) > MAX_BYTES and not raw.endswith(b"\n"):
            yield Line(number, {}, f"more than {MAX_BYTES >> 20} MB on one line; is this JSON lines?")
            while (rest := file.readline(MAX_BYTES)) and not rest.endswith(b"\n"):
                pass
            continue
        text = (raw.removeprefix(_UTF8_MARK) if number == 1 else raw).rstrip()
        if text:
            yield _line(number, text)


def _line(number: int, raw: bytes) -> Line:
    try:
        value = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Line(number, {}, f"byte 0x{raw[error.start]:02x} is not UTF-8")
    except json.JSONDecodeError as error:
        return Line(number, {}, f"not JSON ({error.msg}, character {error.colno})")
    except (RecursionError, ValueError) as error:
        return Line(number, {}, f"JSON that cannot be read ({unreadable(error)})")
    if not isinstance(value, dict):
        return Line(number, {}, f"a JSON {_KINDS.get(type(value), 'value')}, an object expected")
    return Line(number, value)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_KINDS: Final[dict[type, str]] = {list: "list", str: "text", int: "number", float: "number", bool: "truth value"}
