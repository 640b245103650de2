"""What a crowd platform asks for of a campaign: its link, places, time, pay and codes."""

from __future__ import annotations

from typing import Final

from concord.campaigns.planning import CampaignPlan
from concord.campaigns.progress import describe_time_left
from concord.new_campaigns.suggested import campaign_workload
from concord.people import PARAMETERS
from data.campaigns.settings import OUTCOMES, Campaign
from data.store.core.store import Store

PLATFORMS: Final = {"prolific": "Prolific", "mturk": "MTurk", "participant": "another platform"}
_PLACEHOLDERS: Final = {"prolific": "{{%PROLIFIC_PID%}}", "mturk": "${workerId}", "participant": "PARTICIPANT_ID"}
_LEAVING: Final = {
    "completion": "reached the end",
    "stopped": "stopped early",
    "training": "failed the training",
    "paused": "was paused by the checks",
    "quota": "found no image left",
    "declined": "did not consent",
}


def platform_parameter(platform: str) -> str:
    """Return what a platform's link has behind the invitation's address."""
    return f"?{PARAMETERS[platform]}={_PLACEHOLDERS[platform]}"


def platform_sheet(store: Store, campaign: Campaign, plan: CampaignPlan) -> str:
    """Return what a crowd platform's form asks for, as lines of text."""
    settings, work = campaign.settings, campaign_workload(store, plan)
    each = min(settings.limit or plan.count("ordinary"), plan.count("ordinary")) + plan.count("training")
    lines = [
        f"Title: {campaign.title}",
        f"Places: {-(-work.answers // max(each, 1)):,} people or more",
        f"Images for one person: {each:,}, about {describe_time_left(each * work.seconds / 3600)}",
        "Link: the invitation’s address and "
        + ", ".join(f"{platform_parameter(key)} ({name})" for key, name in PLATFORMS.items()),
    ]
    if settings.pay.paid:
        base, price = settings.base_pay or "0", settings.item_price or "0"
        lines.append(f"Pay: {base} on approval, {price} an image, {settings.currency}".rstrip(", "))
    lines += [f"Completion address: {settings.completion_url}"] if settings.completion_url else []
    for outcome in OUTCOMES:
        code = getattr(settings, f"{outcome}_code")
        lines.append(f"Code of who {_LEAVING[outcome]}: {code or 'none'}")
    return "\n".join(lines) + "\n"
