"""What a reading shows before it is stored: each generator's first pictures, and its first rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from concord.importing.image_trees import ImageTree, image_paths
from concord.importing.readings import ReadingOutcome, Source
from data.cache import cached_by_stamp
from data.images.files import ImageError, thumbnail
from data.images.widths import IN_STRIPS
from data.records import Annotation, Evidence
from data.store.browse import contents
from data.store.core.store import Store

ROWS = 5
"""So many rows are shown."""
PICTURES = 4
"""So many pictures of each generator are shown."""


@dataclass(frozen=True, slots=True)
class GeneratorPreview:
    """A generator of a tree.

    Attributes:
        name: as the tree has it.
        images: how many.
        pictures: the first ones, as small WebP files; None for one that cannot be opened.
    """

    name: str
    images: int
    pictures: Sequence[bytes | None]


def generator_previews(source: Source, tree: ImageTree) -> list[GeneratorPreview]:
    """Return the generators of a tree, each with its first pictures."""
    if tree.layout == "csv":
        paths = {name: [source.path / each.path for each in tree.images if each.generator == name] for name in tree.generators}
    else:
        folders = {name: source.path / place for name, place in tree.folders.items()}
        paths = {name: [folder / path for path in image_paths(folder)] for name, folder in folders.items()}
    return [
        GeneratorPreview(name, len(files), [_picture(path) for path in islice(files, PICTURES)])
        for name, files in paths.items()
    ]


def _picture(path: Path) -> bytes | None:
    try:
        return _small(path)
    except (ImageError, OSError):
        return None


@cached_by_stamp(maxsize=256)
def _small(path: Path) -> bytes:
    return thumbnail(path, IN_STRIPS, IN_STRIPS)


@dataclass(frozen=True, slots=True)
class RatingRow:
    """A rating that would be stored."""

    image: str
    rater: str
    value: str


def first_ratings(store: Store, outcome: ReadingOutcome) -> list[RatingRow]:
    """Return the first ratings that would be stored."""
    rows: list[RatingRow] = []
    for bundle in outcome.bundles:
        sources: Iterable[Annotation | Evidence] = islice((*bundle.annotations, *bundle.evidence), ROWS)
        rated = [(source.item_id, source.rater_id, next(iter(source.judgements), None)) for source in sources]
        rated += bundle.ratings.first(ROWS) if bundle.ratings is not None else []
        for item_id, rater_id, judgement in rated:
            item = contents.item(store, item_id)
            value = "" if judgement is None else judgement.label or ("" if judgement.value is None else f"{judgement.value:g}")
            rows.append(RatingRow((item.text if item else None) or item_id, rater_id, value))
    return rows[:ROWS]
