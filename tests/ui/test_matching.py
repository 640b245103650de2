"""Image-text matching through the command line: imports that go on past hostile rows, twice, and taken back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ui.making import concord, done, png, query, tables

WINOGROUND = {
    "id": 0,
    "image_0": "ex_0_img_0",
    "image_1": "ex_0_img_1",
    "caption_0": "a b",
    "caption_1": "<b>b</b> a",
    "tag": "T",
}


def rows(path: Path, *entries: Any) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def images(folder: Path, *names: str) -> Path:
    for k, name in enumerate(names):
        png(folder / name, f"rgb({k * 9}, 0, 9)", (20, 10))
    return folder


def test_winoground(project: Path, tmp_path: Path) -> None:
    folder = images(tmp_path / "images", "ex_0_img_0.png", "ex_0_img_1.png")
    file = rows(tmp_path / "examples.jsonl", WINOGROUND, WINOGROUND | {"id": 1, "image_0": "../x"})
    ran = concord(project, "import", "itm", file, "--images", folder)
    assert ran.status == 1
    assert "winoground: 3 images with captions (T) (import 1;" in ran.out
    assert "must stay within the folder of images" in ran.err
    assert ran.err.count("left out: ") == 1
    assert query(project, "select prompt_id || text || (spec->>'group') || (spec->>'right') from prompts order by 1") == [
        "winoground/0-0a b00",
        "winoground/0-1<b>b</b> a01",
        # its other picture is no picture: half an example stays
        "winoground/1-1<b>b</b> a11",
    ]
    assert query(project, "select distinct generator from images") == ["real"]
    assert "nothing to do" in concord(project, "import", "itm", file, "--images", folder).out


def test_other_captions_in_the_same_place_are_refused(project: Path, tmp_path: Path) -> None:
    images(tmp_path, "a.png")
    entry = {"image": "a.png", "captions": ["x", "y"], "right": 0}
    done(project, "import", "itm", rows(tmp_path / "a.jsonl", entry))
    before = tables(project)
    # the same text, but another caption beside it: what was judged was judged against "y"
    ran = concord(project, "import", "itm", rows(tmp_path / "a.jsonl", entry | {"captions": ["x", "z"]}))
    assert ran.status == 1
    assert "itm/00000 has other captions in this project already" in ran.err
    assert tables(project) == before
    assert "mine: 1 images" in done(project, "import", "itm", tmp_path / "a.jsonl", "--suite", "mine", "--source", "coco")
    assert query(project, "select image_id from images order by 1") == ["itm/00000/real/0", "mine/00000/coco/0"]


def test_aro_means_a_part_of_the_picture(project: Path, tmp_path: Path) -> None:
    images(tmp_path, "a.png")
    row = {"image_path": "a.png", "true_caption": "t", "false_caption": "f", "attributes": []}
    box = {"bbox_x": 4, "bbox_y": 2, "bbox_w": 10, "bbox_h": 90}
    outside = {**box, "bbox_x": 20}
    file = tmp_path / "aro.json"
    file.write_text(json.dumps([row | box, row | outside]))
    ran = concord(project, "import", "itm", file)
    assert "its box begins at 20, 2, outside of 20 x 10 pixels" in ran.err
    assert query(project, "select width || 'x' || height || ' ' || path from images") == ["10x8 images/real/aro_00000_0.png"]


def test_the_small_world(project: Path) -> None:
    suite = "itm-playground@seed2-n1"
    assert f"{suite}: 6 images with captions" in done(project, "import", "itm", "--playground", "--n", 1, "--seed", 2)
    drawn = sorted((project / "images" / "renderer").iterdir())
    assert len(drawn) == 6
    assert query(project, "select task from prompts order by prompt_id") == [
        "attribute", "color", "count", "shape", "spatial", "text_corruption",
    ]  # fmt: skip
    assert query(project, "select distinct suite || generator from items") == [f"{suite}renderer"]
    assert "nothing to do" in done(project, "import", "itm", "--playground", "--n", 1, "--seed", 2)
    done(project, "import", "undo", 1)
    assert not query(project, "select prompt_id from prompts")
    done(project, "import", "itm", "--playground", "--n", 1, "--seed", 2)


def test_tifa(project: Path, tmp_path: Path) -> None:
    texts, asked = tmp_path / "t.json", tmp_path / "q.json"
    texts.write_text(json.dumps([{"id": f"coco_{k}", "caption": "a gray cat", "coco_val_id": str(k)} for k in (1, 2)]))
    question = {
        "caption": "a gray cat", "question": "what color?", "choices": ["gray", "red"], "answer": "gray",
        "element_type": "color", "element": "gray",
    }  # fmt: skip
    asked.write_text(json.dumps([{"id": f"coco_{k}", **question} for k in (1, 2)]))
    images(tmp_path / "val", "COCO_val2014_000000000001.jpg")
    ran = concord(project, "import", "itm", "--tifa", texts, asked, "--images", tmp_path / "val")
    assert "itm-tifa: 1 images with captions (color)" in ran.out
    assert "left out: 1 photograph not in" in ran.err
    assert query(project, "select spec->>'captions' from prompts") == ['["a gray cat","a red cat"]']


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "one of the three"),
        (("x.jsonl", "--playground"), "one of the three"),
        (("--playground", "--suite", "x"), "draws its own pictures"),
        (("x.jsonl", "--n", "3"), "belong to --playground"),
        (("x.jsonl",), "no such file"),
        (("x.jsonl", "--suite", "a/b"), "the suite's name"),
        (("--tifa", "a", "b"), "--tifa needs --images DIR"),
    ],
)
def test_what_is_not_understood(project: Path, words: tuple[str, ...], why: str) -> None:
    ran = concord(project, "import", "itm", *words)
    assert ran.status in (1, 2)
    assert why in ran.err
