"""Files of questions as TIFA publishes them: a JSON array, or one JSON object a line; read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from data.prompts.files import entries, text_source
from data.prompts.questions import ELEMENT_TYPES, PromptQuestion, new_id
from data.prompts.reading import InputError, Problems, check_name, fail, printable, quoted, read_text
from data.records import Prompt

MOST_CHOICES: Final = 8
"""So many have a digit of their own as key, beside "none of the above"."""
MOST_QUESTIONS: Final = 200
"""Of one prompt: more than a person will answer about one image."""
LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class Questioned:
    """A prompt and its questions, in the file's order."""

    prompt: Prompt
    questions: tuple[PromptQuestion, ...]


def read_questions(path: Path, suite: str) -> list[Questioned]:
    """Read a file of ``{"id", "caption", "question", "choices", "answer", "element_type", "element", "question_id"?,
    "parents"?}``.

    The prompt is ``suite/<id>``. ``question_id`` is ours: it keeps the name of a question whose words were edited; without
    it a question is named by its words. ``parents`` is ours, too: a list of such names, of questions about the same prompt
    anywhere in the file. Other keys are left alone. The questions of a prompt need not stand together.

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the suite's name cannot be used.
    """
    check_name(suite, "the suite's name")
    text = read_text(path)
    if path.suffix.lower() == ".txt":
        fail(path, None, "questions are a JSON array, or one JSON object a line; this is named as plain text")
    problems = Problems(path)
    found: dict[str, _Asked] = {}
    for _, line, read in entries(path, text):
        try:
            _add(read(), line, suite, found)
        except InputError as error:
            problems.add_located(error)
        except ValueError as error:
            problems.add(line, printable(error))
    # only a file that was read whole says whom a parent names
    for asked in () if problems.found else found.values():
        for k, what in _wrong_parents(asked.questions):
            problems.add(asked.lines[k], what)
    problems.check()
    if not found:
        fail(path, None, "holds no questions")
    return [Questioned(asked.prompt, tuple(asked.questions)) for asked in found.values()]


def format_questions(asked: Iterable[Questioned]) -> str:
    """The text of a file from which ``read_questions`` gets the same prompts and questions: one JSON object a line.

    Raises:
        ValueError: the prompts are of several suites.
    """
    asked = list(asked)
    suites = sorted({one.prompt.suite for one in asked})
    if len(suites) > 1:
        raise ValueError(f"a file of questions holds one suite, got {', '.join(suites)}; choose one with --suite")
    return "".join(json.dumps(_entry(one.prompt, question)) + "\n" for one in asked for question in one.questions)


def _entry(prompt: Prompt, question: PromptQuestion) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": prompt.prompt_id.removeprefix(f"{prompt.suite}/"),
        "caption": prompt.text,
        "question_id": question.question_id,
        "question": question.text,
        "choices": list(question.choices),
        "answer": question.answer,
        "element_type": question.element_type,
        "element": question.element,
    }
    return entry | ({"parents": list(question.parents)} if question.parents else {})


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the file has said about a prompt so far, and the line of each question."""

    prompt: Prompt
    questions: list[PromptQuestion] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def _add(value: Any, line: int, suite: str, found: dict[str, _Asked]) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"found {quoted(value)}, a JSON object with a 'question' expected")
    name, caption = check_name(_text(value, "id"), "the id"), _text(value, "caption")
    asked = found.setdefault(name, _Asked(Prompt(f"{suite}/{name}", suite, caption, text_source(name))))
    prompt, questions = asked.prompt, asked.questions
    if prompt.text.strip() != caption.strip():
        raise ValueError(f"'caption' is {quoted(caption)}, and {quoted(prompt.text)} in another question about {quoted(name)}")
    if len(questions) == MOST_QUESTIONS:
        raise ValueError(f"more than {MOST_QUESTIONS} questions about {quoted(name)}")
    questions.append(_question(value, questions))
    asked.lines.append(line)


def _question(value: dict[str, Any], before: list[PromptQuestion]) -> PromptQuestion:
    text, taken = _text(value, "question"), [question.question_id for question in before]
    if text in [question.text for question in before]:
        raise ValueError(f"{quoted(text)} is asked twice about one prompt")
    question_id = new_id(text, taken)
    if value.get("question_id") is not None:
        question_id = check_name(_text(value, "question_id"), "the question's id")
    if question_id in taken:
        raise ValueError(f"'question_id' {quoted(question_id)} names two questions of one prompt")
    kind = _text(value, "element_type")
    if kind not in ELEMENT_TYPES:
        raise ValueError(f"'element_type' is {quoted(kind)}, one of {', '.join(ELEMENT_TYPES)} expected")
    choices = _choices(value)
    answer = _text(value, "answer")
    if answer not in choices:
        raise ValueError(f"'answer' is {quoted(answer)}, which is not among the choices")
    return PromptQuestion(question_id, text, choices, answer, kind, _text(value, "element"), _parents(value))


def _parents(value: dict[str, Any]) -> tuple[str, ...]:
    found = value.get("parents")
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found) or len(set(found)) < len(found):
        raise ValueError(f"'parents' is {quoted(found)}, a list of ids of other questions, each once, expected")
    return tuple(found)


def _wrong_parents(questions: Sequence[PromptQuestion]) -> Iterator[tuple[int, str]]:
    """(place, what is wrong) of each question about one prompt whose parents cannot be."""
    places = {question.question_id: k for k, question in enumerate(questions)}
    for k, question in enumerate(questions):
        if unknown := [parent for parent in question.parents if parent not in places]:
            yield k, f"'parents' names {quoted(unknown[0])}, which is no question_id of this prompt's questions in this file"
        elif question.question_id in question.parents:
            yield k, f"'parents' of {quoted(question.question_id)} names the question itself"
        elif question.question_id in _above(question, questions, places):
            yield k, f"'parents' of {quoted(question.question_id)} lead back to the question itself"


def _above(question: PromptQuestion, questions: Sequence[PromptQuestion], places: dict[str, int]) -> set[str]:
    """The question's parents, their parents, and so on."""
    found: set[str] = set()
    left = list(question.parents)
    while left:
        parent = left.pop()
        if parent not in found and parent in places:
            found.add(parent)
            left += questions[places[parent]].parents
    return found


def _choices(value: dict[str, Any]) -> tuple[str, ...]:
    found = value.get("choices")
    if not isinstance(found, list) or not 2 <= len(found) <= MOST_CHOICES:
        raise ValueError(f"'choices' is {quoted(found)}, a list of 2 to {MOST_CHOICES} texts expected")
    choices = tuple(_text({"choices": choice}, "choices") for choice in found)
    if len({choice.strip().casefold() for choice in choices}) < len(choices):
        raise ValueError(f"'choices' {quoted(found)} holds one answer twice")
    return choices


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"'{key}' is {quoted(found)}, a text expected")
    if "\0" in found:
        raise ValueError(f"'{key}' holds a NUL character; remove it")
    if len(found) > LONGEST:
        raise ValueError(f"'{key}' has {len(found)} characters; at most {LONGEST} are allowed")
    return found
