"""What was said: annotations and evidence, and the judgements that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from data.aspects import SCALES
from data.records import Annotation, Evidence, Judgement
from data.store import rows
from data.store.store import Store, run

_ANNOTATION_COLUMNS = (
    "annotation_id",
    "campaign_id",
    "item_id",
    "rater_id",
    "questionnaire",
    "answers",
    "raw",
    "started",
    "submitted",
    "active_seconds",
    "saw_evidence",
    "status",
    "revises",
    "root_id",
    "seq",
    "import_id",
)
_JUDGEMENT_COLUMNS = ("item_id", "rater_id", "aspect", "target", "label", "value", "reason", "source_id", "rule_version", "seq")


@dataclass(frozen=True, slots=True)
class Saved:
    """The fate of a submission.

    Attributes:
        new: False if it had been saved before (sent twice).
        status: ``valid``, or ``surplus`` where enough people had answered already.
    """

    annotation_id: str
    new: bool
    status: str


def submit(store: Store, annotation: Annotation) -> Saved:
    """Save one answer; returns once it is on disk. Sending the same ``annotation_id`` again changes nothing.

    A revision supersedes its predecessor's judgements and keeps its place in the order; a revision of something already
    revised joins the end of that chain.

    Raises:
        KeyError: ``revises`` names no annotation of this rater on this item.
    """
    return store.write(_submit, annotation)


def rebuild(store: Store, derive: Callable[[dict[str, Any]], tuple[str, Sequence[Judgement]]]) -> int:
    """Remake all judgements from their sources; returns how many there are.

    ``derive`` gets a source as a dictionary (``questionnaire, answers, spec`` of an annotation; ``payload, spec`` of
    evidence) and returns the rule version and the judgements.
    """
    count: int = store.write(_rebuild, derive)
    return count


def _submit_all(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation]) -> list[Saved]:
    known = rows.existing(connection, "annotations", "annotation_id", ["status"], [a.annotation_id for a in annotations])
    results: list[Saved] = []
    for annotation in annotations:
        stored = known.get(annotation.annotation_id)
        if stored is None:
            status, root, seq, revises = _place(connection, annotation)
            now = datetime.now(UTC)
            rows.insert(
                connection, "annotations", _ANNOTATION_COLUMNS, [_row(annotation, status, revises, root, seq, now, None)]
            )
            if revises:
                connection.execute("delete from judgements where source_id = ?", [revises])
            rows.insert(
                connection, "judgements", _JUDGEMENT_COLUMNS, _judgement_rows(annotation, annotation.annotation_id, seq)
            )
            _ensure_scales(connection, annotation)
            known[annotation.annotation_id] = {"status": status}
        results.append(Saved(annotation.annotation_id, stored is None, known[annotation.annotation_id]["status"]))
    return results


def _ensure_scales(connection: duckdb.DuckDBPyConnection, annotation: Annotation) -> None:
    """A suite that is judged for the first time gets the vocabulary's scales."""
    connection.execute(
        "insert into scales (suite, aspect, scale) select t.suite, new.aspect, new.scale from items t,"
        " (select unnest(?::varchar[]) as aspect, unnest(?::varchar[]) as scale) new where t.item_id = ?"
        " and not exists (select 1 from scales s where s.suite = t.suite and s.aspect = new.aspect)",
        [
            aspects := sorted({j.aspect for j in annotation.judgements}),
            [SCALES[aspect] for aspect in aspects],
            annotation.item_id,
        ],
    )


def _place(connection: duckdb.DuckDBPyConnection, annotation: Annotation) -> tuple[str, str, int, str | None]:
    """Status, root, place in the order, and what is really revised."""
    if annotation.revises:
        latest = rows.one(
            connection,
            "select annotation_id, status, root_id, seq from annotations where item_id = ? and rater_id = ? and root_id ="
            " (select root_id from annotations where annotation_id = ?)"
            " and annotation_id not in (select revises from annotations where revises is not null and rater_id = ?)",
            [annotation.item_id, annotation.rater_id, annotation.revises, annotation.rater_id],
        )
        if latest is None:
            raise KeyError(annotation.revises)
        return latest["status"], latest["root_id"], latest["seq"], latest["annotation_id"]
    seq = rows.sequence(connection, "statement_seq", 1)[0]
    return _status(connection, annotation), annotation.annotation_id, seq, None


