"""Adjudication: what is judged differently, by whom, and who was wrong."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agreement import Scale
from agreement.disagreements import ContestedUnit, contested_units
from concord.campaigns.annotators import CampaignTopic, judgements_of
from concord.common import live_updates
from data.aspects import NO, YES, YES_NO_ASPECTS
from data.remarks import Adjudication, Wrong
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements import answer_status, remarks

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class ContestedCase:
    """A unit to decide about.

    Attributes:
        disagreement: as ``agreement.disagreements`` has it; None where it is listed for its verdict alone.
        n: people's values.
        verdict: the one that counts, if there is one.
    """

    aspect: str
    item: str
    target: str | None
    disagreement: float | None
    n: int
    verdict: Adjudication | None

    @property
    def key(self) -> str:
        """The unit as a text, for an address."""
        return json.dumps([self.aspect, self.item, self.target], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class RaterValue:
    """What one rater says of a unit; ``why``: the reason why that does not count, None if it does."""

    rater: str
    kind: str
    simulated: bool
    value: str
    why: str | None


@dataclass(frozen=True, slots=True)
class Blame:
    """How many verdicts say that this was wrong; ``rater`` names a scorer or a person."""

    wrong: str
    rater: str | None
    n: int


def scorers(store: Store, campaign_id: str, topic: CampaignTopic) -> list[str]:
    """Scorers that have judged a topic of a campaign's items."""
    judgements = judgements_of(store, campaign_id)
    rows = judgements[(judgements.suite == topic.suite) & (judgements.aspect == topic.aspect) & (judgements.kind == "scorer")]
    return sorted(map(str, rows.rater.unique()))


def contested_cases(store: Store, campaign_id: str, topic: CampaignTopic, against: str = PEOPLE) -> list[ContestedCase]:
    """What people (``people``), or people and a scorer, judge differently: the most contested first."""
    decided = {
        (verdict.item_id, verdict.target): verdict for verdict in verdicts(store, campaign_id) if verdict.aspect == topic.aspect
    }
    units = _contested(store, campaign_id, topic, against)
    return [
        ContestedCase(topic.aspect, unit.item, unit.target, unit.disagreement, unit.n, decided.get((unit.item, unit.target)))
        for unit in units
    ]


def verdicts_against(adjudications: Sequence[Adjudication], wrong: str, rater: str | None) -> list[ContestedCase]:
    """The units of these verdicts that say so of somebody, newest first."""
    return [
        ContestedCase(adjudication.aspect, adjudication.item_id, adjudication.target, None, 0, adjudication)
        for adjudication in adjudications
        if adjudication.wrong == wrong and (rater is None or adjudication.rater_id == rater)
    ]


def suite_of(store: Store, campaign_id: str, item: str) -> str | None:
    """The suite of an item that was judged in a campaign."""
    judgements = judgements_of(store, campaign_id)
    suites = judgements.loc[judgements.item == item, "suite"]
    return None if suites.empty else str(suites.iloc[0])


@live_updates.cached(maxsize=16)
def _contested(
    store: Store,
    campaign_id: str,
    topic: CampaignTopic,
    against: str,
) -> Sequence[ContestedUnit]:
    judgements, scales = judgements_of(store, campaign_id), frame.scales(store)
    scorer = None if against == PEOPLE else against
    units = contested_units(judgements, scales, topic.suite, topic.aspect, scorer)
    # where nobody but imitations has judged, theirs is what there is
    return units or contested_units(judgements, scales, topic.suite, topic.aspect, scorer, simulated=True)


def rater_values(store: Store, campaign_id: str, topic: CampaignTopic, item: str, target: str | None) -> list[RaterValue]:
    """All answers of a unit, people first."""
    judgements = judgements_of(store, campaign_id)
    about = judgements.target == target if target is not None else judgements.target.isna()
    rows = judgements[(judgements.item == item) & (judgements.aspect == topic.aspect) & about]
    values = [_rater_value(row) for row in rows.itertuples(index=False)]
    return sorted(values, key=lambda rated: (rated.kind == "scorer", rated.rater))


