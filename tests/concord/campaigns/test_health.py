"""Health of a campaign: who needs a look, who has left, and what is spent."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from concord.campaigns import health
from concord.campaigns.annotators import annotators_of
from concord.campaigns.progress import CampaignProgress, progress_of
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import revocations
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World
from ui.pages.campaigns.progress import health_bar
from ui.shell.html import rendered


def progress(store: Store, now: datetime | None = None) -> CampaignProgress:
    state = progress_of(store, "c", now)
    assert state
    return state


def hurry(store: Store, person: str) -> None:
    """All answers of somebody take less than it takes to look."""
    query = "update annotations set active_seconds = 0.4 where rater_id = ?"
    store.change(lambda connection: connection.execute(query, [person]))


def test_the_bar_says_what_needs_a_look(world: World) -> None:
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
    bar = rendered(health_bar(store, progress(store)))
    for text in ("1 person needs a look", "3 at work", "0.50 of 5 GBP spent", "closes <time", "2030-01-31 00:00 UTC"):
        assert text in bar
    later = now + timedelta(days=2)
    campaign_health = health.health(store, progress(store, later), later)
    assert (campaign_health.left, campaign_health.working, campaign_health.stalled, campaign_health.done) == (3, 0, True, None)


def test_people_with_a_flag_stand_first(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yy", dan="y")
    for person in ("bob", "cyd"):
        hurry(store, person)
    revocations.revoke(store, "cyd", "rita", "c")
    people = annotators_of(store, progress(store).campaign, None, intervals=False)
    assert [work.worker.person for work in health.by_problem(people)] == ["bob", "ann", "dan", "cyd"]
