"""GenEval's rules, each by an example worked out by hand from the paper's published code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from data.aspects import CANNOT_TELL
from data.jobs.runs import Detection, Observation
from data.prompts import geneval_suite
from data.prompts.geneval_suite import COLORS
from data.records import Judgement
from data.spec import Spec, parse_spec
from scorers.base import RelationResult, Verdict
from scorers.detection import overlap
from scorers.geneval.rules import GenEvalRules, color_of, counted_objects, judge, same_kind

Box = tuple[float, float, float, float]
NUMBERS: dict[str, Any] = {
    "threshold": 0.3,
    "counting_threshold": 0.9,
    "max_objects": 16,
    "max_overlap": 1.0,
    "position_threshold": 0.1,
    "rule": "official",
}
RULES = GenEvalRules()


def detection_of(label: str, score: float = 0.95, box: Box = (0, 0, 10, 10), color: str | None = None) -> Detection:
    colors = None if color is None else tuple(0.91 if name == color else 0.01 for name in COLORS)
    return Detection(label, score, box, None, colors)


def judged(metadata: Mapping[str, Any] | Spec, *detection: Detection, **settings: Any) -> Verdict:
    spec = metadata if isinstance(metadata, Spec) else parse_spec(metadata)
    return judge(spec, Observation("item", {}, detection), {**NUMBERS, **settings})


def labels(verdict: Verdict) -> dict[tuple[str, str | None], str | None]:
    return {(judgement.aspect, judgement.target): judgement.label for judgement in verdict.judgements}


SINGLE = geneval_suite.single_object("bear")
TWO = geneval_suite.two_object("dog", "cup")
THREE_CUPS = geneval_suite.counting("cup", 3)
RED_CUP = geneval_suite.colors("cup", "red")
LEFT = geneval_suite.position("dog", "cup", "left of")
RED_CUP_BLUE_BOOK = geneval_suite.color_attr(["cup", "book"], ["red", "blue"])


# ---- present and number


def test_one_object_is_there_or_not() -> None:
    yes = judged(SINGLE, detection_of("bear", 0.31))
    assert labels(yes) == {("correct", None): "yes", ("present", "bear"): "yes", ("count", "bear"): "1"}
    assert yes.reason == ""
    no = judged(SINGLE, detection_of("dog"))
    assert labels(no) == {("correct", None): "no", ("present", "bear"): "no", ("count", "bear"): "0"}
    assert no.reason == "expected bear>=1, found 0"
    assert [check.holds for check in no.checks] == [False]


def test_labels_have_values() -> None:
    assert judged(SINGLE, detection_of("bear"), detection_of("bear")).judgements == (
        Judgement("correct", "yes", 1.0),
        Judgement("present", "yes", 1.0, "bear"),
        Judgement("count", "2", 2.0, "bear"),
    )


@pytest.mark.parametrize(("score", "label"), [(0.3, "no"), (0.3000001, "yes"), (0.2999999, "no")])
def test_the_threshold_itself_is_not_enough(score: float, label: str) -> None:
    assert labels(judged(SINGLE, detection_of("bear", score)))[("correct", None)] == label


@pytest.mark.parametrize(("score", "label"), [(0.9, "no"), (0.9000001, "yes")])
def test_exact_numbers_need_the_higher_confidence(score: float, label: str) -> None:
    detections = [detection_of("cup", 0.95), detection_of("cup", 0.95), detection_of("cup", score)]
    assert labels(judged(THREE_CUPS, *detections))[("correct", None)] == label
    assert labels(judged(THREE_CUPS, *detections, counting_threshold=0.5))[("correct", None)] == "yes"
    assert labels(judged(THREE_CUPS, *detections, threshold=0.99))[("correct", None)] == label


def test_more_than_asked_is_fine_unless_exact() -> None:
    assert labels(judged(SINGLE, *[detection_of("bear")] * 4))[("correct", None)] == "yes"
    spec = {"tag": "mine", "include": [{"class": "cup", "count": 2}]}
    assert labels(judged(spec, *[detection_of("cup", 0.4)] * 3))[("correct", None)] == "yes"
    assert judged(spec, detection_of("cup", 0.4)).reason == "expected cup>=2, found 1"
    many = judged(THREE_CUPS, *[detection_of("cup")] * 4)
    assert labels(many) == {("correct", None): "no", ("present", "cup"): "yes", ("count", "cup"): "4"}
    assert many.reason == "expected cup<4, found 4"
    few = judged(THREE_CUPS, detection_of("cup"), detection_of("cup"))
    assert few.reason == "expected cup>=3, found 2"
    assert labels(judged(THREE_CUPS, *[detection_of("cup")] * 3))[("correct", None)] == "yes"


@pytest.mark.parametrize(("n", "count", "reason"), [(5, "5", 5), (6, "5", 6), (16, "5", 16), (20, "5", 16)])
def test_counts_are_capped_as_peoples_and_looked_at_up_to_sixteen(n: int, count: str, reason: int) -> None:
    verdict = judged(THREE_CUPS, *[detection_of("cup")] * n)
    assert labels(verdict)[("count", "cup")] == count
    assert verdict.reason == f"expected cup<4, found {reason}"
    assert f"{reason} found" in verdict.checks[0].text
    assert len(verdict.checks[0].boxes) == reason


def test_sixteen_are_taken_before_overlapping_ones_are_dropped() -> None:
    same = [detection_of("cup", 0.999 - k / 1000) for k in range(16)]
    apart = [detection_of("cup", 0.95 - k / 1000, (100.0 + 20 * k, 0, 110.0 + 20 * k, 10)) for k in range(3)]
    assert counted_objects([*same, *apart], "cup", 0.3, RULES) == list(range(16))
    assert counted_objects([*same, *apart], "cup", 0.3, GenEvalRules(max_overlap=0.5)) == [0]
    assert counted_objects([*same[:14], *apart], "cup", 0.3, GenEvalRules(max_overlap=0.5)) == [0, 14, 15]
    assert counted_objects([*same, *apart], "cup", 0.3, GenEvalRules(max_objects=2)) == [0, 1]


def test_the_most_confident_come_first_whatever_the_order() -> None:
    detections = [
        detection_of("cup", 0.4),
        detection_of("dog", 0.99),
        detection_of("cup", 0.9),
        detection_of("cup", 0.6),
        detection_of("cup", 0.9),
    ]
    # of two that are equally confident the last, as numpy's argsort read backwards
    assert counted_objects(detections, "cup", 0.3, RULES) == [4, 2, 3, 0]


def test_an_overlap_as_high_as_allowed_is_dropped() -> None:
    pair = [detection_of("cup", 0.9, (0, 0, 9, 9)), detection_of("cup", 0.8, (5, 0, 14, 9))]
    third = overlap(pair[0].box, pair[1].box)
    assert counted_objects(pair, "cup", 0.3, GenEvalRules(max_overlap=third)) == [0]
    assert counted_objects(pair, "cup", 0.3, GenEvalRules(max_overlap=third + 1e-9)) == [0, 1]
    other = [pair[0], detection_of("dog", 0.8, (5, 0, 14, 9))]
    assert counted_objects(other, "dog", 0.3, GenEvalRules(max_overlap=0.0)) == [1]


def test_the_tag_alone_asks_for_the_higher_confidence() -> None:
    spec = {"tag": "mine", "include": [{"class": "cup", "count": 2}], "exclude": [{"class": "cup", "count": 3}]}
    assert labels(judged(spec, detection_of("cup", 0.4), detection_of("cup", 0.5)))[("correct", None)] == "yes"
    assert (
        judged(spec, detection_of("cup", 0.4), detection_of("cup", 0.5), detection_of("cup", 0.6)).reason
        == "expected cup<3, found 3"
    )
    # without an exclude even the counting task's number is a least number
    loose = {"tag": "counting", "include": [{"class": "cup", "count": 2}]}
    assert labels(judged(loose, *[detection_of("cup", 0.95)] * 3))[("correct", None)] == "yes"
    assert judged(loose, *[detection_of("cup", 0.9)] * 3).reason == "expected cup>=2, found 0"


def test_an_exclude_is_its_own_number_of_its_own_class() -> None:
    spec = {
        "tag": "mine",
        "include": [{"class": "dog", "count": 1}],
        "exclude": [{"class": "person", "count": 1}, {"class": "dog", "count": 4}],
    }
    good = judged(spec, *[detection_of("dog")] * 3)
    assert labels(good) == {("correct", None): "yes", ("present", "dog"): "yes", ("count", "dog"): "3"}
    assert good.found == {"dog": 3, "person": 0}
    assert [check.text for check in good.checks] == [
        "dog: 1 or more but fewer than 4 asked for, 3 found with confidence above 0.3",
        "person: fewer than 1 asked for, 0 found with confidence above 0.3",
    ]
    bad = judged(spec, *[detection_of("dog")] * 5, detection_of("person"), detection_of("person"))
    assert bad.reason == "expected person<1, found 2\nexpected dog<4, found 5"
    assert [check.holds for check in bad.checks] == [False, False]
    alone = {"exclude": [{"class": "person", "count": 1}]}
    assert judged(alone, detection_of("dog")).judgements == (Judgement("correct", "yes", 1.0),)
    assert judged(alone, detection_of("person")).reason == "expected person<1, found 1"


def test_found_is_how_many_count_whatever_is_asked() -> None:
    assert judged(SINGLE, *[detection_of("bear")] * 3, detection_of("bear", 0.3), detection_of("dog")).found == {"bear": 3}
    assert judged(THREE_CUPS, *[detection_of("cup")] * 20).found == {"cup": 16}  # no more are looked at
    assert judged(LEFT, DOG).found == {"cup": 0, "dog": 1}
    assert judged(LEFT, DOG).relations == (RelationResult("dog left of cup", None),)
    (standing,) = judged(LEFT, CUP_FAR_LEFT, DOG).relations
    assert (standing.holds, standing.found, standing.boxes) == (False, ("right of",), (1, 0))


@pytest.mark.parametrize("name", ["computer mouse", "tv remote", "computer keyboard"])
def test_genevals_three_names_are_the_detectors(name: str) -> None:
    plain = name.split()[-1]
    assert same_kind(name, plain)
    assert same_kind(plain, name)
    assert same_kind(name, name)
    verdict = judged(geneval_suite.single_object(name), detection_of(plain))
    assert labels(verdict)[("present", name)] == "yes"
    assert judged(geneval_suite.single_object(name)).reason == f"expected {name}>=1, found 0"
    assert not same_kind("computer mouse", "remote")


def test_two_objects_each_have_their_say() -> None:
    assert labels(judged(TWO, detection_of("dog"), detection_of("cup")))[("correct", None)] == "yes"
    assert judged(TWO, detection_of("cup")).reason == "expected dog>=1, found 0"
    assert judged(TWO).reason == "expected dog>=1, found 0\nexpected cup>=1, found 0"


# ---- colour


def test_the_likeliest_colour_decides() -> None:
    assert labels(judged(RED_CUP, detection_of("cup", color="red"))) == {
        ("correct", None): "yes",
        ("present", "cup"): "yes",
        ("count", "cup"): "1",
        ("color", "cup"): "yes",
    }
    wrong = judged(RED_CUP, detection_of("cup", color="blue"))
    assert labels(wrong)[("color", "cup")] == labels(wrong)[("correct", None)] == "no"
    assert wrong.reason == "expected red cup>=1, found 0 red; and 1 blue"
    assert wrong.checks[1].text == "cup: red asked for, blue seen"
    assert (wrong.checks[1].holds, wrong.checks[1].boxes) == (False, (0,))


def test_only_the_most_confident_are_asked_for_their_colour() -> None:
    verdict = judged(RED_CUP, detection_of("cup", 0.8, color="red"), detection_of("cup", 0.9, color="blue"))
    assert labels(verdict)[("color", "cup")] == "no"
    assert verdict.checks[1].boxes == (1,)


def test_nothing_is_said_of_the_colour_of_what_is_not_there() -> None:
    verdict = judged(RED_CUP, detection_of("dog", color="red"))
    assert ("color", "cup") not in labels(verdict)
    assert verdict.reason == "expected cup>=1, found 0"
    assert verdict.checks[1].holds is None


def test_all_of_several_must_have_the_colour_to_be_correct() -> None:
    spec = {"tag": "mine", "include": [{"class": "cup", "count": 2, "color": "red"}]}
    both = judged(
        spec, detection_of("cup", color="red"), detection_of("cup", color="red"), detection_of("cup", 0.5, color="blue")
    )
    assert labels(both)[("correct", None)] == "yes"
    mixed = judged(spec, detection_of("cup", color="blue"), detection_of("cup", color="red"))
    assert labels(mixed)[("correct", None)] == "no"
    assert labels(mixed)[("color", "cup")] == "yes"  # as people tick it: a red one is there
    assert mixed.reason == "expected red cup>=2, found 1 red; and 1 red, 1 blue"
    lonely = judged(spec, detection_of("cup", color="red"))
    assert lonely.reason == "expected cup>=2, found 1"
    assert labels(lonely)[("color", "cup")] == "yes"


def test_two_objects_of_two_colours() -> None:
    good = judged(RED_CUP_BLUE_BOOK, detection_of("cup", color="red"), detection_of("book", color="blue"))
    assert labels(good)[("correct", None)] == "yes"
    swapped = judged(RED_CUP_BLUE_BOOK, detection_of("cup", color="blue"), detection_of("book", color="red"))
    assert labels(swapped) == {
        ("correct", None): "no", ("present", "cup"): "yes", ("count", "cup"): "1", ("color", "cup"): "no",
        ("present", "book"): "yes", ("count", "book"): "1", ("color", "book"): "no",
    }  # fmt: skip
    assert swapped.reason == ("expected red cup>=1, found 0 red; and 1 blue\nexpected blue book>=1, found 0 blue; and 1 red")


def test_evidence_without_colours_leaves_the_question_open() -> None:
    verdict = judged(RED_CUP, detection_of("cup"))
    assert labels(verdict)[("color", "cup")] is None
    assert {judgement.reason for judgement in verdict.judgements if judgement.label is None} == {CANNOT_TELL}
    assert labels(verdict)[("correct", None)] is None
    assert verdict.reason == ""
    assert verdict.checks[1].holds is None
    # what fails for certain fails all the same
    assert labels(judged(RED_CUP_BLUE_BOOK, detection_of("cup")))[("correct", None)] == "no"


def test_the_first_of_equally_likely_colours_is_taken() -> None:
    assert color_of(Detection("cup", 1, (0, 0, 1, 1), None, (0.1,) * 10)) == "red"
    assert color_of(detection_of("cup")) is None
    assert color_of(detection_of("cup", color="white")) == "white"


def test_none_of_the_ten_is_a_colour_too() -> None:
    grey = Detection("cup", 0.9, (0, 0, 1, 1), None, (0.0,) * 10)
    assert color_of(grey) == "another colour"
    assert judged(RED_CUP, grey).reason == "expected red cup>=1, found 0 red; and "
    assert judged(RED_CUP, grey).checks[1].text == "cup: red asked for, another colour seen"


# ---- position


def at(x: float, y: float, side: float = 200) -> Box:
    return (x - side / 2, y - side / 2, x + side / 2, y + side / 2)


DOG, CUP_FAR_LEFT, CUP_FAR_RIGHT = (
    detection_of("dog", box=at(0, 0, 20)),
    detection_of("cup", box=at(-100, 0, 20)),
    detection_of("cup", box=at(100, 0, 20)),
)


def test_the_rule_is_a_setting() -> None:
    result = detection_of("dog", box=at(-60, 0)), detection_of("cup", box=at(0, 0))
    assert judged(LEFT, *result).reason == "expected dog left of target, found  target"
    paper = judged(LEFT, *result, rule="paper")
    assert labels(paper)[("position", "dog left of cup")] == labels(paper)[("correct", None)] == "yes"
    assert (paper.checks[-1].clear, judged(LEFT, *result).checks[-1].clear) == (0.0, 0.5)
    # 100 left and 150 above: both by the paper, above alone by the code
    diagonal = detection_of("dog", box=at(-100, -150)), detection_of("cup", box=at(0, 0))
    assert judged(LEFT, *diagonal, rule="paper").reason == ""
    assert judged(LEFT, *diagonal).reason == "expected dog left of target, found above target"
    with pytest.raises(ValueError, match="rule must be official or paper, got 'code'"):
        judged(LEFT, *result, rule="code")


def test_a_relation_holds_or_says_what_was_found() -> None:
    good = judged(LEFT, DOG, CUP_FAR_RIGHT)
    assert labels(good)[("correct", None)] == labels(good)[("position", "dog left of cup")] == "yes"
    check = good.checks[-1]
    assert (check.text, check.holds, check.target, check.boxes) == (
        "dog left of cup: found left of", True, "dog left of cup", (0, 1)
    )  # fmt: skip
    assert check.offset == pytest.approx((-0.96, 0))
    wrong = judged(LEFT, CUP_FAR_LEFT, DOG)
    assert labels(wrong)[("position", "dog left of cup")] == labels(wrong)[("correct", None)] == "no"
    assert wrong.reason == "expected dog left of target, found right of target"
    assert wrong.checks[-1].boxes == (1, 0)


def test_two_directions_and_none_are_both_told() -> None:
    diagonal = judged(LEFT, DOG, detection_of("cup", box=at(-100, 100, 20)))
    assert diagonal.reason == "expected dog left of target, found right of and above target"
    on_top = judged(LEFT, DOG, detection_of("cup", box=at(1, 1, 20)))
    assert on_top.reason == "expected dog left of target, found  target"
    assert on_top.checks[-1].text == "dog left of cup: found in no clear direction"


def test_where_one_is_missing_nothing_is_said_of_the_relation() -> None:
    no_reference = judged(LEFT, DOG)
    assert no_reference.reason == "expected cup>=1, found 0\nno target for dog to be left of"
    assert ("position", "dog left of cup") not in labels(no_reference)
    assert no_reference.checks[-1].text == "dog left of cup: no cup found to look at"
    assert no_reference.checks[-1].holds is None
    no_subject = judged(LEFT, CUP_FAR_RIGHT)
    assert no_subject.reason == "expected dog>=1, found 0"
    assert ("position", "dog left of cup") not in labels(no_subject)
    assert judged(LEFT).checks[-1].text == "dog left of cup: no dog and no cup found to look at"


def test_only_the_most_confident_are_asked_where_they_stand() -> None:
    verdict = judged(LEFT, DOG, detection_of("cup", 0.5, at(-100, 0, 20)), detection_of("cup", 0.9, at(100, 0, 20)))
    assert labels(verdict)[("position", "dog left of cup")] == "yes"
    assert verdict.checks[-1].boxes == (0, 2)


def test_every_pair_must_stand_so_and_the_first_that_does_not_is_told() -> None:
    spec = {"include": [{"class": "cup", "count": 2}, {"class": "dog", "count": 1, "position": ["left of", 0]}]}
    verdict = judged(spec, DOG, detection_of("cup", 0.9, at(100, 0, 20)), detection_of("cup", 0.8, at(0, 100, 20)))
    assert verdict.reason == "expected dog left of target, found above target"
    assert verdict.checks[-1].boxes == (0, 2)
    assert labels(judged(spec, DOG, CUP_FAR_RIGHT, CUP_FAR_RIGHT))[("correct", None)] == "yes"
    few = judged(spec, DOG, CUP_FAR_RIGHT)
    assert few.reason == "expected cup>=2, found 1\nno target for dog to be left of"
    assert labels(few)[("position", "dog left of cup")] == "yes"  # both are there, and so they stand


def test_a_reference_of_the_wrong_colour_is_no_target() -> None:
    spec = {
        "include": [
            {"class": "cup", "count": 1, "color": "red"},
            {"class": "dog", "count": 1, "position": ["left of", 0]},
        ]
    }
    verdict = judged(spec, DOG, detection_of("cup", box=at(100, 0, 20), color="blue"))
    assert verdict.reason == "expected red cup>=1, found 0 red; and 1 blue\nno target for dog to be left of"
    assert labels(verdict)[("position", "dog left of cup")] == "yes"


def test_a_chain_breaks_where_its_first_link_does() -> None:
    spec = {
        "include": [
            {"class": "cup", "count": 1},
            {"class": "dog", "count": 1, "position": ["left of", 0]},
            {"class": "car", "count": 1, "position": ["above", 1]},
        ]
    }
    verdict = judged(spec, CUP_FAR_LEFT, DOG, detection_of("car", box=at(0, -100, 20)))
    assert verdict.reason == "expected dog left of target, found right of target\nno target for car to be above"
    assert labels(verdict)[("position", "car above dog")] == "yes"


def test_visors_specs_name_the_mover_first() -> None:
    spec = {"a": "dog", "b": "cup", "relation": "left"}
    assert labels(judged(spec, DOG, CUP_FAR_RIGHT))[("correct", None)] == "yes"
    assert judged(spec, DOG, CUP_FAR_LEFT).reason == "expected dog left of target, found right of target"
    assert judged(spec, DOG).reason == "no target for dog to be left of\nexpected cup>=1, found 0"


# ---- the rest


def test_a_spec_that_asks_nothing_is_judged_nothing() -> None:
    assert judged({}, detection_of("cup")) == Verdict(())


def test_what_could_not_be_seen_is_not_judged() -> None:
    verdict = judge(parse_spec(SINGLE), Observation("item", failed="no such file"), NUMBERS)
    assert verdict.judgements == ()
    assert verdict.checks[0].text == "could not be looked at: no such file"


@pytest.mark.parametrize("wrong", [{"threshold": -0.1}, {"max_objects": 0}, {"position_threshold": float("nan")}])
def test_senseless_numbers_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        judged(SINGLE, **wrong)


def test_the_profile_without_numbers_is_the_papers() -> None:
    assert GenEvalRules.of({}) == GenEvalRules(**NUMBERS) == GenEvalRules(0.3, 0.9, 16, 1.0, 0.1, "official")
