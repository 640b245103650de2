"""Pictures whose truth is known, and evidence as a scorer would leave it: what is there, as the renderer knows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem, pack_mask
from data.playground.drawing import draw_carelessly
from data.playground.render import render
from data.playground.sample import sample_prompts
from data.playground.scene import Scene, ScenePicture
from data.prompts.geneval_suite import COLORS
from data.records import Prompt, Rater
from data.spec import Spec, parse_spec
from data.store import runs
from data.store.core.store import Store
from scorers import clipscore
from scorers.base import Scorer
from scorers.geneval import scorer
from tests.ui import small_project

GENERATOR = "renderer-careless"
RATER = "geneval-playground"
CLIP = "clipscore-playground"
SETTINGS = {"keep": 0.1, "threshold": 0.3, "counting_threshold": 0.3, "max_objects": 16, "max_overlap": 1.0}


def prompts(each: int = 1) -> list[Prompt]:
    return sample_prompts(seed=5, n=each)


def scene(prompt: Prompt, index: int, seed: int = 0) -> Scene:
    return draw_carelessly(parse_spec(prompt.spec), seed + 100 * int(prompt.prompt_id[-5:]) + index).scene


def folder(path: Path, each: int = 1, per_prompt: int = 1, size: int = 128) -> Path:
    """Pictures in GenEval's folders."""
    for number, prompt in enumerate(prompts(each)):
        below = path / f"{number:05d}"
        (below / "samples").mkdir(parents=True)
        (below / "metadata.jsonl").write_text(json.dumps(prompt.spec), encoding="utf-8")
        for index in range(per_prompt):
            picture = render(scene(prompt, index), size)
            Image.fromarray(picture.image).save(below / "samples" / f"{index:04d}.png")
    return path


def project(path: Path, each: int = 1, per_prompt: int = 1, size: int = 128) -> Path:
    """A project of such pictures, with the evidence of two scorers."""
    made = path / "project"
    images = folder(path / "images", each, per_prompt, size)
    small_project.done(made, "import", "images", images, "--layout", "geneval", "--generator", GENERATOR)
    with Store(made) as store:
        see(store, prompts(each), per_prompt, size)
    return made


def see(store: Store, asked: Sequence[Prompt], per_prompt: int = 1, size: int = 128) -> None:
    """Leave the evidence of `geneval` and `clipscore` in the project, masks in the run's own files."""
    rng = np.random.default_rng(3)
    saw, number = [], []
    for position, prompt in enumerate(asked):
        for index in range(per_prompt):
            item_id = f"geneval/{position:05d}/{GENERATOR}/{index}"
            known = scene(prompt, index)
            saw.append((prompt, Observation(item_id, {}, detected(known, render(known, size), parse_spec(prompt.spec), rng))))
            number.append((prompt, Observation(item_id, {"cosine": float(rng.uniform(0.18, 0.34)), "tokens": 8, "read": 8})))
    _ingest(store, scorer.SCORER, RATER, SETTINGS, saw)
    _ingest(store, clipscore.SCORER, CLIP, {}, number)


def detected(known: Scene, picture: ScenePicture, spec: Spec, rng: np.random.Generator) -> tuple[Detection, ...]:
    """What stands in a picture, most confident first, and one weak mistake."""
    colored = {wanted.name for wanted in spec.objects if wanted.color is not None}
    results = []
    for placed, mask, box in zip(known.objects, picture.masks, picture.boxes, strict=True):
        if mask.any():
            colors = _colors(placed.color, rng) if placed.kind in colored else None
            x0, y0, x1, y1 = (float(edge) for edge in box)
            results.append(Detection(placed.kind, float(rng.uniform(0.72, 0.99)), (x0, y0, x1, y1), pack_mask(mask), colors))
    side = picture.image.shape[0]
    ghost = Detection("umbrella", 0.17, (side * 0.55, side * 0.6, side * 0.95, side * 0.9), None, None)
    return (*sorted(results, key=lambda detection: -detection.score), ghost)


def _colors(color: str, rng: np.random.Generator) -> tuple[float, ...]:
    weights = rng.uniform(0, 0.06, len(COLORS))
    weights[COLORS.index(color)] = 1.0
    return tuple(float(weight) for weight in weights / weights.sum())


def _ingest(
    store: Store, scorer: Scorer, rater: str, settings: dict[str, float | int], seen: list[tuple[Prompt, Observation]]
) -> None:
    run = Run(f"0001-{rater}", scorer.name, scorer.version, "playground", settings)
    run_folder = RunFolder(store.project / "runs" / run.run_id)
    run_folder.create(
        run, [WorkItem(observation.item_id, "none.png", "", prompt.text, prompt.spec) for prompt, observation in seen]
    )
    run_folder.write_part(0, [observation for _, observation in seen])
    runs.add_run(store, run, Rater(rater, "scorer", None, scorer.version, settings), f"runs/{run.run_id}", len(seen))
    judged = [
        (observation, scorer.judge(parse_spec(prompt.spec), observation, settings).judgements) for prompt, observation in seen
    ]
    runs.ingest(store, run.run_id, 0, judged, "1")
    runs.set_state(store, run.run_id, "done")
