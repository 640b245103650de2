"""Managing campaigns: which images they are about, made whole, started, stopped, archived; settings' log, recruitment, consent.

Items may be made of several images of one prompt (pairs and groups). How people were recruited, instructed and paid
(``data.campaigns.recruitment.RECRUITMENT_FIELDS``) is append-only; the latest counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from data.campaigns import recruitment
from data.campaigns.items import CampaignItem
from data.campaigns.settings import DEFAULT, MOVES, Campaign, Settings, State
from data.records import Item
from data.refusals import CampaignRefused
from data.selection import Selection
from data.store import browse_index, imports
from data.store.campaign_items import campaigns, insert_campaigns, insert_items
from data.store.campaigns import draws
from data.store.core import rows
from data.store.core.cache import Cache
from data.store.core.conditions import Where, items_condition
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction


def images(store: Store, selection: Selection) -> list[str]:
    """The selected images that have a file, by id.

    Raises:
        ValueError: the selection asks for what was said of images, which would not choose by chance.
    """
    condition, parameters = _condition(selection)
    return store.query_column(f"{_IMAGES.format(where=condition)} order by t.item_id", parameters)


def groups(store: Store, selection: Selection, only: Collection[str] | None = None) -> list[str]:
    """Items of the selected images of one prompt, two or more, made where they are not there yet; by prompt.

    Of several generators those with the same index stand together, as TIFA shows one of each; of a single one all do. The
    images stand in an order that mixes the generators: the same whenever the same images make a group. ``only``: none but
    these, by id.
    """
    secret = store.secret
    return store.change(lambda connection: _make(connection, "group", _only(_grouped(connection, selection), only), secret))


def pairs(store: Store, selection: Selection, first: str, second: str, only: Collection[str] | None = None) -> list[str]:
    """Items of two generators' images of one prompt with the same index, made where they are not there yet; by prompt.

    ``only``: none but these, by id.
    """
    secret = store.secret
    return store.change(
        lambda connection: _make(connection, "pair", _only(_paired(connection, selection, first, second), only), secret)
    )


@dataclass(frozen=True, slots=True)
class Composed:
    """An item that can be made: its id, and its images, in its order."""

    item_id: str
    images: tuple[str, ...]


def possible_groups(store: Store, selection: Selection) -> list[Composed]:
    """What ``groups`` would make; nothing is written."""
    with store.read() as cursor:
        return _composed(_grouped(cursor, selection))


def possible_pairs(store: Store, selection: Selection, first: str, second: str) -> list[Composed]:
    """What ``pairs`` would make; nothing is written."""
    with store.read() as cursor:
        return _composed(_paired(cursor, selection, first, second))


def _composed(made: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Composed]:
    return [Composed(item_id, tuple(row["item_id"] for row in members)) for item_id, members in made.items()]


_IMAGES = (
    "select t.item_id, i.prompt_id, i.generator, i.idx, p.suite, p.task"
    " from items t join images i on i.image_id = t.item_id join prompts p on p.prompt_id = i.prompt_id"
    " where i.sha256 is not null and t.kind = 'image' and {where}"
)


def _condition(selection: Selection) -> Where:
    other = sorted(set(selection.to_dict()) - {"suite", "task", "generator"})
    if other:
        raise ValueError(
            f"a campaign's items are chosen by suite, task and generator, not by --{other[0]}: what was said of them would"
            " choose along; list the items by hand instead, they are then marked as selected"
        )
    return items_condition(selection)


Members = dict[str, list[dict[str, Any]]]
"""The images of items, by the items' ids."""


def _grouped(connection: Connection, selection: Selection) -> Members:
    images = _images(connection, selection)
    generators: dict[str, set[str]] = {}
    for row in images:
        generators.setdefault(row["prompt_id"], set()).add(row["generator"])
    together: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in images:
        several = len(generators[row["prompt_id"]]) > 1
        together.setdefault((row["prompt_id"], row["idx"] if several else -1), []).append(row)
    made: Members = {}
    for (prompt_id, _), members in together.items():
        if len(members) > 1:
            mixed = sorted(members, key=lambda row: _digest(row["item_id"]))
            made[f"{prompt_id}/group/{_digest(*(row['item_id'] for row in mixed))}"] = mixed
    return made


