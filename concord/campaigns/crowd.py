"""Crowds: people whose answers meet, which are those of one campaign, or those whose answers were brought in; each person
with what tells whether they need a look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from agreement import Options
from agreement.estimate import Estimate
from agreement.meta.rater_effects import RaterEffectRow
from agreement.pair.crowd import CrowdNumbers, crowd_numbers
from agreement.pair.rater_pair import each_person
from annotation.flags import Flag
from concord.campaigns.annotators import (
    AnnotatorWork,
    CampaignTopic,
    agreement_by_annotator,
    annotators_of,
    judgements_of,
    topics,
)
from concord.campaigns.progress import CampaignProgress, progress_of
from concord.common import live_updates
from concord.meta.findings import effects
from concord.scope import Scope, open_scope
from data.aspects import YES_NO_ASPECTS
from data.campaigns.settings import DEFAULT, Campaign
from data.selection import Selection
from data.store.campaigns import management
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements import revocations
from data.store.judgements.answer_status import BY_PERSON
from data.store.judgements.revocations import Revocation
from data.store.people import invitations


def is_everyday(campaign: Campaign) -> bool:
    """Return True for everyday labelling: the campaign that nobody made, of whoever opens Label images."""
    return campaign.campaign_id == DEFAULT


def campaign_title(campaign: Campaign) -> str:
    """Return a campaign's title; everyday labelling has none of its own."""
    return "Everyday labelling" if is_everyday(campaign) and campaign.title == DEFAULT else campaign.title


@dataclass(frozen=True, slots=True)
class Person:
    """One person of a crowd.

    Attributes:
        answers: those that count.
        agreement: with the others; None where they have judged nothing that it could be about.
        mean: how high they rate, of yes and no the share of yes; None where answers are no numbers.
        work: what they did in the campaign; None of somebody whose answers were brought in.
        revocation: how they are out of the campaign or the project; None: they are not.
        of_project: whether they label everyday without an invitation, as those do whose project it is.
    """

    name: str
    simulated: bool
    answers: int
    agreement: Estimate | None
    mean: Estimate | None
    work: AnnotatorWork | None = None
    revocation: Revocation | None = None
    of_project: bool = False

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags of their work, those that convict first."""
        return self.work.flags if self.work is not None else ()

    @property
    def out(self) -> bool:
        """Return True if they get nothing more."""
        return self.work is not None and self.work.worker.revoked

    @property
    def needs_look(self) -> bool:
        """Return True if they have a flag and are not out; nobody looks after who works for the project itself."""
        return bool(self.flags) and not self.out and not self.of_project

    @property
    def withdrawn(self) -> bool:
        """Return True if they took their answers back, which nobody undoes."""
        return self.revocation is not None and self.revocation.by == BY_PERSON

    @property
    def checks(self) -> tuple[int, int]:
        """Right first answers to gold and attention items, and all of them."""
        if self.work is None:
            return 0, 0
        worker = self.work.worker
        return worker.gold_right + worker.attention_right, worker.gold + worker.attention

    @property
    def seconds(self) -> float | None:
        """Median active seconds of one answer."""
        return self.work.worker.median_seconds if self.work is not None else None


@dataclass(frozen=True, slots=True)
class Crowd:
    """People whose answers meet.

    Attributes:
        campaign: None: their answers were brought in.
        topic: what their numbers are about; None where nobody has judged anything yet.
        together: how far all of them agree, by the statistic of each person's agreement; None without a topic.
        people: who needs a look first.
        complete: whether numbers have their intervals, where they have any.
    """

    campaign: CampaignProgress | None
    topic: CampaignTopic | None
    together: Estimate | None
    people: tuple[Person, ...]
    complete: bool = False

    @property
    def name(self) -> str:
        """The campaign's name; empty for answers that were brought in."""
        return self.campaign.campaign.campaign_id if self.campaign is not None else ""

    @property
    def title(self) -> str:
        """The campaign's title; empty for answers that were brought in."""
        return campaign_title(self.campaign.campaign) if self.campaign is not None else ""

    @property
    def everyday(self) -> bool:
        """Return True if these are the people of everyday labelling."""
        return self.campaign is not None and is_everyday(self.campaign.campaign)

    @property
    def running(self) -> bool:
        """Return True if people can answer in it now, or their answers were brought in, which is over."""
        return self.campaign is None or self.campaign.campaign.state == "running"

    @property
    def look(self) -> int:
        """The number of people who need a look."""
        return sum(person.needs_look for person in self.people)

    @property
    def checks(self) -> tuple[int, int]:
        """Right first answers of all to items with known answers, and all of them."""
        pairs = [person.checks for person in self.people]
        return sum(right for right, _ in pairs), sum(n for _, n in pairs)

    @property
    def says_yes(self) -> bool:
        """Return True if the people's means are shares of yes."""
        return self.topic is not None and self.topic.aspect in YES_NO_ASPECTS


def topic_name(topic: CampaignTopic) -> str:
    """Return a topic as an address has it."""
    return f"{topic.suite}: {topic.aspect}"


def apart(person: Person, crowd: Crowd) -> bool:
    """Return True if a person agrees less with the others than all of them do, by intervals that do not touch."""
    own, together = person.agreement, crowd.together
    if own is None or together is None or own.high is None or together.low is None:
        return False
    return own.high < together.low


