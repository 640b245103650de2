"""Managing campaigns: made whole, started, stopped, archived; their settings' log, recruitment, and consent.

How people were recruited, instructed and paid (``data.campaign.RECRUITMENT_FIELDS``) is append-only; the latest counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import duckdb

from data import campaign as recruitment
from data.campaign import MOVES, Campaign, CampaignItem, Settings, State
from data.store.campaigns.composition import kinds
from data.store.core import rows
from data.store.core.campaign_items import DEFAULT, campaigns, insert_campaigns, insert_items
from data.store.core.store import Store, per_payload


class CampaignRefused(ValueError):
    """Nothing was changed; the message says why and what to do."""


def create(store: Store, campaign: Campaign, items: Sequence[CampaignItem]) -> Campaign:
    """Make a campaign with its items, in their order; it stands as a draft until it is started. Returns it as stored.

    Raises:
        CampaignRefused: the id is taken, an item is unknown, there twice, of another kind than the others or without a file,
            or no item is ordinary.
    """
    made: Campaign = store.write(_create, (campaign, tuple(items), datetime.now(UTC)), touched=frozenset())
    return made


def listed(store: Store) -> list[Campaign]:
    """All campaigns, the default one among them once somebody has worked in it; oldest first."""
    with store.read() as cursor:
        return campaigns(cursor)


def get(store: Store, campaign_id: str) -> Campaign | None:
    """One campaign, None if there is none."""
    return store.memory.keep(("campaign", campaign_id), lambda: _read(store, campaign_id))


def _read(store: Store, campaign_id: str) -> Campaign | None:
    with store.read() as cursor:
        return next(iter(campaigns(cursor, [campaign_id])), None)


def items(store: Store, campaign_id: str) -> list[CampaignItem]:
    """The items of a campaign, in its order."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select item_id, role, sampling, expected from campaign_items where campaign_id = ? order by position",
            [campaign_id],
        )
    return [CampaignItem(**rows.decoded(row, "expected")) for row in found]


def move(store: Store, campaign_id: str, state: State) -> Campaign:
    """Start (``running``), stop or archive a campaign; answers that are on their way are kept whatever its state.

    Raises:
        CampaignRefused: there is no such campaign, or it cannot go there from its state.
    """
    moved: Campaign = store.write(_move, (campaign_id, state), touched=frozenset())
    return moved


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """An entry of a campaign's log: settings that were changed after it was made, each with its value before and since."""

    settings: Mapping[str, tuple[Any, Any]]
    made_by: str
    moment: datetime


def change_settings(store: Store, campaign_id: str, settings: Mapping[str, Any], made_by: str) -> Campaign:
    """Change some settings of a campaign, and write down who did; who has been asked what so far stays.

    Raises:
        CampaignRefused: there is no such campaign, or it has answers and its order or checks would change.
        ValueError: a value that cannot be.
    """
    payload = (campaign_id, dict(settings), made_by, datetime.now(UTC))
    changed: Campaign = store.write(_change, payload, touched=frozenset())
    return changed


