"""Questions about drawn scenes: their answers are those of the scene, whatever the prompt says."""

from __future__ import annotations

from collections import Counter

import pytest

from data.playground.scene import Background, Placed, Scene, question_parts
from data.prompts.questions import questions_from_spec
from data.spec import ObjectSpec, RelationSpec, Spec, parse_spec
from tools.playground.examples import (
    HELD_OUT_PAIRS,
    HELD_OUT_TEXTURES,
    answered_questions,
    groups,
    picture_with_questions,
    question_form,
    seeded,
    some_spec,
)

_GROUND = Background("plain", 0.5, 0.1, 0.8, 0)


def _scene(*placed: tuple[str, str, float, float]) -> Scene:
    return Scene(tuple(Placed(kind, color, x, y, 0.15) for kind, color, x, y in placed), _GROUND)


def _answers(spec: Spec, scene: Scene) -> dict[str, str]:
    return {question.text: question.answer for question in answered_questions(spec, scene)}


def _pair(relation: str) -> Spec:
    return parse_spec({"include": [{"class": "cup"}, {"class": "car", "position": [relation, 0]}]})


ONE_CUP = parse_spec({"include": [{"class": "cup", "color": "red"}]})
TWO_CUPS = parse_spec({"tag": "counting", "include": [{"class": "cup", "count": 2}]})


@pytest.mark.parametrize(
    ("scene", "expected"),
    [
        (_scene(("cup", "red", 0.3, 0.5)), ("yes", "cup", "yes", "red")),
        (_scene(("cup", "blue", 0.3, 0.5)), ("yes", "cup", "no", None)),
        (_scene(("car", "red", 0.3, 0.5)), ("no", None, "no", None)),
        # one is red and one is not: neither answer is right
        (_scene(("cup", "red", 0.3, 0.5), ("cup", "blue", 0.7, 0.5)), ("yes", "cup", None, None)),
        (_scene(), ("no", None, "no", None)),
    ],
)
def test_objects_and_colours(scene: Scene, expected: tuple[str | None, ...]) -> None:
    texts = ("is there a cup?", "which of these is in the image?", "is the cup red?", "what color is the cup?")
    results = _answers(ONE_CUP, scene)
    assert tuple(results.get(text) for text in texts) == expected


def test_a_colour_that_is_wrong_but_among_the_choices_is_the_answer() -> None:
    other = next(choice for choice in questions_from_spec(ONE_CUP)[-1].choices if choice != "red")
    assert _answers(ONE_CUP, _scene(("cup", other, 0.5, 0.5)))["what color is the cup?"] == other


def test_another_object_among_the_choices_is_the_answer_and_two_of_them_are_none() -> None:
    question = questions_from_spec(ONE_CUP)[1]
    bottle = ("bottle", "red", 0.3, 0.5)
    assert "bottle" in question.choices, "the rule's distractors have changed: choose another kind of the playground"
    assert _answers(ONE_CUP, _scene(bottle))[question.text] == "bottle"
    assert question.text not in _answers(ONE_CUP, _scene(bottle, ("cup", "red", 0.7, 0.5)))


@pytest.mark.parametrize(
    ("n", "expected"), [(0, ("no", None)), (1, ("no", "1")), (2, ("yes", "2")), (4, ("no", "4")), (5, ("no", None))]
)
def test_counts(n: int, expected: tuple[str, str | None]) -> None:
    scene = _scene(*(("cup", "red", 0.1 + 0.2 * k, 0.5) for k in range(n)), ("car", "red", 0.5, 0.9))
    results = _answers(TWO_CUPS, scene)
    assert (results["are there two cups?"], results.get("how many cups are there?")) == expected


