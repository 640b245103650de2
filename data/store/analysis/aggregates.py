"""Aggregates: judgements counted by unit in the database: how often people chose each label, and each scorer's value.

Which judgements count is decided as in ``data.store.core.frame``, but no row of theirs leaves the database: ``GROUP BY``
makes one row of each (item, target, who, label, reason), and names come as codes. The frames are those that
``agreement.engine.counts`` describes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from data.aspects import CANNOT_TELL
from data.store.core.frame import JUDGED, WHY_EXCLUDED
from data.store.core.selection import Selection, Where
from data.store.core.store import Store

if TYPE_CHECKING:
    import duckdb

SCORE, REPEAT = "score", "repeat"
_FIRST_SCORER = 2
_REASONS = (CANNOT_TELL, "surplus", "gold", "training", "saw_evidence", "selected", REPEAT)
"""Why judgements do not count; ``judgements.reason`` may have others."""


class Aggregates(NamedTuple):
    """Items, what was said of them on one aspect, and the scores that scorers gave them.

    Attributes:
        items: ``item, task``.
        said: ``item`` (a row of ``items``), ``target, scorer`` (none: people), ``simulated, label, number, reason`` (none: they
            count) and ``count``, how many judgements.
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
        condition, parameters = replace(self.selection, suite=()).items()
        return f"t.suite = ? and {condition}", [self.suite, *parameters]

    def judgements(self, aspect: str) -> Where:
        """The condition on judgements of this aspect."""
        condition, parameters = replace(self.selection, suite=(), aspect=()).judgements()
        return f"t.suite = ? and j.aspect = ? and {condition}", [self.suite, aspect, *parameters]


def aggregate(store: Store, asked: AggregateQuery) -> Aggregates:
    """All that is asked for, from one state of the project."""
    with store.read() as cursor:
        cursor.begin()
        try:
            queried = _QueriedItems.read(cursor, asked)
            names, of_scores = (_Names.read(cursor, aspect) for aspect in (asked.aspect, SCORE))
            both = [_read(cursor, asked, names, kind, queried) for kind in ("human", "scorer")]
            return Aggregates(
                queried.items, pd.concat(both, ignore_index=True), _read(cursor, asked, of_scores, "scorer", queried)
            )
        finally:
            cursor.rollback()


ItemAnswers = list[tuple[str, str | None, bool, str | None, str | None, int]]
"""``item, target, simulated, label, reason`` (None: they count), and how many judgements."""


def aggregate_items(store: Store, asked: AggregateQuery, items: Sequence[str]) -> tuple[dict[str, str | None], ItemAnswers]:
    """What people say of a few items now, whether anything or not: each item's task, and the answers. Takes milliseconds."""
    (condition, parameters), (judged, of_judged) = asked.items(), asked.judgements(asked.aspect)
    among = f"t.item_id in ({', '.join('?' * len(items))})"
    # by seq, of which the database knows in what part of the judgements it lies
    few = JUDGED.format(where=f"r.kind = 'human' and {judged} and {among}", more="").replace("from judgements j", "from few j")
    with store.read() as cursor:
        cursor.begin()
        try:
            query = f"select t.item_id, nullif(t.task, '') from items t where {condition} and {among}"
            tasks = dict(cursor.execute(query, [*parameters, *items]).fetchall())
            said = cursor.execute(_FEW.format(judged=few), [list(items), *of_judged, *items]).fetchall()
        finally:
            cursor.rollback()
    return tasks, said


# of groups and pairs that show one of these images, too: what is said of them may be about the image
_FEW = """
with asked as (select unnest(?::varchar[]) as item_id),
few as materialized (
    select * from judgements where seq in (
        select seq from annotations where item_id in (
            from asked union select item_id from item_members where image_id in (from asked)))
)
select item, target, simulated, nullif(label, ''), excluded, count(*) from ({judged}) group by all
"""


