"""Embeddings of images as a run's parts keep them: unit vectors in half precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float16]
"""(images, dimensions), each row of length 1."""
_STORED: Final = np.dtype("<f2")


def pack(vectors: NDArray[np.floating[Any]]) -> list[bytes | None]:
    """Each of (n, d) vectors, scaled to length 1, as little-endian halves: 2 d bytes, of which the cosine of two is off by less
    than 0.001. None where a vector has no direction: a zero, or numbers that are not finite."""
    wide = vectors.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return [row.astype(_STORED).tobytes() if np.isfinite(row).all() else None for row in unit]


def unpack(stored: Sequence[bytes]) -> Vectors:
    """What ``pack`` made, (n, d).

    Raises:
        ValueError: these are no embeddings of one model: empty, of several lengths, or not finite.
    """
    sizes = {len(one) for one in stored}
    if len(sizes) != 1 or (size := sizes.pop()) == 0 or size % _STORED.itemsize:
        raise ValueError("the embeddings are not all of one length")
    found = np.frombuffer(b"".join(stored), _STORED).reshape(len(stored), -1).astype(np.float16)
    if not np.isfinite(found).all():
        raise ValueError("an embedding holds numbers that are not finite")
    return found
