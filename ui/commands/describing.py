"""``campaigns describe``: how a campaign's people were recruited, instructed and paid, as reports say it."""

from __future__ import annotations

import getpass
from collections.abc import Sequence

from data import campaign as recruitment
from data.store.campaigns import management
from data.store.campaigns.management import CampaignRefused
from ui import words
from ui.commands.context import Context, UsageError


def describe(context: Context, campaign: str, fields: Sequence[str]) -> None:
    """Answer some fields; without any, print them all."""
    if management.get(context.store, campaign) is None:
        raise CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")
    given = dict(_parsed(field) for field in fields)
    if not given:
        said = management.recruitment_of(context.store, campaign)
        for name, field in recruitment.RECRUITMENT_FIELDS.items():
            text = " ".join(said[name].split()) if name in said else recruitment.NOT_REPORTED
            context.say(f"{name}: {text}" if name in said else f"{name}: {text} ({field.asks})")
        return
    said = management.describe_recruitment(context.store, campaign, given, _who())
    open_ = [name for name in recruitment.RECRUITMENT_FIELDS if name not in said]
    context.say(f"{words.count(len(said), 'field')} of campaign {campaign!r} said; not reported: {', '.join(open_) or 'none'}")


def _parsed(field: str) -> tuple[str, str]:
    name, separator, text = field.partition("=")
    if not separator or name not in recruitment.RECRUITMENT_FIELDS:
        raise UsageError(f"--field {field}: NAME=TEXT, with NAME one of {', '.join(recruitment.RECRUITMENT_FIELDS)}")
    return name, text


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "the command line"
