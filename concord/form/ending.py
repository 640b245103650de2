"""Why a person is offered nothing (more), how they leave, and the code with which they return to a crowd platform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from concord.common import next_steps
from data.campaigns.checks import accepted_answers
from data.campaigns.settings import DEFAULT, Campaign, Settings
from data.store.browse import contents
from data.store.campaign_items import REFUSALS
from data.store.campaigns import departures
from data.store.campaigns.allocation import ClosedReason, NextTasks
from data.store.core.store import Store
from data.store.judgements.answer_status import Feedback

_NOT_BEGUN: Final[dict[ClosedReason, tuple[str, str]]] = {
    "stopped": (
        "Stopped for now",
        "This campaign has been stopped for now. You have not answered anything in it; please come back later.",
    ),
    "archived": ("This campaign has ended", "This campaign ended before you answered anything, so nothing is left to do."),
    "budget": (
        "Enough people have answered",
        "This campaign has all the answers that it can pay for, so nothing is left for you. Thank you for coming!",
    ),
    "closed": ("This campaign has ended", "This campaign ended before you answered anything, so nothing is left to do."),
}
"""Why no item is offered to somebody who has answered nothing: a title and a sentence."""
_CLOSED: Final[dict[ClosedReason, tuple[str, str]]] = {
    "none": ("This campaign is gone", "This campaign was deleted. Please ask whoever invited you."),
    "draft": ("Not started yet", "This campaign has not started yet. Please come back later."),
    "stopped": (
        "Stopped for now",
        "This campaign has been stopped for now. What you have answered is kept; please come back later.",
    ),
    "archived": ("This campaign has ended", "This campaign has ended. What you have answered is kept. Thank you!"),
    "revoked": ("You cannot go on here", "You have been taken out of this campaign. Please ask whoever invited you."),
    "suspended": (
        "Your work is paused",
        "Your work is paused by those who run this study; what you sent is saved. What you send now is saved, too, and counts"
        " once you may go on. If you have a question, please write to whoever invited you.",
    ),
    "paused": (
        "You are paused",
        "Too many of your answers to check pictures were not right, or came faster than one can look, so you are not given any"
        " more. What you have answered is kept. If you think that this is a mistake, please write to whoever invited you.",
    ),
    "withdrawn": (
        "Your answers are withdrawn",
        "You have withdrawn your answers from this campaign: they do not count any more, and others get these images. What was"
        " paid or published before stays as it is. Thank you for your time!",
    ),
    "training": (
        "The examples were not passed",
        "The examples were not answered well enough to go on with this campaign. Thank you for trying!",
    ),
    "limit": ("All done, thank you", "You have answered as many as one person may here. Thank you!"),
    "budget": ("All done, thank you", "This campaign has all the answers that it can pay for. Thank you!"),
    "closed": ("This campaign has ended", "The time of this campaign is over. What you have answered is kept. Thank you!"),
}
"""Why no item is offered: a title and a sentence."""


def no_item_json(store: Store, campaign: Campaign | None, next_tasks: NextTasks) -> dict[str, Any]:
    """Why no item is offered, and what to do."""
    trained = next_tasks.training is not None and (next_tasks.training.passed or next_tasks.training.failed)
    worked = next_tasks.progress.done > 0 or trained
    if campaign is None or next_tasks.closed is not None:
        closed = next_tasks.closed or "none"
        done = {}
        if campaign is not None:
            done = completion_json(campaign.settings, leaving_outcome(next_tasks, campaign.settings), worked=worked)
        title, message = _CLOSED[closed] if worked or closed not in _NOT_BEGUN else _NOT_BEGUN[closed]
        # the form takes the next image away from whoever is out
        why = "paused" if closed in ("revoked", "suspended") else closed
        return {"state": "closed", "why": why, "title": title, "message": message} | done
    if campaign.campaign_id == DEFAULT and contents.totals(store).images == 0:
        return {"state": "empty", "message": NO_IMAGES, "commands": next_steps.command_lines(store, next_steps.IMAGES)}
    done = completion_json(campaign.settings, leaving_outcome(next_tasks, campaign.settings), worked=worked)
    title, message = _DONE[(next_tasks.progress.remaining > 0, next_tasks.progress.done > 0)]
    return {"state": "done", "title": title, "message": message} | done


NO_IMAGES: Final = "There are no images in this project yet. Import some, and this page will offer them."
_OTHERS_AT_WORK: Final = (
    "Nothing is left for you at the moment: other people work on the last images. If one of them stops, this page offers you"
    " what they leave. Thank you!"
)
_DONE: Final = {
    # whether something is left that others hold, and whether they have answered anything
    (True, True): ("All done for now, thank you", _OTHERS_AT_WORK),
    (True, False): ("Others work on the last images", _OTHERS_AT_WORK),
    (False, False): (
        "Enough people have answered",
        "Enough people have answered already, so nothing is left for you. Thank you!",
    ),
    (False, True): (
        "All done, thank you",
        "Nothing is left for you: every image has been answered by you or by enough other people. Thank you!",
    ),
}


_OUTCOMES: Final[dict[ClosedReason, str]] = {
    "stopped": "stopped",
    "revoked": "paused",
    "suspended": "paused",
    "paused": "paused",
    "withdrawn": "stopped",
    "training": "training",
    "closed": "stopped",
    "archived": "stopped",
}


def leaving_outcome(next_tasks: NextTasks, settings: Settings) -> str:
    """Return the outcome (one of ``settings.OUTCOMES``) that the person gets if they leave now.

    Whoever reports more than they answer has stopped, whatever is left. Whoever has answered nothing where nothing is to be
    done has come for nothing (``quota``), also if the campaign was stopped meanwhile.
    """
    done = next_tasks.progress.done
    if next_tasks.closed in ("none", "draft"):
        return "completion"
    trained = next_tasks.training is not None and next_tasks.training.passed
    if next_tasks.closed in ("revoked", "suspended", "paused", "withdrawn", "training"):
        return _OUTCOMES[next_tasks.closed]
    if not done and not trained and not next_tasks.tasks:
        return "quota" if not next_tasks.progress.reported else "stopped"
    if next_tasks.tasks or next_tasks.progress.reported > done:
        return "stopped"
    if next_tasks.closed is not None:
        outcome = _OUTCOMES.get(next_tasks.closed, "completion")
        return outcome if done or outcome != "completion" else "quota"
    others_hold_the_last = next_tasks.progress.remaining > 0 and settings.nothing_left == "items"
    return "completion" if done and not others_hold_the_last else "quota"


def record_departure(store: Store, campaign: Campaign, person: str, next_tasks: NextTasks, code: str) -> None:
    """Note how somebody leaves, and the code that they are shown; nothing where nobody is paid or nothing has begun."""
    if campaign.campaign_id != DEFAULT and next_tasks.closed not in ("none", "draft"):
        left = departures.Departure(leaving_outcome(next_tasks, campaign.settings), code, next_tasks.progress.done)
        departures.record(store, campaign.campaign_id, person, left)


def completion_json(settings: Settings, leaving: str, *, worked: bool) -> dict[str, str]:
    """Return the code and address, or the sentence, with which somebody returns to a crowd platform.

    ``leaving`` is their outcome (``settings.OUTCOMES``). The completion code is for people who have reached the end, after some
    work. Every other way has a code of its own, or none: a platform pays by the code, so people who failed the checks get the
    completion code only if the manager has written it there.
    """
    code, url, whole = str(getattr(settings, f"{leaving}_code")), settings.completion_url, settings.completion_code
    if leaving == "completion":
        return {name: value for name, value in {"code": code, "url": url}.items() if value and worked}
    if code:
        # platforms have the code in the address; without a completion code, it may be hidden there
        return {"code": code} | ({"url": url.replace(whole, code)} if url and whole else {})
    if not (whole or url):
        return {}
    return {"contact": _CONTACT if worked else _CAME_FOR_NOTHING} if worked or leaving == "quota" else {}


_CONTACT: Final = (
    "The completion code is only for people who reach the end. What you have answered is recorded. If you have a question about"
    " your payment, write to whoever invited you; on a crowd platform, send them a message there."
)


_CAME_FOR_NOTHING: Final = (
    "You have answered nothing here, so there is no code for you. On a crowd platform, please return the task."
)


def feedback_json(answers: Mapping[str, Any], feedback: Feedback | None) -> dict[str, Any] | None:
    """What a person is told about an item whose right answer is known; the browser words it, in their language."""
    if feedback is None:
        return None
    wrong = [
        {"question": name, "expected": accepted_answers(right), "given": answers.get(name)}
        for name, right in feedback.expected.items()
    ]
    return {"right": feedback.right, "wrong": wrong}


def sentences() -> set[str]:
    """Every text of the form that the server sends and that is not a manager's or a questionnaire's: for its catalogue."""
    pairs = (*_CLOSED.values(), *_NOT_BEGUN.values(), *_DONE.values())
    return {text for pair in pairs for text in pair} | {_CONTACT, _CAME_FOR_NOTHING, NO_IMAGES, *REFUSALS.values()}
