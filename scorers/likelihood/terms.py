"""Terms by trial, caption and step, as evidence keeps them: packed, so that they are exact and small."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Terms = NDArray[np.float32]
"""N x C x T; nan where nothing was evaluated, or the model gave no number."""

_DTYPE: Final = np.dtype("<f4")
_MOST: Final = 1 << 24


def pack(terms: Terms) -> dict[str, Any]:
    """As JSON: ``shape`` and base64 of little-endian 32-bit numbers in C order."""
    return {"shape": list(terms.shape), "data": base64.b64encode(terms.astype(_DTYPE).tobytes()).decode()}


def unpack(packed: Mapping[str, Any]) -> Terms:
    """What ``pack`` made.

    Raises:
        ValueError: these are no terms.
    """
    try:
        shape = tuple(int(size) for size in packed["shape"])
        if len(shape) != 3 or min(shape) < 1 or np.prod(shape, dtype=object) > _MOST:
            raise ValueError(f"shape {shape}")
        return np.frombuffer(base64.b64decode(packed["data"], validate=True), _DTYPE).reshape(shape)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"these are no terms by trial, caption and step: {error}") from error


def seed_of(*parts: object) -> int:
    """A seed below 2**63 that depends on these and on nothing else."""
    digest = hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def seeds(item_id: str, trials: int, seed: int) -> Sequence[int]:
    """Of each trial with an image; more trials begin with the same ones."""
    return tuple(seed_of(seed, number, item_id) for number in range(trials))
