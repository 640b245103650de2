"""Sound scenes hold what is asked; careless ones break what their fault says, and the truth is known."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import numpy as np
import pytest

from data.playground.drawing import (
    ANY_LOOK,
    Fault,
    NoRoom,
    PlannedObject,
    ScenePlan,
    arrange_objects,
    draw,
    draw_carelessly,
)
from data.playground.render import render
from data.playground.sample import TASKS, random_metadata, sample_prompts
from data.playground.scene import Fact, is_correct, scene_facts
from data.spec import ObjectSpec, RelationSpec, Spec, SpecError, parse_spec


def prompts(n: int) -> list[tuple[str, Spec]]:
    return [(task, parse_spec(random_metadata(task, np.random.default_rng([7, k])))) for k in range(n) for task in TASKS]


def geneval_relations(a: np.ndarray, b: np.ndarray) -> set[str]:
    """GenEval's released rule for box ``a`` against box ``b``, written out again (evaluate_images.py, relative_position)."""
    boxes = np.array([a, b]).reshape(2, 2, 2)
    offset = boxes[0].mean(axis=0) - boxes[1].mean(axis=0)
    revised = np.maximum(np.abs(offset) - 0.1 * np.abs(np.diff(boxes, axis=1)).sum(axis=(0, 1)), 0) * np.sign(offset)
    if np.all(np.abs(revised) < 1e-3):
        return set()
    dx, dy = revised / np.linalg.norm(offset)
    named = {"left of": dx < -0.5, "right of": dx > 0.5, "above": dy < -0.5, "below": dy > 0.5}
    return {name for name, holds in named.items() if holds}


def test_sound_scenes_hold_what_the_spec_requires_and_nothing_else() -> None:
    for k, (_, spec) in enumerate(prompts(12)):
        scene = draw(spec, k)
        assert is_correct(spec, scene)
        assert Counter(p.kind for p in scene.objects) == Counter({o.name: o.count for o in spec.objects})


def test_required_relations_hold_in_pixels_by_centroid_and_by_genevals_rule() -> None:
    for k, (task, spec) in enumerate(prompts(30)):
        if task == "position":
            relation_spec = spec.relations[0]
            picture = render(draw(spec, k))
            subject, reference = picture.boxes[relation_spec.subject], picture.boxes[relation_spec.reference]
            assert geneval_relations(subject, reference) == {relation_spec.relation}
            rows_columns = [np.argwhere(mask).mean(axis=0) for mask in picture.masks]
            dy, dx = rows_columns[relation_spec.subject] - rows_columns[relation_spec.reference]
            assert {"left of": dx < 0, "right of": dx > 0, "above": dy < 0, "below": dy > 0}[relation_spec.relation]


def test_careless_scenes_are_broken_exactly_when_they_have_a_fault() -> None:
    seen: Counter[str | None] = Counter()
    for k, (_, spec) in enumerate(prompts(60)):
        drawing = draw_carelessly(spec, k)
        seen[drawing.fault] += 1
        assert drawing.correct == (drawing.fault is None)
        assert drawing.facts == scene_facts(spec, drawing.scene)
    assert set(seen) == {None, *get_args(Fault)}
    assert 0.48 < seen[None] / sum(seen.values()) < 0.62
    assert min(seen.values()) >= 4


def test_each_fault_breaks_what_it_names() -> None:
    broken = {
        "wrong count": {"count"}, "merged objects": {"count", "present", "position", "color"},
        "missing object": {"count", "present", "position", "color"}, "wrong colour": {"color"},
        "swapped colours": {"color"}, "leaked colour": {"color"}, "wrong side": {"position"},
    }  # fmt: skip
    for k, (_, spec) in enumerate(prompts(40)):
        drawing = draw_carelessly(spec, k, rate=1.0)
        assert drawing.fault is not None
        wanted = {o.target: o.count for o in spec.objects}
        failing = {
            fact.aspect
            for fact in drawing.facts[:-1]
            if (fact.value != wanted[fact.target or ""] if fact.aspect == "count" else not fact.value)
        }
        assert failing
        assert failing <= broken[drawing.fault]


def test_a_wrong_side_is_wrong_by_genevals_rule_too() -> None:
    checked = 0
    for k, (task, spec) in enumerate(prompts(40)):
        drawing = draw_carelessly(spec, k, rate=1.0) if task == "position" else None
        if drawing is not None and drawing.fault == "wrong side":
            boxes = render(drawing.scene).boxes
            relation_spec = spec.relations[0]
            assert relation_spec.relation not in geneval_relations(boxes[relation_spec.subject], boxes[relation_spec.reference])
            checked += 1
    assert checked >= 5


def test_drawings_are_seeded() -> None:
    for k, (_, spec) in enumerate(prompts(4)):
        assert draw_carelessly(spec, k) == draw_carelessly(spec, k)


def test_facts_name_aspects_and_targets() -> None:
    spec = parse_spec(
        {"include": [{"class": "cup", "color": "red"}, {"class": "car", "color": "blue", "position": ["left of", 0]}]}
    )
    assert scene_facts(spec, draw(spec, 5)) == (
        Fact("present", "cup", True), Fact("count", "cup", 1), Fact("color", "cup", True),
        Fact("present", "car", True), Fact("count", "car", 1), Fact("color", "car", True),
        Fact("position", "car left of cup", True), Fact("correct", None, True),
    )  # fmt: skip


def test_the_suite_has_seven_prompts_of_each_task_in_genevals_words() -> None:
    suite = sample_prompts()
    assert Counter(prompt.task for prompt in suite) == dict.fromkeys(TASKS, 7)
    assert len({prompt.text for prompt in suite}) == len(suite)
    assert suite == sample_prompts()
    assert suite[0].prompt_id == "playground/00000"
    assert sample_prompts(1, 3)[0].suite == "playground@seed1-n3"
    counting = next(prompt for prompt in suite if prompt.task == "counting")
    assert parse_spec(counting.spec).objects[0].exact
    assert random_metadata("position", np.random.default_rng(0), ANY_LOOK)["prompt"].startswith("a photo of a")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (Spec((ObjectSpec("giraffe", "giraffe"),)), "no 'giraffe'"),
        (Spec((ObjectSpec("cup", "cup", color="mauve"),)), "mauve"),
        (Spec((ObjectSpec("cup", "cup", 7),)), "1 to 6"),
        (Spec(), "1 to 6"),
    ],
)
def test_specs_that_cannot_be_drawn_are_refused(spec: Spec, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        draw(spec, 0)


def test_contradicting_relations_are_refused() -> None:
    links = (RelationSpec(1, 0, "left of", ""), RelationSpec(1, 0, "right of", ""))
    with pytest.raises(NoRoom, match="2 relations"):
        arrange_objects(ScenePlan((PlannedObject("cup", "red"), PlannedObject("car", "red")), links), np.random.default_rng(0))


def test_unknown_tasks_and_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown task"):
        random_metadata("poetry", np.random.default_rng(0))
    with pytest.raises(ValueError, match="between 1 and"):
        sample_prompts(n=0)
