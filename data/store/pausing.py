"""Pausing who fails a campaign's checks: a revocation by the campaign's own rule, decided as answers to checks come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import duckdb

from data.campaign import fails_checks
from data.records import Annotation
from data.store import grounds
from data.store.memory import Memory
from data.store.revoking import Revocation, write
from data.store.statuses import Place, Places
from data.store.store import Store, run

BY: Final = "checks"


def pause_who_fail(
    connection: duckdb.DuckDBPyConnection, annotations: Sequence[Annotation], places: Places, memory: Memory, now: datetime
) -> set[str]:
    """Pause whoever is below a pass mark with these new answers, which are written; returns the answers that did it."""
    checks: dict[tuple[str, str], tuple[Annotation, Place]] = {}
    for annotation in annotations:
        place = places.get((annotation.campaign_id or "", annotation.item_id))
        if place is not None and place.role in ("gold", "attention"):
            checks[place.campaign.campaign_id, annotation.rater_id] = annotation, place
    paused: set[str] = set()
    for (campaign_id, person), (annotation, place) in checks.items():
        settings = place.campaign.settings
        if not {None, campaign_id}.isdisjoint(grounds.revoked(connection, memory).get(person, ())):
            continue
        if why := _failure(connection, campaign_id, person, settings.gold_pass_mark, settings.attention_pass_mark):
            write(connection, Revocation(person, campaign_id, settings.recollect, BY, now, why))
            memory.forget()
            paused.add(annotation.annotation_id)
    return paused


def _failure(connection: duckdb.DuckDBPyConnection, campaign_id: str, person: str, gold: float, attention: float) -> str | None:
    """What somebody fails, in words, by the first answers since they were last let in again; None: nothing."""
    found = connection.execute(_TALLY, {"person": person, "campaign": campaign_id}).fetchall()
    for role, n, right in found:
        if fails_checks(right, n, gold if role == "gold" else attention):
            return f"{right} of {n} {role} items right"
    return None


_TALLY = """
select c.role, count(*), count(*) filter (a.passed)
from annotations a join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id
where a.rater_id = $person and a.campaign_id = $campaign and a.status = 'gold' and a.revises is null
  and a.submitted > coalesce((
      select max(lifted) from revocations where rater_id = $person and campaign_id = $campaign and reason is not null
  ), timestamptz 'epoch')
group by c.role order by c.role desc
"""


def _nothing_one(connection: duckdb.DuckDBPyConnection, _: None) -> None:
    """Only the version moves."""


_nothing = run(_nothing_one)


def show(store: Store) -> None:
    """Let all who look compute anew: with a pause, more than the paused answer may have stopped counting."""
    store.write(_nothing, None)
