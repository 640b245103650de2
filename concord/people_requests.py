"""The request of ``people invite``. Nothing heavy is imported, as it makes the command's options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from data.campaigns.settings import DEFAULT
from data.people import LINK_DAYS, Role
from data.requests import Request, Setting

Address = Annotated[str, Setting("Address of the app, put in front of the printed link.", metavar="URL")]


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteRequest(Request):
    """A request for an invitation: to what, as what, for whom and how long."""

    campaign: Annotated[str, Setting("Campaign that the link opens.")] = DEFAULT
    role: Annotated[Role, Setting("annotator (the form only), researcher or admin (the studio, too).")] = "annotator"
    expires: Annotated[str, Setting("When the link expires: a duration (30m, 12h, 7d, 4w) or a date (2027-01-31, UTC).")] = (
        f"{LINK_DAYS}d"
    )
    uses: Annotated[int | None, Setting("Maximum number of people; default: no limit.", minimum=1)] = None
    note: Annotated[str, Setting("A note for you: whom the link is for.")] = ""
    signed: Annotated[bool, Setting("Admit only people with a personal link from `people link`.")] = False
    address: Address = ""
