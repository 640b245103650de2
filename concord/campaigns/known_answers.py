"""Items with known answers: gold, attention checks and training, from a JSON or CSV text, checked as an answer would be.

A questionnaire asks about items of the project, and about items that could be made of its images.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from annotation.questionnaires.base import TICKED, Question, Questionnaire, problem, visible
from annotation.questionnaires.form import Form, FormItem, ItemKind
from data.aspects import CANNOT_TELL, YES
from data.campaigns.items import CampaignItem
from data.campaigns.settings import ROLES
from data.files import InputError, quoted
from data.json_files import unreadable
from data.store.campaigns.management import Composed
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects


def subjects_of_composed(store: Store, made: Sequence[Composed], kind: str) -> dict[str, ItemSubject]:
    """Items that could be made of images."""
    images = item_subjects(store, sorted({image for composed in made for image in composed.images}))
    return {
        composed.item_id: _composed(composed.item_id, kind, [images[image] for image in composed.images]) for composed in made
    }


def _composed(item_id: str, kind: str, images: Sequence[ItemSubject]) -> ItemSubject:
    generators = tuple(name for image in images for name in image.generators)
    pictures = tuple(picture for image in images for picture in image.pictures)
    return replace(images[0], item_id=item_id, kind=kind, generators=generators, pictures=pictures)


def subject_of(subject: ItemSubject) -> FormItem:
    """What is asked about one item."""
    return FormItem(
        text=subject.text,
        spec=subject.spec,
        n_images=len(subject.pictures),
        questions=subject.questions,
        generators=subject.generators,
    )


_ROLES: Final = tuple(role for role in ROLES if role != "ordinary")
_SIDES: Final = ("left", "right")
_MOST: Final = 20
_ORIGIN: Final = "the known answers"
EXAMPLE: Final = """item,role,count_0,caption_fit
geneval/00000/sdv2/0,gold,2,4
geneval/00001/sdv2/0,training,"{""any"": [1, 2]}",
"""
"""A file as it may be: a question left empty is not checked."""


_KEYS: Final = ("item", "role", "expected")
"""The keys of an entry of a JSON file."""
_ANY: Final = "any"


@dataclass(frozen=True, slots=True)
class KnownAnswerRow:
    """A line of the file, before it is checked; in CSV the answers are still texts."""

    where: str
    item_id: str
    role: str
    expected: Mapping[str, Any]
    texts: bool


def read_known_answers(text: str) -> list[KnownAnswerRow]:
    """The lines of a JSON list of objects ``{"item", "role", "expected": {question: answer}}``, or of a CSV table with the
    columns ``item,role`` and one for each question.

    Raises:
        InputError: it is neither.
    """
    if not text.strip():
        return []
    answer_rows = _json(text) if text.lstrip()[:1] in "[{" else _csv(text)
    if not answer_rows:
        raise InputError(f"{_ORIGIN}: there is no line in the file")
    return answer_rows


def _json(text: str) -> list[KnownAnswerRow]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{_ORIGIN}: no JSON: {unreadable(error)}") from None
    if not isinstance(value, list):
        raise InputError(f"{_ORIGIN}: a list of objects with item, role and expected is needed")
    made, problems = [], []
    for n, entry in enumerate(value, 1):
        where = f"{_ORIGIN}, entry {n}"
        if not isinstance(entry, dict) or set(entry) != set(_KEYS):
            problems.append(f"{where}: an object with item, role and expected is needed, got {quoted(entry)}")
            continue
        item, role, expected = (entry[key] for key in _KEYS)
        if not isinstance(item, str) or not isinstance(expected, dict):
            problems.append(f"{where}: item must be a text and expected an object of answers by question")
        else:
            made.append(KnownAnswerRow(where, item, str(role), expected, texts=False))
    _raise(problems)
    return made


def _csv(text: str) -> list[KnownAnswerRow]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, restkey="\0more")
    try:
        names = list(reader.fieldnames or [])
    except csv.Error as error:
        raise InputError(f"{_ORIGIN}, line 1: {error}") from None
    if not {"item", "role"} <= set(names) or len(names) < 3 or len(set(names)) < len(names):
        raise InputError(f"{_ORIGIN}: the first line must be item,role and then the ids of questions, got {quoted(names)}")
    made, problems = [], []
    try:
        for row in reader:
            where = f"{_ORIGIN}, line {reader.line_num}"
            if "\0more" in row or None in row.values():
                problems.append(f"{where}: {len(names)} columns expected, as in the first line")
                continue
            item, role = row.pop("item"), row.pop("role")
            cells = {name: cell for name, cell in row.items() if cell.strip()}
            made.append(KnownAnswerRow(where, item, role, cells, texts=True))
    except csv.Error as error:
        problems.append(f"{_ORIGIN}, line {reader.line_num}: {error}")
    _raise(problems)
    return made


def check_known_answers(form: Form, rows: list[KnownAnswerRow], asking: Mapping[str, ItemSubject]) -> list[CampaignItem]:
    """The campaign's items with known answers.

    Raises:
        InputError: every line that cannot be, each with the reason.
    """
    problems: list[str] = []
    made: list[CampaignItem] = []
    seen: set[str] = set()
    for row in rows:
        try:
            made.append(_checked_row(form, row, asking.get(row.item_id)))
            if row.item_id in seen:
                raise ValueError(f"item {row.item_id!r} is listed twice")
            seen.add(row.item_id)
        except ValueError as error:
            problems.append(f"{row.where}: {error}")
    _raise(problems)
    return made


def _raise(problems: list[str]) -> None:
    if len(problems) > _MOST:
        problems = [*problems[:_MOST], f"and {len(problems) - _MOST} more"]
    if problems:
        raise InputError(*problems)


def _checked_row(form: Form, row: KnownAnswerRow, subject: ItemSubject | None) -> CampaignItem:
    if row.role not in _ROLES:
        raise ValueError(f"role is one of {', '.join(_ROLES)}, got {quoted(row.role)}")
    if subject is None:
        raise ValueError(f"there is no item {quoted(row.item_id)} in this project")
    item = subject_of(subject)
    unfit = form.problem(item)
    if unfit is not None:
        raise ValueError(f"'{form.name}' cannot ask about {row.item_id!r}: {unfit}")
    questionnaire = form.build(item)
    expected = {name: _answer(questionnaire, form.item_kind, name, value, row) for name, value in row.expected.items()}
    if not expected:
        raise ValueError(f"no answer is given for {row.item_id!r}")
    _check_questions_visible(questionnaire, expected)
    # a role that is none was refused above
    return CampaignItem(row.item_id, row.role, "selected", expected)


def _answer(questionnaire: Questionnaire, kind: ItemKind, name: str, value: Any, row: KnownAnswerRow) -> Any:
    """The expected answer to one question, as an answer would be stored."""
    blanks = {blank.id for blank in questionnaire.blanks}
    if name in blanks:
        if value != YES:
            raise ValueError(f"{name}: write {YES!r} for a blank image, got {quoted(value)}")
        return YES
    question = next((question for question in questionnaire.questions if question.id == name), None)
    if question is None:
        known = ", ".join([*(question.id for question in questionnaire.questions if question.kind != "text"), *sorted(blanks)])
        raise ValueError(f"'{questionnaire.name}' has no question {quoted(name)} about this item; it has {known}")
    if question.kind == "text":
        raise ValueError(f"{name}: free text has no single correct answer; leave it out")
    read = _of_text(question, value) if row.texts else value
    alternatives = [read]
    if isinstance(read, dict):
        alternatives = read[_ANY] if set(read) == {_ANY} else []
        if not isinstance(alternatives, list) or not alternatives:
            raise ValueError(f'{name}: several right answers are written {{"any": [...]}}, got {quoted(value)}')
    for alternative in alternatives:
        # the two images of a pair stand left or right by chance, so no answer about a side is right for everybody
        sided = (
            "Which image stands on which side differs from person to person."
            if kind == "pair" and (question.member is not None or alternative in _SIDES)
            else None
        )
        wrong = sided or problem(question, alternative)
        if wrong is not None:
            raise ValueError(f"{name}: {quoted(alternative)} cannot be an expected answer. {wrong}")
    return read


def _check_questions_visible(questionnaire: Questionnaire, expected: Mapping[str, Any]) -> None:
    """Whoever answers as expected must be asked: a count of 0 goes with no colour."""
    single = {name: value for name, value in expected.items() if not isinstance(value, dict)}
    # any text will do where one is needed
    answers = {question.id: "-" for question in questionnaire.questions if question.kind == "text"} | single
    shown = set(visible(questionnaire, answers))
    behind: dict[str, set[str]] = {}
    for question in questionnaire.questions:
        direct = {condition.question for condition in question.shown_if}
        behind[question.id] = direct.union(*(behind[name] for name in direct))
        decided = question.id in expected and behind[question.id] <= set(answers)
        if decided and question.id not in shown:
            needed = ", ".join(sorted(behind[question.id] & set(single)))
            raise ValueError(f"{question.id} is not shown to people who give the expected answers to {needed}")


def _of_text(question: Question, text: Any) -> Any:
    """A cell's text as an answer; what cannot be read stays a text, which the check then names."""
    cell = str(text).strip()
    if cell[:1] in ("{", "["):
        try:
            return json.loads(cell)
        except ValueError as error:
            raise ValueError(f"{question.id}: {quoted(cell)} is no JSON") from error
    if cell == CANNOT_TELL:
        return cell
    if question.kind in TICKED:
        return [_option(question, part.strip()) for part in cell.split("|") if part.strip()]
    if question.kind == "number":
        return _number(cell)
    return _option(question, cell)


def _option(question: Question, cell: str) -> Any:
    return next((option.value for option in question.options if str(option.value) == cell), cell)


def _number(cell: str) -> Any:
    readers: tuple[Callable[[str], Any], ...] = (int, float)
    for read in readers:
        try:
            return read(cell)
        except ValueError:
            continue
    return cell
