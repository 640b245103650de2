"""Aggregates: what an engine counts of one aspect: people's labels and each scorer's value, all names as codes.

They stand in place of a frame of all judgements, which takes 3 s to read of half a million (`agreement/engine/live.py` has the
measurements). Which judgements count is decided as in ``data.store.core.frame``. The frames are those that
``agreement.engine.counts`` describes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from data.aspects import CANNOT_TELL
from data.selection import Selection
from data.store.core.conditions import Where, items_condition, judgements_condition
from data.store.core.connections import Connection
from data.store.core.frame import JUDGED, WHY_EXCLUDED
from data.store.core.rows import placeholders
from data.store.core.store import Store

SCORE, REPEAT = "score", "repeat"
_REASONS = (CANNOT_TELL, "surplus", "gold", "training", "saw_evidence", "selected", REPEAT)
"""Why judgements do not count; ``judgements.reason`` may have others."""


class Aggregates(NamedTuple):
    """Items, what was said of them on one aspect, and the scores that scorers gave them.

    Attributes:
        items: ``item, task``.
        said: a row for each judgement: ``item`` (a row of ``items``), ``target, scorer`` (none: people), ``simulated, label``
            and ``reason`` (none: it counts).
        scores: the same, with a ``number`` (NaN: none) in place of a label.
    """

    items: pd.DataFrame
    said: pd.DataFrame
    scores: pd.DataFrame


@dataclass(frozen=True, slots=True)
class AggregateQuery:
    """What is counted: one suite's aspect, and what else restricts it (its suites and aspects play no part)."""

    suite: str
    aspect: str
    selection: Selection

    def items(self) -> Where:
        """The condition on ``items t``."""
        condition, parameters = items_condition(replace(self.selection, suite=()))
        return f"t.suite = ? and {condition}", [self.suite, *parameters]

    def judgements(self, aspect: str) -> Where:
        """The condition on judgements of this aspect."""
        condition, parameters = judgements_condition(replace(self.selection, suite=(), aspect=()))
        return f"t.suite = ? and j.aspect = ? and {condition}", [self.suite, aspect, *parameters]


def aggregate(store: Store, query: AggregateQuery) -> Aggregates:
    """All that is asked for, from one state of the project."""
    with store.read() as cursor:
        cursor.begin()
        try:
            queried = _QueriedItems.read(cursor, query)
            judgements = _read(cursor, query, query.aspect, ("human", "scorer"), queried)
            return Aggregates(queried.items, judgements, _read(cursor, query, SCORE, ("scorer",), queried))
        finally:
            cursor.rollback()


ItemAnswers = list[tuple[str, str | None, bool, str | None, str | None]]
"""``item, target, simulated, label, reason`` (None: it counts) of each judgement."""


def aggregate_items(
    store: Store, aggregate_query: AggregateQuery, items: Sequence[str]
) -> tuple[dict[str, str | None], ItemAnswers]:
    """What people say of a few items now, whether anything or not: each item's task, and the answers. Takes milliseconds."""
    (condition, parameters), (judged, of_judged) = aggregate_query.items(), aggregate_query.judgements(aggregate_query.aspect)
    among = f"t.item_id in {placeholders(items)}"
    # by seq, of which the database knows in what part of the judgements it lies
    few = JUDGED.format(where=f"r.kind = 'human' and {judged} and {among}", more="").replace("from judgements j", "from few j")
    with store.read() as cursor:
        cursor.begin()
        try:
            query = f"select t.item_id, nullif(t.task, '') from items t where {condition} and {among}"
            tasks = dict(cursor.execute(query, [*parameters, *items]).fetchall())
            rows = cursor.execute(_FEW.format(judged=few), [list(items), *of_judged, *items]).fetchall()
        finally:
            cursor.rollback()
    return tasks, rows


# of groups and pairs that show one of these images, too: what is said of them may be about the image
_FEW = """
with asked as (select unnest(?::varchar[]) as item_id),
few as materialized (
    select * from judgements where seq in (
        select seq from annotations where item_id in (
            from asked union select item_id from item_members where image_id in (from asked)))
)
select item, target, simulated, nullif(label, ''), excluded from ({judged})
"""


