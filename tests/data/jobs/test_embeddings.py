"""Embeddings as runs keep them, and runs' files with and without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from data.jobs.runs import Observation, RunFolder, pack_embeddings, unpack_embeddings


def test_embeddings_have_unit_length_and_the_cosine_stays() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(20, 192)) * rng.uniform(0.01, 100, size=(20, 1))
    stored = pack_embeddings(vectors)
    assert {len(one or b"") for one in stored} == {2 * 192}
    result = unpack_embeddings([one for one in stored if one]).astype(np.float64)
    assert np.linalg.norm(result, axis=1) == pytest.approx(np.ones(20), abs=1e-3)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.abs(result @ result.T - unit @ unit.T).max() < 1e-3


def test_vectors_without_direction_have_no_embedding() -> None:
    stored = pack_embeddings(np.array([[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [3.0, 4.0]]))
    assert stored[:3] == [None, None, None]
    assert unpack_embeddings([stored[3] or b""])[0].tolist() == pytest.approx([0.6, 0.8], abs=1e-3)


@pytest.mark.parametrize("stored", [[], [b""], [b"abc"], [b"ab", b"abcd"], [np.array([np.nan], "<f2").tobytes()]])
def test_invalid_embeddings_are_refused(stored: list[bytes]) -> None:
    with pytest.raises(ValueError, match="embedding"):
        unpack_embeddings(stored)


def test_parts_store_embeddings(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / "parts").mkdir()
    seen = [Observation("a", {"cosine": 0.5}, embedding=b"ab"), Observation("b", failed="no such file")]
    folder.write_part(0, seen)
    assert folder.read_part(0) == seen


def test_parts_without_the_embedding_column_are_read(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / "parts").mkdir()
    folder.write_part(0, [Observation("a", {"cosine": 0.5})])
    old = pq.read_table(folder.part(0), partitioning=None).drop_columns(["embedding"])
    pq.write_table(old, folder.part(0))
    assert folder.read_part(0) == [Observation("a", {"cosine": 0.5})]
