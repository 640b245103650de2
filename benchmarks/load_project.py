"""What ``load.py`` works on: a campaign large enough for an hour, and a scoring run's folders, made without any model."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks import geneval_campaign
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
from data.prompts.coco import COCO
from data.prompts.geneval import COLORS
from data.store import browse, rows
from data.store.store import Store
from scorers import registry
from ui import images_api

SCORER: Final = "geneval"
PROFILE: Final = "playground"
OVERLAP: Final = 12
_SIDE: Final = 128
"""Small pictures: what is measured is not how fast pixels are made."""
_PART: Final = 32


def make(project: Path, folder: Path, images: int) -> list[geneval_campaign.Shown]:
    """A running campaign about so many pictures, ``OVERLAP`` people each, some time after its start: thumbnails are made.

    Returns what is asked of each.
    """
    with Store(project) as store:
        geneval_campaign.make(store, folder, images, OVERLAP, side=_SIDE)
        for sha256 in browse.files(store):
            images_api.make_ahead(store, sha256, images_api.IN_GRIDS)
        return geneval_campaign.shown(store, folder)


def prepare(project: Path, folder: Path, each: int) -> list[Path]:
    """Finished folders of a scorer's run, of ``each`` images, which only wait to be taken in."""
    with Store(project) as store, store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, i.path, i.sha256, p.text, p.spec from items t join images i on i.image_id = t.item_id"
            " join prompts p on p.prompt_id = i.prompt_id order by t.item_id",
        )
    work = [WorkItem(**rows.decoded(row, "spec")) for row in found]
    return list(_folders(folder, [work[start : start + each] for start in range(0, len(work), each)]))


def _folders(folder: Path, parts: Sequence[Sequence[WorkItem]]) -> Iterator[Path]:
    scorer = registry.get(SCORER)
    settings = {**scorer.options, **scorer.profiles[PROFILE]}
    for number, work in enumerate(parts):
        made = RunFolder(folder / f"{number:04}")
        made.create(Run(f"{number:04}", SCORER, scorer.version, PROFILE, settings, part_size=_PART), work)
        for part, start in enumerate(range(0, len(work), _PART)):
            made.write_part(part, [_seen(one) for one in work[start : start + _PART]])
        yield made.path


def _seen(work: WorkItem) -> Observation:
    """Two thirds of what is asked for is found, and something else beside it; always the same."""
    chance = zlib.crc32(work.item_id.encode())
    found = [one["class"] for n, one in enumerate(work.spec["include"]) if chance >> n & 3]
    colors = tuple(1.0 if n == chance % len(COLORS) else 0.0 for n in range(len(COLORS)))
    detections = [
        Detection(label, 0.9 - 0.1 * n, (8.0 + 40 * n, 8.0, 40.0 + 40 * n, 60.0), None, colors)
        for n, label in enumerate([*found, COCO[chance % len(COCO)]])
    ]
    return Observation(work.item_id, {"width": _SIDE, "height": _SIDE}, tuple(detections))
