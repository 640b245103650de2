"""Which answers are taken, and in words why not: what the server says of anything that is sent to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from annotation.questionnaires.base import TEXT_LIMIT, Kind, Question, Questionnaire, is_blank, same, says_blank, visible
from data.aspects import CANNOT_TELL


def validate(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong, by question id; empty iff the answers can be stored. Hidden questions' answers are not looked at."""
    questions = {question.id: question for question in questionnaire.questions}
    blanks = {blank.id: blank for blank in questionnaire.blanks}
    errors = {
        str(id_): "This question is not part of the form." for id_ in answers if id_ not in questions and id_ not in blanks
    }
    for id_, blank in blanks.items():
        if answers.get(id_) is not None and not says_blank(answers, blank):
            errors[id_] = "That an image is blank is said by “yes”, or left out."
    for id_ in visible(questionnaire, answers):
        wrong = problem(questions[id_], answers.get(id_))
        if wrong is not None:
            errors[id_] = wrong
    return errors


def problem(question: Question, answer: Any) -> str | None:
    """Why this is no answer to the question, in words for the person; None if it is one."""
    if is_blank(answer):
        return None if question.optional else "Please answer this question."
    if answer == CANNOT_TELL:
        return None if question.cannot_tell else "“Cannot tell” is not an answer to this question."
    return _CHECKS.get(question.kind, _choice_problem)(question, answer)


def _text_problem(question: Question, answer: Any) -> str | None:  # noqa: ARG001 - one signature for all kinds
    if not isinstance(answer, str):
        return "Please answer in words."
    if len(answer) > TEXT_LIMIT:
        return f"Please use at most {TEXT_LIMIT} characters; this answer has {len(answer)}."
    # A lone half of a surrogate pair is valid JSON and cannot be stored as UTF-8; NUL ends strings in some readers.
    if "\0" in answer or any("\ud800" <= character <= "\udfff" for character in answer):
        return "This text contains a character that cannot be stored."
    return None


def _number_problem(question: Question, answer: Any) -> str | None:
    numbers = question.numbers
    assert numbers is not None, question.id
    wanted = f"Please give a number from {numbers.low:g} to {numbers.high:g}, in steps of {numbers.step:g}."
    if not isinstance(answer, (int, float)) or isinstance(answer, bool):
        return wanted
    # NaN is in no range
    if not numbers.low <= answer <= numbers.high:
        return wanted
    return None if ((answer - numbers.low) / numbers.step).is_integer() else wanted


def _colors_problem(question: Question, answer: Any) -> str | None:
    return _ticked_problem(question, answer, "colors", "A color")


def _multi_problem(question: Question, answer: Any) -> str | None:
    return _ticked_problem(question, answer, "answers", "An answer")


def _ticked_problem(question: Question, answer: Any, many: str, one: str) -> str | None:
    if not isinstance(answer, list) or not all(isinstance(value, str) for value in answer):
        return f"Please choose from the {many} listed."
    known = {option.value for option in question.options}
    unknown = [value for value in answer if value not in known]
    if unknown:
        return f"Please choose from the {many} listed; {unknown[0][:40]!r} is not one of them."
    if len(set(answer)) < len(answer):
        return f"{one} is ticked twice."
    if len(answer) > 1 and any(value in question.alone for value in answer):
        return "One of the answers ticked goes with no other."
    return None


def _choice_problem(question: Question, answer: Any) -> str | None:
    if any(same(answer, option.value) for option in question.options):
        return None
    return "Please choose one of the answers shown."


_CHECKS: Final[dict[Kind, Callable[[Question, Any], str | None]]] = {
    "text": _text_problem,
    "number": _number_problem,
    "colors": _colors_problem,
    "multi": _multi_problem,
}
