"""A campaign's form as people will see it, for those who make it: nothing is offered to anybody, and nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any, Final

from annotation.questionnaires.base import check
from concord.form.campaign_info import campaign_json, consent_json, training_json
from concord.form.ending import completion_json, feedback_json
from concord.form.item_form import item_form
from data.campaigns.checks import Training, wrong_answers
from data.campaigns.items import CampaignItem, CheckSchedule
from data.campaigns.settings import Campaign
from data.store import campaign_items
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements.answer_status import feedback_on

_MOST_PREVIEWED: Final = 20
_NOBODY: Final = ""


def preview_json(store: Store, campaign_id: str) -> dict[str, Any] | None:
    """A campaign's form as people will see it, its first items; nothing is offered to anybody, and nothing is stored. None: no
    such campaign."""
    campaign = management.get(store, campaign_id)
    if campaign is None:
        return None
    items = {item.item_id: item for item in islice(_previewed(campaign, management.items(store, campaign_id)), _MOST_PREVIEWED)}
    tasks = campaign_items.tasks(store, [*items])
    trained = sum(items[task.item_id].role == "training" for task in tasks)
    return {
        "campaign": campaign_json(store, campaign),
        "consent": consent_json(store, campaign, _NOBODY),
        "training": training_json(Training.of(trained, 0, 0, campaign.settings.pass_mark)) if trained else None,
        "tasks": [item_form(store, campaign, task, _NOBODY).to_json() for task in tasks],
        "code": completion_json(campaign.settings, "completion", worked=True),
    }


def _previewed(campaign: Campaign, items: Sequence[CampaignItem]) -> Iterator[CampaignItem]:
    """A campaign's items as one person may meet them: training first, and checks among the others."""
    yield from (item for item in items if item.role == "training")
    ordinary = iter([item for item in items if item.role == "ordinary"])
    every = campaign.settings.check_every
    schedule = CheckSchedule(every, campaign.seed, campaign.campaign_id, _NOBODY) if every else None
    checks = iter([item for item in items if item.role in ("gold", "attention")])
    for n in count():
        check = next(checks, None) if schedule is not None and schedule.is_next(n) else None
        item = check or next(ordinary, None)
        if item is None:
            return
        yield item


def preview_feedback_json(store: Store, campaign_id: str, ticket: str, answers: Mapping[str, Any]) -> dict[str, Any] | None:
    """What somebody would be told who answered so; nothing is stored. ``right`` is null of items without a known answer. None:
    no such campaign, or no such item in it."""
    campaign, task = management.get(store, campaign_id), campaign_items.get_task(store, ticket)
    items = {item.item_id: item for item in management.items(store, campaign_id)}
    if campaign is None or task is None or task.item_id not in items:
        return None
    item = items[task.item_id]
    cleaned = check(item_form(store, campaign, task, _NOBODY).questionnaire, answers).answers
    expected = item.expected or {}
    right = not wrong_answers(expected, cleaned) if item.role != "ordinary" else None
    return {"right": right, "feedback": feedback_json(cleaned, feedback_on(campaign.settings, item.role, expected, cleaned))}
