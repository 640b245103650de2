"""Question lists of published suites, read as they are published: which points a judge, or a person, checks of each prompt.

- GenEval 2: JSON lines ``{"prompt", "atom_count", "vqa_list": [[question, answer]], "skills"}``;
- TIIF: JSON lines ``{"type", "yn_question_list", "yn_answer_list"}``, with ``short_description`` or of prompts that are there;
- OneIG: a JSON object ``{id: {"question": {n: text}, "dependency": {n: [n]}}}`` about prompts that are there;
- UniGenBench: CSV with ``index``, ``prompt_en``, ``sub_dims_en`` (JSON with ``Testpoints`` and ``Testpoint Description``);
- WISE: a JSON array ``{"prompt_id", "Prompt", "Explanation", "Category", "Subcategory"}``: three grades from 0 to 2 each.

Where a suite's own judge gets a long instruction about all points at once, each point is a question of its own here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.aspects import NO, YES
from data.files import InputError, Problems, check_name, fail, quoted, read_text
from data.json_files import parse_json
from data.prompts.prompt_files import file_entries
from data.prompts.questions import (
    ELEMENT_TYPES,
    PromptQuestion,
    QuestionedPrompt,
    new_question_id,
    question_of_entry,
    read_questions,
)
from data.records import Prompt
from data.spec import NUMBER_WORDS
from data.tables import read_table
from data.validation import text_of

TIFA: Final = "tifa"
Texts = Callable[[str], Mapping[str, str]]
"""The prompts of a suite that are there already: their texts by id."""

_YES_NO: Final = [YES, NO]
_GRADES: Final = ["0", "1", "2"]
_N_CHOICES: Final = 4
_TYPES: Final = {
    "count": "counting", "quantity": "counting", "numeracy": "counting", "position": "spatial", "layout": "spatial",
    "action": "activity", "verb": "activity", "relation": "spatial",
}  # fmt: skip
_WISE: Final = {
    "consistency": "How completely does the image show the prompt, as the explanation has it (0 not, 1 in part, 2 in full)?",
    "realism": "How real does the image look (0 impossible, 1 with small faults, 2 as a photograph)?",
    "aesthetic quality": "How good does the image look (0 poor, 1 plain, 2 outstanding)?",
}
"""WISE's three criteria, in our words: its own are an instruction of a page."""


@dataclass(frozen=True, slots=True)
class _Points:
    """One prompt's points as entries of TIFA's shape; ``text`` is None where the prompt must be there already."""

    name: str
    text: str | None
    task: str | None
    entries: list[dict[str, Any]]


_Entry = tuple[int, Callable[[], _Points]]
"""(line, how to read it)."""


def read_question_list(path: Path, suite: str | None, texts: Texts) -> tuple[str, list[QuestionedPrompt]]:
    """The suite, by default named after the format, and its prompts with their questions; the format is recognised.

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the suite's name cannot be used.
    """
    recognized = _recognized(path)
    if recognized is None:
        return suite or TIFA, read_questions(path, suite or TIFA)
    usual, entries = recognized
    name = check_name(suite or usual, "the suite's name")
    there = texts(name)
    problems = Problems(path)
    made: dict[str, QuestionedPrompt] = {}
    for line, read in entries:
        with problems.at(line):
            prompt = _questioned(read(), name, there)
            if prompt.prompt.prompt_id in made:
                raise ValueError(f"the id {quoted(prompt.prompt.prompt_id)} occurs twice")
            made[prompt.prompt.prompt_id] = prompt
    problems.check()
    if not made:
        fail(path, None, "holds no questions")
    return name, [*made.values()]


def _recognized(path: Path) -> tuple[str, Iterator[_Entry]] | None:
    """The format's name and its entries, by the keys of the first one; None: another one."""
    if path.suffix.lower() == ".csv":
        return "unigenbench", _unigenbench(path)
    text = read_text(path)
    if text.lstrip().startswith("{"):
        with suppress(InputError):  # JSON lines
            value = parse_json(path, 1, text)
            if value and all(isinstance(entry, dict) and "dependency" in entry for entry in value.values()):
                return "oneig", ((1, partial(_oneig, name, entry)) for name, entry in value.items())
    for _, _, read in file_entries(path, text):
        try:
            first = read()
        except InputError:
            return None
        for key, (usual, of_entry) in _BY_KEY.items():
            if isinstance(first, dict) and key in first:
                entries = file_entries(path, text)
                return usual, ((line, partial(of_entry, read, number)) for number, line, read in entries)
        return None
    return None


