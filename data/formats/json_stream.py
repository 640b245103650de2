"""A JSON object too large to hold: the entries of its lists, one at a time.

The text is read in pieces, and of it no more is kept than the entry at hand.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn, TextIO

from data.prompts.reading import fail, quoted, unreadable

_PIECE: Final = 1 << 20
MOST: Final = 1 << 26
"""Characters of one entry at most; what is longer is not looked for to its end."""
START: Final = object()
"""In place of an entry, before the first of a list."""
_SPACE: Final = " \t\r\n"


def entries(path: Path, wanted: Collection[str]) -> Iterator[tuple[str, Any]]:
    """``(key, entry)`` of each entry of the lists that the file's one object holds under ``wanted``, in the file's order.

    ``(key, START)`` comes before them, so that an empty list is seen, too. Other values are passed over.

    Raises:
        InputError: the file cannot be read, is no such object, holds something else than a list under a wanted key, or one
            entry of more than MOST characters.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Stream(path, file).entries(wanted)
    except UnicodeDecodeError as error:
        fail(path, None, f"is not a text in UTF-8 (byte 0x{error.object[error.start]:02x}); is this the right file?")
    except OSError as error:
        fail(path, None, f"cannot be read ({error.strerror or error})")


class _Stream:
    """A place in a text that is read in pieces."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._decoder = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._passed = 0

    def entries(self, wanted: Collection[str]) -> Iterator[tuple[str, Any]]:
        if self._peek() != "{":
            fail(self._path, None, f"holds no JSON object, it begins with {quoted(self._peek())}")
        for _ in self._members("}"):
            key = self._value()
            if not isinstance(key, str):
                self._wrong(f"a key expected, found {quoted(key)}")
            self._take(":")
            listed = self._peek() == "["
            if key in wanted and not listed:
                fail(self._path, None, f"{quoted(key)} is {quoted(self._value())}, a list expected")
            if key in wanted:
                yield key, START
            if not listed:
                self._value()
                continue
            for _ in self._members("]"):
                value = self._value()
                if key in wanted:
                    yield key, value
        if rest := self._peek():
            self._wrong(f"{quoted(rest)} after the end")

    def _members(self, end: str) -> Iterator[None]:
        """Stops at each member of an object or a list, behind its comma; passes both brackets."""
        self._at += 1
        if self._peek() != end:
            yield
            while self._peek() == ",":
                self._at += 1
                yield
        self._take(end)

    def _take(self, sign: str) -> None:
        found = self._peek()
        if found != sign:
            self._wrong(f"'{sign}' expected, " + (f"found {quoted(found)}" if found else "the file ends (is it cut off?)"))
        self._at += 1

    def _peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if len(self._text) - self._at <= MOST and self._more():
                    continue
                self._wrong(error.msg, error.pos)
            except (RecursionError, ValueError) as error:
                self._wrong(unreadable(error))
            # a number at the end of a piece may go on in the next
            cut = end == len(self._text) or self._text[end] in ".eE"
            if not cut or end - self._at > MOST or not self._more():
                self._at = end
                return value

    def _more(self) -> bool:
        """Read on; False at the end of the file. As much again as is kept, so that a long entry is not tried often."""
        piece = self._file.read(max(_PIECE, len(self._text) - self._at))
        if piece:
            self._passed += self._at
            self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def _wrong(self, what: str, place: int | None = None) -> NoReturn:
        where = self._passed + (self._at if place is None else place) + 1
        fail(self._path, None, f"not JSON ({what}, character {where:,})")
