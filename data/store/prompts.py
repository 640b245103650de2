"""Prompts as they are stored."""

from __future__ import annotations

from collections.abc import Sequence

from data.records import Prompt
from data.store import rows
from data.store.store import Store

_COLUMNS = "prompt_id, suite, text, task, spec"


def by_id(store: Store, prompt_ids: Sequence[str]) -> dict[str, Prompt]:
    """Those of these prompts that the project has."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor, f"select {_COLUMNS} from prompts where prompt_id in (select unnest(?::varchar[]))", [list(prompt_ids)]
        )
    return {row["prompt_id"]: Prompt(**rows.decoded(row, "spec")) for row in found}


def of_suite(store: Store, suite: str | None) -> list[Prompt]:
    """All prompts of a suite (None: of all suites), by id."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor, f"select {_COLUMNS} from prompts where ?::varchar is null or suite = ? order by prompt_id", [suite, suite]
        )
    return [Prompt(**rows.decoded(row, "spec")) for row in found]
