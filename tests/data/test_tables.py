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