@pytest.mark.parametrize(
    ("x", "y", "asked", "expected"),
    [
        (0.8, 0.5, "right of", ("yes", "right of")),
        (0.2, 0.5, "right of", ("no", "left of")),
        (0.5, 0.1, "below", ("no", "above")),
        (0.5, 0.9, "below", ("yes", "below")),
        # on the diagonal both relations hold, and "where" has no one answer
        (0.8, 0.8, "right of", ("yes", None)),
        # side by side: nobody sees which is above
        (0.8, 0.52, "above", (None, "right of")),
    ],
)
def test_relations(x: float, y: float, asked: str, expected: tuple[str | None, str | None]) -> None:
    scene = _scene(("cup", "red", 0.5, 0.5), ("car", "blue", x, y))
    results = _answers(_pair(asked), scene)
    place = {"right of": "to the right of"}.get(asked, asked)
    assert results.get(f"is the car {place} the cup?") == expected[0]
    assert results.get("where is the car, seen from the cup?") == expected[1]


def test_a_relation_to_what_is_missing_does_not_hold_and_of_several_must_hold_of_all() -> None:
    alone = _answers(_pair("right of"), _scene(("cup", "red", 0.5, 0.5)))
    assert alone["is the car to the right of the cup?"] == "no"
    assert "where is the car, seen from the cup?" not in alone
    around = _scene(("cup", "red", 0.5, 0.5), ("car", "red", 0.1, 0.5), ("car", "red", 0.9, 0.5))
    assert "is the car to the right of the cup?" not in _answers(_pair("right of"), around)


def test_every_question_has_its_part() -> None:
    spec = Spec(
        (ObjectSpec("cup", "cup", 2, True, "red"), ObjectSpec("car", "car", 1, False, None)),
        (RelationSpec(0, 1, "above", "cup above car"),),
    )
    for question, part in zip(questions_from_spec(spec), question_parts(spec), strict=True):
        assert (question_form(question)[0] == "spatial") == isinstance(part, RelationSpec)
        if isinstance(part, ObjectSpec):
            assert part.name in question.text or part.name in question.choices


def test_the_trainings_questions_are_true_varied_and_not_to_be_guessed() -> None:
    told: Counter[tuple[str, bool, str]] = Counter()
    for seed in range(60):
        questions, again = picture_with_questions("train", seed), picture_with_questions("train", seed)
        assert questions.image.tobytes() == again.image.tobytes()
        assert questions.asked == again.asked
        assert len(questions.masks) == len(questions.scene.objects) or not questions.scene.objects
        pairs = {(placed.kind, placed.color) for placed in questions.scene.objects}
        assert not pairs & HELD_OUT_PAIRS
        assert questions.scene.background.texture not in HELD_OUT_TEXTURES
        for question in questions.asked:
            assert question.answer in question.choices
            told[(*question_form(question), question.answer)] += 1
    for kind in ("object", "counting", "color", "spatial"):
        yes, no = told[(kind, True, "yes")], told[(kind, True, "no")]
        assert 0.1 < yes / (yes + no) < 0.9, (kind, yes, no)
        assert len([key for key in told if key[:2] == (kind, False)]) >= 4


def test_specs_about_a_scene_ask_for_what_is_there_and_what_is_not() -> None:
    scene = _scene(("cup", "red", 0.2, 0.5), ("cup", "red", 0.5, 0.5), ("car", "blue", 0.8, 0.5))
    rng = seeded("train", 0)
    specs = [some_spec(scene, rng) for _ in range(200)]
    names = Counter(thing.name for spec in specs for thing in spec.objects)
    assert names["cup"] > 40
    assert names["car"] > 40
    assert len(names) > 20
    assert all(len({thing.name for thing in spec.objects}) == len(spec.objects) for spec in specs)


def test_groups_have_six_objects_at_most_and_several_of_a_kind() -> None:
    most: Counter[int] = Counter()
    for seed in range(40):
        scene = groups("train", seed)
        assert 1 <= len(scene.objects) <= 6
        most[max(Counter(placed.kind for placed in scene.objects).values())] += 1
    assert set(most) == {1, 2, 3, 4, 5}
