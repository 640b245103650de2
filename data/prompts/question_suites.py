"""Question lists of published suites, read as they are published: which points a judge, or a person, checks of each prompt.

- GenEval 2: JSON lines ``{"prompt", "atom_count", "vqa_list": [[question, answer]], "skills"}``;
- TIIF: JSON lines ``{"type", "yn_question_list", "yn_answer_list"}``, with ``short_description`` or of prompts that are there;
- OneIG: a JSON object ``{id: {"question": {n: text}, "dependency": {n: [n]}}}`` about prompts that are there;
- UniGenBench: CSV with ``index``, ``prompt_en``, ``sub_dims_en`` (or ``_zh``, or without language); ``sub_dims`` is JSON with
  ``Testpoints`` and ``Testpoint Description``, in Chinese ``考点`` and ``考点对应描述``;
- DSG-1k, DPG-Bench: CSV with ``item_id``, ``text``, ``proposition_id``, ``dependency``, ``question_natural_language``, a row a
  question;
- TIFA: JSON, or CSV with ``id``, ``caption``, ``question``, ``choices``, ``answer``;
- WISE: a JSON array ``{"prompt_id", "Prompt", "Explanation", "Category", "Subcategory"}``: three grades from 0 to 2 each.

Where a suite's own judge gets a long instruction about all points at once, each point is a question of its own here. A flawed
point or entry is left out and named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.aspects import NO, YES
from data.files import InputError, Omissions, check_name, fail, located, quoted, read_text
from data.json_files import JsonStream, parse_json
from data.prompts.prompt_files import file_entries
from data.prompts.questions import (
    ELEMENT_TYPES,
    QuestionCollector,
    QuestionedPrompt,
    new_question_id,
    read_question_file,
)
from data.records import Prompt
from data.spec import NUMBER_WORDS
from data.tables import TextTable, read_table
from data.validation import text_of

TIFA: Final = "tifa"
Texts = Callable[[str], Mapping[str, str]]
"""The prompts of a suite that are there already: their texts by id."""

_YES_NO: Final = [YES, NO]
_GRADES: Final = ["0", "1", "2"]
_N_CHOICES: Final = 4
_TYPES: Final = {
    "count": "counting", "quantity": "counting", "numeracy": "counting", "position": "spatial", "layout": "spatial",
    "action": "activity", "verb": "activity", "relation": "spatial", "entity": "object",
    "数量": "counting", "颜色": "color", "材质": "material", "形状": "shape", "布局": "spatial", "关系": "spatial",
    "动作": "activity", "属性": "attribute",
}  # fmt: skip
_WISE: Final = {
    "consistency": "How completely does the image show the prompt, as the explanation has it (0 not, 1 in part, 2 in full)?",
    "realism": "How real does the image look (0 impossible, 1 with small faults, 2 as a photograph)?",
    "aesthetic quality": "How good does the image look (0 poor, 1 plain, 2 outstanding)?",
}
"""WISE's three criteria, in our words: its own are an instruction of a page."""


_ONEIG_CATEGORIES: Final = {
    "anime": "Anime_Stylization", "human": "Portrait", "object": "General_Object", "text": "Text_Rendering",
    "reasoning": "Knowledge_Reasoning",
}  # fmt: skip
"""The category of the prompts that a file of OneIG's questions is about, by the file's name."""


@dataclass(frozen=True, slots=True)
class QuestionList:
    """A question list's suite, its prompts with their questions, and what was left out of it or read otherwise.

    Attributes:
        own_texts: False if the list names prompts by id alone, so that nothing in it tells whether these are its prompts.
    """

    suite: str
    prompts: list[QuestionedPrompt]
    omissions: Omissions
    own_texts: bool = True


