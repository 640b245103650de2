"""The long frame that every statistic is made from: one row, one judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store import rows
from data.store.selection import Selection
from data.store.store import Store

if TYPE_CHECKING:
    import pandas as pd

Scales = dict[tuple[str, str], str]
"""The scale of each (suite, aspect)."""

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


def frame(store: Store, selection: Selection) -> pd.DataFrame:
    """The selected judgements.

    Columns: ``suite, prompt, task, generator, item, rater, kind, identity, simulated, aspect, target, label, number, seq,
    excluded``; ``excluded`` says why a row does not count (``cannot_tell, repeat, saw_evidence, surplus, gold, training``;
    ``selected``: the item was picked for a campaign that has items drawn by chance).
    """
    condition, parameters = selection.judgements()
    with store.read() as cursor:
        found: pd.DataFrame = cursor.execute(FRAME.format(where=condition, more=""), parameters).df()
    return found


def of_campaign(store: Store, campaign_id: str) -> pd.DataFrame:
    """What people said in a campaign, and scorers of the same items; columns as of ``frame``."""
    where = (
        "j.item_id in (select j2.item_id from judgements j2 join annotations a2 on a2.annotation_id = j2.source_id"
        " where a2.campaign_id = $campaign) and (r.kind = 'scorer' or a.campaign_id = $campaign)"
    )
    with store.read() as cursor:
        found: pd.DataFrame = cursor.execute(FRAME.format(where=where, more=""), {"campaign": campaign_id}).df()
    return found


def labels(store: Store) -> dict[tuple[str, str], list[str]]:
    """The labels of each (suite, aspect) that count anywhere in the project, in the order of their names."""
    query = (
        "select suite, aspect, list_sort(list(distinct label)) as labels from judgements j join items using (item_id)"
        " left join annotations a on a.annotation_id = j.source_id"
        f" where label is not null and ({WHY_EXCLUDED}) is null group by suite, aspect"
    )
    with store.read() as cursor:
        return {(row["suite"], row["aspect"]): row["labels"] for row in rows.dicts(cursor, query)}


def scales(store: Store) -> Scales:
    """The scale of each (suite, aspect)."""
    with store.read() as cursor:
        found = rows.dicts(cursor, "select suite, aspect, scale from scales")
    return {(row["suite"], row["aspect"]): row["scale"] for row in found}