@dataclass(frozen=True, slots=True)
class _QueriedItems:
    """The items of a question: ``position`` has by row of the table ``items`` the row among them; and all scorers by name."""

    items: pd.DataFrame
    position: np.ndarray[Any, np.dtype[np.int64]]
    scorers: list[str]

    @classmethod
    def read(cls, cursor: duckdb.DuckDBPyConnection, asked: AggregateQuery) -> _QueriedItems:
        condition, parameters = asked.items()
        query = f"select t.rowid as place, t.item_id as item, nullif(t.task, '') as task from items t where {condition}"
        found = cursor.execute(query, parameters).fetchnumpy()
        place = np.asarray(found["place"], np.int64)
        position = np.full(int(place.max(initial=-1)) + 1, -1, np.int64)
        position[place] = np.arange(place.size)
        items = pd.DataFrame({"item": found["item"], "task": pd.Categorical(np.ma.asarray(found["task"]).tolist())})
        scorers = cursor.execute("select rater_id from raters where kind = 'scorer'").fetchall()
        return cls(items.astype({"item": object}), position, sorted(row[0] for row in scorers))


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of an aspect's judgements, sorted, of which the database makes codes."""

    aspect: str
    target: list[str]
    label: list[str]
    reason: list[str]

    @classmethod
    def read(cls, cursor: duckdb.DuckDBPyConnection, aspect: str) -> _Names:
        label = "null" if aspect == SCORE else "label"
        query = f"select distinct target, {label}, reason from judgements where aspect = ?"
        found = cursor.execute(query, [aspect]).fetchall()
        targets, labels, reasons = ({row[n] for row in found if row[n]} for n in range(3))
        return cls(aspect, *(sorted(names) for names in (targets, labels, {*reasons, *_REASONS})))


# One judgement counts per (item, target, rater): the earliest that nothing else keeps out.
_FIRSTS = """
with said as (
    select t.rowid as place, r.rater, r.who, list_position(?::varchar[], j.target) as target,
           list_position(?::varchar[], j.label) as label, {number} as number,
           list_position(?::varchar[], {reason}) as reason, j.seq
    from judgements j
    join items t on t.item_id = j.item_id
    join (
        select rater_id, kind, rowid as rater,
               case when kind = 'human' then simulated::int else {first} - 1 + list_position(?::varchar[], rater_id) end as who
        from raters where kind = ?
    ) r on r.rater_id = j.rater_id
    left join annotations a on a.annotation_id = j.source_id{more}
    where {where}
),
firsts as (
    select place, who, target, rater, reason, count(*) as n,
           arg_min_null(label, seq) as label, arg_min_null(number, seq) as number
    from said group by place, who, target, rater, reason
)
"""
_KEEPS_OUT = " and (a.status <> 'valid' or a.saw_evidence or a.selected)"
# People of one kind together, each scorer by itself.
_PEOPLE = """
select place, who, target, reason, label, 'nan'::double as number,
       (case when reason is null then count(*) else sum(n) end)::bigint as count,
       (case when reason is null then sum(n) - count(*) else 0 end)::bigint as repeats
from firsts group by place, who, target, reason, label
"""
_SCORERS = """
select place, who, target, reason, label, coalesce(number, 'nan') as number,
       case when reason is null then 1 else n end as count, case when reason is null then n - 1 else 0 end as repeats
from firsts
"""


def _read(
    cursor: duckdb.DuckDBPyConnection, asked: AggregateQuery, names: _Names, kind: str, queried: _QueriedItems
) -> pd.DataFrame:
    """The judgements of a kind of raters, counted; repeats have rows of their own."""
    where, of_where = asked.judgements(names.aspect)
    selection = asked.selection
    # only annotations that keep something out need to be looked at
    more = "" if selection.campaign or selection.since or selection.until else _KEEPS_OUT
    number = "j.value" if names.aspect == SCORE else "null::double"
    firsts = _FIRSTS.format(number=number, reason=WHY_EXCLUDED, first=_FIRST_SCORER, more=more, where=where)
    lists = [names.target, names.label, names.reason, queried.scorers]
    query = firsts + (_PEOPLE if kind == "human" else _SCORERS)
    found = cursor.execute(query, [*lists, kind, *of_where]).fetchnumpy()
    who = np.asarray(found["who"], np.int64)
    of_columns = {"target": names.target, "label": names.label, "reason": names.reason}
    coded = {name: _categories(_from_0(found[name]), of) for name, of in of_columns.items()}
    counted = pd.DataFrame({
        "item": queried.position[found["place"]],
        "scorer": _categories(np.maximum(who - _FIRST_SCORER, -1), queried.scorers),
        "simulated": who == 1,
        "number": np.ma.filled(found["number"], np.nan),
        "count": found["count"],
    } | coded)  # fmt: skip
    again = np.flatnonzero(found["repeats"])
    repeat = pd.Categorical([REPEAT] * again.size, names.reason)
    return pd.concat([counted, counted.iloc[again].assign(count=found["repeats"][again], reason=repeat)], ignore_index=True)


def _categories(codes: np.ndarray[Any, np.dtype[np.int64]], names: Any) -> pd.Categorical[str]:
    """Codes with their names (a list of words), -1 for none."""
    return pd.Categorical.from_codes(codes, names)


def _from_0(column: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Positions that the database counts from 1 and has none of; from 0, and -1 for none."""
    positions: np.ndarray[Any, np.dtype[np.int64]] = np.ma.filled(column, 0).astype(np.int64) - 1
    return positions
