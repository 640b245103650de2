"""TIFA's questions asked of people: their choices, what is derived, and when a third person is needed."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.questionnaires.base import Questionnaire, check
from annotation.questionnaires.form import FormItem
from annotation.questionnaires.tifa_vqa import FORM, undecided
from data.prompts.questions import PromptQuestion

SURFER = PromptQuestion("surfer", "is this a surfer?", ("yes", "no"), "yes", "animal/human", "surfer")
WHO = PromptQuestion("who", "who is on the beach?", ("surfer", "swimmer", "diver", "skier"), "surfer", "animal/human", "surfer")
LOUD = PromptQuestion("loud", "Is it loud?", ("No", "Yes"), "No", "other", "loud")
NONE = PromptQuestion("none", "which?", ("a", "None of the above"), "a", "other", "a")
ASKED = FormItem("a surfer", questions=(SURFER, WHO, LOUD, NONE))


def form() -> Questionnaire:
    return FORM.build(ASKED)


def judgements_of(answers: dict[str, Any]) -> dict[str | None, tuple[str | None, float | None, str | None]]:
    judgements = FORM.derive(ASKED, answers)
    assert {judgement.aspect for judgement in judgements} <= {"answer"}
    return {judgement.target: (judgement.label, judgement.value, judgement.reason) for judgement in judgements}


def test_choices_and_none_of_the_above() -> None:
    options = {question.id: [(o.value, o.label, o.key) for o in question.options] for question in form().questions}
    assert options == {
        "answer:surfer": [("yes", "Yes", "y"), ("no", "No", "n")],
        "answer:who": [
            ("surfer", "Surfer", "1"), ("swimmer", "Swimmer", "2"), ("diver", "Diver", "3"), ("skier", "Skier", "4"),
            ("none of the above", "None of the above", "5"),
        ],
        "answer:loud": [("Yes", "Yes", "y"), ("No", "No", "n")],
        "answer:none": [("a", "A", "1"), ("None of the above", "None of the above", "2")],
    }  # fmt: skip
    assert [question.text for question in form().questions][:2] == ["Is this a surfer?", "Who is on the beach?"]


def test_the_form_does_not_reveal_the_right_answer() -> None:
    right = {"answer:surfer": "yes", "answer:who": "surfer", "answer:loud": "No", "answer:none": "a"}
    assert check(form(), right).errors == {}
    other = (SURFER, PromptQuestion("who", WHO.text, WHO.choices, "skier", "other", "x"), LOUD, NONE)
    assert FORM.build(FormItem("a surfer", questions=other)) == form()


def test_an_answer_is_judged_by_question() -> None:
    answers = {"answer:surfer": "no", "answer:who": "none of the above", "answer:loud": "Yes", "answer:none": "cannot_tell"}
    assert judgements_of(answers) == {
        "surfer": ("no", 0.0, None),
        "who": ("none of the above", None, None),
        "loud": ("Yes", 1.0, None),
        "none": (None, None, "cannot_tell"),
    }


def test_a_blank_image_shows_nothing_of_it() -> None:
    assert {target: label for target, (label, _, _) in judgements_of({"blank_image": "yes"}).items()} == {
        "surfer": "no", "who": "none of the above", "loud": "No", "none": "None of the above",
    }  # fmt: skip


def test_answers_to_an_older_version_still_say_what_they_said() -> None:
    now = FormItem("a surfer", questions=(PromptQuestion("who", "who?", ("cat", "dog"), "cat", "other", "x"),))
    results = FORM.derive(now, {"answer:who": "swimmer", "answer:gone": "yes"})
    assert [(judgement.target, judgement.label) for judgement in results] == [("who", "swimmer"), ("gone", "yes")]


@pytest.mark.parametrize("value", ["boat", 1, True, ["surfer"], {"a": 1}, "", None])
def test_other_answers_are_refused(value: Any) -> None:
    answers = {"answer:surfer": "yes", "answer:loud": "No", "answer:none": "a", "answer:who": value}
    assert list(check(form(), answers).errors) == ["answer:who"]


def test_without_questions_there_is_nothing_to_ask() -> None:
    assert "import questions" in (FORM.problem(FormItem("a surfer")) or "")
    assert FORM.problem(ASKED) is None


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({}, False),
        ({"ann": {"q": "yes"}}, False),
        ({"ann": {"q": "yes", "r": "a"}, "bob": {"r": "a", "q": "yes"}}, False),
        ({"ann": {"q": "yes", "r": "a"}, "bob": {"q": "yes", "r": "b"}}, True),
        ({"ann": {"q": "cannot_tell"}, "bob": {"q": "cannot_tell"}}, False),
        ({"ann": {"q": "cannot_tell"}, "bob": {"q": "no"}}, True),
        ({"ann": {"q": "no"}, "bob": {}}, True),
        # the majority of three decides, whatever they say
        ({"ann": {"q": "yes"}, "bob": {"q": "no"}, "cat": {"q": "no"}}, False),
        ({"ann": {"q": "a"}, "bob": {"q": "b"}, "cat": {"q": "c"}}, False),
    ],
)
def test_a_third_person_when_two_differ(answers: dict[str, dict[str, Any]], expected: bool) -> None:
    assert undecided([*answers.values()]) is expected
