"""The playground's suite of prompts, and its sample: 42 prompts, the pictures made from them, and what scorers saw.

The prompts are GenEval's six tasks asked of the small world's kinds. The sample is committed below ``assets``;
``python -m tools.playground.sample`` makes it. On disk: ``prompts.jsonl``, ``images/GENERATOR/00042_0.webp`` and
``runs/RATER/`` (run folders as in ``data.jobs.runs``; their manifests name the images relative to themselves).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from data.images.files import read_image_file
from data.jobs.runs import RunFolder
from data.playground.drawing import ANY_LOOK, CARELESS, DrawnScene, SceneLook, draw_carelessly
from data.playground.objects import KINDS
from data.prompts.geneval_suite import POSITIONS, Metadata, color_attr, colors, counting, position, single_object, two_object
from data.prompts.prompt_files import read_prompts
from data.records import Image, Prompt

SUITE: Final = "playground"
SEED: Final = 43
N: Final = 7
TASKS: Final = ("single_object", "two_object", "counting", "colors", "position", "color_attr")

_NAMES: Final = tuple(KINDS)


def sample_prompts(seed: int = SEED, n: int = N) -> list[Prompt]:
    """``n`` different prompts of each task, in GenEval's order and words; ``spec`` is GenEval's metadata object.

    Of single objects there are at most as many as kinds. Other seeds and numbers make a suite with a name of its own.

    Raises:
        ValueError: ``n`` is below 1 or above what a task has (counting: three numbers of each kind).
    """
    if not 1 <= n <= 3 * len(_NAMES):
        raise ValueError(f"n must be between 1 and {3 * len(_NAMES)}, got {n}")
    suite = SUITE if (seed, n) == (SEED, N) else f"{SUITE}@seed{seed}-n{n}"
    rng = np.random.default_rng(seed)
    metadata: list[Metadata] = []
    for task in TASKS:
        metadata += _distinct_prompts(task, min(n, len(_NAMES)) if task == "single_object" else n, rng)
    return [Prompt(f"{suite}/{k:05d}", suite, entry["prompt"], entry["tag"], entry) for k, entry in enumerate(metadata)]


def random_metadata(task: str, rng: np.random.Generator, look: SceneLook = ANY_LOOK) -> Metadata:
    """One random prompt of a task, with GenEval's text in ``prompt``; colours asked are those the look allows."""
    a, b = (_NAMES[int(k)] for k in rng.choice(len(_NAMES), size=2, replace=False))
    if task == "single_object":
        return single_object(a)
    if task == "two_object":
        return two_object(a, b)
    if task == "counting":
        return counting(a, int(rng.integers(2, 4, endpoint=True)))
    if task == "colors":
        return colors(a, _random_color(a, rng, look))
    if task == "position":
        return position(a, b, POSITIONS[int(rng.integers(len(POSITIONS)))])
    if task == "color_attr":
        first = _random_color(a, rng, look)
        return color_attr([a, b], [first, _random_color(b, rng, look, first)])
    raise ValueError(f"unknown task {task!r}; known: {', '.join(TASKS)}")


def _random_color(kind: str, rng: np.random.Generator, look: SceneLook, but: str | None = None) -> str:
    options = [color for color in look.colors(kind) if color != but]
    return options[int(rng.integers(len(options)))]


def _distinct_prompts(task: str, n: int, rng: np.random.Generator) -> Iterator[Metadata]:
    seen: set[str] = set()
    while len(seen) < n:
        drawn = random_metadata(task, rng)
        key = json.dumps(drawn["include"])
        if key not in seen:
            seen.add(key)
            yield drawn


FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "playground" / "sample"
PER_PROMPT: Final = 4
"""Pictures of each prompt by each generator."""

_NAME: Final = re.compile(r"(\d{5})_(\d+)\.webp")
_SEEDS_APART: Final = 100
# of sixty tried, one with which every fault occurs three times or more
_FIRST_SEED: Final = 1_200_000


@dataclass(frozen=True, slots=True)
class PlaygroundSample:
    """What is committed.

    Attributes:
        images: with their files in ``folder``, by generator, prompt and index.
        runs: one for each scorer, over all the images.
    """

    folder: Path
    prompts: tuple[Prompt, ...]
    images: tuple[Image, ...]
    runs: tuple[RunFolder, ...]


def read_sample(folder: Path) -> PlaygroundSample:
    """Read the sample; every picture is decoded.

    Raises:
        OSError: it is not there.
        ValueError: a file of it is not what it should be.
    """
    prompts = read_prompts(folder / "prompts.jsonl", SUITE)
    known = {prompt.prompt_id for prompt in prompts}
    images = []
    for path in sorted(folder.glob("images/*/*")):
        name = _NAME.fullmatch(path.name)
        if name and f"{SUITE}/{name[1]}" in known:
            file = read_image_file(path)
            key = (f"{SUITE}/{name[1]}", path.parent.name, int(name[2]))
            images.append(Image(*key, file.path, file.sha256, file.width, file.height))
    runs = (RunFolder(path.parent) for path in sorted(folder.glob("runs/*/run.json")))
    return PlaygroundSample(folder, tuple(prompts), tuple(images), tuple(runs))


def image_path(prompt_id: str, generator: str, index: int) -> Path:
    """Where the picture of a place lies, in the sample as in a project that was filled from it."""
    return Path("images", generator, f"{prompt_id.rsplit('/', 1)[-1]}_{index}.webp")


def careless_drawing(prompt: Prompt, index: int) -> DrawnScene:
    """What the careless renderer drew in this place: always the same, so that the truth of the committed picture is known."""
    return draw_carelessly(prompt.demands, _FIRST_SEED + _number(prompt) * _SEEDS_APART + index)


_FAITHFUL: Final = {
    "playground-early": frozenset({1, 2, 3, 4, 6, 22, 25}),
    "playground-late": frozenset({1, 2, 3, 4, 5, 6, 9, 10, 11, 16, 18, 19, 21, 22, 24, 25, 26, 29, 34, 35, 37}),
}
"""By looking at them: of each model's first pictures those that show what their prompt says, by its number."""


def is_faithful(prompt: Prompt, generator: str) -> bool:
    """Whether a generator's first picture of a prompt shows what the prompt says; no scorer was asked."""
    return careless_drawing(prompt, 0).correct if generator == CARELESS else _number(prompt) in _FAITHFUL[generator]


def _number(prompt: Prompt) -> int:
    return int(prompt.prompt_id.rsplit("/", 1)[-1])
