"""Files of image-text matching: each layout by hand, and rows that cannot be read beside those that can."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.matching.captions import Candidates
from data.matching.files import MatchingExample, read_matching, read_tifa_matching, swap_answer
from data.prompts.questions import PromptQuestion


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_user_rows_as_json(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"image": "a.png", "captions": ["x", "y"], "right": 1, "task": "color", "group": "g"},
        "",
        {"image": "b.png", "captions": ["x", "y", "z"], "right": "z"},
    )
    assert read_matching(path).examples == [
        MatchingExample("00000", 1, "a.png", Candidates(("x", "y"), 1), "color", "g"),
        MatchingExample("00002", 3, "b.png", Candidates(("x", "y", "z"), 2)),
    ]
    first, second = read_matching(path).examples
    assert (first.text, first.spec) == ("y", {"captions": ["x", "y"], "right": 1, "group": "g"})
    assert second.spec == {"captions": ["x", "y", "z"], "right": 2}


def test_user_rows_as_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('image,captions,right,task\na.png,"[""x, x"", ""y""]",0,\nb.png,"[""x"", ""y""]",y,count\n')
    matching_file = read_matching(path)
    assert [(example.offered, example.task) for example in matching_file.examples] == [
        (Candidates(("x, x", "y"), 0), None),
        (Candidates(("x", "y"), 1), "count"),
    ]
    columns = tmp_path / "b.csv"
    header = ",".join(f"caption_{k}" for k in (10, 2, 0))
    columns.write_text(f"image,{header},right\na.png,last,mid,first,2\n")
    assert read_matching(columns).examples[0].offered == Candidates(("first", "mid", "last"), 2)


def test_winograd_pairs_share_a_group(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "image_0": "i0",
        "image_1": "i1",
        "caption_0": "a b",
        "caption_1": "b a",
        "tag": "t",
        "collapsed_tag": "Both",
    }
    matching_file = read_matching(lines(tmp_path / "w.jsonl", row))
    assert matching_file.layout == "winoground"
    captions = ("a b", "b a")
    assert matching_file.examples == [
        MatchingExample("7-0", 1, "i0", Candidates(captions, 0), "Both", "7"),
        MatchingExample("7-1", 1, "i1", Candidates(captions, 1), "Both", "7"),
    ]


def test_aro_rows(tmp_path: Path) -> None:
    box = {"bbox_x": 1, "bbox_y": 2, "bbox_w": 30, "bbox_h": 40}
    path = tmp_path / "aro.json"
    entries = [
        {"image_path": "a.jpg", "true_caption": "t", "false_caption": "f", "attributes": ["x", "y"], **box},
        {"image_path": "b.jpg", "true_caption": "t", "false_caption": "f", "relation_name": "on"},
        {"image": "c.jpg", "caption_options": ["t", "f", "g"]},
        {"image": "d.jpg", "caption": ["true", "true as well"]},
        {"image_path": "e.jpg", "true_caption": "t", "false_caption": "f", **box, "bbox_w": 0},
    ]
    path.write_text(json.dumps(entries))
    matching_file = read_matching(path)
    assert matching_file.layout == "aro"
    assert [(example.task, example.offered, example.box) for example in matching_file.examples] == [
        ("attribute", Candidates(("t", "f"), 0), (1, 2, 31, 42)),
        ("spatial", Candidates(("t", "f"), 0), None),
        ("text_corruption", Candidates(("t", "f", "g"), 0), None),
    ]
    assert len(matching_file.wrong) == 2
    assert "all true" in matching_file.wrong[0]
    assert "a box in pixels expected" in matching_file.wrong[1]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("{", "not JSON"),
        ("[1]", "a JSON object expected"),
        ({"image": "a", "captions": ["x", "y"]}, "'right' is missing"),
        ({"image": "a", "captions": ["x", "y"], "right": 2}, "'right' must be the place"),
        ({"image": "a", "captions": ["x", "y"], "right": "z"}, "'right' must be the place"),
        ({"image": "a", "captions": ["x", "y"], "right": True}, "'right' must be the place"),
        ({"image": "a", "captions": ["x", "x"], "right": 0}, "all different"),
        ({"image": "a", "captions": "xy", "right": 0}, "must be a list"),
        ({"image": "a", "captions": ["x", 3], "right": 0}, "a text expected"),
        ({"image": "a", "captions": ["x", "a\0b"], "right": 0}, "NUL"),
        ({"image": "a", "captions": ["x", "y" * 3000], "right": 0}, "3,000 characters"),
        ({"image": "a", "captions": [str(k) for k in range(65)], "right": 0}, "at most 64"),
        ({"image": None, "captions": ["x", "y"], "right": 0}, "'image' is None"),
        ({"captions": ["x", "y"], "right": 0}, "'image' is None, a text expected"),
        ({"image": "a", "captions": ["x", "y"], "right": 0, "task": 5}, "'task' is 5"),
    ],
)
def test_a_hostile_row_gets_a_message_and_the_rest_is_read(tmp_path: Path, row: Any, why: str) -> None:
    good = {"image": "a.png", "captions": ["x", "y"], "right": 0}
    matching_file = read_matching(lines(tmp_path / "a.jsonl", good, row, good))
    assert [example.line for example in matching_file.examples] == [1, 3]
    (told,) = matching_file.wrong
    assert f"{tmp_path / 'a.jsonl'}:2: " in told
    assert why in told
    assert "\n" not in told


def test_an_array_that_breaks_off_yields_the_rows_before(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"image": "a", "captions": ["x", "y"], "right": 0},\n {"image": ')
    matching_file = read_matching(path)
    assert [example.name for example in matching_file.examples] == ["00000"]
    assert len(matching_file.wrong) == 1


def test_a_missing_or_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_matching(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="holds no examples"):
        read_matching(lines(tmp_path / "empty.jsonl"))


def question(answer: str, *choices: str, kind: str = "color") -> PromptQuestion:
    return PromptQuestion("q", "what?", choices, answer, kind, answer)


def test_an_answer_is_replaced_by_the_other_choices() -> None:
    gray = question("gray", "gray", "red", "orange", "GRAY")
    assert swap_answer("A gray cat on a mat", gray) == Candidates(
        ("A gray cat on a mat", "A red cat on a mat", "An orange cat on a mat")
    )
    two = question("2", "1", "2", "3", kind="counting")
    assert swap_answer("Two dogs run", two) == Candidates(("Two dogs run", "One dogs run", "Three dogs run"))
    assert swap_answer("2 dogs run", two) == Candidates(("2 dogs run", "1 dogs run", "3 dogs run"))
    assert swap_answer("a gray cat and a gray dog", gray) == "the text does not hold the answer's words once"
    assert swap_answer("a cat", gray) == "the text does not hold the answer's words once"
    assert swap_answer("a gray cat", question("gray", "gray")) == "the question has no other choice"


def test_tifa_files_become_examples(tmp_path: Path) -> None:
    texts, path = tmp_path / "t.json", tmp_path / "q.json"
    texts.write_text(
        json.dumps(
            [{"id": "coco_1", "caption": "a gray cat", "coco_val_id": "42"}, {"id": "drawbench_1", "caption": "a gray dog"}]
        )
    )
    base = {"id": "coco_1", "caption": "a gray cat", "element": "x", "element_type": "color"}
    path.write_text(
        json.dumps(
            [
                {**base, "question": "is it gray?", "choices": ["yes", "no"], "answer": "yes"},
                {**base, "question": "what color?", "choices": ["gray", "red"], "answer": "gray"},
                {
                    **base,
                    "question": "what animal?",
                    "choices": ["cat", "dog"],
                    "answer": "cat",
                    "element_type": "animal/human",
                },
                {**base, "question": "where?", "choices": ["on", "in"], "answer": "on", "element_type": "spatial"},
                {
                    **base,
                    "id": "drawbench_1",
                    "caption": "a gray dog",
                    "question": "c?",
                    "choices": ["gray", "red"],
                    "answer": "gray",
                },
            ]
        )
    )
    matching = read_tifa_matching(texts, path)
    assert matching.examples == [MatchingExample("coco_1.1", 0, "42", Candidates(("a gray cat", "a red cat"), 0), "color")]
    assert matching.left == {"the text does not hold the answer's words once": 1}
