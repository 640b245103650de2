"""Exports of tools with which people rate, as tables: a row per person and item, a column per question.

Label Studio: the format "JSON" of its export (1.x; the raw format of annotated tasks): a list of tasks, each with ``data`` and
``annotations``, whose ``result`` holds an answer for each control (``from_name``). Its JSON-MIN and CSV are plain tables.

Argilla: ``dataset.records.to_json()`` of 2.x, where ``responses`` are lists by question; records as its server and 1.x give
them, where ``responses`` is a list by person; and flattened, as ``to_datasets`` and the Hub have them: ``Q.responses``,
``Q.responses.users`` and ``Q.responses.status`` (2.x), or a list of answers under each question's name (1.x).

Mechanical Turk, Toloka, Appen and Qualtrics write a row per assignment, of which some do not count: rejected ones, and
previews.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from data.files import InputError, fail, located, quoted
from data.tables import TextTable, cell_text

COMPLETED_BY: Final = "completed_by"
USER_ID: Final = "user_id"
_KINDS: Final = {"choices": "choices", "rating": "rating", "number": "number", "pairwise": "selected"}
"""The controls of Label Studio that rate a whole item, with the key of their value; others mark regions or hold text."""
_UPLOAD: Final = re.compile(r"/data/upload/(?:\d+/)?(?:[0-9a-f]{8}-)?")
_LOCAL: Final = "/data/local-files/?d="
NOT_SUBMITTED: Final = "not submitted"
Entry = tuple[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolExport:
    """What a tool exported: rows by their lines, the column that says who answered, and by reason what is left out."""

    rows: Sequence[Entry]
    rater: str
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _PersonAnswers:
    """One person's answers about one item: what is known of the item, and by question what was said (several where a
    question was answered several times)."""

    line: int
    item: Mapping[str, Any]
    person: Any
    answers: Mapping[str, list[Any]]


def read_tool_export(path: Path, entries: Sequence[Entry]) -> ToolExport | None:
    """Return the answers in the entries of a JSON file (or rows of lists); None if they are no tool's.

    Raises:
        InputError: it is an export with something else in it.
    """
    first = entries[0][1]
    left_out: Counter[str] = Counter()
    if "annotations" in first and "data" in first:
        return _export_of(path, list(_label_studio(path, entries, left_out)), COMPLETED_BY, left_out)
    if "fields" in first and "responses" in first:
        return _export_of(path, list(_argilla(path, entries, left_out)), USER_ID, left_out)
    if questions := _flat_questions(entries):
        return _export_of(path, list(_argilla_flat(path, entries, questions, left_out)), USER_ID, left_out)
    return None


def _export_of(path: Path, answers: list[_PersonAnswers], rater: str, left_out: Mapping[str, int]) -> ToolExport:
    if not answers:
        raise InputError(located(path, None, "an export without answers; there is nothing to import"))
    questions = {name for answer in answers for name in answer.answers}
    rows: list[Entry] = []
    for answer in answers:
        # a question and a field of the item may have one name: the question keeps it
        item = {f"item.{name}" if name in questions or name == rater else name: value for name, value in answer.item.items()}
        answers_by_question = {
            name: values[0] if len(values) == 1 else values for name, values in answer.answers.items() if values
        }
        rows.append((answer.line, {**item, rater: answer.person, **answers_by_question}))
    return ToolExport(rows, rater, left_out)


def _label_studio(
    path: Path, entries: Iterable[tuple[int, Mapping[str, Any]]], left_out: Counter[str]
) -> Iterator[_PersonAnswers]:
    for line, task in entries:
        data, annotations = task.get("data"), task.get("annotations")
        if not (isinstance(data, dict) and isinstance(annotations, list)):
            fail(path, line, "a task of Label Studio has 'data' and a list of 'annotations'")
        item = {name: _file_of(value) for name, value in data.items()}
        for annotation in annotations:
            results = annotation.get("result") if isinstance(annotation, dict) else None
            if not isinstance(results, list):
                fail(path, line, "an annotation of Label Studio has a list 'result'")
            if annotation.get("was_cancelled"):
                left_out["skipped by the annotator"] += 1
                continue
            answers: dict[str, list[Any]] = {}
            for result in results:
                kind = _KINDS.get(str(result.get("type"))) if isinstance(result, dict) else None
                if kind is not None and isinstance(result.get("value"), dict):
                    answer = result["value"].get(kind)
                    answers.setdefault(str(result.get("from_name")), []).extend(
                        answer if isinstance(answer, list) else [answer]
                    )
            person = annotation.get("completed_by")
            if isinstance(person, dict):
                person = person.get("email") or person.get("id")
            yield _PersonAnswers(line, item, person, answers)


def _file_of(value: Any) -> Any:
    """A file as it was called before it came into Label Studio, which puts its own address before it."""
    if not isinstance(value, str):
        return value
    if value.startswith(_LOCAL):
        return unquote(value.removeprefix(_LOCAL))
    return unquote(value[match.end() :]) if (match := _UPLOAD.match(value)) else value


def _argilla(path: Path, entries: Iterable[tuple[int, Mapping[str, Any]]], left_out: Counter[str]) -> Iterator[_PersonAnswers]:
    for line, record in entries:
        fields, metadata, responses = record.get("fields"), record.get("metadata"), record.get("responses")
        if not (isinstance(fields, dict) and isinstance(responses, dict | list | None)):
            fail(path, line, "a record of Argilla has 'fields' and 'responses'")
        item = {"id": record.get("id"), **(metadata if isinstance(metadata, dict) else {}), **fields}
        by_person: dict[str, tuple[Any, dict[str, list[Any]]]] = {}
        for person, question, value in _responses(path, line, responses or {}, left_out):
            answers = by_person.setdefault(json.dumps(person), (person, {}))[1]
            answers.setdefault(question, []).extend(value if isinstance(value, list) else [value])
        for person, answers in by_person.values():
            yield _PersonAnswers(line, item, person, answers)


def _responses(
    path: Path, line: int, responses: Mapping[str, Any] | list[Any], left_out: Counter[str]
) -> Iterator[tuple[Any, str, Any]]:
    """Who answered which question with what; drafts and discarded answers are left out where the file tells them apart."""
    if isinstance(responses, dict):
        for question, answers in responses.items():
            for answer in answers if isinstance(answers, list) else [answers]:
                if not isinstance(answer, dict) or "value" not in answer:
                    fail(path, line, "a response of Argilla has a 'value' and a 'user_id'")
                yield answer.get("user_id"), question, answer["value"]
        return
    for response in responses:
        if not isinstance(response, dict) or not isinstance(response.get("values"), dict | None):
            fail(path, line, "a response of Argilla has 'values' by question")
        if response.get("status", "submitted") != "submitted":
            left_out[NOT_SUBMITTED] += 1
            continue
        for question, answer in (response.get("values") or {}).items():
            yield response.get("user_id"), question, answer.get("value") if isinstance(answer, dict) else answer


_RESPONSES: Final = ".responses"


def _flat_questions(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the column of the answers of each question of a flattened export of Argilla."""
    columns = dict.fromkeys(name for _, entry in entries for name in entry)
    flat = {name.removesuffix(_RESPONSES): name for name in columns if f"{name}.users" in columns and name.endswith(_RESPONSES)}
    return flat or {name: name for name in columns if any(_are_answers(entry.get(name)) for _, entry in entries)}


