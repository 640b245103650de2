"""Files made to fill the memory or to hang whoever opens them are refused before they are read, in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from data import tables
from data.files import MAX_FILE_BYTES, InputError, read_text
from data.tables import read_cells, read_table


def test_a_text_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        # nothing of it is on the disk
        file.truncate(MAX_FILE_BYTES + 1)
    for read in (read_text, read_table, read_cells):
        with pytest.raises(InputError, match=r"large.csv: the file has 1,074 MB; at most 1,074 are read: split it"):
            read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="not a regular file"):
        read_text(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="not a regular file"):
        read_text(Path("/dev/zero"))


def test_a_small_parquet_file_with_too_many_cells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "bomb.parquet"
    parquet.write_table(pa.table({"a": ["x" * 100] * 200_000, "b": pa.nulls(200_000)}), path)
    assert path.stat().st_size < 50_000
    assert len(read_cells(path).records) == 200_000
    monkeypatch.setattr(tables, "_MAX_CELLS", 399_999)
    with pytest.raises(InputError, match=r"200,000 rows of 2 columns, .* MB unpacked: more than is read") as caught:
        read_cells(path)
    assert "\n" not in str(caught.value)
    monkeypatch.undo()
    monkeypatch.setattr(tables, "MAX_FILE_BYTES", 10)
    with pytest.raises(InputError, match="more than is read"):
        read_cells(path)


PLAIN = [
    "a,b,c\n1,2,3\n4,5,6\n",
    "a,b,c\r\n1,2,3\r\n4,5,6",
    "a,b\n,\nx,\n,y\n",
    "a,b\n1,2\n\n3,4\n",
    "a,b\n1,2\n3,4\n\n",
    "a,b\n1,2\n3\n",
    "a,b\n1,2\n3,4,\n5,6\n",
    "a,b\n1,2,3\n",
    "a,b\n1,2\na,b\n3,4\n",
    "a,a\n1,2\n",
    "a,b\n1,x\ry\n3,4\n",
    'a,b\n1,"x, y"\n3,4\n',
    "Title\na,b\n1,2\n",
    "a;b\n1;2,5\n",
    "a,b\nNA,nan\nnull,\n#N/A,None\n",
    "a,b\n ü , \u2028x\n\x1c,\x0b\n",
    "a,b\ntrue,01\n1e5,2026-01-01\n",
    "a,b\n",
    "a\nb\nc\n",
    "sep=;\na;b\n1;2\n",
    ",b\n1,2\n",
    "a,b\n'x,=1+1\n",
]


@pytest.mark.parametrize("content", PLAIN)
def test_a_large_table_is_read_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())

    def read() -> object:
        try:
            table = read_table(path)
        except InputError as error:
            return str(error)
        every = [(line, tuple(cells)) for line, cells in table.records]
        assert [(line, tuple(cells)) for line, cells in table.records[: len(every)]] == every
        assert list(table.lines()) == [line for line, _ in every]
        distinct = {name: table.texts(name) for name in table.header}
        columns = {name: column.to_pylist() for name, column in table.columns(table.header).items()} if every else {}
        return table.header, every, table.notes, distinct, columns

    small = read()
    monkeypatch.setattr(tables, "_LARGE", 0)
    assert read() == small


def test_a_large_plain_table_is_read_by_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_LARGE", 0)
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 25_000)
    table = read_table(tmp_path / "t.csv")
    assert isinstance(table.records, tables.PlainRecords)
    assert (len(table.records), table.records[-1], list(table.records)[-1]) == (
        25_000,
        (25_001, ("1", "2")),
        (25_001, ("1", "2")),
    )