def changes(store: Store, campaign_id: str) -> list[SettingsChange]:
    """The log of a campaign's changed settings, newest first."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor, "select settings, made_by, moment from changes where campaign_id = ? order by moment desc", [campaign_id]
        )
    return [SettingsChange(**rows.decoded(row, "settings")) for row in found]


def remove(store: Store, campaign_id: str) -> None:
    """Delete a campaign that nobody has answered in.

    Raises:
        CampaignRefused: there is no such campaign, it is the default one, or it has answers: archive it instead.
    """
    store.write(_remove, campaign_id, touched=frozenset())


def _write_campaign(
    connection: duckdb.DuckDBPyConnection, payload: tuple[Campaign, Sequence[CampaignItem], datetime]
) -> Campaign:
    campaign, items, now = payload
    if campaign.campaign_id == DEFAULT or campaigns(connection, [campaign.campaign_id]):
        raise CampaignRefused(f"there is a campaign {campaign.campaign_id!r} already; give this one another id")
    _check_items(connection, items)
    drawn = any(item.role == "ordinary" and item.sampling == "random" for item in items)
    campaign = replace(campaign, state="draft", stratum=drawn)
    insert_campaigns(connection, [campaign], now)
    insert_items(connection, campaign, items)
    return campaign


def _check_items(connection: duckdb.DuckDBPyConnection, items: Sequence[CampaignItem]) -> None:
    ids = [item.item_id for item in items]
    if not any(item.role == "ordinary" for item in items):
        raise CampaignRefused("a campaign needs at least one ordinary item; gold and training items alone measure nothing")
    if len(set(ids)) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise CampaignRefused(f"item {twice!r} is listed twice; one item has one role in a campaign")
    known = kinds(connection, ids)
    for item_id in ids:
        if item_id not in known:
            raise CampaignRefused(f"there is no item {item_id!r} with a picture in this project")
    if len(set(known.values())) > 1:
        raise CampaignRefused(f"a campaign's items are all of one kind, got {' and '.join(sorted(set(known.values())))}")


def _existing(connection: duckdb.DuckDBPyConnection, campaign_id: str) -> Campaign:
    found = campaigns(connection, [campaign_id])
    if not found:
        raise CampaignRefused(f"there is no campaign {campaign_id!r}")
    return found[0]


def _write_campaign_state(connection: duckdb.DuckDBPyConnection, payload: tuple[str, State]) -> Campaign:
    campaign_id, state = payload
    campaign = _existing(connection, campaign_id)
    if state == campaign.state:
        return campaign
    if state not in MOVES[campaign.state]:
        raise CampaignRefused(f"campaign {campaign_id!r} is {campaign.state} and cannot become {state} at once")
    connection.execute("update campaigns set state = ? where campaign_id = ?", [state, campaign_id])
    return replace(campaign, state=state)


def _write_settings_change(
    connection: duckdb.DuckDBPyConnection, payload: tuple[str, Mapping[str, Any], str, datetime]
) -> Campaign:
    campaign_id, given, made_by, now = payload
    campaign = _existing(connection, campaign_id)
    settings, before = replace(campaign.settings, **given), campaign.settings.to_json()
    changed = {name: (before[name], value) for name, value in settings.to_json().items() if value != before[name]}
    if not changed:
        return campaign
    steering = ("order", "check_every", "pass_mark")
    moved = [name for name in steering if name in changed]
    if moved and _answered(connection, campaign_id):
        raise CampaignRefused(f"campaign {campaign_id!r} has answers, so its {moved[0]} stays: people's lines would change")
    connection.execute(
        "update campaigns set settings = ? where campaign_id = ?", [rows.to_json(settings.to_json()), campaign_id]
    )
    entry = (campaign_id, rows.to_json(changed), made_by, now)
    rows.insert(connection, "changes", ("campaign_id", "settings", "made_by", "moment"), [entry])
    return replace(campaign, settings=settings)


def _write_campaign_removed(connection: duckdb.DuckDBPyConnection, campaign_id: str) -> None:
    _existing(connection, campaign_id)
    if campaign_id == DEFAULT:
        raise CampaignRefused("the default campaign is part of every project; stop it instead")
    if _answered(connection, campaign_id):
        raise CampaignRefused(f"campaign {campaign_id!r} has answers and stays; archive it instead")
    for table in _ITS_TABLES:
        connection.execute(f"delete from {table} where campaign_id = ?", [campaign_id])


_ITS_TABLES = (
    "campaigns", "campaign_items", "claims", "skips", "drafts", "reports", "revocations", "recruitments", "changes",
)  # fmt: skip


def _answered(connection: duckdb.DuckDBPyConnection, campaign_id: str) -> bool:
    return rows.first(connection, "select 1 from annotations where campaign_id = ? limit 1", [campaign_id]) is not None


_create = per_payload(_write_campaign)
_move = per_payload(_write_campaign_state)
_change = per_payload(_write_settings_change)
_remove = per_payload(_write_campaign_removed)


def describe_recruitment(store: Store, campaign: str, values: Mapping[str, str], made_by: str) -> dict[str, str]:
    """Answer some fields of a campaign; the others stay, and an empty answer takes one back. Returns all that are answered.

    Raises:
        CampaignRefused: there is no such campaign.
        ValueError: as ``check_recruitment``.
    """
    payload = (campaign, recruitment.check_recruitment(values), made_by, datetime.now(UTC))
    said: dict[str, str] = store.write(_describe, payload, touched=frozenset())
    return said


def recruitment_of(store: Store, campaign: str) -> dict[str, str]:
    """What has been answered of a campaign, by field, in the order of ``recruitment.FIELDS``; no field is empty."""
    with store.read() as cursor:
        return _latest(cursor, campaign)


def _latest(cursor: duckdb.DuckDBPyConnection, campaign: str) -> dict[str, str]:
    found = rows.first(cursor, "select fields from recruitments where campaign_id = ? order by seq desc limit 1", [campaign])
    said = rows.from_json(found["fields"]) if found else {}
    return {name: str(said[name]) for name in recruitment.RECRUITMENT_FIELDS if said.get(name)}


def _write_recruitment(
    connection: duckdb.DuckDBPyConnection, payload: tuple[str, Mapping[str, str], str, datetime]
) -> dict[str, str]:
    campaign, values, made_by, moment = payload
    if not campaigns(connection, [campaign]):
        raise CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")
    before = _latest(connection, campaign)
    said = {name: text for name, text in {**before, **values}.items() if text}
    if said != before:
        seq = rows.sequence(connection, "statement_seq", 1)[0]
        columns = ("campaign_id", "fields", "made_by", "moment", "seq")
        rows.insert(connection, "recruitments", columns, [(campaign, rows.to_json(said), made_by, moment, seq)])
    return {name: said[name] for name in recruitment.RECRUITMENT_FIELDS if name in said}


_describe = per_payload(_write_recruitment)


def consent_hash(settings: Settings) -> str | None:
    """Names the consent and the content warning that a campaign shows; None where it shows neither."""
    if not settings.consent.strip() and not settings.content_warning.strip():
        return None
    return hashlib.sha256(f"{settings.consent}\0{settings.content_warning}".encode()).hexdigest()


def has_consented(store: Store, campaign: str, person: str, text: str) -> bool:
    """Whether this person has agreed to this text."""
    with store.read() as cursor:
        return rows.first(cursor, f"select 1 from consents where {_WHERE}", [campaign, person, text]) is not None


def give_consent(store: Store, campaign: str, person: str, text: str, *, now: datetime | None = None) -> None:
    """Note that this person agrees; returns once that is on disk. Saying so again changes nothing."""
    store.write(_give_consent, (campaign, person, text, now or datetime.now(UTC)), shown=False)


_WHERE = "campaign_id = ? and rater_id = ? and text_hash = ?"


def _write_consent(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, datetime]) -> None:
    if rows.first(connection, f"select 1 from consents where {_WHERE}", list(payload[:3])) is None:
        rows.insert(connection, "consents", ("campaign_id", "rater_id", "text_hash", "moment"), [payload])


_give_consent = per_payload(_write_consent)
