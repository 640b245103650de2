"""Runs: what a scorer still has to score, what came in, how far each run is; and how generators made their images.

Evidence judged by other settings and stored as another rater's is a run, too, with the same evidence, as an import that can be
undone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from data.aspects import SCALES
from data.jobs.runs import Observation, Run, WorkItem
from data.records import Evidence, Judgement, Rater
from data.selection import Selection
from data.spec import HasSpec
from data.store import browse_index
from data.store.core import rows
from data.store.core.conditions import items_condition
from data.store.core.connections import Connection
from data.store.core.frame import KEPT_SETTINGS
from data.store.core.store import Store, transaction
from data.store.imports import insert_import, insert_raters, insert_run, insert_scales
from data.store.judgements import scorer_evidence
from data.store.judgements.recording import insert_evidence


@dataclass(frozen=True, slots=True)
class Pending:
    """How much of a selection a rater has before it.

    Attributes:
        images: with files, in the selection.
        left: of these, without evidence by the rater; ``failed`` of them were tried before.
    """

    images: int
    left: int
    failed: int


_WITH_FILES = (
    " from items t join images i on i.image_id = t.item_id and i.sha256 is not null join prompts p on p.prompt_id = i.prompt_id"
    " where t.kind = 'image' and {condition}"
)
_PAIRS_WITH_FILES = (
    " from items t join prompts p on p.prompt_id = t.prompt_id join ("
    "select m.item_id, list(i.path order by m.position) as paths, list(i.sha256 order by m.position) as hashes,"
    " list(i.generator order by m.position) as generators from item_members m join images i using (image_id)"
    " where i.sha256 is not null group by m.item_id having count(*) = 2 and count(distinct i.generator) = 2"
    ") i on i.item_id = t.item_id where t.kind = 'pair' and {condition}"
)
_HAS_EVIDENCE = "exists (select 1 from evidence e where e.item_id = t.item_id and e.rater_id = ? and e.failed is null)"
_HAS_QUESTIONS = "exists (select 1 from questions q where q.prompt_id = i.prompt_id)"
_HAS_FAILED = "exists (select 1 from evidence e where e.item_id = t.item_id and e.rater_id = ? and e.failed is not null)"


def pending(
    store: Store, selection: Selection, rater_id: str, *, failed_in: str | None = None, pairs: bool = False
) -> list[WorkItem]:
    """Images (or ``pairs``) with files in the selection that this rater has no evidence for, by id; what failed is to be tried
    again. ``failed_in``: only those that failed in this run."""
    files, columns = _WITH_FILES, "i.path, i.sha256"
    if pairs:
        files = _PAIRS_WITH_FILES
        columns = "i.paths[1] as path, i.hashes[1] as sha256, i.paths[2] as second, i.hashes[2] as second_sha256, i.generators"
    condition, parameters = items_condition(selection)
    if failed_in is not None:
        condition += " and t.item_id in (select item_id from evidence where run_id = ? and failed is not null)"
        parameters = [*parameters, failed_in]
    records = store.query(
        f"select t.item_id, {columns}, p.text, p.spec{files.format(condition=condition)}"
        f" and not {_HAS_EVIDENCE} order by t.item_id",
        [*parameters, rater_id],
    )
    places = ("path", "second") if pairs else ("path",)
    whole = [row | {name: str(store.project / row[name]) for name in places} for row in records]
    return [WorkItem(**rows.decoded(row, "spec")) for row in whole]


def items_seen(store: Store, rater_id: str) -> list[str]:
    """The items of which a scorer saw something, in order."""
    seen = "select distinct item_id from evidence where rater_id = ? and failed is null order by item_id"
    return store.query_column(seen, [rater_id])


def still_failing(store: Store, run_id: str) -> int:
    """How many images failed in this run and were not seen since by its rater."""
    return int(
        store.query_value(
            "select count(*) from evidence f where f.run_id = ? and f.failed is not null and not exists"
            " (select 1 from evidence e where e.item_id = f.item_id and e.rater_id = f.rater_id and e.failed is null)",
            [run_id],
        )
    )


def count_pending(
    store: Store,
    selection: Selection,
    rater_id: str,
    *,
    asked: bool = False,
    without: Collection[str] = (),
    pairs: bool = False,
) -> Pending:
    """As ``pending``, in numbers; ``asked``: of images whose prompts have questions; ``without`` these images."""
    files = _PAIRS_WITH_FILES if pairs else _WITH_FILES
    condition, parameters = items_condition(selection)
    condition = f"{condition} and {_HAS_QUESTIONS}" if asked else condition
    if without:
        condition = f"{condition} and t.item_id not in (select unnest(?::varchar[]))"
        parameters = [*parameters, sorted(without)]
    (counts,) = store.query_records(
        Pending,
        'select count(*) as images, count(*) filter (not done) as "left", count(*) filter (failed and not done) as failed'
        f" from (select {_HAS_EVIDENCE} as done, {_HAS_FAILED} as failed{files.format(condition=condition)})",
        [rater_id, rater_id, *parameters],
    )
    return counts


@dataclass(frozen=True, slots=True)
class KnownImage(HasSpec):
    """What the project knows of an image, or a pair, that a run is about."""

    sha256: str | None
    spec: Mapping[str, Any]


def known_images(store: Store, item_ids: Sequence[str]) -> dict[str, KnownImage]:
    """Those of these images that the project has."""
    records = store.query(
        "select t.item_id, i.sha256, p.spec from items t left join images i on i.image_id = t.item_id"
        " join prompts p on p.prompt_id = coalesce(i.prompt_id, t.prompt_id)"
        " where t.item_id in (select unnest(?::varchar[])) and (i.image_id is not null or t.kind = 'pair')",
        [list(item_ids)],
    )
    return {row["item_id"]: KnownImage(row["sha256"], rows.from_json(row["spec"])) for row in records}


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
class RunSource:
    """Where a run that was made elsewhere came from: a name for people, and the hash of its files."""

    name: str
    sha256: str


def scorer_rater(store: Store, name: str, version: str, settings: Mapping[str, Any]) -> Rater:
    """The rater of this name, version and settings; where the name has other ones, the next free ``name #2``.

    The commits that models came from (``revisions``) do not count: equal files (``weights``) are an equal model.
    """
    known = {rater.rater_id: rater for rater in _raters_called(store, name)}
    same = ("scorer", version, _identity(settings))
    number, rater_id = 1, name
    while (rater := known.get(rater_id)) is not None:
        if (rater.kind, rater.version, _identity(rater.settings)) == same:
            break
        number += 1
        rater_id = f"{name} #{number}"
    return Rater(rater_id, "scorer", None, version, dict(settings))


def _identity(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if key != "revisions"}


def versions_of(store: Store, name: str) -> list[Rater]:
    """The scorers of this name, ``name``, ``name #2`` ..., oldest first."""
    scorers = [rater for rater in _raters_called(store, name) if rater.kind == "scorer"]
    return sorted(scorers, key=lambda rater: (len(rater.rater_id), rater.rater_id))


