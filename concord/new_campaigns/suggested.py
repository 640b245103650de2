"""What a new campaign can expect from those before: the time of an answer, and the pay; and what work that makes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from concord.campaigns.planning import CampaignPlan
from data.campaigns.payment import amount, to_cents
from data.store.campaigns import management, monitoring
from data.store.core.store import Store

ASSUMED_SECONDS: Final = 10.0
"""Of one answer, until people have answered in the form."""


def time_of_answer(store: Store, questionnaire: str = "") -> tuple[float, int]:
    """Return the median seconds of an answer and how many answers say so, 0 where it is assumed; of any questionnaire, if none
    is named."""
    named = [questionnaire] if questionnaire else [each.questionnaire for each in reversed(management.listed(store))]
    for name in dict.fromkeys(named):
        effort = monitoring.effort(store, name)
        if effort.seconds:
            return effort.seconds, effort.n
    return ASSUMED_SECONDS, 0


def latest_pay(store: Store) -> tuple[str, str]:
    """Return the wage an hour and the currency that the newest campaign with one aims at; empty if none does."""
    for campaign in reversed(management.listed(store)):
        if campaign.settings.target_wage:
            return campaign.settings.target_wage, campaign.settings.currency
    return "", ""


@dataclass(frozen=True, slots=True)
class Workload:
    """What so many answers take.

    Attributes:
        answers: how many.
        hours: of people's time.
        cost: with fees, or at the wage; None where neither a price nor a wage is named.
        seconds: of one answer.
        n: how many answers say so; 0: it is assumed.
    """

    answers: int
    hours: float
    cost: Decimal | None
    seconds: float
    n: int


def workload(answers: int, time: tuple[float, int], wage: str) -> Workload:
    """Return what so many answers take, by the time of one as `time_of_answer` gives it, and by a wage an hour."""
    hours = answers * time[0] / 3600
    try:
        hourly = amount(wage)
    except ValueError:
        hourly = Decimal(0)
    return Workload(answers, hours, to_cents(hourly * Decimal(repr(hours))) if hourly else None, *time)


def campaign_workload(store: Store, plan: CampaignPlan) -> Workload:
    """Return what a planned campaign takes: by its price, or by its target wage where it has no price."""
    settings = plan.campaign.settings
    work = workload(plan.with_checks, time_of_answer(store, plan.form.name), settings.target_wage)
    return work if plan.cost is None else replace(work, cost=plan.cost)
