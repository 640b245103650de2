"""Anyone's ratings as a table: CSV (``.tsv``: tabs), Parquet or JSON, with a rating per row or a column per rater.

Cells stay as they are written: what they mean is said by the scale.

JSON: a list of objects or one object a line, and what Label Studio and Argilla export. Label Studio: the format "JSON" of its
export (1.x; the raw format of annotated tasks): a list of tasks, each with ``data`` and ``annotations``, whose ``result`` holds
an answer for each control (``from_name``). Its JSON-MIN and CSV are plain tables. Argilla: ``dataset.records.to_json()`` of
2.x, where ``responses`` are lists by question; and records as its server and 1.x give them, where ``responses`` is a list by
person. Either becomes a table with a row per person and item: the columns of the item, who answered, and a column per
question.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from data.files import Consistency, InputError, Problems, beginning_of, fail, located, quoted, read_text
from data.json_files import json_entries
from data.tables import TextTable, cell_text, read_cells, read_table, require_columns

COMPLETED_BY: Final = "completed_by"
USER_ID: Final = "user_id"
_KINDS: Final = {"choices": "choices", "rating": "rating", "number": "number", "pairwise": "selected"}
"""The controls of Label Studio that rate a whole item, with the key of their value; others mark regions or hold text."""
_MAX_COLUMNS: Final = 1000
READER: Final = "a few lines of Python turn it into a row per rating: docs/importing.md, A study of your own"
"""What to do with ratings that are no table."""
_UPLOAD: Final = re.compile(r"/data/upload/(?:\d+/)?(?:[0-9a-f]{8}-)?")
_LOCAL: Final = "/data/local-files/?d="


@dataclass(frozen=True, slots=True)
class JsonTable:
    """A table from JSON.

    Attributes:
        rater: the column that says who answered, where the file is a tool's export; else None.
        left_out: by reason how many answers are not in the table.
    """

    table: TextTable
    rater: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _PersonAnswers:
    """One person's answers about one item: what is known of the item, and by question what was said (several where a
    question was answered several times)."""

    line: int
    item: Mapping[str, Any]
    person: Any
    answers: Mapping[str, list[Any]]


def read_json_table(path: Path) -> JsonTable:
    """Read a JSON file as a table; what the file is, its first entry says.

    Raises:
        InputError: it is no such file.
    """
    entries: list[tuple[int, dict[str, Any]]] = []
    text = read_text(path)
    if _is_document(text):
        fail(path, None, f"one JSON object, where a list of objects or one object a line is expected; {READER}")
    for _, line, read in json_entries(path, text):
        if not isinstance(entry := read(), dict):
            fail(path, line, "every entry is an object, with a name for each value")
        entries.append((line, entry))
    if not entries:
        raise InputError(located(path, None, "an empty list; a list of objects is expected"))
    first = entries[0][1]
    left_out: Counter[str] = Counter()
    if "annotations" in first and "data" in first:
        tasks = list(_label_studio(path, entries, left_out))
        return JsonTable(_table_of(path, tasks, COMPLETED_BY), COMPLETED_BY, left_out)
    if "fields" in first and "responses" in first:
        tasks = list(_argilla(path, entries, left_out))
        return JsonTable(_table_of(path, tasks, USER_ID), USER_ID, left_out)
    return JsonTable(_table(path, entries))


def _is_document(text: str) -> bool:
    """Whether a JSON text is one object over several lines."""
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return False
    first, _, more = text.strip().partition("\n")
    try:
        json.loads(first)
        return False
    except RecursionError:
        return False
    except ValueError:
        pass
    try:
        return bool(more) and isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _table(path: Path, entries: Iterable[tuple[int, Mapping[str, Any]]]) -> TextTable:
    """Columns in the order in which their names first occur; what an entry does not have is an empty cell."""
    rows = list(entries)
    header = tuple(dict.fromkeys(name for _, row in rows for name in row))
    if len(header) > _MAX_COLUMNS:
        raise InputError(
            located(path, None, f"its objects have {len(header):,} different fields; a table needs the same in each")
        )
    return TextTable(path, header, tuple((line, tuple(cell_text(row.get(name)) for name in header)) for line, row in rows))


def _table_of(path: Path, answers: list[_PersonAnswers], rater: str) -> TextTable:
    if not answers:
        raise InputError(located(path, None, "an export without answers; there is nothing to import"))
    questions = {name for answer in answers for name in answer.answers}
    rows: list[tuple[int, dict[str, Any]]] = []
    for answer in answers:
        # a question and a field of the item may have one name: the question keeps it
        item = {f"item.{name}" if name in questions or name == rater else name: value for name, value in answer.item.items()}
        answers_by_question = {
            name: values[0] if len(values) == 1 else values for name, values in answer.answers.items() if values
        }
        rows.append((answer.line, {**item, rater: answer.person, **answers_by_question}))
    return _table(path, rows)


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
            left_out["not submitted"] += 1
            continue
        for question, answer in (response.get("values") or {}).items():
            yield response.get("user_id"), question, answer.get("value") if isinstance(answer, dict) else answer


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Which columns say what; of ``item`` at least one, and either ``rater`` and ``value`` or ``raters``.

    Attributes:
        raters: a column per rater, whose header is the rater's name; empty where a row is one rating.
    """

    item: tuple[str, ...]
    rater: str = ""
    value: str = ""
    raters: tuple[str, ...] = ()
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One rater's value for one item, as written.

    Attributes:
        line: counts from 1 (of Parquet: the row).
        item: the item columns joined by ``|``; ``column``: where the value stood.
    """

    line: int
    item: str
    rater: str
    value: str
    column: str
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None


def read_rating_table(path: Path) -> JsonTable:
    """The table in a file, whatever its format: Parquet and JSON are known by how they begin.

    Raises:
        InputError: it is no table.
    """
    start = beginning_of(path)
    if start.startswith((b"{", b"[")):
        return read_json_table(path)
    if start.startswith(b"PAR1"):
        return JsonTable(read_cells(path))
    return JsonTable(read_table(path))


def other_columns(table: TextTable, columns: RatingColumns) -> tuple[str, ...]:
    """The columns that nothing else is said of: the raters of a table with a column per rater."""
    named = {*columns.item, columns.prompt, columns.generator, columns.index, columns.task}
    return tuple(name for name in dict.fromkeys(table.header) if name not in named)


def looks_wide(table: TextTable, columns: RatingColumns, is_value: Callable[[str], bool]) -> list[str]:
    """The texts of the rater column, if all are values of the scale and few items have two of them; else none.

    So looks a table with a column per rater of which one was named as the column of raters.
    """
    require_columns(table, [*columns.item, columns.rater])
    where = [table.header.index(name) for name in columns.item]
    rater = table.header.index(columns.rater)
    raters: dict[tuple[str, ...], set[str]] = {}
    for _, cells in table.records:
        raters.setdefault(tuple(cells[index] for index in where), set()).add(cells[rater].strip())
    named = list(dict.fromkeys(name for names in raters.values() for name in sorted(names)))
    several = sum(len(names) > 1 for names in raters.values())
    return named if named and 2 * several < len(raters) and all(map(is_value, named)) else []


def read_ratings(
    table: TextTable, columns: RatingColumns, is_missing: Callable[[str], bool]
) -> tuple[list[RatingRow], list[str]]:
    """The ratings in the file's order, and the texts that stood where there is none. Repeated ratings are kept.

    Raises:
        InputError: a column is missing, a rating has no item or rater, or an item is described in two ways; nothing is read.
    """
    described_by = (columns.prompt, columns.generator, columns.index, columns.task)
    own = columns.raters or (columns.rater, columns.value)
    require_columns(table, list(dict.fromkeys([*columns.item, *own, *(name for name in described_by if name is not None)])))
    if not table.records:
        raise InputError(located(table.path, None, "a header, but no ratings"))
    problems = Problems(table.path)
    same, firsts = Consistency(), dict[str, tuple[int, tuple[str, ...]]]()
    rows: list[RatingRow] = []
    missing: list[str] = []
    # the column of the rater (None: its name is the rater's) and of the value, of each rating in a row
    rating_columns: list[tuple[str | None, str]] = [(None, name) for name in columns.raters]
    rating_columns = rating_columns or [(columns.rater, columns.value)]
    for line, cells in table.rows():
        for rater_column, value_column in rating_columns:
            value = cells[value_column].strip()
            if is_missing(value):
                missing.append(value)
                continue
            with problems.at(line):
                parts = tuple(_filled(cells, name) for name in columns.item)
                item = "|".join(parts)
                first, others = firsts.setdefault(item, (line, parts))
                if parts != others:
                    problem = f"two items have the name {quoted(item)} (the other on line {first})"
                    raise ValueError(f"{problem}; avoid '|' in the item columns")
                described = [(cells[name] or None) if name is not None else None for name in described_by]
                same.check(line, "item", item, {name: cells[name] or None for name in described_by if name is not None})
                rater = value_column if rater_column is None else _filled(cells, rater_column)
                rows.append(RatingRow(line, item, rater, value, value_column, *described))
    problems.check()
    return rows, missing


def _filled(cells: dict[str, str], column: str) -> str:
    if not cells[column].strip():
        raise ValueError(f"column {quoted(column)} is empty; every rating needs its item and its rater")
    return cells[column]