def _questioned(points: _Points, suite: str, there: Mapping[str, str]) -> QuestionedPrompt:
    prompt_id = f"{suite}/{check_name(points.name, 'the id')}"
    text = points.text if points.text is not None else there.get(prompt_id)
    if text is None:
        raise ValueError(f"there is no prompt {quoted(prompt_id)} yet: import the suite's prompts first, with these ids")
    made: list[PromptQuestion] = []
    for entry in points.entries:
        made.append(question_of_entry(entry, made))
    if not made:
        raise ValueError("there is no question about this prompt")
    return QuestionedPrompt(Prompt(prompt_id, suite, text, points.task), tuple(made))


def _point(text: str, answer: str, kind: str, choices: list[str] | None = None, **more: Any) -> dict[str, Any]:
    """A question as TIFA's files have it; ``kind``: what the suite files it under."""
    # the last word says most: "Attribute - Color"
    words = reversed(re.split(r"[\W_]+", kind.casefold()))
    types = (word if word in ELEMENT_TYPES else _TYPES.get(word) for word in words)
    filed = next((element_type for element_type in types if element_type is not None), "other")
    entry = {"question": " ".join(text.split()), "choices": choices or _YES_NO, "answer": answer}
    return entry | {"element_type": filed, "element": kind} | more


def _yes_no(answer: Any, key: str) -> str:
    word = answer.strip().casefold() if isinstance(answer, str) else ""
    if word not in (YES, NO):
        raise ValueError(f"'{key}' has {quoted(answer)}, yes or no expected")
    return word


def _geneval2(read: Callable[[], Any], number: int) -> _Points:
    value = _object(read())
    listed, skills = _list(value, "vqa_list"), _list(value, "skills")
    atoms = value.get("atom_count")
    if not isinstance(atoms, int) or isinstance(atoms, bool) or atoms < 1:
        raise ValueError(f"'atom_count' is {quoted(atoms)}, a whole number of at least 1 expected")
    if len(listed) != len(skills):
        raise ValueError(f"'vqa_list' has {len(listed)} questions, 'skills' has {len(skills)}; one for each expected")
    entries = []
    for entry, skill in zip(listed, skills, strict=True):
        if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(text, str) for text in (*entry, skill)):
            raise ValueError(f"'vqa_list' holds {quoted(entry)}, [question, answer] with a text as skill expected")
        text, answer = entry[0], entry[1].strip().casefold()
        # the things that a prompt asks for are counted by their elements
        element = text.strip().removesuffix("?") or skill
        if answer in NUMBER_WORDS:
            entries.append(_point(text, answer, skill, _numbers(answer), element=element))
        else:
            entries.append(_point(text, _yes_no(answer, "vqa_list"), skill, element=element))
    return _Points(f"{number:05d}", text_of(value, "prompt"), f"atoms_{atoms}", entries)


def _numbers(word: str) -> list[str]:
    """The number among its neighbours: those below come first, as far as there are any."""
    n = NUMBER_WORDS.index(word)
    first = min(max(1, n + 2 - _N_CHOICES), len(NUMBER_WORDS) - _N_CHOICES) if n else 0
    return list(NUMBER_WORDS[first : first + _N_CHOICES])


def _tiif(read: Callable[[], Any], number: int) -> _Points:
    value = _object(read())
    texts, answers = _list(value, "yn_question_list"), _list(value, "yn_answer_list")
    if len(texts) != len(answers):
        raise ValueError(f"'yn_question_list' has {len(texts)} texts, 'yn_answer_list' has {len(answers)}; as many expected")
    kind = text_of(value, "type")
    points = [
        _point(_text(question), _yes_no(answer, "yn_answer_list"), kind)
        for question, answer in zip(texts, answers, strict=True)
    ]
    text = text_of(value, "short_description") if "short_description" in value else None
    return _Points(f"{number:05d}", text, kind, points)


