"""Draws: which campaigns' items were drawn by chance, from what, and with which chances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from data.campaigns.settings import DEFAULT
from data.selection import Selection
from data.store.core import rows
from data.store.core.conditions import items_condition
from data.store.core.connections import Connection
from data.store.core.store import Store

Pool = Mapping[tuple[str, str | None, str | None], int]
"""Images by suite, task and generator."""


@dataclass(frozen=True, slots=True)
class Draw:
    """The items of a campaign that were drawn by chance.

    Attributes:
        pool: what they were drawn from; None: not known.
        chances: of items that were drawn with unequal chances; empty: all had the same.
        unanswered: how many nobody has answered yet, but for those that were reported as broken.
        fixed: whether people answer them in the order of the list, not in one by chance.
    """

    campaign_id: str
    pool: Pool | None
    chances: Mapping[str, float]
    drawn: int
    unanswered: int
    fixed: bool


def pool(store: Store, selection: Selection) -> Pool:
    """The images with a file that are there to draw from, by suite, task and generator."""
    condition, parameters = items_condition(selection)
    with store.read() as cursor:
        records = cursor.execute(_POOL.format(where=condition), parameters).fetchall()
    return {(suite, task, generator): n for suite, task, generator, n in records}


def read_draws(store: Store) -> list[Draw]:
    """Of all campaigns that have such items, oldest first; the default one has all images."""
    with store.read() as cursor:
        records = rows.dicts(cursor, _DRAWS)
        chances: dict[str, dict[str, float]] = {}
        for campaign, item, chance in cursor.execute(_CHANCES).fetchall():
            chances.setdefault(campaign, {})[item] = chance
    everything = pool(store, Selection())
    for row in records:
        stored = rows.from_json(row["pool"])
        drawn_from = None if stored is None else {(suite, task, generator): n for suite, task, generator, n in stored}
        row["pool"] = everything if row["campaign_id"] == DEFAULT else drawn_from
    return [Draw(**row, chances=chances.get(row["campaign_id"], {})) for row in records]


def write_pool(connection: Connection, campaign_id: str, drawn_from: Pool) -> None:
    """Store what a campaign's items were drawn from."""
    stored = rows.to_json([[*key, n] for key, n in drawn_from.items()])
    connection.execute("update campaigns set pool = ? where campaign_id = ?", [stored, campaign_id])


_POOL: Final = (
    "select t.suite, t.task, t.generator, count(*) from items t join images i on i.image_id = t.item_id"
    " where i.sha256 is not null and t.kind = 'image' and {where} group by all order by all"
)
_DRAWS: Final = """
select c.campaign_id, c.pool, count(*) as drawn, count(*) filter (d.people = 0 and not d.aside) as unanswered,
    coalesce(c.settings ->> 'order' = 'fixed', false) as fixed
from campaigns c join campaign_items d on d.campaign_id = c.campaign_id
where d.role = 'ordinary' and d.sampling <> 'selected' group by c.campaign_id, c.pool, c.settings, c.created
order by c.created, c.campaign_id
"""
_CHANCES: Final = (
    "select campaign_id, item_id, draw_probability from campaign_items where sampling = 'weighted' and role = 'ordinary'"
)
