"""The committed sample is whole, is what its recipe makes, and was looked at by the scorers as they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.images import open_image
from data.playground import prompts, sample
from data.playground.drawing import CARELESS
from data.playground.render import SIZE, render
from data.playground.sample import PER_PROMPT, Sample
from scorers import registry

GENERATORS = {"playground-early", "playground-late", CARELESS}
RATERS = {"clipscore-playground", "geneval-playground", "tifa-playground"}


@pytest.fixture(scope="module")
def committed() -> Sample:
    return sample.read(sample.FOLDER)


def test_the_sample_is_whole(committed: Sample) -> None:
    assert {image.generator for image in committed.images} == GENERATORS
    assert {run.path.name for run in committed.runs} == RATERS


def test_its_prompts_are_those_of_the_suite(committed: Sample) -> None:
    assert list(committed.prompts) == prompts.sample()


def test_every_generator_has_painted_every_prompt(committed: Sample) -> None:
    places = Counter(image.generator for image in committed.images)
    assert set(places.values()) == {len(committed.prompts) * PER_PROMPT}
    assert len({image.image_id for image in committed.images}) == len(committed.images)
    assert {(image.width, image.height) for image in committed.images if image.generator == CARELESS} == {(SIZE, SIZE)}


def test_it_is_small() -> None:
    files = [path for path in sample.FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 4_000_000
    assert not [path for path in files if path.name.startswith(".")]


def test_the_careless_pictures_show_what_is_held_to_be_true(committed: Sample) -> None:
    """Were the renderer or its seeds changed, the simulated people would speak of other pictures."""
    asked = {prompt.prompt_id: prompt for prompt in committed.prompts}
    mine = [image for image in committed.images if image.generator == CARELESS]
    for image in mine[::5]:
        drawn = render(sample.careless(asked[image.prompt_id], image.index).scene).image
        assert image.path is not None
        stored = np.asarray(open_image(image.path), float)
        assert np.abs(stored - drawn).mean() < 4, image.image_id


def test_the_careless_renderer_shows_every_fault(committed: Sample) -> None:
    faults = Counter(sample.careless(prompt, k).fault for prompt in committed.prompts for k in range(PER_PROMPT))
    assert 60 < faults[None] < 110
    assert len(faults) == 8
    assert min(faults.values()) >= 3


def test_each_scorer_has_seen_every_picture(committed: Sample) -> None:
    pictures = {image.image_id: (image.sha256, image.path) for image in committed.images}
    assert committed.runs
    for run in committed.runs:
        assert {work.item_id: (work.sha256, (run.path / work.path).resolve()) for work in run.work()} == pictures
        assert [seen.item_id for seen in run.seen()] == [work.item_id for work in run.work()]
        assert not [seen for seen in run.seen() if seen.failed]


def test_the_scorers_were_what_they_are_now(committed: Sample) -> None:
    """With other weights or settings, `python -m scorers.training.sample` must be run again."""
    for run in committed.runs:
        asked = run.run()
        scorer = registry.get(asked.scorer)
        assert run.path.name == f"{asked.scorer}-{asked.profile}"
        assert asked.version == scorer.version
        assert asked.settings == registry.settings(scorer, asked.profile)


def test_a_damaged_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_bytes((sample.FOLDER / "prompts.jsonl").read_bytes())
    path = tmp_path / sample.relative_path("playground/00003", "g", 1)
    path.parent.mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(path)
    assert [image.image_id for image in sample.read(tmp_path).images] == ["playground/00003/g/1"]
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(ValueError, match="00003_1"):
        sample.read(tmp_path)