def _status(connection: duckdb.DuckDBPyConnection, annotation: Annotation) -> str:
    if annotation.campaign_id is None:
        return "valid"
    others = rows.value(
        connection,
        "select count(distinct rater_id) from annotations"
        " where campaign_id = ? and item_id = ? and rater_id <> ? and status = 'valid'",
        [annotation.campaign_id, annotation.item_id, annotation.rater_id],
    )
    overlap = rows.value(connection, "select max(overlap) from campaigns where campaign_id = ?", [annotation.campaign_id])
    return "surplus" if overlap is not None and others >= overlap else "valid"


def insert_annotations(connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], import_id: int) -> int:
    """Imported answers, in their source's order; returns how many."""
    numbers = rows.sequence(connection, "statement_seq", len(annotations))
    placed = list(zip(annotations, numbers, strict=True))
    now = datetime.now(UTC)
    rows.insert(
        connection,
        "annotations",
        _ANNOTATION_COLUMNS,
        [_row(annotation, "valid", None, annotation.annotation_id, seq, now, import_id) for annotation, seq in placed],
    )
    judgements = [row for annotation, seq in placed for row in _judgement_rows(annotation, annotation.annotation_id, seq)]
    rows.insert(connection, "judgements", _JUDGEMENT_COLUMNS, judgements)
    return len(annotations)


def insert_evidence(connection: duckdb.DuckDBPyConnection, evidence: Sequence[Evidence], import_id: int) -> int:
    """Imported evidence, in its source's order; returns how much."""
    placed = list(zip(evidence, rows.sequence(connection, "statement_seq", len(evidence)), strict=True))
    rows.insert(
        connection,
        "evidence",
        ("evidence_id", "item_id", "rater_id", "payload", "seq", "import_id"),
        [(e.evidence_id, e.item_id, e.rater_id, rows.to_json(e.payload), seq, import_id) for e, seq in placed],
    )
    judgements = [row for e, seq in placed for row in _judgement_rows(e, e.evidence_id, seq)]
    rows.insert(connection, "judgements", _JUDGEMENT_COLUMNS, judgements)
    return len(evidence)


def _row(
    a: Annotation, status: str, revises: str | None, root_id: str, seq: int, now: datetime, import_id: int | None
) -> tuple[Any, ...]:
    raw = None if a.raw is None else rows.to_json(a.raw)
    said = (a.questionnaire, rows.to_json(a.answers), raw)
    when = (a.started, now, a.active_seconds)
    return (
        a.annotation_id,
        a.campaign_id,
        a.item_id,
        a.rater_id,
        *said,
        *when,
        a.saw_evidence,
        status,
        revises,
        root_id,
        seq,
        import_id,
    )


def _judgement_rows(source: Annotation | Evidence, source_id: str, seq: int) -> Iterable[tuple[Any, ...]]:
    for j in source.judgements:
        said = (j.aspect, j.target, j.label, j.value, j.reason)
        yield (source.item_id, source.rater_id, *said, source_id, source.rule_version, seq)


def _rebuild_one(
    connection: duckdb.DuckDBPyConnection, derive: Callable[[dict[str, Any]], tuple[str, Sequence[Judgement]]]
) -> int:
    sources = rows.dicts(
        connection,
        "select a.annotation_id as source_id, a.item_id, a.rater_id, a.seq, a.questionnaire, a.answers, null as payload, p.spec"
        " from annotations a join items t using (item_id) left join prompts p on p.prompt_id = t.prompt_id"
        " where a.annotation_id not in (select revises from annotations where revises is not null)"
        " union all select e.evidence_id, e.item_id, e.rater_id, e.seq, null, null, e.payload, p.spec"
        " from evidence e join items t using (item_id) left join prompts p on p.prompt_id = t.prompt_id order by seq",
    )
    judgements: list[tuple[Any, ...]] = []
    for source in sources:
        version, derived = derive(rows.decoded(source, "answers", "payload", "spec"))
        where = (source["item_id"], source["rater_id"])
        last = (source["source_id"], version, source["seq"])
        judgements.extend((*where, j.aspect, j.target, j.label, j.value, j.reason, *last) for j in derived)
    connection.execute("delete from judgements")
    rows.insert(connection, "judgements", _JUDGEMENT_COLUMNS, judgements)
    return len(judgements)


_submit = _submit_all
_rebuild = run(_rebuild_one)
