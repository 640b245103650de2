"""Library: prompts, the questions about each prompt in versions, what items are about, and tables of co-occurring objects.

Questions: what is asked now, and what was asked when somebody answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from data.formats.cooccurrence import Cooccurrence
from data.prompts.questions import PromptQuestion
from data.records import Prompt
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store

_PROMPT_COLUMNS = "prompt_id, suite, text, task, spec"


def prompts_by_id(store: Store, prompt_ids: Sequence[str]) -> dict[str, Prompt]:
    """Those of these prompts that the project has."""
    records = store.query(
        f"select {_PROMPT_COLUMNS} from prompts where prompt_id in (select unnest(?::varchar[]))",
        [list(prompt_ids)],
    )
    return {row["prompt_id"]: Prompt(**rows.decoded(row, "spec")) for row in records}


def prompts_of_suite(store: Store, suite: str | None) -> list[Prompt]:
    """All prompts of a suite (None: of all suites), by id."""
    records = store.query(
        f"select {_PROMPT_COLUMNS} from prompts where ?::varchar is null or suite = ? order by prompt_id",
        [suite, suite],
    )
    return [Prompt(**rows.decoded(row, "spec")) for row in records]


ANSWERED_BY: Final = "tifa_vqa"
"""The questionnaire whose answers are about these questions."""

_QUESTION: Final = ("question_id", "text", "choices", "answer", "element_type", "element", "parents")
_LISTS: Final = ("choices", "parents")
_QUESTION_COLUMNS: Final = ("prompt_id", "version", "position", *_QUESTION, "import_id")


@dataclass(frozen=True, slots=True)
class QuestionVersion:
    """All that is asked about a prompt in one version, in order. Version 0 has no questions."""

    number: int = 0
    questions: tuple[PromptQuestion, ...] = ()


def current_questions(store: Store, prompt_ids: Sequence[str]) -> dict[str, QuestionVersion]:
    """What is asked now about those of these prompts that have questions."""
    with store.read() as cursor:
        return newest_questions(cursor, prompt_ids)


def current_questions_of_items(store: Store, item_ids: Sequence[str]) -> dict[str, QuestionVersion]:
    """What is asked now about each of these items whose prompt has questions."""
    with store.read() as cursor:
        prompts = rows.existing(cursor, "items", "item_id", ["prompt_id"], list(item_ids))
        versions = newest_questions(cursor, sorted({str(row["prompt_id"]) for row in prompts.values()}))
    return {item_id: versions[row["prompt_id"]] for item_id, row in prompts.items() if row["prompt_id"] in versions}


def count_outdated_answers(store: Store, rater_id: str) -> int:
    """Of how many images this scorer has answered another version of the prompt's questions than is asked now."""
    return int(
        store.query_value(
            "select count(*) from evidence e join items t using (item_id) join (select prompt_id, max(version) as version"
            " from questions group by prompt_id) q using (prompt_id) where e.rater_id = ? and e.failed is null"
            " and (e.payload ->> 'version')::integer <> q.version",
            [rater_id],
        )
    )


def questions_at(store: Store, prompt_id: str, version: int) -> QuestionVersion:
    """What was asked about a prompt in this version.

    Raises:
        KeyError: there is no such version.
    """
    records = store.query(
        f"select {', '.join(_QUESTION_COLUMNS)} from questions where prompt_id = ? and version = ? order by position",
        [prompt_id, version],
    )
    if not records and version != 0:
        raise KeyError(f"{prompt_id} has no version {version} of its questions")
    return QuestionVersion(version, tuple(_question(row) for row in records))


def newest_questions(cursor: Connection, prompt_ids: Sequence[str]) -> dict[str, QuestionVersion]:
    """As ``of``, on a connection of the store's own."""
    records = rows.dicts(
        cursor,
        f"select {', '.join(_QUESTION_COLUMNS)} from questions where prompt_id in (select unnest(?::varchar[]))"
        " qualify version = max(version) over (partition by prompt_id) order by prompt_id, position",
        [list(prompt_ids)],
    )
    by_prompt: dict[str, list[PromptQuestion]] = {}
    numbers: dict[str, int] = {}
    for row in records:
        by_prompt.setdefault(row["prompt_id"], []).append(_question(row))
        numbers[row["prompt_id"]] = row["version"]
    return {prompt_id: QuestionVersion(numbers[prompt_id], tuple(questions)) for prompt_id, questions in by_prompt.items()}


