"""Text files in the encodings in which spreadsheets save them: UTF-8, UTF-16 and, where nothing else fits, Windows-1252.

An 8-bit encoding does not say what it is. Text is taken for Windows-1252 only where Windows' encodings of Western and Central
Europe read the same letters, so that no word is read wrongly; in other files the user names it.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from data.files import fail, printable, read_bytes

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8", ""),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_CANDIDATES: Final = ("cp1252", "cp1250", "cp1251", "mac-roman", "gb18030", "shift-jis", "euc-kr")
_LONG_RUN: Final = re.compile(r"[^\x00-\x7f]{3}")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST_NUL_SHARE: Final = 0.3
"""Of every second byte of UTF-16 without a mark, where most letters are ASCII."""


_PUNCTUATION: Final = frozenset("‘’“”–—…•€")
_INSIDE_WORD: Final = re.compile(r"(?<=[^\W\d_])[‘’“”–—…•€](?=[^\W\d_])")
_CONTRACTION: Final = re.compile(r"(?:(?<=n)’(?=t\b)|(?<=[^\W\d_]{3})’(?=s\b)|(?<=[^\W\d_])’(?=(?:re|ve|ll)\b))", re.IGNORECASE)


def _safe_signs() -> frozenset[str]:
    """Return the signs beyond ASCII that are taken for Windows-1252: its Central European neighbour has them at the same
    place, and a Mac no letter that makes a word."""
    upper = [bytes([code]) for code in range(0xA0, 0x100)]
    both = {sign.decode("cp1252") for sign in upper if sign.decode("cp1252") == sign.decode("cp1250")}
    # two signs that are no letters may be one of Chinese
    return _PUNCTUATION | {"\u00a0"} | {sign for sign in both if sign.isalpha()}


_SAFE: Final = _safe_signs()


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A file's text; ``encoding``: its name for people where it is not UTF-8, else empty."""

    text: str
    encoding: str = ""


def read_decoded(path: Path, encoding: str | None = None) -> DecodedText:
    """Read a text in the encoding that it has; ``encoding`` is the user's word for it.

    Raises:
        InputError: it cannot be read, has no such encoding, or one that nobody can tell from the file alone.
    """
    data = read_bytes(path)
    if encoding is not None:
        codec = _codec(path, encoding)
        return DecodedText(_decode(path, data, codec), "" if codec == "utf-8" else encoding)
    for mark, name, label in _MARKS:
        if data.startswith(mark):
            return DecodedText(_decode(path, data.removeprefix(mark), name), label)
    if (unmarked := _unmarked_utf16(data)) is not None:
        return DecodedText(_decode(path, data, unmarked), "UTF-16")
    if (nul := data.find(b"\0")) >= 0:
        fail(path, data.count(b"\n", 0, nul) + 1, "holds a NUL byte, which no text file does; is this the right file?")
    try:
        return DecodedText(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        where = error.start
    text = data.decode("cp1252", "replace")
    if not _is_western(text):
        _refuse(path, data, where)
    return DecodedText(text, "Windows-1252")


def _refuse(path: Path, data: bytes, where: int) -> NoReturn:
    """Refuse a file whose encoding cannot be told, with what some encodings make of the word at this place."""
    line = data.count(b"\n", 0, where) + 1
    begin, end = data.rfind(b"\n", 0, where) + 1, data.find(b"\n", where)
    readings = _readings(data[begin : end if end >= 0 else len(data)], where - begin)
    how = f"; name the encoding: {readings}" if readings else ""
    fail(path, line, f"byte 0x{data[where]:02x} is not UTF-8; save the file as UTF-8{how}")


def _codec(path: Path, encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, ValueError):
        fail(path, None, f"--encoding {printable(encoding)[:40]}: no such encoding; known are utf-8, {', '.join(_CANDIDATES)}")
    return name


def _decode(path: Path, data: bytes, codec: str) -> str:
    try:
        text = data.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(path, line, f"byte 0x{data[error.start]:02x} is not {codec.upper()}; save the file as UTF-8")
    if "\0" in text:
        fail(path, None, "holds a NUL character, which no text file does; is this the right file?")
    return text


def _unmarked_utf16(data: bytes) -> str | None:
    start = data[:4096]
    half = max(len(start) // 2, 1)
    even, odd = start[::2].count(0) / half, start[1::2].count(0) / half
    if odd > _LEAST_NUL_SHARE and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > _LEAST_NUL_SHARE and odd == 0 else None


def _is_western(text: str) -> bool:
    """Return True if every sign beyond ASCII is one of the safe ones, in words as Western languages have them: with ASCII
    letters among them, and never three other letters in a row."""
    if not {c for c in text if not c.isascii()} <= _SAFE or _INSIDE_WORD.search(_CONTRACTION.sub("'", text)):
        return False
    for word in set(_WORD.findall(text)):
        beyond = sum(not c.isascii() for c in word)
        if (
            len(word) > 1
            and beyond
            and (beyond == len(word) or _LONG_RUN.search(word) or not (word[1:].islower() or word.isupper()))
        ):
            return False
    return True


def _readings(line: bytes, where: int) -> str:
    """Return what some encodings make of the word around a byte, as options."""
    readings: dict[str, str] = {}
    for name in _CANDIDATES:
        try:
            text = line.decode(name)
        except UnicodeDecodeError:
            continue
        start = len(line[:where].decode(name, "ignore"))
        word = next((m[0] for m in re.finditer(r"[^\s,;\t|]+", text) if m.end() > start), "")
        readings.setdefault(printable(word)[:30], name)
    return ", ".join(f"--encoding {name} reads {word!r}" for word, name in list(readings.items())[:4])
