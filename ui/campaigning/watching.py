"""How campaigns go: coverage, pace, and when they will be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from data.campaign import Campaign
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import Coverage, Hour
from data.store.core.store import Store

WINDOW: Final = timedelta(hours=24)
"""How far back the pace looks."""
_SHORTEST: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """Valid answers of the last 24 hours, and what follows if it goes on like that.

    Attributes:
        n: how many; ``per_hour``: over the time since the first of them, of one hour at least; None for none.
        hours_left: until the answers still wanted are there; None where there is no pace, or nothing is wanted.
    """

    n: int
    per_hour: float | None
    hours_left: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A campaign as it stands."""

    campaign: Campaign
    coverage: Coverage
    pace: Pace


def standings(store: Store, now: datetime | None = None) -> list[Standing]:
    """All campaigns, the newest first; archived ones last."""
    found = [_standing(store, campaign, now or datetime.now(UTC)) for campaign in reversed(management.listed(store))]
    return sorted(found, key=lambda one: one.campaign.state == "archived")


def standing(store: Store, campaign_id: str, now: datetime | None = None) -> Standing | None:
    """One campaign; None if there is none of this name."""
    campaign = management.get(store, campaign_id)
    return None if campaign is None else _standing(store, campaign, now or datetime.now(UTC))


def _standing(store: Store, campaign: Campaign, now: datetime) -> Standing:
    found = monitoring.coverage(store, campaign.campaign_id, now)
    left = found.wanted - found.answers
    return Standing(campaign, found, pace_of(monitoring.answers_by_hour(store, campaign.campaign_id), left, now))


def pace_of(hours: Sequence[Hour], left: int, now: datetime) -> Pace:
    """The pace of the last 24 hours, from answers by hour; ``left`` more are wanted."""
    recent = [hour for hour in hours if hour.start > now - WINDOW - timedelta(hours=1)]
    n = sum(hour.valid for hour in recent)
    if not n:
        return Pace(0, None, None)
    first = min(hour.start for hour in recent if hour.valid)
    spent = min(max(now - first, _SHORTEST), WINDOW)
    per_hour = n / (spent / timedelta(hours=1))
    return Pace(n, per_hour, left / per_hour if left > 0 else None)
