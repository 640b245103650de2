"""How a campaign's people were recruited, instructed and paid (``data.campaign``). Append-only; the latest counts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import duckdb

from data import campaign as recruitment
from data.store import rows
from data.store.managing import CampaignRefused
from data.store.places import campaigns
from data.store.store import Store, run


def describe(store: Store, campaign: str, values: Mapping[str, str], made_by: str) -> dict[str, str]:
    """Answer some fields of a campaign; the others stay, and an empty answer takes one back. Returns all that are answered.

    Raises:
        CampaignRefused: there is no such campaign.
        ValueError: as ``recruitment.checked``.
    """
    payload = (campaign, recruitment.check_recruitment(values), made_by, datetime.now(UTC))
    said: dict[str, str] = store.write(_describe, payload, touched=frozenset())
    return said


def described(store: Store, campaign: str) -> dict[str, str]:
    """What has been answered of a campaign, by field, in the order of ``recruitment.FIELDS``; no field is empty."""
    with store.read() as cursor:
        return _latest(cursor, campaign)


def _latest(cursor: duckdb.DuckDBPyConnection, campaign: str) -> dict[str, str]:
    found = rows.one(cursor, "select fields from recruitments where campaign_id = ? order by seq desc limit 1", [campaign])
    said = rows.from_json(found["fields"]) if found else {}
    return {name: str(said[name]) for name in recruitment.RECRUITMENT_FIELDS if said.get(name)}


def _describe_one(
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


_describe = run(_describe_one)
