"""Maps of embeddings: images that a model sees alike lie near each other. Made by a process of its own: ``python -m
scorers.maps DIR``, the folder as in ``data.jobs.maps``.

The embeddings that runs stored are gathered and projected on a plane: principal components by numpy, UMAP by umap-learn. The
process reads what runs stored, opens no project and goes to no network. The exit status is 0 only if the map is there; else the
folder's progress says why.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from data.jobs.folder import WorkerProgress
from data.jobs.maps import EXTENT, Map, MapFolder, MapPositions
from data.jobs.runs import Embeddings, read_parquet, unpack_embeddings
from scorers.running import worker_main
from scorers.running.fault_isolation import lower_priority

COLUMN: Final = "embedding"


class NoEmbeddings(ValueError):
    """There is nothing to make a map of; the message says why."""


def gather(
    parts: Sequence[Path], most: int, seed: int, tell: Callable[[int, int], None] = lambda *_: None
) -> tuple[list[str], Embeddings, int]:
    """Images that have an embedding, sorted by id; their embeddings; how many have one in all.

    Of an image that is in several parts the first counts. Where there are more than ``most``, the draw is by a hash of ``seed``
    and the image's id: it stays nearly the same while images are added. A part that is gone, or cannot be read, is left out.

    Raises:
        NoEmbeddings: there is not one.
        ValueError: they are not of one model.
    """
    vectors: dict[str, bytes] = {}
    total: set[str] = set()
    for number, part in enumerate(parts):
        for item_id, stored in _read_part(part):
            if item_id not in total:
                total.add(item_id)
                vectors[item_id] = stored
        if len(vectors) > 2 * most:
            vectors = _sample(vectors, most, seed)
        tell(number + 1, len(parts))
    if not vectors:
        raise NoEmbeddings("the runs' files have no embeddings (any more)")
    vectors = dict(sorted(_sample(vectors, most, seed).items()))
    return list(vectors), unpack_embeddings(list(vectors.values())), len(total)


def has_embeddings(part: Path) -> bool:
    """Whether a part holds an embedding; False if it cannot be read. Only its end is looked at."""
    try:
        metadata = pq.read_metadata(part)
        groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
        columns = [group.column(k) for group in groups for k in range(group.num_columns)]
    except (OSError, pa.ArrowException):
        return False
    embeddings = [column for column in columns if column.path_in_schema == COLUMN]
    return any(
        column.statistics is None or column.statistics.null_count is None or column.statistics.null_count < column.num_values
        for column in embeddings
    )


def most_alike(parts: Sequence[Path], item_id: str, most: int) -> list[str]:
    """The ``most`` images whose embeddings have the largest cosine with that of this image: itself first, ties by id.

    Of an image that is in several parts the first counts. Part by part, so that few embeddings are in memory.

    Raises:
        NoEmbeddings: this image has none.
    """
    stored = (stored for part in parts for other, stored in _read_part(part) if other == item_id)
    own = next(stored, None)
    if own is None:
        raise NoEmbeddings(f"{item_id} has no embedding")
    (query,) = _unit(unpack_embeddings([own]))
    best: dict[str, float] = {}
    for part in parts:
        rows = [(other, stored) for other, stored in _read_part(part) if len(stored) == len(own) and other not in best]
        if rows:
            cosines = (_unit(unpack_embeddings([stored for _, stored in rows])) @ query).tolist()
            best = dict(zip([other for other, _ in reversed(rows)], reversed(cosines), strict=True)) | best
    best[item_id] = 2.0
    return sorted(best, key=lambda other: (-best[other], other))[:most]


def _unit(vectors: Embeddings) -> NDArray[np.float32]:
    wide = vectors.astype(np.float32)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (wide / np.maximum(norms, np.finfo(np.float32).tiny)).astype(np.float32)
    return unit


def _read_part(part: Path) -> list[tuple[str, bytes]]:
    try:
        table = read_parquet(part, ["item_id", COLUMN])
    except (OSError, pa.ArrowException, ValueError):
        return []
    rows = zip(table.column("item_id").to_pylist(), table.column(COLUMN).to_pylist(), strict=True)
    return [(str(item_id), stored) for item_id, stored in rows if stored]


def _sample(vectors: dict[str, bytes], most: int, seed: int) -> dict[str, bytes]:
    if len(vectors) <= most:
        return vectors
    drawn = sorted(vectors, key=lambda item_id: hashlib.sha256(f"{seed}:{item_id}".encode()).digest())
    return {item_id: vectors[item_id] for item_id in drawn[:most]}


METHODS: Final = {"pca": "PCA", "umap": "UMAP"}
"""By their names in an address."""
MOST: Final = {"pca": 200_000, "umap": 20_000}
"""Images on one map: what PCA holds in 2 GB, and what UMAP does in minutes."""
LEAST_UMAP: Final = 10
"""Images of which UMAP makes anything."""
UMAP_PACKAGE: Final = "umap-learn"


def umap_version() -> str | None:
    """Of the package that UMAP needs; None where it is not installed. Nothing is imported for it."""
    try:
        return version(UMAP_PACKAGE)
    except PackageNotFoundError:
        return None


NEIGHBOURS: Final = 15
"""Of UMAP, as its authors have it."""
_CHUNK: Final = 8192
_SAME: Final = 1e-9
"""Variance of unit vectors in half precision that are one and the same."""
_DONE: Final = re.compile(r"(\d+)\s*/\s*(\d+)")
ReportProgress = Callable[[int, int], None]
"""Called with how much is done, of how much."""


@dataclass(frozen=True, slots=True, eq=False)
class Projected:
    """See ``data.jobs.maps.Map``."""

    places: MapPositions
    shares: tuple[float, ...] = ()
    note: str = ""


def project(vectors: Embeddings, method: str, seed: int, tell: ReportProgress = lambda *_: None) -> Projected:
    """Places of (n, d) vectors, n > 0, by ``pca`` or ``umap``. The same vectors and seed give the same places.

    Raises:
        ValueError: there is no such method.
        ImportError: umap-learn is not installed.
    """
    if method not in ("pca", "umap"):
        raise ValueError(f"there is no map by {method!r}; known: pca, umap")
    mean, covariance = _moments(vectors)
    if np.trace(covariance) <= _SAME:
        note = "" if len(vectors) == 1 else f"all {len(vectors):,} embeddings are the same, so all images lie on one spot"
        return Projected(np.full((len(vectors), 2), EXTENT / 2, np.float32), (), note)
    if method == "umap" and len(vectors) >= LEAST_UMAP:
        return Projected(fit_to_extent(_umap(vectors, seed, tell)))
    points, shares = _principal(vectors, mean, covariance)
    few = f"UMAP needs {LEAST_UMAP} images or more, and there are {len(vectors)}: this is PCA" if method == "umap" else ""
    return Projected(fit_to_extent(points), shares, few)


def fit_to_extent(positions: NDArray[np.floating[Any]]) -> MapPositions:
    """Moved and scaled so that the wider side reaches from 0 to ``EXTENT`` and the other lies in its middle."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    widest = float((high - low).max())
    scaled = (positions - (low + high) / 2) * (EXTENT / widest if widest > 0 else 0.0) + EXTENT / 2
    # rounded, so that what a lasso holds does not depend on the last bits
    places: MapPositions = np.round(scaled, 3).astype(np.float32)
    return places


