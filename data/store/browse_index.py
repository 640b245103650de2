"""Browse index: one row for each item with all that Browse filters and orders by, a projection of everything else.

Whatever is written of an item marks its row as stale in the same transaction (``mark_stale``, ``mark_stale_where``); the writer
makes stale rows anew soon after (``refresh``). ``remake`` makes all of them, and gives the same. Beside it, likewise a
projection: what prompts ask for, part by part (objects, colours, counts, relations), so that it can be filtered by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from data.spec import SpecError, parse_spec
from data.store.core import rows, schema
from data.store.core.connections import Connection

PARTS: Final = ("object", "color", "count", "relation")
_AT_ONCE: Final = 20_000


def parts_of_spec(spec: Mapping[str, Any]) -> set[tuple[str, str]]:
    """What a spec asks for as (what, value); a count only where one is asked, nothing of a spec that cannot be read."""
    try:
        parsed = parse_spec(spec)
    except (SpecError, TypeError, AttributeError):
        return set()
    parts = {("object", thing.name) for thing in parsed.objects}
    parts |= {("color", thing.color) for thing in parsed.objects if thing.color}
    parts |= {("count", str(thing.count)) for thing in parsed.objects if thing.exact or thing.count > 1}
    return parts | {("relation", relation.relation) for relation in parsed.relations}


def insert_parts(connection: Connection, prompts: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Remember what new prompts ask for: their ids and specs."""
    parts = ((prompt_id, *part) for prompt_id, spec in prompts for part in sorted(parts_of_spec(spec)))
    rows.insert(connection, "prompt_parts", ({"prompt_id": name, "what": what, "value": value} for name, what, value in parts))


def remake_parts(connection: Connection) -> None:
    """Make the table anew."""
    connection.execute("delete from prompt_parts")
    ids = rows.column(connection, "select prompt_id from prompts order by prompt_id")
    for start in range(0, len(ids), _AT_ONCE):
        some = rows.existing(connection, "prompts", "prompt_id", ["spec"], ids[start : start + _AT_ONCE])
        insert_parts(connection, ((prompt_id, rows.from_json(row["spec"]) or {}) for prompt_id, row in some.items()))


def delete_parts_of_deleted(connection: Connection) -> None:
    """Forget those of prompts that are not there any more."""
    connection.execute("delete from prompt_parts where prompt_id not in (select prompt_id from prompts)")


_SINCE: Final = 11
"""The schema that has wide rows."""
PACKED_SCORERS: Final = 31
"""The verdicts of so many scorers stand in one number, too, which is fast to filter and to count by."""
_FEW: Final = 500
"""So many items are looked up by what was said of them; for more, everything that was said is read."""


def mark_stale(connection: Connection, items: Iterable[str]) -> None:
    """Something was written of these items."""
    rows.insert(connection, "stale", ({"item_id": item_id} for item_id in dict.fromkeys(items)))


def mark_stale_where(connection: Connection, query: str, parameters: Sequence[Any] = ()) -> None:
    """Something was (or is about to be) written of the items in the first column of a query."""
    connection.execute(f"insert into stale select distinct * from ({query})", list(parameters))


def mark_import(connection: Connection, import_id: int, images: Iterable[str]) -> None:
    """An import brought items, or prompts of items, or files of these images. (What it says marks its own.)"""
    mark_stale(connection, images)
    imported_prompts = "select prompt_id from prompts where import_id = $1"
    mark_stale_where(
        connection, f"select item_id from items where import_id = $1 or prompt_id in ({imported_prompts})", [import_id]
    )


def mark_undone(connection: Connection, import_id: int) -> None:
    """An import is about to be undone, and with it what earlier ones had to leave for its sake."""
    undone = "import_id in (select import_id from imports where undone is not null)"
    mark_stale_where(
        connection,
        "select item_id from judgements where source_id in (select annotation_id from annotations where import_id = $1"
        " union all select evidence_id from evidence where import_id = $1)"
        " union all select item_id from annotations where import_id = $1"
        " union all select item_id from evidence where import_id = $1"
        f" union all select image_id from images where file_import_id = $1 or {undone}",
        [import_id],
    )


