"""What the images on a map of embeddings are and what is said of them, by which they are told apart there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from data.store import rows
from data.store.browse import PEOPLE, SIMULATED
from data.store.selection import Where
from data.store.store import Store

Place = Literal["suite", "task", "generator"]
PLACES: Final[tuple[Place, ...]] = ("suite", "task", "generator")

_FROM: Final = "from items t left join prompts p using (prompt_id)"
_HERE: Final = "t.item_id in (select unnest(?::varchar[]))"
# only blind, valid answers; of one rater's several the first counts, as in every statistic
_SAID: Final = """
left join (
    select item_id, avg(value) as mean from (
        select j.item_id, j.value
        from judgements j join raters r using (rater_id) left join annotations a on a.annotation_id = j.source_id
        where case ? when 'people' then r.kind = 'human' and not r.simulated
            when 'simulated people' then r.kind = 'human' and r.simulated else r.rater_id = ? end
          and j.aspect = ? and j.reason is null
          and coalesce(a.status, 'valid') = 'valid' and not coalesce(a.saw_evidence, false)
          and not coalesce(a.selected, false)
        qualify row_number() over (partition by j.item_id, j.rater_id, j.target order by j.seq) = 1
    ) where value is not null group by item_id
) h on h.item_id = t.item_id
"""


def by_place(store: Store, items: Sequence[str], where: Where, place: Place) -> dict[str, str | None]:
    """Of those of these items that are selected the suite, task or generator. ``where``: a condition on ``items t``."""
    assert place in PLACES
    return _values(store, f"select t.item_id, t.{place} as value {_FROM}", [], items, where)


def by_spec(store: Store, items: Sequence[str], where: Where) -> dict[str, str | None]:
    """Of those of these items that are selected the prompt's spec, as JSON."""
    return _values(store, f"select t.item_id, p.spec::varchar as value {_FROM}", [], items, where)


def by_said(store: Store, items: Sequence[str], where: Where, rater: str, aspect: str) -> dict[str, float | None]:
    """Of those of these items that are selected the mean of what ``rater`` (or a group of ``browse.GROUPS``) says of
    ``aspect``; None where nothing."""
    return _values(store, f"select t.item_id, h.mean as value {_FROM} {_SAID}", [rater, rater, aspect], items, where)


def speakers(store: Store) -> dict[str, set[str]]:
    """Who says ``correct`` or gives a ``score``: scorers by name, people (real ones, imitations) as groups; each with which."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select distinct case when r.kind = 'scorer' then r.rater_id when r.simulated then ? else ? end as who, j.aspect"
            " from judgements j join raters r using (rater_id)"
            " where j.aspect in ('correct', 'score') and r.kind in ('scorer', 'human')",
            [SIMULATED, PEOPLE],
        )
    said: dict[str, set[str]] = {}
    for row in found:
        said.setdefault(row["who"], set()).add(row["aspect"])
    return said


def one(store: Store, item_id: str) -> dict[str, Any] | None:
    """An item's prompt, place and picture; None if it is gone."""
    with store.read() as cursor:
        return rows.one(
            cursor,
            f"select t.item_id, t.task, t.generator, p.text, i.idx, i.sha256 {_FROM}"
            " left join images i on i.image_id = t.item_id where t.item_id = ?",
            [item_id],
        )


def _values(store: Store, sql: str, first: list[Any], items: Sequence[str], where: Where) -> dict[str, Any]:
    with store.read() as cursor:
        found = cursor.execute(f"{sql} where {_HERE} and {where[0]}", [*first, list(items), *where[1]]).fetchall()
    return dict(found)