def _only(made: Members, only: Collection[str] | None) -> Members:
    return made if only is None else {item_id: members for item_id, members in made.items() if item_id in only}


def _paired(connection: Connection, selection: Selection, first: str, second: str) -> Members:
    if first == second:
        raise ValueError(f"a pair is of two generators, got {first!r} twice")
    places: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for row in _images(connection, selection):
        places.setdefault((row["prompt_id"], row["idx"]), {})[row["generator"]] = row
    return {
        pair_id(prompt_id, here[first]["item_id"], here[second]["item_id"]): [here[first], here[second]]
        for (prompt_id, _), here in places.items()
        if first in here and second in here
    }


def pair_id(prompt_id: str, first: str, second: str) -> str:
    """The item of these two images in this order: the same whoever makes it."""
    return f"{prompt_id}/pair/{_digest(first, second)}"


def _images(connection: Connection, selection: Selection) -> list[dict[str, Any]]:
    condition, parameters = _condition(selection)
    query = f"{_IMAGES.format(where=condition)} order by i.prompt_id, i.idx, i.generator"
    return rows.dicts(connection, query, parameters)


def _digest(*ids: str) -> str:
    return hashlib.blake2b("\n".join(ids).encode(), digest_size=8).hexdigest()


def _make(
    connection: Connection, kind: Literal["pair", "group"], made: Mapping[str, Sequence[Mapping[str, Any]]], secret: str
) -> list[str]:
    """Write items with their members, those that are new; returns the ids of all."""
    if not made:
        return []
    known = rows.existing(connection, "items", "item_id", ["kind"], list(made))
    new = {item_id: members for item_id, members in made.items() if item_id not in known}
    described = (
        Item(item_id, members[0]["suite"], members[0]["prompt_id"], members[0]["task"], None, kind)
        for item_id, members in new.items()
    )
    imports.insert_items(connection, described, secret)
    browse_index.mark_stale(connection, new)
    imports.insert_members(connection, {item_id: [row["item_id"] for row in members] for item_id, members in new.items()})
    return list(made)


def kinds(connection: Connection, item_ids: Sequence[str]) -> dict[str, str]:
    """The kind of each of these items that can be shown: all its images have a file."""
    query = (
        "select t.item_id, t.kind from items t join item_members m using (item_id) left join images i using (image_id)"
        f" where t.item_id in {rows.placeholders(item_ids)} group by all having bool_and(i.sha256 is not null)"
    )
    return rows.mapping(connection, query, item_ids)


@transaction(touched=frozenset())
def create(
    connection: Connection, campaign: Campaign, items: Sequence[CampaignItem], drawn_from: draws.Pool | None = None
) -> Campaign:
    """Make a campaign with its items, in their order; it stands as a draft until it is started. Returns it as stored.

    ``drawn_from``: what those that are drawn by chance were drawn from.

    Raises:
        CampaignRefused: the id is taken, an item is unknown, there twice, of another kind than the others or without a file,
            or no item is ordinary.
    """
    return insert(connection, campaign, tuple(items), drawn_from)


def listed(store: Store, ids: Sequence[str] | None = None) -> list[Campaign]:
    """All campaigns (or those of these that exist), the default one among them once somebody has worked in it; oldest first."""
    with store.read() as cursor:
        return campaigns(cursor, ids)


def get(store: Store, campaign_id: str) -> Campaign | None:
    """One campaign, None if there is none."""
    with store.read() as cursor:
        return cached_campaign(cursor, store.memory, campaign_id)


def cached_campaign(cursor: Connection, memory: Cache, campaign_id: str) -> Campaign | None:
    """Like ``get``, by a cursor."""
    return memory.keep(("campaign", campaign_id), lambda: next(iter(campaigns(cursor, [campaign_id])), None))


def items(store: Store, campaign_id: str) -> list[CampaignItem]:
    """The items of a campaign, in its order."""
    with store.read() as cursor:
        return _items(cursor, campaign_id)


def _items(cursor: Connection, campaign_id: str) -> list[CampaignItem]:
    query = (
        "select item_id, role, sampling, expected, draw_probability from campaign_items where campaign_id = ? order by position"
    )
    return rows.records(cursor, CampaignItem, query, [campaign_id], "expected")


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """An entry of a campaign's log: settings that were changed after it was made, each with its value before and since."""

    settings: Mapping[str, tuple[Any, Any]]
    made_by: str
    moment: datetime


