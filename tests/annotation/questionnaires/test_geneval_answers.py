"""GenEval's rules for one annotation, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.questionnaires.geneval import RULE_VERSION, derive
from data.aspects import SCALES
from data.records import Judgement
from data.spec import ObjectSpec, RelationSpec, Spec, parse_spec

SINGLE = {"tag": "single_object", "include": [{"class": "bench", "count": 1}]}
COUNTING = {"tag": "counting", "include": [{"class": "cup", "count": 3}]}
COLORS = {"tag": "colors", "include": [{"class": "bus", "count": 1, "color": "purple"}]}
POSITION = {
    "tag": "position",
    "include": [{"class": "bench", "count": 1}, {"class": "cow", "count": 1, "position": ["left of", 0]}],
}
ABOVE = {"a": "cow", "b": "bench", "relation": "above"}
ATTRIBUTES = {
    "tag": "color_attr",
    "include": [{"class": "cup", "count": 1, "color": "red"}, {"class": "tie", "count": 1, "color": "blue"}],
}
BOTH = {"count_0": 1, "count_1": 1}
UNSURE = "cannot_tell"

Said = dict[tuple[str, str | None], str | None]


def judgements_of(spec: dict[str, Any] | Spec, answers: dict[str, Any]) -> Said:
    """(aspect, target) -> label, or the reason where there is none."""
    judgements = derive(spec if isinstance(spec, Spec) else parse_spec(spec), answers)
    result = {(j.aspect, j.target): j.label if j.label is not None else j.reason for j in judgements}
    assert len(result) == len(judgements), "one judgement for each aspect and target"
    return result


def correct(spec: dict[str, Any] | Spec, answers: dict[str, Any]) -> str | None:
    return judgements_of(spec, answers)["correct", None]


@pytest.mark.parametrize(
    ("spec", "answers", "expected"),
    [
        # at least so many ...
        (SINGLE, {"count_0": 1}, "yes"),
        (SINGLE, {"count_0": 5}, "yes"),
        (SINGLE, {"count_0": 0}, "no"),
        (SINGLE, {}, "no"),
        (SINGLE, {"count_0": UNSURE}, UNSURE),
        # ... or exactly so many
        (COUNTING, {"count_0": 2}, "no"),
        (COUNTING, {"count_0": 3}, "yes"),
        (COUNTING, {"count_0": 4}, "no"),
        (COUNTING, {"count_0": UNSURE}, UNSURE),
        # the asked colour among those ticked, others harmless
        (COLORS, {"count_0": 1, "color_0": ["purple"]}, "yes"),
        (COLORS, {"count_0": 1, "color_0": ["white", "purple"]}, "yes"),
        (COLORS, {"count_0": 1, "color_0": ["pink"]}, "no"),
        (COLORS, {"count_0": 1, "color_0": []}, "no"),
        (COLORS, {"count_0": 1}, "no"),
        (COLORS, {"count_0": 1, "color_0": UNSURE}, UNSURE),
        (COLORS, {"count_0": 0, "color_0": ["purple"]}, "no"),
        (COLORS, {"count_0": UNSURE, "color_0": ["pink"]}, UNSURE),
        (ATTRIBUTES, {**BOTH, "color_0": ["red"], "color_1": ["blue"]}, "yes"),
        (ATTRIBUTES, {**BOTH, "color_0": ["blue"], "color_1": ["red"]}, "no"),
        (ATTRIBUTES, {**BOTH, "color_0": UNSURE, "color_1": ["red"]}, "no"),
        (ATTRIBUTES, {"count_0": UNSURE, "count_1": 0}, "no"),
        (ATTRIBUTES, {"count_0": UNSURE, "count_1": 1, "color_1": ["blue"]}, UNSURE),
        # the asked relation on its axis, the other axis ignored
        (POSITION, {**BOTH, "position_x": "left"}, "yes"),
        (POSITION, {**BOTH, "position_x": "left", "position_y": "below"}, "yes"),
        (POSITION, {**BOTH, "position_x": "left", "position_y": UNSURE}, "yes"),
        (POSITION, {**BOTH, "position_x": "right"}, "no"),
        (POSITION, {**BOTH, "position_x": "neither", "position_y": "above"}, "no"),
        (POSITION, BOTH, "no"),
        (POSITION, {**BOTH, "position_x": UNSURE}, UNSURE),
        (POSITION, {"count_0": 0, "count_1": 1, "position_x": "left"}, "no"),
        (POSITION, {"count_0": UNSURE, "count_1": 1, "position_x": "right"}, UNSURE),
        (ABOVE, {**BOTH, "position_y": "above"}, "yes"),
        (ABOVE, {**BOTH, "position_y": "below"}, "no"),
        (ABOVE, {**BOTH, "position_x": "above"}, "no"),
        # what the spec does not ask plays no part
        (SINGLE, {"count_0": 1, "objects": UNSURE, "color_0": UNSURE, "realism_0": 1, "caption_fit": 1}, "yes"),
    ],
)
def test_correct(spec: dict[str, Any], answers: dict[str, Any], expected: str) -> None:
    assert correct(spec, answers) == expected


@pytest.mark.parametrize(("counted", "expected"), [(4, "no"), (5, "yes")])
@pytest.mark.parametrize("exact", [True, False])
def test_counts_are_capped_on_both_sides(counted: int, expected: str, exact: bool) -> None:
    assert correct(Spec((ObjectSpec("cup", "cup", 7, exact),)), {"count_0": counted}) == expected


def test_a_count_above_the_form_is_five_or_more() -> None:
    assert judgements_of(SINGLE, {"count_0": 8})["count", "bench"] == "5"


def test_all_judgements_of_two_objects() -> None:
    answers = {**BOTH, "count_1": 2, "color_0": ["red"], "realism_0": 2, "realism_1": 3, "position_x": "left", "caption_fit": 4}
    assert judgements_of(POSITION, answers) == {
        ("correct", None): "yes",
        ("present", "bench"): "yes",
        ("count", "bench"): "1",
        ("shape_realism", "bench"): "2",
        ("present", "cow"): "yes",
        ("count", "cow"): "2",
        ("shape_realism", "cow"): "3",
        ("position", "cow left of bench"): "yes",
        ("caption_match", None): "4",
    }


def test_stale_answers_about_an_absent_object_are_ignored() -> None:
    answers = {"count_0": 0, "color_0": ["red"], "realism_0": 1, "count_1": 1, "color_1": ["blue"], "position_x": "left"}
    assert judgements_of(ATTRIBUTES, answers) == {
        ("correct", None): "no",
        ("present", "cup"): "no",
        ("count", "cup"): "0",
        ("present", "tie"): "yes",
        ("count", "tie"): "1",
        ("color", "tie"): "yes",
    }
    assert ("position", "cow left of bench") not in judgements_of(POSITION, {"count_0": 0, "count_1": 1, "position_x": "left"})


def test_an_uncounted_object_has_no_follow_ups() -> None:
    answers = {"count_0": UNSURE, "color_0": ["purple"], "realism_0": 3}
    assert judgements_of(COLORS, answers) == {("correct", None): UNSURE, ("present", "bus"): UNSURE, ("count", "bus"): UNSURE}


def test_cannot_tell_is_a_judgement_without_a_value() -> None:
    answers = {"count_0": 1, "color_0": UNSURE, "realism_0": UNSURE, "caption_fit": UNSURE}
    results = {j.aspect: j for j in derive(parse_spec(COLORS), answers)}
    assert results["color"] == Judgement("color", None, None, "bus", UNSURE)
    assert results["shape_realism"] == Judgement("shape_realism", None, None, "bus", UNSURE)
    assert results["caption_match"] == Judgement("caption_match", None, None, None, UNSURE)
    assert results["correct"] == Judgement("correct", None, None, None, UNSURE)
    assert results["present"] == Judgement("present", "yes", 1.0, "bus")


def test_blanks_make_no_judgement_except_where_something_was_needed() -> None:
    assert judgements_of(COLORS, {}) == {("correct", None): "no"}
    assert judgements_of(COLORS, {"count_0": 1}) == {
        ("correct", None): "no",
        ("present", "bus"): "yes",
        ("count", "bus"): "1",
        ("color", "bus"): "no",
    }
    assert judgements_of(POSITION, BOTH)["position", "cow left of bench"] == "no"


def test_a_prompt_without_objects_is_judged_by_its_fit_alone() -> None:
    assert judgements_of({}, {"objects": "cat", "caption_fit": 2, "count_0": 1}) == {("caption_match", None): "2"}
    assert judgements_of({}, {}) == {}


def test_each_relation_has_its_own_answers() -> None:
    objects = tuple(ObjectSpec(name, name) for name in ("cup", "fork", "bowl"))
    spec = Spec(objects, (RelationSpec(1, 0, "left of", "first"), RelationSpec(2, 1, "below", "second")))
    answers = {**BOTH, "count_2": 1, "position_x": "left", "position_y_2": "above"}
    assert judgements_of(spec, answers)["position", "first"] == "yes"
    assert judgements_of(spec, answers)["position", "second"] == "no"
    assert correct(spec, answers) == "no"
    assert correct(spec, answers | {"position_y_2": "below"}) == "yes"


def test_numbers_come_as_label_and_value() -> None:
    results = {j.aspect: j for j in derive(parse_spec(SINGLE), {"count_0": 0, "caption_fit": 1})}
    assert (results["count"].label, results["count"].value) == ("0", 0.0)
    assert (results["caption_match"].label, results["caption_match"].value) == ("1", 1.0)
    assert (results["correct"].label, results["correct"].value) == ("no", 0.0)


@pytest.mark.parametrize("junk", [True, "3", 2.0, [1], -1, 99])
def test_values_off_the_scale_are_no_judgement(junk: Any) -> None:
    assert ("caption_match", None) not in judgements_of({}, {"caption_fit": junk})
    if junk != 99:
        assert judgements_of(SINGLE, {"count_0": junk}) == {("correct", None): "no"}


def test_every_derived_aspect_is_in_the_vocabulary() -> None:
    answers = {**BOTH, "color_0": ["red"], "realism_0": 1, "position_x": "left", "caption_fit": 1}
    assert {j.aspect for spec in (ATTRIBUTES, POSITION) for j in derive(parse_spec(spec), answers)} <= SCALES.keys()
    assert RULE_VERSION
