"""Inviting people to a campaign that is being made: a link, and what a crowd platform asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from concord.campaigns.planning import CampaignPlan
from concord.campaigns.progress import describe_time_left
from concord.campaigns.suggested import campaign_workload
from concord.people import PARAMETERS, link_path
from data.campaigns.settings import OUTCOMES, Campaign
from data.people import ROLES, Role, Terms
from data.refusals import InvitationRefused
from data.store.core.store import Store
from data.store.people import invitations

LONGEST_DAYS: Final = 3650
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


@dataclass(frozen=True, slots=True)
class LinkTerms:
    """A link as it is asked for; without ``uses`` it has no limit, and signed links are for people whose own link is made."""

    role: Role = "annotator"
    days: float = 30
    uses: int | None = None
    note: str = ""
    signed: bool = False


def invite(store: Store, campaign_id: str, terms: LinkTerms, by: str) -> str:
    """Make a link to a campaign; returns its path.

    Raises:
        InvitationRefused: it would let nobody in, or there is no such campaign.
    """
    if terms.role not in ROLES:
        raise InvitationRefused(f"the role is one of {', '.join(ROLES)}")
    if not 0 < terms.days <= LONGEST_DAYS:
        raise InvitationRefused(f"a link is good for more than 0 days, and at most {LONGEST_DAYS:,}")
    made = invitations.create(
        store,
        Terms(
            campaign=campaign_id,
            role=terms.role,
            expires=datetime.now(UTC) + timedelta(days=terms.days),
            uses=terms.uses or None,
            note=terms.note.strip()[:500],
            signed=terms.signed,
        ),
        by,
    )
    return link_path(store, made)


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