@dataclass(frozen=True, slots=True)
class _Points:
    """One prompt's points as entries of TIFA's shape, each with its line; ``text`` is None where the prompt must be there
    already, under one of ``names``; ``flaws``: points that cannot be read, by line."""

    names: tuple[str, ...]
    text: str | None
    task: str | None
    entries: list[tuple[int | None, dict[str, Any]]] = field(default_factory=list)
    flaws: list[tuple[int | None, str]] = field(default_factory=list)

    def add(self, read: Callable[[], dict[str, Any]], line: int | None = None) -> None:
        """Read a point; a flawed one is noted."""
        try:
            self.entries.append((line, read()))
        except ValueError as error:
            self.flaws.append((line, str(error)))


_Entry = tuple[int, Callable[[], _Points]]
"""(line, how to read it)."""


def read_question_list(path: Path, suite: str | None, texts: Texts) -> QuestionList:
    """Read a question list; the format is recognised, and the suite is by default named after it.

    Raises:
        InputError: the file cannot be read, or holds no question that can.
        ValueError: the suite's name cannot be used.
    """
    recognized = _recognized(path)
    if not isinstance(recognized, tuple):
        name = check_name(suite or TIFA, "the suite's name")
        file = read_question_file(path, name, recognized)
        return QuestionList(name, file.prompts, file.omissions)
    usual, entries = recognized
    name = check_name(suite or usual, "the suite's name")
    there = texts(name)
    omissions = Omissions(path)
    questioned: dict[str, QuestionedPrompt] = {}
    own_texts = True
    for line, read in entries:
        with omissions.at(line):
            points = read()
            own_texts &= points.text is not None
            prompt = _questioned(points, name, there, line, omissions)
            prompt_id = prompt.prompt.prompt_id
            if prompt_id in questioned:
                first = questioned[prompt_id].prompt.text
                raise ValueError(
                    f"the id {quoted(prompt_id)} occurs twice, with {quoted(first)} and with {quoted(prompt.prompt.text)}"
                )
            questioned[prompt_id] = prompt
    if not questioned:
        omissions.check()
        fail(path, None, "holds no questions")
    return QuestionList(name, [*questioned.values()], omissions, own_texts)


def _recognized(path: Path) -> tuple[str, Iterator[_Entry]] | Iterator[tuple[int, Callable[[], Any]]]:
    """Return a published format's name and its entries, by its columns or the keys of its first entry; else TIFA's entries."""
    if path.suffix.lower() in (".csv", ".tsv", ".xlsx"):
        return _of_table(read_table(path))
    if path.suffix.lower() == ".txt":
        fail(path, None, "questions are a JSON array, or one JSON object a line; this is named as plain text")
    text = read_text(path)
    if text.lstrip().startswith("{"):
        with suppress(InputError):  # JSON lines
            value = parse_json(path, 1, text)
            if value and any(isinstance(entry, dict) and "dependency" in entry for entry in value.values()):
                return "oneig", (
                    (line, partial(_oneig, path, name, entry)) for line, name, entry in JsonStream.of_text(path, text).object()
                )
    for _, _, read in file_entries(path, text):
        try:
            first = read()
        except InputError:
            continue
        for key, (usual, of_entry) in _BY_KEY.items():
            if isinstance(first, dict) and key in first:
                entries = file_entries(path, text)
                return usual, ((line, partial(of_entry, read, number)) for number, line, read in entries)
        break
    return ((line, read) for _, line, read in file_entries(path, text))


def _questioned(points: _Points, suite: str, there: Mapping[str, str], line: int, omissions: Omissions) -> QuestionedPrompt:
    prompt_ids = [f"{suite}/{check_name(name, 'the id')}" for name in points.names]
    prompt_id = prompt_ids[0]
    text = points.text
    if text is None:
        prompt_id = next((name for name in prompt_ids if name in there), prompt_id)
        text = there.get(prompt_id)
    if text is None:
        raise ValueError(f"there is no prompt {quoted(prompt_id)} yet: import the suite's prompts first, with these ids")
    collector = QuestionCollector(Prompt(prompt_id, suite, text, points.task), omissions)
    left = len(omissions.left)
    for at, flaw in points.flaws:
        omissions.left_out(at or line, f"{points.names[0]}: {flaw}")
    for at, entry in points.entries:
        with omissions.at(at or line, f"{points.names[0]}: "):
            collector.add(entry, at or line)
    questioned = collector.questioned()
    if not questioned.questions:
        if len(omissions.left) > left:
            raise ValueError(f"{points.names[0]}: no question about this prompt is left")
        raise ValueError("there is no question about this prompt")
    return questioned


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
    points = _Points((f"{number:05d}",), text_of(value, "prompt"), f"atoms_{atoms}")
    for entry, skill in zip(listed, skills, strict=True):
        points.add(partial(_geneval2_point, entry, skill))
    return points


