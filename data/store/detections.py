"""What detectors found, as rows; masks stay in the run's parts and are named by where they lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb

from data.jobs.runs import Detection, Observation
from data.store import rows

_COLUMNS = ("run_id", "image_id", "rank", "label", "score", "x0", "y0", "x1", "y1", "mask_ref", "color_probs")

Found = dict[tuple[str, str], list[tuple[Detection, str | None]]]
"""By run and image: detections in the detector's order, each with its mask's place."""


def insert(connection: duckdb.DuckDBPyConnection, run_id: str, part: int, seen: Sequence[Observation]) -> None:
    """The detections of one part; row and rank say where in the part the mask is."""
    rows.insert(
        connection,
        "detections",
        _COLUMNS,
        [
            (run_id, one.item_id, rank, d.label, d.score, *d.box, _place(part, row, rank, d), _listed(d.colors))
            for row, one in enumerate(seen)
            for rank, d in enumerate(one.detections)
        ],
    )


def of(cursor: duckdb.DuckDBPyConnection, item_ids: Iterable[str] | None, run_ids: Iterable[str] | None = None) -> Found:
    """What these runs (None: all) found on these images (None: all), without masks."""
    conditions, parameters = ["true"], []
    for column, values in (("image_id", item_ids), ("run_id", run_ids)):
        if values is not None:
            conditions.append(f"{column} in (select unnest(?::varchar[]))")
            parameters.append(list(values))
    read = rows.dicts(
        cursor,
        f"select {', '.join(_COLUMNS)} from detections where {' and '.join(conditions)} order by run_id, image_id, rank",
        parameters,
    )
    found: Found = {}
    for row in read:
        found.setdefault((row["run_id"], row["image_id"]), []).append((_detection(row), row["mask_ref"]))
    return found


def _detection(row: dict[str, Any]) -> Detection:
    colors = row["color_probs"]
    box = (row["x0"], row["y0"], row["x1"], row["y1"])
    return Detection(row["label"], row["score"], box, None, None if colors is None else tuple(colors))


def _place(part: int, row: int, rank: int, detection: Detection) -> str | None:
    return None if detection.mask is None else f"{part}:{row}:{rank}"


def _listed(colors: tuple[float, ...] | None) -> list[float] | None:
    return None if colors is None else list(colors)
