"""Flags: their kinds and sentences, and how rarely the soft tests flag somebody attentive, however often one looks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from annotation import flags
from annotation.flags import ANSWER_STEP, CHECK_STEP, SOFT_RISK, TEST_RISK, AttentionEvidence, AttentionTrial, Beside, Flag
from annotation.quality import Sameness, Speed
from annotation.questionnaires import geneval
from annotation.questionnaires.registry import YES_NO


def checks(text: str, guessing: float | None = 0.5) -> list[AttentionTrial]:
    """One letter for each check: y for right."""
    return [AttentionTrial(letter == "y", 0.9, guessing, check=True) for letter in text]


def only(**evidence: Any) -> Flag:
    (flag,) = flags.flags(AttentionEvidence(**evidence))
    return flag


def test_a_share_of_checks_is_too_low_at_most_as_often_as_said_however_many_looks() -> None:
    # exact: the chance of each number of wrong ones among those who are not flagged yet, look after look
    alive, flagged = np.ones(1), 0.0
    for n in range(1, 121):
        alive = np.append(alive, 0.0) * 0.9 + np.insert(alive, 0, 0.0) * 0.1
        if n % CHECK_STEP:
            continue
        for wrong in np.flatnonzero(alive):
            if flags.low_share(checks("n" * wrong + "y" * (n - wrong)), CHECK_STEP, by_chance=False):
                flagged += float(alive[wrong])
                alive[wrong] = 0.0
    assert 0.001 < flagged <= TEST_RISK


def test_somebody_just_attentive_rarely_has_a_soft_flag_in_a_long_campaign() -> None:
    chance = np.random.default_rng(7)
    flagged = 0
    for _ in range(300):
        trials = []
        for n in range(150):
            check = n % 5 == 4
            attentive = 0.9 if check else 0.85
            trials.append(AttentionTrial(bool(chance.random() < attentive), attentive, 0.5, check))
            met, compared = [each for each in trials if each.check], [each for each in trials if not each.check]
            if flags.low_lately(trials) or flags.low_share(met, CHECK_STEP, by_chance=False):
                break
            if len(compared) % ANSWER_STEP == 0 and flags.low_share(compared, ANSWER_STEP, by_chance=True):
                break
        else:
            continue
        flagged += 1
    # measured with 4,000 people and another seed: 1.3 %
    assert flagged <= SOFT_RISK * 300


def test_who_guesses_has_low_checks_by_the_twelfth_with_the_numbers() -> None:
    flag = only(checks=checks("ynynnyynynny"))
    assert (flag.kind, flag.code, flag.soft) == ("information", "low checks", True)
    assert flag.sentence == "6 of 12 checks right; somebody attentive gets 10.8 or more, guessing 6.0"
    # five wrong of twelve come about too often, and between two looks nothing is looked at
    assert flags.flags(AttentionEvidence(checks=checks("ynynnyynynyy"))) == ()
    assert flags.flags(AttentionEvidence(checks=checks("ynynnyynynn"))) == ()


def test_who_turns_careless_late_is_seen_by_the_last_twelve_checks() -> None:
    good, guessed = "y" * 60, "ynynnyynynnyynnyynynnynyyn"
    compared = [AttentionTrial(letter == "y", 0.85, 0.5, check=False) for letter in good + guessed + guessed]
    trials: list[AttentionTrial] = []
    for n, each in enumerate(compared):
        trials.append(each)
        if n % 4 == 3:
            trials += checks("y" if compared[n - 1].right else "n")
    flag = only(lately=trials)
    assert (flag.code, flag.soft) == ("careless lately", True)
    assert "no better than chance" in flag.sentence
    assert flags.low_share(compared, ANSWER_STEP, by_chance=True) is None
    assert flags.low_lately(trials[:60]) is None
    # without any check the last comparisons are the window
    assert flags.low_lately(compared) is not None


def test_who_differs_but_knows_something_is_no_guesser() -> None:
    # 60 % right: worse than attentive beyond chance, and better than chance
    trials = [AttentionTrial(n % 10 < 6, 0.9, 0.25, check=False) for n in range(48)]
    assert flags.low_share(trials, ANSWER_STEP, by_chance=True) is None
    assert flags.low_share(trials, ANSWER_STEP, by_chance=False) is not None


def test_a_person_is_attentive_beside_the_median_of_the_crowd() -> None:
    crowd = [Beside([True] * 12, 0.5, kappa) for kappa in (0.1, 0.8, 0.8, 0.9, 1.0)]
    (trial, *_) = flags.trials_beside(crowd[0], crowd)
    assert trial.attentive == pytest.approx(0.5 + 0.8 * 0.8 * 0.5)
    # nobody is told from a crowd that is small, new, or at odds with itself
    assert flags.trials_beside(crowd[0], crowd[1:]) == []
    assert flags.trials_beside(crowd[0], [Beside([True] * 11, 0.5, 1.0)] * 9) == []
    assert flags.trials_beside(crowd[0], [Beside([True] * 12, 0.5, 0.1)] * 9) == []
    assert flags.trials_beside(crowd[0], [Beside([True] * 12, 0.5, math.nan)] * 9) == []


def test_agreement_and_competence_say_their_numbers() -> None:
    trials = [AttentionTrial(n % 2 == 0, 0.87, 0.5, check=False) for n in range(24)]
    assert only(agreement=trials).sentence == (
        "agrees with most others on 12 of 24 (50%, 99 % 24% to 76%), no better than chance; somebody attentive gets 20.9 or"
        " more, guessing 12.0"
    )
    flag = only(competence=trials, kappa=0.013)
    assert (flag.kind, flag.code) == ("information", "no competence")
    assert flag.sentence.startswith("competence 0.01 (0 guesses, 1 is always right): 12 of 24")


@pytest.mark.parametrize(
    ("evidence", "kind", "code", "sentence"),
    [
        ({"paused": "2 of 10 gold items right"}, "checks", "failed checks", "paused: 2 of 10 gold items right"),
        (
            {"sameness": Sameness(20, 0.9, 0.3, 15, 1e-9)}, "pattern", "straight-lining",
            "repeats the answer before in 90% of 20, where others say that in 30%",
        ),
        ({"speed": Speed(20, 4.0, 8.0, 5)}, "pattern", "quick answers", "5 of 20 answers took less than 1 s"),
        ({"speed": Speed(20, 4.0, 8.0, 4)}, "information", "some quick answers", "4 of 20 answers took less than 1 s"),
        ({"speed": Speed(26, 4.0, 8.0, 5)}, "information", "some quick answers", "5 of 26 answers took less than 1 s"),
        ({"speed": Speed(4, 0.4, 8.0, 4)}, "information", "some quick answers", "4 of 4 answers took less than 1 s"),
        ({"paused": "9 of 10", "paused_by_pace": True}, "pattern", "quick answers", "paused: 9 of 10"),
        ({"speed": Speed(10, 2.0, 8.0)}, "information", "fast", "median 2.0 s an answer, everybody’s is 8.0 s"),
        ({"same_network": 3}, "information", "same network", "3 people came from one network"),
        (
            {"own_browsers": 2}, "information", "another browser",
            "another browser came with this id 2 times, without the re-entry code",
        ),
        ({"other_ids": 1}, "information", "somebody else’s id", "came with the id of 1 other person, and was not let in"),
    ],
)  # fmt: skip
def test_each_flag_has_its_kind_and_a_sentence(evidence: dict[str, Any], kind: str, code: str, sentence: str) -> None:
    flag = only(**evidence)
    assert (flag.kind, flag.code, flag.sentence, flag.soft) == (kind, code, sentence, False)


def test_nothing_odd_is_no_flag() -> None:
    assert flags.flags(AttentionEvidence(speed=Speed(20, 8.0, 8.0), checks=checks("y" * 40), same_network=1)) == ()


def test_the_interval_is_clopper_and_pearsons() -> None:
    low, high = flags.exact_interval(7, 20)
    # as many or more, and as many or fewer, come about with half a percent each
    assert sum(math.comb(20, k) * low**k * (1 - low) ** (20 - k) for k in range(7, 21)) == pytest.approx(0.005)
    assert sum(math.comb(20, k) * high**k * (1 - high) ** (20 - k) for k in range(8)) == pytest.approx(0.005)
    assert flags.exact_interval(0, 5) == pytest.approx((0.0, 1 - 0.005**0.2))
    assert flags.exact_interval(5, 5) == pytest.approx((0.005**0.2, 1.0))


def test_guessing_a_check() -> None:
    form = geneval.FORM.build(geneval.FORM.example)
    levels = {question.id: len(question.options) for question in form.questions}
    both = flags.guessing_chance(form, {"caption_fit": {"any": [3, 4]}, "count_0": 2})
    assert both == pytest.approx(2 / levels["caption_fit"] / levels["count_0"])
    assert flags.guessing_chance(form, {"color_0": ["red"]}) == pytest.approx(1 / (2 ** levels["color_0"] - 1))
    assert flags.guessing_chance(form, {"objects": "a cow"}) is None
    assert flags.guessing_chance(form, {}) is None
    assert flags.guessing_chance(YES_NO.build(YES_NO.example), {"correct": "yes"}) == 0.5