def _geneval2_point(entry: Any, skill: Any) -> dict[str, Any]:
    if not isinstance(entry, list) or len(entry) != 2 or not all(isinstance(text, str) for text in (*entry, skill)):
        raise ValueError(f"'vqa_list' holds {quoted(entry)}, [question, answer] with a text as skill expected")
    text, answer = entry[0], entry[1].strip().casefold()
    # the things that a prompt asks for are counted by their elements
    element = text.strip().removesuffix("?") or skill
    if answer in NUMBER_WORDS:
        return _point(text, answer, skill, _numbers(answer), element=element)
    return _point(text, _yes_no(answer, "vqa_list"), skill, element=element)


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
    text = text_of(value, "short_description") if "short_description" in value else None
    points = _Points((f"{number:05d}",), text, kind)
    for question, answer in zip(texts, answers, strict=True):
        points.add(partial(_yes_no_point, question, answer, kind))
    return points


def _yes_no_point(question: Any, answer: Any, kind: str) -> dict[str, Any]:
    return _point(_text(question), _yes_no(answer, "yn_answer_list"), kind)


@dataclass(frozen=True, slots=True)
class _NumberedPoint:
    """A point of a list whose points depend on each other by number; 0 is none."""

    number: str
    text: Any
    kind: str
    element: str
    depends_on: Any
    line: int | None = None


def _add_numbered(points: _Points, numbered: Sequence[_NumberedPoint]) -> None:
    """Read points that depend on each other by number."""
    ids: dict[str, str] = {}
    for point in numbered:
        if isinstance(point.text, str) and point.number not in ids:
            ids[point.number] = new_question_id(" ".join(point.text.split()), [*ids.values()])
    for point in numbered:

        def read(point: _NumberedPoint = point) -> dict[str, Any]:
            text = _text(point.text)
            if point.number not in ids:
                raise ValueError(f"question {quoted(point.number)} is {quoted(point.text)}, a text expected")
            # one that is no question keeps its number, by which it is named
            parents = [ids.get(parent, f"question {parent}") for parent in _parents(point)]
            return _point(
                text, YES, point.kind, element=point.element, question_id=ids[point.number], parents=[*dict.fromkeys(parents)]
            )

        points.add(read, point.line)


def _parents(point: _NumberedPoint) -> list[str]:
    """Return the numbers of the points that a point depends on, as lists or texts (``"1,2"``, ``"1.0"``) hold them."""
    listed = point.depends_on if isinstance(point.depends_on, list) else re.split(r"[,;|\s\[\]]+", str(point.depends_on or ""))
    numbers = [re.sub(r"\.0$", "", str(parent).strip()) for parent in listed]
    if wrong := [number for number in numbers if not re.fullmatch("[0-9]*|nan|none|-", number.casefold())]:
        raise ValueError(f"'dependency' of question {point.number} names {quoted(wrong[0])}, a question's number expected")
    return [number for number in numbers if number.isdigit() and int(number) > 0]


def _oneig(path: Path, name: str, value: Any) -> _Points:
    questions, dependencies = _numbered(_object(value), "question"), _numbered(value, "dependency")
    stem = path.stem.lower().removesuffix("_zh")
    category = _ONEIG_CATEGORIES.get(stem, stem)
    points = _Points((name, f"{category}-{name}", f"{stem}-{name}"), None, None)
    _add_numbered(points, [_NumberedPoint(n, text, "other", "other", dependencies.get(n, [])) for n, text in questions.items()])
    return points


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


