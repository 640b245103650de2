"""Aggregates: judgements counted by unit in the database: how often people chose each label, and each scorer's value.

Which judgements count is decided as in ``data.store.core.frame``, but no row of theirs leaves the database: ``GROUP BY``
makes one row of each (item, target, who, label, reason), and every column is one of whole numbers (or of scores). The shapes
are those that ``agreement.engine.counts`` describes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from data.store.core.frame import WHY_EXCLUDED
from data.store.core.selection import Selection, Where
from data.store.core.store import Store

IntArray = NDArray[np.int64]
Names = tuple[str, ...]
SCORE, REPEAT = "score", "repeat"
_FIRST_SCORER = 2
_REASONS = ("surplus", "gold", "training", "saw_evidence", "selected", REPEAT)
"""Why judgements do not count besides what they say themselves (``judgements.reason``)."""


@dataclass(frozen=True, slots=True)
class AggregateEntries:
    """One entry for each (item, target, who, label, reason); names are sorted, columns are positions in them, -1 is none.

    Attributes:
        who: 0 real people, 1 simulated ones, 2 and more: ``scorers[who - 2]``.
        reason: why the judgements do not count, -1 if they do.
        count: how many there are.
        number: a score, NaN for none (and for judgements that have a label).
    """

    targets: Names
    labels: Names
    reasons: Names
    scorers: Names
    item: IntArray
    target: IntArray
    who: IntArray
    label: IntArray
    reason: IntArray
    count: IntArray
    number: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Items with what was said of them on one aspect, and the scores that they have."""

    items: Sequence[str]
    tasks: Names
    generators: Names
    task: IntArray
    generator: IntArray
    said: AggregateEntries
    scores: AggregateEntries


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
            places = _ItemColumns.read(cursor, asked.items(), coded=True)
            people = _read(cursor, _all(cursor, asked, asked.aspect), "human", places)
            scorers = _read(cursor, _all(cursor, asked, asked.aspect), "scorer", places)
            scores = _read(cursor, _all(cursor, asked, SCORE), "scorer", places)
        finally:
            cursor.rollback()
    return places.counted(_together(people, scorers), scores)


def aggregate_items(store: Store, asked: AggregateQuery, items: Sequence[str]) -> Aggregates:
    """What people say of a few items now, whether anything or not; scorers are left out. Takes milliseconds."""
    condition, parameters = asked.items()
    with store.read() as cursor:
        cursor.begin()
        try:
            places = _ItemColumns.read(
                cursor, (f"{condition} and t.item_id in {_marks(items)}", [*parameters, *items]), coded=False
            )
            # groups and pairs that show one of these images: what is said of them may be about the image
            query = f"select distinct item_id from item_members where image_id in {_marks(items)} and item_id <> image_id"
            people = _read(
                cursor, _few(asked, items, [row[0] for row in cursor.execute(query, list(items)).fetchall()]), "human", places
            )
        finally:
            cursor.rollback()
    return places.counted(people, _NOTHING)


@dataclass(frozen=True, slots=True)
class _ItemColumns:
    """The items of a question: ``position`` has by row of the table ``items`` the place among them."""

    items: Sequence[str]
    tasks: Names
    generators: Names
    task: IntArray
    generator: IntArray
    position: IntArray
    scorers: Names

    @classmethod
    def read(cls, cursor: duckdb.DuckDBPyConnection, where: Where, *, coded: bool) -> _ItemColumns:
        """``coded``: whether the database is to make codes of names, which pays for many items."""
        condition, parameters = where
        columns = {"task": "nullif(t.task, '')", "generator": "nullif(t.generator, '')"}
        lists: list[Names] = []
        if coded:
            for name, expression in columns.items():
                lists.append(_sorted(cursor, f"select distinct {expression} from items t where {condition}", parameters))
                columns[name] = f"list_position(?::varchar[], {expression})"
        found = cursor.execute(
            f"select t.rowid as place, t.item_id, {columns['task']} as task, {columns['generator']} as generator"
            f" from items t where {condition}",
            [*map(list, lists), *parameters],
        ).fetchnumpy()
        task, generator = (_coded(found[name], lists[n] if coded else None) for n, name in enumerate(columns))
        place = np.asarray(found["place"], np.int64)
        position = np.full(int(place.max(initial=-1)) + 1, -1, np.int64)
        position[place] = np.arange(place.size)
        scorers = _sorted(cursor, "select rater_id from raters where kind = 'scorer'", [])
        return cls(list(found["item_id"]), task.names, generator.names, task.codes, generator.codes, position, scorers)

    def counted(self, said: AggregateEntries, scores: AggregateEntries) -> Aggregates:
        return Aggregates(self.items, self.tasks, self.generators, self.task, self.generator, said, scores)


