"""Campaign items: which items a campaign has, in what roles, how many people each has had and is to have, and what is shown
of it.

The fixed part (``CampaignListing``) and what a person is shown of an item (``AnnotationTask``) are cached; counts are read
each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from data.cache import Results
from data.campaigns.items import CampaignItem, shuffle_key
from data.campaigns.settings import DEFAULT, DEFAULT_OVERLAP, Campaign, Role, Settings, State
from data.refusals import CampaignClosed
from data.store.core import rows
from data.store.core.cache import Cache
from data.store.core.connections import Connection
from data.store.core.store import Store

_CAMPAIGNS = (
    "select campaign_id, coalesce(nullif(title, ''), campaign_id) as title, questionnaire, questionnaire_version as version,"
    " definition, overlap, seed, state, settings, stratum, concat_ws(' ', created, synced) as stamp from campaigns"
)


def campaigns(connection: Connection, ids: Sequence[str] | None = None) -> list[Campaign]:
    """Campaigns, oldest first: all, or those of these that exist."""
    if ids is not None and not ids:
        return []
    where = "" if ids is None else f" where campaign_id in {rows.placeholders(ids)}"
    records = rows.dicts(connection, f"{_CAMPAIGNS}{where} order by created, campaign_id", ids or [])
    return [Campaign(**row | {"settings": Settings.of(rows.from_json(row["settings"]))}) for row in records]


def cached_campaigns(connection: Connection, ids: Sequence[str], memory: Cache) -> dict[str, Campaign]:
    """Those of these campaigns that exist, by id; read only where they are not in memory. For the writer's thread."""
    since = memory.state
    cached: dict[str, Campaign] = {name: hit for name in ids if (hit := memory.get(("known", name))) is not None}
    read = {campaign.campaign_id: campaign for campaign in campaigns(connection, [name for name in ids if name not in cached])}
    for campaign_id, campaign in read.items():
        memory.put(("known", campaign_id), campaign, since)
    return cached | read


REFUSALS: Final[Mapping[State, str]] = {
    "draft": "This campaign has not started yet, so nothing can be saved in it. Please come back later.",
    "archived": "This campaign has been archived, so its answers cannot change any more. What was saved before is kept.",
}
"""Why a campaign takes no answers, by its state. A stopped one takes those that are on their way."""


def refuse_closed(campaigns: Iterable[Campaign]) -> None:
    """Check that these campaigns take answers, drafts, skips and reports. For the writer's thread.

    Raises:
        CampaignClosed: one has not started yet, or is archived.
    """
    for campaign in campaigns:
        if campaign.state in REFUSALS:
            raise CampaignClosed(REFUSALS[campaign.state])


def insert_items(connection: Connection, campaign: Campaign, items: Sequence[CampaignItem], start: int = 0) -> None:
    """Write items that are new in a campaign, in their order from this position on."""
    rows.insert(
        connection,
        "campaign_items",
        (
            {
                "campaign_id": campaign.campaign_id, "item_id": item.item_id, "role": item.role, "sampling": item.sampling,
                "expected": None if item.expected is None else rows.to_json(item.expected), "position": position,
                "shuffle": shuffle_key(campaign.seed, campaign.campaign_id, item.item_id), "people": 0,
                "wanted": campaign.overlap if item.role == "ordinary" else 0, "aside": False,
                "draw_probability": item.draw_probability,
            }
            for position, item in enumerate(items, start)
        ),
    )  # fmt: skip


def ensure_default(connection: Connection, now: datetime) -> bool:
    """The default campaign exists, and has all images that have a file. Returns whether anything was to be done for that.

    Its order is that of ``public_id``, a keyed hash: random, and the same for all.
    """
    imported = rows.first(connection, _IMPORTED, [DEFAULT])
    assert imported is not None
    if not imported["made"]:
        settings = rows.to_json(Settings(order="shared").to_json())
        rows.add(connection, "campaigns", campaign_id=DEFAULT, overlap=DEFAULT_OVERLAP, created=now, settings=settings)
    elif imported["synced"] == imported["imports"]:
        return False
    connection.execute(_REMOVE_MISSING, [DEFAULT])
    connection.execute(_ADD_NEW, {"campaign": DEFAULT})
    connection.execute("update campaigns set synced = ? where campaign_id = ?", [imported["imports"], DEFAULT])
    return True


_IMPORTED = """
select coalesce(max(imports.import_id), 0) || ' ' || count(undone) as imports, any_value(c.campaign_id) is not null as made,
    any_value(c.synced) as synced
from (select 1) left join imports on true left join campaigns c on c.campaign_id = ?
"""
_WITH_FILES = "select image_id from images where sha256 is not null"
_REMOVE_MISSING = f"delete from campaign_items where campaign_id = ? and item_id not in ({_WITH_FILES})"
_ADD_NEW = f"""
insert into campaign_items
select $campaign, t.item_id, 'ordinary', 'random', null,
       (select coalesce(max(position), -1) from campaign_items where campaign_id = $campaign)
           + row_number() over (order by t.public_id),
       -- the first 31 bits of the hash; ties go by position
       ('0x' || substr(t.public_id, 1, 8))::bigint >> 1,
       coalesce(a.people, 0), c.overlap, false, null, false
from items t join campaigns c on c.campaign_id = $campaign
left join (
    select item_id, count(distinct rater_id) as people from annotations
    where campaign_id = $campaign and status = 'valid' and not saw_evidence group by item_id
) a on a.item_id = t.item_id
where t.kind = 'image' and t.item_id in ({_WITH_FILES})
  and t.item_id not in (select item_id from campaign_items where campaign_id = $campaign)
"""


