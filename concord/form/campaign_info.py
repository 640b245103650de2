"""What a campaign tells a person before and while they work in it: instructions, consent, progress and training."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from annotation.questionnaires.form import Form
from concord.form.ending import completion_json
from concord.form.item_form import campaign_of
from concord.form.rich_text import rich_texts
from concord.judging import form_of
from data.campaigns.checks import Training
from data.campaigns.settings import DEFAULT, Campaign, Settings
from data.store.campaigns import management
from data.store.campaigns.allocation import CampaignProgress
from data.store.core.store import Store


def campaign_json(store: Store, campaign: Campaign, form: Form | None = None) -> dict[str, Any]:
    """Return what a campaign tells everybody who works in it; ``form``: what it asks, where that is not its own questionnaire.

    The instructions begin with pictures and their right answers: images of the project that the manager's text shows, or else
    what the questionnaire brings.
    """
    form = form or form_of(campaign.questionnaire, campaign.definition)
    own = "](item:" in campaign.settings.instructions
    return {
        "id": campaign.campaign_id,
        "title": "" if campaign.campaign_id == DEFAULT else campaign.title or campaign.campaign_id,
        "examples": [] if own else [asdict(example) for example in form.worked_examples],
        "instructions": [
            *({"tag": "p", "children": [text]} for text in [pay_text(campaign.settings)] if text),
            *rich_texts(store, campaign.settings.instructions),
        ],
    }


def pay_text(settings: Settings) -> str:
    """Return what people are told of their pay; empty where nothing is paid, or the campaign does not tell it."""
    pay = settings.pay
    if not pay.paid or not settings.pay_told:
        return ""
    price, base = (f"{value} {settings.currency}".rstrip() for value in (pay.price, pay.base))
    if not pay.price:
        return f"You are paid {base} if you reach the end."
    each = f"You are paid {price} for each image that you answer, examples and checks included"
    return each + (f", and at least {base} if you reach the end." if pay.base else ".")


def consent_json(store: Store, campaign: Campaign, person: str) -> dict[str, Any] | None:
    """What this person has yet to agree to before they are shown anything; None: nothing."""
    consent_hash = management.consent_hash(campaign.settings)
    if consent_hash is None or management.has_consented(store, campaign.campaign_id, person, consent_hash):
        return None
    settings = campaign.settings
    return {
        "state": "consent",
        "text": consent_hash,
        "consent": rich_texts(store, settings.consent),
        "warning": rich_texts(store, settings.content_warning),
        "declined": completion_json(settings, "declined", worked=False),
    }


def campaign_choices(store: Store) -> list[dict[str, str]]:
    """The campaigns that somebody may choose from who was not invited to one; none where there is only the default one."""
    running = [
        campaign for campaign in management.listed(store) if campaign.state == "running" and campaign.campaign_id != DEFAULT
    ]
    if not running:
        return []
    default = management.get(store, DEFAULT)
    everything = [] if default is not None and default.state != "running" else [{"id": DEFAULT, "title": "All images"}]
    return [{"id": campaign.campaign_id, "title": campaign.title or campaign.campaign_id} for campaign in running] + everything


def can_be_chosen(store: Store, campaign_id: str) -> bool:
    """Return True if there is a campaign of this id to work in."""
    return campaign_of(store, campaign_id) is not None


def progress_json(progress: CampaignProgress) -> dict[str, int]:
    return {"done": progress.done, "remaining": progress.remaining, "total": progress.done + progress.remaining}


def training_json(training: Training | None) -> dict[str, int] | None:
    """How somebody stands in training while it lasts."""
    if training is None or training.passed or training.failed:
        return None
    return {"right": training.right, "needed": training.needed, "left": training.left}
