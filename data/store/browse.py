"""What there is to look at: pages of items, one item whole, scores per generator and task."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from data.store import rows
from data.store.selection import Selection
from data.store.store import Store

Order = Literal["prompt", "lowest", "highest", "split"]
PEOPLE = "people"

# Only blind, valid answers: what people say is never mixed with what imitations say.
_SAID = """
select item_id, avg(value) as mean, count(*) as n, var_pop(value) as spread
from (
    -- of one person's repeated answers the first counts, as in every statistic
    select j.item_id, j.value
    from judgements j join raters r using (rater_id) left join annotations a on a.annotation_id = j.source_id
    where case when ? = 'people' then r.kind = 'human' and not r.simulated else r.rater_id = ? end
      and j.aspect = ? and j.reason is null
      and coalesce(a.status, 'valid') = 'valid' and not coalesce(a.saw_evidence, false)
    qualify row_number() over (partition by j.item_id, j.rater_id, j.target order by j.seq) = 1
)
where value is not null
group by item_id
"""

ORDERS: dict[str, str] = {
    # what can be looked at first
    "prompt": "i.sha256 is null, t.item_id",
    "lowest": "h.mean nulls last, t.item_id",
    "highest": "h.mean desc nulls last, t.item_id",
    "split": "h.spread desc nulls last, t.item_id",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One page of items and how many there are in all."""

    rows: list[dict[str, Any]]
    total: int


def items(
    store: Store,
    selection: Selection,
    *,
    aspect: str,
    rater: str = PEOPLE,
    order: Order = "prompt",
    offset: int = 0,
    limit: int = 60,
) -> Page:
    """Items with prompt, file hash, and what was said of ``aspect``: the mean and the number of values.

    ``rater`` is ``people`` (real ones, together) or one rater's name.
    """
    condition, parameters = selection.items()
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, t.suite, t.task, t.generator, i.idx, p.text, i.sha256, h.mean, h.n"
            " from items t left join prompts p using (prompt_id) left join images i on i.image_id = t.item_id"
            f" left join ({_SAID}) h on h.item_id = t.item_id where {condition}"
            f" order by {ORDERS[order]} limit ? offset ?",
            [rater, rater, aspect, *parameters, limit, offset],
        )
        total = rows.value(cursor, f"select count(*) from items t where {condition}", parameters)
    return Page(found, int(total))


def item(store: Store, item_id: str) -> dict[str, Any] | None:
    """One item whole: the item, its prompt and picture, all annotations, all judgements; None if unknown."""
    with store.read() as cursor:
        found = rows.one(
            cursor,
            "select t.*, p.text, p.spec, i.sha256, i.width, i.height from items t"
            " left join prompts p using (prompt_id) left join images i on i.image_id = t.item_id where t.item_id = ?",
            [item_id],
        )
        if found is None:
            return None
        annotations = rows.dicts(
            cursor,
            "select a.annotation_id, a.rater_id, a.answers, a.status, a.revises, a.saw_evidence, a.submitted, a.import_id,"
            " r.identity, r.simulated,"
            " a.annotation_id in (select revises from annotations where revises is not null) as superseded"
            " from annotations a join raters r using (rater_id) where item_id = ? order by a.seq, a.submitted",
            [item_id],
        )
        judgements = rows.dicts(
            cursor,
            "select j.rater_id, r.kind, r.identity, r.simulated, j.aspect, j.target, j.label, j.value, j.reason"
            " from judgements j join raters r using (rater_id) where j.item_id = ? order by r.kind, j.seq, j.aspect, j.target",
            [item_id],
        )
    return {
        **rows.decoded(found, "spec"),
        "annotations": [rows.decoded(annotation, "answers") for annotation in annotations],
        "judgements": judgements,
    }


def choices(store: Store) -> dict[str, list[str]]:
    """The values that each filter can take in this project."""
    columns = {"suite": "suite", "task": "task", "generator": "generator"}
    with store.read() as cursor:
        found = {
            name: [
                row[0] for row in cursor.execute(f"select distinct {c} from items where {c} is not null order by 1").fetchall()
            ]
            for name, c in columns.items()
        }
        found["aspect"] = [row[0] for row in cursor.execute("select distinct aspect from judgements order by 1").fetchall()]
        found["rater"] = [
            row[0]
            for row in cursor.execute(
                "select rater_id from raters where identity is distinct from 'slot' order by kind desc, rater_id"
            ).fetchall()
        ]
    return found


def rater_names(store: Store) -> list[str]:
    """All raters, a study's slots among them."""
    with store.read() as cursor:
        return [row[0] for row in cursor.execute("select rater_id from raters order by rater_id").fetchall()]


def totals(store: Store) -> dict[str, int]:
    """How much of everything the project holds."""
    counted = {
        "prompts": "select count(*) from prompts",
        "images": "select count(*) from images where sha256 is not null",
        "items": "select count(*) from items",
        "annotations": "select count(*) from annotations where revises is null",
        "people": "select count(*) from raters where identity = 'person' and not simulated",
        "scorers": "select count(*) from raters where kind = 'scorer'",
    }
    with store.read() as cursor:
        return {name: int(rows.value(cursor, sql)) for name, sql in counted.items()}


def pictures(store: Store, sha256: str) -> list[Path]:
    """Where files with this content lie (or lay); several generators may have made the same, e.g. a black square."""
    with store.read() as cursor:
        found = cursor.execute("select distinct path from images where sha256 = ? order by path", [sha256]).fetchall()
    return [Path(row[0]) for row in found]


@dataclass(frozen=True, slots=True)
class Judged:
    """What of a suite has been judged."""

    aspects: list[str]
    generators: list[str]
    tasks: list[str]


def judged(store: Store) -> dict[str, Judged]:
    """By suite: aspects that people judged, generators and tasks of the judged items."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.suite, list_sort(list(distinct j.aspect) filter (r.kind = 'human')) as aspects,"
            " list_sort(list(distinct t.generator)) as generators, list_sort(list(distinct t.task)) as tasks"
            " from judgements j join items t using (item_id) join raters r using (rater_id) group by t.suite",
        )
    return {
        row["suite"]: Judged(
            *([name for name in row[key] or () if name is not None] for key in ("aspects", "generators", "tasks"))
        )
        for row in found
    }
