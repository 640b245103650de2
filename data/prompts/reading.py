"""Reading text files that others wrote: strict UTF-8, and errors that name file, line and remedy in one line."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

MAX_PROBLEMS = 5
"""So many problems of one file are told at once: enough to see a pattern, few enough to read."""

_NAME_LIMIT = 100
MAX_FILE_BYTES = 1 << 30
"""So much of a text file is read: what is larger is no table of a study, and what is made of it would not fit into memory."""


class InputError(ValueError):
    """A file is not what it should be. The message is one line; ``problems`` holds its parts, ``FILE:LINE: what`` each."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))


@dataclass(slots=True)
class Problems:
    """Collects what is wrong with one file, so that nobody has to fix it line by line in as many attempts."""

    path: Path
    found: list[str] = field(default_factory=list)

    def add(self, line: int | None, what: str) -> None:
        """Note a problem.

        Raises:
            InputError: it was the last one worth telling.
        """
        self._add(located(self.path, line, what))

    def add_located(self, error: InputError) -> None:
        """Note problems that already say where they are."""
        for problem in error.problems:
            self._add(problem)

    def _add(self, problem: str) -> None:
        self.found.append(problem)
        if len(self.found) == MAX_PROBLEMS:
            raise InputError(*self.found[:-1], f"{problem} (and perhaps more: reading stopped here)")

    def check(self) -> None:
        """Raise what was found, if anything."""
        if self.found:
            raise InputError(*self.found)


def located(path: Path, line: int | None, what: str) -> str:
    return f"{printable(path)}:{line}: {what}" if line is not None else f"{printable(path)}: {what}"


def fail(path: Path, line: int | None, what: str) -> NoReturn:
    raise InputError(located(path, line, what))


def printable(value: object) -> str:
    """Text for a one-line message: control characters and undecodable bytes (file names may hold both) are escaped."""
    text = str(value).encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(value: object, limit: int = 60) -> str:
    """A value as found in a file, quoted, on one line and not longer than can be read."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def read_text(path: Path) -> str:
    """The file's text, decoded as UTF-8; a byte order mark is dropped. Line ends stay as they are.

    Raises:
        InputError: there is no such file, it is too large, or it is not UTF-8.
    """
    try:
        status = path.stat()  # before opening: opening a pipe would wait for ever, and a device never ends
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            fail(path, None, "not a regular file")
        if status.st_size > MAX_FILE_BYTES:
            fail(
                path,
                None,
                f"the file has {status.st_size / 1e6:,.0f} MB; at most {MAX_FILE_BYTES / 1e6:,.0f} are read: split it",
            )
        data = path.read_bytes()
    except FileNotFoundError:
        fail(path, None, "no such file; check the path")
    except IsADirectoryError:
        fail(path, None, "this is a folder, a file is expected")
    except OSError as error:
        fail(path, None, f"cannot be read ({error.strerror or error})")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        fail(path, 1, "the file is UTF-16; save it as UTF-8")
    if (nul := data.find(b"\0")) >= 0:
        fail(path, data.count(b"\n", 0, nul) + 1, "holds a NUL byte, which no text file does; is this the right file?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(path, line, f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8")


def check_name(name: str, what: str) -> str:
    """A name that becomes part of ids and addresses (a generator's, a suite's), unchanged.

    Raises:
        ValueError: it is empty, too long, or holds ``/`` or control characters.
    """
    if not name.strip():
        raise ValueError(f"{what} is empty; give it a name")
    if len(name) > _NAME_LIMIT:
        raise ValueError(f"{what} {quoted(name)} has {len(name)} characters; at most {_NAME_LIMIT} are allowed")
    if "/" in name or name != name.strip() or not name.isprintable():
        raise ValueError(f"{what} {quoted(name)} becomes part of ids and must not hold '/', control characters or outer spaces")
    return name


def parse_json(path: Path, line: int, text: str) -> Any:
    """One JSON value.

    Raises:
        InputError: it is not JSON, or not storable as UTF-8.
    """
    try:
        value = json.loads(text)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        fail(path, line + text.count("\n", 0, error.pos), f"not JSON ({error.msg}, character {error.colno})")
    except UnicodeEncodeError:
        fail(path, line, "holds half of a surrogate pair (\\ud800 to \\udfff), which is not text; remove it")
    except (RecursionError, ValueError) as error:
        fail(path, line, f"JSON that cannot be read ({unreadable(error)})")
    return value


def unreadable(error: Exception) -> str:
    """Why JSON that may be well-formed cannot be read, in words for people: Python's own are about Python."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "a number with too many digits" if "integer string" in str(error) else printable(error)


class JsonScanner:
    """Walks over a top-level JSON array or object and tells the line on which each entry begins."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text
        self._at = 0
        self._line = 1
        self._entered = False
        self._decoder = json.JSONDecoder()

    def array(self) -> Iterator[tuple[int, Any]]:
        """``(line, value)`` of each entry."""
        self._expect("[")
        while self._more("]"):
            line = self._line
            yield line, self._value()

    def object(self) -> Iterator[tuple[int, str, Any]]:
        """``(line, key, value)`` of each entry; a repeated key is not hidden."""
        self._expect("{")
        while self._more("}"):
            line = self._line
            key = self._value()
            if not isinstance(key, str):
                fail(self._path, line, f"not JSON: a key in double quotes expected, found {quoted(key)}")
            self._expect(":")
            yield line, key, self._value()

    def _more(self, end: str) -> bool:
        """Whether another entry follows; passes the comma before it, or the closing bracket and what must be nothing after."""
        found = self._peek()
        if found == end:
            self._move(self._at + 1)
            if rest := self._peek():
                fail(self._path, self._line, f"not JSON: {quoted(rest)} after the end")
            return False
        if self._entered:
            self._expect(",")
            self._peek()
        self._entered = True
        return True

    def _peek(self) -> str:
        at = self._at
        while at < len(self._text) and self._text[at] in " \t\r\n":
            at += 1
        self._move(at)
        return self._text[at : at + 1]

    def _expect(self, wanted: str) -> None:
        found = self._peek()
        if found != wanted:
            what = f"found {quoted(found)}" if found else "the file ends (is it cut off?)"
            fail(self._path, self._line, f"not JSON: '{wanted}' expected, {what}")
        self._move(self._at + 1)

    def _value(self) -> Any:
        self._peek()
        try:
            value, end = self._decoder.raw_decode(self._text, self._at)
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except json.JSONDecodeError as error:
            fail(self._path, self._text.count("\n", 0, error.pos) + 1, f"not JSON ({error.msg}, character {error.colno})")
        except UnicodeEncodeError:
            fail(self._path, self._line, "holds half of a surrogate pair (\\ud800 to \\udfff), which is not text; remove it")
        except (RecursionError, ValueError) as error:
            fail(self._path, self._line, f"JSON that cannot be read ({unreadable(error)})")
        self._move(end)
        return value

    def _move(self, to: int) -> None:
        self._line += self._text.count("\n", self._at, to)
        self._at = to
