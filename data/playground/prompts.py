"""GenEval's six tasks asked of the small world's kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

import numpy as np

from data.playground.kinds import KINDS
from data.playground.looks import ANY, Look
from data.prompts.geneval import POSITIONS, Metadata, color_attr, colors, counting, position, single_object, two_object
from data.records import Prompt

SUITE: Final = "playground"
SEED: Final = 43
N: Final = 7
TASKS: Final = ("single_object", "two_object", "counting", "colors", "position", "color_attr")

_NAMES: Final = tuple(KINDS)


def sample(seed: int = SEED, n: int = N) -> list[Prompt]:
    """``n`` different prompts of each task, in GenEval's order and words; ``spec`` is GenEval's metadata object.

    Of single objects there are at most as many as kinds. Other seeds and numbers make a suite with a name of its own.

    Raises:
        ValueError: ``n`` is below 1 or above what a task has (counting: three numbers of each kind).
    """
    if not 1 <= n <= 3 * len(_NAMES):
        raise ValueError(f"n must be between 1 and {3 * len(_NAMES)}, got {n}")
    suite = SUITE if (seed, n) == (SEED, N) else f"{SUITE}@seed{seed}-n{n}"
    rng = np.random.default_rng(seed)
    found: list[Metadata] = []
    for task in TASKS:
        found += _distinct(task, min(n, len(_NAMES)) if task == "single_object" else n, rng)
    return [Prompt(f"{suite}/{k:05d}", suite, entry["prompt"], entry["tag"], entry) for k, entry in enumerate(found)]


def metadata(task: str, rng: np.random.Generator, look: Look = ANY) -> Metadata:
    """One random prompt of a task, with GenEval's text in ``prompt``; colours asked are those the look allows."""
    a, b = (_NAMES[int(k)] for k in rng.choice(len(_NAMES), size=2, replace=False))
    if task == "single_object":
        return single_object(a)
    if task == "two_object":
        return two_object(a, b)
    if task == "counting":
        return counting(a, int(rng.integers(2, 4, endpoint=True)))
    if task == "colors":
        return colors(a, _color(a, rng, look))
    if task == "position":
        return position(a, b, POSITIONS[int(rng.integers(len(POSITIONS)))])
    if task == "color_attr":
        first = _color(a, rng, look)
        return color_attr([a, b], [first, _color(b, rng, look, first)])
    raise ValueError(f"unknown task {task!r}; known: {', '.join(TASKS)}")


def _color(kind: str, rng: np.random.Generator, look: Look, but: str | None = None) -> str:
    options = [color for color in look.colors(kind) if color != but]
    return options[int(rng.integers(len(options)))]


def _distinct(task: str, n: int, rng: np.random.Generator) -> Iterator[Metadata]:
    seen: set[str] = set()
    while len(seen) < n:
        drawn = metadata(task, rng)
        key = json.dumps(drawn["include"])
        if key not in seen:
            seen.add(key)
            yield drawn