def all_questions(cursor: Connection) -> dict[tuple[str, int], tuple[PromptQuestion, ...]]:
    """All questions of all prompts, by prompt and version."""
    by_version: dict[tuple[str, int], list[PromptQuestion]] = {}
    for row in rows.dicts(
        cursor, f"select {', '.join(_QUESTION_COLUMNS)} from questions order by prompt_id, version, position"
    ):
        by_version.setdefault((row["prompt_id"], row["version"]), []).append(_question(row))
    return {key: tuple(questions) for key, questions in by_version.items()}


def insert_questions(connection: Connection, by_prompt: Mapping[str, Sequence[PromptQuestion]], import_id: int) -> int:
    """A new version of each prompt's questions where they are not the very same already; returns how many questions."""
    if not by_prompt:
        return 0
    before = newest_questions(connection, list(by_prompt))
    new: list[tuple[object, ...]] = []
    for prompt_id, questions in by_prompt.items():
        now = before.get(prompt_id, QuestionVersion())
        if tuple(questions) == now.questions:
            continue
        new.extend(_rows(prompt_id, now.number + 1, questions, import_id))
    rows.insert(connection, "questions", _QUESTION_COLUMNS, new)
    return len(new)


def insert_question_versions(
    connection: Connection, by_version: Mapping[tuple[str, int], Sequence[PromptQuestion]], import_id: int
) -> tuple[dict[tuple[str, int], int], int]:
    """Questions asked elsewhere, by prompt and version: the version that each is here, and how many questions are new.

    A version keeps its number where that is free or the very same; else it is the same one of another number, or a new one.
    """
    records = rows.dicts(
        connection,
        f"select {', '.join(_QUESTION_COLUMNS)} from questions where prompt_id in (select unnest(?::varchar[]))"
        " order by prompt_id, version, position",
        [sorted({prompt_id for prompt_id, _ in by_version})],
    )
    here: dict[str, dict[int, tuple[PromptQuestion, ...]]] = {}
    for row in records:
        versions = here.setdefault(row["prompt_id"], {})
        versions[row["version"]] = (*versions.get(row["version"], ()), _question(row))
    became: dict[tuple[str, int], int] = {}
    new: list[tuple[object, ...]] = []
    for (prompt_id, version), questions in sorted(by_version.items(), key=lambda pair: pair[0]):
        known = here.setdefault(prompt_id, {})
        same = [number for number, those in known.items() if those == tuple(questions)]
        number = version if version in same or version not in known else (same or [max(known) + 1])[-1]
        became[prompt_id, version] = number
        if number not in known:
            known[number] = tuple(questions)
            new.extend(_rows(prompt_id, number, questions, import_id))
    rows.insert(connection, "questions", _QUESTION_COLUMNS, new)
    return became, len(new)


def answers_since_import(connection: Connection, import_id: int) -> str | None:
    """How many people have answered since this import about prompts whose questions it brought; None: nobody."""
    record = rows.first(
        connection,
        "select count(*) as n, count(distinct a.rater_id) as people from annotations a join items t using (item_id)"
        " where a.questionnaire = ? and a.import_id is null"
        " and t.prompt_id in (select prompt_id from questions where import_id = ?)"
        " and a.submitted >= (select created from imports where import_id = ?)",
        [ANSWERED_BY, import_id, import_id],
    )
    return f"{record['people']} people have given {record['n']} answers to" if record and record["n"] else None


def _rows(prompt_id: str, version: int, questions: Sequence[PromptQuestion], import_id: int) -> Iterator[tuple[object, ...]]:
    for position, question in enumerate(questions):
        values = (
            question.question_id,
            question.text,
            rows.to_json(question.choices),
            question.answer,
            question.element_type,
            question.element,
        )
        yield (prompt_id, version, position, *values, rows.to_json(question.parents), import_id)


