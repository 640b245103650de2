"""Lists of a large JSON object, entry by entry: as the standard library reads it whole, however the pieces fall."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data import json_files
from data.files import InputError
from data.json_files import LIST_START, JsonStream

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text('ab"\\ ', max_size=3), below, max_size=3),
    max_leaves=12,
)


def read(path: Path, *wanted: str) -> list[tuple[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return list(JsonStream(path, file).lists(wanted))


@settings(deadline=None)
@given(
    content=st.dictionaries(st.sampled_from("abcd"), st.lists(VALUES, max_size=5), max_size=4),
    other=VALUES,
    piece=st.integers(1, 9),
    indent=st.sampled_from([None, 2]),
)
def test_entries_equal_those_of_json_loads(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, list[Any]], other: Any, piece: int, indent: int | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "stream.json"
    path.write_text(json.dumps({"first": other, **content, "last": other}, indent=indent), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_files, "_PIECE", piece)
        results = read(path, "a", "c")
    assert results == [(key, entry) for key in content if key in "ac" for entry in (LIST_START, *content[key])]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", ":1: not JSON ('{' expected, the file ends (is it cut off?), character 1)"),
        ("[1]", "'{' expected, found '['"),
        ("<html>", "'{' expected, found '<'"),
        ('{"a": [1, 2', "',' or ']' expected, the file ends (is it cut off?), character 12"),
        ('{"a": [1,]}', "Expecting value, character 10"),
        ('{"a": [1] "b": 2}', "',' or '}' expected, found '\"', character 11"),
        ('{"a" 1}', "':' expected, found '1', character 6"),
        ('{1: 2}', "a key in double quotes expected, found 1"),
        ('{"a": []} x', "'x' after the end, character 11"),
        ('{"a": {"b": 1}}', "'a' is {'b': 1}, a list expected"),
        ('{"b": "half', "Unterminated string"),
        ('{"b": ' + '[{"x":' * 100_000, "not JSON (nested too deeply"),
        ('{"b": ' + "9" * 5000 + "}", "not JSON (a number with too many digits"),
    ],
)  # fmt: skip
def test_an_invalid_file_is_refused_in_a_single_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path, "a")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_an_entry_that_is_too_long_is_refused_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a wrong file of many gigabytes is not read into memory."""
    monkeypatch.setattr(json_files, "_PIECE", 10)
    monkeypatch.setattr(json_files, "MAX_ENTRY_LENGTH", 100)
    path = tmp_path / "f.json"
    path.write_text('{"a": ["' + "x" * 10_000 + '"]}')
    with pytest.raises(InputError, match="Unterminated string"):
        read(path, "a")
    path.write_text('{"a": ["' + "x" * 50 + '"]}')
    assert len(read(path, "a")) == 2


def test_a_number_split_over_two_pieces_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_files, "_PIECE", 8)
    path = tmp_path / "f.json"
    path.write_text('{"a": [123456, 7]}')
    assert read(path, "a") == [("a", LIST_START), ("a", 123456), ("a", 7)]
