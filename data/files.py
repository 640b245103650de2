"""Files, read strictly and written whole: text files that others wrote, and files of ours that are there entirely or not at
all.

Reading: strict UTF-8, and errors that name file, line and remedy in one line. Writing: on disk before the file has its name.
``data.json_files`` reads JSON, ``data.tables`` CSV and Parquet.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, NoReturn

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

    def add(self, line: int | None, problem: str) -> None:
        """Note a problem.

        Raises:
            InputError: it was the last one worth telling.
        """
        self._add(located(self.path, line, problem))

    @contextmanager
    def at(self, line: int | None, about: str = "") -> Iterator[None]:
        """Note what is wrong with an entry that is read meanwhile, so that the next ones are read, too; ``about``: its name.

        Raises:
            InputError: it was the last one worth telling.
        """
        try:
            yield
        except InputError as error:
            # they say where they are
            for problem in error.problems:
                self._add(problem)
        except ValueError as error:
            self.add(line, printable(f"{about}{error}"))

    def _add(self, problem: str) -> None:
        self.found.append(problem)
        if len(self.found) == MAX_PROBLEMS:
            raise InputError(*self.found[:-1], f"{problem} (and perhaps more: reading stopped here)")

    def check(self) -> None:
        """Raise what was found, if anything."""
        if self.found:
            raise InputError(*self.found)


@dataclass(slots=True)
class Omissions:
    """What a reader leaves out of one file (``left``), and what it reads in another way than it is written (``notes``)."""

    path: Path
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def at(self, line: int | None, about: str = "") -> Iterator[None]:
        """Leave out the entry that is being read if it is flawed; ``about``: its name."""
        try:
            yield
        except InputError as error:
            self.left += error.problems
        except ValueError as error:
            self.left_out(line, printable(f"{about}{error}"))

    def left_out(self, line: int | None, problem: str) -> None:
        """Add a line about what is left out."""
        self.left.append(located(self.path, line, problem))

    def note(self, line: int | None, text: str) -> None:
        """Add a line about what is read otherwise."""
        self.notes.append(located(self.path, line, text))

    def check(self) -> None:
        """Raise what was left out, if anything, for readers that need the whole file."""
        if len(self.left) > MAX_PROBLEMS:
            raise InputError(
                *self.left[: MAX_PROBLEMS - 1], f"{self.left[MAX_PROBLEMS - 1]} (and {len(self.left) - MAX_PROBLEMS} more)"
            )
        if self.left:
            raise InputError(*self.left)


class Consistency:
    """One item, rater or scale must be the same in all rows of a file."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], tuple[int, Mapping[str, str | None]]] = {}

    def check(self, line: int, label: str, name: str, now: Mapping[str, str | None]) -> None:
        """Compare what a row says of ``name`` (of the kind ``label``), by column, with what the first row said of it.

        Raises:
            ValueError: it is something else.
        """
        first, before = self._first.setdefault((label, name), (line, now))
        for column, value in now.items():
            if value != before[column]:
                raise ValueError(
                    f"{label} {quoted(name)} has {quoted(column)} {quoted(value or '')} here, but"
                    f" {quoted(before[column] or '')} on line {first}; it must be the same on all lines"
                )


def located(path: Path, line: int | None, problem: str) -> str:
    return f"{printable(path)}:{line}: {problem}" if line is not None else f"{printable(path)}: {problem}"


def fail(path: Path, line: int | None, problem: str) -> NoReturn:
    raise InputError(located(path, line, problem))


def printable(value: object) -> str:
    """Text for a one-line message: control characters and undecodable bytes (file names may hold both) are escaped."""
    text = str(value).encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(value: object, limit: int = 60) -> str:
    """A value as found in a file, quoted, on one line and not longer than can be read."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in one line what keeps a file from being read.

    Raises:
        InputError: there is no such file, it is a folder, the system does not give it, or it is no text in UTF-8 where one is
            read.
    """
    try:
        yield
    except FileNotFoundError:
        fail(path, None, "no such file; check the path")
    except IsADirectoryError:
        fail(path, None, "this is a folder, a file is expected")
    except OSError as error:
        fail(path, None, f"cannot be read ({error.strerror or error})")
    except UnicodeDecodeError as error:
        fail(path, None, f"is not a text in UTF-8 (byte 0x{error.object[error.start]:02x}); is this the right file?")


def beginning_of(path: Path) -> bytes:
    """How a file begins, without a byte order mark and white space: it tells Parquet (``PAR1``), JSON and text apart.

    Raises:
        InputError: it cannot be read.
    """
    with reading(path), path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()


def read_bytes(path: Path) -> bytes:
    """Return what is in a text file.

    Raises:
        InputError: there is no such file, or it is too large.
    """
    with reading(path):
        status = path.stat()  # before opening: opening a pipe would wait for ever, and a device never ends
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            fail(path, None, "not a regular file")
        if status.st_size > MAX_FILE_BYTES:
            size, most = status.st_size / 1e6, MAX_FILE_BYTES / 1e6
            fail(path, None, f"the file has {size:,.0f} MB; at most {most:,.0f} are read: split it")
        return path.read_bytes()


def read_text(path: Path) -> str:
    """The file's text, decoded as UTF-8; a byte order mark is dropped. Line ends stay as they are.

    Raises:
        InputError: there is no such file, it is too large, or it is not UTF-8.
    """
    data = read_bytes(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        fail(path, 1, "the file is UTF-16; save it as UTF-8")
    if (nul := data.find(b"\0")) >= 0:
        fail(path, data.count(b"\n", 0, nul) + 1, "holds a NUL byte, which no text file does; is this the right file?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(path, line, f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8")


def check_name(name: str, label: str) -> str:
    """A name that becomes part of ids and addresses (a generator's, a suite's), unchanged.

    Raises:
        ValueError: it is empty, too long, or holds ``/`` or control characters.
    """
    if not name.strip():
        raise ValueError(f"{label} is empty; give it a name")
    if len(name) > _NAME_LIMIT:
        raise ValueError(f"{label} {quoted(name)} has {len(name)} characters; at most {_NAME_LIMIT} are allowed")
    if "/" in name or name != name.strip() or not name.isprintable():
        raise ValueError(
            f"{label} {quoted(name)} becomes part of ids and must not hold '/', control characters or outer spaces"
        )
    return name


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


_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.@=-]*(/[A-Za-z0-9][A-Za-z0-9.@=-]*)*")


def safe_file_name(name: str) -> str:
    """A file's name for a name: readable where it can be, and never another folder's or another name's file."""
    if _PLAIN_NAME.fullmatch(name):
        return name.replace("/", "_")
    readable = re.sub(r"[^A-Za-z0-9.@=-]+", "_", name).strip("._")[:80]
    return f"{readable}_{hashlib.sha256(name.encode()).hexdigest()[:12]}"