def recount(connection: Connection, item_ids: Sequence[str] | None = None) -> None:
    """Count again how many people have answered validly and blind: for these items, or for all."""
    if item_ids is not None and not item_ids:
        return
    among = "" if item_ids is None else f" and item_id in {rows.placeholders(item_ids)}"
    connection.execute(
        "update campaign_items set people = coalesce((select count(distinct a.rater_id) from annotations a"
        " where a.campaign_id = campaign_items.campaign_id and a.item_id = campaign_items.item_id"
        f" and a.status = 'valid' and not a.saw_evidence), 0) where true{among}",
        item_ids or [],
    )


def count_reports(connection: Connection, campaign: str, item_ids: Sequence[str] | None = None) -> None:
    """Set items aside that enough people report, and offer those again that too few report now; all items by default.

    A report counts if it came while the campaign ran and from somebody who was given the item, and as long as they are not
    revoked. People whom a crowd platform sent from one network count as one. What a manager has set aside stays.
    """
    settings = rows.first(connection, "select settings from campaigns where campaign_id = ?", [campaign])
    if settings is None:
        return
    needed = Settings.of(rows.from_json(settings["settings"])).reports_needed
    records = rows.dicts(connection, _REPORTERS, {"campaign": campaign})
    for row in records:
        if (item_ids is None or row["item_id"] in item_ids) and row["aside"] != (row["reporters"] >= needed):
            aside = [not row["aside"], not row["aside"], campaign, row["item_id"]]
            connection.execute(
                "update campaign_items set aside = ?, aside_by_reports = ? where campaign_id = ? and item_id = ?", aside
            )


_REPORTERS = """
select r.item_id, c.aside, count(distinct coalesce(n.network, 'person ' || r.rater_id)) filter (
    r.dismissed is null and r.counted and not exists (
        select 1 from revocations v where v.rater_id = r.rater_id and v.lifted is null
        and coalesce(v.campaign_id, $campaign) = $campaign)) as reporters
from reports r join campaign_items c on c.campaign_id = r.campaign_id and c.item_id = r.item_id
left join (
    select rater_id, any_value(network) as network from arrivals where came_as <> 'name' and network is not null
    group by rater_id
) n on n.rater_id = r.rater_id
where r.campaign_id = $campaign and (c.aside_by_reports or not c.aside)
group by all
"""


def insert_campaigns(connection: Connection, new: Sequence[Campaign], now: datetime, import_id: int | None = None) -> None:
    """Campaigns that are not there yet, as they are; ``import_id``: what brought them."""
    rows.insert(
        connection,
        "campaigns",
        (
            {
                "campaign_id": c.campaign_id, "title": c.title, "questionnaire": c.questionnaire,
                "questionnaire_version": c.version, "definition": c.definition, "overlap": c.overlap, "seed": c.seed,
                "state": c.state, "settings": rows.to_json(c.settings.to_json()), "stratum": c.stratum, "created": now,
                "import_id": import_id,
            }
            for c in new
        ),
    )  # fmt: skip


