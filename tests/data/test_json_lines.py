"""JSON lines: what is good is read whatever stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from data import json_files
from data.files import InputError
from data.json_files import JsonLine, read_json_lines


def written(folder: Path, content: bytes) -> Path:
    path = folder / "some.jsonl"
    path.write_bytes(content)
    return path


def test_good_lines_are_read_between_bad_ones(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbf{"a": 1}\r\n\n   \n{"a": \n[1, 2]\nnull\n{"a": "\xff"}\n{"a": NaN}\n{"a": -Infinity}\n{"b": {}}'
    assert list(read_json_lines(written(tmp_path, content))) == [
        JsonLine(1, {"a": 1}),
        JsonLine(4, {}, "not JSON (Expecting value, character 6)"),
        JsonLine(5, {}, "a JSON list, an object expected"),
        JsonLine(6, {}, "a JSON value, an object expected"),
        JsonLine(7, {}, "byte 0xff is not UTF-8"),
        JsonLine(8, {}, "JSON that cannot be read (NaN is no number)"),
        JsonLine(9, {}, "JSON that cannot be read (-Infinity is no number)"),
        JsonLine(10, {"b": {}}),
    ]


def test_a_line_too_long_or_too_deep_is_a_single_bad_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "MAX_LINE_BYTES", 1 << 20)
    long = b'{"a": "' + b"x" * (3 << 20) + b'"}\n'
    deep = b'{"a": ' + b"[" * 100_000 + b"\n"
    digits = b'{"a": ' + b"1" * 10_000 + b"}\n"
    json_lines = list(read_json_lines(written(tmp_path, long + b'{"a": 1}\n' + deep + digits + b'{"a": 2}\n')))
    assert [line.number for line in json_lines] == [1, 2, 3, 4, 5]
    assert [line.value for line in json_lines if line.wrong is None] == [{"a": 1}, {"a": 2}]
    assert json_lines[0].wrong == "more than 1 MB on one line; is this JSON lines?"
    assert json_lines[2].wrong is not None
    assert json_lines[3].wrong is not None


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_json_lines(tmp_path / "none"))
    with pytest.raises(InputError, match="this is a folder"):
        list(read_json_lines(tmp_path))
    with pytest.raises(InputError, match="UTF-16"):
        list(read_json_lines(written(tmp_path, '{"a": 1}\n'.encode("utf-16"))))
    assert list(read_json_lines(written(tmp_path, b""))) == []


def test_only_a_line_at_a_time_is_in_memory(tmp_path: Path) -> None:
    path = written(tmp_path, b'{"a": 1}\n' * 3)
    json_lines = read_json_lines(path)
    assert next(json_lines) == JsonLine(1, {"a": 1})
    # what follows is read when it is asked for
    with path.open("ab") as file:
        file.write(b'{"a": 2}\n' * 200_000)
    assert sum(1 for _ in json_lines) == 200_002
