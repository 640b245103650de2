"""Negation, material, size, depth and distance: from a prompt's file to the form, to judgements, and past the detectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.questionnaires.base import check
from annotation.questionnaires.geneval import derive, geneval_questionnaire
from data.jobs.runs import Detection, Observation
from data.prompts.prompt_files import format_prompts, read_prompts
from data.prompts.questions import questions_from_spec
from data.spec import ExcludeSpec, Spec, SpecError, parse_spec
from scorers import registry

SPEC: dict[str, Any] = {
    "include": [
        {"class": "cat", "count": 1, "expected": False},
        {"class": "table", "count": 1, "material": "wood"},
        {"class": "cow", "count": 2, "size": "large", "depth": ["in front of", 1], "distance": ["far", 1]},
    ]
}
DETAILS = [
    ("material", "wood", "table"), ("size", "large", "cow"), ("depth", "in front of", "cow in front of table"),
    ("distance", "far from", "cow far from table"),
]  # fmt: skip
ALL_WELL: dict[str, Any] = {
    "objects": "cows, a table", "count_0": 1, "count_1": 2, "color_0": ["brown"], "color_1": ["white"], "realism_0": 3,
    "realism_1": 3, "position_x": "neither", "position_y": "below", "count_absent_0": 0, "caption_fit": 4,
    **{f"detail_{k}": "yes" for k in range(4)},
}  # fmt: skip


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    """As a file brings it in, and takes it out again."""
    (tmp_path / "p.jsonl").write_text(
        json.dumps({"prompt": "two large cows far in front of a wooden table, no cat", "spec": SPEC})
    )
    (prompt,) = read_prompts(tmp_path / "p.jsonl", "mine")
    (tmp_path / "q.jsonl").write_text(format_prompts([prompt]))
    assert read_prompts(tmp_path / "q.jsonl", "mine") == [prompt]
    return prompt.demands


def test_the_file_says_what_must_and_must_not_be_there(spec: Spec) -> None:
    assert [thing.name for thing in spec.objects] == ["table", "cow"]
    assert spec.absent == (ExcludeSpec("cat", 1, True),)
    assert [(detail.kind, detail.value, detail.target) for detail in spec.details] == DETAILS
    assert [(detail.subject, detail.reference) for detail in spec.details] == [(0, None), (1, None), (1, 0), (1, 0)]


def test_the_form_asks_about_each(spec: Spec) -> None:
    requested = {question.id: question.text for question in geneval_questionnaire(spec).questions}
    assert {name: text for name, text in requested.items() if name.startswith(("detail", "count_absent"))} == {
        "detail_0": "Is the table made of wood?",
        "detail_1": "Are the cows large?",
        "detail_2": "Are the cows in front of the table?",
        "detail_3": "Are the cows far from the table?",
        "count_absent_0": "How many cats are in the image?",
    }
    assert check(geneval_questionnaire(spec), ALL_WELL).errors == {}
    # what is said of a table that is not there does not count
    assert "detail_0" not in check(geneval_questionnaire(spec), ALL_WELL | {"count_0": 0}).answers


@pytest.mark.parametrize(
    ("change", "correct", "aspect", "target", "label"),
    [
        ({}, "yes", "present", "cat", "no"),
        ({"count_absent_0": 1}, "no", "present", "cat", "yes"),
        ({"count_absent_0": "cannot_tell"}, None, "present", "cat", None),
        ({"detail_0": "no"}, "no", "material", "table", "no"),
        ({"detail_1": "no"}, "no", "size", "cow", "no"),
        ({"detail_2": "no"}, "no", "depth", "cow in front of table", "no"),
        ({"detail_3": "cannot_tell"}, None, "distance", "cow far from table", None),
        ({"detail_3": "yes"}, "yes", "distance", "cow far from table", "yes"),
    ],
)
def test_each_answer_counts(
    spec: Spec, change: dict[str, Any], correct: str | None, aspect: str, target: str, label: str | None
) -> None:
    results = {(judgement.aspect, judgement.target): judgement.label for judgement in derive(spec, ALL_WELL | change)}
    assert results["correct", None] == correct
    assert results[aspect, target] == label


def test_a_blank_image_has_none_of_it(spec: Spec) -> None:
    results = {(judgement.aspect, judgement.target): judgement.label for judgement in derive(spec, {"blank_image": "yes"})}
    assert (results["correct", None], results["present", "cat"], results["present", "cow"]) == ("no", "no", "no")
    assert derive(parse_spec({"include": [{"class": "cat", "expected": False}]}), {"blank_image": "yes"})[0].label == "yes"


def test_questions_for_models_ask_the_same(spec: Spec) -> None:
    requested = {question.text: question for question in questions_from_spec(spec)}
    assert requested["is there a cat?"].answer == "no"
    assert requested["is the table made of wood?"].parents == ("is-there-a-table",)
    assert requested["are the cows far from the table?"].parents == ("is-there-a-cow", "is-there-a-table")
    assert [requested[text].element_type for text in ("is the table made of wood?", "are the cows large?")] == [
        "material",
        "attribute",
    ]


def test_detectors_leave_open_what_they_cannot_see() -> None:
    scorer = registry.get("geneval")
    settings = scorer.profiles["playground"]
    boxes = [
        Detection("dining table", 0.99, (0, 0, 9, 9)),
        *[Detection("cow", 0.99, (20.0 * k, 0, 20.0 * k + 9, 9)) for k in (1, 2)],
    ]
    table = parse_spec(
        {"include": [{**clause, "class": clause["class"].replace("table", "dining table")} for clause in SPEC["include"]]}
    )
    seen = Observation("i", {}, tuple(boxes))
    assert scorer.judge(table, seen, settings).correct is None
    with_cat = Observation("i", {}, (*boxes, Detection("cat", 0.99, (50, 50, 60, 60))))
    assert scorer.judge(table, with_cat, settings).correct is False
    assert scorer.judge(table, Observation("i", {}, tuple(boxes[1:])), settings).correct is False


@pytest.mark.parametrize(
    ("clause", "why"),
    [
        ({"expected": "no"}, "'include[1].expected' must be true or false"),
        ({"expected": False, "color": "red"}, "'include[1]' is not expected, so it can have no 'color'"),
        ({"expected": False, "class": "cow"}, "'include[1]' is not expected, and another clause expects"),
        ({"material": 3}, "'include[1].material' must be a material, got 3"),
        ({"size": " "}, "'include[1].size' must be a size"),
        ({"depth": ["under", 0]}, "'include[1].depth': unknown relation .under.; known: in front of, behind"),
        ({"distance": ["near", 1]}, "'include[1].distance': 1 is not the index of another object"),
        ({"distance": "near"}, "'include[1].distance' must be [relation, index]"),
        ({"position": ["near", 0]}, "'include[1].position': unknown relation .near.; known: left of, right of, above, below"),
    ],
)
def test_what_is_wrong_is_said(clause: dict[str, Any], why: str) -> None:
    with pytest.raises(SpecError, match=why.replace("[", r"\[").replace("]", r"\]")):
        parse_spec({"include": [{"class": "cow"}, {"class": "dog", **clause}]})