def _question(row: Mapping[str, object]) -> PromptQuestion:
    decoded = rows.decoded(row, *_LISTS)
    return PromptQuestion(**{name: decoded[name] for name in _QUESTION} | {name: tuple(decoded[name]) for name in _LISTS})


@dataclass(frozen=True, slots=True)
class ItemSubject:
    """One item.

    Attributes:
        kind: ``image``, ``group`` or ``pair``.
        text, spec: the prompt's; an empty text and ``{}`` where it is unknown.
        generators, pictures: of each image, in the item's order; a picture is the hash of its file, None without one.
        questions: the prompt's, in their newest version.
    """

    item_id: str
    kind: str
    suite: str
    text: str
    spec: Mapping[str, Any]
    generators: tuple[str, ...]
    pictures: tuple[str | None, ...]
    questions: tuple[PromptQuestion, ...] = ()


def item_subjects(store: Store, item_ids: Sequence[str]) -> dict[str, ItemSubject]:
    """Those of these items that the project has, by id."""
    with store.read() as cursor:
        records = rows.dicts(cursor, _SUBJECTS, [list(item_ids)])
        questions = newest_questions(cursor, sorted({row["prompt_id"] for row in records if row["prompt_id"]}))
    return {
        row["item_id"]: ItemSubject(
            item_id=row["item_id"],
            kind=row["kind"],
            suite=row["suite"],
            text=row["text"] or "",
            spec=rows.from_json(row["spec"]) or {},
            generators=tuple(name or "" for name in row["generators"]),
            pictures=tuple(row["pictures"]),
            questions=questions.get(row["prompt_id"], QuestionVersion()).questions,
        )
        for row in records
    }


_SUBJECTS = """
with shown as (
    select t.item_id, t.item_id as image_id, 0 as position from items t where t.kind = 'image'
    union all select m.item_id, m.image_id, m.position from item_members m join items t using (item_id) where t.kind <> 'image'
)
select t.item_id, t.kind, t.suite, t.prompt_id, any_value(p.text) as text, any_value(p.spec) as spec,
    list(coalesce(i.generator, t.generator) order by s.position) as generators,
    list(i.sha256 order by s.position) as pictures
from items t join shown s using (item_id) left join images i on i.image_id = s.image_id
left join prompts p on p.prompt_id = t.prompt_id
where t.item_id in (select unnest(?::varchar[])) group by all order by t.item_id
"""


_TABLES = ("cooccurrence", "cooccurrence_files")


def latest_cooccurrence(store: Store) -> Cooccurrence | None:
    """The one that was imported last; None if there is none."""
    record = store.query_first("select max(import_id) as import_id from cooccurrence_files")
    return _loaded(store, record["import_id"]) if record and record["import_id"] is not None else None


def cooccurrence_names(store: Store) -> list[str]:
    """What there is, the latest first."""
    return [row["name"] for row in store.query("select name from cooccurrence_files order by import_id desc")]


def insert_cooccurrence(connection: Connection, cooccurrence: Cooccurrence, import_id: int) -> int:
    """Write one; returns how many rows."""
    rows.insert(
        connection, "cooccurrence_files", ("import_id", "name", "images"), [(import_id, cooccurrence.name, cooccurrence.images)]
    )
    pairs = [(import_id, a, b, images) for (a, b), images in cooccurrence.together.items()]
    rows.insert(connection, "cooccurrence", ("import_id", "a", "b", "images"), pairs)
    return len(pairs)


def delete_cooccurrence(connection: Connection, import_id: int) -> int:
    """Take one back; returns how many rows."""
    counts = [int(rows.value(connection, f"delete from {table} where import_id = ?", [import_id])) for table in _TABLES]
    return counts[0]


# an import's number is never given to another
@lru_cache(maxsize=4)
def _loaded(store: Store, import_id: int) -> Cooccurrence:
    with store.read() as cursor:
        file = rows.first(cursor, "select name, images from cooccurrence_files where import_id = ?", [import_id])
        records = rows.dicts(cursor, "select a, b, images from cooccurrence where import_id = ?", [import_id])
    assert file is not None
    return Cooccurrence(file["name"], file["images"], {(row["a"], row["b"]): row["images"] for row in records})
