"""A scene: what is where, in which colour, before what; what is true of it, and the answers that it gives to TIFA's questions.

It is the truth about a picture, whatever size it is drawn at. Facts are in the same aspects and targets that scorers and people
use. Questions are in the very words of ``questions_from_spec``; the answer is looked up in the scene, never in the prompt. A
question to which no choice is the one right answer (two of the choices are there; the cup whose colour is asked is not) has
none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from data.aspects import NO, YES
from data.playground.objects import KINDS
from data.prompts.questions import PromptQuestion, questions_from_spec
from data.spec import ObjectSpec, Relation, RelationSpec, Spec


@dataclass(frozen=True, slots=True)
class Placed:
    """One object. Lengths are shares of the picture's side, x to the right and y down.

    Attributes:
        kind: a name in ``KINDS``.
        color: one of GenEval's ten.
        x: centre of the drawing.
        y: centre of the drawing.
        size: length of one unit of the kind's drawing.
        tilt: radians, clockwise.
        mirrored: left and right exchanged.
        stretch: width over natural width.
        variant: seed of what differs between two of a kind (shade, hands of a clock).
    """

    kind: str
    color: str
    x: float
    y: float
    size: float
    tilt: float = 0.0
    mirrored: bool = False
    stretch: float = 1.0
    variant: int = 0

    @property
    def half_extent(self) -> tuple[float, float]:
        """Half width and half height of the upright box around the tilted drawing."""
        kind = KINDS[self.kind]
        w, h = kind.half_width * self.size * self.stretch, kind.half_height * self.size
        cos, sin = abs(np.cos(self.tilt)), abs(np.sin(self.tilt))
        return float(w * cos + h * sin), float(w * sin + h * cos)


@dataclass(frozen=True, slots=True)
class Background:
    """``texture``: a name in ``render.TEXTURES``; ``hue``, ``saturation`` and ``value`` 0-1; ``seed`` of its pattern."""

    texture: str
    hue: float
    saturation: float
    value: float
    seed: int


@dataclass(frozen=True, slots=True)
class Scene:
    """Objects from back to front on a background."""

    objects: tuple[Placed, ...]
    background: Background


@dataclass(frozen=True, slots=True, eq=False)
class ScenePicture:
    """A scene as pixels.

    Attributes:
        image: height x width x 3, sRGB, uint8.
        masks: objects x height x width, bool: the pixels in which most of what one sees is that object.
        boxes: objects x 4, float: x0, y0, x1, y1 around each mask in pixels, x1 and y1 exclusive; zeros if nothing shows.
    """

    image: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    boxes: NDArray[np.float64]


FactAspect = Literal["correct", "present", "count", "color", "position"]


@dataclass(frozen=True, slots=True)
class Fact:
    """``value``: yes/no; for ``count`` the true number, not capped. ``target`` is None for ``correct``."""

    aspect: FactAspect
    target: str | None
    value: bool | int


def scene_facts(spec: Spec, scene: Scene) -> tuple[Fact, ...]:
    """Every demand of the spec held against the scene; ``correct`` comes last."""
    facts = []
    for wanted in spec.objects:
        here = objects_of_kind(scene, wanted.name)
        facts += [Fact("present", wanted.target, bool(here)), Fact("count", wanted.target, len(here))]
        if wanted.color is not None:
            painted = sum(placed.color == wanted.color for placed in here)
            facts.append(Fact("color", wanted.target, painted >= wanted.count))
    facts += [_relation_fact(spec, relation, scene) for relation in spec.relations]
    correct = all(_is_met(spec, fact) for fact in facts)
    return (*facts, Fact("correct", None, correct))


def is_correct(spec: Spec, scene: Scene) -> bool:
    """Whether all that the spec asks is in the scene (GenEval's sense: at least ``count``, exactly if ``exact``)."""
    return bool(scene_facts(spec, scene)[-1].value)


def relation_holds(subject: Placed, reference: Placed, relation: Relation) -> bool:
    """The relation by the objects' centres."""
    if relation == "left of":
        return subject.x < reference.x
    if relation == "right of":
        return subject.x > reference.x
    return subject.y < reference.y if relation == "above" else subject.y > reference.y


def _relation_fact(spec: Spec, relation: RelationSpec, scene: Scene) -> Fact:
    subjects, references = _ends(spec, relation, scene)
    there = bool(subjects) and bool(references)
    value = there and all(relation_holds(a, b, relation.relation) for a in subjects for b in references)
    return Fact("position", relation.target, value)


def _is_met(spec: Spec, fact: Fact) -> bool:
    if fact.aspect != "count":
        return bool(fact.value)
    wanted = next(wanted for wanted in spec.objects if wanted.target == fact.target)
    return fact.value == wanted.count if wanted.exact else fact.value >= wanted.count


_TOO_NEAR: Final = 0.05
"""Centres nearer than this along an axis (share of the side) are not asked about: nobody would see which comes first."""
_CLEAR: Final = 1.3
"""How many times farther apart along one axis than along the other, for "where" to have one answer."""

SpecPart = ObjectSpec | RelationSpec


def true_answers(spec: Spec, scene: Scene) -> tuple[tuple[PromptQuestion, str | None], ...]:
    """The spec's questions, each with the choice that is right about the scene; None where none is, or more than one."""
    return tuple(
        (question, true_answer(question, part, spec, scene))
        for question, part in zip(questions_from_spec(spec), question_parts(spec), strict=True)
    )


def question_parts(spec: Spec) -> Iterator[SpecPart]:
    """What each question of ``questions_from_spec`` asks about, in its order."""
    for thing in spec.objects:
        pairs = 1 + (thing.count > 1 or thing.exact) + (thing.color is not None)
        yield from [thing] * 2 * pairs
    for relation in spec.relations:
        yield from [relation] * 2


def true_answer(question: PromptQuestion, part: SpecPart, spec: Spec, scene: Scene) -> str | None:
    """The choice that is right about the scene; None where none is, or more than one."""
    if isinstance(part, RelationSpec):
        ends = _ends(spec, part, scene)
        return _relation_answer(*ends, part.relation) if question.is_yes_no else _position_answer(*ends)
    here = objects_of_kind(scene, part.name)
    if question.element_type == "counting":
        number = str(len(here))
        if question.is_yes_no:
            return _yes_no(len(here) == part.count)
        return number if number in question.choices else None
    if question.element_type == "color":
        return _color_answer(question, part, {placed.color for placed in here})
    if question.is_yes_no:
        return _yes_no(bool(here))
    return _single({placed.kind for placed in scene.objects} & set(question.choices))


def _ends(spec: Spec, relation: RelationSpec, scene: Scene) -> tuple[list[Placed], list[Placed]]:
    first, second = (objects_of_kind(scene, spec.objects[k].name) for k in (relation.subject, relation.reference))
    return first, second


def objects_of_kind(scene: Scene, kind: str) -> list[Placed]:
    """The scene's objects of a kind."""
    return [placed for placed in scene.objects if placed.kind == kind]


def _yes_no(value: bool) -> str:
    return YES if value else NO


def _single(values: set[str]) -> str | None:
    return next(iter(values)) if len(values) == 1 else None


def _color_answer(question: PromptQuestion, part: ObjectSpec, seen: set[str]) -> str | None:
    if not question.is_yes_no:
        color = _single(seen)
        return color if color in question.choices else None
    if part.color in seen and len(seen) > 1:
        return None
    return _yes_no(part.color in seen)


def _relation_answer(subjects: list[Placed], references: list[Placed], relation: Relation) -> str | None:
    """Yes where it holds of all pairs, no where of none or where one is missing, by the objects' centres."""
    pairs = [(a, b) for a in subjects for b in references]
    across = relation in ("left of", "right of")
    if any(abs(a.x - b.x if across else a.y - b.y) < _TOO_NEAR for a, b in pairs):
        return None
    held = {relation_holds(a, b, relation) for a, b in pairs}
    return None if len(held) > 1 else _yes_no(held == {True})


def _position_answer(subjects: list[Placed], references: list[Placed]) -> str | None:
    if len(subjects) != 1 or len(references) != 1:
        return None
    x, y = subjects[0].x - references[0].x, subjects[0].y - references[0].y
    if abs(x) >= _CLEAR * abs(y):
        return "left of" if x < 0 else "right of"
    if abs(y) >= _CLEAR * abs(x):
        return "above" if y < 0 else "below"
    return None
