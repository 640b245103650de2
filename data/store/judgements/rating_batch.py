"""Rating batches: many imported ratings as columns, written by one statement each as answers or evidence and judgements."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from data.records import Judgement
from data.store.core import rows
from data.store.core.connections import Connection

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class RatingValue:
    """One value that ratings of a batch have: the answer, or evidence, as it is stored, and the judgement that follows."""

    answer: Mapping[str, Any]
    judgement: Judgement
    raw: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class RatingBatch:
    """Ratings in their order.

    Attributes:
        table: a row each: ``position`` (from 0), ``item_id``, ``rater_id`` and ``value``, its number among ``values``.
        by_scorer: whether they are evidence, not people's answers.
        namespace, sha256: what their ids are made of, with their numbers.
        questionnaire, rule_version: of all of them.
    """

    table: pa.Table
    values: Sequence[RatingValue]
    by_scorer: bool
    namespace: uuid.UUID
    sha256: str
    questionnaire: str
    rule_version: str

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def first(self, n: int) -> list[tuple[str, str, Judgement]]:
        """Return the item, the rater and the judgement of the first ``n`` ratings."""
        some = self.table.slice(0, n).to_pylist()
        return [(row["item_id"], row["rater_id"], self.values[row["value"]].judgement) for row in some]


# as `uuid.uuid5` makes them: of a SHA-1 the first 16 bytes, with the version and the variant in two places
_IDS: Final = """
create or replace temp table batch as
select position, item_id, rater_id, value,
       substr(hash, 1, 8) || '-' || substr(hash, 9, 4) || '-5' || substr(hash, 14, 3) || '-'
       || substr('89ab', (instr('0123456789abcdef', substr(hash, 17, 1)) - 1) % 4 + 1, 1) || substr(hash, 18, 3) || '-'
       || substr(hash, 21, 12) as id
from (select *, sha1(unhex($namespace) || encode($sha256 || '/' || position::varchar)) as hash from incoming)
"""


def insert_batch(connection: Connection, batch: RatingBatch, import_id: int) -> int:
    """Write a batch's ratings, in its order, with their judgements; returns how many there are."""
    import pyarrow as pa

    n = len(batch)
    if n == 0:
        return 0
    judgements = [value.judgement for value in batch.values]
    values = pa.table(
        {
            "value": pa.array(range(len(judgements)), pa.int32()),
            "answer": pa.array([rows.to_json(value.answer) for value in batch.values], pa.string()),
            "raw": pa.array([None if v.raw is None else rows.to_json(v.raw) for v in batch.values], pa.string()),
            "aspect": pa.array([judgement.aspect for judgement in judgements], pa.string()),
            "target": pa.array([judgement.target for judgement in judgements], pa.string()),
            "label": pa.array([judgement.label for judgement in judgements], pa.string()),
            "number": pa.array([judgement.value for judgement in judgements], pa.float64()),
            "reason": pa.array([judgement.reason for judgement in judgements], pa.string()),
        }
    )
    # numbers of the one writer follow each other
    (first,) = rows.column(connection, "select min(v) from (select nextval('statement_seq') as v from range(?))", [n])
    connection.register("incoming", batch.table)
    connection.register("incoming_values", values)
    try:
        connection.execute(_IDS, {"namespace": batch.namespace.hex, "sha256": batch.sha256})
        connection.execute(_EVIDENCE if batch.by_scorer else _ANSWERS, _parameters(batch, first, import_id))
        connection.execute(_JUDGEMENTS, {"first": first, "rule": batch.rule_version})
        connection.execute("insert into stale select distinct item_id from batch")
    finally:
        connection.unregister("incoming")
        connection.unregister("incoming_values")
        connection.execute("drop table if exists batch")
    return n


def _parameters(batch: RatingBatch, first: int, import_id: int) -> dict[str, Any]:
    common = {"first": first, "import": import_id}
    return common if batch.by_scorer else {**common, "questionnaire": batch.questionnaire}


_EVIDENCE: Final = """
insert into evidence (evidence_id, item_id, rater_id, payload, seq, import_id)
select id, item_id, rater_id, answer, $first + position, $import from batch join incoming_values using (value) order by position
"""
_ANSWERS: Final = """
insert into annotations (annotation_id, item_id, rater_id, questionnaire, answers, raw, submitted, saw_evidence, status,
                         root_id, seq, import_id, selected)
select id, item_id, rater_id, $questionnaire, answer, raw, current_timestamp, false, 'valid', id, $first + position, $import,
       false
from batch join incoming_values using (value) order by position
"""
_JUDGEMENTS: Final = """
insert into judgements (item_id, rater_id, aspect, target, label, value, reason, source_id, rule_version, seq)
select item_id, rater_id, aspect, target, label, number, reason, id, $rule, $first + position
from batch join incoming_values using (value) order by position
"""
