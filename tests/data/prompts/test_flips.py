"""Flipped prompts: against the suites' own builders, by hand, there and back, and where a text cannot be changed surely."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.common import wording
from data.playground import sample as playground
from data.prompts import geneval_suite, sr2d_suite
from data.prompts.coco import GENEVAL
from data.prompts.flips import FLIP_KINDS, FLIP_REASONS, FlipKind, Flipped, Unflipped, flip, other_number
from data.records import Prompt
from data.spec import parse_spec

TURNED = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
OTHER_COLOR = {"red": "purple", "orange": "pink", "yellow": "brown", "green": "black", "blue": "white"}
NEXT = {2: 3, 3: 4, 4: 3}
PUBLISHED = [*geneval_suite.sample(), *playground.sample_prompts()]


def expected(prompt: Prompt, kind: FlipKind) -> Mapping[str, Any] | None:
    """GenEval's metadata of the flipped prompt, built as GenEval builds it; None if there is nothing to flip."""
    include = prompt.spec["include"]
    if (prompt.task, kind) == ("position", "relation"):
        relation = TURNED[include[1]["position"][0]]
        return geneval_suite.position(include[1]["class"], include[0]["class"], relation)
    if (prompt.task, kind) == ("counting", "count"):
        return geneval_suite.counting(include[0]["class"], NEXT[include[0]["count"]])
    if (prompt.task, kind) == ("colors", "color"):
        both = OTHER_COLOR | {new: old for old, new in OTHER_COLOR.items()}
        return geneval_suite.colors(include[0]["class"], both[include[0]["color"]])
    if (prompt.task, kind) == ("color_attr", "color"):
        return geneval_suite.color_attr([entry["class"] for entry in include], [include[1]["color"], include[0]["color"]])
    return None


@pytest.mark.parametrize("kind", FLIP_KINDS)
def test_every_published_prompt_of_geneval_flips_as_its_sampler_would_write_it(kind: FlipKind) -> None:
    result: Counter[str] = Counter()
    for prompt in PUBLISHED:
        made, wanted = flip(prompt.text, prompt.spec, kind), expected(prompt, kind)
        if wanted is None:
            assert isinstance(made, Unflipped)
            result[made.reason] += 1
        else:
            assert made == Flipped(wanted, wanted["prompt"])
            result["flipped"] += 1
    nothing = {"relation": "no_relation", "color": "no_color", "count": "no_exact_number"}[kind]
    assert set(result) == {"flipped", nothing}
    assert result["flipped"] > 80


def test_sr2d_flips_as_its_list_has_it() -> None:
    # every ninth line: all ten of a pair occur
    flipped = 0
    for number in range(0, sr2d_suite.SIZE, 9):
        prompt = sr2d_suite.numbered_prompt(number)
        made = flip(prompt.text, prompt.spec, "relation")
        if "relation" not in prompt.spec:
            assert made == Unflipped("no_relation")
            continue
        a, b = prompt.spec["a"], prompt.spec["b"]
        relation = TURNED.get(prompt.spec["relation"]) or {"left": "right", "right": "left"}[prompt.spec["relation"]]
        assert made == Flipped({"a": a, "b": b, "relation": relation}, sr2d_suite.prompt_text(a, b, relation))
        assert parse_spec(made.spec).relations[0].relation.startswith(relation)
        assert isinstance(flip(prompt.text, prompt.spec, "color"), Unflipped)
        assert isinstance(flip(prompt.text, prompt.spec, "count"), Unflipped)
        flipped += 1
    assert flipped > 2500


@pytest.mark.parametrize("kind", ["relation", "color"])
def test_flipped_twice_is_what_it_was(kind: FlipKind) -> None:
    for prompt in PUBLISHED:
        made = flip(prompt.text, prompt.spec, kind)
        if isinstance(made, Flipped):
            assert made.text is not None
            assert made.spec != prompt.spec
            assert flip(made.text, made.spec, kind) == Flipped(prompt.spec, prompt.text)


NAMES = st.sampled_from(GENEVAL)
COLORS = st.sampled_from(geneval_suite.COLORS)


