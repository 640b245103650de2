"""What a reader may do with a wrong file: read it, or say in one line that a person understands what is wrong. Nothing else."""

from __future__ import annotations

import ast
import re
import signal
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from data.files import InputError

ROOT: Final = Path(__file__).resolve().parents[2]
HANG: Final = 5.0
"""Seconds at work after which a reader hangs."""
_STUCK: Final = 90.0
"""Seconds after which one that waits does; much, as a busy machine makes everybody wait."""
LONGEST: Final = 500
"""Characters of what is wrong with one place of a file."""
_OURS: Final = ("agreement", "annotation", "concord", "data", "scorers", "ui")
_NONSENSE: Final = re.compile(
    r"invalid literal|codec can't|has no attribute|object is not|unhashable|not subscriptable|unsupported operand"
    r"|positional argument|keyword argument|cannot convert|not supported between|list index|tuple index|string index"
    r"|must be str|must be int|NoneType|Traceback|<object|0x[0-9a-f]{8,}|Errno 22|embedded null|duckdb\.|pyarrow\."
    r"|set_int_max_str_digits|out of range for|not enough values|too many values|unexpected keyword"
)
"""Words of Python's own that tell a person nothing about their file."""


class Hang(BaseException):
    """A reader that did not come back; no ``except Exception`` holds it."""


class Unexpected(Exception):
    """What a reader must not do; the message says what it did."""


def wrong_with(error: BaseException, promised: tuple[type[BaseException], ...]) -> str | None:
    """Why this is no answer to a wrong file; None if it is one that a reader may give.

    It may raise what it promises, by a ``raise`` of its own: what a library raised on the way knows nothing of the file.
    """
    if isinstance(error, Unexpected):
        return _short(error)
    kind = type(error).__name__
    if isinstance(error, Hang):
        return f"hangs: {error}"
    if not isinstance(error, promised):
        return f"{kind} escapes: {_short(error)}"
    if not _is_deliberate(error):
        return f"{kind} of somebody else's: {_short(error)}"
    # a command passes on what a reader found, several problems in one line
    several = next((exception.problems for exception in (error, error.__cause__) if isinstance(exception, InputError)), None)
    for problem in several or (str(error),):
        if why := wrong_with_words(problem):
            return f"{kind}: {why}: {_short(problem)}"
    return None


def wrong_with_words(text: str, longest: int = LONGEST) -> str | None:
    """Why a message is none for people; None if it is one. The folder that the case lies in does not count."""
    told = text.replace(str(_here.folder), "")
    if not told.strip():
        return "says nothing"
    if len(told.splitlines()) > 1:
        return "several lines"
    if len(told) > longest:
        return f"{len(told)} characters"
    if match := _NONSENSE.search(told):
        return f"Python's own words ({match[0]})"
    try:
        told.encode()
    except UnicodeEncodeError:
        return "cannot be printed"
    return None


def check_message(text: str, longest: int = LONGEST) -> None:
    """Check what a reader says without raising it.

    Raises:
        Unexpected: it is no message for people.
    """
    if why := wrong_with_words(text, longest):
        raise Unexpected(f"{why}: {_short(text)}")


class _Here:
    """Where the case at hand lies."""

    folder: Path | str = "\0"


_here = _Here()


@contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Messages name the case's folder meanwhile."""
    _here.folder = folder
    try:
        yield
    finally:
        _here.folder = "\0"


@contextmanager
def time_limit() -> Iterator[None]:
    """Raises ``Hang`` in what takes too long."""

    def over(number: int, frame: types.FrameType | None) -> None:
        where = f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "?"
        raise Hang(f"more than {HANG if number == signal.SIGPROF else _STUCK:g} s, in {where}")

    before = {one: signal.signal(one, over) for one in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, HANG)
    signal.setitimer(signal.ITIMER_REAL, _STUCK)
    try:
        yield
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)
        for signals, handler in before.items():
            signal.signal(signals, handler)


def error_location(error: BaseException) -> str:
    """Where it came from, as far as that is ours: the last line of ours that it went through."""
    frames = [frame for frame in _frames(error) if _is_ours(frame.tb_frame.f_code.co_filename)]
    if not frames:
        return "?"
    last = frames[-1]
    return f"{Path(last.tb_frame.f_code.co_filename).relative_to(ROOT)}:{last.tb_lineno}"


def _frames(error: BaseException) -> list[types.TracebackType]:
    results, at = [], error.__traceback__
    while at is not None:
        results.append(at)
        at = at.tb_next
    return results


def _is_ours(file: str) -> bool:
    path = Path(file)
    return path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in _OURS


def _is_deliberate(error: BaseException) -> bool:
    frames = _frames(error)
    if not frames:
        return False
    last = frames[-1]
    return _is_ours(last.tb_frame.f_code.co_filename) and last.tb_lineno in _raises(last.tb_frame.f_code.co_filename)


@cache
def _raises(file: str) -> frozenset[int]:
    """The lines of a file that belong to a ``raise``."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    nodes: list[Any] = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return frozenset(line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _short(label: object) -> str:
    text = " ".join(str(label).encode("utf-8", "backslashreplace").decode().split())
    return text if len(text) < 300 else text[:299] + "…"


# deep files are read as deep in a test as at the command line
assert sys.getrecursionlimit() >= 1000
