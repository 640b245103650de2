"""Captions for scenes, and captions that are nearly right: what an image-text model has to tell apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from data.playground.drawing import MAX_OBJECTS, TRAIN_LOOK, SceneLook
from data.playground.scene import Scene, is_correct
from data.prompts.geneval import COLORS, POSITIONS, color_attr, colors, counting, position, single_object, two_object
from data.prompts.spec import parse_spec
from scorers.training.scenes import NAMES

COLOR_TEMPLATES: Final = (
    "a photo of a {color} {name}",
    "a photo of a {color}-colored {name}",
    "a photo of a {color} object",
)
"""GenEval's three prompts for the colour of a crop (evaluate_images.py, color_classification)."""

Metadata = dict[str, Any]
Change = Callable[[Metadata, SceneLook, np.random.Generator], Metadata]


def words() -> list[str]:
    """Every word that captions use, in alphabetical order; hyphens part words."""
    found = {"a", "an", "photo", "of", "and", "two", "three", "four", "-", "colored", "object", *COLORS}
    for name in NAMES:
        for text in (single_object(name)["prompt"], counting(name, 2)["prompt"]):
            found.update(text.split())
    for relation in POSITIONS:
        found.update(relation.split())
    return sorted(found)


def wrong_captions(asked: Metadata, scene: Scene, n: int, rng: np.random.Generator, look: SceneLook = TRAIN_LOOK) -> list[str]:
    """``n`` different captions that are not true of the scene, each one change away from the true one.

    The kind of change (colour, number, relation, object) is drawn evenly from those that apply to the task.
    """
    changes = _CHANGES[asked["tag"]]
    found: list[str] = []
    while len(found) < n:
        other = changes[int(rng.integers(len(changes)))](asked, look, rng)
        if other["prompt"] not in found and not is_correct(parse_spec(other), scene):
            found.append(other["prompt"])
    return found


def wrong_by(change: str, asked: Metadata, scene: Scene, n: int, rng: np.random.Generator, look: SceneLook) -> list[str]:
    """Up to ``n`` captions wrong in one respect: ``object``, ``colour``, ``count`` or ``relation``."""
    found: list[str] = []
    for _ in range(60):
        other = _BY_NAME[change](asked, look, rng)
        if len(found) < n and other["prompt"] not in found and not is_correct(parse_spec(other), scene):
            found.append(other["prompt"])
    return found


def _other_object(asked: Metadata, look: SceneLook, rng: np.random.Generator) -> Metadata:
    names = [entry["class"] for entry in asked["include"]]
    changed = int(rng.integers(len(names)))
    color = asked["include"][changed].get("color")
    options = [name for name in NAMES if name not in names and (color is None or (name, color) in look.pairs)]
    if options:
        names[changed] = options[int(rng.integers(len(options)))]
    return _again(asked, names=names)


def _other_color(asked: Metadata, look: SceneLook, rng: np.random.Generator) -> Metadata:
    names = [entry["class"] for entry in asked["include"]]
    painted = [entry["color"] for entry in asked["include"]]
    if len(painted) == 2 and rng.random() < 0.5:
        return _again(asked, painted=painted[::-1])
    changed = int(rng.integers(len(painted)))
    options = [color for color in look.colors(names[changed]) if color not in painted]
    painted[changed] = options[int(rng.integers(len(options)))]
    return _again(asked, painted=painted)


def _other_count(asked: Metadata, _: SceneLook, rng: np.random.Generator) -> Metadata:
    return counting(asked["include"][0]["class"], int(rng.integers(2, min(5, MAX_OBJECTS))))


def _other_relation(asked: Metadata, _: SceneLook, rng: np.random.Generator) -> Metadata:
    return _again(asked, relation=POSITIONS[int(rng.integers(len(POSITIONS)))])


def _again(
    asked: Metadata, names: list[str] | None = None, painted: list[str] | None = None, relation: str | None = None
) -> Metadata:
    """The metadata with some parts replaced."""
    include, tag = asked["include"], asked["tag"]
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
