"""Scorers' runs: what is still to score, what came in, and how far each run is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import duckdb

from data.aspects import SCALES
from data.jobs.runs import Observation, Run
from data.records import Evidence, Judgement, Rater
from data.store import detections, rows, wide
from data.store.imports import ImportRefused, insert_raters, insert_scales
from data.store.observed import insert_run
from data.store.pending import Asked, Pending, asked, count_pending, failing, pending, still_failing
from data.store.seen import SeenBy, Sights, seen, seen_without_masks
from data.store.statements import insert_evidence
from data.store.store import Store, run

State = Literal["queued", "running", "paused", "cancelled", "failed", "lost", "done"]
"""``running`` is what was last said: nobody may be at it any more. ``queued`` waits for its device; ``cancelled`` was given up,
and what it judged stays, as of one whose folder is gone (``lost``)."""

_OVER = "('done', 'lost', 'cancelled')"


class RunRefused(ValueError):
    """Nothing was written; the message says why."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as the project knows it.

    Attributes:
        folder: below the project's folder.
        parts: numbers of the parts that are in; ``n_done`` images are in them, failed ones among these.
        failures: images by why nothing was seen of them.
        error: why a run failed, one line.
        kind: ``score``, or ``generate``: pictures are painted by ``rater_id``, and no parts come in.
        device, engine: what it was asked to run on, and how the work is spread; None where nobody said.
        place: in the queue, ascending; None if it is not in it.
    """

    run_id: str
    rater_id: str
    scorer: str
    profile: str
    version: str
    settings: Mapping[str, Any]
    folder: str
    state: State
    error: str | None
    n_items: int
    created: datetime
    import_id: int | None = None
    kind: Literal["score", "generate"] = "score"
    device: str | None = None
    engine: str | None = None
    place: int | None = None
    parts: tuple[int, ...] = ()
    n_done: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_failed(self) -> int:
        return sum(self.failures.values())


@dataclass(frozen=True, slots=True)
class Source:
    """Where a run that was made elsewhere came from: a name for people, and the hash of its files."""

    name: str
    sha256: str


def scorer_rater(store: Store, name: str, version: str, settings: Mapping[str, Any]) -> Rater:
    """The rater of this name, version and settings; where the name has other ones, the next free ``name #2``."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select rater_id, kind, version, settings from raters where rater_id = ? or starts_with(rater_id, ?)",
            [name, f"{name} #"],
        )
    known = {row["rater_id"]: row for row in found}
    same = ("scorer", version, dict(settings))
    number, rater_id = 1, name
    while rater_id in known:
        row = rows.decoded(known[rater_id], "settings")
        if (row["kind"], row["version"], row["settings"]) == same:
            break
        number += 1
        rater_id = f"{name} #{number}"
    return Rater(rater_id, "scorer", None, version, dict(settings))


def versions_of(store: Store, name: str) -> list[Rater]:
    """The scorers of this name, ``name``, ``name #2`` ..., oldest first."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select rater_id, version, settings from raters where kind = 'scorer'"
            " and (rater_id = ? or starts_with(rater_id, ?))",
            [name, f"{name} #"],
        )
    raters = [Rater(row["rater_id"], "scorer", None, row["version"], rows.from_json(row["settings"])) for row in found]
    return sorted(raters, key=lambda rater: (len(rater.rater_id), rater.rater_id))


def add_run(
    store: Store, run: Run, rater: Rater, folder: str, n_items: int, source: Source | None = None, state: State = "running"
) -> int | None:
    """Remember a run that is about to begin, and its rater; ``source`` makes an import of it, whose number is returned.

    Raises:
        RunRefused: there is a run of this id already.
        ImportRefused: the rater's name belongs to a person.
    """
    import_id: int | None = store.write(_add, (run, rater, folder, n_items, source, state))
    return import_id


def add_generation(store: Store, run: Run, generator: str, folder: str, n_items: int) -> None:
    """Remember that pictures are to be painted; it waits in the queue.

    Raises:
        RunRefused: there is a run of this id already.
    """
    store.write(_add_generation, (run, generator, folder, n_items), touched=frozenset())


def ingest(
    store: Store, run_id: str, part: int, seen: Sequence[tuple[Observation, Sequence[Judgement]]], rule_version: str
) -> bool:
    """Take in one part, whole: evidence, detections, judgements, scales. False if it was in already: nothing changes then.

    Raises:
        RunRefused: there is no such run, or the project does not know one of the images.
        ImportRefused: the suite judges an aspect on another scale.
    """
    new: bool = store.write(_ingest, (run_id, part, seen, rule_version), forget=False)
    return new


def set_state(store: Store, run_id: str, state: State, error: str | None = None) -> None:
    """Say how a run stands; ``error`` is forgotten unless it is given. What is to wait waits at the queue's end, unless it has
    a place in it."""
    store.write(_set_state, (run_id, state, error), touched=frozenset(), forget=False)


def remove(store: Store, run_id: str) -> int:
    """Take a run's evidence and judgements back; returns of how many images. Its files are the caller's to remove.

    Raises:
        RunRefused: there is no such run, or it was imported.
    """
    count: int = store.write(_remove, run_id)
    return count


def swap(store: Store, one_id: str, other_id: str) -> None:
    """Two runs that wait change places in the queue."""
    store.write(_swap, (one_id, other_id), touched=frozenset())


def listed(store: Store) -> list[RunRow]:
    """All runs of scorers, oldest first."""
    with store.read() as cursor:
        return _rows(cursor, "kind = 'score'", [])


def of_every_kind(store: Store) -> list[RunRow]:
    """All runs, of generators too, oldest first."""
    with store.read() as cursor:
        return _rows(cursor, "true", [])


def queued(store: Store) -> list[RunRow]:
    """Runs that wait, in their order."""
    with store.read() as cursor:
        return sorted(_rows(cursor, "state = 'queued'", []), key=lambda row: (row.place or 0, row.created, row.run_id))


def generations_of(store: Store, generator: str) -> list[RunRow]:
    """A generator's runs that are not over, oldest first."""
    with store.read() as cursor:
        return _rows(cursor, f"kind = 'generate' and rater_id = ? and state not in {_OVER}", [generator])


