"""TIFA's released ratings: what of a file is read, and what is refused in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.records import Image, Item, Prompt
from data.studies.study_ratings import StudyRatings
from data.studies.tifa import read_human_annotations

SHARED = Path(__file__).resolve().parents[4] / "shared" / "studies"
needs_studies = pytest.mark.skipif(not SHARED.exists(), reason="the published studies are not here")


def entry(text_id: str = "coco_1", **changes: Any) -> dict[str, Any]:
    made = {"text_id": text_id, "image_path": "x.jpg", "text": "It\u2019s a cat ", "human_scores": [4, 5], "human_avg": 4.5}
    return {**made, "clipscore_vitb32": 33.55949401855469, "tifa_x-large": 1.0, **changes}


def tifa_study(folder: Path, content: Any) -> StudyRatings:
    path = folder / "human.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return read_human_annotations(path)


def test_tifa_entry(tmp_path: Path) -> None:
    read = tifa_study(tmp_path, {"coco_1_v1_5": entry(), "coco_1_mini": entry(human_scores=[3], human_avg=3)})
    assert read.prompts == (Prompt("tifa/coco_1", "tifa", "It\u2019s a cat ", "coco"),)
    assert read.images == (Image("tifa/coco_1", "v1_5", 0), Image("tifa/coco_1", "mini", 0))
    assert [(found.rater_id, found.answers) for found in read.rows] == [
        ("tifa/slot-1", {"faithfulness": 4}),
        ("tifa/slot-2", {"faithfulness": 5}),
        ("tifa/slot-1", {"faithfulness": 3}),
    ]
    assert read.items[0] == Item("tifa/coco_1/v1_5/0", "tifa", "tifa/coco_1", "coco", "v1_5")
    assert [(score.rater_id, score.value) for score in read.scores[:2]] == [
        ("clipscore_vitb32", 33.55949401855469),
        ("tifa_x-large", 1.0),
    ]


def test_tifa_missing_scores(tmp_path: Path) -> None:
    partial = entry(clipscore_vitb32=None, spice=float("nan"))
    del partial["tifa_x-large"]
    read = tifa_study(tmp_path, {"coco_1_a": partial, "coco_1_b": entry()})
    assert len(read.scores) == 2
    assert read.rows[0].raw["spice"] is None
    assert read.missing_scores == {"clipscore_vitb32": 1, "spice": 2, "tifa_x-large": 1}
    assert set(read.missing_scores) == {"clipscore_vitb32", "spice", "tifa_x-large"}


@pytest.mark.parametrize(
    ("key", "change", "message"),
    [
        ("coco_1_b", {"text": "It's a cat"}, "'text' differs from that on line 2"),
        ("coco_1_b", {"text": None}, "'text' is None"),
        ("coco_1_b", {"text": "a\0"}, "NUL"),
        ("coco_2_b", {}, "must be the text_id 'coco_1', '_' and the generator's name"),
        ("coco_1_", {}, "the generator's name is empty"),
        ("coco_1_b/c", {}, "the generator's name 'b/c'"),
        ("coco_1_b", {"human_scores": [0, 5]}, "'human_scores' is [0, 5]"),
        ("coco_1_b", {"human_scores": [True, 5]}, "'human_scores'"),
        ("coco_1_b", {"human_scores": [4.5]}, "'human_scores'"),
        ("coco_1_b", {"human_scores": []}, "'human_scores'"),
        ("coco_1_b", {"human_avg": 2}, "'human_avg' is 2, but the mean of [4, 5] is 4.5"),
        ("coco_1_b", {"spice": "high"}, "metric 'spice' is 'high'"),
        ("coco_1_b", {"spice": True}, "metric 'spice' is True"),
        ("coco_1_b", {"spice": float("inf")}, "infinite"),
    ],
)
def test_wrong_tifa_entries(tmp_path: Path, key: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        tifa_study(tmp_path, {"coco_1_a": entry(), key: entry(**change)})
    assert "human.json:14: " in str(caught.value)
    assert message in str(caught.value)


def test_wrong_tifa_files(tmp_path: Path) -> None:
    one = json.dumps(entry())
    for content, message in (
        ("[]", ":1: not JSON \\('{' expected, found '\\['"),
        ("", "the file ends"),
        ("{}", "holds no annotations"),
        ('{"a": 5}', ":1: 'a' holds 5, an object expected"),
        (f'{{"coco_1_a": {one},\n"coco_1_a": {one}}}', ":2: key 'coco_1_a' stands on line 1 already"),
        (f'{{"coco_1_a": {one[:-9]}', ":1: not JSON"),
        (f'{{"coco_1_a": {one}', "is it cut off"),
    ):
        with pytest.raises(InputError, match=message):
            tifa_study(tmp_path, content)


@needs_studies
def test_published_tifa() -> None:
    read = read_human_annotations(SHARED / "tifa" / "human_annotations_with_scores.json")
    assert (len(read.prompts), len(read.images), len(read.rows), len(read.scores)) == (160, 800, 1600, 8000)
    assert not any(read.missing_scores.values())
    assert {image.generator for image in read.images} == {
        "mini_dalle",
        "vq_diffusion",
        "stable_diffusion_v1_1",
        "stable_diffusion_v1_5",
        "stable_diffusion_v2_1",
    }
    assert {row.rater_id for row in read.rows} == {"tifa/slot-1", "tifa/slot-2"}
    assert sum(prompt.text != prompt.text.strip() for prompt in read.prompts) > 0
    assert sum("\u2019" in prompt.text for prompt in read.prompts) == 1
