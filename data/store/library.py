"""Library: prompts, the questions about each prompt in versions, what items are about, and tables of co-occurring objects.

Questions: what is asked now, and what was asked when somebody answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from data.formats.cooccurrence import Cooccurrence
from data.prompts.questions import PromptQuestion
from data.records import Prompt
from data.store.core import connections, rows
from data.store.core.connections import Connection
from data.store.core.store import Store


def prompts_by_id(store: Store, prompt_ids: Sequence[str]) -> dict[str, Prompt]:
    """Those of these prompts that the project has."""
    prompts = prompts_where(store, "prompt_id in (select unnest(?::varchar[]))", [list(prompt_ids)])
    return {prompt.prompt_id: prompt for prompt in prompts}


def prompts_of_suite(store: Store, suite: str | None) -> list[Prompt]:
    """All prompts of a suite (None: of all suites), by id."""
    return prompts_where(store, "?::varchar is null or suite = ?", [suite, suite])


def suites(store: Store) -> list[str]:
    """Return the suites that have prompts or items, by name."""
    return store.query_column("select suite from prompts union select suite from items order by suite")


def prompts_where(store: Store, condition: str, parameters: Sequence[Any]) -> list[Prompt]:
    """The prompts of which a condition on their table holds, by id."""
    query = f"select prompt_id, suite, text, task, spec from prompts where {condition} order by prompt_id"
    return store.query_records(Prompt, query, parameters, "spec")


@dataclass(frozen=True, slots=True)
class SuiteImage:
    """An image of a suite that has a file; ``path`` is relative to the project if the file lies in it."""

    generator: str
    prompt_id: str
    text: str
    index: int
    path: str
    sha256: str


def image_files_of_suite(store: Store, suite: str) -> list[SuiteImage]:
    """Return a suite's images that have files, by id."""
    return store.query_records(
        SuiteImage,
        'select i.generator, i.prompt_id, p.text, i.idx as "index", i.path, i.sha256 from images i join prompts p'
        " using (prompt_id) where p.suite = ? and i.path is not null and i.sha256 is not null order by i.image_id",
        [suite],
    )


ANSWERED_BY: Final = "tifa_vqa"
"""The questionnaire whose answers are about these questions."""

_QUESTION: Final = ("question_id", "text", "choices", "answer", "element_type", "element", "parents")
_LISTS: Final = ("choices", "parents")
_QUESTIONS: Final = f"select prompt_id, version, {', '.join(_QUESTION)} from questions"
Versions = dict[tuple[str, int], tuple[PromptQuestion, ...]]
"""All that is asked about a prompt in a version, in order, by both."""


@dataclass(frozen=True, slots=True)
class QuestionVersion:
    """All that is asked about a prompt in one version, in order. Version 0 has no questions."""

    number: int = 0
    questions: tuple[PromptQuestion, ...] = ()


def current_questions(store: Store, prompt_ids: Sequence[str]) -> dict[str, QuestionVersion]:
    """What is asked now about those of these prompts that have questions."""
    with store.read() as cursor:
        return _newest_questions(cursor, prompt_ids)


@dataclass(frozen=True, slots=True)
class PromptInputs:
    """How many prompts there are, how many have a spec that names objects, questions, captions; and how many pairs."""

    prompts: int
    with_objects: int
    with_questions: int
    with_captions: int = 0
    pairs: int = 0


def prompt_inputs(store: Store) -> PromptInputs:
    """Return what a project's prompts bring for scorers."""
    with store.read() as cursor:
        return _prompt_inputs(cursor)


def closed_prompt_inputs(project: Path) -> PromptInputs | None:
    """Return what the prompts of a project that nobody has open bring; None where it cannot be read. Changes nothing."""
    path = project / connections.DATABASE
    if not path.is_file():
        return None
    try:
        with connections.connect(path, read_only=True) as connection:
            return _prompt_inputs(connection)
    except duckdb.Error:
        return None


