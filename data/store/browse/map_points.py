"""Points of a map of embeddings: what the images are and what is said of them, by which they are coloured there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from data.browsing import VERDICTS
from data.selection import SIMULATED
from data.store.browse import index_refresh
from data.store.browse.filters import ListingQuery, conditions, where
from data.store.browse.grid import VALUES_SQL, scorer_numbers
from data.store.core import rows
from data.store.core.store import Store

COLUMNS: Final = ("suite", "task", "generator", "people")
"""What wide rows say of each image in a word: its place, and what most people say on ``correct``."""


def by_column(store: Store, items: Sequence[str], query: ListingQuery, name: str) -> dict[str, str | None]:
    """Of those of these items that are asked for one of ``COLUMNS``."""
    assert name in COLUMNS
    return _values(store, items, query, f"t.{name}")


def by_spec(store: Store, items: Sequence[str], query: ListingQuery) -> dict[str, str | None]:
    """Of those of these items that are asked for the prompt's spec, as JSON."""
    return _values(store, items, query, "p.spec::varchar", "left join prompts p on p.prompt_id = t.prompt_id")


def by_verdict(store: Store, items: Sequence[str], query: ListingQuery, rater: str) -> dict[str, str | None]:
    """Of those of these items that are asked for what a scorer says on ``correct``: one of ``filters.VERDICTS``, or None."""
    words = " ".join(f"when {code} then '{verdict}'" for verdict, code in VERDICTS.items())
    return _values(store, items, query, f"case t.says[{{no}}] {words} end", rater=rater)


def by_score(store: Store, items: Sequence[str], query: ListingQuery, rater: str) -> dict[str, float | None]:
    """Of those of these items that are asked for a scorer's ``score``; None where it gives none."""
    return _values(store, items, query, "t.scores[{no}]", rater=rater)


def by_simulated(store: Store, items: Sequence[str], query: ListingQuery) -> dict[str, float | None]:
    """Of those of these items that are asked for the mean of what imitations of people say on ``correct``; None: nothing."""
    means = f"left join ({VALUES_SQL}) h on h.item_id = t.item_id"
    return _values(store, items, query, "h.mean", means, of_join=[SIMULATED, SIMULATED, "correct"])


def aspects_by_speaker(store: Store) -> dict[str, set[str]]:
    """Which scorers, and whether imitations of people (together), say ``correct`` or give a ``score``."""
    records = store.query(
        "select case when r.kind = 'scorer' then r.rater_id else ? end as who, list(distinct j.aspect) as aspects"
        " from judgements j join raters r using (rater_id) where j.aspect in ('correct', 'score')"
        " and (r.kind = 'scorer' or (r.kind = 'human' and r.simulated)) group by who",
        [SIMULATED],
    )
    return {row["who"]: set(row["aspects"]) for row in records}


def map_item(store: Store, item_id: str) -> dict[str, Any] | None:
    """An item's prompt, place and picture; None if it is gone."""
    return store.query_first(
        "select t.item_id, t.task, t.generator, p.text, i.idx, i.sha256 from items t left join prompts p using (prompt_id)"
        " left join images i on i.image_id = t.item_id where t.item_id = ?",
        [item_id],
    )


def _values(
    store: Store,
    items: Sequence[str],
    query: ListingQuery,
    value: str,
    join: str = "",
    rater: str = "",
    of_join: Sequence[str] = (),
) -> dict[str, Any]:
    """``value`` (in which ``{no}`` is the rater's place) of each; None where nobody has such a name."""
    index_refresh.catch_up(store)
    with store.read() as cursor:
        numbers = scorer_numbers(cursor)
        condition, parameters = where(conditions(query, numbers))
        shown = value.format(no=numbers[rater]) if rater in numbers else "null" if rater else value
        of_items = f"t.item_id in (select unnest(?::varchar[])) and {condition}"
        query_text = f"select t.item_id, {shown} from browse t {join} where {of_items}"
        return rows.mapping(cursor, query_text, [*of_join, list(items), *parameters])
