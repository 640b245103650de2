"""Results are computed once for all who ask, are those of today, and have room for so many."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data.cache import Results, cached_by_stamp


def test_those_who_wait_for_a_computation_that_fails_try_themselves() -> None:
    results: Results[int] = Results(4)
    tries: list[int] = []
    everybody = threading.Barrier(4)

    def compute() -> int:
        tries.append(1)
        time.sleep(0.05)
        if len(tries) < 3:
            raise OSError("not yet")
        return 7

    def ask(_: int) -> int | None:
        everybody.wait()
        try:
            return results.get("call", "1", compute)
        except OSError:
            return None

    with ThreadPoolExecutor(4) as threads:
        given = list(threads.map(ask, range(4)))
    assert sorted(given, key=str) == [7, 7, None, None]
    assert len(tries) == 3
    assert results.get("call", "1", lambda: 8) == 7


def test_none_is_a_result_too() -> None:
    results: Results[int | None] = Results(4)
    assert results.get("call", "1", lambda: None) is None
    assert results.get("call", "1", lambda: 8) is None


def test_of_too_many_the_one_asked_for_longest_ago_goes() -> None:
    results: Results[str] = Results(2)
    for call in ("a", "b", "a", "c"):
        results.get(call, "1", lambda: "first")
    assert [results.get(call, "1", lambda: "second") for call in ("a", "c", "b")] == ["first", "first", "second"]


def test_of_a_call_one_version_is_kept() -> None:
    results: Results[list[str]] = Results(9)
    results.get("call", "1", lambda: ["of 1"])
    results.get("call", "2", lambda: ["of 2"])
    assert results.get("call", "1", lambda: ["again"]) == ["again"], "what has passed takes no room"


@cached_by_stamp(maxsize=4)
def first_word(path: Path, separator: str = " ") -> str:
    READ.append(path)
    return path.read_text("utf-8").split(separator)[0]


READ: list[Path] = []


def test_a_file_is_read_again_when_it_was_written_or_exchanged(tmp_path: Path) -> None:
    READ.clear()
    path = tmp_path / "a.txt"
    path.write_text("one two", "utf-8")
    assert [first_word(path), first_word(path), first_word(path, "o")] == ["one", "one", ""]
    assert len(READ) == 2
    path.write_text("three", "utf-8")
    assert first_word(path) == "three"
    # another file of the same size and time in its place
    about = path.stat()
    other = tmp_path / "b.txt"
    other.write_text("seven", "utf-8")
    os.utime(other, ns=(about.st_atime_ns, about.st_mtime_ns))
    other.replace(path)
    assert first_word(path) == "seven"
    path.unlink()
    with pytest.raises(FileNotFoundError):
        first_word(path)


def test_several_files_are_read_together_until_one_changes(tmp_path: Path) -> None:
    reads: list[int] = []

    @cached_by_stamp(maxsize=4)
    def joined(paths: tuple[Path, ...]) -> str:
        reads.append(1)
        return "".join(path.read_text("utf-8") for path in paths)

    paths = tmp_path / "a", tmp_path / "b"
    for path in paths:
        path.write_text(path.name, "utf-8")
    assert [joined(paths), joined(paths), joined(paths[:1])] == ["ab", "ab", "a"]
    paths[1].write_text("c!", "utf-8")
    assert joined(paths) == "ac!"
    assert len(reads) == 3


def test_what_was_read_while_a_file_was_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old", "utf-8")
    writing = [True]

    @cached_by_stamp(maxsize=4)
    def text(path: Path) -> str:
        content = path.read_text("utf-8")
        if writing.pop() if writing else False:
            path.write_text("newer", "utf-8")
        return content

    assert [text(path), text(path)] == ["old", "newer"]
