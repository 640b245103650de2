"""A campaign's annotators: what they did, how they agree with the others, and what should be looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from agreement import Options
from agreement.pair.rater_pair import Estimate, each_person
from annotation import quality
from annotation.quality import Sameness, Speed, TimedAnswer
from concord.campaigns.known_answers import subject_of
from concord.common import live_updates, wording
from concord.judging import form_about
from data.campaigns.settings import Campaign
from data.store.campaigns import monitoring
from data.store.campaigns.monitoring import WorkerStats
from data.store.core import frame
from data.store.core.store import Store
from data.store.library import item_subjects


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
    """

    worker: WorkerStats
    agreement: Estimate | None
    sameness: Sameness | None
    speed: Speed | None

    @property
    def flags(self) -> tuple[str, ...]:
        """What should be looked at."""
        flags = []
        if self.sameness is not None and self.sameness.flagged:
            flags.append("straight-liner")
        if self.speed is not None and self.speed.flagged:
            flags.append("speeder")
        if self.speed is not None and self.speed.hurried:
            flags.append(f"{wording.count(self.speed.hurried, 'answer')} under {quality.FLOOR:z.0f} s")
        if self.worker.paused is not None:
            flags.append("failed checks")
        if self.worker.same_network > 1:
            flags.append(f"{self.worker.same_network} from one network")
        if self.worker.other_browsers:
            flags.append("id used in another browser")
        return tuple(flags)


def topics(store: Store, campaign: Campaign) -> list[CampaignTopic]:
    """What people have judged in a campaign, what the questionnaire is mainly about first."""
    judgements = judgements_of(store, campaign.campaign_id)
    people = judgements[judgements["kind"] == "human"]
    pairs = set(zip(people["suite"].tolist(), people["aspect"].tolist(), strict=True))
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
    alike, fast = _work(store, campaign)
    return [
        AnnotatorWork(worker, beside.get(worker.person), alike.get(worker.person), fast.get(worker.person))
        for worker in monitoring.workers(store, campaign.campaign_id)
    ]


@live_updates.cached(maxsize=8)
def _work(store: Store, campaign: Campaign) -> tuple[Mapping[str, Sameness], Mapping[str, Speed]]:
    timed_answers = answers(store, campaign)
    return quality.sameness(timed_answers), quality.speeds(timed_answers)


def answers(store: Store, campaign: Campaign) -> Sequence[TimedAnswer]:
    """Everybody's answers for the rules of ``annotation.quality``: of each item the first, as it stands; training apart."""
    current_answers = [
        answer for answer in monitoring.current_answers(store, campaign.campaign_id) if answer.role != "training"
    ]
    subjects = item_subjects(store, sorted({answer.item_id for answer in current_answers}))
    questionnaires = {
        (item_id, name): form_about(campaign, subjects[item_id].spec, name).build(subject_of(subjects[item_id]))
        for item_id, name in {(answer.item_id, answer.questionnaire) for answer in current_answers}
        if item_id in subjects
    }
    made: dict[tuple[str, str], TimedAnswer] = {}
    for answer in current_answers:
        if questionnaire := questionnaires.get((answer.item_id, answer.questionnaire)):
            pattern, shape = quality.pattern(questionnaire, answer.answers), quality.shape(questionnaire)
            made.setdefault(
                (answer.person, answer.item_id), TimedAnswer(answer.person, answer.item_id, shape, pattern, answer.seconds)
            )
    return [*made.values()]
