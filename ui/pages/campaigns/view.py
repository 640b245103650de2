"""What the page Campaigns is asked to show, the address that says so, and who acts on the page.

Who acts is read from the request, never from what the page sends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import gradio as gr

from concord.campaigns.adjudication import PEOPLE
from concord.campaigns.annotators import CampaignTopic
from concord.common import wording
from concord.common.base_path import root
from data.people import Role
from ui.shell.view import View

PATH: Final = "/people"
SHOWN: Final = {
    "coverage": "Coverage and pace",
    "people": "People",
    "pay": "Pay",
    "broken": "Broken images",
    "adjudicate": "Adjudicate",
    "invite": "Invite",
    "settings": "Settings",
    "recruitment": "How people were asked",
}
"""The parts of a campaign."""
ADDRESS: Final = ("campaign", "show", "about", "against", "only", "case")
"""What has a control, by its name in the address."""
ANY: Final = "any"
OPEN: Final = "open"


@dataclass(frozen=True)
class CampaignsView(View):
    """What is shown.

    Attributes:
        about: the topic, as ``suite: aspect``; against: ``people`` or a scorer; only: which cases; case: the opened one.
    """

    PATH: ClassVar[str] = PATH
    campaign: str = ""
    show: str = "coverage"
    about: str = ""
    against: str = PEOPLE
    only: str = ANY
    case: str = ""

    def query(self) -> list[tuple[str, str]]:
        """The names and values of its address."""
        return [pair for pair in super().query() if pair[1] != ANY]


def topic_name(topic: CampaignTopic) -> str:
    """A topic in the address and in its control."""
    return f"{topic.suite}: {topic.aspect}"


def blame_name(wrong: str, rater: str | None) -> str:
    """A kind of verdict in the address."""
    return f"{wrong}: {rater}" if rater else wrong


def tried(act: Callable[[], object]) -> str:
    """Do something; what went wrong in a sentence, nothing if all is well."""
    try:
        act()
    except ValueError as error:
        return wording.sentence(error)
    return ""


def saved(wrong: str, done: str) -> tuple[str, str]:
    """What to say of something that was tried, and how it is meant."""
    return (wrong, "cc-bad") if wrong else (done, "")


NOBODY = "a researcher without a name"


@dataclass(frozen=True, slots=True)
class ActingUser:
    """Whoever clicks.

    Attributes:
        name: None where they have given none (an app without accounts asks nobody before they label).
        role: what they may; without accounts everybody who gets here may everything.
        base: the app's own address as they see it, without a slash at its end.
    """

    name: str | None
    role: Role = "admin"
    base: str = ""

    @property
    def signed(self) -> str:
        """What is written down as who did it."""
        return self.name or NOBODY

    @property
    def may_invite(self) -> bool:
        """Whether they may hand out links."""
        return self.role == "admin"


def acting_user(request: gr.Request) -> ActingUser:
    """Who sent this."""
    inner: Any = request.request
    scope = inner.scope
    visitor = scope.get("visitor")
    name = visitor.name if visitor is not None else scope.get("session", {}).get("name")
    role: Role = visitor.role if visitor is not None else "admin"
    return ActingUser(None if name is None else str(name), role, f"{inner.url.scheme}://{inner.url.netloc}{root()}")
