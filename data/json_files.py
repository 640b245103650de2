"""JSON files that others wrote, read entry by entry with errors of one line: lists and objects of any size, and JSON lines,
where a bad line is reported and left out and a file of any length needs the memory of one line.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from data.files import fail, printable, quoted, reading


def parse_json(path: Path, line: int, text: str) -> Any:
    """One JSON value.

    Raises:
        InputError: it is not JSON, or not storable as UTF-8.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        fail(path, line + text.count("\n", 0, error.pos), f"not JSON ({error.msg}, character {error.colno})")
    except (RecursionError, ValueError) as error:
        fail(path, line, f"JSON that cannot be read ({unreadable(error)})")
    _check_surrogates(path, line, value)
    return value


def _check_surrogates(path: Path, line: int, value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        fail(path, line, "holds half of a surrogate pair (\\ud800 to \\udfff), which is not text; remove it")


def unreadable(error: Exception) -> str:
    """Why JSON that may be well-formed cannot be read, in words for people: Python's own are about Python."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number with too many digits" if "integer string" in str(error) else printable(error)


def json_entries(path: Path, text: str) -> Iterator[tuple[int, int, Callable[[], Any]]]:
    """``(number, line, read)`` of each entry of a JSON array, or of JSON lines, where the number is the line's from 0.

    A line is parsed by ``read``, so that an error in one does not hide those in the next.
    """
    if text.lstrip().startswith("["):
        for number, (line, value) in enumerate(JsonStream.of_text(path, text).array()):
            yield number, line, lambda value=value: value  # type: ignore[misc]
        return
    # Not splitlines(): it also breaks at U+2028 and others, which may stand inside a text.
    for number, content in enumerate(text.split("\n")):
        if content.strip():
            yield number, number + 1, partial(parse_json, path, number + 1, content.removesuffix("\r"))


_PIECE: Final = 1 << 20
MAX_ENTRY_LENGTH: Final = 1 << 26
"""Characters of one entry at most; what is longer is not looked for to its end."""
LIST_START: Final = object()
"""In place of an entry, before the first of a list."""
_SPACE: Final = " \t\r\n"


class JsonStream:
    """Walks over a top-level JSON array or object, of which no more is held than the entry at hand; says where entries begin.

    All raise InputError where the text is not JSON, or one entry has more than ``MAX_ENTRY_LENGTH`` characters.
    """

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._decoder = json.JSONDecoder()
        # the piece at hand, where in it we are, how many characters were before it, and where the line began
        self._text, self._at, self._passed = "", 0, 0
        self._line, self._line_start = 1, 0

    @classmethod
    def of_text(cls, path: Path, text: str) -> JsonStream:
        """Over a text that was read already."""
        return cls(path, io.StringIO(text))

    def array(self) -> Iterator[tuple[int, Any]]:
        """``(line, value)`` of each entry."""
        for line in self._members("[", "]"):
            yield line, self._value()
        self._end()

    def object(self) -> Iterator[tuple[int, str, Any]]:
        """``(line, key, value)`` of each entry; a repeated key is not hidden."""
        for line in self._members("{", "}"):
            yield line, self._key(), self._value()
        self._end()

    def lists(self, wanted: Collection[str]) -> Iterator[tuple[str, Any]]:
        """``(key, entry)`` of each entry of the lists that an object holds under ``wanted``; other values are passed over.

        ``(key, LIST_START)`` comes before them, so that an empty list is seen, too.
        """
        for _ in self._members("{", "}"):
            key = self._key()
            listed = self._peek() == "["
            if key in wanted and not listed:
                fail(self._path, None, f"{quoted(key)} is {quoted(self._value())}, a list expected")
            if key in wanted:
                yield key, LIST_START
            if not listed:
                self._value()
                continue
            for _ in self._members("[", "]"):
                value = self._value()
                if key in wanted:
                    yield key, value
        self._end()

    def _members(self, start: str, end: str) -> Iterator[int]:
        """Stops at each member, behind its comma, with its line; passes both brackets."""
        self._take(start)
        if self._peek() != end:
            yield self._line
            while self._peek() == ",":
                self._take(",")
                self._peek()
                yield self._line
        self._take(end, f"',' or '{end}'")

    def _key(self) -> str:
        key = self._value()
        if not isinstance(key, str):
            self._wrong(f"a key in double quotes expected, found {quoted(key)}")
        self._take(":")
        return key

    def _end(self) -> None:
        if rest := self._peek():
            self._wrong(f"{quoted(rest)} after the end")

    def _take(self, sign: str, wanted: str = "") -> None:
        char = self._peek()
        if char != sign:
            problem = f"found {quoted(char)}" if char else "the file ends (is it cut off?)"
            self._wrong(f"{wanted or repr(sign)} expected, {problem}")
        self._move(self._at + 1)

    def _peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            at = self._at
            while at < len(self._text) and self._text[at] in _SPACE:
                at += 1
            self._move(at)
            if at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if len(self._text) - self._at <= MAX_ENTRY_LENGTH and self._more():
                    continue
                self._move(error.pos)
                self._wrong(error.msg)
            except (RecursionError, ValueError) as error:
                self._wrong(unreadable(error))
            # a number at the end of a piece may go on in the next
            cut = end == len(self._text) or self._text[end] in ".eE"
            if not cut or end - self._at > MAX_ENTRY_LENGTH or not self._more():
                if "\\u" in self._text[self._at : end]:
                    _check_surrogates(self._path, self._line, value)
                self._move(end)
                return value

    def _more(self) -> bool:
        """Read on; False at the end of the file. As much again as is kept, so that a long entry is not tried often."""
        piece = self._file.read(max(_PIECE, len(self._text) - self._at))
        if piece:
            self._passed += self._at
            self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def _move(self, to: int) -> None:
        if n := self._text.count("\n", self._at, to):
            self._line += n
            self._line_start = self._passed + self._text.rindex("\n", self._at, to) + 1
        self._at = to

    def _wrong(self, problem: str) -> NoReturn:
        column = self._passed + self._at - self._line_start + 1
        fail(self._path, self._line, f"not JSON ({problem}, character {column:,})")


MAX_LINE_BYTES: Final = 1 << 24
"""Of one line; what is longer is a bad line, and no reason to hold it."""

_UTF8_MARK: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line's number (from 1) and its JSON object, or why it is none (``wrong``, one line for people)."""

    number: int
    value: dict[str, Any]
    wrong: str | None = None


def read_json_lines(path: Path) -> Iterator[JsonLine]:
    """The lines of a UTF-8 file, blank ones left out.

    Raises:
        InputError: the file cannot be read, or is UTF-16.
    """
    with reading(path), path.open("rb") as file:
        if file.peek(2)[:2] in _UTF16_MARKS:
            fail(path, 1, "the file is UTF-16; save it as UTF-8")
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
                yield JsonLine(number, {}, f"more than {MAX_LINE_BYTES >> 20} MB on one line; is this JSON lines?")
                while (rest := file.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                continue
            text = (raw.removeprefix(_UTF8_MARK) if number == 1 else raw).rstrip()
            if text:
                yield _json_line(number, text)


def _json_line(number: int, raw: bytes) -> JsonLine:
    try:
        value = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return JsonLine(number, {}, f"byte 0x{raw[error.start]:02x} is not UTF-8")
    except json.JSONDecodeError as error:
        return JsonLine(number, {}, f"not JSON ({error.msg}, character {error.colno})")
    except (RecursionError, ValueError) as error:
        return JsonLine(number, {}, f"JSON that cannot be read ({unreadable(error)})")
    if not isinstance(value, dict):
        return JsonLine(number, {}, f"a JSON {_KINDS.get(type(value), 'value')}, an object expected")
    return JsonLine(number, value)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_KINDS: Final[dict[type, str]] = {list: "list", str: "text", int: "number", float: "number", bool: "truth value"}
