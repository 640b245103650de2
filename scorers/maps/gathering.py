"""The embeddings that runs kept, gathered for a map."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from data.jobs.runs import Embeddings, unpack_embeddings

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
    found: dict[str, bytes] = {}
    total: set[str] = set()
    for number, part in enumerate(parts):
        for item_id, stored in _of(part):
            if item_id not in total:
                total.add(item_id)
                found[item_id] = stored
        if len(found) > 2 * most:
            found = _drawn(found, most, seed)
        tell(number + 1, len(parts))
    if not found:
        raise NoEmbeddings("the runs' files hold no embedding (any more)")
    found = dict(sorted(_drawn(found, most, seed).items()))
    return list(found), unpack_embeddings(list(found.values())), len(total)


def has_embeddings(part: Path) -> bool:
    """Whether a part holds an embedding; False if it cannot be read. Only its end is looked at."""
    try:
        told = pq.read_metadata(part)
        groups = [told.row_group(k) for k in range(told.num_row_groups)]
        columns = [group.column(k) for group in groups for k in range(group.num_columns)]
    except (OSError, pa.ArrowException):
        return False
    kept = [column for column in columns if column.path_in_schema == COLUMN]
    return any(
        column.statistics is None or column.statistics.null_count is None or column.statistics.null_count < column.num_values
        for column in kept
    )


def _of(part: Path) -> list[tuple[str, bytes]]:
    try:
        table = pq.read_table(part, columns=["item_id", COLUMN], partitioning=None)
    except (OSError, pa.ArrowException, ValueError):
        return []
    if COLUMN not in table.column_names:
        return []
    rows = zip(table.column("item_id").to_pylist(), table.column(COLUMN).to_pylist(), strict=True)
    return [(str(item_id), stored) for item_id, stored in rows if stored]


def _drawn(found: dict[str, bytes], most: int, seed: int) -> dict[str, bytes]:
    if len(found) <= most:
        return found
    drawn = sorted(found, key=lambda item_id: hashlib.sha256(f"{seed}:{item_id}".encode()).digest())
    return {item_id: found[item_id] for item_id in drawn[:most]}
