"""TIFA's filter, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from data.prompts.questions import PromptQuestion
from scorers.question_filter import THRESHOLD, Outcome, judge, needs_free_answer, normal, word_f1


def asked(answer: str, choices: Sequence[str]) -> PromptQuestion:
    return PromptQuestion("q", "what?", tuple(choices), answer, "object", "x")


@pytest.mark.parametrize(
    ("said", "expected", "f1"),
    [
        ("a red dog", "red dog", 1.0),
        ("The Red, dog.", "red dog", 1.0),
        ("red dog", "dog", 2 / 3),  # precision 1/2, recall 1
        ("dog", "big red dog", 0.5),  # precision 1, recall 1/3
        ("big red dog", "big red cat", 2 / 3),
        ("dog dog", "dog", 2 / 3),  # each word as often as it is in both
        ("two", "2", 1.0),
        ("There are twelve", "12", 0.5),  # precision 1/3, recall 1
        ("cat", "dog", 0.0),
        ("", "dog", 0.0),
        ("the", "a", 1.0),
        ("", "", 1.0),
    ],
)
def test_f1(said: str, expected: str, f1: float) -> None:
    assert word_f1(said, expected) == pytest.approx(f1)
    assert word_f1(expected, said) == pytest.approx(f1)


def test_normal_words() -> None:
    assert normal("A man's T-shirt, THE theatre!") == ["mans", "tshirt", "theatre"]


@pytest.mark.parametrize(
    ("multiple", "free", "outcome"),
    [
        ("red dog", "a red dog", Outcome.KEPT),
        ("Red dog.", "red dog", Outcome.KEPT),
        ("cat", "red dog", Outcome.OTHER_CHOICE),
        ("", "red dog", Outcome.OTHER_CHOICE),
        ("red dog and cat", "red dog", Outcome.OTHER_CHOICE),
        ("red dog", "dog", Outcome.OTHER_WORDS),  # 2/3 < 0.7
        ("red dog", "", Outcome.OTHER_WORDS),
    ],
)
def test_an_answer_with_words(multiple: str, free: str, outcome: Outcome) -> None:
    assert judge(asked("red dog", ["red dog", "cat"]), multiple, free) is outcome


def test_the_threshold_itself_is_not_enough() -> None:
    question = asked("red dog", ["red dog", "cat"])
    assert judge(question, "red dog", "dog", threshold=2 / 3) is Outcome.OTHER_WORDS
    assert judge(question, "red dog", "dog", threshold=0.6) is Outcome.KEPT
    assert THRESHOLD == 0.7


def test_yes_and_no_need_no_free_answer() -> None:
    for answer in ("yes", "No"):
        question = asked(answer, [answer, "perhaps"])
        assert not needs_free_answer(question)
        assert judge(question, answer.upper(), None) is Outcome.KEPT
        assert judge(question, "perhaps", None) is Outcome.OTHER_CHOICE
    with pytest.raises(ValueError, match="needs an answer in free words"):
        judge(asked("cat", ["cat", "dog"]), "cat", None)
