"""What the page Campaigns is asked to show, and the address that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from concord.campaigns.adjudication import PEOPLE
from concord.campaigns.annotators import CampaignTopic
from ui.root import at

PAGE: Final = "/studio/campaigns"
SHOWN: Final = {
    "coverage": "Coverage and pace",
    "people": "People",
    "broken": "Broken images",
    "adjudicate": "Adjudicate",
    "invite": "Invite",
    "recruitment": "How people were asked",
}
"""The parts of a campaign."""
ADDRESS: Final = ("campaign", "show", "about", "against", "only", "case")
"""What has a control, by its name in the address."""
ANY: Final = "any"
OPEN: Final = "open"


@dataclass(frozen=True, slots=True)
class View:
    """What is shown.

    Attributes:
        about: the topic, as ``suite: aspect``; against: ``people`` or a scorer; only: which cases; case: the opened one.
    """

    campaign: str = ""
    show: str = "coverage"
    about: str = ""
    against: str = PEOPLE
    only: str = ANY
    case: str = ""

    @classmethod
    def of(cls, *values: str | None) -> View:
        """From the controls' values, in the order of ``ADDRESS``; an empty one is the default."""
        named = zip(ADDRESS, values, strict=True)
        return replace(cls(), **{name: str(value) for name, value in named if value})

    def address(self, **changes: str) -> str:
        """Where this view is, with some of it changed."""
        values = {name: str(getattr(self, name)) for name in ADDRESS} | changes
        return at(f"{PAGE}?" + urlencode([(name, value) for name, value in values.items() if value and value != ANY]))


def topic_name(topic: CampaignTopic) -> str:
    """A topic in the address and in its control."""
    return f"{topic.suite}: {topic.aspect}"


def blame_name(wrong: str, rater: str | None) -> str:
    """A kind of verdict in the address."""
    return f"{wrong}: {rater}" if rater else wrong
