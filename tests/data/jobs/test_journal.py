"""Files that grow by a line at a time, and what a stop leaves of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.files import InputError
from data.jobs.json_records import open_journal, read_journal


def test_appended_entries_are_read_back_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    assert read_journal(path) == []
    with open_journal(path) as append:
        append({"a": "ü\n"})
        assert read_journal(path) == [{"a": "ü\n"}]
    with path.open("ab") as file:
        file.write(b'{"a": 2, "b\xc3')
    with open_journal(path) as append:
        append({"a": 3})
    assert read_journal(path) == [{"a": "ü\n"}, {"a": 3}]


def test_a_cut_last_line_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text('{"a": 1}\n{"a": 2')
    assert read_journal(path) == [{"a": 1}]


@pytest.mark.parametrize(("text", "words"), [("[1]\n", "1: is not a JSON object"), ('{"a": 1}\nx\n{"a": 1}\n', "2: not JSON")])
def test_another_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_journal(path)
