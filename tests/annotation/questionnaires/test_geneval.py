"""The questions that a spec asks, which of them are shown, and which answers are taken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotation.questionnaires.base import COLORS, TEXT_LIMIT, Questionnaire, check, to_json, visible
from annotation.questionnaires.geneval import INSTRUCTIONS, geneval_questionnaire
from data.spec import ObjectSpec, RelationSpec, Spec, parse_spec

SINGLE = {"tag": "single_object", "include": [{"class": "bench", "count": 1}]}
POSITION = {
    "tag": "position",
    "include": [{"class": "bench", "count": 1}, {"class": "cow", "count": 1, "position": ["left of", 0]}],
}
PAIR = {"tag": "two_object", "include": [{"class": "bench", "count": 1}, {"class": "cow", "count": 1}]}

OBJECT_0 = ["count_0", "color_0", "realism_0"]
OBJECT_1 = ["count_1", "color_1", "realism_1"]
WHERE = ["position_x", "position_y"]

FULL: dict[str, Any] = {
    "objects": "bench, cow",
    "count_0": 1,
    "color_0": ["brown"],
    "realism_0": 3,
    "count_1": 2,
    "color_1": ["black", "white"],
    "realism_1": 1,
    "position_x": "left",
    "position_y": "neither",
    "caption_fit": 4,
}


def form(spec: dict[str, Any]) -> Questionnaire:
    return geneval_questionnaire(parse_spec(spec))


def ids(questionnaire: Questionnaire) -> list[str]:
    return [question.id for question in questionnaire.questions]


def texts(questionnaire: Questionnaire) -> dict[str, str]:
    return {question.id: question.text for question in questionnaire.questions}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["objects", "caption_fit"]),
        (SINGLE, ["objects", *OBJECT_0, "caption_fit"]),
        (PAIR, ["objects", *OBJECT_0, *OBJECT_1, *WHERE, "caption_fit"]),
        (POSITION, ["objects", *OBJECT_0, *OBJECT_1, *WHERE, "caption_fit"]),
        ({"a": "cow", "b": "bench", "relation": "above"}, ["objects", *OBJECT_0, *OBJECT_1, *WHERE, "caption_fit"]),
        ({"a": "cow"}, ["objects", *OBJECT_0, "caption_fit"]),
    ],
)
def test_questions_follow_the_spec(spec: dict[str, Any], expected: list[str]) -> None:
    assert ids(form(spec)) == expected


def test_three_objects_are_asked_about_each_relation_and_no_other() -> None:
    objects = tuple(ObjectSpec(name, name) for name in ("cup", "fork", "bowl"))
    relations = (RelationSpec(1, 0, "left of", "fork left of cup"), RelationSpec(2, 1, "above", "bowl above fork"))
    questionnaire = geneval_questionnaire(Spec(objects, relations))
    assert [id_ for id_ in ids(questionnaire) if id_.startswith("position")] == [*WHERE, "position_x_2", "position_y_2"]
    assert texts(questionnaire)["position_y_2"] == "Is the bowl above or below the fork?"
    assert not [id_ for id_ in ids(geneval_questionnaire(Spec(objects))) if id_.startswith("position")]


@pytest.mark.parametrize(
    ("spec", "question"),
    [
        (POSITION, "Is the cow to the left or right of the bench?"),
        (PAIR, "Is the cow to the left or right of the bench?"),
        ({"a": "cow", "b": "bench", "relation": "right"}, "Is the cow to the left or right of the bench?"),
    ],
)
def test_position_asks_for_the_subject_relative_to_the_reference(spec: dict[str, Any], question: str) -> None:
    assert texts(form(spec))["position_x"] == question


@pytest.mark.parametrize(
    ("name", "many"),
    [
        ("bench", "benches"),
        ("person", "people"),
        ("wine glass", "wine glasses"),
        ("skis", "skis"),
        ("scissors", "pairs of scissors"),
        ("computer mouse", "computer mice"),
        ("<b>", "<b>s"),
    ],
)
def test_names_are_put_in_the_plural_as_in_the_paper(name: str, many: str) -> None:
    assert texts(form({"a": name}))["count_0"] == f"How many {many} are in the image?"


def test_two_objects_of_one_class_are_distinguished() -> None:
    requested = texts(form({"a": "cup", "b": "cup", "relation": "left"}))
    assert requested["count_0"] == "How many cups are in the image?"
    assert requested["count_1"] == "How many cups #2 are in the image?"
    assert requested["position_x"] == "Is the cup to the left or right of the cup #2?"


def test_wording_and_scales_are_the_papers() -> None:
    questions = {question.id: question for question in form(POSITION).questions}
    assert questions["objects"].text == "Briefly list all the objects visible in the image, separated by commas."
    assert [option.value for option in questions["count_0"].options] == [0, 1, 2, 3, 4, 5]
    assert [questions["count_0"].options[k].label for k in (0, 5)] == ["None", "5 or more"]
    assert " ".join(str(o.value) for o in COLORS) == "red orange yellow green blue purple pink brown black white gray"
    assert [option.value for option in questions["realism_0"].options] == [1, 2, 3]
    assert [option.value for option in questions["caption_fit"].options] == [1, 2, 3, 4]
    assert [option.value for option in questions["position_x"].options] == ["left", "right", "neither"]
    assert [option.value for option in questions["position_y"].options] == ["above", "below", "neither"]
    assert all(section.lines for section in INSTRUCTIONS)


def test_only_the_last_question_shows_the_caption() -> None:
    assert [question.id for question in form(POSITION).questions if question.caption] == ["caption_fit"]


def test_no_key_means_two_things_within_a_question() -> None:
    # These act on the whole form (assets/js/form/keys.js); x is "cannot tell" everywhere.
    taken = {"u", "s", "z", "?", "x", "Enter", "Backspace"}
    for question in form(POSITION).questions:
        keys = [option.key for option in question.options]
        assert len(set(keys)) == len(keys)
        assert not taken & set(keys)


ALWAYS = ["objects", "count_0", "count_1", "caption_fit"]


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ({}, ["objects"]),
        ({"objects": "   "}, ["objects"]),
        ({"objects": "none"}, ALWAYS),
        ({"objects": "cannot_tell"}, ALWAYS),
        ({"count_0": 1, "count_1": 1}, ["objects"]),
        ({"objects": "x", "count_0": 0}, ALWAYS),
        ({"objects": "x", "count_0": "cannot_tell"}, ALWAYS),
        ({"objects": "x", "count_0": True}, ALWAYS),
        ({"objects": "x", "count_0": "1"}, ALWAYS),
        ({"objects": "x", "count_0": 6}, ALWAYS),
        ({"objects": "x", "count_0": [1]}, ALWAYS),
        ({"objects": "x", "count_0": 1}, ["objects", *OBJECT_0, "count_1", "caption_fit"]),
        ({"objects": "x", "count_1": 5}, ["objects", "count_0", *OBJECT_1, "caption_fit"]),
        ({"objects": "x", "count_0": 5, "count_1": 0}, ["objects", *OBJECT_0, "count_1", "caption_fit"]),
        ({"objects": "x", "count_0": 2, "count_1": "cannot_tell"}, ["objects", *OBJECT_0, "count_1", "caption_fit"]),
        ({"objects": "x", "count_0": 1, "count_1": 3}, ["objects", *OBJECT_0, *OBJECT_1, *WHERE, "caption_fit"]),
    ],
)
def test_visible(answers: dict[str, Any], shown: list[str]) -> None:
    assert visible(form(POSITION), answers) == shown


def test_clean_drops_what_is_hidden_or_unknown_and_trims() -> None:
    changed = FULL | {"objects": "  bench ", "count_1": 0, "nonsense": 1}
    assert check(form(POSITION), changed).answers == {
        "objects": "bench", "count_0": 1, "color_0": ["brown"], "realism_0": 3, "count_1": 0, "caption_fit": 4
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"objects": "cannot_tell"},
        {"objects": "x" * TEXT_LIMIT},
        {"objects": "küche 🪑 <img src=x onerror=alert(1)>"},
        {"color_0": "cannot_tell", "realism_0": "cannot_tell", "position_x": "cannot_tell", "caption_fit": "cannot_tell"},
        {"count_0": 0, "color_0": "left over", "position_x": 17},
        {"count_0": "cannot_tell", "realism_0": 99},
    ],
)
def test_good_answers_are_taken(change: dict[str, Any]) -> None:
    assert check(form(POSITION), FULL | change).errors == {}


@pytest.mark.parametrize(
    ("id_", "value", "words"),
    [
        ("objects", "x" * (TEXT_LIMIT + 1), "at most 2000"),
        ("objects", 7, "in words"),
        ("objects", "\ud800", "cannot be stored"),
        ("objects", "a\0b", "cannot be stored"),
        ("count_0", "2", "one of the answers"),
        ("count_0", 2.0, "one of the answers"),
        ("count_0", True, "one of the answers"),
        ("count_0", 6, "one of the answers"),
        ("count_0", -1, "one of the answers"),
        ("count_0", {"a": 1}, "one of the answers"),
        ("color_0", [], "answer this"),
        ("color_0", "red", "answers listed"),
        ("color_0", ["teal"], "'teal'"),
        ("color_0", ["red", "red"], "twice"),
        ("color_0", ["red", "cannot_tell"], "answers listed"),
        ("color_0", [["red"]], "answers listed"),
        ("color_0", [1], "answers listed"),
        ("realism_0", 4, "one of the answers"),
        ("position_x", "above", "one of the answers"),
        ("position_x", "neither_x", "one of the answers"),
        ("position_y", "left", "one of the answers"),
        ("caption_fit", 0, "one of the answers"),
        ("caption_fit", None, "answer this"),
        ("position_z", "left", "not part of the form"),
    ],
)
def test_bad_answers_are_refused_in_words(id_: str, value: Any, words: str) -> None:
    errors = check(form(POSITION), FULL | {id_: value}).errors
    assert list(errors) == [id_]
    assert words in errors[id_]


def test_every_visible_question_must_be_answered() -> None:
    assert list(check(form(POSITION), {}).errors) == ["objects"]
    assert list(check(form(POSITION), {"objects": "x", "count_0": 1}).errors) == [
        "color_0",
        "realism_0",
        "count_1",
        "caption_fit",
    ]


def test_to_json_is_plain_data_with_conditions_as_data() -> None:
    data = json.loads(json.dumps(to_json(form(POSITION))))
    assert (data["name"], data["version"]) == ("geneval", "3")
    by_id = {question["id"]: question for question in data["questions"]}
    assert by_id["caption_fit"]["shown_if"] == [{"question": "objects", "values": None}]
    assert by_id["color_1"]["shown_if"] == [{"question": "count_1", "values": [1, 2, 3, 4, 5]}]
    assert [c["question"] for c in by_id["position_x"]["shown_if"]] == ["count_0", "count_1"]
    assert by_id["count_0"]["options"][0] == {"value": 0, "label": "None", "key": "0"}
    assert by_id["caption_fit"]["caption"] is True
    assert set(data["instructions"][0]) == {"title", "lines"}