def free_id(store: Store, wanted: str) -> str:
    """This id, or the first of ``ID-2``, ``ID-3``, ... that no campaign has."""
    taken = {campaign.campaign_id for campaign in listed(store)} | {DEFAULT}
    return next(name for n in range(1, len(taken) + 2) if (name := wanted if n == 1 else f"{wanted[:60]}-{n}") not in taken)


def changes(store: Store, campaign_id: str) -> list[SettingsChange]:
    """The log of a campaign's changed settings, newest first."""
    query = "select settings, made_by, moment from changes where campaign_id = ? order by moment desc"
    return store.query_records(SettingsChange, query, [campaign_id], "settings")


def insert(
    connection: Connection, campaign: Campaign, items: Sequence[CampaignItem], drawn_from: draws.Pool | None = None
) -> Campaign:
    """Like ``create``, inside of a transaction."""
    if campaign.campaign_id == DEFAULT or campaigns(connection, [campaign.campaign_id]):
        raise CampaignRefused(f"there is a campaign {campaign.campaign_id!r} already; give this one another id")
    _check_items(connection, items)
    drawn = any(item.role == "ordinary" and item.sampling != "selected" for item in items)
    campaign = replace(campaign, state="draft", stratum=drawn)
    insert_campaigns(connection, [campaign], datetime.now(UTC))
    insert_items(connection, campaign, items)
    if drawn_from is not None:
        draws.write_pool(connection, campaign.campaign_id, drawn_from)
    return campaign


def _check_items(connection: Connection, items: Sequence[CampaignItem]) -> None:
    ids = [item.item_id for item in items]
    if not any(item.role == "ordinary" for item in items):
        raise CampaignRefused("a campaign needs at least one ordinary item; gold and training items alone measure nothing")
    if len(set(ids)) < len(ids):
        twice = next(item_id for item_id in ids if ids.count(item_id) > 1)
        raise CampaignRefused(f"item {twice!r} is listed twice; one item has one role in a campaign")
    known = kinds(connection, ids)
    for item_id in ids:
        if item_id not in known:
            raise CampaignRefused(f"there is no item {item_id!r} with a picture in this project")
    if len(set(known.values())) > 1:
        raise CampaignRefused(f"a campaign's items are all of one kind, got {' and '.join(sorted(set(known.values())))}")


def _existing(connection: Connection, campaign_id: str) -> Campaign:
    stored = campaigns(connection, [campaign_id])
    if not stored:
        raise CampaignRefused(f"there is no campaign {campaign_id!r}")
    return stored[0]


@transaction(touched=frozenset())
def move(connection: Connection, campaign_id: str, state: State) -> Campaign:
    """Start (``running``), stop or archive a campaign. A stopped one takes answers that are on their way; an archived one
    refuses them, so that what was published cannot change.

    Raises:
        CampaignRefused: there is no such campaign, or it cannot go there from its state.
    """
    campaign = _existing(connection, campaign_id)
    if state == campaign.state:
        return campaign
    if state not in MOVES[campaign.state]:
        raise CampaignRefused(f"campaign {campaign_id!r} is {campaign.state} and cannot become {state} directly")
    connection.execute("update campaigns set state = ? where campaign_id = ?", [state, campaign_id])
    return replace(campaign, state=state)


