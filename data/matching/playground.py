"""Image-text matching in the small world: SelfEval's six tasks (section 4.1), each picture with captions of which one is right.

A wrong caption differs from the right one in one thing; all are GenEval's sentences, so that the playground's models know every
word. Colours and grounds are of any look (``ANY_LOOK``): a fifth of the (kind, colour) pairs and two grounds are ones that no
model of the playground was trained on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from data.playground.drawing import ANY_LOOK, draw
from data.playground.objects import KINDS
from data.playground.scene import Scene
from data.prompts.geneval_suite import (
    COLORS,
    POSITIONS,
    Metadata,
    color_attr,
    colors,
    counting,
    position,
    single_object,
    two_object,
)
from data.records import Prompt
from data.spec import parse_spec

SUITE: Final = "itm-playground"
SEED: Final = 0
N: Final = 50
GENERATOR: Final = "renderer"
"""Who made the pictures: they show what their prompt says."""

_NAMES: Final = tuple(KINDS)
_MOST: Final = 10_000
_CORRUPTED: Final = 4
_CLEAR: Final = 2.0
"""How many times farther apart along the asked axis than along the other, so that one of the four relations fits best."""
_TRIES: Final = 200


@dataclass(frozen=True, slots=True)
class MatchingScene:
    """A prompt whose spec has the captions, and the scene that shows the right one."""

    prompt: Prompt
    scene: Scene


@dataclass(frozen=True, slots=True)
class _DrawnTask:
    """What the scene is asked to show, and captions that do not fit it."""

    asked: Metadata
    wrong: tuple[str, ...]


def suite_name(seed: int = SEED, n: int = N) -> str:
    """``itm-playground``; any other set has a name of its own, so that ids never collide."""
    return SUITE if (seed, n) == (SEED, N) else f"{SUITE}@seed{seed}-n{n}"


def sample_scenes(seed: int = SEED, n: int = N) -> list[MatchingScene]:
    """``n`` prompts of each task, in the order of ``TASKS``; the right caption stands at a drawn place.

    The same seed gives the same prompts and scenes, and more of them begin with the same of each task.

    Raises:
        ValueError: the seed is negative, or ``n`` is not 1 to 10,000.
    """
    if seed < 0 or not 1 <= n <= _MOST:
        raise ValueError(f"seed must not be negative and n must be 1 to {_MOST:,}, got seed {seed} and n {n}")
    suite = suite_name(seed, n)
    places = [(task, number, k) for number, task in enumerate(TASKS) for k in range(n)]
    return [
        _matched(suite, line, task, np.random.default_rng([seed, number, k])) for line, (task, number, k) in enumerate(places)
    ]


def _matched(suite: str, line: int, task: str, rng: np.random.Generator) -> MatchingScene:
    drawn = _TASKS[task](rng)
    right = int(rng.integers(len(drawn.wrong) + 1))
    text = str(drawn.asked["prompt"])
    captions = [*drawn.wrong[:right], text, *drawn.wrong[right:]]
    prompt = Prompt(f"{suite}/{line:05d}", suite, text, task, {"captions": captions, "right": right})
    return MatchingScene(prompt, _scene(task, drawn.asked, rng))


def _scene(task: str, metadata: Metadata, rng: np.random.Generator) -> Scene:
    """Of a relation the first of up to 200 that show it clearly, and of these tries the clearest."""
    spec = parse_spec(metadata)
    scenes = [draw(spec, int(rng.integers(2**62)), ANY_LOOK)]
    while task == "spatial" and _clearness(scenes[-1], metadata) < _CLEAR and len(scenes) < _TRIES:
        scenes.append(draw(spec, int(rng.integers(2**62)), ANY_LOOK))
    return max(scenes, key=lambda scene: _clearness(scene, metadata)) if task == "spatial" else scenes[0]


def _clearness(scene: Scene, metadata: Metadata) -> float:
    """How much farther apart the two centres are along the asked axis."""
    reference, subject = scene.objects
    across, down = abs(subject.x - reference.x), abs(subject.y - reference.y)
    along, other = (across, down) if metadata["include"][1]["position"][0] in ("left of", "right of") else (down, across)
    return along / max(other, 1e-9)


def _attribute(rng: np.random.Generator) -> _DrawnTask:
    names, (first, second) = _two_kinds(rng), _draw_several(COLORS, 2, rng)
    return _DrawnTask(color_attr(names, [first, second]), (str(color_attr(names, [second, first])["prompt"]),))


def _color(rng: np.random.Generator) -> _DrawnTask:
    name, painted = _random_kind(rng), _draw_several(COLORS, 4, rng)
    return _DrawnTask(colors(name, painted[0]), tuple(str(colors(name, other)["prompt"]) for other in painted[1:]))


def _count(rng: np.random.Generator) -> _DrawnTask:
    """One to four; "a photo of a cup" stands for one."""
    name, numbers = _random_kind(rng), rng.permutation(4) + 1
    drawn = [counting(name, int(number)) if number > 1 else single_object(name) for number in numbers]
    return _DrawnTask(drawn[0], tuple(str(metadata["prompt"]) for metadata in drawn[1:]))


def _shape(rng: np.random.Generator) -> _DrawnTask:
    """Which kind of object: in the small world its outline tells."""
    metadata, *others = (single_object(name) for name in _draw_several(_NAMES, 4, rng))
    return _DrawnTask(metadata, tuple(str(other["prompt"]) for other in others))


def _spatial(rng: np.random.Generator) -> _DrawnTask:
    (a, b), relations = _two_kinds(rng), _draw_several(POSITIONS, 4, rng)
    return _DrawnTask(position(a, b, relations[0]), tuple(str(position(a, b, other)["prompt"]) for other in relations[1:]))


def _text_corruption(rng: np.random.Generator) -> _DrawnTask:
    """The caption among four with its words in another order (ARO's order task; chance 0.2 in SelfEval's Table 5)."""
    a, b = _two_kinds(rng)
    metadata = (
        two_object(a, b),
        position(a, b, POSITIONS[int(rng.integers(4))]),
        color_attr([a, b], _draw_several(COLORS, 2, rng)),
    )[int(rng.integers(3))]
    words = str(metadata["prompt"]).split()
    texts: dict[str, None] = {}
    while len(texts) < _CORRUPTED:
        shuffled = " ".join(words[k] for k in rng.permutation(len(words)))
        # "a photo of a cup and a dog" with its two nouns swapped would be right, too
        if not shuffled.startswith("a photo of"):
            texts[shuffled] = None
    return _DrawnTask(metadata, tuple(texts))


def _random_kind(rng: np.random.Generator) -> str:
    return _NAMES[int(rng.integers(len(_NAMES)))]


def _two_kinds(rng: np.random.Generator) -> list[str]:
    return _draw_several(_NAMES, 2, rng)


def _draw_several(options: tuple[str, ...], n: int, rng: np.random.Generator) -> list[str]:
    return [options[int(k)] for k in rng.choice(len(options), size=n, replace=False)]


_TASKS: Final[dict[str, Callable[[np.random.Generator], _DrawnTask]]] = {
    "attribute": _attribute,
    "color": _color,
    "count": _count,
    "shape": _shape,
    "spatial": _spatial,
    "text_corruption": _text_corruption,
}
TASKS: Final = tuple(_TASKS)
"""SelfEval's, in the order of its Table 5."""