def _prompt_inputs(cursor: Connection) -> PromptInputs:
    # GenEval's specs have their objects in `include`, VISOR's name `a`
    counted = rows.first(
        cursor,
        "select count(*) as prompts, count(*) filter (coalesce(json_array_length(spec -> 'include'), 0) > 0"
        " or (spec ->> 'a') is not null) as with_objects,"
        " count(*) filter (prompt_id in (select prompt_id from questions)) as with_questions,"
        " count(*) filter (coalesce(json_array_length(spec -> 'captions'), 0) > 0) as with_captions,"
        " (select count(*) from items where kind = 'pair') as pairs from prompts",
    )
    assert counted is not None
    return PromptInputs(**counted)


def current_questions_of_items(store: Store, item_ids: Sequence[str]) -> dict[str, QuestionVersion]:
    """What is asked now about each of these items whose prompt has questions."""
    with store.read() as cursor:
        prompts = rows.existing(cursor, "items", "item_id", ["prompt_id"], list(item_ids))
        versions = _newest_questions(cursor, sorted({str(row["prompt_id"]) for row in prompts.values()}))
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


def tasks_of_items(store: Store, item_ids: Sequence[str]) -> dict[str, str | None]:
    """Return the task of each of these items, None for those without one."""
    with store.read() as cursor:
        tasks = rows.existing(cursor, "items", "item_id", ["task"], list(item_ids))
    return {item_id: tasks[item_id]["task"] if item_id in tasks else None for item_id in item_ids}


def questions_at(store: Store, prompt_id: str, version: int) -> QuestionVersion:
    """What was asked about a prompt in this version.

    Raises:
        KeyError: there is no such version.
    """
    with store.read() as cursor:
        versions = _read(cursor, "where prompt_id = ? and version = ?", [prompt_id, version])
    if not versions and version != 0:
        raise KeyError(f"{prompt_id} has no version {version} of its questions")
    return QuestionVersion(version, versions.get((prompt_id, version), ()))


def _newest_questions(cursor: Connection, prompt_ids: Sequence[str]) -> dict[str, QuestionVersion]:
    newest = f"{_AMONG} qualify version = max(version) over (partition by prompt_id)"
    versions = _read(cursor, newest, [list(prompt_ids)])
    return {prompt_id: QuestionVersion(number, questions) for (prompt_id, number), questions in versions.items()}


def all_questions(cursor: Connection) -> Versions:
    """All questions of all prompts, by prompt and version."""
    return _read(cursor)


_AMONG: Final = "where prompt_id in (select unnest(?::varchar[]))"


def _read(cursor: Connection, where: str = "", parameters: Sequence[Any] = ()) -> Versions:
    versions: dict[tuple[str, int], list[PromptQuestion]] = {}
    for row in rows.dicts(cursor, f"{_QUESTIONS} {where} order by prompt_id, version, position", parameters):
        of = (row.pop("prompt_id"), row.pop("version"))
        decoded = rows.decoded(row, *_LISTS)
        question = PromptQuestion(**decoded | {name: tuple(decoded[name]) for name in _LISTS})
        versions.setdefault(of, []).append(question)
    return {of: tuple(questions) for of, questions in versions.items()}


def insert_questions(connection: Connection, by_prompt: Mapping[str, Sequence[PromptQuestion]], import_id: int) -> int:
    """A new version of each prompt's questions where they are not the very same already; returns how many questions."""
    if not by_prompt:
        return 0
    before = _newest_questions(connection, list(by_prompt))
    new: list[dict[str, Any]] = []
    for prompt_id, questions in by_prompt.items():
        now = before.get(prompt_id, QuestionVersion())
        if tuple(questions) != now.questions:
            new.extend(_rows(prompt_id, now.number + 1, questions, import_id))
    rows.insert(connection, "questions", new)
    return len(new)