_CACHED = 8  # campaigns in memory at once
_listings: WeakKeyDictionary[Connection, Results[CampaignListing]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class CampaignListing:
    """A campaign's items.

    Attributes:
        stamp: what the items were read for: they never change under one stamp.
        item_ids: by position, None where an item is gone; ``positions``: the other way round.
        shuffle: by position, what random orders are made of.
        special: the roles of all but ordinary items; ``expected``: their right answers.
        selected: positions of ordinary items that were picked by hand, or drawn with unequal chances.
    """

    stamp: str
    item_ids: list[str | None]
    positions: Mapping[str, int]
    shuffle: NDArray[np.int64]
    special: Mapping[int, Role]
    expected: Mapping[int, Mapping[str, Any]]
    selected: frozenset[int]

    def role(self, position: int) -> Role:
        return self.special.get(position, "ordinary")


def campaign_listing(connection: Connection, campaign_id: str, stamp: str) -> CampaignListing:
    """A campaign's items under this stamp (``Campaign.stamp``): from memory, or read once."""
    listings = _listings.setdefault(connection, Results(_CACHED))
    return listings.get(campaign_id, stamp, lambda: _read_listing(connection, campaign_id, stamp))


def _read_listing(connection: Connection, campaign_id: str, stamp: str) -> CampaignListing:
    records = connection.execute(
        "select position, item_id, shuffle, role, sampling, expected from campaign_items where campaign_id = ?", [campaign_id]
    ).fetchall()
    size = max((row[0] for row in records), default=-1) + 1
    item_ids: list[str | None] = [None] * size
    shuffle = np.zeros(size, np.int64)
    for position, item_id, number, *_ in records:
        item_ids[position] = item_id
        shuffle[position] = number
    special = {position: role for position, _, _, role, _, _ in records if role != "ordinary"}
    return CampaignListing(
        stamp,
        item_ids,
        {item_id: position for position, item_id, *_ in records},
        shuffle,
        special,
        {row[0]: rows.from_json(row[5]) for row in records if row[5] is not None},
        frozenset(row[0] for row in records if row[3] == "ordinary" and row[4] != "random"),
    )


@dataclass(frozen=True, slots=True)
class TaskImage:
    """An image of an item: whose it is, the hash of its file, and its size in pixels."""

    image_id: str
    generator: str
    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class AnnotationTask:
    """What one person is to judge next; ``public_id`` is all that their browser learns of it.

    Attributes:
        kind: ``image``, ``group`` or ``pair``.
        prompt_id: of all its images.
        pictures: the images, in the stored order.
    """

    item_id: str
    public_id: str
    suite: str
    text: str
    spec: dict[str, Any]
    kind: str
    prompt_id: str
    pictures: tuple[TaskImage, ...]


def get_task(store: Store, public_id: str) -> AnnotationTask | None:
    """The task behind a public id, None if there is none, or if a picture of it has no file."""
    with store.read() as cursor:
        return cached_ticket(cursor, store.memory, public_id)


def cached_ticket(cursor: Connection, memory: Cache, public_id: str) -> AnnotationTask | None:
    """Like ``get_task``, by a cursor."""

    def read() -> AnnotationTask | None:
        record = rows.first(cursor, "select item_id from items where public_id = ?", [public_id])
        return read_tasks(cursor, [record["item_id"]]).get(record["item_id"]) if record else None

    return memory.keep(("ticket", public_id), read)


def tasks(store: Store, item_ids: Sequence[str]) -> list[AnnotationTask]:
    """The tasks of those of these items that can be shown, in this order."""
    with store.read() as cursor:
        read = read_tasks(cursor, item_ids)
    return [read[item_id] for item_id in item_ids if item_id in read]


def cached_tasks(cursor: Connection, item_ids: Sequence[str], memory: Cache) -> dict[str, AnnotationTask]:
    """As ``tasks``, read only where they are not in memory; whoever answers about one finds it there, too."""
    since = memory.state
    known: dict[str, AnnotationTask] = {
        item_id: task for item_id in item_ids if (task := memory.get(("task", item_id))) is not None
    }
    read = read_tasks(cursor, [item_id for item_id in item_ids if item_id not in known])
    for item_id, task in read.items():
        memory.put(("task", item_id), task, since)
        memory.put(("ticket", task.public_id), task, since)
    return known | read


def read_tasks(cursor: Connection, item_ids: Sequence[str]) -> dict[str, AnnotationTask]:
    """The tasks of those of these items that can be shown."""
    if not item_ids:
        return {}
    # one table after the other, each by its index: a join would read all of every table
    items = rows.dicts(
        cursor, f"select item_id, public_id, suite, kind from items where item_id in {rows.placeholders(item_ids)}", item_ids
    )
    images = _images(cursor, items)
    # ratings may have named an item before its image came
    prompt_ids = sorted({row["prompt_id"] for item in images.values() for row in item})
    prompts = {row["prompt_id"]: rows.decoded(row, "spec") for row in _among(cursor, _PROMPTS, prompt_ids)}
    tasks = {}
    for row in items:
        if mine := images[row["item_id"]]:
            pictures = tuple(TaskImage(*(file[name] for name in TaskImage.__slots__)) for file in mine)
            tasks[row["item_id"]] = AnnotationTask(**row, **prompts[mine[0]["prompt_id"]], pictures=pictures)
    return tasks


_PROMPTS = "select prompt_id, text, spec from prompts where prompt_id in"
_MEMBERS = "select item_id, image_id, position from item_members where item_id in"
_FILES = "select image_id, generator, sha256, width, height, prompt_id from images where sha256 is not null and image_id in"


def _among(cursor: Connection, query: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    return rows.dicts(cursor, f"{query} {rows.placeholders(ids)}", ids) if ids else []


def _images(cursor: Connection, items: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The images of items, in their order; none where one of them has no file."""
    members: dict[str, list[str]] = {row["item_id"]: [row["item_id"]] if row["kind"] == "image" else [] for row in items}
    several = [row["item_id"] for row in items if row["kind"] != "image"]
    for row in sorted(_among(cursor, _MEMBERS, several), key=lambda row: int(row["position"])):
        members[row["item_id"]].append(row["image_id"])
    files = {row["image_id"]: row for row in _among(cursor, _FILES, [image_id for ids in members.values() for image_id in ids])}
    return {
        item_id: [files[image_id] for image_id in ids] if all(image_id in files for image_id in ids) else []
        for item_id, ids in members.items()
    }
