"""A blank image in GenEval's form: nothing is there."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.questionnaires.form import FormItem
from annotation.questionnaires.geneval import FORM, derive
from data.spec import parse_spec

CUP: dict[str, Any] = {"include": [{"class": "cup", "count": 1, "color": "red"}]}
TWO: dict[str, Any] = {"a": "cow", "b": "bench", "relation": "above"}
FEW: dict[str, Any] = {"include": [{"class": "cup", "count": 2}], "exclude": [{"class": "cup", "count": 3}]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (CUP, {("correct", None): "no", ("present", "cup"): "no", ("count", "cup"): "0", ("caption_match", None): "1"}),
        (FEW, {("correct", None): "no", ("present", "cup"): "no", ("count", "cup"): "0", ("caption_match", None): "1"}),
        (
            TWO,
            {
                ("correct", None): "no",
                ("present", "cow"): "no",
                ("count", "cow"): "0",
                ("present", "bench"): "no",
                ("count", "bench"): "0",
                ("caption_match", None): "1",
            },
        ),
        ({}, {("caption_match", None): "1"}),
    ],
)
def test_nothing_is_there_and_nothing_fits(spec: dict[str, Any], expected: dict[tuple[str, str | None], str]) -> None:
    results = FORM.derive(FormItem("", spec), {"blank_image": "yes"})
    assert {(judgement.aspect, judgement.target): judgement.label for judgement in results} == expected


def test_it_is_what_the_papers_instructions_lead_to() -> None:
    # "The image may be just a black square, in which case, you should say there are no objects."
    as_in_the_paper = {"objects": "none", "count_0": 0, "count_1": 0, "caption_fit": 1}
    assert derive(parse_spec(TWO), {"blank_image": "yes"}) == derive(parse_spec(TWO), as_in_the_paper)


def test_stored_answers_are_what_they_were() -> None:
    assert FORM.rule_version == "geneval-answers-3"
    assert derive(parse_spec(CUP), {"count_0": 1, "color_0": ["red"]})[0].label == "yes"
