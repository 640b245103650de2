"""Recipe of the playground's sample: ``python -m tools.playground.sample --images DIR --out assets/playground/sample``.

DIR is a project in which ``generate playground`` was run, or any folder with ``images/GENERATOR/00042_0.png`` or
``images/GENERATOR/00042/samples/0000.png``. The careless renderer's pictures are drawn here. All become WebP, and the workers
of the scorers that have a profile for the playground look at them.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from PIL import Image as Pillow

from data.images.files import open_image
from data.jobs.runs import Run, RunFolder, WorkItem
from data.matching.captions import caption_candidates
from data.playground import sample
from data.playground.drawing import CARELESS
from data.playground.render import render
from data.playground.sample import PER_PROMPT, careless_drawing, image_path, read_sample
from data.prompts.prompt_files import write_prompts
from data.prompts.questions import questions_from_spec
from data.records import Image, Prompt
from scorers import registry
from scorers.base import Scorer

PROFILE: Final = "playground"
SCORERS: Final = ("geneval", "visor", "clipscore", "tifa", "clipmatch", "elbo")
"""Those whose runs are in it."""
POSITIONS_ONLY: Final = frozenset({"visor"})
"""Those that see the pictures of prompts of relations alone, as they judge nothing else."""
FIRST_ONLY: Final = frozenset({"elbo"})
"""Those that see the first picture of each prompt alone, as they take seconds for each."""
QUALITY: Final = 90
"""Of WebP: nobody sees a difference at twice the size, and a picture takes 3 KB."""

_ROOT: Final = Path(__file__).resolve().parents[2]
_PLACES: Final = (
    re.compile(r"(?:playground_)?(\d{5})_(\d+)\.(?:png|webp)"),
    re.compile(r"(\d{5})/samples/(\d+)\.(?:png|webp)"),
)
_PART_SIZE: Final = 128
"""Of the committed runs: few files, and a mask is still found quickly."""


@dataclass(frozen=True, slots=True)
class _GeneratedFile:
    """A picture that a generator made."""

    path: Path
    prompt_id: str
    generator: str
    index: int


def make(made: Path, out: Path, scorers: tuple[str, ...] = SCORERS) -> None:
    """Remake the sample in ``out``; what was there goes.

    Raises:
        ValueError: a generator has not made ``PER_PROMPT`` pictures of each prompt.
        RuntimeError: a scorer's worker failed.
    """
    prompts = sample.sample_prompts()
    files = _generated_files(made, {prompt.prompt_id for prompt in prompts})
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    write_prompts(prompts, out / "prompts.jsonl")
    for file in files:
        _write(
            open_image(file.path),
            out / image_path(file.prompt_id, file.generator, file.index),
        )
    for prompt in prompts:
        for index in range(PER_PROMPT):
            drawn = Pillow.fromarray(render(careless_drawing(prompt, index).scene).image)
            _write(drawn, out / image_path(prompt.prompt_id, CARELESS, index))
    for name in scorers:
        score(out, name)


def score(folder: Path, name: str) -> None:
    """Have a scorer look at the pictures of the sample, in a run of its own."""
    scorer = registry.get(name)
    rater = f"{name}-{PROFILE}"
    sample = read_sample(folder)
    known = {prompt.prompt_id: prompt for prompt in sample.prompts}
    run = RunFolder(folder / "runs" / rater)
    shutil.rmtree(run.path, ignore_errors=True)
    settings = registry.settings(scorer, PROFILE)
    job = Run(rater, name, scorer.version, PROFILE, settings, part_size=_PART_SIZE)
    images = [image for image in sample.images if image.index == 0 or name not in FIRST_ONLY]
    if name in POSITIONS_ONLY:
        images = [image for image in images if known[image.prompt_id].task == "position"]
    run.create(job, [_work(image, known[image.prompt_id], scorer) for image in images])
    worker = [sys.executable, "-m", "scorers.running.worker", str(run.path)]
    if subprocess.run(worker, cwd=_ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode:
        raise RuntimeError(f"the worker of {name} failed; see above")
    for path in run.path.iterdir():
        if path.name not in ("run.json", "manifest.jsonl", "progress.json", "parts"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _work(image: Image, prompt: Prompt, scorer: Scorer) -> WorkItem:
    # from the run's folder up to the sample's, which has the shape of a project's
    path = Path("..", "..") / image_path(image.prompt_id, image.generator, image.index)
    work = WorkItem(image.image_id, path.as_posix(), image.sha256 or "", prompt.text, prompt.spec)
    if scorer.input == "captions" and (candidates := caption_candidates(prompt.text, prompt.spec)):
        return replace(work, captions=candidates.captions, right=candidates.right)
    # as a project has them that nobody has edited
    return replace(work, questions=questions_from_spec(prompt.demands), version=1) if scorer.input == "questions" else work


def _generated_files(folder: Path, prompt_ids: set[str]) -> list[_GeneratedFile]:
    """What there is of these prompts; without gaps, else ValueError."""
    base = folder / "images"
    files = []
    places: dict[str, set[tuple[str, int]]] = {}
    for path in sorted(base.glob("*/**/*")):
        generator, _, name = path.relative_to(base).as_posix().partition("/")
        match = next((match for shape in _PLACES if (match := shape.fullmatch(name))), None)
        if match and generator != CARELESS and (prompt_id := f"{sample.SUITE}/{match[1]}") in prompt_ids:
            files.append(_GeneratedFile(path, prompt_id, generator, int(match[2])))
            places.setdefault(generator, set()).add((prompt_id, int(match[2])))
    wanted = len(prompt_ids) * PER_PROMPT
    for generator, filled in places.items():
        if len(filled) != wanted or max(index for _, index in filled) >= PER_PROMPT:
            raise ValueError(f"{generator} has {len(filled)} pictures, wanted are {wanted}: {PER_PROMPT} of each prompt")
    return files


def _write(image: Pillow.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, "WEBP", quality=QUALITY, method=6)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the playground's sample.")
    parser.add_argument("--images", type=Path, required=True, help="folder with images/GENERATOR/00042_0.png; may have none")
    parser.add_argument("--out", type=Path, required=True, help="the sample's folder; what is there is replaced")
    parser.add_argument("--scorers", nargs="*", choices=registry.NAMES, default=SCORERS, help="else those of the sample")
    arguments = parser.parse_args()
    make(arguments.images, arguments.out, tuple(arguments.scorers))


if __name__ == "__main__":
    main()