def _raters_called(store: Store, name: str) -> list[Rater]:
    query = "select rater_id, kind, version, settings from raters where rater_id = ? or starts_with(rater_id, ?)"
    return store.query_records(Rater, query, [name, f"{name} #"], "settings")


@transaction()
def add_run(
    connection: Connection,
    run: Run,
    rater: Rater,
    folder: str,
    n_items: int,
    source: RunSource | None = None,
    state: State = "running",
) -> int | None:
    """Remember a run that is about to begin, and its rater; ``source`` makes an import of it, whose number is returned.

    Raises:
        RunRefused: there is a run of this id already.
        ImportRefused: the rater's name belongs to a person.
    """
    _refuse_known(connection, run)
    import_id = None if source is None else rows.sequence(connection, "import_ids", 1)[0]
    insert_raters(connection, [rater], import_id)
    insert_run(connection, run, rater.rater_id, folder, state, n_items, import_id)
    if state == "queued":
        _write_state(connection, run.run_id, state)
    if source is not None and import_id is not None:
        insert_import(connection, import_id, "scores", source.name, source.sha256, {"evidence": n_items})
    return import_id


@transaction(touched=frozenset())
def add_generation(connection: Connection, run: Run, generator: str, folder: str, n_items: int) -> None:
    """Remember that pictures are to be painted; it waits in the queue.

    Raises:
        RunRefused: there is a run of this id already.
    """
    _refuse_known(connection, run)
    insert_run(connection, run, generator, folder, "queued", n_items, None, "generate")
    _write_state(connection, run.run_id, "queued")