def one(store: Store, run_id: str) -> RunRow | None:
    """A run, None if there is none of this id."""
    with store.read() as cursor:
        return next(iter(_rows(cursor, "run_id = ?", [run_id])), None)


def unfinished(store: Store, rater_id: str) -> RunRow | None:
    """The rater's oldest run that has not come to its end and was not given up."""
    return next(iter(all_unfinished(store, rater_id)), None)


def all_unfinished(store: Store, rater_id: str) -> list[RunRow]:
    """The rater's runs that have not come to their end and were not given up, oldest first."""
    with store.read() as cursor:
        return _rows(cursor, f"kind = 'score' and rater_id = ? and state not in {_OVER}", [rater_id])


def _rows(cursor: duckdb.DuckDBPyConnection, condition: str, parameters: list[Any]) -> list[RunRow]:
    found = rows.dicts(
        cursor,
        "select run_id, rater_id, scorer, profile, version, settings, folder, state, error, n_items, created, import_id,"
        f" kind, device, engine, place from runs where {condition} order by created, run_id",
        parameters,
    )
    run_ids = [[row["run_id"] for row in found]]
    among = "run_id in (select unnest(?::varchar[]))"
    parts: dict[str, list[int]] = {}
    for row in rows.dicts(cursor, f"select run_id, part from run_parts where {among} order by part", run_ids):
        parts.setdefault(row["run_id"], []).append(row["part"])
    done: dict[str, int] = {}
    failures: dict[str, dict[str, int]] = {}
    for row in rows.dicts(
        cursor,
        f"select run_id, failed, count(*) as n from evidence where {among} group by run_id, failed order by n desc",
        run_ids,
    ):
        done[row["run_id"]] = done.get(row["run_id"], 0) + row["n"]
        if row["failed"] is not None:
            failures.setdefault(row["run_id"], {})[row["failed"]] = row["n"]
    return [
        RunRow(
            **rows.decoded(row, "settings"),
            parts=tuple(parts.get(row["run_id"], ())),
            n_done=done.get(row["run_id"], 0),
            failures=failures.get(row["run_id"], {}),
        )
        for row in found
    ]


def _add_one(connection: duckdb.DuckDBPyConnection, payload: tuple[Run, Rater, str, int, Source | None, State]) -> int | None:
    run, rater, folder, n_items, source, state = payload
    _refuse_known(connection, run)
    import_id = None if source is None else rows.sequence(connection, "import_ids", 1)[0]
    insert_raters(connection, [rater], import_id)
    insert_run(connection, run, rater.rater_id, folder, state, n_items, import_id)
    if state == "queued":
        _set_state_one(connection, (run.run_id, state, None))
    if source is not None:
        rows.insert(
            connection,
            "imports",
            ("import_id", "kind", "name", "sha256", "counts"),
            [(import_id, "scores", source.name, source.sha256, rows.to_json({"evidence": n_items}))],
        )
    return import_id


def _add_generation_one(connection: duckdb.DuckDBPyConnection, payload: tuple[Run, str, str, int]) -> None:
    run, generator, folder, n_items = payload
    _refuse_known(connection, run)
    insert_run(connection, run, generator, folder, "queued", n_items, None, "generate")
    _set_state_one(connection, (run.run_id, "queued", None))


