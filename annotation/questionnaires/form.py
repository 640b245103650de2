"""A questionnaire as a whole: what it asks of an item, and what the answers mean. One definition for form, checks and docs.

What the rules of all questionnaires share on the way from answers to judgements stands here, too: yes, no, or None, which
is that it cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from annotation.questionnaires.base import Questionnaire, is_blank
from data.aspects import CANNOT_TELL, NO, SCALES, YES
from data.prompts.questions import PromptQuestion
from data.records import Judgement
from data.spec import HasSpec

ItemKind = Literal["image", "group", "pair"]


@dataclass(frozen=True, slots=True)
class FormItem(HasSpec):
    """What a questionnaire is about: one prompt, and the images shown of it.

    Attributes:
        spec: the prompt's spec as it is stored; ``{}`` where nothing is known.
        questions: the prompt's own, in their order.
        generators: who made the images, in the item's order. Only ``derive`` looks at it: ``build`` makes what a browser
            gets.
        order: at each place on the screen the position of the image within the item; empty: as they are.
        images: ids of the item's images, in its order. Only ``derive`` needs them, and only where it judges each image.
    """

    text: str
    spec: Mapping[str, Any] = field(default_factory=dict)
    n_images: int = 1
    questions: tuple[PromptQuestion, ...] = ()
    generators: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    images: tuple[str, ...] = ()

    def position(self, index: int) -> int:
        """The position within the item of the image at this place on the screen; both from 0."""
        return self.order[index] if self.order else index

    def image(self, index: int) -> str:
        """Return the id of the image at this place on the screen.

        Raises:
            ValueError: the item does not have it.
        """
        position = self.position(index)
        if position >= len(self.images):
            raise ValueError("a judgement about one of several images cannot belong to an item with a single image")
        return self.images[position]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is derived: an aspect on a scale, of what (``target``, in words), and by which rule."""

    aspect: str
    scale: str
    target: str
    rule: str


def meaning(aspect: str, target: str, rule: str) -> Meaning:
    """What is derived of an aspect of the vocabulary."""
    return Meaning(aspect, SCALES[aspect], target, rule)


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """An example with its answers, for people before they begin; ``picture`` is a data address."""

    title: str
    picture: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A questionnaire for any prompt.

    Attributes:
        version: moves with every change of wording; ``rule_version`` with every change of what answers mean.
        item_kind: what is shown: one image, the images of one prompt together (``group``), or two of them (``pair``).
        unfit: why it cannot ask about this, None if it can.
        prompted: whether it looks at the questions of the prompt's own.
        derive: what follows from answers; ValueError: they are about images that the item does not have.
        undecided: whether one person more must answer, told from the answers of as many as a campaign asks.
        example: what the documentation shows it with.
        worked_examples: pictures with right answers that it brings itself.
        overlap: how many people a campaign asks about each item unless it says otherwise.
    """

    name: str
    version: str
    item_kind: ItemKind
    summary: str
    rule_version: str
    build: Callable[[FormItem], Questionnaire]
    derive: Callable[[FormItem, Mapping[str, Any]], list[Judgement]]
    meanings: tuple[Meaning, ...]
    example: FormItem
    unfit: Callable[[FormItem], str | None] = lambda _: None
    prompted: bool = False
    undecided: Callable[[Sequence[Mapping[str, Any]]], bool] | None = None
    worked_examples: tuple[WorkedExample, ...] = ()
    overlap: int = 3

    @property
    def scales(self) -> dict[str, str]:
        """The scale of each aspect that it judges."""
        return {meaning.aspect: meaning.scale for meaning in self.meanings}

    def problem(self, item: FormItem) -> str | None:
        """Why it cannot ask about an item, in words for whoever makes a campaign; None if it can."""
        n = item.n_images
        if (self.item_kind == "image" and n != 1) or (self.item_kind == "pair" and n != 2) or n < 1:
            return f"'{self.name}' is asked of {_SHOWN[self.item_kind]}, not of {n} images"
        return self.unfit(item)


_SHOWN = {"image": "one image", "group": "one image or more together", "pair": "two images"}


Verdict = bool | None

BLANK: Final = "blank_image"
"""Why nothing can be said of an aspect: the image is blank."""


def yes_no(aspect: str, verdict: Verdict, target: str | None = None) -> Judgement:
    if verdict is None:
        return unsure(aspect, target)
    return Judgement(aspect, YES if verdict else NO, 1.0 if verdict else 0.0, target)


def unsure(aspect: str, target: str | None = None, reason: str = CANNOT_TELL) -> Judgement:
    """That somebody was asked and nothing can be said."""
    return Judgement(aspect, None, None, target, reason)


def level(aspect: str, answer: Any, highest: int, target: str | None = None) -> Iterable[Judgement]:
    """The judgement of a level from 1 to ``highest``; none of a blank, and of what is not on the scale."""
    if is_blank(answer):
        return ()
    if answer == CANNOT_TELL:
        return (unsure(aspect, target),)
    if isinstance(answer, int) and not isinstance(answer, bool) and 1 <= answer <= highest:
        return (Judgement(aspect, str(answer), float(answer), target),)
    return ()


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """No if one is no; else open if one is open."""
    seen = set(verdicts)
    if False in seen:
        return False
    return None if None in seen else True
