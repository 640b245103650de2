"""Answers of a visual question answering model to TIFA's questions: the result file of TIFA's own code, and our lines.

The former is one object, ``{"question_details": {id: {question: {"question", "choices", "answer", "element_type", "element",
"caption", "free_form_vqa", "multiple_choice_vqa", "scores"}}}, ...}``; what else stands there follows from it. A line of ours
is ``{"id", "answers": [...]}``, the answers as in a TIFA scorer's evidence.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data.files import InputError, fail, quoted, read_json_lines, read_text, unreadable
from data.prompts.questions import PromptQuestion, new_question_id

_KEY: Final = "question_details"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One question and the model's answer; ``scored``: whether the file itself counts it as right, None if it does not say."""

    question: PromptQuestion
    chosen: str
    free: str | None = None
    scored: bool | None = None


@dataclass(frozen=True, slots=True)
class CaptionAnswers:
    """The answers about one text's image, in the file's order.

    Attributes:
        number: the line, None in a file of TIFA's own.
        wrong: what could not be read, a line each; the answers are without them.
    """

    id: str
    caption: str
    answers: tuple[ModelAnswer, ...]
    number: int | None = None
    wrong: tuple[str, ...] = ()


def read_results(path: Path) -> Iterator[CaptionAnswers]:
    """What was answered about each text.

    Raises:
        InputError: the file cannot be read, or holds neither.
    """
    if _is_official(path):
        yield from _official(path)
        return
    for line in read_json_lines(path):
        if line.wrong is not None:
            yield CaptionAnswers("", "", (), line.number, (line.wrong,))
        else:
            yield _of_line(line.number, line.value)


def _is_official(path: Path) -> bool:
    """By its beginning: an object over many lines, or one that has the key."""
    first = next(read_json_lines(path), None)
    if first is None:
        fail(path, None, "holds no evidence")
    return first.wrong is not None or _KEY in first.value


def _official(path: Path) -> Iterator[CaptionAnswers]:
    try:
        found = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        fail(path, None, f"is neither a result file of TIFA's nor lines of evidence ({unreadable(error)})")
    details = found.get(_KEY) if isinstance(found, dict) else None
    if not isinstance(details, dict):
        fail(path, None, f"has no object under {_KEY!r}; a result file of TIFA's code, or lines {{'id', 'answers'}} expected")
    for name, asked in details.items():
        if isinstance(asked, dict):
            yield _captioned(name, list(asked.values()), None, "multiple_choice_vqa", "free_form_vqa")
        else:
            yield CaptionAnswers(name, "", (), None, (f"{_KEY!r} of it is {quoted(asked)}, an object expected",))


def _of_line(number: int, value: Mapping[str, Any]) -> CaptionAnswers:
    name, answers = value.get("id"), value.get("answers")
    if not isinstance(name, str) or not name:
        return CaptionAnswers("", "", (), number, (f"'id' is {quoted(name)}, a text expected",))
    if not isinstance(answers, list):
        return CaptionAnswers(name, "", (), number, (f"'answers' is {quoted(answers)}, a list expected",))
    return _captioned(name, answers, number, "chosen", "free")


def _captioned(name: str, entries: list[Any], number: int | None, chosen: str, free: str) -> CaptionAnswers:
    said: list[ModelAnswer] = []
    wrong: list[str] = []
    caption = ""
    for entry in entries:
        try:
            said.append(_model_answer(entry, [one.question.question_id for one in said], chosen, free))
            caption = caption or str(entry.get("caption") or "")
        except ValueError as error:
            wrong.append(f"{name}: {error}")
    return CaptionAnswers(name, caption, tuple(said), number, tuple(wrong))


def _model_answer(entry: Any, taken: list[str], chosen: str, free: str) -> ModelAnswer:
    if not isinstance(entry, dict):
        raise ValueError(f"found {quoted(entry)}, an object with a question expected")
    text = _text(entry, "question" if "question" in entry else "text")
    choices = entry.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(one, str) and one for one in choices):
        raise ValueError(f"'choices' is {quoted(choices)}, a list of texts expected")
    name = entry.get("question_id")
    question_id = name if isinstance(name, str) and name and name not in taken else new_question_id(text, taken)
    scored, parents = entry.get("scores"), entry.get("parents")
    question = PromptQuestion(
        question_id, text, tuple(choices), _text(entry, "answer"), _text(entry, "element_type"), _text(entry, "element"),
        parents=tuple(one for one in parents if isinstance(one, str)) if isinstance(parents, list) else (),
    )  # fmt: skip
    words = entry.get(free)
    return ModelAnswer(
        question,
        _text(entry, chosen),
        words if isinstance(words, str) else None,
        bool(scored) if scored in (0, 1, True, False) else None,
    )


def _text(entry: Mapping[str, Any], key: str) -> str:
    found = entry.get(key)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"{key!r} is {quoted(found)}, a text expected")
    return found