@transaction(touched=frozenset(), forget=False)
def set_state(connection: Connection, run_id: str, state: State, error: str | None = None) -> None:
    """Say how a run stands; ``error`` is forgotten unless it is given. What is to wait waits at the queue's end, unless it has
    a place in it."""
    _write_state(connection, run_id, state, error)


@transaction(touched=frozenset())
def swap(connection: Connection, one_id: str, other_id: str) -> None:
    """Two runs that wait change places in the queue."""
    place_query = "select any_value(place) from runs where run_id = ? and state = 'queued'"
    first, other = (rows.value(connection, place_query, [run_id]) for run_id in (one_id, other_id))
    if first is not None and other is not None:
        for run_id, position in ((one_id, other), (other_id, first)):
            connection.execute("update runs set place = ? where run_id = ?", [position, run_id])


def listed(store: Store) -> list[RunRow]:
    """All runs of scorers, oldest first."""
    return _rows(store, "kind = 'score'")


def of_every_kind(store: Store) -> list[RunRow]:
    """All runs, of generators too, oldest first."""
    return _rows(store, "true")


def queued(store: Store) -> list[RunRow]:
    """Runs that wait, in their order."""
    return sorted(_rows(store, "state = 'queued'"), key=lambda row: (row.place or 0, row.created, row.run_id))


def generations_of(store: Store, generator: str) -> list[RunRow]:
    """A generator's runs that are not over, oldest first."""
    return _rows(store, f"kind = 'generate' and rater_id = ? and state not in {_OVER}", generator)


def get(store: Store, run_id: str) -> RunRow | None:
    """A run, None if there is none of this id."""
    return next(iter(_rows(store, "run_id = ?", run_id)), None)


def all_unfinished(store: Store, rater_id: str) -> list[RunRow]:
    """The rater's runs that have not come to their end and were not given up, oldest first."""
    return _rows(store, f"kind = 'score' and rater_id = ? and state not in {_OVER}", rater_id)


def _rows(store: Store, condition: str, *parameters: str) -> list[RunRow]:
    records = store.query(_RUNS.format(condition=condition), parameters)
    return [RunRow(**rows.decoded(row, "settings") | {"parts": tuple(row["parts"])}) for row in records]


_RUNS = """
with chosen as (
    select run_id, rater_id, scorer, profile, version, settings, folder, state, error, n_items, created, import_id, kind,
        device, engine, place from runs where {condition}
),
counted as (
    select run_id, failed, count(*) as n from evidence where run_id in (select run_id from chosen) group by run_id, failed
),
totals as (
    select run_id, sum(n)::bigint as n_done, list((failed, n) order by n desc) filter (failed is not null) as failures
    from counted group by run_id
),
listed as (
    select run_id, list(part order by part) as parts from run_parts where run_id in (select run_id from chosen) group by run_id
)
select c.*, coalesce(parts, []) as parts, coalesce(n_done, 0) as n_done, map_from_entries(coalesce(failures, [])) as failures
from chosen c left join totals using (run_id) left join listed using (run_id) order by created, run_id
"""


def _refuse_known(connection: Connection, run: Run) -> None:
    if rows.first(connection, "select 1 from runs where run_id = ?", [run.run_id]):
        raise RunRefused(f"there is a run {run.run_id} in this project already")


