"""What the playground's models learn from: labels that are true, captions that are wrong where they should be."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from data.playground.drawing import ALL_PAIRS, draw
from data.playground.sample import TASKS, random_metadata
from data.playground.scene import is_correct
from data.prompts.geneval_suite import COLORS
from data.spec import parse_spec
from tools.playground.examples import (
    HELD_OUT_LOOK,
    HELD_OUT_PAIRS,
    LOOKS,
    NAMES,
    TRAIN_LOOK,
    caption_words,
    captioned,
    crowd,
    example,
    half_erased,
    nothing,
    wrong_by,
    wrong_captions,
)


def test_examples_are_seeded_and_their_labels_lie_in_the_picture() -> None:
    for seed in range(40):
        detection_example, again = example("train", seed), example("train", seed)
        assert detection_example.image.tobytes() == again.image.tobytes()
        assert detection_example.kinds == again.kinds
        assert set(np.unique(detection_example.owners)) - {0} <= set(range(1, len(detection_example.kinds) + 1))
        assert all(0 <= kind < len(NAMES) for kind in detection_example.kinds)


def test_splits_share_no_pair_and_no_texture() -> None:
    for seed in range(30):
        for split, look in LOOKS.items():
            for scene in (captioned(split, seed)[1], crowd(split, seed)):
                assert {(p.kind, p.color) for p in scene.objects} <= look.pairs
                assert scene.background.texture in look.textures


def test_captions_are_true_of_their_scenes() -> None:
    for seed in range(60):
        requested, scene = captioned("train", seed)
        assert is_correct(parse_spec(requested), scene)


def test_a_half_erased_object_counts_no_more() -> None:
    for seed in range(20):
        whole, spoiled = crowd("train", seed), half_erased("train", seed)
        assert len(spoiled.kinds) == len(whole.objects) - 1


def test_nothing_has_no_labels_but_something_to_see() -> None:
    for seed in range(10):
        detection_example = nothing("train", seed)
        assert detection_example.kinds == ()
        assert not detection_example.owners.any()
        assert detection_example.image.std() > 3


def test_wrong_captions_are_wrong_and_different() -> None:
    for seed in range(80):
        requested, scene = captioned("train", seed)
        wrong = wrong_captions(requested, scene, 3, np.random.default_rng(seed))
        assert len({requested["prompt"], *wrong}) == 4
    assert set(" ".join(wrong).split()) <= set(caption_words())


@pytest.mark.parametrize(
    ("change", "task", "differs"),
    [("object", "two_object", 1), ("colour", "colors", 1), ("count", "counting", 1), ("relation", "position", 2)],
)
def test_a_wrong_caption_differs_in_the_one_respect(change: str, task: str, differs: int) -> None:
    requested, scene = captioned("held-out", 3, (task,))
    for text in wrong_by(change, requested, scene, 3, np.random.default_rng(1), HELD_OUT_LOOK):
        unlike = set(text.split()) ^ set(requested["prompt"].split())
        assert 1 <= len(unlike - {"a", "an"}) <= 4 * differs, (text, requested["prompt"])


def test_every_caption_is_made_of_known_words() -> None:
    known = set(caption_words())
    for seed in range(200):
        requested, _ = captioned("train", seed, TASKS)
        assert set(requested["prompt"].split()) <= known


def test_training_scenes_never_use_held_out_pairs_or_textures() -> None:
    assert len(HELD_OUT_PAIRS) / len(ALL_PAIRS) == pytest.approx(0.2)
    assert min(Counter(color for _, color in HELD_OUT_PAIRS)[color] for color in COLORS) >= 1
    for k in range(40):
        for look in (TRAIN_LOOK, HELD_OUT_LOOK):
            rng = np.random.default_rng([k, 3])
            spec = parse_spec(random_metadata(TASKS[k % len(TASKS)], rng, look))
            scene = draw(spec, k, look)
            assert {(p.kind, p.color) for p in scene.objects} <= look.pairs
            assert scene.background.texture in look.textures
    assert not TRAIN_LOOK.pairs & HELD_OUT_LOOK.pairs
    assert not set(TRAIN_LOOK.textures) & set(HELD_OUT_LOOK.textures)
