"""A campaign's annotators: what they did, how they agree with the others, and what should be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from agreement import Options
from agreement.estimate import Estimate
from agreement.pair.rater_pair import each_person
from annotation import flags
from annotation.flags import AttentionEvidence, Flag
from annotation.quality import Sameness, Speed
from concord.campaigns.evidence import work_evidence
from concord.common import live_updates
from data.campaigns.settings import Campaign
from data.store.campaigns import monitoring
from data.store.campaigns.monitoring import WorkerStats
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements.revocations import BY_PACE


@dataclass(frozen=True, slots=True)
class CampaignTopic:
    """What is judged: an aspect of a suite's items."""

    suite: str
    aspect: str


@dataclass(frozen=True, slots=True)
class AnnotatorWork:
    """One person's work.

    Attributes:
        agreement: with the others about a topic; None where they have judged nothing of it.
        sameness, speed: None where they have answered nothing but training items.
        flags: what is odd about it, what convicts first (``annotation.flags``).
    """

    worker: WorkerStats
    agreement: Estimate | None
    sameness: Sameness | None
    speed: Speed | None
    flags: tuple[Flag, ...]

    @property
    def convicted(self) -> bool:
        """Return True if a flag is of a kind that is preselected when people are revoked together."""
        return any(flag.kind in flags.CONVICTING for flag in self.flags)


def needs_look(person: AnnotatorWork) -> bool:
    """Return True if somebody has a flag and is not out."""
    return bool(person.flags) and not person.worker.revoked


def topics(store: Store, campaign: Campaign) -> list[CampaignTopic]:
    """What people have judged in a campaign, what the questionnaire is mainly about first."""
    judgements = judgements_of(store, campaign.campaign_id)
    people = judgements[judgements.kind == "human"]
    pairs = set(zip(people.suite.tolist(), people.aspect.tolist(), strict=True))
    campaign_topics = [CampaignTopic(suite, aspect) for suite, aspect in pairs]
    first = {name: n for n, name in enumerate(("correct", "faithfulness", "answer", "preference", "position"))}
    return sorted(campaign_topics, key=lambda topic: (first.get(topic.aspect, len(first)), topic.suite, topic.aspect))


@live_updates.cached(maxsize=4)
def judgements_of(store: Store, campaign_id: str) -> pd.DataFrame:
    """What was said in a campaign and by scorers of the same items (``frame.of_campaign``). Do not change it."""
    return frame.of_campaign(store, campaign_id)


@live_updates.cached(maxsize=16)
def agreement_by_annotator(
    store: Store, campaign_id: str, topic: CampaignTopic, *, intervals: bool = True
) -> Mapping[str, Estimate]:
    """Everybody's agreement with the others, by name, computed once for all who look while the project stays as it is."""
    judgements = judgements_of(store, campaign_id)
    return each_person(judgements, frame.scales(store), topic.suite, topic.aspect, Options(intervals=intervals))


def annotators_of(
    store: Store, campaign: Campaign, topic: CampaignTopic | None, *, intervals: bool = True
) -> list[AnnotatorWork]:
    """Everybody who has done something, by name; agreement is about the topic."""
    beside = agreement_by_annotator(store, campaign.campaign_id, topic, intervals=intervals) if topic is not None else {}
    known, nothing = _evidence(store, campaign), AttentionEvidence()
    return [
        _annotator(worker, beside.get(worker.person), known.get(worker.person, nothing))
        for worker in monitoring.workers(store, campaign.campaign_id)
    ]


@live_updates.cached(maxsize=8)
def _evidence(store: Store, campaign: Campaign) -> Mapping[str, AttentionEvidence]:
    judgements, (topic, *_) = judgements_of(store, campaign.campaign_id), [*topics(store, campaign), None]
    about = (topic.suite, topic.aspect) if topic is not None else ("", "")
    return work_evidence(store, campaign, judgements[(judgements.suite == about[0]) & (judgements.aspect == about[1])])


def _annotator(worker: WorkerStats, agreement: Estimate | None, work: AttentionEvidence) -> AnnotatorWork:
    evidence = replace(
        work,
        paused=worker.paused,
        paused_by_pace=worker.paused_by == BY_PACE,
        same_network=worker.same_network,
        own_browsers=worker.own_browsers,
        other_ids=worker.other_ids,
    )
    return AnnotatorWork(worker, agreement, work.sameness, work.speed, flags.flags(evidence))
