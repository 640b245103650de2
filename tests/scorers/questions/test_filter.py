"""TIFA's filter, by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from data.prompts.questions import PromptQuestion
from scorers.questions.writing import THRESHOLD, FilterOutcome, filter_question, needs_free_answer, normalized_words, word_f1


def question_with(answer: str, choices: Sequence[str]) -> PromptQuestion:
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
    assert normalized_words("A man's T-shirt, THE theatre!") == ["mans", "tshirt", "theatre"]


@pytest.mark.parametrize(
    ("multiple", "free", "outcome"),
    [
        ("red dog", "a red dog", FilterOutcome.KEPT),
        ("Red dog.", "red dog", FilterOutcome.KEPT),
        ("cat", "red dog", FilterOutcome.OTHER_CHOICE),
        ("", "red dog", FilterOutcome.OTHER_CHOICE),
        ("red dog and cat", "red dog", FilterOutcome.OTHER_CHOICE),
        ("red dog", "dog", FilterOutcome.OTHER_WORDS),  # 2/3 < 0.7
        ("red dog", "", FilterOutcome.OTHER_WORDS),
    ],
)
def test_an_answer_with_words(multiple: str, free: str, outcome: FilterOutcome) -> None:
    assert filter_question(question_with("red dog", ["red dog", "cat"]), multiple, free) is outcome


def test_the_threshold_itself_is_not_enough() -> None:
    question = question_with("red dog", ["red dog", "cat"])
    assert filter_question(question, "red dog", "dog", threshold=2 / 3) is FilterOutcome.OTHER_WORDS
    assert filter_question(question, "red dog", "dog", threshold=0.6) is FilterOutcome.KEPT
    assert THRESHOLD == 0.7


def test_yes_and_no_need_no_free_answer() -> None:
    for answer in ("yes", "No"):
        question = question_with(answer, [answer, "perhaps"])
        assert not needs_free_answer(question)
        assert filter_question(question, answer.upper(), None) is FilterOutcome.KEPT
        assert filter_question(question, "perhaps", None) is FilterOutcome.OTHER_CHOICE
    with pytest.raises(ValueError, match="needs an answer in free words"):
        filter_question(question_with("cat", ["cat", "dog"]), "cat", None)