def _of_table(table: TextTable) -> tuple[str, Iterator[_Entry]] | Iterator[tuple[int, Callable[[], Any]]]:
    columns = {name.strip().casefold(): name for name in table.header}
    for language in ("", "_en", "_zh"):
        if (dimensions := columns.get(f"sub_dims{language}")) and (text := columns.get(f"prompt{language}")):
            index = next((columns[name] for name in ("index", "id", "prompt_id") if name in columns), None)
            if index is not None:
                return _unigenbench_suite(table.path, language or "_en"), (
                    (line, partial(_testpoints, row[index], row[text], row[dimensions])) for line, row in table.rows()
                )
    question = next((columns[name] for name in ("question_natural_language", "question") if name in columns), None)
    if question is not None and {"item_id", "text", "proposition_id", "dependency"} <= columns.keys():
        return ("dpg-bench" if "dpg" in table.path.stem.lower() else "dsg"), _dsg(table, columns, question)
    text = next((columns[name] for name in ("caption", "prompt", "text") if name in columns), None)
    if text is not None and {"id", "question", "choices", "answer"} <= columns.keys():
        return ((line, partial(_tifa_row, row, columns, text)) for line, row in table.rows())
    raise InputError(located(table.path, 1, f"{_KNOWN_TABLES} There are: {', '.join(map(quoted, table.header[:10]))}"))


_KNOWN_TABLES: Final = (
    "no question list that is known: UniGenBench has the columns index, prompt_en and sub_dims_en (or _zh); DSG and DPG-Bench"
    " item_id, text, proposition_id, dependency and question_natural_language; TIFA id, caption, question, choices and answer."
)


def _unigenbench_suite(path: Path, language: str) -> str:
    """Return a suite's name for each of the four lists, as their ids all begin with 0."""
    return "unigenbench" + ("-zh" if language == "_zh" else "") + ("-long" if "long" in path.stem.lower() else "")


def _dsg(table: TextTable, columns: Mapping[str, str], question: str) -> Iterator[_Entry]:
    """Return an entry for each prompt; its rows need not stand together."""
    rows: dict[str, list[tuple[int, dict[str, str]]]] = {}
    for line, row in table.rows():
        cells = {name: row[column] for name, column in columns.items()} | {"question": row[question]}
        rows.setdefault(cells["item_id"].strip(), []).append((line, cells))
    for name, of_item in rows.items():
        yield of_item[0][0], partial(_propositions, name, of_item)


def _propositions(name: str, rows: Sequence[tuple[int, dict[str, str]]]) -> _Points:
    text = text_of({"text": next((cells["text"] for _, cells in rows if cells["text"].strip()), "")}, "text").strip()
    points = _Points((name,), text, re.sub(r"[\W_]*[0-9].*$", "", name) or None)
    numbered: list[_NumberedPoint] = []
    taken: dict[str, str] = {}
    for line, cells in rows:
        number, words = re.sub(r"\.0$", "", cells["proposition_id"].strip()), " ".join(cells["question"].split())
        if cells["text"].strip() not in ("", text):
            points.flaws.append((line, f"'text' is {quoted(cells['text'])}, and {quoted(text)} in the rows before"))
        elif taken.setdefault(number, words) != words:
            points.flaws.append(
                (line, f"'proposition_id' {quoted(number)} is {quoted(words)} here, and {quoted(taken[number])}")
            )
        else:
            kind = " - ".join(
                filter(None, (cells.get("category_broad", "").strip(), cells.get("category_detailed", "").strip()))
            )
            element = cells.get("tuple", "").strip() or kind or "other"
            numbered.append(_NumberedPoint(number, cells["question"], kind or "other", element, cells["dependency"], line))
    _add_numbered(points, numbered)
    return points