@dataclass(frozen=True, slots=True)
class _Coded:
    """Sorted names, and positions in them, -1 for none."""

    names: Names
    codes: IntArray


def _sorted(cursor: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any]) -> Names:
    """The names in the first column of a query."""
    return tuple(sorted(row[0] for row in cursor.execute(query, list(parameters)).fetchall() if row[0]))


def _coded(column: Any, names: Sequence[str] | None) -> _Coded:
    """A column of names, or of places among sorted ``names`` from 1; only those that occur are kept."""
    if names is None:
        words = np.ma.asarray(column).tolist()  # None where there is none
        kept = tuple(sorted({word for word in words if word}))
        return _Coded(kept, np.array([kept.index(word) if word else -1 for word in words], np.int64))
    codes = np.ma.filled(column, 0).astype(np.int64)
    present = np.bincount(codes, minlength=len(names) + 1)[1:] > 0
    new = np.r_[-1, np.where(present, np.cumsum(present) - 1, -1)]
    return _Coded(tuple(name for name, here in zip(names, present, strict=True) if here), new[codes])


def _renamed(names: Names, codes: IntArray, to: Names) -> IntArray:
    """Positions in ``names`` as positions in ``to``, which has all of them."""
    return np.array([*map(to.index, names), -1], np.int64)[codes]


@dataclass(frozen=True, slots=True)
class _Codes:
    """The names that the database makes codes of."""

    targets: Names
    labels: Names
    reasons: Names


@dataclass(frozen=True, slots=True)
class _Source:
    """What is read.

    Attributes:
        few: a query for the judgements to look at, with its parameters; empty for all.
        where: which of them.
        codes: None if the database is to give names as they are, which pays for few judgements.
        score: whether the value is a number, not a label.
        told: further conditions on annotations, of which those that keep nothing out need not be looked at.
    """

    few: Where
    where: Where
    codes: _Codes | None
    score: bool
    told: str


def _all(cursor: duckdb.DuckDBPyConnection, asked: AggregateQuery, aspect: str) -> _Source:
    score = aspect == SCORE
    label = "null" if score else "nullif(label, '')"
    found = cursor.execute(
        f"select distinct nullif(target, ''), {label}, reason from judgements where aspect = ?", [aspect]
    ).fetchall()
    targets, labels, reasons = ({row[n] for row in found if row[n]} for n in range(3))
    codes = _Codes(*(tuple(sorted(names)) for names in (targets, labels, {*reasons, *_REASONS})))
    return _Source(("", []), asked.judgements(aspect), codes, score, _annotation_filter(asked))


def _few(asked: AggregateQuery, items: Sequence[str], also: Sequence[str]) -> _Source:
    # by seq, of which the database knows in what part of the judgements it lies
    said = [*items, *also]
    query = f"select * from judgements where seq in (select seq from annotations where item_id in {_marks(said)})"
    condition, parameters = asked.judgements(asked.aspect)
    where = (f"{condition} and t.item_id in {_marks(items)}", [*parameters, *items])
    return _Source((query, said), where, None, score=False, told="")


def _marks(values: Sequence[str]) -> str:
    return f"({', '.join('?' * len(values))})"


def _annotation_filter(asked: AggregateQuery) -> str:
    selection = asked.selection
    if selection.campaign or selection.since or selection.until:
        return ""
    return " and (a.status <> 'valid' or a.saw_evidence or a.selected)"


