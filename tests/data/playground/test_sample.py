"""The committed sample is whole, is what its recipe makes, and was looked at by the scorers as they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.images.files import open_image
from data.playground import sample
from data.playground.drawing import CARELESS
from data.playground.render import SIZE, render
from data.playground.sample import PER_PROMPT, PlaygroundSample
from scorers import registry
from tools.playground.sample import FIRST_ONLY, POSITIONS_ONLY, SCORERS

GENERATORS = {"playground-early", "playground-late", CARELESS}
RATERS = {f"{name}-playground" for name in SCORERS}


@pytest.fixture(scope="module")
def committed() -> PlaygroundSample:
    return sample.read_sample(sample.FOLDER)


def test_the_sample_is_whole(committed: PlaygroundSample) -> None:
    assert {image.generator for image in committed.images} == GENERATORS
    assert {run.path.name for run in committed.runs} == RATERS


def test_its_prompts_are_those_of_the_suite(committed: PlaygroundSample) -> None:
    assert list(committed.prompts) == sample.sample_prompts()


def test_every_generator_has_painted_every_prompt(committed: PlaygroundSample) -> None:
    places = Counter(image.generator for image in committed.images)
    assert set(places.values()) == {len(committed.prompts) * PER_PROMPT}
    assert len({image.image_id for image in committed.images}) == len(committed.images)
    assert {(image.width, image.height) for image in committed.images if image.generator == CARELESS} == {(SIZE, SIZE)}


def test_the_sample_is_small() -> None:
    files = [path for path in sample.FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 4_000_000
    assert not [path for path in files if path.name.startswith(".")]


def test_the_careless_pictures_show_their_recorded_truth(committed: PlaygroundSample) -> None:
    """Were the renderer or its seeds changed, the simulated people would speak of other pictures."""
    requested = {prompt.prompt_id: prompt for prompt in committed.prompts}
    mine = [image for image in committed.images if image.generator == CARELESS]
    for image in mine[::5]:
        drawn = render(sample.careless_drawing(requested[image.prompt_id], image.index).scene).image
        assert image.path is not None
        stored = np.asarray(open_image(image.path), float)
        assert np.abs(stored - drawn).mean() < 4, image.image_id


def test_the_careless_renderer_shows_every_fault(committed: PlaygroundSample) -> None:
    faults = Counter(sample.careless_drawing(prompt, k).fault for prompt in committed.prompts for k in range(PER_PROMPT))
    assert 60 < faults[None] < 110
    assert len(faults) == 8
    assert min(faults.values()) >= 3


def test_each_scorer_has_scored_every_picture(committed: PlaygroundSample) -> None:
    every = {image.image_id: (image.sha256, image.path) for image in committed.images}
    first = {image.image_id: every[image.image_id] for image in committed.images if image.index == 0}
    relations = {prompt.prompt_id for prompt in committed.prompts if prompt.task == "position"}
    positions = {image.image_id: every[image.image_id] for image in committed.images if image.prompt_id in relations}
    for run in committed.runs:
        scorer = run.path.name.partition("-")[0]
        pictures = first if scorer in FIRST_ONLY else positions if scorer in POSITIONS_ONLY else every
        assert {work.item_id: (work.sha256, (run.path / work.path).resolve()) for work in run.work()} == pictures
        assert [seen.item_id for seen in run.observations()] == [work.item_id for work in run.work()]
        assert not [seen for seen in run.observations() if seen.failed]


def test_the_runs_are_of_the_current_scorer_versions(committed: PlaygroundSample) -> None:
    """With other weights or settings, `python -m tools.playground.sample` must be run again."""
    for run in committed.runs:
        request = run.job()
        scorer = registry.get(request.scorer)
        assert run.path.name == f"{request.scorer}-{request.profile}"
        assert request.version == scorer.version
        assert request.settings == registry.settings(scorer, request.profile)


def test_a_damaged_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_bytes((sample.FOLDER / "prompts.jsonl").read_bytes())
    path = tmp_path / sample.image_path("playground/00003", "g", 1)
    path.parent.mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(path)
    assert [image.image_id for image in sample.read_sample(tmp_path).images] == ["playground/00003/g/1"]
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(ValueError, match="00003_1"):
        sample.read_sample(tmp_path)
