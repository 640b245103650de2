"""What an annotator's browser is told besides items: who they are, where they stand, and why nothing is offered."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from data.campaign import Campaign, Settings, Training
from data.people import looks_like_pseudonym
from data.store.browse import contents
from data.store.campaigns import management
from data.store.campaigns.participation import DEFAULT, CampaignProgress, ClosedReason, NextTasks
from data.store.core.store import Store
from ui import rich_text, teaching
from ui.root import at

_CLOSED: Final[dict[ClosedReason, str]] = {
    "none": "This campaign is gone. Please ask whoever invited you.",
    "draft": "This campaign has not started yet. Please come back later.",
    "stopped": "This campaign has been stopped for now. What you have answered is kept; please come back later.",
    "archived": "This campaign has ended. What you have answered is kept. Thank you!",
    "revoked": "You have been taken out of this campaign. Please ask whoever invited you.",
    "paused": "Too many of your answers to check pictures were not right, so you are not given any more. What you have answered"
    " is kept. If you think that this is a mistake, please write to whoever invited you.",
    "training": "The examples were not answered well enough to go on with this campaign. Thank you for trying!",
    "limit": "You have answered as many as one person may here. Thank you!",
}

_TITLES: Final[dict[ClosedReason, str]] = {
    "none": "This campaign is gone",
    "draft": "Not started yet",
    "stopped": "Stopped for now",
    "archived": "This campaign has ended",
    "revoked": "You cannot go on here",
    "paused": "You are paused",
    "training": "The examples were not passed",
    "limit": "All done, thank you",
}


def about(store: Store, campaign: Campaign) -> dict[str, Any]:
    """What a campaign tells everybody who works in it."""
    return {
        "id": campaign.campaign_id,
        "title": "" if campaign.campaign_id == DEFAULT else campaign.title or campaign.campaign_id,
        "instructions": texts(store, campaign.settings.instructions),
    }


def texts(store: Store, markdown: str) -> list[rich_text.Node]:
    """A manager's text; pictures of the project by their hashes."""
    if "](item:" not in markdown:
        return _plain(markdown)
    return rich_text.nodes(markdown, lambda item_id: _address(store, item_id))


@lru_cache(maxsize=64)
def _plain(markdown: str) -> list[rich_text.Node]:
    return rich_text.nodes(markdown)


def _address(store: Store, item_id: str) -> str | None:
    found = contents.item(store, item_id)
    return None if found is None or found["sha256"] is None else at(f"/img/{found['sha256']}")


def consent(store: Store, campaign: Campaign, person: str) -> dict[str, Any] | None:
    """What this person has yet to agree to before they are shown anything; None: nothing."""
    asked = management.consent_hash(campaign.settings)
    if asked is None or management.has_consented(store, campaign.campaign_id, person, asked):
        return None
    settings = campaign.settings
    return {
        "state": "consent",
        "text": asked,
        "consent": texts(store, settings.consent),
        "warning": texts(store, settings.content_warning),
        "declined": completion(settings, "declined", worked=False),
    }


def choices(store: Store) -> list[dict[str, str]]:
    """The campaigns that somebody may choose from who was not invited to one; none where there is only the default one."""
    running = [one for one in management.listed(store) if one.state == "running" and one.campaign_id != DEFAULT]
    if not running:
        return []
    default = management.get(store, DEFAULT)
    everything = [] if default is not None and default.state != "running" else [{"id": DEFAULT, "title": "All images"}]
    return [{"id": one.campaign_id, "title": one.title or one.campaign_id} for one in running] + everything


def progress(found: CampaignProgress) -> dict[str, int]:
    return {"done": found.done, "remaining": found.remaining, "total": found.done + found.remaining}


def training(found: Training | None) -> dict[str, int] | None:
    """How somebody stands in training while it lasts."""
    if found is None or found.passed or found.failed:
        return None
    return {"right": found.right, "needed": found.needed, "left": found.left}


def nothing(store: Store, campaign: Campaign | None, desk: NextTasks, name: str) -> dict[str, Any]:
    """Why no item is offered, and what to do."""
    trained = desk.training is not None and (desk.training.passed or desk.training.failed)
    worked = desk.progress.done > 0 or trained
    if campaign is None or desk.closed is not None:
        closed = desk.closed or "none"
        done = {} if campaign is None else completion(campaign.settings, outcome(desk), worked=worked)
        return {"state": "closed", "why": closed, "title": _TITLES[closed], "message": _CLOSED[closed]} | done
    if campaign.campaign_id == DEFAULT and contents.totals(store)["images"] == 0:
        message = "There are no images in this project yet. Import some, and this page will offer them."
        return {"state": "empty", "message": message, "commands": teaching.commands(store, teaching.IMAGES)}
    done = completion(campaign.settings, "completion" if desk.progress.done else "quota", worked=worked)
    you = "you" if looks_like_pseudonym(name) else f"you, {name}"
    if desk.progress.remaining:
        title = "All done for now, thank you" if desk.progress.done else "Others work on the last images"
        message = f"Nothing is left for {you} at the moment: {_HELD}"
    elif not desk.progress.done:
        title = "Enough people have answered"
        message = "Enough people have answered already, so nothing is left for you. Thank you!"
    else:
        title = "All done, thank you"
        message = f"Nothing is left for {you}: every image has been answered by you or by enough other people. Thank you!"
    return {"state": "done", "title": title, "message": message} | done


_HELD: Final = "other people work on the last images. If one of them stops, this page offers you what they leave. Thank you!"


_OUTCOMES: Final[dict[ClosedReason, str]] = {
    "stopped": "stopped",
    "revoked": "paused",
    "paused": "paused",
    "training": "training",
}


def outcome(desk: NextTasks) -> str:
    """How somebody leaves who leaves now (``OUTCOMES``)."""
    if desk.closed is None:
        return "stopped" if desk.tasks else "completion"
    return _OUTCOMES.get(desk.closed, "completion")


def completion(settings: Settings, leaving: str, *, worked: bool) -> dict[str, str]:
    """What somebody who leaves so (``OUTCOMES``) takes back to a crowd platform: a code and an address, or whom to contact.

    The completion code is for who has reached the end, after some work. Every other way has a code of its own, or none: a
    platform pays by the code, so whoever failed the checks gets the one of all others only if the manager has written it there.
    """
    code, url, whole = str(getattr(settings, f"{leaving}_code")), settings.completion_url, settings.completion_code
    if leaving == "completion":
        return {name: value for name, value in {"code": code, "url": url}.items() if value and worked}
    if code:
        # platforms have the code in the address; without a completion code, it may be hidden there
        return {"code": code} | ({"url": url.replace(whole, code)} if url and whole else {})
    return {"contact": _CONTACT} if worked and (whole or url) else {}


_CONTACT: Final = (
    "The completion code is only for people who reach the end. What you have answered is recorded. If you have a question about"
    " your payment, write to whoever invited you; on a crowd platform, send them a message there."
)