@live_updates.cached(maxsize=32)
def campaign_crowd(store: Store, campaign_id: str, about: str = "", *, intervals: bool = True) -> Crowd | None:
    """Return the people of a campaign, their numbers about a topic (`topic_name`) or the main one; None if there is none."""
    if intervals:
        quick = campaign_crowd(store, campaign_id, about, intervals=False)
        if quick is not None and quick.topic is None:
            return replace(quick, complete=True)
        return quick if quick is None or quick.topic is None else _with_intervals(store, quick, quick.topic)
    progress = progress_of(store, campaign_id)
    if progress is None:
        return None
    known = topics(store, progress.campaign)
    topic = next((each for each in known if topic_name(each) == about), known[0] if known else None)
    works = annotators_of(store, progress.campaign, topic, intervals=False)
    numbers = CrowdNumbers(None, {})
    if topic is not None:
        simulated = all(work.worker.simulated for work in works)
        numbers = _numbers(store, judgements_of(store, campaign_id), topic, simulated=simulated, intervals=False)
    out = _revocations(store, progress.campaign)
    invited = invitations.arrived(store, campaign_id) if is_everyday(progress.campaign) else frozenset()
    people = []
    for work in works:
        name = work.worker.person
        own = Person(
            name,
            work.worker.simulated,
            work.worker.valid,
            work.agreement,
            numbers.means.get(name),
            work,
            out.get(name),
            is_everyday(progress.campaign) and name not in invited,
        )
        people.append(own)
    return Crowd(progress, topic, numbers.together, by_problem(people))


def _with_intervals(store: Store, quick: Crowd, topic: CampaignTopic) -> Crowd:
    simulated = all(person.simulated for person in quick.people)
    numbers = _numbers(store, judgements_of(store, quick.name), topic, simulated=simulated, intervals=True)
    beside = agreement_by_annotator(store, quick.name, topic)
    people = [
        replace(person, agreement=beside.get(person.name), mean=numbers.means.get(person.name)) for person in quick.people
    ]
    return replace(quick, together=numbers.together, people=tuple(people), complete=True)


@live_updates.cached(maxsize=4)
def brought_crowd(store: Store, *, intervals: bool = True) -> Crowd | None:
    """Return the people whose answers were brought in, about the project's main question; None where there are none."""
    opened = open_scope(store, Scope())
    if opened is None:
        return None
    topic = CampaignTopic(opened.scope.suite, opened.scope.aspect)
    said = frame.frame(store, Selection(suite=(topic.suite,), aspect=(topic.aspect,)), campaigns=True)
    said = said[(said.kind == "human") & said.campaign.isna()].drop(columns="campaign")
    named = said[said.identity == "person"]
    if named.empty:
        return None
    options = Options(intervals=intervals)
    beside = each_person(said, frame.scales(store), topic.suite, topic.aspect, options)
    everybody_simulated = bool(named.simulated.astype(bool).all())
    numbers = _numbers(store, said, topic, simulated=everybody_simulated, intervals=intervals)
    people = [
        Person(
            str(name),
            bool(rows.simulated.iloc[0]),
            int(rows.excluded.isna().sum()),
            beside.get(str(name)),
            numbers.means.get(str(name)),
        )
        for name, rows in named.groupby("rater")
    ]
    return Crowd(None, topic, numbers.together, by_problem(people))


def crowds(store: Store, *, intervals: bool = True) -> list[Crowd]:
    """Return the crowds in which somebody has answered: campaigns that run first, archived ones left out, and last the answers
    that were brought in."""
    every = sorted(management.listed(store), key=lambda campaign: campaign.state != "running")
    ids = [campaign.campaign_id for campaign in every if campaign.state not in ("draft", "archived")]
    found = [campaign_crowd(store, name, intervals=intervals) for name in ids]
    found.append(brought_crowd(store, intervals=intervals))
    return [crowd for crowd in found if crowd is not None and crowd.people]


def main_crowd(found: Sequence[Crowd]) -> Crowd:
    """Return the crowd that gave most answers, of those that run if any does."""
    running = [crowd for crowd in found if crowd.running] or found
    return max(running, key=lambda crowd: sum(person.answers for person in crowd.people))


def number_to_look_at(store: Store) -> int:
    """Return how many people of running campaigns need a look."""
    running = [campaign for campaign in management.listed(store) if campaign.state == "running"]
    found = [campaign_crowd(store, campaign.campaign_id, intervals=False) for campaign in running]
    return sum(crowd.look for crowd in found if crowd is not None)


RATINGS: Final = tuple(range(1, 8))
"""Numbers of people an image that reliability is said for."""


def people_effects(store: Store, topic: CampaignTopic, *, simulated: bool) -> list[RaterEffectRow]:
    """Return each person's severity about a topic, in whatever campaign, and how reliable the mean of several people is."""
    rows = effects(store, Selection(suite=(topic.suite,), aspect=(topic.aspect,)), RATINGS)
    return [row for row in rows if row.people == ("simulated" if simulated else "real")]


def by_problem(people: Sequence[Person]) -> tuple[Person, ...]:
    """Sort by flags: who convicts themselves first, then the most flags, then the others by name, and last who is out."""

    def place(person: Person) -> tuple[object, ...]:
        return person.out, person.work is None or not person.work.convicted, -len(person.flags), person.name

    return tuple(sorted(people, key=place))


def _numbers(store: Store, judgements: pd.DataFrame, topic: CampaignTopic, *, simulated: bool, intervals: bool) -> CrowdNumbers:
    people = judgements[judgements.kind == "human"]
    options = Options(intervals=intervals)
    return crowd_numbers(people, frame.scales(store), topic.suite, topic.aspect, options, simulated=simulated)


def _revocations(store: Store, campaign: Campaign) -> dict[str, Revocation]:
    """Return who is out of a campaign, by the latest; a person's own withdrawal stands before all others."""
    current = [gone for gone in revocations.current_revocations(store) if gone.campaign in (None, campaign.campaign_id)]
    return {gone.person: gone for gone in sorted(current, key=lambda gone: gone.by == BY_PERSON)}