def _rater_value(row: Any) -> RaterValue:
    """Return what a row of a frame of judgements says."""
    label = row.label if isinstance(row.label, str) else None
    text = label if label is not None else "" if pd.isna(row.number) else f"{row.number:g}"
    why = row.excluded if isinstance(row.excluded, str) else None
    return RaterValue(str(row.rater), str(row.kind), bool(row.simulated), text, why)


def verdict_labels(store: Store, topic: CampaignTopic, values: Sequence[RaterValue]) -> list[str]:
    """What a verdict may say: the scale's levels, else yes and no or what was said."""
    scale = frame.scales(store).get((topic.suite, topic.aspect))
    levels = Scale.parse(scale).levels if scale is not None else None
    if levels:
        return [*levels]
    if topic.aspect in YES_NO_ASPECTS:
        return [YES, NO]
    return sorted({rated.value for rated in values if rated.value})


@dataclass(frozen=True, slots=True)
class DisagreementSide:
    """Raters who say the same of a unit.

    Attributes:
        wrong: whose verdict it is if they are wrong; ``rater`` names who, where it is one alone.
        label: what they say, as ``n`` of all ``of`` people (1 of 1: a scorer).
    """

    wrong: Wrong
    rater: str | None
    label: str
    n: int
    of: int


def sides(values: Sequence[RaterValue]) -> list[tuple[DisagreementSide, DisagreementSide]]:
    """Who stands against whom on a unit: each scorer against most people, people against each other, else two scorers.

    Whoever is wrong, what the other side says is right. Imitations count where there are no people.
    """
    humans = [rated for rated in values if rated.kind == "human" and rated.value]
    people = [human for human in humans if not human.simulated] or humans
    camps = []
    for label in dict.fromkeys(person.value for person in people):
        names = [person.rater for person in people if person.value == label]
        camps.append(DisagreementSide("person", names[0] if len(names) == 1 else None, label, len(names), len(people)))
    camps.sort(key=lambda camp: (-camp.n, camp.label))
    scorers = [
        DisagreementSide("scorer", rated.rater, rated.value, 1, 1) for rated in values if rated.kind == "scorer" and rated.value
    ]
    scorers.sort(key=lambda side: side.rater or "")
    pairs = []
    if camps and (len(camps) == 1 or camps[0].n > camps[1].n):
        pairs += [(scorer, camps[0]) for scorer in scorers if scorer.label != camps[0].label]
    if len(camps) > 1:
        pairs.append((camps[1], camps[0]))
    if not camps:
        pairs += [(scorer, other) for scorer in scorers[:1] for other in scorers if other.label != scorer.label]
    return pairs


def record_uncovering(store: Store, person: str, item: str) -> None:
    """Remember that this person is shown what others said of an item."""
    how = answer_status.AFTER_ANSWER if answer_status.has_answered(store, person, item) else answer_status.ON_REQUEST
    answer_status.record_unblinding(store, person, item, how)


def write_verdict(store: Store, verdict: Adjudication) -> bool:
    """Write a verdict; False if it had been written before.

    Raises:
        ValueError: a scorer is to blame and none is named, nothing is said to be right, or there is no such item.
    """
    if verdict.wrong == "scorer" and not verdict.rater_id:
        raise ValueError("say which scorer was wrong")
    if not verdict.verdict:
        raise ValueError("say what is right")
    try:
        return remarks.adjudicate(store, verdict)
    except KeyError as error:
        raise ValueError(f"there is no item {verdict.item_id!r} any more") from error


def verdicts(store: Store, campaign_id: str) -> list[Adjudication]:
    """The verdicts that count, of a campaign, newest first."""
    return [verdict for verdict in remarks.verdicts(store) if verdict.campaign_id == campaign_id]


def blames(adjudications: Sequence[Adjudication]) -> list[Blame]:
    """Return each rater with how often they were wrong, the most often first."""
    counted = Counter(
        (adjudication.wrong, adjudication.rater_id if adjudication.wrong in ("scorer", "person") else None)
        for adjudication in adjudications
    )
    made = [Blame(wrong, rater, n) for (wrong, rater), n in counted.items()]
    return sorted(made, key=lambda blame: (-blame.n, blame.wrong, blame.rater or ""))
