"""TIFA's and DSG's rules by hand, and what the perceiver asks of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from PIL import Image

from data.jobs.runs import Observation
from data.prompts.questions import PromptQuestion
from data.spec import Spec
from scorers.base import Shown
from scorers.models.vqa import VqaAnswer, VqaQuestion
from scorers.questions import tifa
from scorers.questions.rules import AnsweredQuestion, answers_of, judge, judge_dependent, payload_of
from scorers.questions.tifa import TifaPerceiver

YES_NO = ("yes", "no")


def question(
    name: str, choices: tuple[str, ...] = YES_NO, answer: str = "yes", parents: tuple[str, ...] = ()
) -> PromptQuestion:
    return PromptQuestion(name, f"{name}?", choices, answer, "object", name, parents)


CUP, RED, WHERE = question("cup"), question("red", parents=("cup",)), question("where", ("left", "right", "up"), "right")


def evidence_with(*parts: tuple[PromptQuestion, str]) -> Observation:
    return Observation("i", payload_of(3, [AnsweredQuestion(prompt_question, chosen) for prompt_question, chosen in parts]))


def values(verdict: Any) -> dict[tuple[str, str | None], tuple[str | None, float | None]]:
    return {(judgement.aspect, judgement.target): (judgement.label, judgement.value) for judgement in verdict.judgements}


def test_the_score_is_the_share_of_right_answers_and_each_answer_is_kept() -> None:
    verdict = judge(Spec(), evidence_with((CUP, "yes"), (RED, "no"), (WHERE, "right")), {})
    assert values(verdict) == {
        ("answer", "cup"): ("yes", 1.0),
        ("answer", "red"): ("no", 0.0),
        ("answer", "where"): ("right", None),
        ("score", None): (None, pytest.approx(2 / 3)),
    }
    assert [check.holds for check in verdict.checks] == [True, False, True]
    assert verdict.checks[1].text == "red? no (asked for: yes)"
    assert verdict.correct is None


def test_no_questions_have_no_score_and_a_failure_no_judgement() -> None:
    (score,) = judge(Spec(), evidence_with(), {}).judgements
    assert (score.aspect, score.value, score.reason) == ("score", None, "no_questions")
    assert judge(Spec(), Observation("i", failed="broken"), {}).judgements == ()
    assert judge_dependent(Spec(), Observation("i", failed="broken"), {}).judgements == ()


def test_a_child_counts_only_if_its_parents_hold() -> None:
    verdict = judge_dependent(Spec(), evidence_with((CUP, "no"), (RED, "yes"), (WHERE, "right")), {})
    assert values(verdict)["score", None][1] == pytest.approx(1 / 3)
    # what was answered stays what it was
    assert values(verdict)["answer", "red"] == ("yes", 1.0)
    assert [check.holds for check in verdict.checks] == [False, False, True]
    assert verdict.checks[1].text == "red? yes; does not count, as this failed: cup?"


def test_a_fault_is_not_handed_down() -> None:
    # the grandchild's parent was answered right, though it does not count itself
    grand = question("dark", parents=("red",))
    verdict = judge_dependent(Spec(), evidence_with((CUP, "no"), (RED, "yes"), (grand, "yes")), {})
    assert [check.holds for check in verdict.checks] == [False, False, True]


def test_of_several_parents_each_must_hold_and_one_that_was_not_asked_is_no_hindrance() -> None:
    book = question("book")
    both = question("both", parents=("cup", "book"))
    astray = question("astray", parents=("gone",))
    verdict = judge_dependent(Spec(), evidence_with((both, "yes"), (CUP, "yes"), (book, "no"), (astray, "yes")), {})
    assert [check.holds for check in verdict.checks] == [False, True, False, True]


def test_evidence_comes_back_as_it_was() -> None:
    parts = (
        AnsweredQuestion(RED, "no", (0.25, 0.75), None, "likelihood"),
        AnsweredQuestion(WHERE, "left", None, "to the left", "similar", 0.875),
    )
    payload = payload_of(2, parts)
    assert payload["version"] == 2
    assert payload["answers"][0]["parents"] == ("cup",)
    assert answers_of(payload) == parts


class Fake:
    """Answers with the last choice, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[VqaQuestion]] = []
        self.sizes: list[tuple[int, int]] = []

    def answer(self, images: Sequence[Image.Image], queries: Sequence[Sequence[VqaQuestion]]) -> list[list[VqaAnswer]]:
        self.asked += [list(some) for some in queries]
        self.sizes += [image.size for image in images]
        return [
            [
                VqaAnswer(vqa_question.choices[-1], (0.0,) * (len(vqa_question.choices) - 1) + (1.0,), None, "likelihood")
                for vqa_question in some
            ]
            for some in queries
        ]

    def answer_length(self, answer: str) -> int:
        raise AssertionError(answer)

    def likelihood(self, images: Sequence[Image.Image], *_: object) -> Any:
        return np.zeros(len(images))


def scorer_input(name: str, size: int, *questions: PromptQuestion) -> Shown:
    return Shown(name, Image.new("RGB", (size, size)), "a cup", Spec(), questions, 4)


def test_each_image_is_asked_its_own_questions_and_none_without_any() -> None:
    fake = Fake()
    observations = TifaPerceiver(fake).perceive(
        [scorer_input("a", 5, CUP, WHERE), scorer_input("b", 6), scorer_input("c", 7, RED)]
    )
    assert fake.sizes == [(5, 5), (7, 7)]
    assert [[vqa_question.text for vqa_question in some] for some in fake.asked] == [["cup?", "where?"], ["red?"]]
    assert [observation.item_id for observation in observations] == ["a", "b", "c"]
    assert observations[1].failed == tifa.NO_QUESTIONS
    assert observations[0].payload["version"] == 4
    assert [answer.chosen for answer in answers_of(observations[0].payload)] == ["no", "up"]
    assert answers_of(observations[2].payload)[0].question == RED


def test_dsg_asks_yes_no_questions_alone() -> None:
    fake = Fake()
    observations = TifaPerceiver(fake, only_yes_no=True).perceive(
        [scorer_input("a", 5, CUP, WHERE), scorer_input("b", 6, WHERE)]
    )
    assert [[vqa_question.text for vqa_question in some] for some in fake.asked] == [["cup?"]]
    assert observations[1].failed is not None


def test_a_way_of_answering_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="answering must be choices or free, got 'both'"):
        tifa.check({"answering": "both"})
