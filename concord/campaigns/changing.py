"""Changing a campaign that was made: what may change, and what a change means for people, cost and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from concord.campaigns import payment
from concord.common import wording
from concord.meta.planning import expected_precision
from data.campaigns.settings import OUTCOMES, Campaign, Settings
from data.requests import fields_of
from data.store.campaigns import management, monitoring
from data.store.core.store import Store

TEXTS: Final = tuple(field.name for field in fields_of(Settings) if field.setting.section == "texts")
CODES: Final = tuple(f"{outcome}_code" for outcome in OUTCOMES)
STEERING: Final = ("order", "check_every", "pass_mark")
"""Settings that decide the order of people's items: they change only while nobody has answered."""


def describe_change(store: Store, campaign: Campaign, settings: Mapping[str, Any], overlap: int) -> list[str]:
    """A sentence for each change: what follows from it, for people and for the statistics.

    Raises:
        ValueError: a value that cannot be.
    """
    made = replace(campaign, overlap=overlap, settings=replace(campaign.settings, **settings))
    before, since = campaign.settings, made.settings
    answered = monitoring.coverage(store, campaign.campaign_id).people > 0
    sentences = []
    if overlap != campaign.overlap:
        sentences.append(_describe_overlap(store, campaign, made))
    if since.limit != before.limit:
        more = since.limit is None or (before.limit is not None and since.limit > before.limit)
        sentences.append(
            "Limit: people who reached it are offered more; the numbers then rest more on the few who stay."
            if more
            else "Limit: whoever has answered as many gets no more; what they answered counts."
        )
    if answered and any(getattr(before, name) != getattr(since, name) for name in CODES):
        sentences.append(
            "Codes: people who left before saw the old code, so accept both; the pay file has the one that each saw."
        )
    if answered and any(getattr(before, name) != getattr(since, name) for name in TEXTS):
        sentences.append("Texts: answers so far were given after the old text, later ones after the new; report both.")
    if since.nothing_left != before.nothing_left:
        sentences.append("Last images: who left before is paid by the setting that held then.")
    if since.withdrawal != before.withdrawal:
        sentences.append("Withdrawing: " + ("people may take their answers back." if since.withdrawal else "answers stay."))
    if since.pay != before.pay:
        sentences.append(_describe_pay(store, campaign, made))
    if since.closing != before.closing and since.closing is not None:
        sentences.append("Close: nothing is offered from then on; people who are not done see the code for stopping early.")
    return sentences


def _describe_overlap(store: Store, campaign: Campaign, made: Campaign) -> str:
    items = [item.item_id for item in management.items(store, campaign.campaign_id) if item.role == "ordinary"]
    answers = len(items) * (made.overlap - campaign.overlap)
    effort = monitoring.effort(store, campaign.questionnaire)
    time = f", {wording.duration(answers * effort.seconds)} of active time" if effort.seconds and answers > 0 else ""
    pay = made.settings.pay
    cost = f", {pay.cost_of(answers):,} {made.settings.currency}".rstrip() if pay.price and answers > 0 else ""
    lines = [f"People for each: {wording.count(abs(answers), 'answer')} {'more' if answers > 0 else 'fewer'}{time}{cost}."]
    for suite, prompts in monitoring.prompts_by_suite(store, campaign.campaign_id).items():
        plans = [expected_precision(store, suite, ratings, prompts) for ratings in (campaign.overlap, made.overlap)]
        widths = [plan.half_width_with(prompts) if plan is not None else None for plan in plans]
        if plans[0] is not None and all(widths):
            lines.append(
                f"A generator’s mean ({plans[0].aspect}, {wording.count(prompts, 'prompt')} of {suite}) is expected to about"
                f" ± {widths[1]:.2g} instead of ± {widths[0]:.2g}."
            )
    lines.append("Decide this before you look at results: to ask on until a number pleases makes its interval too narrow.")
    return " ".join(lines)


def _describe_pay(store: Store, campaign: Campaign, made: Campaign) -> str:
    before, since = (payment.payroll(store, version) for version in (campaign, made))
    text = f"Pay: counts for all answers, those given too: so far {before.cost:,} becomes {since.cost:,}"
    text += f" {made.settings.currency}".rstrip() + " with fees."
    budget = made.settings.pay.budget
    return text + (" The budget is spent: nothing more is offered." if budget is not None and since.cost >= budget else "")