def insert_question_versions(
    connection: Connection, by_version: Mapping[tuple[str, int], Sequence[PromptQuestion]], import_id: int
) -> tuple[dict[tuple[str, int], int], int]:
    """Questions asked elsewhere, by prompt and version: the version that each is here, and how many questions are new.

    A version keeps its number where that is free or the very same; else it is the same one of another number, or a new one.
    """
    here: dict[str, dict[int, tuple[PromptQuestion, ...]]] = {}
    for (prompt_id, version), stored in _read(connection, _AMONG, [[prompt_id for prompt_id, _ in by_version]]).items():
        here.setdefault(prompt_id, {})[version] = stored
    became: dict[tuple[str, int], int] = {}
    new: list[dict[str, Any]] = []
    for (prompt_id, version), questions in sorted(by_version.items(), key=lambda pair: pair[0]):
        known = here.setdefault(prompt_id, {})
        same = [number for number, those in known.items() if those == tuple(questions)]
        number = version if version in same or version not in known else (same or [max(known) + 1])[-1]
        became[prompt_id, version] = number
        if number not in known:
            known[number] = tuple(questions)
            new.extend(_rows(prompt_id, number, questions, import_id))
    rows.insert(connection, "questions", new)
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
    return f"{given_answers(record['people'], record['n'])} to" if record and record["n"] else None


def given_answers(people: int, answers: int) -> str:
    """Return how many people have given how many answers, as the beginning of a sentence."""
    who = "1 person has" if people == 1 else f"{people:,} people have"
    return f"{who} given {answers:,} {'answer' if answers == 1 else 'answers'}"


def _rows(prompt_id: str, version: int, questions: Sequence[PromptQuestion], import_id: int) -> Iterator[dict[str, Any]]:
    for position, question in enumerate(questions):
        where = {"prompt_id": prompt_id, "version": version, "position": position, "import_id": import_id}
        yield where | asdict(question) | {name: rows.to_json(getattr(question, name)) for name in _LISTS}


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
        questions = _newest_questions(cursor, sorted({row["prompt_id"] for row in records if row["prompt_id"]}))
    return {
        row["item_id"]: ItemSubject(
            row["item_id"], row["kind"], row["suite"], row["text"] or "", rows.from_json(row["spec"]) or {},
            tuple(name or "" for name in row["generators"]), tuple(row["pictures"]),
            questions.get(row["prompt_id"], QuestionVersion()).questions,
        )
        for row in records
    }  # fmt: skip


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


def latest_cooccurrence(store: Store) -> Cooccurrence | None:
    """The one that was imported last; None if there is none."""
    import_id = store.query_value("select max(import_id) from cooccurrence_files")
    if import_id is None:
        return None
    # an import's number is never given to another
    return store.memory.once(_read_cooccurrence, import_id, None, lambda: _read_cooccurrence(store, import_id), most=4)


def insert_cooccurrence(connection: Connection, cooccurrence: Cooccurrence, import_id: int) -> int:
    """Write one; returns how many rows."""
    rows.add(connection, "cooccurrence_files", import_id=import_id, name=cooccurrence.name, images=cooccurrence.images)
    together = cooccurrence.together.items()
    rows.insert(connection, "cooccurrence", ({"import_id": import_id, "a": a, "b": b, "images": n} for (a, b), n in together))
    return len(together)


def delete_cooccurrence(connection: Connection, import_id: int) -> int:
    """Take one back; returns how many rows."""
    connection.execute("delete from cooccurrence_files where import_id = ?", [import_id])
    return int(rows.value(connection, "delete from cooccurrence where import_id = ?", [import_id]))


def _read_cooccurrence(store: Store, import_id: int) -> Cooccurrence:
    with store.read() as cursor:
        file = rows.first(cursor, "select name, images from cooccurrence_files where import_id = ?", [import_id])
        pairs = cursor.execute("select a, b, images from cooccurrence where import_id = ?", [import_id]).fetchall()
    assert file is not None
    return Cooccurrence(**file, together={(a, b): images for a, b, images in pairs})
