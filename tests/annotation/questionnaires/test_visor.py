"""VISOR's seven questions and what follows from them, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.questionnaires.base import visible
from annotation.questionnaires.form import FormItem
from annotation.questionnaires.visor import FORM
from data.jobs.runs import Detection, Observation
from data.prompts import sr2d_suite
from data.spec import parse_spec
from scorers.visor import rules

ABOVE: dict[str, Any] = {"a": "cow", "b": "bench", "relation": "above"}
BOTH: dict[str, Any] = {"a": "cow", "b": "bench"}
SINGLE: dict[str, Any] = {"a": "cow"}
# GenEval says of its second object where it is
GENEVAL = {"include": [{"class": "bench", "count": 1}, {"class": "cow", "count": 1, "position": ["left of", 0]}]}
COLORED = {"include": [{"class": "cow", "count": 1, "color": "red"}]}
SEEN = {"present_a": "yes", "present_b": "yes", "relations": ["above"], "merged": "distinct"}
UNSURE = "cannot_tell"
SEVEN = ["quality", "scene", "objects", "present_a", "present_b", "relations", "merged"]


def judgements_of(spec: dict[str, Any], answers: dict[str, Any]) -> dict[tuple[str, str | None], str | None]:
    judgements = FORM.derive(FormItem("", spec), answers)
    return {(j.aspect, j.target): j.reason if j.label is None else j.label for j in judgements}


def visible_ids(spec: dict[str, Any], **answers: Any) -> list[str]:
    return visible(FORM.build(FormItem("", spec)), answers)


def test_seven_questions_of_a_relation() -> None:
    assert visible_ids(ABOVE, present_a="yes", present_b="yes") == SEVEN
    assert visible_ids(ABOVE, present_a="yes", present_b="no") == SEVEN[:5]
    assert visible_ids(ABOVE, present_a=UNSURE, present_b="yes") == SEVEN[:5]
    assert visible_ids(BOTH, present_a="yes", present_b="yes") == SEVEN
    assert visible_ids(SINGLE, present_a="yes") == SEVEN[:4]


def test_a_is_the_subject_of_the_relation() -> None:
    texts = {question.id: question for question in FORM.build(FormItem("", GENEVAL)).questions}
    assert texts["present_a"].text == "Is there a cow in the image?"
    assert [option.label for option in texts["relations"].options] == [
        "The cow is to the left of the bench", "The cow is to the right of the bench", "The cow is above the bench",
        "The cow is below the bench", "None of these",
    ]  # fmt: skip
    assert judgements_of(GENEVAL, SEEN | {"relations": ["left of", "above"]})["position", "cow left of bench"] == "yes"


def test_all_judgements_of_two_objects() -> None:
    answers = SEEN | {"quality": 4, "scene": 1, "objects": 5, "relations": ["above", "left of"]}
    assert judgements_of(ABOVE, answers) == {
        ("quality", None): "4",
        ("scene", None): "1",
        ("count", None): "5",
        ("present", "cow"): "yes",
        ("present", "bench"): "yes",
        ("merged", None): "no",
        ("position", "cow above bench"): "yes",
        ("correct", None): "yes",
    }


@pytest.mark.parametrize(
    ("spec", "answers", "position", "correct"),
    [
        (ABOVE, SEEN, "yes", "yes"),
        (ABOVE, SEEN | {"merged": "merged"}, "yes", "yes"),
        (ABOVE, SEEN | {"relations": ["below", "left of"]}, "no", "no"),
        (ABOVE, SEEN | {"relations": ["none"]}, "no", "no"),
        (ABOVE, SEEN | {"relations": UNSURE}, UNSURE, UNSURE),
        (ABOVE, {"present_a": "no", "present_b": "yes"}, None, "no"),
        (ABOVE, {"present_a": UNSURE, "present_b": "no"}, None, "no"),
        (ABOVE, {"present_a": UNSURE, "present_b": "yes"}, None, UNSURE),
        # what is left open (an older form, another source) says nothing, but for a no that is certain
        (ABOVE, {"present_a": "yes", "present_b": "yes"}, None, None),
        (ABOVE, {"present_a": "yes"}, None, None),
        (ABOVE, {"present_b": "no"}, None, "no"),
        (ABOVE, {}, None, None),
        # without a relation VISOR's OA is all that there is
        (BOTH, SEEN | {"relations": ["none"]}, None, "yes"),
        (BOTH, {"present_a": "yes", "present_b": "no"}, None, "no"),
        (SINGLE, {"present_a": "yes"}, None, "yes"),
        (SINGLE, {"present_a": "no"}, None, "no"),
        (SINGLE, {"present_a": UNSURE}, None, UNSURE),
        # VISOR cannot say whether a colour is right
        (COLORED, {"present_a": "yes"}, None, None),
        (COLORED, {"present_a": "no"}, None, None),
    ],
)
def test_position_and_correct(spec: dict[str, Any], answers: dict[str, Any], position: str | None, correct: str | None) -> None:
    results = judgements_of(spec, answers)
    assert results.get(("position", "cow above bench")) == position
    assert results.get(("correct", None)) == correct


def test_a_blank_image() -> None:
    assert judgements_of(ABOVE, {"blank_image": "yes"}) == {
        ("quality", None): "blank_image",
        ("scene", None): "blank_image",
        ("count", None): "0",
        ("present", "cow"): "no",
        ("present", "bench"): "no",
        ("correct", None): "no",
    }


@pytest.mark.parametrize(
    ("aspect", "answer"), [("quality", 6), ("scene", "3"), ("objects", True), ("objects", -1), ("quality", 1.0)]
)
def test_values_off_the_scale_are_no_judgement(aspect: str, answer: Any) -> None:
    assert judgements_of(SINGLE, {aspect: answer}) == {}


@pytest.mark.parametrize("cow", [True, False])
@pytest.mark.parametrize("bench", [True, False])
@pytest.mark.parametrize("y", [-50, 50])
@pytest.mark.parametrize("number", range(0, 10))
def test_who_sees_what_the_detector_sees_judges_the_same(number: int, cow: bool, bench: bool, y: int) -> None:
    spec = parse_spec(sr2d_suite.numbered_prompt(number).spec)
    a, b = (thing.name for thing in spec.objects)
    boxes = [Detection(a, 0.9, (0, y - 9, 9, y))] * cow + [Detection(b, 0.9, (30, 0, 39, 9))] * bench
    answers: dict[str, Any] = {"present_a": "yes" if cow else "no", "present_b": "yes" if bench else "no"}
    if cow and bench:
        answers["relations"] = ["left of", "above" if y < 0 else "below"]
    by_scorer = {(j.aspect, j.target): j for j in rules.judge(spec, Observation("i", {}, tuple(boxes)), {}).judgements}
    by_person = {(o.aspect, o.target): o for o in FORM.derive(FormItem("", sr2d_suite.numbered_prompt(number).spec), answers)}
    assert by_person == by_scorer


@pytest.mark.parametrize(
    ("spec", "n_objects"),
    [({}, 0), ({"include": [{"class": name, "count": 1} for name in ("cup", "fork", "bowl")]}, 3)],
)
def test_other_prompts_are_not_visors(spec: dict[str, Any], n_objects: int) -> None:
    assert f"this prompt's spec has {n_objects} objects" in (FORM.problem(FormItem("", spec)) or "")
