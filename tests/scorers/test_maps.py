"""Maps: gathered from runs' files, projected, made by the worker; small and odd ones too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from data.jobs.maps import EXTENT, MapFolder, MapJob
from data.jobs.runs import Observation, RunFolder, pack_embeddings
from scorers import maps
from scorers.maps import NoEmbeddings, gather, has_embeddings, most_alike, project
from scorers.running.worker_main import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _stays_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker steps back behind other processes; the tests' own does not."""
    monkeypatch.setattr(maps, "lower_priority", lambda: None)


def clouds(each: int = 15, size: int = 16) -> NDArray[np.float64]:
    """Three clouds of unit vectors, far from each other."""
    rng = np.random.default_rng(1)
    return np.concatenate([np.eye(size)[k] + rng.normal(size=(each, size)) * 0.05 for k in range(3)])


def run_of(folder: Path, vectors: NDArray[np.float64], first: int = 0, parts: int = 1) -> list[Path]:
    run = RunFolder(folder)
    (folder / "parts").mkdir(parents=True)
    seen = [Observation(f"i/{first + k:04d}", {}, embedding=embedding) for k, embedding in enumerate(pack_embeddings(vectors))]
    for number, some in enumerate(np.array_split(np.arange(len(seen)), parts)):
        run.write_part(number, [seen[k] for k in some])
    return [run.part(number) for number in run.parts()]


def apart(places: NDArray[np.float32], each: int = 15) -> float:
    """The least distance of two clouds' middles over the largest distance of an image from its own."""
    groups = [places[k * each : (k + 1) * each] for k in range(3)]
    middles = [group.mean(axis=0) for group in groups]
    within = max(float(np.linalg.norm(group - middle, axis=1).max()) for group, middle in zip(groups, middles, strict=True))
    between = min(float(np.linalg.norm(middles[a] - middles[b])) for a, b in ((0, 1), (0, 2), (1, 2)))
    return between / within