def _moments(vectors: Embeddings) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean (d) and covariance (d, d), in pieces: never all in double precision."""
    size = vectors.shape[1]
    mean = np.zeros(size)
    for start in range(0, len(vectors), _CHUNK):
        mean += vectors[start : start + _CHUNK].astype(np.float64).sum(axis=0)
    mean /= len(vectors)
    covariance = np.zeros((size, size))
    for start in range(0, len(vectors), _CHUNK):
        piece = vectors[start : start + _CHUNK].astype(np.float64) - mean
        covariance += piece.T @ piece
    return mean, covariance / len(vectors)


def _principal(
    vectors: Embeddings, mean: NDArray[np.float64], covariance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    """(n, 2) coordinates on the first two principal axes, and each one's share of the variance."""
    values, axes = np.linalg.eigh(covariance)
    values, axes = np.clip(values[::-1][:2], 0.0, None), axes[:, ::-1][:, :2]
    # an axis has no direction of its own: its largest part points up
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    pieces = [(vectors[start : start + _CHUNK].astype(np.float64) - mean) @ axes for start in range(0, len(vectors), _CHUNK)]
    positions = np.concatenate(pieces)
    if positions.shape[1] < 2:  # embeddings of one dimension
        positions = np.pad(positions, ((0, 0), (0, 1)))
    return positions, tuple(float(value) for value in values / np.trace(covariance))


