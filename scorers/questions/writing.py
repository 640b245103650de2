"""Questions about a prompt, written and filtered by language models; a worker: ``python -m scorers.questions.writing``. It
knows no project.

TIFA's filter (section 3.2): a question stays if a model that sees the prompt alone gives the answer that the question has. The
paper: the answer among the choices is the same, and the word-level F1 of the answer in free words is greater than 0.7. Its code
differs: the threshold is 0.6, and questions that are answered "yes" or "no" need no answer in free words, which would say no
more than the choice. Here they need none either; the threshold is a setting, the paper's by default.

The worker reads one JSON object from its input, ``{"do": "write" | "answer", "model", "device", "asked": [...]}``, and
prints one JSON object for each that is asked, in order and as soon as it is there:

- ``write``, of ``{"caption"}``: ``{"text", "tokens_in", "tokens_out", "finished"}``, or ``{"failed": why}``;
- ``answer``, of ``{"caption", "question", "choices", "free": bool}``: ``{"multiple", "free": text or null}``.
"""

from __future__ import annotations

import json
import os
import re
import signal
import string
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Any, Final

from data.aspects import NO, YES
from data.prompts.question_generation import matching_choice
from data.prompts.questions import PromptQuestion
from scorers.running.worker_main import OFFLINE

THRESHOLD: Final = 0.7
"""The paper's; F1 must be above it. Its code has 0.6."""

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NUMBERS: Final = {name: str(n) for n, name in enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
))}  # fmt: skip


class FilterOutcome(StrEnum):
    """What the filter makes of a question."""

    KEPT = "kept"
    OTHER_CHOICE = "other_choice"
    OTHER_WORDS = "other_words"


def needs_free_answer(question: PromptQuestion) -> bool:
    """Whether an answer in free words is asked for, too."""
    return question.answer.casefold() not in (YES, NO)


def filter_question(question: PromptQuestion, multiple: str, free: str | None, threshold: float = THRESHOLD) -> FilterOutcome:
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
        return FilterOutcome.OTHER_CHOICE
    if not needs_free_answer(question):
        return FilterOutcome.KEPT
    if free is None:
        raise ValueError(f"{question.question_id} needs an answer in free words")
    return FilterOutcome.KEPT if word_f1(free, question.answer) > threshold else FilterOutcome.OTHER_WORDS


def word_f1(text: str, expected: str) -> float:
    """Harmonic mean of precision and recall of the words, in [0, 1], as SQuAD counts them: each word as often as it is in both.
    Where one of them has no words, 1 if the other has none either, else 0."""
    text_words, expected_words = normalized_words(text), normalized_words(expected)
    if not text_words or not expected_words:
        return float(text_words == expected_words)
    both = sum((Counter(text_words) & Counter(expected_words)).values())
    return 2 * both / (len(text_words) + len(expected_words))


def normalized_words(text: str) -> list[str]:
    """The words as SQuAD compares them: small letters, without punctuation and articles. Numbers up to twenty are digits, as
    TIFA's code has it where the answer is a number."""
    plain = _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION))
    return [_NUMBERS.get(word, word) for word in plain.split()]


_BATCH: Final = 16
"""Questions that are answered at once."""


def results(job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What is to be printed.

    Raises:
        OSError: the model is not on this machine.
        ValueError: its files are not those of such a model.
    """
    return (_write_questions if job["do"] == "write" else _answer_questions)(job["model"], job["device"], job["asked"])


def _write_questions(model: str, device: str, requests: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    from scorers.models.language_endpoint import Failure
    from scorers.models.text_generation import QuestionLlama

    llama = QuestionLlama(model, device)
    for request in requests:
        completion = llama.complete(request["caption"])
        yield {"failed": completion.reason} if isinstance(completion, Failure) else asdict(completion)


def _answer_questions(model: str, device: str, requests: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    from scorers.models.text_generation import TextQuestion, UnifiedQa

    reader = UnifiedQa(model, device)
    for start in range(0, len(requests), _BATCH):
        some = requests[start : start + _BATCH]
        multiple = reader.answer(
            [TextQuestion(request["question"], request["caption"], tuple(request["choices"])) for request in some]
        )
        # a question without choices reads otherwise, so it is asked on its own
        wanted = [k for k, request in enumerate(some) if request["free"]]
        free = reader.answer([TextQuestion(some[k]["question"], some[k]["caption"]) for k in wanted])
        free_answers = dict(zip(wanted, free, strict=True))
        for k, answer in enumerate(multiple):
            yield {"multiple": answer, "free": free_answers.get(k)}


def main() -> None:
    """Command line."""
    os.environ.update(OFFLINE)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    # whatever a library prints must not come between the results
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        for result in results(json.load(sys.stdin)):
            print(json.dumps(result), file=out, flush=True)
    except (ValueError, OSError) as error:
        print(" ".join(str(error).splitlines()), file=sys.stderr)
        raise SystemExit(1) from error


if __name__ == "__main__":
    main()