@pytest.mark.parametrize("method", ["pca", pytest.param("umap", marks=pytest.mark.slow)])
def test_what_is_alike_lies_together_and_the_same_seed_gives_the_same_map(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if method == "umap":
        numba = pytest.importorskip("numba", exc_type=ImportError)
        # to compile takes a minute, to compute with 45 points a second
        monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
        pytest.importorskip("umap", exc_type=ImportError)
    vectors = clouds().astype(np.float16)
    projected = project(vectors, method, 0)
    assert projected.places.shape == (45, 2)
    assert (projected.places.min(), projected.places.max()) == pytest.approx((0.0, EXTENT))
    assert apart(projected.places) > 1.5
    assert np.array_equal(project(vectors, method, 0).places, projected.places)
    assert bool(projected.shares) == (method == "pca")


def test_pca_is_what_the_singular_values_say() -> None:
    vectors = clouds().astype(np.float16)
    projected = project(vectors, "pca", 0)
    centred = vectors.astype(float) - vectors.astype(float).mean(axis=0)
    values = np.linalg.svd(centred, compute_uv=False) ** 2
    assert projected.shares == pytest.approx(tuple(values[:2] / values.sum()), rel=1e-9)
    # distances in the plane are those of the two axes, all at one scale
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    exact = left[:, :2] * singular[:2]
    wanted = np.linalg.norm(exact[0] - exact[20]) / np.linalg.norm(exact[3] - exact[40])
    got = np.linalg.norm(projected.places[0] - projected.places[20]) / np.linalg.norm(
        projected.places[3] - projected.places[40]
    )
    assert got == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("method", ["pca", "umap"])
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_few_images(method: str, n: int) -> None:
    projected = project(clouds()[::5][:n].astype(np.float16), method, 0)
    assert projected.places.shape == (n, 2)
    assert np.isfinite(projected.places).all()
    assert ("UMAP needs 10 images" in projected.note) == (method == "umap" and n > 1)


@pytest.mark.parametrize("method", ["pca", "umap"])
def test_embeddings_that_are_all_the_same_lie_on_one_spot_which_is_said(method: str) -> None:
    projected = project(np.full((40, 7), 7**-0.5, np.float16), method, 0)
    assert np.unique(projected.places, axis=0).tolist() == [[EXTENT / 2, EXTENT / 2]]
    assert projected.note == "all 40 embeddings are the same, so all images lie on one spot"


def test_one_dimension_and_an_unknown_method() -> None:
    assert np.isfinite(project(np.array([[1], [-1], [1]], np.float16), "pca", 0).places).all()
    with pytest.raises(ValueError, match="there is no map by 'tsne'"):
        project(clouds().astype(np.float16), "tsne", 0)


def test_gathered_by_id_the_first_counts_and_odd_files_are_left_out(tmp_path: Path) -> None:
    vectors = clouds()
    first = run_of(tmp_path / "a", vectors[:20], parts=3)
    again = run_of(tmp_path / "b", -vectors[:30])
    odd = tmp_path / "odd.parquet"
    odd.write_bytes(b"no parquet")
    old = run_of(tmp_path / "c", vectors[:5], first=900)[0]
    pq.write_table(pq.read_table(old, partitioning=None).drop_columns(["embedding"]), old)
    items, result, total = gather([odd, tmp_path / "gone.parquet", old, *first, *again], 1000, 0)
    assert items == [f"i/{k:04d}" for k in range(30)]
    assert total == 30
    assert (result[:20].astype(float) * vectors[:20]).sum(axis=1).min() > 0.9
    assert (result[20:].astype(float) * vectors[20:30]).sum(axis=1).max() < -0.9
    assert [has_embeddings(path) for path in (odd, old, first[0])] == [False, False, True]


def test_a_draw_is_seeded_and_hardly_changes_when_images_are_added(tmp_path: Path) -> None:
    vectors = np.tile(clouds(), (20, 1))
    some, more = run_of(tmp_path / "a", vectors), run_of(tmp_path / "b", vectors[:90], first=900)
    drawn, result, total = gather(some, 100, 0)
    assert (len(drawn), len(result), total) == (100, 100, 900)
    assert gather(some, 100, 0)[0] == drawn
    assert gather(some, 100, 1)[0] != drawn
    assert len({*gather([*some, *more], 100, 0)[0]} & {*drawn}) > 75


def test_nothing_to_gather_and_two_models_at_once(tmp_path: Path) -> None:
    with pytest.raises(NoEmbeddings):
        gather([tmp_path / "gone.parquet"], 10, 0)
    parts = [*run_of(tmp_path / "a", clouds()), *run_of(tmp_path / "b", clouds(size=8), first=500)]
    with pytest.raises(ValueError, match="not all of one length"):
        gather(parts, 1000, 0)


def test_the_worker_makes_a_map_that_is_read_back(tmp_path: Path) -> None:
    parts = run_of(tmp_path / "run", clouds(), parts=4)
    folder = MapFolder(tmp_path / "map")
    folder.ask(MapJob("pca", "m", [str(part) for part in parts], 40))
    done = subprocess.run([sys.executable, "-m", "scorers.maps", folder.path], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    made = folder.read()
    assert made is not None
    assert (made.method, made.model, len(made.items), made.places.shape, made.total) == ("pca", "m", 40, (40, 2), 45)
    assert len(made.shares) == 2
    assert main(MapFolder, maps.work, maps.explain, [str(folder.path)]) == 0
    again = folder.read()
    assert again is not None
    assert np.array_equal(again.places, made.places)


def test_the_worker_says_why_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MapFolder, maps.work, maps.explain, [str(tmp_path)]) == 1
    folder = MapFolder(tmp_path / "map")
    folder.ask(MapJob("pca", "m", [], 40))
    assert main(MapFolder, maps.work, maps.explain, [str(folder.path)]) == 1
    stage = folder.last_progress()
    assert stage is not None
    assert "have no embeddings" in (stage.error or "")
    assert "have no embeddings" in capsys.readouterr().err
    assert folder.read() is None


def test_without_umap_the_worker_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "umap", None)
    folder = MapFolder(tmp_path / "map")
    folder.ask(MapJob("umap", "m", [str(part) for part in run_of(tmp_path / "run", clouds())], 100))
    assert main(MapFolder, maps.work, maps.explain, [str(folder.path)]) == 1
    stage = folder.last_progress()
    assert stage is not None
    assert "uv sync --group umap" in (stage.error or "")


@pytest.mark.parametrize("content", [b"", b"no parquet"])
def test_a_file_that_is_no_map_is_none(tmp_path: Path, content: bytes) -> None:
    folder = MapFolder(tmp_path)
    folder.file.write_bytes(content)
    assert folder.read() is None
    (tmp_path / "progress.json").write_text(json.dumps({"other": 1}))
    assert folder.last_progress() is None


def test_the_most_alike_are_those_of_the_largest_cosine_in_any_part(tmp_path: Path) -> None:
    vectors = clouds()
    parts = run_of(tmp_path / "run", vectors, parts=4)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = [f"i/{k:04d}" for k in np.argsort(-(unit @ unit[20]), kind="stable")]
    results = most_alike(parts, "i/0020", 15)
    assert results[0] == "i/0020"
    assert set(results) == {f"i/{k:04d}" for k in range(15, 30)}
    assert results[:3] == expected[:3]
    with pytest.raises(NoEmbeddings):
        most_alike(parts, "i/9999", 15)