def _oneig(name: str, value: dict[str, Any]) -> _Points:
    """A question rests on others by number; 0 is none."""
    questions, parents = _numbered(value, "question"), _numbered(value, "dependency")
    named: dict[str, str] = {}
    for n, text in questions.items():
        named[n] = new_question_id(" ".join(_text(text).split()), [*named.values()])
    entries = []
    for n, text in questions.items():
        dependency = parents.get(n, [])
        parents_of = [str(parent) for parent in dependency if str(parent) != "0"] if isinstance(dependency, list) else [None]
        if unknown := [parent for parent in parents_of if parent not in named or parent == n]:
            raise ValueError(f"{name}: 'dependency' of question {n} names {quoted(unknown[0])}, which is no other question")
        entries.append(
            _point(text, YES, "other", question_id=named[n], parents=[named[parent] for parent in parents_of if parent])
        )
    return _Points(name, None, None, entries)


def _numbered(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """By number; as published the object is JSON, or JSON within a text."""
    by_number = value.get(key)
    if isinstance(by_number, str):
        try:
            by_number = json.loads(by_number)
        except (ValueError, RecursionError):
            by_number = None
    if not isinstance(by_number, dict):
        raise ValueError(f"'{key}' is {quoted(value.get(key))}, an object by question number expected")
    return {str(n): entry for n, entry in by_number.items()}


def _unigenbench(path: Path) -> Iterator[_Entry]:
    table = read_table(path)
    names = {
        name: next((column for column in (name, f"{name}_en", f"{name}_zh") if column in table.header), "")
        for name in ("index", "prompt", "sub_dims")
    }
    if missing := [name for name, column in names.items() if not column]:
        fail(path, 1, f"there is no column {quoted(missing[0])}; UniGenBench's index, prompt_en and sub_dims_en are expected")
    for line, row in table.rows():
        yield line, partial(_testpoints, *(row[column] for column in names.values()))


def _testpoints(index: str, text: str, dimensions: str) -> _Points:
    try:
        value = _object(json.loads(dimensions))
    except (json.JSONDecodeError, RecursionError):
        raise ValueError(f"'sub_dims' is {quoted(dimensions)}, a JSON object expected") from None
    points, described = _list(value, "Testpoints"), _list(value, "Testpoint Description")
    if len(points) != len(described):
        raise ValueError(
            f"'Testpoints' has {len(points)} entries, 'Testpoint Description' has {len(described)}; as many expected"
        )
    entries = [
        _point(f"Does the image show what the prompt asks for here: {_text(description)} ({_text(point)})?", YES, point)
        for point, description in zip(points, described, strict=True)
    ]
    theme = next((value[key] for key in ("Primary Category", "Primary Categories") if isinstance(value.get(key), str)), None)
    return _Points(index.strip(), text_of({"prompt": text}, "prompt"), theme, entries)


def _wise(read: Callable[[], Any], _: int) -> _Points:
    value = _object(read())
    name, meant = value.get("prompt_id"), text_of(value, "Explanation")
    if not isinstance(name, int | str) or isinstance(name, bool):
        raise ValueError(f"'prompt_id' is {quoted(name)}, a number or a text expected")
    entries = []
    for criterion, text in _WISE.items():
        more = f" Explanation: {meant}" if criterion == "consistency" else ""
        entries.append(_point(text + more, _GRADES[-1], criterion, _GRADES, question_id=criterion.replace(" ", "-")))
    task = "/".join(text_of(value, key) for key in ("Category", "Subcategory") if key in value) or None
    return _Points(str(name), text_of(value, "Prompt"), task, entries)


_BY_KEY: Final[Mapping[str, tuple[str, Callable[[Callable[[], Any], int], _Points]]]] = {
    "vqa_list": ("geneval2", _geneval2),
    "yn_question_list": ("tiif", _tiif),
    "Explanation": ("wise", _wise),
}
"""By a key that no other format has: the usual name of the suite, and how an entry is read."""


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"found {quoted(value)}, a JSON object expected")
    return value


def _list(value: Mapping[str, Any], key: str) -> list[Any]:
    listed = value.get(key)
    if not isinstance(listed, list):
        raise ValueError(f"'{key}' is {quoted(listed)}, a list expected")
    return listed


def _text(value: Any) -> str:
    return text_of({"question": value}, "question")
