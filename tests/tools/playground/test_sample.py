"""The sample's recipe takes generators' pictures from where they are made, and no half of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from data.playground import sample
from data.playground.drawing import CARELESS
from tools.playground.sample import make

FEW = sample.sample_prompts()[:2]
NAMES = {
    "as-generated": "playground_{number}_{index}.png",
    "plain": "{number}_{index}.png",
    "as-geneval": "{number}/samples/{index:04d}.png",
}


@pytest.fixture(autouse=True)
def _few_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "sample_prompts", lambda: FEW)


def painted(folder: Path, generator: str, shape: str, per_prompt: int = sample.PER_PROMPT) -> None:
    for prompt in FEW:
        for index in range(per_prompt):
            name = shape.format(number=prompt.prompt_id.rsplit("/", 1)[-1], index=index)
            path = folder / "images" / generator / name
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (32, 32), (index * 60, 0, 200)).save(path)


def test_pictures_are_found_by_any_of_their_names(tmp_path: Path) -> None:
    for generator, shape in NAMES.items():
        painted(tmp_path / "made", generator, shape)
    make(tmp_path / "made", tmp_path / "out", scorers=())
    playground_sample = sample.read_sample(tmp_path / "out")
    assert list(playground_sample.prompts) == FEW
    assert {image.image_id for image in playground_sample.images} == {
        f"{prompt.prompt_id}/{generator}/{index}"
        for prompt in FEW
        for generator in (*NAMES, CARELESS)
        for index in range(sample.PER_PROMPT)
    }
    assert {path.suffix for path in (tmp_path / "out" / "images").rglob("*") if path.is_file()} == {".webp"}


def test_without_generators_there_is_the_careless_renderer(tmp_path: Path) -> None:
    make(tmp_path, tmp_path / "out", scorers=())
    assert {image.generator for image in sample.read_sample(tmp_path / "out").images} == {CARELESS}


def test_it_makes_the_same_again(tmp_path: Path) -> None:
    for name in ("a", "b", "b"):
        make(tmp_path, tmp_path / name, scorers=())
    first, second = (sample.read_sample(tmp_path / name).images for name in ("a", "b"))
    assert [image.sha256 for image in first] == [image.sha256 for image in second]


def test_half_a_generator_is_refused(tmp_path: Path) -> None:
    painted(tmp_path / "made", "half", NAMES["plain"], per_prompt=3)
    with pytest.raises(ValueError, match="half has 6 pictures, wanted are 8"):
        make(tmp_path / "made", tmp_path / "out", scorers=())
    assert not (tmp_path / "out").exists()