def _are_answers(value: Any) -> bool:
    """Return True if a value is a question's answers as the Hub has them: objects, or lists by their keys."""
    if isinstance(value, dict):
        return {"user_id", "value"} <= {*value} and all(isinstance(part, list) for part in value.values())
    return isinstance(value, list) and bool(value) and all(isinstance(a, dict) and {"user_id", "value"} <= {*a} for a in value)


def _argilla_flat(
    path: Path, entries: Sequence[Entry], questions: Mapping[str, str], left_out: Counter[str]
) -> Iterator[_PersonAnswers]:
    own = (*questions, *(f"{name}{_RESPONSES}" for name in questions))
    for line, entry in entries:
        item = {name: value for name, value in entry.items() if name not in own and not _is_part_of(name, questions)}
        by_person: dict[str, tuple[Any, dict[str, list[Any]]]] = {}
        pending: set[str] = set()
        for question, column in questions.items():
            for person, value, status in _flat_answers(path, line, column, entry):
                if status not in (None, "submitted"):
                    pending.add(json.dumps(person))
                elif value is not None:
                    answers = by_person.setdefault(json.dumps(person), (person, {}))[1]
                    answers.setdefault(question, []).extend(value if isinstance(value, list) else [value])
        if away := len(pending - by_person.keys()):
            left_out[NOT_SUBMITTED] += away
        for person, answers in by_person.values():
            yield _PersonAnswers(line, item, person, answers)


def _is_part_of(name: str, questions: Mapping[str, str]) -> bool:
    return any(
        name.startswith((f"{question}{_RESPONSES}", f"{question}.suggestion", f"{question}-suggestion"))
        for question in questions
    )


