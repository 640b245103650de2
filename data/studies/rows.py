"""What a published study's files come to: one row per person's answers, one per metric's score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from data.records import Image, Item, Prompt


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One person's answers to one item.

    Attributes:
        rater_id: the slot (``geneval/slot-1``); slots keep file order within an item and are nobody in particular.
        answers: by the questionnaire's question ids; a blank cell leaves its question out.
        raw: the record as it stands in the file.
        active_seconds: time at work on the page, where the study says.
        line: where the record begins in the file, from 1.
    """

    item: Item
    image: Image
    rater_id: str
    answers: Mapping[str, Any]
    raw: Mapping[str, Any]
    active_seconds: float | None
    line: int


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric's real number for one item (aspect ``score``); ``rater_id`` is the metric's name in the file."""

    item: Item
    image: Image
    rater_id: str
    value: float
    line: int


@dataclass(frozen=True, slots=True)
class StudyRatings:
    """A study's content. ``missing_scores`` counts, per metric, the items without a value."""

    prompts: tuple[Prompt, ...]
    rows: tuple[AnnotationRow, ...]
    scores: tuple[ScoreRow, ...] = ()
    missing_scores: Mapping[str, int] = field(default_factory=dict)

    @property
    def images(self) -> tuple[Image, ...]:
        """The images of all rows and scores, each once, in file order."""
        return tuple(dict.fromkeys([*(row.image for row in self.rows), *(score.image for score in self.scores)]))

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of all rows and scores, each once, in file order."""
        return tuple(dict.fromkeys([*(row.item for row in self.rows), *(score.item for score in self.scores)]))

    @property
    def rater_ids(self) -> tuple[str, ...]:
        """The slots, by number."""
        return tuple(sorted({row.rater_id for row in self.rows}, key=lambda rater_id: (len(rater_id), rater_id)))

    @property
    def scorer_ids(self) -> tuple[str, ...]:
        """The metrics, in file order, also one that never has a value."""
        return tuple(dict.fromkeys((*self.missing_scores, *(score.rater_id for score in self.scores))))


def image_item(image: Image, prompt: Prompt) -> Item:
    """The item that shows a single image; it has the image's id."""
    return Item(image.image_id, prompt.suite, prompt.prompt_id, prompt.task, image.generator)
