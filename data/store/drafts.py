"""Answers half written: kept on the server for whoever comes back, gone once the answer is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb

from data.campaign import Settings
from data.store import rows
from data.store.places import marks
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Draft:
    """What a person has written about an item so far."""

    campaign: str
    person: str
    item_id: str
    answers: Mapping[str, Any]


def save(store: Store, draft: Draft, *, now: datetime | None = None) -> None:
    """Keep a draft in place of an earlier one; whoever writes keeps their claim for another lease."""
    store.write(_save, (draft, now or datetime.now(UTC)), shown=False)


def of(connection: duckdb.DuckDBPyConnection, campaign: str, people: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """The answers of these people's drafts, by person and item."""
    found = connection.execute(
        f"select rater_id, item_id, answers from drafts where campaign_id = ? and rater_id in {marks(people)}",
        [campaign, *people],
    ).fetchall()
    drafts: dict[str, dict[str, dict[str, Any]]] = {}
    for person, item_id, answers in found:
        drafts.setdefault(person, {})[item_id] = rows.from_json(answers)
    return drafts


_WHERE = "campaign_id = ? and rater_id = ? and item_id = ?"


def _save_all(connection: duckdb.DuckDBPyConnection, payloads: Sequence[tuple[Draft, datetime]]) -> list[None]:
    latest = {(draft.campaign, draft.person, draft.item_id): (draft, now) for draft, now in payloads}
    for key, (draft, now) in latest.items():
        connection.execute(f"delete from drafts where {_WHERE}", list(key))
        columns = ("campaign_id", "rater_id", "item_id", "answers", "saved")
        rows.insert(connection, "drafts", columns, [(*key, rows.to_json(draft.answers), now)])
        _keep_claim(connection, key, now)
    return [None] * len(payloads)


def _keep_claim(connection: duckdb.DuckDBPyConnection, key: tuple[str, str, str], now: datetime) -> None:
    found = rows.one(connection, "select settings from campaigns where campaign_id = ?", [key[0]])
    if found is not None:
        minutes = Settings.of(rows.from_json(found["settings"])).lease_minutes
        connection.execute(
            f"update claims set until = ? where {_WHERE} and until > ?", [now + timedelta(minutes=minutes), *key, now]
        )


_save = _save_all
