"""Health of a running campaign: who needs a look, who has left, what is spent, and when it will be done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from concord.campaigns import payment
from concord.campaigns.annotators import annotators_of, needs_look
from concord.campaigns.progress import CampaignProgress
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class CampaignHealth:
    """A campaign's health as things stand.

    Attributes:
        look: people with a flag who are not out yet; ``paused``: whom the checks have paused; ``left``: people who left
            without a word: what they held is offered again once its reservation ends.
        working: people with an answer in a reservation's time, or with items before them.
        spent, budget: pay and fees; None where nothing is paid, or there is no cap.
        done: when all answers are there at the present pace; None where there is none, or nothing is missing.
        closes: when it stops by itself.
        stalled: it runs, answers are missing, and none came for a day.
    """

    look: int
    paused: int
    left: int
    working: int
    spent: Decimal | None
    budget: Decimal | None
    currency: str
    done: datetime | None
    closes: datetime | None
    stalled: bool


def health(store: Store, progress: CampaignProgress, now: datetime | None = None) -> CampaignHealth:
    """How a campaign is."""
    moment, settings = now or datetime.now(UTC), progress.campaign.settings
    roll = payment.payroll(store, progress.campaign, now=moment)
    people = annotators_of(store, progress.campaign, None, intervals=False)
    left = progress.pace.hours_left
    running = progress.campaign.state == "running"
    return CampaignHealth(
        look=sum(needs_look(person) for person in people),
        paused=sum(person.worker.paused is not None for person in people),
        left=sum(person.outcome == "left" for person in roll.people),
        working=sum(person.outcome == "working" for person in roll.people),
        spent=roll.cost if settings.pay.paid else None,
        budget=settings.pay.budget,
        currency=roll.currency,
        done=moment + timedelta(hours=left) if left is not None and running else None,
        closes=settings.closing,
        stalled=is_stalled(progress),
    )


def is_stalled(progress: CampaignProgress) -> bool:
    """Return True if a campaign runs, answers are missing, and none came for a day."""
    coverage = progress.coverage
    running = progress.campaign.state == "running"
    return running and coverage.people > 0 and coverage.answers < coverage.wanted and progress.pace.n == 0
