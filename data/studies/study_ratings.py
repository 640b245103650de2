"""What files of published studies hold (a rating per person and item, metrics' scores), and how their entries are checked.

A rating off its scale is kept as a rating without a value (``off_scale``), and named with its file and line. What a file gives
as "no answer" is no rating.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from data.files import InputError, fail, located, quoted, read_text
from data.json_files import JsonStream
from data.records import Identity, Image, Item, Prompt, image_item


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One person's answers to one image.

    Attributes:
        rater_id: the slot (``geneval/slot-1``); slots keep file order within an image and are nobody in particular.
        answers: by the questionnaire's question ids; a blank cell leaves its question out.
        raw: the record as it stands in the file.
        active_seconds: time at work on the page, where the study says.
        off_scale: by aspect what was written that is not on its scale; such a rating has no value.
        identity: whether the rater is somebody, or a slot.
    """

    image: Image
    rater_id: str
    answers: Mapping[str, Any]
    raw: Mapping[str, Any]
    active_seconds: float | None = None
    off_scale: Mapping[str, float] = field(default_factory=dict)
    identity: Identity = "slot"


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric's real number for one image (aspect ``score``); ``rater_id`` is the metric's name in the file, ``reasoning``
    a judge's words."""

    image: Image
    rater_id: str
    value: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class StudyRatings:
    """A study's content.

    Attributes:
        missing_scores: by metric the images without a value.
        unanswered: by file the ratings that say "no answer".
        excluded: ratings without a value, each with its file, its line and the reason.
    """

    prompts: tuple[Prompt, ...]
    rows: tuple[AnnotationRow, ...]
    scores: tuple[ScoreRow, ...] = ()
    missing_scores: Mapping[str, int] = field(default_factory=dict)
    unanswered: Mapping[str, int] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()

    @property
    def images(self) -> tuple[Image, ...]:
        """The images of all rows and scores, each once, in file order."""
        return tuple(dict.fromkeys([*(row.image for row in self.rows), *(score.image for score in self.scores)]))

    @property
    def items(self) -> tuple[Item, ...]:
        """Their items."""
        prompts = {prompt.prompt_id: prompt for prompt in self.prompts}
        return tuple(image_item(image, prompts[image.prompt_id]) for image in self.images)


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that can be compared."""
    # a whole number of hundreds of digits is none that can be compared
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63)


OFF_SCALE: Final = "off_scale"
T = TypeVar("T")


def entries_of(path: Path) -> Iterator[tuple[int, str, Any]]:
    """``(line, key, entry)`` of a JSON object of objects."""
    for line, key, entry in JsonStream.of_text(path, read_text(path)).object():
        if not isinstance(entry, dict):
            fail(path, line, f"{quoted(key)} holds {quoted(entry)}, an object expected")
        yield line, key, entry


def is_finite(value: Any) -> bool:
    """Return True if a JSON value is a finite number."""
    return is_number(value) and math.isfinite(value)


def value_of(entry: Mapping[str, Any], key: str, kind: type[T], expected: str) -> T:
    """The value that an entry has under a key; ValueError says what is expected."""
    value = entry.get(key)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{quoted(key)} is {quoted(value)}, {expected} expected")
    return value


def refuse_empty(rows: Sequence[Any], path: Path) -> None:
    """Raise an InputError if a file holds no ratings."""
    if not rows:
        raise InputError(located(path, None, "holds no ratings"))
