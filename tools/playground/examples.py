"""Pictures to learn from, with captions and questions.

- Sound scenes, crowds, and what is none of the kinds (blobs, noise, half an object).
- Captions for scenes, and captions that are nearly right: what an image-text model has to tell apart.
- Questions in the very words in which TIFA asks (``answered_questions``). Half of those that can be
  answered "no" are; questions to which the scene has no answer are left out.

Splits never meet: a seed is drawn with the name of its split, and ``train`` uses neither the textures nor the object-colour
pairs that are held out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from data.playground.drawing import (
    ALL_PAIRS,
    MAX_OBJECTS,
    DrawnScene,
    KindColor,
    PlannedObject,
    SceneLook,
    ScenePlan,
    arrange_objects,
    draw,
    draw_carelessly,
)
from data.playground.objects import KINDS, Pen, color_palette, smooth_curve
from data.playground.render import SIZE, TEXTURES, render
from data.playground.sample import TASKS, random_metadata
from data.playground.scene import Scene, is_correct, objects_of_kind, true_answers
from data.prompts.coco import GENEVAL
from data.prompts.geneval_suite import COLORS, POSITIONS, color_attr, colors, counting, position, single_object, two_object
from data.prompts.questions import PromptQuestion
from data.spec import ObjectSpec, Relation, RelationSpec, Spec, parse_spec

Split = Literal["train", "held-out"]

HELD_OUT_PAIRS: Final[frozenset[KindColor]] = frozenset(
    (kind, COLORS[(3 * number + shift) % len(COLORS)]) for number, kind in enumerate(KINDS) for shift in (0, 5)
)
"""Two colours of each kind, 20 % of all pairs, spread evenly over the colours. Nothing is ever trained on them."""

HELD_OUT_TEXTURES: Final = ("checks", "waves")
"""Grounds that nothing is ever trained on."""
TRAIN_LOOK: Final = SceneLook(
    "train", tuple(name for name in TEXTURES if name not in HELD_OUT_TEXTURES), ALL_PAIRS - HELD_OUT_PAIRS
)
HELD_OUT_LOOK: Final = SceneLook("held-out", HELD_OUT_TEXTURES, HELD_OUT_PAIRS)
LOOKS: Final[dict[Split, SceneLook]] = {"train": TRAIN_LOOK, "held-out": HELD_OUT_LOOK}
NAMES: Final = tuple(KINDS)
"""Class numbers of the models: the kinds in alphabetical order."""

_NUMBERS: Final[dict[Split, int]] = {"train": 1, "held-out": 2}
_HALF_ERASED: Final = (0.5, 0.65)


@dataclass(frozen=True, slots=True, eq=False)
class DetectionExample:
    """``image``: side x side x 3, uint8. ``owners``: side x side, 0 ground, k the k-th of ``kinds`` (class numbers)."""

    image: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    kinds: tuple[int, ...]


def seeded(split: Split, seed: int) -> np.random.Generator:
    """A generator that no other split or seed shares."""
    return np.random.default_rng([_NUMBERS[split], seed])


def held_out_drawing(task: str, seed: int, look: SceneLook) -> tuple[Spec, DrawnScene, np.random.Generator]:
    """A prompt of a task and a careless drawing of it that no training saw, about half of them with a fault; and the generator
    that made both."""
    rng = seeded("held-out", seed)
    spec = parse_spec(random_metadata(task, rng, look))
    return spec, draw_carelessly(spec, int(rng.integers(2**62)), look=look), rng


def answered_questions(spec: Spec, scene: Scene) -> tuple[PromptQuestion, ...]:
    """The spec's questions with the scene's answers, without those that have none."""
    return tuple(replace(question, answer=answer) for question, answer in true_answers(spec, scene) if answer is not None)


def captioned(split: Split, seed: int, tasks: tuple[str, ...] = TASKS) -> tuple[dict[str, Any], Scene]:
    """GenEval metadata of a random task and a sound scene for it."""
    rng = seeded(split, seed)
    metadata = random_metadata(tasks[int(rng.integers(len(tasks)))], rng, LOOKS[split])
    return metadata, draw(parse_spec(metadata), int(rng.integers(2**62)), LOOKS[split])


def crowd(split: Split, seed: int) -> Scene:
    """One to six objects of any kinds."""
    rng = seeded(split, seed)
    return _with_ground(split, seed, [_random_object(rng, LOOKS[split]) for _ in range(int(rng.integers(1, 7)))], rng)


def groups(split: Split, seed: int) -> Scene:
    """One to three kinds, one to five of each, six objects at most; those of a kind mostly in one colour."""
    rng = seeded(split, seed + 5 * 10**6)
    things: list[PlannedObject] = []
    for kind in rng.permutation(NAMES)[: int(rng.integers(1, 4))]:
        colors = LOOKS[split].colors(kind)
        many, same = min(int(rng.integers(1, 6)), 6 - len(things)), rng.random() < 0.75
        picked = rng.integers(len(colors), size=max(0, many))
        things += [PlannedObject(str(kind), colors[int(picked[0] if same else color)]) for color in picked]
    return _with_ground(split, seed, [things[int(k)] for k in rng.permutation(len(things))], rng)


def example(split: Split, seed: int, size: int = SIZE) -> DetectionExample:
    """A picture for a detector: 55 % GenEval scenes, 20 % crowds, 13 % half-erased, 8 % blobs, 4 % noise or bare ground."""
    choice = float(np.random.default_rng([_NUMBERS[split], seed, 1]).random())
    if choice < 0.55:
        return _rendered(captioned(split, seed)[1], size)
    if choice < 0.75:
        return _rendered(crowd(split, seed), size)
    if choice < 0.88:
        return half_erased(split, seed, size)
    return nothing(split, seed, size, blobs=choice < 0.96)


def half_erased(split: Split, seed: int, size: int = SIZE) -> DetectionExample:
    """A scene in which 50-65 % of one object is wiped out; that object no longer counts."""
    scene = crowd(split, seed)
    rng = seeded(split, seed + 10**6)
    victim = int(rng.integers(len(scene.objects)))
    whole = render(scene, size)
    rest = render(replace(scene, objects=(*scene.objects[:victim], *scene.objects[victim + 1 :])), size)
    angle = rng.uniform(0, 2 * np.pi)
    rows, columns = np.mgrid[:size, :size]
    along = columns * np.cos(angle) + rows * np.sin(angle)
    if not whole.masks[victim].any():
        return _example(whole.image, whole.masks, scene, None)
    wiped = along <= np.quantile(along[whole.masks[victim]], rng.uniform(*_HALF_ERASED))
    x0, y0, x1, y1 = whole.boxes[victim].astype(int)
    near = np.zeros((size, size), bool)
    near[max(0, y0 - 6) : y1 + 6, max(0, x0 - 6) : x1 + 6] = True
    image = np.where((wiped & near)[..., None], rest.image, whole.image)
    return _example(image, whole.masks, scene, victim)


def nothing(split: Split, seed: int, size: int = SIZE, blobs: bool = True) -> DetectionExample:
    """A ground with shapeless blobs in the ten colours, or with noise, or bare: no object at all."""
    rng = seeded(split, seed)
    image = render(_with_ground(split, seed, [], rng), size).image
    if blobs:
        image = _blobs(image, rng)
    elif rng.random() < 0.7:
        cells = int(rng.integers(4, size // 2))
        noise = Image.fromarray(rng.integers(0, 256, (cells, cells, 3), dtype=np.uint8))
        mixed = np.asarray(noise.resize((size, size), Image.Resampling.BICUBIC), np.float32)
        share = rng.uniform(0.3, 1.0)
        image = np.asarray(image * (1 - share) + mixed * share, np.uint8)
    return DetectionExample(image, np.zeros((size, size), np.uint8), ())


def _blobs(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    size = len(image)
    canvas = Image.fromarray(image).resize((3 * size, 3 * size), Image.Resampling.BICUBIC)
    ignored = ImageDraw.Draw(Image.new("L", canvas.size))
    for _ in range(int(rng.integers(1, 5))):
        tone = color_palette(COLORS[int(rng.integers(len(COLORS)))], rng)
        unit = rng.uniform(0.10, 0.30) * 3 * size
        origin = (float(rng.uniform(0.15, 0.85)) * 3 * size, float(rng.uniform(0.15, 0.85)) * 3 * size)
        pen = Pen(ImageDraw.Draw(canvas), ignored, 1, np.diag([unit, unit * rng.uniform(0.5, 1.0)]), origin, tone.line)
        corners = int(rng.integers(3, 9))
        angles = 2 * np.pi * (np.arange(corners) + rng.uniform(0, 0.7, corners)) / corners
        points = np.stack([np.cos(angles), np.sin(angles)], axis=1) * rng.uniform(0.35, 1.0, (corners, 1))
        pen.area(smooth_curve(points) if rng.random() < 0.7 else points, tone.body)
        pen.area(smooth_curve(points * rng.uniform(0.2, 0.6)), tone.light if rng.random() < 0.5 else tone.shade, 0.0)
    return np.asarray(canvas.reduce(3))


def _random_object(rng: np.random.Generator, look: SceneLook) -> PlannedObject:
    kind = NAMES[int(rng.integers(len(NAMES)))]
    colors = look.colors(kind)
    return PlannedObject(kind, colors[int(rng.integers(len(colors)))])


def _with_ground(split: Split, seed: int, things: list[PlannedObject], rng: np.random.Generator) -> Scene:
    ground = captioned(split, seed)[1].background
    return Scene(arrange_objects(ScenePlan(tuple(things)), rng), ground)


def _rendered(scene: Scene, size: int) -> DetectionExample:
    picture = render(scene, size)
    return _example(picture.image, picture.masks, scene, None)


def _example(image: NDArray[np.uint8], masks: NDArray[np.bool_], scene: Scene, gone: int | None) -> DetectionExample:
    owners = np.zeros(image.shape[:2], np.uint8)
    kinds: list[int] = []
    for number, (placed, mask) in enumerate(zip(scene.objects, masks, strict=True)):
        if number != gone and mask.any():
            kinds.append(NAMES.index(placed.kind))
            owners[mask] = len(kinds)
    return DetectionExample(image, owners, tuple(kinds))


Metadata = dict[str, Any]
Change = Callable[[Metadata, SceneLook, np.random.Generator], Metadata]


def caption_words() -> list[str]:
    """Every word that captions use, in alphabetical order; hyphens part words."""
    words = {"a", "an", "photo", "of", "and", "two", "three", "four", "-", "colored", "object", *COLORS}
    for name in NAMES:
        for text in (single_object(name)["prompt"], counting(name, 2)["prompt"]):
            words.update(text.split())
    for relation in POSITIONS:
        words.update(relation.split())
    return sorted(words)


def wrong_captions(
    metadata: Metadata, scene: Scene, n: int, rng: np.random.Generator, look: SceneLook = TRAIN_LOOK
) -> list[str]:
    """``n`` different captions that are not true of the scene, each one change away from the true one.

    The kind of change (colour, number, relation, object) is drawn evenly from those that apply to the task.
    """
    return list(islice(_wrong(_CHANGES[metadata["tag"]], metadata, scene, rng, look), n))


def wrong_by(change: str, metadata: Metadata, scene: Scene, n: int, rng: np.random.Generator, look: SceneLook) -> list[str]:
    """Up to ``n`` captions wrong in one respect: ``object``, ``colour``, ``count`` or ``relation``."""
    return list(islice(_wrong((_BY_NAME[change],), metadata, scene, rng, look, tries=60), n))


def _wrong(
    changes: Sequence[Change],
    metadata: Metadata,
    scene: Scene,
    rng: np.random.Generator,
    look: SceneLook,
    tries: int = sys.maxsize,
) -> Iterator[str]:
    """Wrong captions, each once, of so many tries."""
    wrong: set[str] = set()
    for _ in range(tries):
        other = changes[int(rng.integers(len(changes)))](metadata, look, rng)
        if other["prompt"] not in wrong and not is_correct(parse_spec(other), scene):
            wrong.add(other["prompt"])
            yield other["prompt"]


def _other_object(metadata: Metadata, look: SceneLook, rng: np.random.Generator) -> Metadata:
    names = [entry["class"] for entry in metadata["include"]]
    changed = int(rng.integers(len(names)))
    color = metadata["include"][changed].get("color")
    options = [name for name in NAMES if name not in names and (color is None or (name, color) in look.pairs)]
    if options:
        names[changed] = options[int(rng.integers(len(options)))]
    return _changed_caption(metadata, names=names)


def _other_color(metadata: Metadata, look: SceneLook, rng: np.random.Generator) -> Metadata:
    names = [entry["class"] for entry in metadata["include"]]
    painted = [entry["color"] for entry in metadata["include"]]
    if len(painted) == 2 and rng.random() < 0.5:
        return _changed_caption(metadata, painted=painted[::-1])
    changed = int(rng.integers(len(painted)))
    options = [color for color in look.colors(names[changed]) if color not in painted]
    painted[changed] = options[int(rng.integers(len(options)))]
    return _changed_caption(metadata, painted=painted)


def _other_count(metadata: Metadata, _: SceneLook, rng: np.random.Generator) -> Metadata:
    return counting(metadata["include"][0]["class"], int(rng.integers(2, min(5, MAX_OBJECTS))))


def _other_relation(metadata: Metadata, _: SceneLook, rng: np.random.Generator) -> Metadata:
    return _changed_caption(metadata, relation=POSITIONS[int(rng.integers(len(POSITIONS)))])


def _changed_caption(
    metadata: Metadata, names: list[str] | None = None, painted: list[str] | None = None, relation: str | None = None
) -> Metadata:
    """The metadata with some parts replaced."""
    include, tag = metadata["include"], metadata["tag"]
    names = names or [entry["class"] for entry in include]
    if tag == "single_object":
        return single_object(names[0])
    if tag == "two_object":
        return two_object(names[0], names[1])
    if tag == "counting":
        return counting(names[0], include[0]["count"])
    painted = painted or [entry.get("color", "") for entry in include]
    if tag == "colors":
        return colors(names[0], painted[0])
    if tag == "position":
        return position(names[1], names[0], relation or include[1]["position"][0])
    return color_attr(names, painted)


_BY_NAME: Final[dict[str, Change]] = {
    "object": _other_object,
    "colour": _other_color,
    "count": _other_count,
    "relation": _other_relation,
}

_CHANGES: Final[dict[str, tuple[Change, ...]]] = {
    "single_object": (_other_object,),
    "two_object": (_other_object,),
    "counting": (_other_count, _other_object),
    "colors": (_other_color, _other_object),
    "position": (_other_relation, _other_relation, _other_object),
    "color_attr": (_other_color, _other_color, _other_object),
}


_RELATIONS: Final[tuple[Relation, ...]] = ("left of", "right of", "above", "below")

QuestionForm = tuple[str, bool]


@dataclass(frozen=True, slots=True, eq=False)
class PictureWithQuestions:
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


def question_form(question: PromptQuestion) -> QuestionForm:
    """What is asked for (food, animals and people count as objects), and whether it is a yes/no question."""
    kind = question.element_type
    return (kind if kind in ("counting", "color", "spatial") else "object"), question.is_yes_no


def picture_with_questions(split: Split, seed: int, specs: int = 4) -> PictureWithQuestions:
    """A picture of the split, with its own prompt's questions and those of ``specs`` others that partly fit it.

    Two fifths are careless drawings of GenEval's prompts, a fifth two objects in a relation, the others groups, crowds and
    grounds without any object.
    """
    rng = seeded(split, seed + 4 * 10**6)
    scene, own, empty = _question_scene(split, seed, rng)
    questions = list(answered_questions(own, scene)) if own else []
    for _ in range(specs):
        questions += answered_questions(some_spec(scene, rng), scene)
    picture = render(scene, SIZE)
    return PictureWithQuestions(picture.image if empty is None else empty, picture.masks, scene, tuple(questions))


def _question_scene(split: Split, seed: int, rng: np.random.Generator) -> tuple[Scene, Spec | None, NDArray[np.uint8] | None]:
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
    allowed = all((placed.kind, placed.color) in look.pairs for placed in scene.objects)
    return scene if allowed else draw(spec, seed, look)


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
