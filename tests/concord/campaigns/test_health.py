"""Health of a campaign: who needs a look, who has left, and what is spent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from concord.campaigns import health
from concord.campaigns.progress import CampaignProgress, progress_of
from data.store.campaigns import management
from data.store.core.store import Store
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World


def progress(store: Store, now: datetime | None = None) -> CampaignProgress:
    state = progress_of(store, "c", now)
    assert state
    return state


def hurry(store: Store, person: str) -> None:
    """All answers of somebody take less than it takes to look."""
    query = "update annotations set active_seconds = 0.4 where rater_id = ?"
    store.change(lambda connection: connection.execute(query, [person]))


def test_health_counts_who_needs_a_look_who_left_and_what_is_spent(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="y")
    management.change_settings(
        store, "c", {"item_price": "0.10", "currency": "GBP", "budget": "5", "closes": "2030-01-31"}, "rita"
    )
    hurry(store, "bob")
    now = datetime.now(UTC)
    campaign_health = health.health(store, progress(store, now), now)
    assert (
        campaign_health.look,
        campaign_health.paused,
        campaign_health.left,
        campaign_health.working,
        campaign_health.spent,
    ) == (1, 0, 0, 3, Decimal("0.50"))
    assert campaign_health.done is not None
    assert campaign_health.done > now
    later = now + timedelta(days=2)
    campaign_health = health.health(store, progress(store, later), later)
    assert (campaign_health.left, campaign_health.working, campaign_health.stalled, campaign_health.done) == (3, 0, True, None)
