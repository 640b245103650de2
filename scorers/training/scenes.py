"""Pictures to learn from: sound scenes, crowds, and what is none of the kinds (blobs, noise, half an object).

Splits never meet: a seed is drawn with the name of its split, and ``train`` uses neither the textures nor the object-colour
pairs that are held out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from data.playground.drawing import HELD_OUT_LOOK, TRAIN_LOOK, PlannedObject, SceneLook, ScenePlan, arrange_objects, draw
from data.playground.objects import KINDS, Pen, color_palette, smooth_curve
from data.playground.render import SIZE, render
from data.playground.sample import TASKS, random_metadata
from data.playground.scene import Scene
from data.prompts.geneval import COLORS
from data.prompts.spec import parse_spec

Split = Literal["train", "held-out"]

LOOKS: Final[dict[Split, SceneLook]] = {"train": TRAIN_LOOK, "held-out": HELD_OUT_LOOK}
NAMES: Final = tuple(KINDS)
"""Class numbers of the models: the kinds in alphabetical order."""

_NUMBERS: Final[dict[Split, int]] = {"train": 1, "held-out": 2}
_HALF_ERASED: Final = (0.5, 0.65)


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """``image``: side x side x 3, uint8. ``owners``: side x side, 0 ground, k the k-th of ``kinds`` (class numbers)."""

    image: NDArray[np.uint8]
    owners: NDArray[np.uint8]
    kinds: tuple[int, ...]


def seeded(split: Split, seed: int) -> np.random.Generator:
    """A generator that no other split or seed shares."""
    return np.random.default_rng([_NUMBERS[split], seed])


def captioned(split: Split, seed: int, tasks: tuple[str, ...] = TASKS) -> tuple[dict[str, Any], Scene]:
    """GenEval metadata of a random task and a sound scene for it."""
    rng = seeded(split, seed)
    asked = random_metadata(tasks[int(rng.integers(len(tasks)))], rng, LOOKS[split])
    return asked, draw(parse_spec(asked), int(rng.integers(2**62)), LOOKS[split])


def crowd(split: Split, seed: int) -> Scene:
    """One to six objects of any kinds."""
    rng = seeded(split, seed)
    return _with_ground(split, seed, [_thing(rng, LOOKS[split]) for _ in range(int(rng.integers(1, 7)))], rng)


def groups(split: Split, seed: int) -> Scene:
    """One to three kinds, one to five of each, six objects at most; those of a kind mostly in one colour."""
    rng = seeded(split, seed + 5 * 10**6)
    things: list[PlannedObject] = []
    for kind in rng.permutation(NAMES)[: int(rng.integers(1, 4))]:
        colors = LOOKS[split].colors(kind)
        many, same = min(int(rng.integers(1, 6)), 6 - len(things)), rng.random() < 0.75
        picked = rng.integers(len(colors), size=max(0, many))
        things += [PlannedObject(str(kind), colors[int(picked[0] if same else one)]) for one in picked]
    return _with_ground(split, seed, [things[int(k)] for k in rng.permutation(len(things))], rng)


def example(split: Split, seed: int, size: int = SIZE) -> Example:
    """A picture for a detector: 55 % GenEval scenes, 20 % crowds, 13 % half-erased, 8 % blobs, 4 % noise or bare ground."""
    choice = float(np.random.default_rng([_NUMBERS[split], seed, 1]).random())
    if choice < 0.55:
        return _shown(captioned(split, seed)[1], size)
    if choice < 0.75:
        return _shown(crowd(split, seed), size)
    if choice < 0.88:
        return half_erased(split, seed, size)
    return nothing(split, seed, size, blobs=choice < 0.96)


def half_erased(split: Split, seed: int, size: int = SIZE) -> Example:
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


def nothing(split: Split, seed: int, size: int = SIZE, blobs: bool = True) -> Example:
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
    return Example(image, np.zeros((size, size), np.uint8), ())


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


def _thing(rng: np.random.Generator, look: SceneLook) -> PlannedObject:
    kind = NAMES[int(rng.integers(len(NAMES)))]
    colors = look.colors(kind)
    return PlannedObject(kind, colors[int(rng.integers(len(colors)))])


def _with_ground(split: Split, seed: int, things: list[PlannedObject], rng: np.random.Generator) -> Scene:
    ground = captioned(split, seed)[1].background
    return Scene(arrange_objects(ScenePlan(tuple(things)), rng), ground)


def _shown(scene: Scene, size: int) -> Example:
    picture = render(scene, size)
    return _example(picture.image, picture.masks, scene, None)


def _example(image: NDArray[np.uint8], masks: NDArray[np.bool_], scene: Scene, gone: int | None) -> Example:
    owners = np.zeros(image.shape[:2], np.uint8)
    kinds: list[int] = []
    for number, (placed, mask) in enumerate(zip(scene.objects, masks, strict=True)):
        if number != gone and mask.any():
            kinds.append(NAMES.index(placed.kind))
            owners[mask] = len(kinds)
    return Example(image, owners, tuple(kinds))
