"""What is true of a scene, said in the same aspects and targets that scorers and people use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from data.playground.scene import Placed, Scene
from data.prompts.spec import ObjectSpec, Relation, RelationSpec, Spec

Aspect = Literal["correct", "present", "count", "color", "position"]


@dataclass(frozen=True, slots=True)
class Fact:
    """``value``: yes/no; for ``count`` the true number, not capped. ``target`` is None for ``correct``."""

    aspect: Aspect
    target: str | None
    value: bool | int


def facts(spec: Spec, scene: Scene) -> tuple[Fact, ...]:
    """Every demand of the spec held against the scene; ``correct`` comes last."""
    found = [*_object_facts(spec, scene), *(_position(spec, relation, scene) for relation in spec.relations)]
    correct = all(_met(spec, fact) for fact in found)
    return (*found, Fact("correct", None, correct))


def correct(spec: Spec, scene: Scene) -> bool:
    """Whether all that the spec asks is in the scene (GenEval's sense: at least ``count``, exactly if ``exact``)."""
    return bool(facts(spec, scene)[-1].value)


def holds(subject: Placed, reference: Placed, relation: Relation) -> bool:
    """The relation by the objects' centres."""
    if relation == "left of":
        return subject.x < reference.x
    if relation == "right of":
        return subject.x > reference.x
    return subject.y < reference.y if relation == "above" else subject.y > reference.y


def _object_facts(spec: Spec, scene: Scene) -> Iterator[Fact]:
    for wanted in spec.objects:
        here = [placed for placed in scene.objects if placed.kind == wanted.name]
        yield Fact("present", wanted.target, bool(here))
        yield Fact("count", wanted.target, len(here))
        if wanted.color is not None:
            painted = sum(placed.color == wanted.color for placed in here)
            yield Fact("color", wanted.target, painted >= wanted.count)


def _position(spec: Spec, relation: RelationSpec, scene: Scene) -> Fact:
    subjects = [placed for placed in scene.objects if placed.kind == spec.objects[relation.subject].name]
    references = [placed for placed in scene.objects if placed.kind == spec.objects[relation.reference].name]
    there = bool(subjects) and bool(references)
    value = there and all(holds(a, b, relation.relation) for a in subjects for b in references)
    return Fact("position", relation.target, value)


def _met(spec: Spec, fact: Fact) -> bool:
    if fact.aspect != "count":
        return bool(fact.value)
    wanted = _by_target(spec, fact.target)
    return fact.value == wanted.count if wanted.exact else fact.value >= wanted.count


def _by_target(spec: Spec, target: str | None) -> ObjectSpec:
    return next(wanted for wanted in spec.objects if wanted.target == target)
