"""The long frame that every statistic is made from: one row, one judgement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.aspects import Scales
from data.selection import Selection
from data.store.core import rows
from data.store.core.conditions import judgements_condition
from data.store.core.connections import Connection
from data.store.core.store import Store

if TYPE_CHECKING:
    import pandas as pd


WHY_EXCLUDED = """case when a.status is not null and a.status <> 'valid' then a.status
                when coalesce(a.saw_evidence, false) then 'saw_evidence'
                when coalesce(a.selected, false) then 'selected'
                else j.reason end"""
"""Why a judgement does not count; null if it may, being its rater's first."""

JUDGED = """
with said as (
    select t.suite, t.prompt_id as prompt, t.task, t.generator, j.item_id as item, j.rater_id as rater, r.kind, r.identity,
           r.simulated, j.aspect, nullif(j.target, '') as target, j.label, j.value as number, j.seq,
           {why} as excluded{more}
    from judgements j
    join items t on t.item_id = j.item_id
    join raters r on r.rater_id = j.rater_id
    left join annotations a on a.annotation_id = j.source_id
    where {where}
)
-- one judgement counts per (item, rater, aspect, target): the earliest that nothing else keeps out
select * replace (
    case when excluded is null and row_number() over (
        partition by item, rater, aspect, target, excluded is null order by seq
    ) > 1 then 'repeat' else excluded end as excluded)
from said
""".replace("{why}", WHY_EXCLUDED)
"""Judgements in no order. ``where``: which; ``more``: further columns, each with a comma before it."""

FRAME = f"{JUDGED}order by seq, aspect, target"
"""The same in the order of a frame."""

KEPT_SETTINGS = "kept settings"
"""The kind of an import that judges what a scorer saw by other settings."""

TUNED_RATINGS = "tuned ratings"
"""The kind of an import of scorers that are said to be tuned on people's labels, or made from them."""

TUNED = f"""
with brought as (
    select e.import_id, i.kind, j.item_id, j.seq from judgements j
    join evidence e on e.evidence_id = j.source_id
    join imports i on i.import_id = e.import_id and i.kind in ('{TUNED_RATINGS}', '{KEPT_SETTINGS}')
)
select import_id from brought b group by import_id, kind having kind = '{TUNED_RATINGS}' or exists (
    select 1 from judgements h join raters r on r.rater_id = h.rater_id and r.kind = 'human' and not r.simulated
    where h.seq < min(b.seq) and h.item_id in (select item_id from brought o where o.import_id = b.import_id)
)"""
"""Imports of such ratings, and of settings that were kept where people's answers of the same images could be seen."""


def frame(store: Store, selection: Selection, *, campaigns: bool = False) -> pd.DataFrame:
    """The selected judgements; with ``campaigns`` the one that each label is of, as a column ``campaign``.

    Columns: ``suite, prompt, task, generator, item, rater, kind, identity, simulated, aspect, target, label, number, seq,
    excluded, saw_labels``; ``excluded`` says why a row does not count (``cannot_tell, repeat, saw_evidence, surplus, gold,
    training``; ``selected``: the item was picked for a campaign that has items drawn by chance); ``saw_labels``: the scorer
    was made, or its settings were chosen, with people's labels in view.
    """
    condition, parameters = judgements_condition(selection)
    with store.read() as cursor:
        more = _saw_labels(cursor) + (", a.campaign_id as campaign" if campaigns else "")
        return rows.frame(cursor, FRAME.format(where=condition, more=more), parameters)


def _saw_labels(cursor: Connection) -> str:
    """The column ``saw_labels``."""
    tuned = ", ".join(map(str, rows.column(cursor, TUNED)))
    mine = f"j.source_id in (select evidence_id from evidence where import_id in ({tuned}))" if tuned else "false"
    return f", {mine} as saw_labels"


def of_campaign(store: Store, campaign_id: str) -> pd.DataFrame:
    """What people said in a campaign, and scorers of the same items; columns as of ``frame``."""
    where = (
        "j.item_id in (select j2.item_id from judgements j2 join annotations a2 on a2.annotation_id = j2.source_id"
        " where a2.campaign_id = $campaign) and (r.kind = 'scorer' or a.campaign_id = $campaign)"
    )
    with store.read() as cursor:
        return rows.frame(cursor, FRAME.format(where=where, more=_saw_labels(cursor)), {"campaign": campaign_id})


@dataclass(frozen=True, slots=True)
class RatedAspect:
    """An aspect of a suite that people (``rater`` None) or a scorer judge."""

    suite: str
    aspect: str
    rater: str | None


def rated_aspects(store: Store, selection: Selection) -> list[RatedAspect]:
    """Return which aspects of whole items the selected judgements are of, and which scorers gave them."""
    condition, parameters = judgements_condition(selection)
    return store.query_records(
        RatedAspect,
        "select distinct t.suite, j.aspect, case when r.kind = 'scorer' then r.rater_id end as rater from judgements j"
        " join items t using (item_id) join raters r on r.rater_id = j.rater_id"
        " left join annotations a on a.annotation_id = j.source_id"
        f" where ({condition}) and j.target is null and (j.label is not null or j.value is not null) order by all",
        parameters,
    )


def labels(store: Store) -> dict[tuple[str, str], list[str]]:
    """The labels of each (suite, aspect) that count anywhere in the project, in the order of their names."""
    records = store.query(
        "select suite, aspect, list_sort(list(distinct label)) as labels from judgements j join items using (item_id)"
        " left join annotations a on a.annotation_id = j.source_id"
        f" where label is not null and ({WHY_EXCLUDED}) is null group by suite, aspect"
    )
    return {(row["suite"], row["aspect"]): row["labels"] for row in records}


def scales(store: Store) -> Scales:
    """The scale of each (suite, aspect)."""
    records = store.query("select suite, aspect, scale from scales")
    return {(row["suite"], row["aspect"]): row["scale"] for row in records}
