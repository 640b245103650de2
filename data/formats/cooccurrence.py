"""How often two kinds of object are in one photograph: VISOR's stand-in for how likely a pair is in the world.

Counted in COCO's annotation files (``instances_train2017.json``, 450 MB), which are read in pieces: of the text no more is held
than the entry at hand.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from data.files import fail, quoted, reading
from data.json_files import LIST_START, JsonStream
from data.prompts.coco import plain_name


@dataclass(frozen=True, eq=False)
class Cooccurrence:
    """What an annotation file tells of pairs of classes. Compared by identity: it may be large.

    Attributes:
        name: what it was imported as.
        images: how many of its images have an annotation.
        together: of how many of them hold both classes, by the two names in the alphabet's order; a class with itself: that
            hold it. Pairs of none are left out, classes of none are not.
    """

    name: str
    images: int
    together: Mapping[tuple[str, str], int]

    def knows(self, name: str) -> bool:
        """Whether the file has a class of this name (GenEval's names are COCO's, too)."""
        plain = plain_name(name)
        return (plain, plain) in self.together

    def share(self, a: str, b: str) -> float | None:
        """P_COCO(a, b): images that hold both, by images that have annotations, 0 to 1; None if a class is none of the file's.

        VISOR (section 6.4) calls it the probability of co-occurrence and gives no formula. Its correlation of ranks with
        anything is the same whatever number of images is divided by.
        """
        if not (self.knows(a) and self.knows(b)):
            return None
        return self.together.get(ordered_pair(plain_name(a), plain_name(b)), 0) / self.images


def ordered_pair(a: str, b: str) -> tuple[str, str]:
    """A pair of names as ``together`` has it."""
    return (a, b) if a <= b else (b, a)


MAX_CLASSES: Final = 2_000
"""More than any data set with boxes that is in use has (LVIS: 1,203)."""
_MAX_NAME_LENGTH: Final = 200
_INSTEAD: Final = "an instances file is needed, such as instances_val2017.json"


@dataclass(frozen=True, slots=True)
class CooccurrenceFile:
    """What a file holds, and what was left out of it and why, a line for each kind of mistake."""

    found: Cooccurrence
    left: tuple[str, ...]


@dataclass(slots=True)
class _Gathered:
    """Annotations as pairs of codes, and what the codes stand for."""

    keys: set[str] = field(default_factory=set)
    names: dict[Hashable, str] = field(default_factory=dict)
    images: dict[Hashable, int] = field(default_factory=dict)
    classes: dict[Hashable, int] = field(default_factory=dict)
    image: array[int] = field(default_factory=lambda: array("q"))
    kind: array[int] = field(default_factory=lambda: array("q"))
    wrong: Counter[str] = field(default_factory=Counter)


def read_cooccurrence(path: Path, name: str) -> CooccurrenceFile:
    """Count classes in a file's images; only what stands under ``annotations`` and ``categories`` is looked at.

    An image holds a class if it has an annotation of it, a crowd's too. Images without annotations do not count. Classes of
    one name are one, and keep the name as it is, but for GenEval's names of COCO's classes. An annotation or class that makes
    no sense is left out.

    Raises:
        InputError: it is no such file, or names fewer than two classes.
    """
    with reading(path), path.open(encoding="utf-8-sig") as file:
        gathered = _gather(path, JsonStream(path, file))
    if "annotations" not in gathered.keys:
        fail(path, None, f"has no 'annotations', so it is no annotation file of COCO's; {_INSTEAD}")
    if not gathered.names:
        problem = "names no category (captions have none)" if "categories" not in gathered.keys else "has an empty 'categories'"
        fail(path, None, f"{problem}; {_INSTEAD}")
    cooccurrence = Cooccurrence(name, *_count_pairs(gathered))
    if sum(a == b for a, b in cooccurrence.together) < 2:
        fail(path, None, f"names one class only, so it tells of no pair; {_INSTEAD}")
    if not cooccurrence.images:
        fail(path, None, f"holds no annotation of a class that it names; {_INSTEAD}")
    return CooccurrenceFile(
        cooccurrence, tuple(f"{pair} ({n:,} times)" if n > 1 else pair for pair, n in gathered.wrong.items())
    )


def _gather(path: Path, stream: JsonStream) -> _Gathered:
    gathered = _Gathered()
    for key, entry in stream.lists(("annotations", "categories")):
        if entry is LIST_START:
            gathered.keys.add(key)
        elif key == "categories":
            category, name = _id(entry, "id"), entry.get("name") if isinstance(entry, Mapping) else None
            if (
                category is None
                or not isinstance(name, str)
                or not name.strip()
                or len(name) > _MAX_NAME_LENGTH
                or not name.isprintable()
            ):
                gathered.wrong[f"a category without an id or a name that can be used, such as {quoted(entry)}"] += 1
            elif gathered.names.setdefault(category, plain_name(name.strip())) != plain_name(name.strip()):
                gathered.wrong[f"a category whose id {category!r} is that of {quoted(gathered.names[category])}, too"] += 1
        else:
            _add_annotation(gathered, entry)
        if max(len(gathered.names), len(gathered.classes)) > MAX_CLASSES:
            fail(path, None, f"has more than {MAX_CLASSES:,} classes, which is more than can be compared; {_INSTEAD}")
    return gathered


def _add_annotation(gathered: _Gathered, entry: Any) -> None:
    image, category = _id(entry, "image_id"), _id(entry, "category_id")
    if image is None or category is None:
        gathered.wrong["an annotation without an image_id or a category_id"] += 1
        return
    gathered.image.append(gathered.images.setdefault(image, len(gathered.images)))
    gathered.kind.append(gathered.classes.setdefault(category, len(gathered.classes)))


def _id(entry: Any, key: str) -> Hashable | None:
    value = entry.get(key) if isinstance(entry, Mapping) else None
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _count_pairs(gathered: _Gathered) -> tuple[int, dict[tuple[str, str], int]]:
    """How many images have an annotation, and how many hold each pair of classes."""
    names = sorted(set(gathered.names.values()))
    index_of = {name: k for k, name in enumerate(names)}
    known = np.full(max(len(gathered.classes), 1), -1)
    for category, code in gathered.classes.items():
        if category in gathered.names:
            known[code] = index_of[gathered.names[category]]
        else:
            gathered.wrong[f"annotations of category {quoted(category)}, which is not among the categories"] += 1
    image, kind = (
        np.frombuffer(codes, np.int64) if codes else np.zeros(0, np.int64) for codes in (gathered.image, gathered.kind)
    )
    kind = known[kind]
    image, kind = image[kind >= 0], kind[kind >= 0]
    held = np.unique(image * len(names) + kind)
    counts = np.zeros((len(names), len(names)), np.int64)
    total = 0
    image, kind = np.divmod(held, len(names))
    for some in np.split(kind, np.flatnonzero(np.diff(image)) + 1):  # the classes of each image
        if some.size:
            counts[np.ix_(some, some)] += 1
            total += 1
    together = {(name, name): int(counts[k, k]) for k, name in enumerate(names)}
    together |= {ordered_pair(names[a], names[b]): int(counts[a, b]) for a, b in np.argwhere(np.triu(counts, 1))}
    return total, together
