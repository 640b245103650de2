"""From embeddings to places on a plane: principal components by numpy, UMAP by umap-learn."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from data.jobs.maps import EXTENT, MapPositions
from data.jobs.runs import Embeddings
from scorers.maps import LEAST_UMAP

NEIGHBOURS: Final = 15
"""Of UMAP, as its authors have it."""
_CHUNK: Final = 8192
_SAME: Final = 1e-9
"""Variance of unit vectors in half precision that are one and the same."""
_DONE: Final = re.compile(r"(\d+)\s*/\s*(\d+)")
Tell = Callable[[int, int], None]
"""Called with how much is done, of how much."""


@dataclass(frozen=True, slots=True, eq=False)
class Projected:
    """See ``data.jobs.maps.Map``."""

    places: MapPositions
    shares: tuple[float, ...] = ()
    note: str = ""


def project(vectors: Embeddings, method: str, seed: int, tell: Tell = lambda *_: None) -> Projected:
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
        return Projected(fitted(_umap(vectors, seed, tell)))
    found, shares = _principal(vectors, mean, covariance)
    few = f"UMAP needs {LEAST_UMAP} images or more, and there are {len(vectors)}: this is PCA" if method == "umap" else ""
    return Projected(fitted(found), shares, few)


def fitted(found: NDArray[np.floating[Any]]) -> MapPositions:
    """Moved and scaled so that the wider side reaches from 0 to ``EXTENT`` and the other lies in its middle."""
    low, high = found.min(axis=0), found.max(axis=0)
    widest = float((high - low).max())
    scaled = (found - (low + high) / 2) * (EXTENT / widest if widest > 0 else 0.0) + EXTENT / 2
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
    found = np.concatenate(pieces)
    if found.shape[1] < 2:  # embeddings of one dimension
        found = np.pad(found, ((0, 0), (0, 1)))
    return found, tuple(float(value) for value in values / np.trace(covariance))


def _umap(vectors: Embeddings, seed: int, tell: Tell) -> NDArray[np.float64]:
    from umap import UMAP

    heard = _Heard(tell)
    with warnings.catch_warnings(), contextlib.redirect_stdout(heard):
        # that a seed leaves one thread, and that small graphs are solved densely
        warnings.simplefilter("ignore")
        found = UMAP(
            n_neighbors=min(NEIGHBOURS, len(vectors) - 1),
            metric="cosine",
            init="pca",
            random_state=seed,
            n_jobs=1,
            verbose=True,
            tqdm_kwds={"file": heard},
        ).fit_transform(vectors.astype(np.float32))
    # an image that is unlike all others may have no place
    found = np.asarray(found, np.float64)
    return np.where(np.isfinite(found), found, np.nanmean(np.where(np.isfinite(found), found, np.nan), axis=0))


class _Heard(io.StringIO):
    """Hears how many rounds are done from what is printed of them."""

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell

    def write(self, text: str) -> int:
        if found := _DONE.search(text):
            self._tell(int(found[1]), int(found[2]))
        return len(text)