@given(
    names=st.lists(NAMES, min_size=2, max_size=2, unique=True),
    colors=st.lists(COLORS, min_size=2, max_size=2, unique=True),
    words_=st.tuples(
        st.sampled_from(["The ", "", "Two "]), st.sampled_from([" near ", ", and the "]), st.sampled_from(["s", ""])
    ),
)
def test_ones_own_sentences_of_two_colours_go_there_and_back(
    names: list[str], colors: list[str], words_: tuple[str, str, str]
) -> None:
    first, between, plural = words_
    text = f"{first}{colors[0]} {names[0]}{plural}{between}{colors[1].upper()} {names[1]}"
    spec = {"include": [{"class": name, "color": color} for name, color in zip(names, colors, strict=True)]}
    made = flip(text, spec, "color")
    assert isinstance(made, Flipped)
    assert made.text == f"{first}{colors[1]} {names[0]}{plural}{between}{colors[0].upper()} {names[1]}"
    assert [entry["color"] for entry in made.spec["include"]] == colors[::-1]
    assert flip(made.text, made.spec, "color") == Flipped(spec, text)


@pytest.mark.parametrize(
    ("text", "flipped"),
    [
        ("A dog LEFT of a cat", "A dog RIGHT of a cat"),
        ("Left of a cat, a dog", "Right of a cat, a dog"),
        ("a dog to the left  of a cat", "a dog to the right  of a cat"),
        # another word than the spec's, one word too many, none: nobody knows what they are about
        ("a cat right of a dog", None),
        ("a dog left of a cat, with its left ear up", None),
        ("a dog left of a cat below a tree", None),
        ("a dog that left a cat", None),
        ("a dog beside a cat", None),
        ("", None),
    ],
)
def test_relations_in_ones_own_sentences(text: str, flipped: str | None) -> None:
    spec = {"a": "dog", "b": "cat", "relation": "left", "mine": 1}
    assert flip(text, spec, "relation") == Flipped({"a": "dog", "b": "cat", "relation": "right", "mine": 1}, flipped)


def test_several_relations_flip_together() -> None:
    cup, dog, cat = (
        {"class": "cup"},
        {"class": "dog", "position": ["above", 0]},
        {"class": "cat", "position": ["left of", 0]},
    )
    made = flip("a dog above a cup and a cat left of it", {"include": [cup, dog, cat]}, "relation")
    assert isinstance(made, Flipped)
    assert made.text == "a dog below a cup and a cat right of it"
    assert [relation.relation for relation in parse_spec(made.spec).relations] == ["below", "right of"]


@pytest.mark.parametrize(
    ("text", "flipped"),
    [
        ("an orange cup", "a pink cup"),
        ("An orange cup", "A pink cup"),
        ("the orange cups", "the pink cups"),
        ("a dark orange cup", "a dark pink cup"),
        ("an orange", None),
        ("an orange cup beside another orange cup", None),
        ("a cup that is orange", None),
        ("an orange cupboard", None),
    ],
)
def test_a_single_colour_in_ones_own_sentences(text: str, flipped: str | None) -> None:
    made = flip(text, {"include": [{"class": "cup", "color": "orange"}]}, "color")
    assert made == Flipped({"include": [{"class": "cup", "color": "pink"}]}, flipped)


def test_the_fruit_orange_is_not_taken_for_a_colour() -> None:
    spec = {"include": [{"class": "orange", "color": "red"}, {"class": "cup", "color": "orange"}]}
    made = flip("a red orange and an orange cup", spec, "color")
    assert isinstance(made, Flipped)
    assert made.text == "an orange orange and a red cup"


def test_an_article_before_a_colour_that_nobody_knows_is_not_guessed() -> None:
    spec = {"include": [{"class": "cup", "color": "hourglass"}, {"class": "dog", "color": "red"}]}
    assert flip("an hourglass cup and a red dog", spec, "color").text is None  # type: ignore[union-attr]
    assert flip("my hourglass cup and his red dog", spec, "color").text == "my red cup and his hourglass dog"  # type: ignore[union-attr]


def counting(n: Any, exclude: int | None = None, name: str = "cup") -> dict[str, Any]:
    spec: dict[str, Any] = {"include": [{"class": name, "count": n}], "exclude": [{"class": name, "count": exclude or n + 1}]}
    return spec


@pytest.mark.parametrize(("n", "other"), [(1, 2), (2, 3), (3, 4), (4, 3), (5, 4), (6, 4), (99, 4)])
def test_the_rule_of_numbers(n: int, other: int) -> None:
    assert other_number(n) == other
    made = flip("", counting(n), "count")
    assert made == Flipped(counting(other), None)
    parsed = parse_spec(made.spec)
    assert (parsed.objects[0].count, parsed.objects[0].exact, parsed.excludes[0].count) == (other, True, other + 1)


