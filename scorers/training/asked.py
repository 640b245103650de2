"""Pictures for training with questions about them, in the very words in which TIFA asks (``data.playground.scene``).

Half of the questions that can be answered "no" are. Questions to which the scene has no answer are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from data.playground.drawing import SceneLook, draw, draw_carelessly
from data.playground.objects import KINDS
from data.playground.render import SIZE, render
from data.playground.sample import TASKS, random_metadata
from data.playground.scene import Scene, answered_questions, objects_of_kind
from data.prompts.coco import GENEVAL
from data.prompts.geneval import COLORS
from data.prompts.questions import PromptQuestion
from data.prompts.spec import ObjectSpec, Relation, RelationSpec, Spec, parse_spec
from scorers.training.scenes import LOOKS, Split, crowd, groups, nothing, seeded

_RELATIONS: Final[tuple[Relation, ...]] = ("left of", "right of", "above", "below")

Form = tuple[str, bool]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A picture with its questions, ``answer`` being the true one.

    Attributes:
        image: 128 x 128 x 3, uint8.
        masks: objects x 128 x 128, the scene's objects; empty where the picture shows none.
        asked: questions that have a right answer; may repeat.
    """

    image: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    scene: Scene
    asked: tuple[PromptQuestion, ...]


def form(question: PromptQuestion) -> Form:
    """What is asked for (food, animals and people count as objects), and whether it is a yes/no question."""
    kind = question.element_type
    return (kind if kind in ("counting", "color", "spatial") else "object"), question.is_yes_no


def shown(split: Split, seed: int, specs: int = 4) -> Shown:
    """A picture of the split, with its own prompt's questions and those of ``specs`` others that partly fit it.

    Two fifths are careless drawings of GenEval's prompts, a fifth two objects in a relation, the others groups, crowds and
    grounds without any object.
    """
    rng = seeded(split, seed + 4 * 10**6)
    scene, own, empty = _scene(split, seed, rng)
    asked = list(answered_questions(own, scene)) if own else []
    for _ in range(specs):
        asked += answered_questions(some_spec(scene, rng), scene)
    picture = render(scene, SIZE)
    return Shown(picture.image if empty is None else empty, picture.masks, scene, tuple(asked))


def _scene(split: Split, seed: int, rng: np.random.Generator) -> tuple[Scene, Spec | None, NDArray[np.uint8] | None]:
    """A scene, the prompt it was drawn for, and the picture where it is not the scene's rendering."""
    choice = rng.random()
    if choice < 0.60:
        task = TASKS[int(rng.integers(len(TASKS)))] if choice < 0.40 else "position"
        own = parse_spec(random_metadata(task, rng, LOOKS[split]))
        return _careless(own, rng, LOOKS[split]), own, None
    if choice < 0.82:
        return _smaller(groups(split, seed), rng), None, None
    scene = _smaller(crowd(split, seed), rng)
    if choice < 0.95:
        return scene, None, None
    return replace(scene, objects=()), None, nothing(split, seed, blobs=choice < 0.98).image


def _smaller(scene: Scene, rng: np.random.Generator) -> Scene:
    """In two of five scenes all is smaller than the layout makes so few objects."""
    if rng.random() < 0.6:
        return scene
    share = float(rng.uniform(0.5, 1.0))
    return replace(scene, objects=tuple(replace(placed, size=placed.size * share) for placed in scene.objects))


def _careless(spec: Spec, rng: np.random.Generator, look: SceneLook) -> Scene:
    """Faults of colour may paint pairs that the look keeps back (swapped colours): then there is no fault."""
    seed = int(rng.integers(2**62))
    scene = draw_carelessly(spec, seed, 0.5, look).scene
    kept = all((placed.kind, placed.color) in look.pairs for placed in scene.objects)
    return scene if kept else draw(spec, seed, look)


def some_spec(scene: Scene, rng: np.random.Generator) -> Spec:
    """One or two objects with numbers, colours and a relation, about half of each as they are in the scene."""
    # about half of the pairs are both there: a relation is not to be told by who is missing
    present = 0.95 if rng.random() < 0.4 else 0.6
    first, second = _some_kind(scene, rng, (), present), None
    if rng.random() < 0.7:
        second = _some_kind(scene, rng, (first,), present)
    objects = tuple(_some_object(scene, kind, rng) for kind in (first, second) if kind is not None)
    if second is None:
        return Spec(objects)
    relation = _RELATIONS[int(rng.integers(4))]
    return Spec(objects, (RelationSpec(0, 1, relation, f"{first} {relation} {second}"),))


def _some_kind(scene: Scene, rng: np.random.Generator, but: tuple[str, ...], present: float) -> str:
    here = sorted({placed.kind for placed in scene.objects} - set(but))
    if here and rng.random() < present:
        return here[int(rng.integers(len(here)))]
    names = GENEVAL if rng.random() < 0.3 else tuple(KINDS)
    others = [name for name in names if name not in but]
    return others[int(rng.integers(len(others)))]


def _some_object(scene: Scene, kind: str, rng: np.random.Generator) -> ObjectSpec:
    here = objects_of_kind(scene, kind)
    count, color = int(rng.integers(1, 6)), COLORS[int(rng.integers(len(COLORS)))]
    if here and rng.random() < 0.5:
        count = len(here)
    if here and rng.random() < 0.5:
        color = here[0].color
    elif scene.objects and rng.random() < 0.3:
        color = scene.objects[int(rng.integers(len(scene.objects)))].color
    return ObjectSpec(kind, kind, count, True, color)