def _flat_answers(path: Path, line: int, column: str, entry: Mapping[str, Any]) -> list[tuple[Any, Any, Any]]:
    """Return (person, value, status) of each answer to a question."""
    value = entry.get(column)
    if not value:
        return []
    if column.endswith(_RESPONSES):
        value = {"value": value, "user_id": entry.get(f"{column}.users"), "status": entry.get(f"{column}.status")}
    if isinstance(value, dict):
        values, people, statuses = (value.get(key) for key in ("value", "user_id", "status"))
        n = len(values) if isinstance(values, list) else -1
        if statuses is None and isinstance(values, list):
            statuses = [None] * n
        lists = [part for part in (people, values, statuses) if isinstance(part, list) and len(part) == n]
        if len(lists) < 3:
            fail(path, line, f"{quoted(column)} has not as many users as answers; is the file whole?")
        return list(zip(*lists, strict=True))
    if not _are_answers(value):
        fail(path, line, f"{quoted(column)} holds no answers with a 'user_id' and a 'value'")
    return [(answer["user_id"], answer["value"], answer.get("status")) for answer in value]


_NOT_COUNTED: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "AssignmentStatus": (frozenset({"rejected"}), "rejected"),
    "ASSIGNMENT:status": (frozenset({"rejected", "skipped", "expired"}), "rejected"),
    "_tainted": (frozenset({"true", "1"}), "tainted"),
    "Status": (frozenset({"survey preview", "survey test", "1", "2", "spam", "8"}), "preview or spam"),
}
"""The column of an assignment's status: what does not count, and the reason in words. ``Status`` is Qualtrics' own."""
_QUALTRICS: Final = {"ResponseId", "Finished", "Status"}
_TASK_ANSWERS: Final = "Answer.taskAnswers"
_TICKED: Final = {"true": True, "on": True, "1": True, "false": False, "0": False, "": False}


def counted_assignments(table: TextTable) -> tuple[TextTable, dict[str, int]]:
    """Return a crowd platform's table without the assignments that do not count, and by reason how many these are."""
    for column, (words, reason) in _NOT_COUNTED.items():
        if table.header.count(column) != 1 or (column == "Status" and not {*table.header} >= _QUALTRICS):
            continue
        where = table.header.index(column)
        left = [record for record in table.records if record[1][where].strip().casefold() not in words]
        if n := len(table.records) - len(left):
            return replace(table, records=left), {reason: n}
    return table, {}


def with_task_answers(table: TextTable) -> TextTable:
    """Return Mechanical Turk's table with a column for each question of ``Answer.taskAnswers``.

    Raises:
        InputError: a cell of it is no JSON.
    """
    if table.header.count(_TASK_ANSWERS) != 1:
        return table
    where = table.header.index(_TASK_ANSWERS)
    answers: list[dict[str, Any]] = []
    for line, cells in table.records:
        try:
            read = json.loads(cells[where] or "{}")
        except (ValueError, RecursionError):
            fail(table.path, line, f"{_TASK_ANSWERS} is {quoted(cells[where])}, JSON expected")
        parts = read if isinstance(read, list) else [read]
        objects = [part for part in parts if isinstance(part, dict)]
        answers.append({name: _ticked(value) for part in objects for name, value in part.items()})
    names = [name for name in dict.fromkeys(name for each in answers for name in each) if name not in table.header]
    records = [
        (line, (*cells, *(cell_text(each.get(name)) for name in names)))
        for (line, cells), each in zip(table.records, answers, strict=True)
    ]
    return replace(table, header=(*table.header, *names), records=records)


def _ticked(value: Any) -> Any:
    """Return the option that is ticked where the options are said with true and false, several as a list."""
    if isinstance(value, dict) and value and all(isinstance(ticked, bool) for ticked in value.values()):
        options = [option for option, ticked in value.items() if ticked]
        return options[0] if len(options) == 1 else options or None
    return value


def with_options_gathered(table: TextTable, column: str) -> TextTable:
    """Return the table with ``column`` made of those of its options (``column.good``, ``column/good``: true or false)."""
    if column in table.header:
        return table
    for sign in (".", "/"):
        where = {n: name.removeprefix(column + sign) for n, name in enumerate(table.header) if name.startswith(column + sign)}
        if len(where) < 2 or not all(cells[n].strip().casefold() in _TICKED for _, cells in table.records for n in where):
            continue
        records: list[tuple[int, Sequence[str]]] = []
        for line, cells in table.records:
            options = [option for n, option in where.items() if _TICKED[cells[n].strip().casefold()]]
            filled = any(cells[n].strip() for n in where)
            value = options[0] if len(options) == 1 else json.dumps(options, ensure_ascii=False) if filled else ""
            records.append((line, (*cells, value)))
        return replace(table, header=(*table.header, column), records=records)
    return table