@pytest.mark.parametrize(
    ("text", "n", "flipped"),
    [
        ("Two cups", 2, "Three cups"),
        ("2 cups", 2, "3 cups"),
        ("five red cups", 5, None),
        ("two cups, two dogs", 2, "three cups, two dogs"),
        ("two cups and two cups", 2, None),
        ("12 cups", 2, None),
        ("one cup", 1, None),
        ("eleven cups", 11, None),
    ],
)
def test_numbers_in_ones_own_sentences(text: str, n: int, flipped: str | None) -> None:
    assert flip(text, counting(n), "count").text == flipped  # type: ignore[union-attr]


def test_a_tag_alone_makes_a_number_exact_and_what_is_not_exact_stays() -> None:
    spec = {"tag": "counting", "include": [{"class": "cup", "count": 2}]}
    assert flip("two cups", spec, "count") == Flipped(spec | {"include": [{"class": "cup", "count": 3}]}, "three cups")
    # two to four cups: no number is asked for
    assert flip("some cups", counting(2, 5), "count") == Unflipped("no_exact_number")
    both = {"include": [{"class": "cup", "count": 2}, {"class": "dog", "count": 2}], "exclude": [{"class": "cup", "count": 3}]}
    made = flip("two cups and two dogs", both, "count")
    assert isinstance(made, Flipped)
    assert made.text == "three cups and two dogs"
    assert [entry["count"] for entry in (*made.spec["include"], *made.spec["exclude"])] == [3, 2, 4]


@pytest.mark.parametrize(
    ("spec", "kind", "reason"),
    [
        ({}, "relation", "no_relation"),
        ({"include": "x"}, "count", "unreadable_spec"),
        ({"exclude": [{"class": "cup", "count": 1}]}, "count", "no_exact_number"),
        ({"a": "tv remote", "b": "remote", "relation": "left"}, "relation", "same_kind"),
        ({"include": [{"class": "cup", "color": "red"}, {"class": "cup", "color": "blue"}]}, "color", "same_kind"),
        ({"include": [{"class": "cup", "color": "red"}, {"class": "dog", "color": "red"}]}, "color", "same_color"),
        ({"include": [{"class": name, "color": "red"} for name in "abc"]}, "color", "too_many_colors"),
        ({"include": [{"class": "cup", "color": "teal"}]}, "color", "unknown_color"),
        ({"tag": "counting", "include": [{"class": "cup", "count": 2}] * 2}, "count", "same_kind"),
    ],
)
def test_what_cannot_be_flipped_says_why(spec: Mapping[str, Any], kind: FlipKind, reason: str) -> None:
    assert flip("a cup", spec, kind) == Unflipped(reason)
    assert reason in FLIP_REASONS
    assert wording.reason(reason).startswith("of prompts ")


def test_metadata_never_keep_a_text_that_is_not_true_any_more() -> None:
    spec = {"include": [{"class": "cup", "color": "red"}], "prompt": "a red cup"}
    assert flip("a red cup", spec, "color").spec["prompt"] == "a purple cup"  # type: ignore[union-attr]
    assert "prompt" not in flip("a photo of a red cup", spec, "color").spec  # type: ignore[union-attr]
    assert "prompt" not in flip("a cup in red", spec | {"prompt": "a cup in red"}, "color").spec  # type: ignore[union-attr]
    assert spec["include"] == [{"class": "cup", "color": "red"}]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no flip 'size'; known: relation, color, count"):
        flip("a cup", {}, "size")  # type: ignore[arg-type]


@given(text=st.text(max_size=40), name=st.text(min_size=1, max_size=9).filter(str.strip), n=st.integers(1, 12))
def test_any_text_and_name_can_be_flipped_or_refused(text: str, name: str, n: int) -> None:
    spec = {
        "include": [{"class": name, "count": n, "color": "red"}, {"class": "x", "position": ["above", 0]}],
        "tag": "counting",
    }
    for kind in FLIP_KINDS:
        made = flip(f"{text} red {name} above", spec, kind)
        if isinstance(made, Flipped):
            parse_spec(made.spec)
