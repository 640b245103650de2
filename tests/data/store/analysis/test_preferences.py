"""What is read of people's choices between two images, and of what scorers say about these."""

from __future__ import annotations

from typing import Any

import pytest

from data.records import Annotation, Evidence, Item, Judgement, Rater
from data.selection import Selection
from data.store import imports
from data.store.analysis import study_frames
from data.store.analysis.study_frames import GeneratorValue, ImageValue
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from tests.data.store.small_project import PROMPT, answer, pictures

ALL = Selection()


def vote(item_id: str, who: str, side: str, label: str | None, **other: Any) -> Annotation:
    why = "cannot_tell" if label is None else None
    answers: dict[str, Any] = {
        "answers": {"preference": side},
        "judgements": (Judgement("preference", label, None, None, why),),
    }
    answers |= {"questionnaire": "ab", "rule_version": "ab-1"}
    return answer(item_id, who, **(answers | other))


def score(image_id: str, rater: str, value: float | None, aspect: str = "score") -> Evidence:
    judged = Judgement(aspect, None, value, None, None if value is not None else "no_verdict")
    return Evidence(f"{rater} {image_id} {aspect}", image_id, rater, {}, (judged,), "1")


@pytest.fixture
def made(store: Store) -> list[str]:
    """Two pairs of g1 and g2, one of g1 and g3; two scorers of some of the images."""
    imports.apply(store, [pictures(2, "g1"), pictures(2, "g2"), pictures(1, "g3")])
    first = f"{PROMPT.prompt_id}/g1/0"
    evidence = [
        score(first, "m", 0.25), score(f"{PROMPT.prompt_id}/g2/0", "m", 0.75), score(f"{PROMPT.prompt_id}/g1/1", "m", 0.5),
        score(first, "n", 1.0, "correct"), score(f"{PROMPT.prompt_id}/g2/0", "n", None, "correct"),
    ]  # fmt: skip
    scorers = [Rater("m", "scorer"), Rater("n", "scorer")]
    imports.apply(store, [ImportBundle("ratings", "s", "s", raters=scorers, evidence=evidence)])
    return [*management.pairs(store, ALL, "g1", "g2"), *management.pairs(store, ALL, "g1", "g3")]


def test_votes_with_their_generators_and_sides(store: Store, made: list[str]) -> None:
    recording.submit(store, vote(made[0], "ann", "right", "g2"))
    recording.submit(store, vote(made[0], "bob", "both", "both"))
    recording.submit(store, vote(made[1], "ann", "cannot_tell", None))
    recording.submit(store, vote(made[2], "ann", "left", "g3"))
    votes = study_frames.preference_votes(store, ALL)
    assert [(t.item_id, t.first, t.second, t.rater_id, t.label, t.side, t.excluded) for t in votes] == [
        (made[0], "g1", "g2", "ann", "g2", "right", None),
        (made[0], "g1", "g2", "bob", "both", None, None),
        (made[1], "g1", "g2", "ann", None, None, "cannot_tell"),
        (made[2], "g1", "g3", "ann", "g3", "left", None),
    ]
    assert {(t.suite, t.prompt_id, t.task, t.kind, t.simulated) for t in votes} == {
        ("geneval", PROMPT.prompt_id, "counting", "human", False)
    }
    # of generators both must be selected; other filters are those of every frame
    assert len(study_frames.preference_votes(store, Selection(generator=("g1", "g2")))) == 3
    assert study_frames.preference_votes(store, Selection(generator=("g1",))) == []
    assert [t.rater_id for t in study_frames.preference_votes(store, Selection(rater=("bob",)))] == ["bob"]
    assert study_frames.preference_votes(store, Selection(task=("colors",))) == []


def test_what_does_not_count_says_why(store: Store, made: list[str]) -> None:
    first = vote(made[0], "ann", "left", "g1")
    recording.submit(store, first)
    recording.submit(store, vote(made[0], "ann", "right", "g2"))
    recording.submit(store, vote(made[0], "bob", "right", "g2", saw_evidence=True))
    # a revision keeps the first one's place
    recording.submit(store, vote(made[0], "ann", "both", "both", revises=first.annotation_id))
    results = {(t.rater_id, t.label): t.excluded for t in study_frames.preference_votes(store, ALL)}
    assert results == {("ann", "both"): None, ("ann", "g2"): "repeat", ("bob", "g2"): "saw_evidence"}


def test_what_scorers_say_of_the_images(store: Store, made: list[str]) -> None:
    assert study_frames.image_values(store, ALL, made[:2]) == sorted(
        [
            ImageValue(made[0], 0, "m", "score", 0.25), ImageValue(made[0], 1, "m", "score", 0.75),
            ImageValue(made[0], 0, "n", "correct", 1.0), ImageValue(made[1], 0, "m", "score", 0.5),
        ],
        key=lambda image_value: (image_value.item_id, image_value.rater_id, image_value.aspect, image_value.position),
    )  # fmt: skip
    assert {image_value.rater_id for image_value in study_frames.image_values(store, Selection(rater=("n",)), made)} == {"n"}
    assert study_frames.image_values(store, ALL, []) == []


def test_what_scorers_say_of_generators(store: Store, made: list[str]) -> None:  # noqa: ARG001
    at = ("geneval", "counting")
    assert study_frames.generator_values(store, ALL, ["geneval"]) == [
        GeneratorValue(*at, "g1", PROMPT.prompt_id, "m", "score", 0.75, 2),
        GeneratorValue(*at, "g1", PROMPT.prompt_id, "n", "correct", 1.0, 1),
        GeneratorValue(*at, "g2", PROMPT.prompt_id, "m", "score", 0.75, 1),
    ]
    assert study_frames.generator_values(store, ALL, ["other"]) == []


def test_a_pair_as_it_is_shown(store: Store, made: list[str]) -> None:
    shown, _ = study_frames.pairs(store, [made[2], made[0]])
    assert (shown.item_id, shown.text) == (made[2], "two cats")
    assert [picture.generator for picture in shown.pictures] == ["g1", "g3"]
    assert all(picture.sha256 for picture in shown.pictures)


def test_an_imported_vote_says_itself_between_whom(store: Store) -> None:
    item = Item("s/vote-1", "s", None, "color", None, "pair")
    answers = {"questionnaire": "direct", "campaign_id": None, "raw": {"generators": ["x", "y"]}}
    odd = [
        vote("s/vote-1", name, "left", "y", **answers | {"raw": raw}) for name, raw in (("b", {"generators": 3}), ("c", None))
    ]
    votes = [vote("s/vote-1", "a", "", "y", **answers), *odd]
    raters = [Rater(name, "human", "slot") for name in "abc"]
    imports.apply(store, [ImportBundle("study", "s", "s", items=[item], raters=raters, annotations=votes)])
    (preference_vote,) = study_frames.preference_votes(store, ALL)
    assert (
        preference_vote.first,
        preference_vote.second,
        preference_vote.rater_id,
        preference_vote.prompt_id,
        preference_vote.side,
    ) == ("x", "y", "a", None, None)
    (shown,) = study_frames.pairs(store, ["s/vote-1"])
    assert (shown.text, shown.pictures) == (None, ())
