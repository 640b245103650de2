"""``import results tifa``: a VQA model's answers as a scorer's, from a file of TIFA's own code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ui.small_project import concord, done, query, tables
from tests.ui.tifa_files import answered, tifa_file, tifa_questions

COMMAND = ("import", "results", "tifa")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tifa_file(
        tmp_path / "result.json",
        coco_1=tifa_questions(
            answered("is there a cup?", "yes"), answered("what is there?", "other", "cup", free_form_vqa="a mug")
        ),
        drawbench_2=tifa_questions(answered("is there a dog?", "no")),
    )


def test_answers_become_judgements_with_their_questions(project: Path, file: Path) -> None:
    out = done(project, *COMMAND, file, "--generator", "sd")
    assert out.startswith("2 images of sd judged by tifa-official")
    rows = "item_id || ' ' || aspect || coalesce(' ' || target || ' ' || label, ' ' || value)"
    assert query(project, f"select {rows} from judgements order by 1") == [
        "tifa/coco_1/sd/0 answer is-there-a-cup yes",
        "tifa/coco_1/sd/0 answer what-is-there other",
        "tifa/coco_1/sd/0 score 0.5",
        "tifa/drawbench_2/sd/0 answer is-there-a-dog no",
        "tifa/drawbench_2/sd/0 score 0.0",
    ]
    assert query(project, "select prompt_id || ' ' || version || ' ' || question_id from questions order by 1") == [
        "tifa/coco_1 1 is-there-a-cup",
        "tifa/coco_1 1 what-is-there",
        "tifa/drawbench_2 1 is-there-a-dog",
    ]
    assert query(project, "select distinct task from items order by 1") == ["coco", "drawbench"]
    (free,) = query(project, "select payload -> 'answers' -> 1 ->> 'free' from evidence where item_id like 'tifa/coco%'")
    assert free == "a mug"
    before = tables(project)
    assert done(project, *COMMAND, file, "--generator", "sd") == "nothing to do: this was imported before, as import 1\n"
    done(project, "rebuild")
    assert tables(project)["judgements"] == before["judgements"]
    done(project, "import", "undo", 1)
    assert query(project, "select count(*) from judgements") == [0]


def test_a_prompts_own_questions_stay(project: Path, file: Path, tmp_path: Path) -> None:
    own = [{**answered("is it nice?", "yes"), "id": "coco_1"}, {**answered("is there a dog?", "no"), "id": "drawbench_2"}]
    (tmp_path / "own.json").write_text(json.dumps(own))
    done(project, "import", "questions", tmp_path / "own.json")
    done(project, *COMMAND, file, "--generator", "sd")
    assert query(project, "select text from questions order by 1") == ["is it nice?", "is there a dog?"]
    versions = query(project, "select (payload ->> 'version')::integer from evidence order by item_id")
    # other questions than the project's have none of its versions
    assert versions == [0, 1]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"element_type": "weather"}, "'element_type' is 'weather', one of object, animal/human"),
        ({"answer": "maybe"}, "'answer' is 'maybe', which is not among the choices"),
        ({"caption": ""}, "'bad' has no caption, so its prompt is not known"),
        ({"multiple_choice_vqa": 3}, "bad: 'multiple_choice_vqa' is 3, a text expected"),
    ],
)
def test_what_cannot_be_placed_is_left_out_and_the_rest_is_in(
    project: Path, tmp_path: Path, wrong: dict[str, Any], why: str
) -> None:
    path = tifa_file(
        tmp_path / "r.json", bad=tifa_questions({**answered("q?", "yes"), **wrong}), good=tifa_questions(answered("q?", "yes"))
    )
    ran = concord(project, *COMMAND, path, "--generator", "sd")
    assert ran.status == 1
    assert why in ran.err
    assert query(project, "select item_id from evidence") == ["tifa/good/sd/0"]


def test_a_file_without_anything_good_brings_nothing(project: Path, tmp_path: Path) -> None:
    ran = concord(project, *COMMAND, tifa_file(tmp_path / "r.json", bad={"1": 3}), "--generator", "sd")
    assert ran.status == 1
    assert "none of its answers could be imported" in ran.err
    assert query(project, "select count(*) from imports") == [0]
