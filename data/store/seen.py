"""What scorers saw of an image, read back: whole with masks for one image, without them for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from data.jobs.runs import Detection, Observation, RunFolder
from data.store import detections, rows
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class SeenBy:
    """What one scorer saw of one image. ``folder`` is the run's, absolute; ``settings`` are the rater's."""

    rater_id: str
    run_id: str
    folder: Path
    scorer: str
    version: str
    settings: Mapping[str, Any]
    seen: Observation


@dataclass(frozen=True, slots=True)
class Sights:
    """What one scorer saw of several images, by item, without masks."""

    scorer: str
    version: str
    settings: Mapping[str, Any]
    seen: Mapping[str, Observation]


# of several runs by one rater the first that saw something counts, as in every statistic
_FIRST = """
select e.item_id, e.rater_id, e.payload, e.failed, n.run_id, n.folder, n.scorer, n.version, n.settings
from evidence e join runs n using (run_id)
where {condition}
qualify row_number() over (partition by e.item_id, e.rater_id order by e.failed is not null, e.seq) = 1
order by e.rater_id
"""


def seen(store: Store, item_id: str) -> list[SeenBy]:
    """What each scorer saw of an image; a mask is None where the run's file is gone. Imported numbers are not among these."""
    with store.read() as cursor:
        found = rows.dicts(cursor, _FIRST.format(condition="e.item_id = ?"), [item_id])
        boxes = detections.of(cursor, [item_id])
    return [_whole(store, rows.decoded(row, "payload", "settings"), boxes) for row in found]


def seen_without_masks(store: Store, item_ids: Sequence[str], rater_id: str) -> Sights | None:
    """What this scorer saw of these images; None if no run of this project is its."""
    with store.read() as cursor:
        last = rows.one(
            cursor,
            "select scorer, version, settings from runs where rater_id = ? and kind = 'score' order by created desc limit 1",
            [rater_id],
        )
        if last is None:
            return None
        condition = "e.item_id in (select unnest(?::varchar[])) and e.rater_id = ?"
        found = rows.dicts(cursor, _FIRST.format(condition=condition), [list(item_ids), rater_id])
        boxes = detections.of(cursor, item_ids, {row["run_id"] for row in found})
    by_item = {
        row["item_id"]: Observation(
            row["item_id"],
            rows.from_json(row["payload"]),
            tuple(detection for detection, _ in boxes.get((row["run_id"], row["item_id"]), ())),
            row["failed"],
        )
        for row in found
    }
    return Sights(last["scorer"], last["version"], rows.from_json(last["settings"]), by_item)


def _whole(store: Store, row: dict[str, Any], boxes: detections.Found) -> SeenBy:
    folder = store.project / row["folder"]
    here = boxes.get((row["run_id"], row["item_id"]), [])
    found = Observation(row["item_id"], row["payload"], _with_masks(folder, row["item_id"], here), row["failed"])
    return SeenBy(row["rater_id"], row["run_id"], folder, row["scorer"], row["version"], row["settings"], found)


def _with_masks(folder: Path, item_id: str, found: list[tuple[Detection, str | None]]) -> tuple[Detection, ...]:
    """All masks of an image lie in one row of one part."""
    place = next((place for _, place in found if place), None)
    if place is None:
        return tuple(detection for detection, _ in found)
    part, row, _ = map(int, place.split(":"))
    try:
        stored = RunFolder(folder).read_part(part)[row]
        masks = [detection.mask for detection in stored.detections] if stored.item_id == item_id else []
    except (ValueError, IndexError):
        masks = []
    return tuple(
        replace(detection, mask=masks[rank]) if place and rank < len(masks) else detection
        for rank, (detection, place) in enumerate(found)
    )
