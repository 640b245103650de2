"""The playground's sample: 42 prompts, the pictures made from them, and what both scorers saw, as committed below ``assets``.

``python -m scorers.training.sample`` makes it. On disk: ``prompts.jsonl``, ``images/GENERATOR/00042_0.webp`` and
``runs/RATER/`` (run folders as in ``data.runs``; their manifests name the images relative to themselves).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from data.images import read_image_file
from data.playground.drawing import Drawing, draw_carelessly
from data.playground.prompts import SUITE
from data.prompts.files import read_prompts
from data.prompts.spec import parse_spec
from data.records import Image, Prompt
from data.runs import RunFolder

FOLDER: Final = Path(__file__).resolve().parents[2] / "assets" / "playground" / "sample"
PER_PROMPT: Final = 4
"""Pictures of each prompt by each generator."""

_NAME: Final = re.compile(r"(\d{5})_(\d+)\.webp")
_SEEDS_APART: Final = 100
# of sixty tried, one with which every fault occurs three times or more
_FIRST_SEED: Final = 1_200_000


@dataclass(frozen=True, slots=True)
class Sample:
    """What is committed.

    Attributes:
        images: with their files in ``folder``, by generator, prompt and index.
        runs: one for each scorer, over all the images.
    """

    folder: Path
    prompts: tuple[Prompt, ...]
    images: tuple[Image, ...]
    runs: tuple[RunFolder, ...]


def read(folder: Path) -> Sample:
    """Read the sample; every picture is decoded.

    Raises:
        OSError: it is not there.
        ValueError: a file of it is not what it should be.
    """
    prompts = read_prompts(folder / "prompts.jsonl", SUITE)
    known = {prompt.prompt_id for prompt in prompts}
    images = tuple(image for image in _images(folder) if image.prompt_id in known)
    runs = (RunFolder(path.parent) for path in sorted(folder.glob("runs/*/run.json")))
    return Sample(folder, tuple(prompts), images, tuple(runs))


def relative_path(prompt_id: str, generator: str, index: int) -> Path:
    """Where the picture of a place lies, in the sample as in a project that was filled from it."""
    return Path("images", generator, f"{prompt_id.rsplit('/', 1)[-1]}_{index}.webp")


def careless(prompt: Prompt, index: int) -> Drawing:
    """What the careless renderer drew in this place: always the same, so that the truth of the committed picture is known."""
    number = int(prompt.prompt_id.rsplit("/", 1)[-1])
    return draw_carelessly(parse_spec(prompt.spec), _FIRST_SEED + number * _SEEDS_APART + index)


def _images(folder: Path) -> Iterator[Image]:
    found = ((path, _NAME.fullmatch(path.name)) for path in sorted(folder.glob("images/*/*")))
    for path, name in found:
        if name:
            file = read_image_file(path)
            place = (f"{SUITE}/{name[1]}", path.parent.name, int(name[2]))
            yield Image(*place, file.path, file.sha256, file.width, file.height)
