"""Files of questions as TIFA publishes them: a JSON array, or one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
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
_LONGEST: Final = 2000


@dataclass(frozen=True, slots=True)
class Questioned:
    """A prompt and its questions, in the file's order."""

    prompt: Prompt
    questions: tuple[PromptQuestion, ...]


def read_questions(path: Path, suite: str) -> list[Questioned]:
    """Read a file of ``{"id", "caption", "question", "choices", "answer", "element_type", "element", "question_id"?}``.

    The prompt is ``suite/<id>``. ``question_id`` is ours: it keeps the name of a question whose words were edited; without
    it a question is named by its words. Other keys are left alone. The questions of a prompt need not stand together.

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the suite's name cannot be used.
    """
    check_name(suite, "the suite's name")
    text = read_text(path)
    if path.suffix.lower() == ".txt":
        fail(path, None, "questions are a JSON array, or one JSON object a line; this is named as plain text")
    problems = Problems(path)
    found: dict[str, tuple[Prompt, list[PromptQuestion]]] = {}
    for _, line, read in entries(path, text):
        try:
            _add(read(), suite, found)
        except InputError as error:
            problems.add_located(error)
        except ValueError as error:
            problems.add(line, printable(error))
    problems.check()
    if not found:
        fail(path, None, "holds no questions")
    return [Questioned(prompt, tuple(questions)) for prompt, questions in found.values()]


def _add(value: Any, suite: str, found: dict[str, tuple[Prompt, list[PromptQuestion]]]) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"found {quoted(value)}, a JSON object with a 'question' expected")
    name, caption = check_name(_text(value, "id"), "the id"), _text(value, "caption")
    prompt, questions = found.setdefault(name, (Prompt(f"{suite}/{name}", suite, caption, text_source(name)), []))
    if prompt.text.strip() != caption.strip():
        raise ValueError(f"'caption' is {quoted(caption)}, and {quoted(prompt.text)} in another question about {quoted(name)}")
    if len(questions) == MOST_QUESTIONS:
        raise ValueError(f"more than {MOST_QUESTIONS} questions about {quoted(name)}")
    questions.append(_question(value, questions))


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
    return PromptQuestion(question_id, text, choices, answer, kind, _text(value, "element"))


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
    if len(found) > _LONGEST:
        raise ValueError(f"'{key}' has {len(found)} characters; at most {_LONGEST} are allowed")
    return found
