"""What prompts ask for, part by part, so that it can be filtered by: a projection of the table of prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import duckdb

from data.prompts.spec import SpecError, parse_spec
from data.store import rows

PARTS: Final = ("object", "color", "count", "relation")
_AT_ONCE: Final = 20_000


def parts(spec: Mapping[str, Any]) -> set[tuple[str, str]]:
    """What a spec asks for as (what, value); a count only where one is asked, nothing of a spec that cannot be read."""
    try:
        asked = parse_spec(spec)
    except (SpecError, TypeError, AttributeError):
        return set()
    found = {("object", one.name) for one in asked.objects}
    found |= {("color", one.color) for one in asked.objects if one.color}
    found |= {("count", str(one.count)) for one in asked.objects if one.exact or one.count > 1}
    return found | {("relation", one.relation) for one in asked.relations}


def insert(connection: duckdb.DuckDBPyConnection, prompts: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Remember what new prompts ask for: their ids and specs."""
    found = [(prompt_id, *part) for prompt_id, spec in prompts for part in sorted(parts(spec))]
    rows.insert(connection, "prompt_parts", ("prompt_id", "what", "value"), found)


def remake(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table anew."""
    connection.execute("delete from prompt_parts")
    ids = [row[0] for row in connection.execute("select prompt_id from prompts order by prompt_id").fetchall()]
    for start in range(0, len(ids), _AT_ONCE):
        some = rows.existing(connection, "prompts", "prompt_id", ["spec"], ids[start : start + _AT_ONCE])
        insert(connection, ((prompt_id, rows.from_json(row["spec"]) or {}) for prompt_id, row in some.items()))


def drop_gone(connection: duckdb.DuckDBPyConnection) -> None:
    """Forget those of prompts that are not there any more."""
    connection.execute("delete from prompt_parts where prompt_id not in (select prompt_id from prompts)")
