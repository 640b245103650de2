"""What answers stand on and what hardly ever changes: items, raters, scales, revocations. From memory, or read once.

For the writer's thread: what is kept is what was written, and any write that takes some of it away makes memory forget.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import duckdb

from data.aspects import SCALES
from data.records import Annotation
from data.store import erased, rows
from data.store.memory import Memory
from data.store.places import marks
from data.store.tasks import Task

_REVOKED = "revoked"


def revoked(connection: duckdb.DuckDBPyConnection, memory: Memory) -> Mapping[str, Mapping[str | None, str | None]]:
    """From which campaigns people are revoked now, by name (None: from all), and what they fail, if they are only paused."""
    since = memory.state
    kept: Mapping[str, Mapping[str | None, str | None]] | None = memory.get(_REVOKED)
    if kept is None:
        found: dict[str, dict[str | None, str | None]] = {}
        for name, campaign, reason in connection.execute(
            "select rater_id, campaign_id, reason from revocations where lifted is null"
        ).fetchall():
            found.setdefault(name, {})[campaign] = reason
        kept = found
        memory.put(_REVOKED, kept, since)
    return kept


def prepare(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], memory: Memory) -> None:
    """What annotations refer to must be there: their items, their raters, and the scales of what they judge.

    Raises:
        KeyError: there is no such item.
        Erased: a rater has been erased from the project.
    """
    suites = _suites(connection, {a.item_id for a in annotations}, memory)
    for annotation in annotations:
        if annotation.item_id not in suites:
            raise KeyError(annotation.item_id)
    _raters(connection, [a.rater_id for a in annotations], memory)
    own = {aspect: scale for a in annotations for aspect, scale in a.scales.items()}
    judged = {(suites[a.item_id], j.aspect) for a in annotations for j in a.judgements}
    # a suite that is judged for the first time gets the vocabulary's scales
    new = sorted(judged - _scaled(connection, judged, memory))
    scales = [(suite, aspect, SCALES.get(aspect) or own[aspect]) for suite, aspect in new]
    rows.insert(connection, "scales", ("suite", "aspect", "scale"), scales)


def _suites(connection: duckdb.DuckDBPyConnection, items: Collection[str], memory: Memory) -> dict[str, str]:
    """The suites of those of these items that exist."""
    tasks: dict[str, Task] = {one: task for one in items if (task := memory.get(("task", one))) is not None}
    suites = {item_id: task.suite for item_id, task in tasks.items()}
    if missing := [one for one in items if one not in suites]:
        found = connection.execute(f"select item_id, suite from items where item_id in {marks(missing)}", missing)
        suites |= dict(found.fetchall())
    return suites


def _raters(connection: duckdb.DuckDBPyConnection, names: Sequence[str], memory: Memory) -> None:
    since = memory.state
    unsure = [name for name in dict.fromkeys(names) if not memory.get(("rater", name))]
    if not unsure:
        return
    found = connection.execute(f"select rater_id from raters where rater_id in {marks(unsure)}", unsure).fetchall()
    there = {row[0] for row in found}
    # an import that brought the name may have been undone since the person entered
    people = [name for name in unsure if name not in there]
    erased.refuse(connection, people)
    rows.insert(
        connection,
        "raters",
        ("rater_id", "kind", "identity", "settings", "simulated"),
        [(name, "human", "person", "{}", False) for name in people],
    )
    for name in there:
        memory.put(("rater", name), True, since)


def _scaled(connection: duckdb.DuckDBPyConnection, judged: Collection[tuple[str, str]], memory: Memory) -> set[tuple[str, str]]:
    """Those of these aspects of suites that have a scale."""
    since = memory.state
    known = {one for one in judged if memory.get(("scaled", *one))}
    suites = sorted({suite for suite, _ in set(judged) - known})
    if not suites:
        return known
    found = connection.execute(f"select suite, aspect from scales where suite in {marks(suites)}", suites).fetchall()
    for suite, aspect in found:
        memory.put(("scaled", suite, aspect), True, since)
    return known | set(found)
