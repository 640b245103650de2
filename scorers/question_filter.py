"""TIFA's filter: a question stays if a model that sees the prompt alone gives the answer that the question has (section 3.2).

The paper: the answer among the choices is the same, and the word-level F1 of the answer in free words is greater than 0.7. Its
code differs: the threshold is 0.6, and questions that are answered "yes" or "no" need no answer in free words, which would say
no more than the choice. Here they need none either; the threshold is a setting, the paper's by default.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from enum import StrEnum
from typing import Final

from data.aspects import NO, YES
from data.prompts.question_generation import matching_choice
from data.prompts.questions import PromptQuestion

THRESHOLD: Final = 0.7
"""The paper's; F1 must be above it. Its code has 0.6."""

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NUMBERS: Final = {name: str(n) for n, name in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
))}  # fmt: skip


class Outcome(StrEnum):
    """What the filter makes of a question."""

    KEPT = "kept"
    OTHER_CHOICE = "other_choice"
    OTHER_WORDS = "other_words"


def needs_free_answer(question: PromptQuestion) -> bool:
    """Whether an answer in free words is asked for, too."""
    return question.answer.casefold() not in (YES, NO)


def judge(question: PromptQuestion, multiple: str, free: str | None, threshold: float = THRESHOLD) -> Outcome:
    """Whether a question stays.

    Args:
        question: with the answer that it should get.
        multiple: what the model said when it had the choices; it may differ from one in case and punctuation.
        free: what it said without them; not looked at where ``needs_free_answer`` is false.
        threshold: F1 in [0, 1) that must be exceeded.

    Raises:
        ValueError: the answer in free words is needed and missing.
    """
    if matching_choice(multiple, question.choices) != question.answer:
        return Outcome.OTHER_CHOICE
    if not needs_free_answer(question):
        return Outcome.KEPT
    if free is None:
        raise ValueError(f"{question.question_id} needs an answer in free words")
    return Outcome.KEPT if word_f1(free, question.answer) > threshold else Outcome.OTHER_WORDS


def word_f1(said: str, expected: str) -> float:
    """Harmonic mean of precision and recall of the words, in [0, 1], as SQuAD counts them: each word as often as it is in both.
    Where one of them has no words, 1 if the other has none either, else 0."""
    one, other = normal(said), normal(expected)
    if not one or not other:
        return float(one == other)
    both = sum((Counter(one) & Counter(other)).values())
    return 2 * both / (len(one) + len(other))


def normal(text: str) -> list[str]:
    """The words as SQuAD compares them: small letters, without punctuation and articles. Numbers up to twenty are digits, as
    TIFA's code has it where the answer is a number."""
    plain = _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION))
    return [_NUMBERS.get(word, word) for word in plain.split()]
