"""Questions about a prompt, each with choices and the answer that a faithful image gives (TIFA's format).

Made from specs without a language model: two of each element, as TIFA asks them: one that is answered "yes", and one whose
answer is the element, among distractors that are always the same ones.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from data.aspects import NO, YES
from data.prompts.coco import COCO, SUPERCATEGORY, article_by_sound, plain_name, plural
from data.prompts.geneval import COLORS
from data.prompts.spec import ObjectSpec, Relation, RelationSpec, Spec

ELEMENT_TYPES: Final = (
    "object", "animal/human", "food", "activity", "attribute", "counting", "color", "material", "spatial", "location",
    "shape", "other",
)  # fmt: skip
"""TIFA's, as its files write them (section 4 of the paper)."""

RULE: Final = "questions-from-specs-2"
"""Moves with every change of how questions are made from specs."""

_N_CHOICES: Final = 4
_ID_LENGTH: Final = 60
_KINDS: Final = {"person": "animal/human", "animal": "animal/human", "food": "food"}
_PLACES: Final[dict[Relation, str]] = {
    "left of": "to the left of", "right of": "to the right of", "above": "above", "below": "below"
}  # fmt: skip
_NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """One question about a prompt.

    Attributes:
        question_id: names it within its prompt, whatever becomes of its words.
        choices: ``answer`` is among them; yes and no, or several.
        element: what of the prompt it asks for (``"red cup"``), of the kind ``element_type``.
        parents: ids of the questions about the same prompt that must hold for this one to make sense: whether the cup is red
            depends on whether there is a cup (DSG's dependencies).
    """

    question_id: str
    text: str
    choices: tuple[str, ...]
    answer: str
    element_type: str
    element: str
    parents: tuple[str, ...] = ()

    @property
    def is_yes_no(self) -> bool:
        return {choice.casefold() for choice in self.choices} == {YES, NO}


def question_of(value: Mapping[str, Any]) -> PromptQuestion:
    """A question as JSON holds it (``dataclasses.asdict``); other keys are left alone.

    Raises:
        TypeError: a key is missing.
    """
    known = {one.name: value[one.name] for one in fields(PromptQuestion) if one.name in value}
    listed: dict[str, Any] = {name: tuple(found) if isinstance(found, list) else found for name, found in known.items()}
    return PromptQuestion(**listed)


def comparable(one: PromptQuestion, other: PromptQuestion) -> bool:
    """Whether answers to both are answers to the same question: words, choices and right answer are the same. What it is
    filed under, and which others must hold, may differ."""
    return (one.text, one.choices, one.answer) == (other.text, other.choices, other.answer)


def from_spec(spec: Spec) -> tuple[PromptQuestion, ...]:
    """Questions for all that a spec asks: its objects, their numbers, their colours, its relations. The same spec gives the
    same questions; one without objects gives none.

    Parents: whether an object is there depends on nothing; its number and its colour depend on that, a relation on both of its
    objects. Both questions about an element have the same parents, so that none depends on a choice among distractors.
    """
    asked: list[PromptQuestion] = []
    there: list[str] = []
    for k, thing in enumerate(spec.objects):
        there.append(_ask(asked, _object(thing, spec, k)))
        if thing.count > 1 or thing.exact:
            _ask(asked, _counting(thing), there[k])
        if thing.color is not None:
            _ask(asked, _color(thing, thing.color), there[k])
    for relation in spec.relations:
        _ask(asked, _spatial(spec, relation), there[relation.subject], there[relation.reference])
    return tuple(asked)


def new_id(text: str, taken: Sequence[str]) -> str:
    """A readable id for a question by its words; another where that is taken, or too short to tell."""
    name = re.sub(r"[\W_]+", "-", text.casefold()).strip("-")
    if name and len(name) <= _ID_LENGTH and name not in taken:
        return name
    digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{name[:_ID_LENGTH].strip('-') or 'question'}-{digest}"


_Made = tuple[str, tuple[str, ...], str, str, str]
"""(text, choices, answer, element type, element) of a question."""


def _ask(asked: list[PromptQuestion], more: Iterable[_Made], *parents: str) -> str:
    """Add questions about one element; returns the first one's id."""
    first = len(asked)
    for made in more:
        asked.append(PromptQuestion(new_id(made[0], [one.question_id for one in asked]), *made, parents))
    return asked[first].question_id


def _object(thing: ObjectSpec, spec: Spec, k: int) -> Iterator[_Made]:
    name = thing.target
    group = SUPERCATEGORY.get(plain_name(thing.name), "")
    kind = _KINDS.get(group, "object")
    yield f"is there {article_by_sound(name)} {name}?", (YES, NO), YES, kind, name
    asked = {plain_name(other.name) for other in spec.objects}
    # of the same group first: they are told apart by looking, not by guessing
    others = [other for other in COCO if other not in asked]
    near = [other for other in others if SUPERCATEGORY[other] == group]
    choices = _among(name, near, [other for other in others if other not in near], salt=f"object {name}")
    several = f" ({k + 1} of {len(spec.objects)})" if len(spec.objects) > 1 else ""
    yield f"which of these is in the image{several}?", choices, name, kind, name


def _counting(thing: ObjectSpec) -> Iterator[_Made]:
    many, n = plural(thing.name) + thing.target.removeprefix(thing.name), thing.count
    word = _NUMBERS[n] if n < len(_NUMBERS) else str(n)
    element = f"{word} {thing.target if n == 1 else many}"
    are = "is there exactly" if n == 1 else "are there"
    yield f"{are} {element}?", (YES, NO), YES, "counting", element
    first = max(1, n + 2 - _N_CHOICES) if n > _N_CHOICES else 1
    yield f"how many {many} are there?", tuple(str(first + k) for k in range(_N_CHOICES)), str(n), "counting", element


def _color(thing: ObjectSpec, color: str) -> Iterator[_Made]:
    element = f"{color} {thing.target}"
    yield f"is the {thing.target} {color}?", (YES, NO), YES, "color", element
    others = [other for other in COLORS if other != color]
    choices = _among(color, others, (), salt=f"color {element}")
    yield f"what color is the {thing.target}?", choices, color, "color", element


def _spatial(spec: Spec, relation: RelationSpec) -> Iterator[_Made]:
    one, other = spec.objects[relation.subject].target, spec.objects[relation.reference].target
    yield f"is the {one} {_PLACES[relation.relation]} the {other}?", (YES, NO), YES, "spatial", relation.target
    where = f"where is the {one}, seen from the {other}?"
    yield where, tuple(_PLACES), relation.relation, "spatial", relation.target


def _among(answer: str, near: Sequence[str], far: Sequence[str], salt: str) -> tuple[str, ...]:
    """The answer among distractors, near ones first, in an order by chance that is always the same."""

    def draw(name: str) -> bytes:
        return hashlib.blake2b(f"{salt}\0{name}".encode(), digest_size=8).digest()

    others = [*sorted(near, key=draw), *sorted(far, key=draw)][: _N_CHOICES - 1]
    return tuple(sorted((answer, *others), key=lambda name: draw(f"place {name}")))