def _umap(vectors: Embeddings, seed: int, tell: ReportProgress) -> NDArray[np.float64]:
    from umap import UMAP

    heard = _ProgressReader(tell)
    with warnings.catch_warnings(), contextlib.redirect_stdout(heard):
        # that a seed leaves one thread, and that small graphs are solved densely
        warnings.simplefilter("ignore")
        positions = UMAP(
            n_neighbors=min(NEIGHBOURS, len(vectors) - 1),
            metric="cosine",
            init="pca",
            random_state=seed,
            n_jobs=1,
            verbose=True,
            tqdm_kwds={"file": heard},
        ).fit_transform(vectors.astype(np.float32))
    # an image that is unlike all others may have no place
    positions = np.asarray(positions, np.float64)
    return np.where(np.isfinite(positions), positions, np.nanmean(np.where(np.isfinite(positions), positions, np.nan), axis=0))


class _ProgressReader(io.StringIO):
    """Hears how many rounds are done from what is printed of them."""

    def __init__(self, tell: ReportProgress) -> None:
        super().__init__()
        self._tell = tell

    def write(self, text: str) -> int:
        if match := _DONE.search(text):
            self._tell(int(match[1]), int(match[2]))
        return len(text)


_TELL_SECONDS: Final = 0.5


def make_map(folder: MapFolder) -> Map:
    """Make the map that is asked for.

    Raises:
        ValueError: there is nothing to make it of, or the job makes no sense.
        ImportError: a package is not installed.
        OSError: the folder cannot be read or written.
    """
    began = time.monotonic()
    job = folder.job()
    items, vectors, total = gather(
        [Path(part) for part in job.parts], job.most, job.seed, _progress_reporter(folder, "reading files")
    )
    label = f"{METHODS.get(job.method, job.method)} of {len(items):,} images"
    folder.tell(WorkerProgress("running", 0, 0, stage=label))
    projected = project(vectors, job.method, job.seed, _progress_reporter(folder, f"{label}, rounds"))
    made = Map(
        job.method, job.model, tuple(items), projected.places, total, projected.shares, projected.note, time.monotonic() - began
    )
    folder.write(made)
    return made


def _progress_reporter(folder: MapFolder, label: str) -> Callable[[int, int], None]:
    """Tells now and then."""
    last = [0.0]

    def tell(done: int, total: int) -> None:
        if time.monotonic() - last[0] > _TELL_SECONDS:
            last[0] = time.monotonic()
            folder.tell(WorkerProgress("running", done, total, stage=label))

    return tell


def work(folder: MapFolder, *_: object) -> bool:
    """Run ``make_map`` in a worker process."""
    make_map(folder)
    return True


def explain(error: BaseException) -> str:
    """Why there is no map, in a line."""
    if isinstance(error, ImportError):
        return f"UMAP needs the package {UMAP_PACKAGE} ({error}); install it with: uv sync --group umap"
    return "the memory did not suffice" if isinstance(error, MemoryError) else worker_main.explain(error)


if __name__ == "__main__":
    lower_priority()
    sys.exit(worker_main.main(MapFolder, work, explain))
