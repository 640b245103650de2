"""Reading a judge's replies, and Soft-TIFA against a restatement."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import product

import pytest
from PIL import Image
from scipy.stats import gmean

from data.jobs.runs import Observation
from data.prompts.questions import PromptQuestion
from data.spec import Spec
from scorers.questions import rules
from scorers.questions.judge_endpoint import image_url, letter_shares
from scorers.questions.rules import AnsweredQuestion

YES_NO = PromptQuestion("cow", "is there a cow?", ("yes", "no"), "yes", "object", "cow")


def test_letters_alone_count_as_probabilities() -> None:
    shares = letter_shares({"A": 0.5, " A": 0.1, "B": 0.2, "b": 0.1, "C": 0.05, "The": 0.05}, 2)
    assert shares == pytest.approx([0.75, 0.25])
    assert letter_shares({"The": 1.0}, 2) is None
    # a reply that begins with a word has no letter's probability
    assert letter_shares({"Answer": 0.9, "A": 0.06, "B": 0.04}, 2) is None
    assert letter_shares(None, 2) is None


def test_images_are_sent_no_larger_than_asked_for() -> None:
    assert image_url(Image.new("RGB", (400, 100)), 400) == image_url(Image.new("RGB", (400, 100)), 4000)
    assert image_url(Image.new("RGB", (400, 100)), 40) == image_url(Image.new("RGB", (40, 10)), 40)


def observed(shares: list[tuple[float, ...] | None]) -> Observation:
    answers = [
        AnsweredQuestion(replace(YES_NO, question_id=str(k)), "no" if share and share[0] < 0.5 else "yes", share)
        for k, share in enumerate(shares)
    ]
    return Observation("i", rules.payload_of(1, answers))


@pytest.mark.parametrize("seed", range(20))
def test_soft_tifa_is_the_mean_of_the_right_answers_probabilities(seed: int) -> None:
    """GenEval 2's ``soft_tifa_am`` and ``soft_tifa_gm``, by numpy's mean and scipy's geometric mean."""
    chance = random.Random(seed)
    right = [chance.choice([0.0, 1.0, chance.random(), chance.random() ** 30]) for _ in range(chance.randint(1, 12))]
    seen = observed([(one, 1 - one) for one in right])
    means = {kind: rules.judge_soft(Spec(), seen, {"score": kind}).judgements[-1].value for kind in rules.SCORES}
    assert means["share"] == pytest.approx(sum(one >= 0.5 for one in right) / len(right))
    assert means["arithmetic"] == pytest.approx(math.fsum(right) / len(right))
    assert means["geometric"] == pytest.approx(gmean(right) if min(right) > 0 else 0.0)


def test_what_is_undefined_says_why() -> None:
    judged = rules.judge_soft(Spec(), observed([(0.5, 0.5), None]), {"score": "geometric"}).judgements[-1]
    assert (judged.value, judged.reason) == (None, "no_probabilities")
    answers = [AnsweredQuestion(YES_NO, "yes", (0.9, 0.1))]
    payload = rules.payload_of(1, answers, [(replace(YES_NO, question_id="red"), "its reply names none of the choices: 'hm'")])
    verdict = rules.judge_soft(Spec(), Observation("i", payload), {})
    assert [(judgement.aspect, judgement.target, judgement.label, judgement.reason) for judgement in verdict.judgements] == [
        ("answer", "cow", "yes", None), ("answer", "red", None, "unanswered"), ("score", None, None, "unanswered"),
    ]  # fmt: skip
    assert [check.holds for check in verdict.checks] == [True, None]


@pytest.mark.parametrize(("shares", "value"), [(None, 7.0), ([0.0] * 7 + [0.5, 0.0, 0.5, 0.0], 8.0)])
def test_a_grade_is_the_mean_of_what_it_may_be(shares: list[float] | None, value: float) -> None:
    seen = Observation("i", {"grade": "7", "probabilities": shares, "reason": "a horn is missing"})
    verdict = rules.judge_grade(Spec(), seen, {})
    assert verdict.judgements[0].value == pytest.approx(value)
    assert verdict.checks[0].text == f"grade {value:.2f} of 10: a horn is missing"
    (flipped,) = rules.judge_grade(Spec(), seen, {"flip": "color"}).judgements
    assert (flipped.aspect, flipped.target, flipped.value) == ("flipped", "color", verdict.judgements[0].value)


def answered(**text: str) -> Observation:
    """WISE's three questions, and others by name."""
    grades = {name: PromptQuestion(name, f"{name}?", ("0", "1", "2"), "2", name, name) for name in rules.WISE_WEIGHTS}
    known = grades | {"cow": YES_NO, "ten": PromptQuestion("ten", "how well?", rules.GRADES, "10", "other", "all")}
    return Observation("i", rules.payload_of(1, [AnsweredQuestion(known[name], one) for name, one in text.items()]))


def score_of(seen: Observation, kind: str) -> float | str | None:
    """The score, or why there is none."""
    *_, judgement = rules.judge_soft(Spec(), seen, {"score": kind}).judgements
    return judgement.reason if judgement.value is None else judgement.value


def test_wise_s_score_is_the_weighted_mean_of_its_grades() -> None:
    """WiScore as published: (0.7 consistency + 0.2 realism + 0.1 aesthetic quality) / 2."""
    for consistency, realism, beauty in product("012", repeat=3):
        seen = answered(consistency=consistency, realism=realism, **{"aesthetic-quality": beauty})
        published = (0.7 * int(consistency) + 0.2 * int(realism) + 0.1 * int(beauty)) / 2
        assert score_of(seen, "wise") == pytest.approx(published)
    assert score_of(answered(consistency="2", realism="2"), "wise") == "not_wise_questions"


def test_grades_count_by_their_scale_and_other_answers_as_right_or_wrong() -> None:
    assert score_of(answered(ten="3"), "graded") == pytest.approx(0.3)
    assert score_of(answered(ten="3", cow="yes", realism="1", consistency="0"), "graded") == pytest.approx(1.8 / 4)
    assert score_of(answered(ten="3", cow="no"), "share") == 0.0


def test_the_choice_in_both_orders_is_the_vote() -> None:
    expected = {
        ("left", "right"): ("a", "kept"), ("right", "left"): ("b", "kept"), ("left", "left"): ("tie", "left"),
        ("right", "right"): ("tie", "right"), ("left", "no difference"): ("tie", "mixed"),
        ("no difference", "left"): ("tie", "mixed"), ("no difference", "no difference"): ("tie", "kept"),
    }  # fmt: skip
    for sides, labels in expected.items():
        orders = [{"chosen": side, "probabilities": None, "reason": None} for side in sides]
        judgements = rules.judge_pair(Spec(), Observation("i", {"generators": ["a", "b"], "orders": orders}), {}).judgements
        assert {judgement.aspect: judgement.label for judgement in judgements} == dict(
            zip(("preference", "order"), labels, strict=True)
        ), sides