@transaction(touched=frozenset())
def change_settings(
    connection: Connection,
    campaign_id: str,
    settings: Mapping[str, Any],
    made_by: str,
    *,
    title: str | None = None,
    overlap: int | None = None,
) -> Campaign:
    """Change some settings of a campaign, and write down who did; who has been asked what so far stays.

    Raises:
        CampaignRefused: there is no such campaign, or it has answers and its order or checks would change, or fewer people
            are wanted than before.
        ValueError: a value that cannot be.
    """
    named: dict[str, Any] = {"title": title, "overlap": overlap}
    campaign = _existing(connection, campaign_id)
    made = replace(campaign, **{name: value for name, value in named.items() if value is not None})
    made = replace(made, settings=replace(campaign.settings, **settings))
    before = campaign.settings.to_json() | {"title": campaign.title, "overlap": campaign.overlap}
    since = made.settings.to_json() | {"title": made.title, "overlap": made.overlap}
    changed = {name: (before[name], value) for name, value in since.items() if value != before[name]}
    if not changed:
        return campaign
    steering = ("order", "check_every", "pass_mark")
    moved = [name for name in steering if name in changed]
    if moved and has_answers(connection, campaign_id):
        raise CampaignRefused(
            f"campaign {campaign_id!r} has answers, so its {moved[0]} cannot change: it decides the order of people's items"
        )
    if more := made.overlap - campaign.overlap:
        _want_more(connection, campaign, more)
    connection.execute(
        "update campaigns set title = ?, overlap = ?, settings = ? where campaign_id = ?",
        [made.title, made.overlap, rows.to_json(made.settings.to_json()), campaign_id],
    )
    log = {"campaign_id": campaign_id, "settings": rows.to_json(changed), "made_by": made_by, "moment": datetime.now(UTC)}
    rows.insert(connection, "changes", [log])
    return made


@transaction(touched=frozenset())
def add_gold(connection: Connection, campaign_id: str, item: CampaignItem, check_every: int) -> Campaign:
    """Make an item of a draft gold, or add it as gold; one item in ``check_every`` is a check where none was so far.

    Raises:
        CampaignRefused: there is no such draft, the item is of another kind than the others or the only ordinary one.
    """
    campaign = _existing(connection, campaign_id)
    if campaign.state != "draft":
        raise CampaignRefused(f"campaign {campaign_id!r} is {campaign.state}, and gold is added to a draft: duplicate it first")
    before = _items(connection, campaign_id)
    others = [campaign_item for campaign_item in before if campaign_item.item_id != item.item_id]
    _check_items(connection, [*others, item])
    if len(others) == len(before):
        insert_items(connection, campaign, [item], start=len(before))
    else:
        connection.execute(
            "update campaign_items set role = 'gold', sampling = 'selected', expected = ?, wanted = 0, draw_probability = null"
            " where campaign_id = ? and item_id = ?",
            [rows.to_json(item.expected), campaign_id, item.item_id],
        )
    settings = replace(campaign.settings, check_every=campaign.settings.check_every or check_every)
    # items are kept in memory by this stamp
    connection.execute(
        "update campaigns set settings = ?, synced = coalesce(synced, '') || 'g' where campaign_id = ?",
        [rows.to_json(settings.to_json()), campaign_id],
    )
    return replace(campaign, settings=settings)


def _want_more(connection: Connection, campaign: Campaign, more: int) -> None:
    """Ask so many people more, or fewer, about each ordinary item; one that got somebody extra keeps that."""
    if more < 0 and has_answers(connection, campaign.campaign_id):
        raise CampaignRefused(
            f"campaign {campaign.campaign_id!r} has answers, so it cannot ask fewer than {campaign.overlap} people about"
            " an item: answers that counted would become surplus"
        )
    where = "where campaign_id = ? and role = 'ordinary'"
    connection.execute(f"update campaign_items set wanted = wanted + ? {where}", [more, campaign.campaign_id])


@transaction(touched=frozenset())
def duplicate(connection: Connection, campaign_id: str, new_id: str, title: str) -> Campaign:
    """A draft with the same items, questionnaire and settings; answers, changes and links stay with the first.

    Raises:
        CampaignRefused: there is no such campaign, it is the default one, or the new id is taken.
    """
    campaign = _existing(connection, campaign_id)
    if campaign_id == DEFAULT:
        raise CampaignRefused("the default campaign has no list of its own: make a new campaign of all images instead")
    made = insert(connection, replace(campaign, campaign_id=new_id, title=title), _items(connection, campaign_id))
    copied = "update campaigns set pool = (select pool from campaigns where campaign_id = ?) where campaign_id = ?"
    connection.execute(copied, [campaign_id, new_id])
    # the copy can be edited as the first could
    asked = "insert into campaign_requests select ?, request from campaign_requests where campaign_id = ?"
    connection.execute(asked, [new_id, campaign_id])
    return made


