"""Captions to choose among: by hand, held against scenes that show the prompt, and where nothing can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from data.matching.captions import Candidates, caption_candidates, suite_sentence
from data.playground import sample as playground
from data.playground.drawing import draw
from data.playground.scene import is_correct
from data.prompts import geneval_suite, sr2d_suite
from data.spec import parse_spec

PUBLISHED = [*geneval_suite.sample(), *playground.sample_prompts()]
RELATED = {"left": "right", "right": "left", "above": "below", "below": "above"}


def of(text: str, spec: Mapping[str, Any]) -> tuple[str, ...]:
    candidates = caption_candidates(text, spec)
    assert candidates is not None
    assert candidates.right == 0
    return candidates.captions


def test_every_published_prompt_has_four_different_captions_its_own_first() -> None:
    for prompt in PUBLISHED:
        captions = of(prompt.text, prompt.spec)
        assert captions[0] == prompt.text
        assert len({caption.casefold() for caption in captions}) == 4
        assert captions == of(prompt.text, prompt.spec)


def test_the_sentence_of_a_spec_equals_the_published_text() -> None:
    for prompt in PUBLISHED:
        assert suite_sentence(prompt.spec, parse_spec(prompt.spec)) == prompt.text
    for number in range(0, sr2d_suite.SIZE, 97):
        listed = sr2d_suite.numbered_prompt(number)
        assert suite_sentence(listed.spec, parse_spec(listed.spec)) == listed.text


def test_no_wrong_caption_is_true_of_a_picture_that_shows_the_prompt() -> None:
    # a caption's meaning is read from GenEval's sentences, not from how it was made
    meaning = {entry["prompt"]: entry for seed in range(400) for entry in _all_small_world(seed)}
    read = 0
    for prompt in playground.sample_prompts():
        scene = draw(parse_spec(prompt.spec), 5)
        for caption in of(prompt.text, prompt.spec)[1:]:
            if caption in meaning:
                assert not is_correct(parse_spec(meaning[caption]), scene), (prompt.text, caption)
                read += 1
    assert read > 60


def _all_small_world(seed: int) -> list[Mapping[str, Any]]:
    return [dict(prompt.spec) for prompt in playground.sample_prompts(seed, 12)]


def test_each_kind_of_change_by_hand() -> None:
    position = geneval_suite.position("cup", "dog", "left of")
    assert of(position["prompt"], position)[1] == "a photo of a cup right of a dog"
    swapped = geneval_suite.color_attr(["cup", "dog"], ["red", "blue"])
    assert of(swapped["prompt"], swapped) == (
        "a photo of a red cup and a blue dog",
        "a photo of a blue cup and a red dog",
        "a photo of a purple cup and a blue dog",
        "a photo of a red cup and a white dog",
    )
    three = geneval_suite.counting("clock", 3)
    assert of(three["prompt"], three)[:3] == (
        "a photo of three clocks", "a photo of four clocks", "a photo of two clocks"
    )  # fmt: skip
    entry = geneval_suite.colors("car", "red")
    assert of(entry["prompt"], entry)[1:] == ("a photo of a purple car", "a photo of a yellow car", "a photo of a black car")


def test_a_relation_only_becomes_its_opposite() -> None:
    """Something to the left may be above as well: only the opposite is surely false."""
    for number in range(0, sr2d_suite.SIZE, 101):
        prompt = sr2d_suite.numbered_prompt(number)
        captions = of(prompt.text, prompt.spec)
        assert len(captions) == 4
        a, b, relation = (prompt.spec.get(key) for key in ("a", "b", "relation"))
        if a and b and relation:
            assert captions[1] == sr2d_suite.prompt_text(a, b, RELATED[relation])
            assert all(sr2d_suite.relation_phrase(relation) in caption for caption in captions[2:])


def test_other_sentences_keep_their_own_words_where_that_is_sure() -> None:
    spec = {"include": [{"class": "cup", "count": 1, "color": "red"}, {"class": "dog", "count": 2}]}
    captions = of("There is a red CUP beside two dogs", spec)
    assert captions[1] == "There is a purple CUP beside two dogs"
    prompt = next(prompt for prompt in sr2d_suite.sentence_prompts() if prompt.task == "above")
    assert of(prompt.text, prompt.spec)[1] == prompt.text.replace("above", "below")
    apple = {"a": "apple", "b": "dog"}
    assert "There is a banana, and a dog" in of("There is an apple, and a dog", apple)


def test_playground_objects_are_replaced_by_playground_objects() -> None:
    spec = geneval_suite.single_object("boat")
    assert all(caption.split()[-1] in ("bus", "car", "chair", "clock", "cup") for caption in of(spec["prompt"], spec)[1:])


def test_no_replaced_object_is_in_the_spec_already_or_a_person() -> None:
    spec = geneval_suite.two_object("fork", "knife")
    for caption in of(spec["prompt"], spec)[1:]:
        assert "person" not in caption
        assert caption != "a photo of a fork and a fork"
        assert caption != "a photo of a knife and a knife"


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("a fine day", {}),
        ("a unicorn", {"include": [{"class": "unicorn"}]}),
        ("a cup left of a cup", {"a": "unicorn", "b": "unicorn", "relation": "left"}),
        ("cups", {"include": "cups"}),
        ("cups", {"include": [{"class": "cup", "count": 0}]}),
        ("", {"a": "cup"}),
        ("a", {"captions": ["a"], "right": 0}),
        ("a", {"captions": ["a", "a"], "right": 0}),
        ("a", {"captions": ["a", "b"], "right": 2}),
        ("a", {"captions": ["a", "b"], "right": True}),
        ("a", {"captions": "ab", "right": 0}),
        ("a", {"captions": ["a", " "], "right": 0}),
    ],
)
def test_prompts_without_wrong_captions(text: str, spec: Mapping[str, Any]) -> None:
    assert caption_candidates(text, spec) is None


def test_a_matching_suite_brings_its_own_captions() -> None:
    assert caption_candidates("b", {"captions": ["a", "b", "c"], "right": 1}) == Candidates(("a", "b", "c"), 1)