def _refuse_known(connection: duckdb.DuckDBPyConnection, run: Run) -> None:
    if rows.one(connection, "select 1 from runs where run_id = ?", [run.run_id]):
        raise RunRefused(f"there is a run {run.run_id} in this project already")


def _ingest_one(
    connection: duckdb.DuckDBPyConnection, payload: tuple[str, int, Sequence[tuple[Observation, Sequence[Judgement]]], str]
) -> bool:
    run_id, part, judged, rule_version = payload
    row = rows.one(connection, "select rater_id, import_id from runs where run_id = ?", [run_id])
    if row is None:
        raise RunRefused(f"there is no run {run_id} in this project (any more)")
    if rows.one(connection, "select 1 from run_parts where run_id = ? and part = ?", [run_id, part]):
        return False
    seen = [one for one, _ in judged]
    items = rows.existing(connection, "items", "item_id", ["suite"], [one.item_id for one in seen])
    unknown = [one.item_id for one in seen if one.item_id not in items]
    if unknown:
        raise RunRefused(
            f"part {part} of run {run_id} is about {len(unknown)} images that this project does not have, e.g. '{unknown[0]}'"
        )
    rows.insert(connection, "run_parts", ("run_id", "part"), [(run_id, part)])
    evidence = [
        Evidence(f"{run_id}:{one.item_id}", one.item_id, row["rater_id"], one.payload, tuple(said), rule_version, one.failed)
        for one, said in judged
    ]
    insert_evidence(connection, evidence, row["import_id"], run_id)
    detections.insert(connection, run_id, part, seen)
    aspects = {(items[one.item_id]["suite"], judgement.aspect) for one, said in judged for judgement in said}
    insert_scales(connection, [(suite, aspect, SCALES[aspect]) for suite, aspect in aspects], row["import_id"])
    return True


def _set_state_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, State, str | None]) -> None:
    run_id, state, error = payload
    place = None
    if state == "queued":
        last = "select coalesce(max(place), 0) + 1 from runs"
        place = int(rows.value(connection, f"select coalesce((select place from runs where run_id = ?), ({last}))", [run_id]))
    connection.execute("update runs set state = ?, error = ?, place = ? where run_id = ?", [state, error, place, run_id])


def _swap_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str]) -> None:
    one_id, other_id = payload
    places = {
        run_id: rows.value(connection, "select any_value(place) from runs where run_id = ? and state = 'queued'", [run_id])
        for run_id in payload
    }
    if None not in places.values():
        for run_id, place in ((one_id, places[other_id]), (other_id, places[one_id])):
            connection.execute("update runs set place = ? where run_id = ?", [place, run_id])


def _remove_one(connection: duckdb.DuckDBPyConnection, run_id: str) -> int:
    row = rows.one(connection, "select rater_id, import_id from runs where run_id = ?", [run_id])
    if row is None:
        raise RunRefused(f"there is no run {run_id} in this project (any more)")
    if row["import_id"] is not None:
        raise RunRefused(f"run {run_id} was imported; take it back with: import undo {row['import_id']}")
    said = "from judgements where source_id in (select evidence_id from evidence where run_id = ?)"
    wide.mark_where(connection, f"select item_id {said} union select item_id from evidence where run_id = ?", [run_id, run_id])
    connection.execute(f"delete {said}", [run_id])
    count = int(rows.value(connection, "delete from evidence where run_id = ?", [run_id]))
    for table in ("detections", "run_parts", "runs"):
        connection.execute(f"delete from {table} where run_id = ?", [run_id])
    connection.execute(
        "delete from raters where rater_id = ? and import_id is null"
        " and not exists (select 1 from evidence e where e.rater_id = raters.rater_id)"
        " and not exists (select 1 from runs where runs.rater_id = raters.rater_id and runs.kind = 'score')"
        " and kind = 'scorer'",
        [row["rater_id"]],
    )
    return count


_add = run(_add_one)
_add_generation = run(_add_generation_one)
_swap = run(_swap_one)
_ingest = run(_ingest_one)
_set_state = run(_set_state_one)
_remove = run(_remove_one)

__all__ = [
    "Asked",
    "ImportRefused",
    "Pending",
    "RunRefused",
    "RunRow",
    "SeenBy",
    "Sights",
    "Source",
    "State",
    "add_generation",
    "add_run",
    "all_unfinished",
    "asked",
    "count_pending",
    "failing",
    "generations_of",
    "ingest",
    "listed",
    "of_every_kind",
    "one",
    "pending",
    "queued",
    "remove",
    "scorer_rater",
    "seen",
    "seen_without_masks",
    "set_state",
    "still_failing",
    "swap",
    "unfinished",
    "versions_of",
]
