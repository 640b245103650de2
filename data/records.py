"""The records that everything passes around: what is judged, who judges, and what they answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from data.spec import HasSpec

RaterKind = Literal["human", "scorer", "consensus"]
"""What a rater is. ``agreement.estimate.Kind``, which knows no package of ours, and the database have the same names."""
Identity = Literal["person", "slot"]


@dataclass(frozen=True, slots=True)
class Prompt(HasSpec):
    """A text given to generators. ``prompt_id`` is ``suite/00042``; ``spec`` says what must be in the image."""

    prompt_id: str
    suite: str
    text: str
    task: str | None = None
    spec: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Image:
    """A place (prompt, generator, index); its file may come later or never.

    ``sha256`` (hex of the file's bytes), ``width`` and ``height`` (pixels, after EXIF rotation) are known iff ``path`` is.
    ``blanked``: why the file is no picture though its generator made it (``data.jobs.generation.BLANKED``).
    """

    prompt_id: str
    generator: str
    index: int
    path: Path | None = None
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    blanked: str | None = None

    @property
    def image_id(self) -> str:
        return f"{self.prompt_id}/{self.generator}/{self.index}"


@dataclass(frozen=True, slots=True)
class Rater:
    """Whoever judges. ``rater_id`` is the name it goes by everywhere; ``identity`` is for humans only."""

    rater_id: str
    kind: RaterKind
    identity: Identity | None = None
    version: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """What is shown and judged. A single image's item has the image's id."""

    item_id: str
    suite: str
    prompt_id: str | None = None
    task: str | None = None
    generator: str | None = None
    kind: Literal["image", "pair", "group"] = "image"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One rater's value for one aspect and target of one item.

    Attributes:
        label: the value as a category (``"yes"``, ``"3"``), None for an interval score and where nothing can be said.
        value: the value as a number where it has one (yes = 1, no = 0).
        reason: why ``label`` and ``value`` are both None (``"cannot_tell"``); None otherwise.
        item_id: the image that it is about, where that is one of several of the source's item; None: the item itself.
    """

    aspect: str
    label: str | None
    value: float | None
    target: str | None = None
    reason: str | None = None
    item_id: str | None = None


@dataclass(frozen=True, slots=True)
class Annotation:
    """One person's whole answer for one item, with the judgements derived from it.

    Attributes:
        annotation_id: made by whoever submits (a UUID), so that sending it twice is harmless.
        questionnaire: which questions were asked; ``answers`` are theirs by question id.
        raw: the source's own row, where the answer was imported; else what the screen showed (``order`` of the images,
            ``questions``: the version of the prompt's own).
        scales: of judged aspects that are not in the vocabulary.
        revises: the annotation that this one replaces.
    """

    annotation_id: str
    item_id: str
    rater_id: str
    questionnaire: str
    answers: Mapping[str, Any]
    judgements: tuple[Judgement, ...]
    rule_version: str
    campaign_id: str | None = None
    raw: Mapping[str, Any] | None = None
    started: datetime | None = None
    active_seconds: float | None = None
    saw_evidence: bool = False
    revises: str | None = None
    scales: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a scorer saw of one item, with the judgements made from it; ``failed`` says why it saw nothing."""

    evidence_id: str
    item_id: str
    rater_id: str
    payload: Mapping[str, Any]
    judgements: tuple[Judgement, ...]
    rule_version: str
    failed: str | None = None


def image_item(image: Image, prompt: Prompt) -> Item:
    """The item that shows a single image; it has the image's id."""
    return Item(image.image_id, prompt.suite, prompt.prompt_id, prompt.task, image.generator)


@dataclass(frozen=True, slots=True)
class ScorerDescription:
    """A scorer as the project knows it; ``version`` is None for one that was imported as numbers alone."""

    rater_id: str
    version: str | None
    settings: Mapping[str, Any]
    profiles: tuple[str, ...]