def _tifa_row(row: Mapping[str, str], columns: Mapping[str, str], text: str) -> dict[str, Any]:
    """Return a row as an entry of TIFA's JSON has it; choices are a JSON list, or parted by ``|``, ``;`` or commas."""
    cells = {name: row[column].strip() for name, column in columns.items()}
    choices: Any = None
    with suppress(ValueError, RecursionError):
        choices = json.loads(cells["choices"])
    if not isinstance(choices, list):
        sign = next((sign for sign in "|;" if sign in cells["choices"]), ",")
        choices = [choice.strip() for choice in cells["choices"].split(sign)]
    given = {name: cells[name] for name in ("id", "question", "answer", "question_id") if cells.get(name)}
    more = _point(cells["question"], cells["answer"], cells.get("element_type") or "other")
    element = {"element_type": more["element_type"], "element": cells.get("element") or cells["question"] or "other"}
    return given | {"caption": row[text], "choices": choices} | element


_TESTPOINTS: Final = ("Testpoints", "考点")
_DESCRIPTIONS: Final = ("Testpoint Description", "Testpoint Descriptions", "考点对应描述")
_THEMES: Final = ("Primary Category", "Primary Categories", "一级垂类")


def _testpoints(index: Any, text: Any, dimensions: Any) -> _Points:
    if isinstance(dimensions, str):
        try:
            dimensions = json.loads(dimensions)
        except (json.JSONDecodeError, RecursionError):
            raise ValueError(f"'sub_dims' is {quoted(dimensions)}, a JSON object expected") from None
    value = _object(dimensions)
    key, described = (next((key for key in keys if key in value), keys[0]) for keys in (_TESTPOINTS, _DESCRIPTIONS))
    kinds, descriptions = _list(value, key), _list(value, described)
    if len(kinds) != len(descriptions):
        raise ValueError(f"'{key}' has {len(kinds)} entries, '{described}' has {len(descriptions)}; as many expected")
    theme = next((value[key] for key in _THEMES if isinstance(value.get(key), str) and value[key].strip()), None)
    points = _Points((str(index).strip(),), text_of({"prompt": text}, "prompt"), theme)
    for kind, description in zip(kinds, descriptions, strict=True):
        points.add(partial(_testpoint, kind, description, described))
    return points


def _testpoint(kind: Any, description: Any, key: str) -> dict[str, Any]:
    about = text_of({key: description}, key)
    return _point(f"Does the image show what the prompt asks for here: {about} ({_text(kind)})?", YES, kind)


def _unigenbench(read: Callable[[], Any], number: int) -> _Points:
    value = _object(read())
    language = next(each for each in ("", "_en", "_zh") if f"sub_dims{each}" in value)
    index = next((value[key] for key in ("index", "id", "prompt_id") if value.get(key) is not None), number)
    return _testpoints(index, value.get(f"prompt{language}"), value[f"sub_dims{language}"])


def _wise(read: Callable[[], Any], _: int) -> _Points:
    value = _object(read())
    name, meant = value.get("prompt_id"), text_of(value, "Explanation")
    if not isinstance(name, int | str) or isinstance(name, bool):
        raise ValueError(f"'prompt_id' is {quoted(name)}, a number or a text expected")
    task = "/".join(text_of(value, key) for key in ("Category", "Subcategory") if key in value) or None
    points = _Points((str(name),), text_of(value, "Prompt"), task)
    for criterion, text in _WISE.items():
        more = f" Explanation: {meant}" if criterion == "consistency" else ""
        entry = _point(text + more, _GRADES[-1], criterion, _GRADES, question_id=criterion.replace(" ", "-"))
        points.entries.append((None, entry))
    return points


_BY_KEY: Final[Mapping[str, tuple[str, Callable[[Callable[[], Any], int], _Points]]]] = {
    "vqa_list": ("geneval2", _geneval2),
    "yn_question_list": ("tiif", _tiif),
    "Explanation": ("wise", _wise),
    "sub_dims": ("unigenbench", _unigenbench),
    "sub_dims_en": ("unigenbench", _unigenbench),
    "sub_dims_zh": ("unigenbench-zh", _unigenbench),
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