@transaction(forget=False)
def ingest(
    connection: Connection, run_id: str, part: int, judged: Sequence[tuple[Observation, Sequence[Judgement]]], rule_version: str
) -> bool:
    """Take in one part, whole: evidence, detections, judgements, scales. False if it was in already: nothing changes then.

    Raises:
        RunRefused: there is no such run, or the project does not know one of the images.
        ImportRefused: the suite judges an aspect on another scale.
    """
    row = rows.first(connection, "select rater_id, import_id from runs where run_id = ?", [run_id])
    if row is None:
        raise RunRefused(f"there is no run {run_id} in this project (any more)")
    if rows.first(connection, "select 1 from run_parts where run_id = ? and part = ?", [run_id, part]):
        return False
    seen = [observation for observation, _ in judged]
    items = rows.existing(connection, "items", "item_id", ["suite"], [observation.item_id for observation in seen])
    unknown = [observation.item_id for observation in seen if observation.item_id not in items]
    if unknown:
        raise RunRefused(
            f"part {part} of run {run_id} has {len(unknown)} images that this project does not have, e.g. '{unknown[0]}'"
        )
    rows.add(connection, "run_parts", run_id=run_id, part=part)
    evidence = [
        Evidence(f"{run_id}:{o.item_id}", o.item_id, row["rater_id"], o.payload, tuple(judgements), rule_version, o.failed)
        for o, judgements in judged
    ]
    insert_evidence(connection, evidence, row["import_id"], run_id)
    scorer_evidence.insert_detections(connection, run_id, part, seen)
    aspects = {(items[o.item_id]["suite"], judgement.aspect) for o, judgements in judged for judgement in judgements}
    insert_scales(connection, [(suite, aspect, SCALES[aspect]) for suite, aspect in aspects], row["import_id"])
    return True


def _write_state(connection: Connection, run_id: str, state: State, error: str | None = None) -> None:
    position = None
    if state == "queued":
        last = "select coalesce(max(place), 0) + 1 from runs"
        position = int(
            rows.value(connection, f"select coalesce((select place from runs where run_id = ?), ({last}))", [run_id])
        )
    connection.execute("update runs set state = ?, error = ?, place = ? where run_id = ?", [state, error, position, run_id])


@transaction()
def remove(connection: Connection, run_id: str) -> int:
    """Take a run's evidence and judgements back; returns of how many images. Its files are the caller's to remove.

    Raises:
        RunRefused: there is no such run, or it was imported.
    """
    row = rows.first(connection, "select rater_id, import_id from runs where run_id = ?", [run_id])
    if row is None:
        raise RunRefused(f"there is no run {run_id} in this project (any more)")
    if row["import_id"] is not None:
        raise RunRefused(f"run {run_id} was imported; undo it with: import undo {row['import_id']}")
    its_judgements = "from judgements where source_id in (select evidence_id from evidence where run_id = ?)"
    browse_index.mark_stale_where(
        connection, f"select item_id {its_judgements} union select item_id from evidence where run_id = ?", [run_id, run_id]
    )
    connection.execute(f"delete {its_judgements}", [run_id])
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


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """Where a rater's evidence of an image is."""

    evidence_id: str
    item_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class RejudgedEvidence:
    """What is to be kept.

    Attributes:
        rater: who judges so; its settings are those of the runs.
        runs: by run whose evidence it is, the run that the copy belongs to.
        judged: by evidence what follows from it.
    """

    rater: Rater
    runs: Mapping[str, Run]
    judged: Mapping[str, Sequence[Judgement]]
    rule_version: str


@dataclass(frozen=True, slots=True)
class RejudgedImport:
    """What became of it: the import and how many images; no import where there was nothing new."""

    import_id: int | None
    images: int


def evidence_to_rejudge(store: Store, base: str, rater_id: str) -> list[EvidenceRef]:
    """The evidence of ``base`` (of several of an image the first, as in every statistic) on images of which ``rater_id`` has
    none, in its order."""
    return store.query_records(
        EvidenceRef,
        "select evidence_id, item_id, run_id from evidence e where rater_id = ? and run_id is not null and failed is null"
        " and not exists (select 1 from evidence o where o.item_id = e.item_id and o.rater_id = ? and o.failed is null)"
        " qualify row_number() over (partition by item_id order by seq) = 1 order by seq",
        [base, rater_id],
    )