# One judgement counts per (item, target, rater): the earliest that nothing else keeps out.
_FIRSTS = """
with {few}said as (
    select t.rowid as place, r.rater, r.who, {target} as target, {label} as label, {number} as number, {reason} as reason, j.seq
    from {judgements} j
    join items t on t.item_id = j.item_id
    join (
        select rater_id, kind, rowid as rater,
               case when kind = 'human' then simulated::int else {first} - 1 + list_position(?::varchar[], rater_id) end as who
        from raters where kind = ?
    ) r on r.rater_id = j.rater_id
    left join annotations a on a.annotation_id = j.source_id{told}
    where {where}
),
firsts as (
    select place, who, target, rater, reason, count(*) as n,
           arg_min_null(label, seq) as label, arg_min_null(number, seq) as number
    from said group by place, who, target, rater, reason
)
"""
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


def _read(cursor: duckdb.DuckDBPyConnection, source: _Source, kind: str, places: _ItemColumns) -> AggregateEntries:
    """The judgements of a kind of raters, counted."""
    expressions = {"target": "nullif(j.target, '')", "label": "nullif(j.label, '')", "reason": f"({WHY_EXCLUDED})"}
    if source.score:
        expressions["label"] = "null::varchar"
    lists: list[list[str]] = []
    if source.codes is not None:
        lists = [list(source.codes.targets), list(source.codes.labels), list(source.codes.reasons)]
        expressions = {name: f"list_position(?::varchar[], {expression})" for name, expression in expressions.items()}
    (few, of_few), (where, of_where) = source.few, source.where
    number = "j.value" if source.score else "null::double"
    firsts = _FIRSTS.format(
        few=f"few as materialized ({few}), " if few else "",
        judgements="few" if few else "judgements",
        number=number,
        first=_FIRST_SCORER,
        told=source.told,
        where=where,
        **expressions,
    )
    parameters = [*of_few, *lists, list(places.scorers), kind, *of_where]
    found = cursor.execute(firsts + (_PEOPLE if kind == "human" else _SCORERS), parameters).fetchnumpy()
    target, label, reason = (_coded(found[name], lists[n] if lists else None) for n, name in enumerate(expressions))
    return _entries(found, places, target, label, reason)


def _entries(found: dict[str, Any], places: _ItemColumns, target: _Coded, label: _Coded, reason: _Coded) -> AggregateEntries:
    """Entries of what was fetched; repeats become entries of their own."""
    again = np.flatnonzero(found["repeats"])
    reasons = tuple(sorted({*reason.names, REPEAT}))
    renamed = _renamed(reason.names, reason.codes, reasons)
    who = np.asarray(found["who"], np.int64)
    scorers = np.flatnonzero(np.bincount(who, minlength=_FIRST_SCORER)[_FIRST_SCORER:]) + _FIRST_SCORER
    who = np.where(who >= _FIRST_SCORER, np.searchsorted(scorers, who) + _FIRST_SCORER, who)

    def twice(column: Any, repeat: Any = None) -> IntArray:
        more = column[again] if repeat is None else np.full(again.size, repeat)
        return np.concatenate([column, more]).astype(np.int64)

    item = places.position[found["place"]]
    return AggregateEntries(
        target.names,
        label.names,
        reasons,
        tuple(places.scorers[code - _FIRST_SCORER] for code in scorers),
        twice(item),
        twice(target.codes),
        twice(who),
        twice(label.codes, -1),
        twice(renamed, reasons.index(REPEAT)),
        np.concatenate([found["count"], found["repeats"][again]]).astype(np.int64),
        np.concatenate([np.ma.filled(found["number"], np.nan), np.full(again.size, np.nan)]).astype(np.float64),
    )


def _together(first: AggregateEntries, second: AggregateEntries) -> AggregateEntries:
    """Entries of people and of scorers as one."""

    def names(of: str) -> Names:
        return tuple(sorted({*getattr(first, of), *getattr(second, of)}))

    def codes(column: str, of: str) -> IntArray:
        parts = [_renamed(getattr(each, of), getattr(each, column), names(of)) for each in (first, second)]
        return np.concatenate(parts)

    return AggregateEntries(
        names("targets"),
        names("labels"),
        names("reasons"),
        second.scorers,
        np.concatenate([first.item, second.item]),
        codes("target", "targets"),
        np.concatenate([first.who, second.who]),
        codes("label", "labels"),
        codes("reason", "reasons"),
        np.concatenate([first.count, second.count]),
        np.concatenate([first.number, second.number]),
    )


_NONE = np.zeros(0, np.int64)
_NOTHING = AggregateEntries((), (), (), (), _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE.astype(np.float64))
