"""Cards of campaigns: the state of each in a few facts, and the one thing that needs somebody now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from concord.campaigns.crowd import Crowd, campaign_crowd, campaign_title, is_everyday
from concord.campaigns.health import is_stalled
from concord.campaigns.progress import CampaignProgress
from concord.common import live_updates, wording
from data.campaigns.settings import DEFAULT, MOVES, Campaign, State
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from data.store.people import invitations

Tone = Literal["bad", "warn", ""]


@dataclass(frozen=True, slots=True)
class CampaignCard:
    """One campaign at a glance.

    Attributes:
        crowd: its people, without intervals where these are not there yet.
        reported: images that were reported as broken or set aside.
        links: open invitations.
        seconds: active seconds of all answers that it asks for; None where nobody has answered its questions yet.
    """

    progress: CampaignProgress
    crowd: Crowd
    reported: int
    links: int
    seconds: float | None

    @property
    def name(self) -> str:
        return self.progress.campaign.campaign_id

    @property
    def state(self) -> State:
        return self.progress.campaign.state

    @property
    def title(self) -> str:
        """The title, also of everyday labelling."""
        return campaign_title(self.progress.campaign)

    @property
    def everyday(self) -> bool:
        """Return True if nobody made it: it is there as soon as somebody opens Label images."""
        return self.name == DEFAULT

    @property
    def short(self) -> int:
        """The number of images with fewer answers than they should have."""
        return self.progress.coverage.items - self.progress.coverage.full

    @property
    def paused(self) -> int:
        """The number of people whom the campaign's own rules have paused."""
        return sum(person.work is not None and person.work.worker.paused is not None for person in self.crowd.people)

    def can(self, target: State) -> bool:
        """Return True if it may become so from its state."""
        return target in MOVES[self.state]

    @property
    def deletable(self) -> bool:
        """Return True if nobody has answered in it."""
        return not self.progress.coverage.people and self.name != DEFAULT

    @property
    def fact(self) -> tuple[str, Tone]:
        """The one problem, or else the one fact, and how bad it is."""
        coverage, overlap = self.progress.coverage, self.progress.campaign.overlap
        if self.state == "draft":
            return (f"{wording.count(self.links, 'link')} made, not started" if self.links else "Nobody has been invited"), ""
        if self.state == "archived":
            return "Closed: no answer comes in or changes", ""
        if is_stalled(self.progress):
            return "No answer for a day", "bad"
        if self.crowd.look:
            return f"{wording.count(self.crowd.look, 'person')} {'needs' if self.crowd.look == 1 else 'need'} a look", "warn"
        if self.state == "stopped":
            return "Paused: nothing is offered", "warn" if self.short else ""
        if self.paused:
            return f"{wording.count(self.paused, 'person')} failed checks", "warn"
        if not coverage.people:
            return "Nobody has answered yet", ""
        if self.short:
            verb = "has" if self.short == 1 else "have"
            return f"{wording.count(self.short, 'image')} still {verb} fewer than {wording.count(overlap, 'answer')}", ""
        return f"Every image has its {wording.count(overlap, 'answer')}", ""


@live_updates.cached(maxsize=4)
def campaign_cards(store: Store, *, intervals: bool = True) -> list[CampaignCard]:
    """Return all campaigns: those that run first, then the newest, everyday labelling behind those that somebody made, and last
    the archived ones."""
    order = ("running", "draft", "stopped", "archived")
    newest = management.listed(store)[::-1]
    found = [
        campaign_card(store, each, intervals=intervals)
        for each in sorted(newest, key=lambda each: (each.state == "archived", is_everyday(each), order.index(each.state)))
    ]
    return [card for card in found if card is not None]


def campaign_card(store: Store, campaign: Campaign, about: str = "", *, intervals: bool = True) -> CampaignCard | None:
    """Return one campaign's card, its numbers about a topic or the main one; None if it has been deleted meanwhile."""
    crowd = campaign_crowd(store, campaign.campaign_id, about, intervals=intervals)
    if crowd is None or crowd.campaign is None:
        return None
    effort = monitoring.effort(store, campaign.questionnaire).seconds
    return CampaignCard(
        crowd.campaign,
        crowd,
        len(monitoring.broken_items(store, campaign.campaign_id)),
        sum(each.closed() is None for each in invitations.listed(store, campaign.campaign_id)),
        None if effort is None else effort * crowd.campaign.coverage.wanted,
    )
