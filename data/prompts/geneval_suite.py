"""GenEval's prompts, drawn as the paper draws them: seed 43 gives the published 553."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from data.prompts.coco import GENEVAL, article_by_letter
from data.records import Prompt
from data.spec import NUMBER_WORDS

SEED: Final = 43
N: Final = 100
COLORS: Final = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white")
POSITIONS: Final = ("left of", "right of", "above", "below")

_WITHOUT_PERSON: Final = len(GENEVAL) - 1
"""Colours are asked of every class but the first, ``person``."""

Metadata = dict[str, Any]


def suite_name(seed: int = SEED, n: int = N) -> str:
    """``geneval`` for the published set; any other set has a name of its own, so that ids never collide."""
    if (seed, n) == (SEED, N):
        return "geneval"
    return f"geneval@seed{seed}" + (f"-n{n}" if n != N else "")


def sample(seed: int = SEED, n: int = N) -> list[Prompt]:
    """The paper's sampler: one single-object prompt per class, ``n`` prompts of each other task, duplicates removed.

    A prompt's ``spec`` is the metadata object as published, its number the line in the published file.

    Raises:
        ValueError: the seed or ``n`` is negative.
    """
    if seed < 0 or n < 0:
        raise ValueError(f"seed and n must not be negative, got seed {seed} and n {n}")
    suite = suite_name(seed, n)
    distinct: dict[str, Metadata] = {}
    for metadata in _draw(np.random.default_rng(seed), n):
        distinct.setdefault(json.dumps(metadata), metadata)
    return [
        Prompt(f"{suite}/{number:05d}", suite, metadata["prompt"], metadata["tag"], metadata)
        for number, metadata in enumerate(distinct.values())
    ]


def _draw(rng: np.random.Generator, n: int) -> Iterator[Metadata]:
    """All prompts with repetitions. One generator serves all tasks: the order of the draws decides every later prompt."""
    for index in rng.choice(len(GENEVAL), size=len(GENEVAL), replace=False):
        yield single_object(GENEVAL[index])
    for _ in range(n):
        yield two_object(*_two_classes(rng))
    for _ in range(n):
        name = GENEVAL[rng.choice(len(GENEVAL))]
        yield counting(name, int(rng.integers(2, 4, endpoint=True)))
    for _ in range(n):
        name = GENEVAL[rng.choice(_WITHOUT_PERSON) + 1]
        yield colors(name, COLORS[rng.choice(len(COLORS))])
    for _ in range(n):
        a, b = _two_classes(rng)
        yield position(a, b, POSITIONS[rng.choice(len(POSITIONS))])
    for _ in range(n):
        names = [GENEVAL[index + 1] for index in rng.choice(_WITHOUT_PERSON, size=2, replace=False)]
        yield color_attr(names, [COLORS[index] for index in rng.choice(len(COLORS), size=2, replace=False)])


def _two_classes(rng: np.random.Generator) -> tuple[str, str]:
    a, b = rng.choice(len(GENEVAL), size=2, replace=False)
    return GENEVAL[a], GENEVAL[b]


def single_object(name: str) -> Metadata:
    """One object."""
    return {"tag": "single_object", "include": [{"class": name, "count": 1}], "prompt": f"a photo of {_with_article(name)}"}


def two_object(a: str, b: str) -> Metadata:
    """Two objects."""
    include = [{"class": a, "count": 1}, {"class": b, "count": 1}]
    return {"tag": "two_object", "include": include, "prompt": f"a photo of {_with_article(a)} and {_with_article(b)}"}


def counting(name: str, count: int) -> Metadata:
    """Exactly ``count`` objects, 2 to 4."""
    # as published, not as English has it: `knifes`, `skises`
    plural = f"{name}es" if name.endswith("s") else f"{name}s"
    return {
        "tag": "counting",
        "include": [{"class": name, "count": count}],
        "exclude": [{"class": name, "count": count + 1}],
        "prompt": f"a photo of {NUMBER_WORDS[count]} {plural}",
    }


def colors(name: str, color: str) -> Metadata:
    """One object in a colour."""
    include = [{"class": name, "count": 1, "color": color}]
    return {"tag": "colors", "include": include, "prompt": f"a photo of {_with_article(color)} {name}"}


def position(a: str, b: str, position: str) -> Metadata:
    """``a`` placed against ``b``."""
    # The object that the other is placed against comes first, for the checker reads the list in this order.
    include = [{"class": b, "count": 1}, {"class": a, "count": 1, "position": [position, 0]}]
    return {"tag": "position", "include": include, "prompt": f"a photo of {_with_article(a)} {position} {_with_article(b)}"}


def color_attr(names: list[str], colors: list[str]) -> Metadata:
    """Two objects, each in its own colour."""
    include = [{"class": name, "count": 1, "color": color} for name, color in zip(names, colors, strict=True)]
    parts = [f"{_with_article(color)} {name}" for name, color in zip(names, colors, strict=True)]
    return {"tag": "color_attr", "include": include, "prompt": "a photo of " + " and ".join(parts)}


def _with_article(words: str) -> str:
    return f"{article_by_letter(words)} {words}"
