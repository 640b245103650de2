"""The small world's matching set: its captions against its scenes, its words, its seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from data.matching.captions import caption_candidates
from data.matching.playground import SUITE, TASKS, MatchingScene, sample_scenes, suite_name
from data.playground.scene import Scene, is_correct
from data.prompts.geneval_suite import COLORS, POSITIONS
from data.spec import parse_spec
from tools.playground.examples import caption_words

SIZES = {"attribute": 2, "color": 4, "count": 4, "shape": 4, "spatial": 4, "text_corruption": 5}
DRAWN = sample_scenes(3, 20)


def test_each_task_has_as_many_captions_as_the_paper_gives_it() -> None:
    assert tuple(SIZES) == TASKS
    assert Counter(scene.prompt.task for scene in DRAWN) == dict.fromkeys(TASKS, 20)
    for scene in DRAWN:
        candidates = caption_candidates(scene.prompt.text, scene.prompt.spec)
        assert candidates is not None
        assert scene.prompt.task is not None
        assert len(candidates.captions) == SIZES[scene.prompt.task]
        assert candidates.captions[candidates.right] == scene.prompt.text


def test_every_word_is_known_to_the_models_of_the_playground() -> None:
    known = set(caption_words())
    assert {word for scene in DRAWN for caption in scene.prompt.spec["captions"] for word in caption.split()} <= known


def test_the_right_caption_occurs_at_every_index() -> None:
    places = Counter((scene.prompt.task, scene.prompt.spec["right"]) for scene in sample_scenes(0, 60))
    for task, size in SIZES.items():
        assert {place for (name, place) in places if name == task} == set(range(size))


def test_a_wrong_caption_differs_in_a_single_detail() -> None:
    vocabulary = {"color": set(COLORS), "spatial": set(" ".join(POSITIONS).split())}
    for scene in DRAWN:
        for caption in scene.prompt.spec["captions"]:
            differing = set(caption.split()) ^ set(scene.prompt.text.split())
            if scene.prompt.task in ("attribute", "text_corruption"):
                assert differing <= {"a", "an"}  # the same words in another order; "an" follows what comes after it
            elif scene.prompt.task in vocabulary:
                assert differing <= vocabulary[scene.prompt.task] | {"a", "an"}


def test_the_scene_shows_the_right_caption_and_no_other() -> None:
    """The meaning of a caption is read from its words here, not taken from where the scene came from."""
    for scene in DRAWN:
        right, *wrong = _first(scene.prompt.spec)
        kinds = [placed.kind for placed in scene.scene.objects]
        if scene.prompt.task == "count":
            assert [_number(caption) == len(kinds) for caption in (right, *wrong)] == [True, False, False, False]
        elif scene.prompt.task in ("color", "shape", "attribute"):
            assert [_fits(caption, scene.scene) for caption in (right, *wrong)] == [True, *[False] * len(wrong)]
        elif scene.prompt.task == "spatial":
            across, down = _apart(scene)
            requested = scene.prompt.text
            assert (
                abs(across) >= 2 * abs(down)
                if " of a" in requested.removeprefix("a photo of")
                else abs(down) >= 2 * abs(across)
            )


def _first(spec: Mapping[str, Any]) -> list[str]:
    captions, right = spec["captions"], spec["right"]
    return [captions[right], *(caption for k, caption in enumerate(captions) if k != right)]


def _number(caption: str) -> int:
    return {"two": 2, "three": 3, "four": 4}.get(caption.removeprefix("a photo of ").split()[0], 1)


def _fits(caption: str, scene: Scene) -> bool:
    things = caption.removeprefix("a photo of ").split(" and ")
    painted = [(placed.color, placed.kind) for placed in scene.objects]
    for thing in things:
        name = thing.split(" ", 1)[1]
        color = next((color for color in COLORS if name.startswith(f"{color} ")), None)
        kind = name.removeprefix(f"{color} ") if color else name
        if not any(kind == other and color in (None, seen) for seen, other in painted):
            return False
    return True


def _apart(scene: MatchingScene) -> tuple[float, float]:
    reference, subject = scene.scene.objects
    return subject.x - reference.x, subject.y - reference.y


def test_shuffled_words_never_make_another_right_sentence() -> None:
    for scene in DRAWN:
        if scene.prompt.task == "text_corruption":
            starts = [caption.startswith("a photo of") for caption in scene.prompt.spec["captions"]]
            assert starts.index(True) == scene.prompt.spec["right"]
            assert starts.count(True) == 1


def test_suite_names_and_prefixes_by_seed_and_number() -> None:
    assert sample_scenes(3, 20) == DRAWN
    fewer = sample_scenes(3, 5)
    for task in TASKS:
        mine = [(scene.prompt.spec, scene.scene) for scene in fewer if scene.prompt.task == task]
        assert mine == [(scene.prompt.spec, scene.scene) for scene in DRAWN if scene.prompt.task == task][:5]
    assert [scene.prompt.spec for scene in sample_scenes(4, 5)] != [scene.prompt.spec for scene in fewer]
    assert suite_name() == SUITE
    assert {scene.prompt.suite for scene in fewer} == {"itm-playground@seed3-n5"}


@pytest.mark.parametrize(("seed", "n"), [(-1, 5), (0, 0), (0, 10_001)])
def test_invalid_seeds_and_numbers_are_refused(seed: int, n: int) -> None:
    with pytest.raises(ValueError, match="must"):
        sample_scenes(seed, n)


def test_the_scenes_are_of_what_their_prompts_say() -> None:
    for scene in DRAWN:
        if scene.prompt.task == "attribute":
            (a, b) = scene.scene.objects
            spec = {"include": [{"class": placed.kind, "count": 1, "color": placed.color} for placed in (a, b)]}
            assert is_correct(parse_spec(spec), scene.scene)
            assert a.color != b.color