def mark_deleted(connection: Connection) -> None:
    """Items may have been deleted, and prompts."""
    delete_parts_of_deleted(connection)
    mark_stale_where(connection, "select item_id from browse where item_id not in (select item_id from items)")


def refresh(connection: Connection, most: int) -> int:
    """Make the rows of stale items anew, of ``most`` at once; returns how many are stale after that."""
    if rows.value(connection, "select count(*) from stale where item_id is null"):
        remake(connection)
        return 0
    some = rows.column(connection, "select distinct item_id from stale limit ?", [most])
    if some:
        _number_raters(connection)
        connection.execute("create or replace temp table fresh as select unnest(?::varchar[]) as item_id", [some])
        connection.execute("delete from browse where item_id in (select item_id from fresh)")
        _gather(connection, some)
        _insert(connection, "heard", "where item_id in (select item_id from fresh)")
        connection.execute("delete from stale where item_id in (select item_id from fresh)")
        for table in ("fresh", "heard"):
            connection.execute(f"drop table {table}")
    return int(rows.value(connection, "select count(*) from stale"))


def fill(connection: Connection) -> None:
    """Make all rows where none were ever made: once, when a project from before there were any is opened."""
    if schema.schema_version(connection) < _SINCE:
        return
    if rows.value(connection, "select count(*) from stale where item_id is null"):
        connection.begin()
        try:
            remake(connection)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise


def remake(connection: Connection) -> None:
    """Make all rows anew."""
    for table in ("browse", "browse_raters", "stale"):
        connection.execute(f"delete from {table}")
    remake_parts(connection)
    _number_raters(connection)
    _insert(connection, "judgements", "")


def _number_raters(connection: Connection) -> None:
    """Give each new scorer a place."""
    connection.execute(
        "insert into browse_raters select coalesce((select max(no) from browse_raters), 0)"
        " + row_number() over (order by rater_id), rater_id from raters"
        " where kind = 'scorer' and rater_id not in (select rater_id from browse_raters)"
    )


_GATHER: Final = "create or replace temp table heard as select * from judgements where item_id in (select item_id from fresh)"


def _gather(connection: Connection, items: Sequence[str]) -> None:
    """Gather the judgements of the items in ``fresh``."""
    if len(items) > _FEW:
        connection.execute(_GATHER)
        return
    # by seq, of which the database knows in what part of the judgements it lies; what is said of a group may be about an image
    members = f"select distinct item_id from item_members where image_id in {rows.placeholders(items)}"
    shown_in = rows.column(connection, members, items)
    item_ids = list(dict.fromkeys([*items, *shown_in]))
    marks = rows.placeholders(item_ids)
    connection.execute(
        f"create or replace temp table told as select seq from annotations where item_id in {marks}"
        f" union select seq from evidence where item_id in {marks}",
        [*item_ids, *item_ids],
    )
    connection.execute(f"{_GATHER} and seq in (select seq from told)")


# What a judgement says, as a number: published answers may have a label only.
_VALUE = "coalesce(j.value, case lower(trim(j.label)) when 'yes' then 1.0 when 'no' then 0.0 end)"