@transaction(touched=frozenset())
def remove(connection: Connection, campaign_id: str) -> None:
    """Delete a campaign that nobody has answered in.

    Raises:
        CampaignRefused: there is no such campaign, it is the default one, or it has answers: archive it instead.
    """
    _existing(connection, campaign_id)
    if campaign_id == DEFAULT:
        raise CampaignRefused("the default campaign is part of every project; stop it instead")
    if has_answers(connection, campaign_id):
        raise CampaignRefused(f"campaign {campaign_id!r} has answers and cannot be deleted; archive it instead")
    for table in _ITS_TABLES:
        connection.execute(f"delete from {table} where campaign_id = ?", [campaign_id])


_ITS_TABLES = (
    "campaigns", "campaign_items", "claims", "skips", "drafts", "reports", "revocations", "recruitments", "changes",
    "departures", "offers", "settlements", "ledger", "campaign_requests",
)  # fmt: skip


def has_answers(connection: Connection, campaign_id: str) -> bool:
    """Return True if anybody has answered in a campaign, by a connection."""
    return rows.first(connection, "select 1 from annotations where campaign_id = ? limit 1", [campaign_id]) is not None


def recruitment_of(store: Store, campaign: str) -> dict[str, str]:
    """What has been answered of a campaign, by field, in the order of ``RECRUITMENT_FIELDS``; no field is empty."""
    with store.read() as cursor:
        return _latest(cursor, campaign)


def _latest(cursor: Connection, campaign: str) -> dict[str, str]:
    record = rows.first(cursor, "select fields from recruitments where campaign_id = ? order by seq desc limit 1", [campaign])
    fields = rows.from_json(record["fields"]) if record else {}
    return {name: str(fields[name]) for name in recruitment.RECRUITMENT_FIELDS if fields.get(name)}


@transaction(touched=frozenset())
def describe_recruitment(connection: Connection, campaign: str, values: Mapping[str, str], made_by: str) -> dict[str, str]:
    """Answer some fields of a campaign; the others stay, and an empty answer takes one back. Returns all that are answered.

    Raises:
        CampaignRefused: there is no such campaign.
        ValueError: as ``check_recruitment``.
    """
    checked = recruitment.check_recruitment(values)
    if not campaigns(connection, [campaign]):
        raise CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")
    before = _latest(connection, campaign)
    texts = {name: text for name, text in {**before, **checked}.items() if text}
    if texts != before:
        seq = rows.sequence(connection, "statement_seq", 1)[0]
        described = {"campaign_id": campaign, "fields": rows.to_json(texts), "made_by": made_by, "seq": seq}
        rows.insert(connection, "recruitments", [described | {"moment": datetime.now(UTC)}])
    return {name: texts[name] for name in recruitment.RECRUITMENT_FIELDS if name in texts}


def consent_hash(settings: Settings) -> str | None:
    """Names the consent and the content warning that a campaign shows; None where it shows neither."""
    if not settings.consent.strip() and not settings.content_warning.strip():
        return None
    return hashlib.sha256(f"{settings.consent}\0{settings.content_warning}".encode()).hexdigest()


def has_consented(store: Store, campaign: str, person: str, text: str) -> bool:
    """Whether this person has agreed to this text."""
    with store.read() as cursor:
        return cached_consent(cursor, store.memory, (campaign, person, text))


def cached_consent(cursor: Connection, memory: Cache, about: tuple[str, str, str]) -> bool:
    """Like ``has_consented``, by a cursor; ``about``: campaign, person and text."""
    # every answer needs it; who has not agreed yet is looked up anew
    query = f"select 1 from consents where {_WHERE}"
    return memory.keep(("consent", *about), lambda: rows.first(cursor, query, about)) is not None


@transaction(shown=False)
def give_consent(connection: Connection, campaign: str, person: str, text: str) -> None:
    """Note that this person agrees; returns once that is on disk. Saying so again changes nothing."""
    if rows.first(connection, f"select 1 from consents where {_WHERE}", [campaign, person, text]) is None:
        consent = {"campaign_id": campaign, "rater_id": person, "text_hash": text, "moment": datetime.now(UTC)}
        rows.insert(connection, "consents", [consent])


_WHERE = "campaign_id = ? and rater_id = ? and text_hash = ?"
