"""Answers half written: kept on the server for whoever comes back, gone once the answer is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb

from data.store import rows
from data.store.memory import Memory
from data.store.places import marks, remembered
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
    store.write(_save, _Kept(draft, now or datetime.now(UTC), store.memory), shown=False)


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


@dataclass(frozen=True, slots=True)
class _Kept:
    draft: Draft
    now: datetime
    memory: Memory


def _save_all(connection: duckdb.DuckDBPyConnection, payloads: Sequence[_Kept]) -> list[None]:
    latest = {(one.draft.campaign, one.draft.person, one.draft.item_id): one for one in payloads}
    for key, one in latest.items():
        connection.execute(f"delete from drafts where {_WHERE}", list(key))
        columns = ("campaign_id", "rater_id", "item_id", "answers", "saved")
        rows.insert(connection, "drafts", columns, [(*key, rows.to_json(one.draft.answers), one.now)])
        _keep_claim(connection, key, one)
    return [None] * len(payloads)


def _keep_claim(connection: duckdb.DuckDBPyConnection, key: tuple[str, str, str], one: _Kept) -> None:
    for known in remembered(connection, [key[0]], one.memory).values():
        until = one.now + timedelta(minutes=known.campaign.settings.lease_minutes)
        connection.execute(f"update claims set until = ? where {_WHERE} and until > ?", [until, *key, one.now])


_save = _save_all
