"""Evidence of how attentively a campaign's people work, in numbers, for the rules of ``annotation.flags``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from agreement.consensus.beside_others import beside_others
from agreement.consensus.methods import CrowdAnswers, Method, fit_consensus
from annotation import flags, quality
from annotation.flags import AttentionEvidence, AttentionTrial, Beside
from annotation.quality import TimedAnswer
from annotation.questionnaires.base import Questionnaire
from concord.campaigns.known_answers import subject_of
from concord.judging import form_about
from data.campaigns.checks import ATTENTION_PASS_MARK, GOLD_PASS_MARK
from data.campaigns.settings import Campaign
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import CurrentAnswer
from data.store.core.store import Store
from data.store.library import item_subjects


def work_evidence(store: Store, campaign: Campaign, said: pd.DataFrame) -> Mapping[str, AttentionEvidence]:
    """Return everybody's answers as evidence of their attention, by name, of those who answered more than training items.

    ``said``: judgements of the campaign about its main topic, columns as of ``frame.of_campaign``.
    """
    current = _without_training(store, campaign)
    questionnaires = _questionnaires(store, campaign, current)
    timed = _timed_answers(current, questionnaires)
    alike, fast = quality.sameness(timed), quality.speeds(timed)
    places = {(answer.person, answer.item_id): place for place, answer in reversed([*enumerate(current)])}
    checks = _checks(store, campaign, current, questionnaires)
    majority, model = (_beside_others(said, places, method) for method in ("majority", "dawid_skene"))
    evidence = {}
    for person in dict.fromkeys(answer.person for answer in current):
        own, agreement, competence = checks.get(person, {}), majority.get(person, _NOTHING), model.get(person, _NOTHING)
        lately = own | competence.trials
        evidence[person] = AttentionEvidence(
            sameness=alike.get(person),
            speed=fast.get(person),
            checks=[*own.values()],
            agreement=[*agreement.trials.values()],
            competence=[*competence.trials.values()],
            lately=[lately[place] for place in sorted(lately)],
            kappa=competence.kappa,
        )
    return evidence


_Questionnaires = Mapping[tuple[str, str], Questionnaire]
"""By item and name."""


def _without_training(store: Store, campaign: Campaign) -> list[CurrentAnswer]:
    current = monitoring.current_answers(store, campaign.campaign_id)
    return [answer for answer in current if answer.role != "training"]


def _questionnaires(store: Store, campaign: Campaign, current: Sequence[CurrentAnswer]) -> _Questionnaires:
    subjects = item_subjects(store, sorted({answer.item_id for answer in current}))
    return {
        (item_id, name): form_about(campaign, subjects[item_id].spec, name).build(subject_of(subjects[item_id]))
        for item_id, name in {(answer.item_id, answer.questionnaire) for answer in current}
        if item_id in subjects
    }


def _timed_answers(current: Sequence[CurrentAnswer], questionnaires: _Questionnaires) -> list[TimedAnswer]:
    first: dict[tuple[str, str], TimedAnswer] = {}
    for answer in current:
        if questionnaire := questionnaires.get((answer.item_id, answer.questionnaire)):
            pattern, shape = quality.pattern(questionnaire, answer.answers), quality.shape(questionnaire)
            first.setdefault(
                (answer.person, answer.item_id), TimedAnswer(answer.person, answer.item_id, shape, pattern, answer.seconds)
            )
    return [*first.values()]


def _checks(
    store: Store, campaign: Campaign, current: Sequence[CurrentAnswer], questionnaires: _Questionnaires
) -> dict[str, dict[int, AttentionTrial]]:
    """Return the trials of gold and attention items, by person and by place among all answers."""
    # a mark of 0 pauses nobody, and still somebody who guesses is to be seen
    marks = {
        "gold": campaign.settings.gold_pass_mark or GOLD_PASS_MARK,
        "attention": campaign.settings.attention_pass_mark or ATTENTION_PASS_MARK,
    }
    expected = {item.item_id: item.expected or {} for item in management.items(store, campaign.campaign_id)}
    trials: dict[str, dict[int, AttentionTrial]] = {}
    for place, answer in enumerate(current):
        if answer.passed is None or answer.role not in marks:
            continue
        questionnaire = questionnaires.get((answer.item_id, answer.questionnaire))
        guessing = flags.guessing_chance(questionnaire, expected.get(answer.item_id, {})) if questionnaire else None
        trial = AttentionTrial(answer.passed, marks[answer.role], guessing, check=True)
        trials.setdefault(answer.person, {})[place] = trial
    return trials


@dataclass(frozen=True, slots=True)
class _BesideLabels:
    """A person's comparisons with the others by place among all answers, and Cohen's kappa of them."""

    trials: dict[int, AttentionTrial]
    kappa: float | None


_NOTHING: Final = _BesideLabels({}, None)


def _beside_others(said: pd.DataFrame, places: Mapping[tuple[str, str], int], method: Method) -> dict[str, _BesideLabels]:
    """Return everybody beside a consensus without their own answer; simulated people are compared with their like."""
    counted = said[(said.kind == "human") & (said.identity == "person") & said.excluded.isna() & said.label.notna()]
    # answers about one item are no independent trials: the first target stands for all
    target = counted.target.fillna("")
    counted = counted[target == target.groupby(counted.item).transform("min")]
    counted = counted.assign(place=[places.get(key, -1) for key in zip(counted.rater, counted.item, strict=True)])
    counted = counted[counted.place >= 0].sort_values("place")
    compared: dict[str, _BesideLabels] = {}
    for _, rows in counted.groupby("simulated"):
        unit, label = (pd.factorize(rows[name])[0].astype(np.int64) for name in ("item", "label"))
        person, names = pd.factorize(rows.rater)
        crowd = CrowdAnswers(unit, person.astype(np.int64), label)
        consensus = fit_consensus(crowd, method)
        beside = [Beside(each.equal.tolist(), each.chance, each.kappa) for each in beside_others(crowd, consensus)]
        for code, name in enumerate(names):
            own = rows.place.to_numpy()[(person == code) & (consensus.held_out >= 0)]
            # without a crowd to compare with there are no trials
            trials = dict(zip(own.tolist(), flags.trials_beside(beside[code], beside), strict=False))
            compared[name] = _BesideLabels(trials, beside[code].kappa if beside[code].kappa == beside[code].kappa else None)
    return compared
