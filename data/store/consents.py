"""What people agreed to before a campaign showed them anything."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import duckdb

from data.campaign import Settings
from data.store import rows
from data.store.store import Store, run


def text_hash(settings: Settings) -> str | None:
    """Names the consent and the content warning that a campaign shows; None where it shows neither."""
    if not settings.consent.strip() and not settings.content_warning.strip():
        return None
    return hashlib.sha256(f"{settings.consent}\0{settings.content_warning}".encode()).hexdigest()


def given(store: Store, campaign: str, person: str, text: str) -> bool:
    """Whether this person has agreed to this text."""
    with store.read() as cursor:
        return rows.one(cursor, f"select 1 from consents where {_WHERE}", [campaign, person, text]) is not None


def give(store: Store, campaign: str, person: str, text: str, *, now: datetime | None = None) -> None:
    """Note that this person agrees; returns once that is on disk. Saying so again changes nothing."""
    store.write(_give, (campaign, person, text, now or datetime.now(UTC)), shown=False)


_WHERE = "campaign_id = ? and rater_id = ? and text_hash = ?"


def _give_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, datetime]) -> None:
    if rows.one(connection, f"select 1 from consents where {_WHERE}", list(payload[:3])) is None:
        rows.insert(connection, "consents", ("campaign_id", "rater_id", "text_hash", "moment"), [payload])


_give = run(_give_one)