@transaction()
def store_rejudged(connection: Connection, keeping: RejudgedEvidence) -> RejudgedImport:
    """Copy the evidence to the rater, with what follows from it; what the rater has evidence of meanwhile is left out.

    Raises:
        ImportRefused: the rater's name belongs to a person, or a suite judges an aspect on another scale.
    """
    rater_id = keeping.rater.rater_id
    records = rows.dicts(
        connection,
        "select evidence_id, item_id, run_id, payload, t.suite from evidence e join items t using (item_id)"
        " where evidence_id in (select unnest(?::varchar[]))"
        " and not exists (select 1 from evidence o where o.item_id = e.item_id and o.rater_id = ? and o.failed is null)"
        " order by e.seq",
        [list(keeping.judged), rater_id],
    )
    if not records:
        return RejudgedImport(None, 0)
    import_id = rows.sequence(connection, "import_ids", 1)[0]
    insert_raters(connection, [keeping.rater], import_id)
    for run_id, copy in keeping.runs.items():
        mine = [row for row in records if row["run_id"] == run_id]
        if mine:
            _copy_run(connection, run_id, copy, keeping, mine, import_id)
    aspects = {(row["suite"], judgement.aspect) for row in records for judgement in keeping.judged[row["evidence_id"]]}
    insert_scales(connection, [(suite, aspect, SCALES[aspect]) for suite, aspect in aspects], import_id)
    sha256 = hashlib.sha256("\n".join([rater_id, *(row["evidence_id"] for row in records)]).encode()).hexdigest()
    insert_import(connection, import_id, KEPT_SETTINGS, rater_id, sha256, {"evidence": len(records)})
    return RejudgedImport(import_id, len(records))


def _copy_run(
    connection: Connection,
    run_id: str,
    copy: Run,
    keeping: RejudgedEvidence,
    records: Sequence[Mapping[str, str]],
    import_id: int,
) -> None:
    """The evidence of one run. Masks stay where they are: the copy's folder is the run's."""
    rater_id = keeping.rater.rater_id
    folder = str(rows.value(connection, "select folder from runs where run_id = ?", [run_id]))
    insert_run(connection, copy, rater_id, folder, "done", len(records), import_id)
    named = ((row["item_id"], row["evidence_id"], rows.from_json(row["payload"])) for row in records)
    evidence = [
        Evidence(f"{copy.run_id}:{item}", item, rater_id, payload, tuple(keeping.judged[of]), keeping.rule_version)
        for item, of, payload in named
    ]
    insert_evidence(connection, evidence, import_id, copy.run_id)
    connection.execute(
        "insert into detections select * replace (? as run_id) from detections"
        " where run_id = ? and image_id in (select unnest(?::varchar[]))",
        [copy.run_id, run_id, [row["item_id"] for row in records]],
    )


def generator_settings(store: Store, generator: str) -> dict[str, Any] | None:
    """A generator's settings, None if nothing was made by it here."""
    record = store.query_first("select settings from generations where generator = ?", [generator])
    return None if record is None else rows.decoded(record, "settings")["settings"]


def was_generated_elsewhere(store: Store, generator: str) -> bool:
    """Whether the project has images by it and does not know how it was asked."""
    record = store.query_first(
        "select 1 from images where generator = ? and sha256 is not null"
        " and generator not in (select generator from generations) limit 1",
        [generator],
    )
    return record is not None


@transaction()
def set_generator_settings(connection: Connection, generator: str, settings: Mapping[str, Any]) -> None:
    """Write a generator's settings; what was known of it before is replaced."""
    insert = "insert into generations (generator, settings) values (?, ?)"
    replaced = f"{insert} on conflict do update set settings = excluded.settings"
    connection.execute(replaced, [generator, rows.to_json(settings)])


@transaction()
def delete_generator_settings(connection: Connection, generator: str) -> None:
    """Take a generator's settings away."""
    connection.execute("delete from generations where generator = ?", [generator])