@dataclass(frozen=True, slots=True)
class _QueriedItems:
    """The items of a question, and all raters.

    Attributes:
        items: as in ``Aggregates``.
        position: by row of the table ``items`` the row among them.
        scorers: their names, sorted.
        scorer: by row of the table ``raters`` the position in ``scorers`` from 1, 0 for people; ``simulated`` likewise.
    """

    items: pd.DataFrame
    position: np.ndarray[Any, np.dtype[np.int64]]
    scorers: list[str]
    scorer: np.ndarray[Any, np.dtype[np.int64]]
    simulated: np.ndarray[Any, np.dtype[np.bool_]]

    @classmethod
    def read(cls, cursor: Connection, aggregate_query: AggregateQuery) -> _QueriedItems:
        condition, parameters = aggregate_query.items()
        tasks = sorted(row[0] for row in cursor.execute("select distinct task from items where task <> ''").fetchall())
        query = (
            "select t.rowid as place, t.item_id as item, coalesce(list_position(?::varchar[], t.task), 0) as task"
            f" from items t where {condition}"
        )
        columns = cursor.execute(query, [tasks, *parameters]).fetchnumpy()
        item = np.asarray(columns["place"], np.int64)
        position = np.full(int(item.max(initial=-1)) + 1, -1, np.int64)
        position[item] = np.arange(item.size)
        items = pd.DataFrame({
            "item": pd.Series(columns["item"], dtype=object), "task": _categories(columns["task"], tasks)
        })  # fmt: skip
        raters = cursor.execute("select rowid, rater_id, kind = 'scorer', simulated from raters order by rowid").fetchall()
        scorers = sorted(name for _, name, is_scorer, _ in raters if is_scorer)
        of_name = {name: n for n, name in enumerate(scorers, 1)}
        size = raters[-1][0] + 1 if raters else 0
        scorer, simulated = np.zeros(size, np.int64), np.zeros(size, bool)
        for row, name, _, imitated in raters:
            scorer[row], simulated[row] = of_name.get(name, 0), imitated
        return cls(items, position, scorers, scorer, simulated)


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of an aspect's judgements, sorted, of which the database makes codes."""

    target: list[str]
    label: list[str]
    reason: list[str]

    @classmethod
    def read(cls, cursor: Connection, aspect: str) -> _Names:
        label = "null" if aspect == SCORE else "label"
        query = f"select distinct target, {label}, reason from judgements where aspect = ?"
        rows = cursor.execute(query, [aspect]).fetchall()
        targets, labels, reasons = ({row[n] for row in rows if row[n]} for n in range(3))
        return cls(*(sorted(names) for names in (targets, labels, {*reasons, *_REASONS})))


_JUDGEMENTS = """
select t.rowid as place, r.rowid as rater, coalesce(list_position(?::varchar[], j.target), 0) as target,
       coalesce(list_position(?::varchar[], j.label), 0) as label, coalesce({number}, 'nan'::double) as number,
       coalesce(list_position(?::varchar[], {reason}), 0) as reason, j.seq
from judgements j
join items t on t.item_id = j.item_id
join raters r on r.rater_id = j.rater_id
left join annotations a on a.annotation_id = j.source_id{more}
where r.kind in (select unnest(?::varchar[])) and {where}
"""
_KEEPS_OUT = " and (a.status <> 'valid' or a.saw_evidence or a.selected)"


def _read(
    cursor: Connection, aggregate_query: AggregateQuery, aspect: str, kinds: Sequence[str], queried: _QueriedItems
) -> pd.DataFrame:
    """The judgements of these kinds of raters."""
    names = _Names.read(cursor, aspect)
    where, of_where = aggregate_query.judgements(aspect)
    selection = aggregate_query.selection
    # only annotations that keep something out need to be looked at
    more = "" if selection.campaign or selection.since or selection.until else _KEEPS_OUT
    number = "j.value" if aspect == SCORE else "null"
    query = _JUDGEMENTS.format(number=number, reason=WHY_EXCLUDED, more=more, where=where)
    columns = cursor.execute(query, [names.target, names.label, names.reason, list(kinds), *of_where]).fetchnumpy()
    item, rater, target, label, reason = (np.asarray(columns[name]) for name in ("place", "rater", "target", "label", "reason"))
    # one judgement counts per (item, target, rater): the earliest that nothing else keeps out
    counting = np.argsort(columns["seq"], kind="stable")
    counting = counting[reason[counting] == 0]
    cell = (item[counting] * queried.scorer.size + rater[counting]) * (len(names.target) + 1) + target[counting]
    reason[counting[pd.Series(cell).duplicated().to_numpy()]] = names.reason.index(REPEAT) + 1
    return pd.DataFrame({
        "item": queried.position[item],
        "target": _categories(target, names.target),
        "scorer": _categories(queried.scorer[rater], queried.scorers),
        "simulated": queried.simulated[rater],
        "label": _categories(label, names.label),
        "number": columns["number"],
        "reason": _categories(reason, names.reason),
    })  # fmt: skip


def _categories(code: Any, names: Any) -> pd.Categorical[str]:
    """Names (a list of words) by positions that count from 1, as the database does; 0 for none."""
    return pd.Categorical.from_codes(code - 1, names)
