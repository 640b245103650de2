"""Simulated people who answer TIFA's questions: by the scene, with their own errors, as many as are needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from annotation import simulated
from annotation.questionnaires import tifa_vqa
from annotation.questionnaires.form import FormItem
from annotation.simulated import DepictedItem
from data.playground.sample import careless_drawing, sample_prompts
from data.playground.scene import true_answers
from data.records import Item
from data.spec import parse_spec


@pytest.fixture(scope="module")
def known() -> list[DepictedItem]:
    return [
        DepictedItem(
            Item(f"{prompt.prompt_id}/c/{k}", "playground", prompt.prompt_id),
            parse_spec(prompt.spec),
            careless_drawing(prompt, k).scene,
        )
        for prompt in sample_prompts()
        for k in range(2)
    ]


def faultless(**rates: float) -> list[simulated.SimulatedPerson]:
    none: dict[str, Any] = dict.fromkeys(("objects", "counts", "colors", "positions", "cannot_tell"), 0.0)
    return [replace(person, **(none | rates)) for person in simulated.PEOPLE]


def test_two_answer_and_a_third_where_they_differ(known: list[DepictedItem]) -> None:
    answers: dict[str, list[dict[str, str]]] = {}
    for annotation in simulated.annotate_vqa(known):
        answers.setdefault(annotation.item_id, []).append(dict(annotation.answers))
    assert set(answers) == {item.item.item_id for item in known}
    assert {len(some) for some in answers.values()} == {2, 3}
    assert all((len(some) == 3) == tifa_vqa.undecided(some[:2]) for some in answers.values())


def test_who_never_errs_says_what_is_true(known: list[DepictedItem]) -> None:
    true = {item.item.item_id: {q.question_id: answer for q, answer in true_answers(item.spec, item.scene)} for item in known}
    found = simulated.annotate_vqa(known, faultless())
    assert len(found) == 2 * len(known)
    ambiguous = 0
    for annotation in found:
        for judgement in annotation.judgements:
            answer = true[annotation.item_id][judgement.target or ""]
            ambiguous += answer is None
            assert judgement.label == answer or (answer is None and judgement.label in ("no", tifa_vqa.NONE_OF_THEM))
    assert 0 < ambiguous < len(found)


def test_who_errs_in_colours_errs_there_alone(known: list[DepictedItem]) -> None:
    requested = {item.item.item_id: true_answers(item.spec, item.scene) for item in known}
    wrong = set()
    for annotation in simulated.annotate_vqa(known, faultless(colors=1.0)):
        for question, answer in requested[annotation.item_id]:
            said = annotation.answers[tifa_vqa.PREFIX + question.question_id]
            if answer is not None and said != answer:
                wrong.add(question.element_type)
                assert said in question.choices
    assert wrong == {"color"}


def test_the_answers_are_those_of_the_form_and_the_same_every_time(known: list[DepictedItem]) -> None:
    found = simulated.annotate_vqa(known)
    assert found == simulated.annotate_vqa(known)
    spec = {item.item.item_id: item for item in known}
    for annotation in found:
        questions = tuple(
            question for question, _ in true_answers(spec[annotation.item_id].spec, spec[annotation.item_id].scene)
        )
        form = tifa_vqa.FORM.build(FormItem("", {}, questions=questions))
        allowed = {question.id: {option.value for option in question.options} for question in form.questions}
        assert set(annotation.answers) == set(allowed)
        assert all(value in allowed[key] or value == "cannot_tell" for key, value in annotation.answers.items())
        assert annotation.raw == {"questions": 1}
    cannot = [judgement for annotation in found for judgement in annotation.judgements if judgement.reason == "cannot_tell"]
    assert cannot
