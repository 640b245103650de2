"""The questions about each prompt, in versions: what is asked now, and what was asked when somebody answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from data.prompts.questions import PromptQuestion
from data.store import rows
from data.store.store import Store

ANSWERED_BY: Final = "tifa_vqa"
"""The questionnaire whose answers are about these questions."""

_QUESTION: Final = ("question_id", "text", "choices", "answer", "element_type", "element", "parents")
_LISTS: Final = ("choices", "parents")
_COLUMNS: Final = ("prompt_id", "version", "position", *_QUESTION, "import_id")


@dataclass(frozen=True, slots=True)
class Version:
    """All that is asked about a prompt in one version, in order. Version 0 has no questions."""

    number: int = 0
    questions: tuple[PromptQuestion, ...] = ()


def of(store: Store, prompt_ids: Sequence[str]) -> dict[str, Version]:
    """What is asked now about those of these prompts that have questions."""
    with store.read() as cursor:
        return newest(cursor, prompt_ids)


def of_items(store: Store, item_ids: Sequence[str]) -> dict[str, Version]:
    """What is asked now about each of these items whose prompt has questions."""
    with store.read() as cursor:
        prompts = rows.existing(cursor, "items", "item_id", ["prompt_id"], list(item_ids))
        versions = newest(cursor, sorted({str(row["prompt_id"]) for row in prompts.values()}))
    return {item_id: versions[row["prompt_id"]] for item_id, row in prompts.items() if row["prompt_id"] in versions}


def behind(store: Store, rater_id: str) -> int:
    """Of how many images this scorer has answered another version of the prompt's questions than is asked now."""
    with store.read() as cursor:
        return int(
            rows.value(
                cursor,
                "select count(*) from evidence e join items t using (item_id) join (select prompt_id, max(version) as version"
                " from questions group by prompt_id) q using (prompt_id) where e.rater_id = ? and e.failed is null"
                " and (e.payload ->> 'version')::integer <> q.version",
                [rater_id],
            )
        )


def at(store: Store, prompt_id: str, version: int) -> Version:
    """What was asked about a prompt in this version.

    Raises:
        KeyError: there is no such version.
    """
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            f"select {', '.join(_COLUMNS)} from questions where prompt_id = ? and version = ? order by position",
            [prompt_id, version],
        )
    if not found and version != 0:
        raise KeyError(f"{prompt_id} has no version {version} of its questions")
    return Version(version, tuple(_question(row) for row in found))


def newest(cursor: duckdb.DuckDBPyConnection, prompt_ids: Sequence[str]) -> dict[str, Version]:
    """As ``of``, on a connection of the store's own."""
    found = rows.dicts(
        cursor,
        f"select {', '.join(_COLUMNS)} from questions where prompt_id in (select unnest(?::varchar[]))"
        " qualify version = max(version) over (partition by prompt_id) order by prompt_id, position",
        [list(prompt_ids)],
    )
    asked: dict[str, list[PromptQuestion]] = {}
    numbers: dict[str, int] = {}
    for row in found:
        asked.setdefault(row["prompt_id"], []).append(_question(row))
        numbers[row["prompt_id"]] = row["version"]
    return {prompt_id: Version(numbers[prompt_id], tuple(questions)) for prompt_id, questions in asked.items()}


def everything(cursor: duckdb.DuckDBPyConnection) -> dict[tuple[str, int], tuple[PromptQuestion, ...]]:
    """All questions of all prompts, by prompt and version."""
    asked: dict[tuple[str, int], list[PromptQuestion]] = {}
    for row in rows.dicts(cursor, f"select {', '.join(_COLUMNS)} from questions order by prompt_id, version, position"):
        asked.setdefault((row["prompt_id"], row["version"]), []).append(_question(row))
    return {key: tuple(found) for key, found in asked.items()}


def insert(connection: duckdb.DuckDBPyConnection, asked: Mapping[str, Sequence[PromptQuestion]], import_id: int) -> int:
    """A new version of each prompt's questions where they are not the very same already; returns how many questions."""
    if not asked:
        return 0
    before = newest(connection, list(asked))
    new: list[tuple[object, ...]] = []
    for prompt_id, questions in asked.items():
        now = before.get(prompt_id, Version())
        if tuple(questions) == now.questions:
            continue
        new.extend(_rows(prompt_id, now.number + 1, questions, import_id))
    rows.insert(connection, "questions", _COLUMNS, new)
    return len(new)


def insert_versions(
    connection: duckdb.DuckDBPyConnection, asked: Mapping[tuple[str, int], Sequence[PromptQuestion]], import_id: int
) -> tuple[dict[tuple[str, int], int], int]:
    """Questions asked elsewhere, by prompt and version: the version that each is here, and how many questions are new.

    A version keeps its number where that is free or the very same; else it is the same one of another number, or a new one.
    """
    found = rows.dicts(
        connection,
        f"select {', '.join(_COLUMNS)} from questions where prompt_id in (select unnest(?::varchar[]))"
        " order by prompt_id, version, position",
        [sorted({prompt_id for prompt_id, _ in asked})],
    )
    here: dict[str, dict[int, tuple[PromptQuestion, ...]]] = {}
    for row in found:
        versions = here.setdefault(row["prompt_id"], {})
        versions[row["version"]] = (*versions.get(row["version"], ()), _question(row))
    became: dict[tuple[str, int], int] = {}
    new: list[tuple[object, ...]] = []
    for (prompt_id, version), questions in sorted(asked.items(), key=lambda one: one[0]):
        known = here.setdefault(prompt_id, {})
        same = [number for number, those in known.items() if those == tuple(questions)]
        number = version if version in same or version not in known else (same or [max(known) + 1])[-1]
        became[prompt_id, version] = number
        if number not in known:
            known[number] = tuple(questions)
            new.extend(_rows(prompt_id, number, questions, import_id))
    rows.insert(connection, "questions", _COLUMNS, new)
    return became, len(new)


def answered(connection: duckdb.DuckDBPyConnection, import_id: int) -> str | None:
    """How many people have answered since this import about prompts whose questions it brought; None: nobody."""
    found = rows.one(
        connection,
        "select count(*) as n, count(distinct a.rater_id) as people from annotations a join items t using (item_id)"
        " where a.questionnaire = ? and a.import_id is null"
        " and t.prompt_id in (select prompt_id from questions where import_id = ?)"
        " and a.submitted >= (select created from imports where import_id = ?)",
        [ANSWERED_BY, import_id, import_id],
    )
    return f"{found['people']} people have given {found['n']} answers to" if found and found["n"] else None


def _rows(prompt_id: str, version: int, questions: Sequence[PromptQuestion], import_id: int) -> Iterator[tuple[object, ...]]:
    for position, one in enumerate(questions):
        said = (one.question_id, one.text, rows.to_json(one.choices), one.answer, one.element_type, one.element)
        yield (prompt_id, version, position, *said, rows.to_json(one.parents), import_id)


def _question(row: Mapping[str, object]) -> PromptQuestion:
    decoded = rows.decoded(row, *_LISTS)
    return PromptQuestion(**{name: decoded[name] for name in _QUESTION} | {name: tuple(decoded[name]) for name in _LISTS})
