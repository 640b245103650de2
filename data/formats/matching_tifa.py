"""TIFA's questions turned into image-text matching (SelfEval, appendix E).

Of a text from COCO, the answer to a question of colour, number or place is replaced in the text itself by the question's other
choices: its photograph shows the text as it was. Where the text does not hold the answer's very words once, nothing is made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from data.formats.matching import Example
from data.prompts.captions import Candidates
from data.prompts.question_files import read_questions
from data.prompts.questions import PromptQuestion
from data.prompts.reading import InputError, Problems, check_name, fail, parse_json, printable, quoted, read_text
from data.prompts.spec import ObjectSpec
from data.prompts.wording import NUMBERS, changed, renamed

TASKS: Final = {"color": "color", "counting": "count", "spatial": "spatial"}
"""SelfEval's task of each of TIFA's element types."""


@dataclass(frozen=True, slots=True)
class FromTifa:
    """``photographs``: by text id the number of COCO's validation image. ``left``: questions of the right types of
    which nothing could be made, by reason."""

    examples: list[Example] = field(default_factory=list)
    photographs: dict[str, int] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)


def read_tifa(texts: Path, questions: Path) -> FromTifa:
    """Examples from TIFA's ``text_inputs.json`` (``id``, ``caption``, ``coco_val_id``) and ``question_answers.json``.

    An example's ``image`` is COCO's number; its name is ``TEXT-ID.K``, K counting the text's questions from 0.

    Raises:
        InputError: a file is not what it should be.
    """
    found = FromTifa()
    captions = dict(_texts(texts, found.photographs))
    for asked in read_questions(questions, "tifa"):
        text_id = asked.prompt.prompt_id.removeprefix("tifa/")
        if text_id not in found.photographs:
            continue
        for number, question in enumerate(asked.questions):
            if question.element_type not in TASKS or question.is_yes_no:
                continue
            made = swapped(captions[text_id], question)
            if isinstance(made, str):
                found.left[made] += 1
                continue
            task = TASKS[question.element_type]
            photograph = str(found.photographs[text_id])
            found.examples.append(Example(f"{text_id}.{number}", 0, photograph, made, task))
    return found


def swapped(caption: str, question: PromptQuestion) -> Candidates | str:
    """The caption and what it becomes with each other choice in the answer's place; or why that cannot be made."""
    answer = next((form for form in _forms(question.answer) if renamed(caption, ObjectSpec(form, form), form)), None)
    if answer is None:
        return "the text does not hold the answer's words once"
    kind = _forms(question.answer).index(answer)
    captions = [caption]
    for choice in question.choices:
        forms = _forms(choice)
        changes = renamed(caption, ObjectSpec(answer, answer), forms[min(kind, len(forms) - 1)])
        assert changes is not None
        new = changed(caption, changes)
        if choice.casefold() != question.answer.casefold() and new not in captions:
            captions.append(new)
    return Candidates(tuple(captions)) if len(captions) > 1 else "the question has no other choice"


def _forms(answer: str) -> list[str]:
    """As it stands; a number as a word, too (TIFA's choices are digits, its texts are not)."""
    return [answer, NUMBERS[int(answer)]] if re.fullmatch(r"\d|10", answer) else [answer]


def _texts(path: Path, photographs: dict[str, int]) -> Iterator[tuple[str, str]]:
    """``(id, caption)`` of texts from COCO, whose photographs are noted."""
    listed = parse_json(path, 1, read_text(path))
    if not isinstance(listed, list):
        fail(path, 1, f"found {quoted(listed)}, TIFA's list of texts expected")
    problems = Problems(path)
    for number, entry in enumerate(listed):
        try:
            if isinstance(entry, Mapping) and entry.get("coco_val_id") is None:
                continue
            text_id, caption, photograph = _text(entry)
            photographs[text_id] = photograph
            yield text_id, caption
        except InputError:
            raise
        except ValueError as error:
            problems.add(None, f"entry {number}: {printable(error)}")
    problems.check()


def _text(entry: Any) -> tuple[str, str, int]:
    if not isinstance(entry, Mapping) or not all(isinstance(entry.get(key), str) for key in ("id", "caption")):
        raise ValueError(f"found {quoted(entry)}, an object with 'id', 'caption' and 'coco_val_id' expected")
    number = str(entry["coco_val_id"])
    if not re.fullmatch(r"\d{1,12}", number):
        raise ValueError(f"'coco_val_id' is {quoted(number)}, a number of COCO expected")
    return check_name(entry["id"], "the id"), entry["caption"], int(number)
