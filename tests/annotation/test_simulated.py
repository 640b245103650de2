"""Simulated people: what they say follows from what was drawn, their error rates and the seed, and from nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from annotation.questionnaires.base import check, visible
from annotation.questionnaires.geneval import geneval_questionnaire
from annotation.simulated import PEOPLE, VOTES, DepictedItem, DepictedPair, SimulatedPerson, annotate, vote
from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.playground import sample
from data.playground.drawing import draw_carelessly
from data.playground.scene import scene_facts
from data.records import Annotation, Item
from data.spec import parse_spec

FLAWLESS = SimulatedPerson("Zoe", objects=0, counts=0, colors=0, positions=0, cannot_tell=0, answers=1)


def known(first_seed: int = 0, n: int = 168) -> list[DepictedItem]:
    prompts = sample.sample_prompts()
    results = []
    for seed in range(n):
        prompt = prompts[seed % len(prompts)]
        spec = parse_spec(prompt.spec)
        item = Item(f"{prompt.prompt_id}/renderer-careless/{seed}", prompt.suite, prompt.prompt_id, prompt.task)
        results.append(DepictedItem(item, spec, draw_carelessly(spec, first_seed + seed).scene))
    return results


KNOWN = known()


def truth(item: DepictedItem) -> dict[tuple[str, str | None], str]:
    """What follows from the scene, in the words of judgements; a relation is not asked of objects that are not there."""
    answers: dict[tuple[str, str | None], str] = {}
    there = {fact.target for fact in scene_facts(item.spec, item.scene) if fact.aspect == "present" and fact.value}
    for fact in scene_facts(item.spec, item.scene):
        if fact.aspect == "color" and fact.target not in there:
            continue
        if fact.aspect == "position" and len(there) < len(item.spec.objects):
            continue
        plain = str(min(fact.value, COUNT_CAP)) if fact.aspect == "count" else (YES if fact.value else NO)
        answers[fact.aspect, fact.target] = plain
    return answers


def judged(annotation: Annotation) -> dict[tuple[str, str | None], str | None]:
    return {(j.aspect, j.target): j.label for j in annotation.judgements if j.aspect not in ("shape_realism", "caption_match")}


def by_place(annotations: list[Annotation]) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {(a.item_id, a.rater_id): a.answers for a in annotations}


def test_the_same_seed_gives_the_same_answers() -> None:
    assert annotate(KNOWN) == annotate(KNOWN)
    assert by_place(annotate(KNOWN)) != by_place(annotate(KNOWN, seed=44))


def test_an_image_left_out_changes_nothing_about_the_others() -> None:
    everything = annotate(KNOWN)
    some = {item.item.item_id for item in KNOWN[::3]}
    assert annotate(KNOWN[::3]) == [a for a in everything if a.item_id in some]


def test_a_person_without_errors_says_what_was_drawn() -> None:
    answers = {a.item_id: judged(a) for a in annotate(KNOWN, [FLAWLESS])}
    assert answers == {item.item.item_id: truth(item) for item in KNOWN}
    verdicts = Counter(labels["correct", None] for labels in answers.values())
    assert min(verdicts[YES], verdicts[NO]) > 40


def test_every_answer_is_one_that_the_form_would_send() -> None:
    specs = {item.item.item_id: item.spec for item in KNOWN}
    for annotation in annotate(KNOWN):
        questionnaire = geneval_questionnaire(specs[annotation.item_id])
        assert check(questionnaire, annotation.answers).errors == {}
        assert set(annotation.answers) == set(visible(questionnaire, annotation.answers))


@pytest.mark.parametrize(
    ("rate", "wrong", "untouched"),
    [
        ("objects", "present", ()),
        ("counts", "count", ("present", "color", "position")),
        ("colors", "color", ("present", "count", "position")),
        ("positions", "position", ("present", "count", "color")),
    ],
)
def test_a_rate_makes_errors_of_its_own_kind(rate: str, wrong: str, untouched: tuple[str, ...]) -> None:
    rates: dict[str, Any] = {rate: 1.0}
    person = replace(FLAWLESS, **rates)
    answers = {a.item_id: judged(a) for a in annotate(KNOWN, [person])}
    differing = Counter(
        aspect
        for item in KNOWN
        for (aspect, target), label in truth(item).items()
        if answers[item.item.item_id].get((aspect, target)) != label
    )
    assert differing[wrong] > 10
    assert [differing[aspect] for aspect in untouched] == [0] * len(untouched)


def test_who_can_never_tell_leaves_everything_open() -> None:
    for annotation in annotate(KNOWN[:42], [replace(FLAWLESS, cannot_tell=1.0)]):
        assert {value for key, value in annotation.answers.items() if key != "objects"} == {CANNOT_TELL}
        assert {judgement.reason for judgement in annotation.judgements} == {CANNOT_TELL}


def test_the_careful_one_is_right_more_often_than_the_sloppy_one() -> None:
    right = {
        item.item.item_id: truth(item)["correct", None] for item in KNOWN
    }  # fmt: skip
    shares = {}
    for person in (PEOPLE[0], PEOPLE[-1]):
        answers = [(a.item_id, judged(a)["correct", None]) for a in annotate(KNOWN, [person])]
        shares[person.name] = sum(right[item] == label for item, label in answers) / len(answers)
    assert shares["Ada"] > 0.9
    assert 0.6 < shares["Eve"] < shares["Ada"] - 0.05


def test_they_are_marked_and_unequal() -> None:
    raters = [person.rater for person in PEOPLE]
    assert len({rater.rater_id for rater in raters}) == 5
    for rater in raters:
        assert rater.rater_id.startswith("simulated ")
        assert (rater.kind, rater.identity, rater.simulated) == ("human", "person", True)
    given = annotate(KNOWN)
    assert len({a.annotation_id for a in given}) == len(given)
    each = Counter(a.rater_id for a in given)
    assert set(each) == {rater.rater_id for rater in raters}
    assert max(each.values()) < len(KNOWN)
    assert len(set(each.values())) > 2
    per_image = Counter(a.item_id for a in given)
    assert len(set(per_image.values())) > 2


def test_nobody_is_always_first() -> None:
    first: dict[str, str] = {}
    for annotation in annotate(KNOWN):
        first.setdefault(annotation.item_id, annotation.rater_id)
    assert len(Counter(first.values())) == 5


PAIRS = [
    DepictedPair(Item(f"playground/pair/{n}", "playground", kind="pair"), ("one", "other"), (n % 4 < 2, n % 2 == 0))
    for n in range(200)
]


def test_a_person_without_errors_votes_for_what_is_faithful() -> None:
    votes = vote(PAIRS, [FLAWLESS])
    assert votes == vote(PAIRS, [FLAWLESS])
    right = {(True, True): "both", (False, False): "none", (True, False): "one", (False, True): "other"}
    assert [judgement.label for one in votes for judgement in one.judgements] == [right[pair.faithful] for pair in PAIRS]
    # a generator stands on either side
    sides = Counter(one.answers["preference"] for one in votes)
    assert min(sides["left"], sides["right"]) > 30


def test_three_people_vote_on_each_pair_and_the_hasty_take_the_left_image() -> None:
    votes = vote(PAIRS)
    assert Counter(Counter(one.item_id for one in votes).values()) == {VOTES: len(PAIRS)}
    assert {one.rater_id for one in votes} == {person.rater.rater_id for person in PEOPLE}
    hasty = vote(PAIRS, [replace(FLAWLESS, positions=1.0)])
    assert {annotation.answers["preference"] for annotation in hasty} == {"left"}
    assert {annotation.judgements[0].label for annotation in hasty} == {"one", "other"}
