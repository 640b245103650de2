"""Evidence judged by other settings and kept: another rater with the same evidence, as an import that can be undone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from data.aspects import SCALES
from data.jobs.runs import Run
from data.records import Evidence, Judgement, Rater
from data.store import rows
from data.store.frame import KEPT_SETTINGS
from data.store.imports import insert_raters, insert_scales
from data.store.observed import insert_run
from data.store.statements import insert_evidence
from data.store.store import Store, run


@dataclass(frozen=True, slots=True)
class Stated:
    """Where a rater's evidence of an image is."""

    evidence_id: str
    item_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class Keeping:
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
class Kept:
    """What became of it: the import and how many images; no import where there was nothing new."""

    import_id: int | None
    images: int


def stated(store: Store, base: str, rater_id: str) -> list[Stated]:
    """The evidence of ``base`` (of several of an image the first, as in every statistic) on images of which ``rater_id`` has
    none, in its order."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select evidence_id, item_id, run_id from evidence e where rater_id = ? and run_id is not null and failed is null"
            " and not exists (select 1 from evidence o where o.item_id = e.item_id and o.rater_id = ? and o.failed is null)"
            " qualify row_number() over (partition by item_id order by seq) = 1 order by seq",
            [base, rater_id],
        )
    return [Stated(**row) for row in found]


def keep(store: Store, keeping: Keeping) -> Kept:
    """Copy the evidence to the rater, with what follows from it; what the rater has evidence of meanwhile is left out.

    Raises:
        ImportRefused: the rater's name belongs to a person, or a suite judges an aspect on another scale.
    """
    kept: Kept = store.write(_keep, keeping)
    return kept


def _keep_one(connection: duckdb.DuckDBPyConnection, keeping: Keeping) -> Kept:
    rater_id = keeping.rater.rater_id
    found = rows.dicts(
        connection,
        "select evidence_id, item_id, run_id, payload, t.suite from evidence e join items t using (item_id)"
        " where evidence_id in (select unnest(?::varchar[]))"
        " and not exists (select 1 from evidence o where o.item_id = e.item_id and o.rater_id = ? and o.failed is null)"
        " order by e.seq",
        [list(keeping.judged), rater_id],
    )
    if not found:
        return Kept(None, 0)
    import_id = rows.sequence(connection, "import_ids", 1)[0]
    insert_raters(connection, [keeping.rater], import_id)
    for run_id, copy in keeping.runs.items():
        mine = [row for row in found if row["run_id"] == run_id]
        if mine:
            _copy_run(connection, run_id, copy, keeping, mine, import_id)
    aspects = {(row["suite"], one.aspect) for row in found for one in keeping.judged[row["evidence_id"]]}
    insert_scales(connection, [(suite, aspect, SCALES[aspect]) for suite, aspect in aspects], import_id)
    sha256 = hashlib.sha256("\n".join([rater_id, *(row["evidence_id"] for row in found)]).encode()).hexdigest()
    rows.insert(
        connection,
        "imports",
        ("import_id", "kind", "name", "sha256", "counts"),
        [(import_id, KEPT_SETTINGS, rater_id, sha256, rows.to_json({"evidence": len(found)}))],
    )
    return Kept(import_id, len(found))


def _copy_run(
    connection: duckdb.DuckDBPyConnection,
    run_id: str,
    copy: Run,
    keeping: Keeping,
    found: Sequence[Mapping[str, str]],
    import_id: int,
) -> None:
    """The evidence of one run. Masks stay where they are: the copy's folder is the run's."""
    rater_id = keeping.rater.rater_id
    folder = str(rows.value(connection, "select folder from runs where run_id = ?", [run_id]))
    insert_run(connection, copy, rater_id, folder, "done", len(found), import_id)
    evidence = [
        Evidence(
            f"{copy.run_id}:{row['item_id']}",
            row["item_id"],
            rater_id,
            rows.from_json(row["payload"]),
            tuple(keeping.judged[row["evidence_id"]]),
            keeping.rule_version,
        )
        for row in found
    ]
    insert_evidence(connection, evidence, import_id, copy.run_id)
    connection.execute(
        "insert into detections select * replace (? as run_id) from detections"
        " where run_id = ? and image_id in (select unnest(?::varchar[]))",
        [copy.run_id, run_id, [row["item_id"] for row in found]],
    )


_keep = run(_keep_one)