_ROWS = """
insert into browse
with answers as (
    -- of one person's repeated answers the first counts, as in every statistic
    select j.item_id, j.aspect, arg_min({value}, j.seq) as v
    from {judgements} j
    join raters r on r.rater_id = j.rater_id and r.kind = 'human' and not r.simulated
    left join annotations a on a.annotation_id = j.source_id
    where j.aspect in ('correct', 'faithfulness', 'caption_fit', 'caption_match') and j.reason is null and isfinite({value})
      and coalesce(a.status, 'valid') = 'valid' and not coalesce(a.saw_evidence, false) and not coalesce(a.selected, false)
    group by j.item_id, j.aspect, j.rater_id, j.target
),
people as (
    -- the variance from sums, which are the same in whatever order they are added
    select item_id, count(*) filter (aspect = 'correct' and v = 1) as yes, count(*) filter (aspect = 'correct' and v = 0) as no,
           count(*) filter (aspect = 'correct') as n, avg(v) filter (aspect = 'correct') as mean,
           case when count(*) filter (aspect = 'correct') > 0
               then greatest(avg(v * v) filter (aspect = 'correct') - avg(v) filter (aspect = 'correct') ** 2, 0) end as spread,
           coalesce(avg(v) filter (aspect = 'faithfulness'), avg(v) filter (aspect = 'caption_fit'),
                    avg(v) filter (aspect = 'caption_match')) as likert
    from answers group by item_id
),
scorers as (
    select j.item_id, [{says}]::utinyint[] as says, [{scores}]::double[] as scores
    from {judgements} j join browse_raters b on b.rater_id = j.rater_id
    where j.aspect in ('correct', 'score') and j.reason is null
    group by j.item_id
),
failures as (
    select e.item_id, list(b.no) as numbers
    from (select * from evidence {which}) e join browse_raters b on b.rater_id = e.rater_id
    where e.failed is not null
    group by e.item_id
),
judged as (select item_id, max(seq) as moved from {judgements} group by item_id),
described as (
    select t.item_id, t.kind, t.suite, t.task, t.generator, t.prompt_id, i.idx, i.sha256 is not null as pictured,
           coalesce(p.yes, 0) as yes, coalesce(p.no, 0) as no, coalesce(p.n, 0) as n, p.mean, p.spread, p.likert,
           {filled} as says, coalesce(s.scores, []) as scores, j.moved
    from (select * from items {which}) t
    left join images i on i.image_id = t.item_id
    left join people p on p.item_id = t.item_id
    left join scorers s on s.item_id = t.item_id
    left join failures f on f.item_id = t.item_id
    left join judged j on j.item_id = t.item_id
)
select item_id, kind, suite, task, generator, prompt_id, idx, pictured, yes, no,
       case when yes > no then 'yes' when no > yes then 'no' when yes > 0 then 'tie' else 'none' end as people,
       case when yes + no < 2 then null when yes = 0 or no = 0 then 'unanimous' when yes <> no then 'majority'
            else 'split' end as certainty,
       n, mean, spread, likert,
       len(list_filter(says, lambda x: x = 1)) as scorers_yes, len(list_filter(says, lambda x: x = 0)) as scorers_no,
       says, scores, moved, {packed}::ubigint as verdicts
from described
"""


def _insert(connection: Connection, judgements: str, which: str) -> None:
    places = rows.column(connection, "select no from browse_raters order by no")
    size = max(places, default=0)
    values = {"correct": _VALUE, "score": "case when isfinite(j.value) then j.value end"}
    lists = {
        aspect: ", ".join(
            f"arg_min({value}, j.seq) filter (b.no = {no} and j.aspect = '{aspect}')" for no in range(1, size + 1)
        )
        for aspect, value in values.items()
    }
    # a scorer that could look at it in the end has not failed
    verdicts = [
        f"case when s.says[{no}] is not null then s.says[{no}]"
        f" when list_contains(f.numbers, {no}) and s.scores[{no}] is null then 2 end"
        for no in range(1, size + 1)
    ]
    filled = f"[{', '.join(verdicts)}]::utinyint[]"
    packed = " + ".join(
        ["0", *(f"(case says[{no}] when 0 then 1 when 1 then 2 when 2 then 3 else 0 end::ubigint << {2 * (no - 1)})"
                for no in places if no <= PACKED_SCORERS)]
    )  # fmt: skip
    connection.execute(
        _ROWS.format(
            value=_VALUE,
            judgements=judgements,
            says=lists["correct"].replace(_VALUE, f"case {_VALUE} when 1 then 1 when 0 then 0 end"),
            scores=lists["score"],
            filled=filled,
            packed=packed,
            which=which,
        )
    )
