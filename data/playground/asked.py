"""TIFA's questions about a drawn scene with the answers that the scene gives, in the very words of ``from_spec``.

The answer is looked up in the scene, never in the prompt. A question to which no choice is the one right answer (two of the
choices are there; the cup whose colour is asked is not) has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from data.aspects import NO, YES
from data.playground.scene import Placed, Scene
from data.playground.truth import holds
from data.prompts.questions import PromptQuestion, from_spec
from data.prompts.spec import ObjectSpec, Relation, RelationSpec, Spec

_TOO_NEAR: Final = 0.05
"""Centres nearer than this along an axis (share of the side) are not asked about: nobody would see which comes first."""
_CLEAR: Final = 1.3
"""How many times farther apart along one axis than along the other, for "where" to have one answer."""

Part = ObjectSpec | RelationSpec


def truths(spec: Spec, scene: Scene) -> tuple[tuple[PromptQuestion, str | None], ...]:
    """The spec's questions, each with the choice that is right about the scene; None where none is, or more than one."""
    return tuple(
        (question, true_answer(question, part, spec, scene))
        for question, part in zip(from_spec(spec), parts(spec), strict=True)
    )


def parts(spec: Spec) -> Iterator[Part]:
    """What each question of ``from_spec`` asks about, in its order."""
    for thing in spec.objects:
        pairs = 1 + (thing.count > 1 or thing.exact) + (thing.color is not None)
        yield from [thing] * 2 * pairs
    for relation in spec.relations:
        yield from [relation] * 2


def answered(spec: Spec, scene: Scene) -> tuple[PromptQuestion, ...]:
    """The spec's questions with the scene's answers, without those that have none."""
    return tuple(replace(question, answer=answer) for question, answer in truths(spec, scene) if answer is not None)


def true_answer(question: PromptQuestion, part: Part, spec: Spec, scene: Scene) -> str | None:
    """The choice that is right about the scene; None where none is, or more than one."""
    if isinstance(part, RelationSpec):
        ends = (_named(scene, spec.objects[part.subject].name), _named(scene, spec.objects[part.reference].name))
        return _side(*ends, part.relation) if question.is_yes_no else _where(*ends)
    here = _named(scene, part.name)
    if question.element_type == "counting":
        number = str(len(here))
        if question.is_yes_no:
            return _said(len(here) == part.count)
        return number if number in question.choices else None
    if question.element_type == "color":
        return _color(question, part, {placed.color for placed in here})
    if question.is_yes_no:
        return _said(bool(here))
    return _only({placed.kind for placed in scene.objects} & set(question.choices))


def _named(scene: Scene, kind: str) -> list[Placed]:
    return [placed for placed in scene.objects if placed.kind == kind]


def _said(value: bool) -> str:
    return YES if value else NO


def _only(found: set[str]) -> str | None:
    return next(iter(found)) if len(found) == 1 else None


def _color(question: PromptQuestion, part: ObjectSpec, seen: set[str]) -> str | None:
    if not question.is_yes_no:
        color = _only(seen)
        return color if color in question.choices else None
    if part.color in seen and len(seen) > 1:
        return None
    return _said(part.color in seen)


def _side(subjects: list[Placed], references: list[Placed], relation: Relation) -> str | None:
    """Yes where it holds of all pairs, no where of none or where one is missing, by the objects' centres."""
    pairs = [(a, b) for a in subjects for b in references]
    across = relation in ("left of", "right of")
    if any(abs(a.x - b.x if across else a.y - b.y) < _TOO_NEAR for a, b in pairs):
        return None
    held = {holds(a, b, relation) for a, b in pairs}
    return None if len(held) > 1 else _said(held == {True})


def _where(subjects: list[Placed], references: list[Placed]) -> str | None:
    if len(subjects) != 1 or len(references) != 1:
        return None
    x, y = subjects[0].x - references[0].x, subjects[0].y - references[0].y
    if abs(x) >= _CLEAR * abs(y):
        return "left of" if x < 0 else "right of"
    if abs(y) >= _CLEAR * abs(x):
        return "above" if y < 0 else "below"
    return None
