"""Image-text matching through the command line: imports that go on past hostile rows, twice, and taken back."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from concord.comparison import matching
from concord.comparison.matching import evidence
from data.selection import Selection
from data.store.core.store import Store
from tests.ui import matching_evidence
from tests.ui.small_project import concord, done, png, query, tables

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
    assert "its box begins at 20, 2, outside the image of 20 x 10 pixels" in ran.err
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
    texts, path = tmp_path / "t.json", tmp_path / "q.json"
    texts.write_text(json.dumps([{"id": f"coco_{k}", "caption": "a gray cat", "coco_val_id": str(k)} for k in (1, 2)]))
    question = {
        "caption": "a gray cat", "question": "what color?", "choices": ["gray", "red"], "answer": "gray",
        "element_type": "color", "element": "gray",
    }  # fmt: skip
    path.write_text(json.dumps([{"id": f"coco_{k}", **question} for k in (1, 2)]))
    images(tmp_path / "val", "COCO_val2014_000000000001.jpg")
    ran = concord(project, "import", "itm", "--tifa", texts, path, "--images", tmp_path / "val")
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


def test_the_command_by_hand(project: Path, tmp_path: Path) -> None:
    images(tmp_path, "a.png", "b.png", "c.png")
    entries = [
        {"image": "a.png", "captions": ["x", "y"], "right": 0, "task": "attribute"},
        {"image": "b.png", "captions": ["x", "y", "z", "w"], "right": 1, "task": "color"},
        {"image": "c.png", "captions": ["x", "y", "z", "w"], "right": 3, "task": "color"},
    ]
    done(project, "import", "itm", rows(tmp_path / "a.jsonl", *entries))
    a, b, c = matching_evidence.items(project)
    with Store(project) as store:
        matching_evidence.said(store, "clip", {a: [0.3, 0.1], b: [0.1, 0.2, 0.1, 0.1], c: [0.5, 0.1, 0.1, 0.5]}, scale=10.0)
        matching_evidence.said(store, "loss", {a: [1, 2], b: [0, 1, 0, 0], c: [1, None, 2, 3]}, evaluations=3, full=12)
    payload = json.loads(done(project, "itm", "--no-intervals", "--format", "json"))

    def number(rater: str, statistic: str, task: str = "all") -> Any:
        (row,) = [
            entry
            for entry in payload["matching"]
            if (entry["rater"], entry["statistic"], entry["task"]) == (rater, statistic, task)
        ]
        return row["value"], row["n"]

    assert number("clip", "accuracy") == (pytest.approx(2 / 3), 3)  # the tie is not right
    assert number("clip", "chance") == (pytest.approx(1 / 3), 3)
    assert number("clip", "accuracy", "color") == (0.5, 2)
    # softmax of 10 times the cosines: a 1 / (1 + e^-2), b e / (e + 3), c 1 / (2 + 2 e^-4)
    shares = [1 / (1 + math.exp(-2)), math.e / (math.e + 3), 1 / (2 + 2 * math.exp(-4))]
    assert number("clip", "posterior") == (pytest.approx(sum(shares) / 3), 3)
    assert number("loss", "accuracy") == (0.5, 2)
    # an average loss is no log-likelihood
    assert number("loss", "posterior") == (None, 2)
    # a stopped early one tells what it spent, whatever came of it
    assert number("loss", "evaluations") == (0.25, 3)
    assert not [row for row in payload["matching"] if (row["rater"], row["statistic"]) == ("clip", "evaluations")]
    (vote,) = [row for row in payload["votes"] if row["task"] == "all"]
    assert (vote["a"], vote["b"], vote["only_a"], vote["only_b"], vote["both"], vote["n"]) == ("clip", "loss", 1, 0, 1, 2)
    table = done(project, "itm", "--task", "color")
    assert "Accuracy against chance" in table
    assert "attribute" not in table
    assert "no scorer has chosen captions" in done(project, "itm", "--generator", "none")


def test_winograd_groups_by_hand(project: Path, tmp_path: Path) -> None:
    folder = images(tmp_path / "images", *(f"i{k}.png" for k in range(4)))
    entries = [WINOGROUND | {"id": k, "image_0": f"i{2 * k}", "image_1": f"i{2 * k + 1}"} for k in range(2)]
    done(project, "import", "itm", rows(tmp_path / "e.jsonl", *entries), "--images", folder)
    with Store(project) as store:
        fits = dict(zip(sorted(f"winoground/{k}-{side}/real/0" for k in range(2) for side in range(2)),
                        ([5, 1], [2, 6], [5, 4], [9, 10]), strict=True))  # fmt: skip
        matching_evidence.said(store, "r", fits)
    payload = json.loads(done(project, "itm", "--format", "json"))["winoground"]
    whole = {row["statistic"]: (row["value"], row["n"], row["unit"]) for row in payload if row["task"] == "all"}
    assert whole == {"text_score": (1, 2, "groups"), "image_score": (0.5, 2, "groups"), "group_score": (0.5, 2, "groups")}
    assert "Winoground" in done(project, "itm")


def test_fewer_trials_are_the_first_ones(project: Path, tmp_path: Path) -> None:
    images(tmp_path, "a.png")
    done(project, "import", "itm", rows(tmp_path / "a.jsonl", {"image": "a.png", "captions": ["x", "y"], "right": 0}))
    (item,) = matching_evidence.items(project)
    with Store(project) as store:
        # losses: the first trial takes y, both together x, all three y
        for steps, seed in ((4, 0), (8, 0)):
            matching_evidence.trials(store, f"elbo[{steps}]", item, [[2, 1], [1, 4], [9, 1]], steps, seed)
        trials = matching.statistics(store, Selection()).trials
        assert [(row.group, row.value) for row in trials if row.rater == "elbo[4]"] == [("1", 0.0), ("2", 1.0), ("3", 0.0)]
        choices = evidence(store)
        ((_, title), grid), *others = matching.ablation_grids(choices).items()
        assert not others
        assert title == "scorer with made"
        assert [(setting.rater, setting.steps) for setting in grid] == [("elbo[4]", 4), ("elbo[8]", 8)]
        points = matching.ablation_points(choices, grid, [1, 3])
        assert {(point.steps, point.trials, point.accuracy.value) for point in points} == {
            (4, 1, 0),
            (4, 3, 0),
            (8, 1, 0),
            (8, 3, 0),
        }


def test_the_grid_that_is_asked_for(project: Path) -> None:
    done(project, "import", "itm", "--playground", "--n", 1)
    for words, why in (
        (("clipmatch", "--trials", "1"), "clipmatch has no trials and no steps and no seed to vary"),
        (("elbo", "--trials", "0"), "not whole numbers of at least 1"),
        (("elbo", "--steps", "1,x"), "not whole numbers"),
        (("elbo", "--plot", "nowhere/x.html"), "there is no such folder"),
        (("elbo", "--trials", "1", "--generator", "none"), "no image with a file fits"),
    ):
        ran = concord(project, "ablate", *words)
        assert ran.status in (1, 2)
        assert why in ran.err
