"""The items of a campaign: what role each has, how many people it has had, and how many it is to have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from data.campaign import Campaign, CampaignItem, Settings, shuffle_key
from data.store import rows
from data.store.memory import Memory

DEFAULT = "default"
DEFAULT_OVERLAP = 3
COLUMNS = (
    "campaign_id",
    "item_id",
    "role",
    "sampling",
    "expected",
    "position",
    "shuffle",
    "people",
    "wanted",
    "aside",
)

_CAMPAIGNS = (
    "select campaign_id, title, questionnaire, questionnaire_version as version, definition, overlap, seed, state, settings,"
    " stratum, concat_ws(' ', created, synced) as stamp from campaigns"
)


@dataclass(frozen=True, slots=True)
class Known:
    """A campaign, and what tells its list of items from any other that it has had."""

    campaign: Campaign
    stamp: str


def marks(values: Sequence[Any] | Collection[Any]) -> str:
    """Placeholders for a list of values: unlike ``unnest(?)``, these let the database use an index."""
    return f"({', '.join('?' * len(values))})"


def campaigns(connection: duckdb.DuckDBPyConnection, ids: Sequence[str] | None = None) -> list[Campaign]:
    """Campaigns, oldest first: all, or those of these that exist."""
    return [one.campaign for one in known(connection, ids)]


def known(connection: duckdb.DuckDBPyConnection, ids: Sequence[str] | None = None) -> list[Known]:
    """The same, each with its stamp."""
    if ids is not None and not ids:
        return []
    where = "" if ids is None else f" where campaign_id in {marks(ids)}"
    found = rows.dicts(connection, f"{_CAMPAIGNS}{where} order by created, campaign_id", ids or [])
    return [_known(row) for row in found]


def remembered(connection: duckdb.DuckDBPyConnection, ids: Sequence[str], memory: Memory) -> dict[str, Known]:
    """Those of these campaigns that exist, by id; read only where they are not in memory. For the writer's thread."""
    since = memory.state
    kept: dict[str, Known] = {one: found for one in ids if (found := memory.get(("known", one))) is not None}
    read = {one.campaign.campaign_id: one for one in known(connection, [one for one in ids if one not in kept])}
    for campaign_id, one in read.items():
        memory.put(("known", campaign_id), one, since)
    return kept | read


def _known(row: dict[str, Any]) -> Known:
    stamp = row.pop("stamp")
    settings = Settings.of(rows.from_json(row["settings"]))
    return Known(Campaign(**row | {"title": row["title"] or row["campaign_id"], "settings": settings}), stamp)


def add(connection: duckdb.DuckDBPyConnection, campaign: Campaign, items: Sequence[CampaignItem]) -> None:
    """Write a new campaign's items, in their order."""
    rows.insert(
        connection,
        "campaign_items",
        COLUMNS,
        [
            (
                campaign.campaign_id,
                item.item_id,
                item.role,
                item.sampling,
                None if item.expected is None else rows.to_json(item.expected),
                position,
                shuffle_key(campaign.seed, campaign.campaign_id, item.item_id),
                0,
                campaign.overlap if item.role == "ordinary" else 0,
                False,
            )
            for position, item in enumerate(items)
        ],
    )


def ensure_default(connection: duckdb.DuckDBPyConnection, now: datetime) -> bool:
    """The default campaign exists, and has all images that have a file. Returns whether anything was to be done for that.

    Its order is that of ``public_id``, a keyed hash: random, and the same for all.
    """
    imported = rows.one(connection, _IMPORTED, [DEFAULT])
    assert imported is not None
    if not imported["made"]:
        settings = rows.to_json(Settings(order="shared").to_json())
        rows.insert(
            connection,
            "campaigns",
            ("campaign_id", "overlap", "created", "settings"),
            [(DEFAULT, DEFAULT_OVERLAP, now, settings)],
        )
    elif imported["synced"] == imported["imports"]:
        return False
    connection.execute(_FORGOTTEN, [DEFAULT])
    connection.execute(_ADDED, {"campaign": DEFAULT})
    connection.execute("update campaigns set synced = ? where campaign_id = ?", [imported["imports"], DEFAULT])
    return True


_IMPORTED = """
select coalesce(max(imports.import_id), 0) || ' ' || count(undone) as imports, any_value(c.campaign_id) is not null as made,
    any_value(c.synced) as synced
from (select 1) left join imports on true left join campaigns c on c.campaign_id = ?
"""
_SHOWN = "select image_id from images where sha256 is not null"
_FORGOTTEN = f"delete from campaign_items where campaign_id = ? and item_id not in ({_SHOWN})"
_ADDED = f"""
insert into campaign_items
select $campaign, t.item_id, 'ordinary', 'random', null,
       (select coalesce(max(position), -1) from campaign_items where campaign_id = $campaign)
           + row_number() over (order by t.public_id),
       -- the first 31 bits of the hash; ties go by position
       ('0x' || substr(t.public_id, 1, 8))::bigint >> 1,
       coalesce(a.people, 0), c.overlap, false
from items t join campaigns c on c.campaign_id = $campaign
left join (
    select item_id, count(distinct rater_id) as people from annotations
    where campaign_id = $campaign and status = 'valid' and not saw_evidence group by item_id
) a on a.item_id = t.item_id
where t.kind = 'image' and t.item_id in ({_SHOWN})
  and t.item_id not in (select item_id from campaign_items where campaign_id = $campaign)
"""


def recount(connection: duckdb.DuckDBPyConnection, item_ids: Sequence[str] | None = None) -> None:
    """Count again how many people have answered validly and blind: for these items, or for all."""
    if item_ids is not None and not item_ids:
        return
    among = "" if item_ids is None else f" and item_id in {marks(item_ids)}"
    connection.execute(
        "update campaign_items set people = coalesce((select count(distinct a.rater_id) from annotations a"
        " where a.campaign_id = campaign_items.campaign_id and a.item_id = campaign_items.item_id"
        f" and a.status = 'valid' and not a.saw_evidence), 0) where true{among}",
        item_ids or [],
    )


def insert_campaigns(
    connection: duckdb.DuckDBPyConnection, new: Sequence[Campaign], now: datetime, import_id: int | None = None
) -> None:
    """Campaigns that are not there yet, as they are; ``import_id``: what brought them."""
    columns = (
        "campaign_id",
        "title",
        "questionnaire",
        "questionnaire_version",
        "definition",
        "overlap",
        "seed",
        "state",
        "settings",
        "stratum",
        "created",
        "import_id",
    )
    written = [
        (
            one.campaign_id,
            one.title,
            one.questionnaire,
            one.version,
            one.definition,
            one.overlap,
            one.seed,
            one.state,
            rows.to_json(one.settings.to_json()),
            one.stratum,
            now,
            import_id,
        )
        for one in new
    ]
    rows.insert(connection, "campaigns", columns, written)
