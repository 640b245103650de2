"""Drafts of campaigns: the values that each was asked for with, and its list of images made anew while nobody has answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign
from data.refusals import CampaignRefused
from data.store.campaign_items import campaigns
from data.store.campaigns import draws, management
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """What a campaign was asked for with.

    Attributes:
        values: by name, as in a campaign's file.
        changed: settings, `title` and `overlap` that were changed by themselves since.
    """

    values: Mapping[str, Any]
    changed: Mapping[str, Any]


def request_of(store: Store, campaign_id: str) -> StoredRequest | None:
    """Return what a campaign was asked for with; None if nothing is stored of it."""
    with store.read() as cursor:
        query = "select request from campaign_requests where campaign_id = ?"
        record = rows.first(cursor, query, [campaign_id])
        if record is None:
            return None
        since = (
            "select h.settings from changes h join campaigns c using (campaign_id)"
            " where campaign_id = ? and h.moment > c.created order by h.moment"
        )
        logged = [rows.from_json(text) for text in rows.column(cursor, since, [campaign_id])]
    changed = {name: value for change in logged for name, (_, value) in change.items()}
    return StoredRequest(rows.from_json(record["request"]), changed)


@dataclass(frozen=True, slots=True)
class Draft:
    """A campaign to be stored: with its items, what they were drawn from, and the values that it was asked for with."""

    campaign: Campaign
    items: Sequence[CampaignItem]
    drawn_from: draws.Pool | None
    request: Mapping[str, Any]


@transaction(touched=frozenset())
def create(connection: Connection, draft: Draft) -> Campaign:
    """Like `management.create`, with the values that the campaign was asked for with."""
    return _insert(connection, draft)


@transaction(touched=frozenset())
def replace(connection: Connection, draft: Draft) -> Campaign:
    """Put a draft in the place of the draft of the same id; its links and the log of its changes stay.

    Raises:
        CampaignRefused: there is no such draft, somebody has answered in it, or as `management.create`.
    """
    campaign_id = draft.campaign.campaign_id
    stored = campaigns(connection, [campaign_id])
    if not stored or stored[0].state != "draft" or management.has_answers(connection, campaign_id):
        state = stored[0].state if stored else "gone"
        raise CampaignRefused(f"campaign {campaign_id!r} is {state}; only a draft is made anew: duplicate it instead")
    for table in ("campaign_items", "campaigns"):
        connection.execute(f"delete from {table} where campaign_id = ?", [campaign_id])
    return _insert(connection, draft)


def _insert(connection: Connection, draft: Draft) -> Campaign:
    made = management.insert(connection, draft.campaign, tuple(draft.items), draft.drawn_from)
    campaign_id = draft.campaign.campaign_id
    connection.execute("delete from campaign_requests where campaign_id = ?", [campaign_id])
    rows.add(connection, "campaign_requests", campaign_id=campaign_id, request=rows.to_json(dict(draft.request)))
    return made
