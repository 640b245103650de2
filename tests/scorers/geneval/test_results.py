"""GenEval's results as evidence: what its rules say of an image survives its own file."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from data.formats.evidence import read_case
from data.formats.official_results import GenEvalResult, format_result, read_result
from data.jobs.runs import Detection, Observation
from data.prompts import geneval_suite
from data.prompts.geneval_suite import COLORS
from data.spec import parse_spec
from scorers import registry
from scorers.geneval.results import SCORER, SETTINGS, details_of, evidence_of, follows, judge
from scorers.geneval.rules import GenEvalRules, color_of
from scorers.geneval.rules import judge as by_rules
from tests.scorers.geneval.test_rules_parity import case

RED_CUPS = {"tag": "mine", "include": [{"class": "cup", "count": 2, "color": "red"}], "prompt": "two red cups"}
BOX = (0.0, 0.0, 9.0, 9.0)


def result(metadata: dict[str, Any], correct: bool, reason: str, details: Any) -> GenEvalResult:
    return GenEvalResult("sd/1/samples/0.png", metadata["tag"], metadata["prompt"], correct, reason, metadata, details)


def labels(metadata: dict[str, Any], *said: Any) -> dict[tuple[str, str | None], str | None]:
    spec = parse_spec(metadata)
    verdict = judge(spec, evidence_of(result(metadata, *said), spec, "item"), SETTINGS)
    return {(judgement.aspect, judgement.target): judgement.label for judgement in verdict.judgements}


def test_a_verdict_written_and_read_is_the_same_with_all_that_people_are_asked() -> None:
    """Over random cases, all classes' objects and colours with it: correct, reason, presence, counts, positions."""
    rng = random.Random(3)
    compared = 0
    for _ in range(1500):
        read = read_case(case(rng))
        verdict = by_rules(read.spec, read.seen, {})
        assert verdict.correct is not None
        details = details_of(read.spec, read.seen.detections, GenEvalRules())
        written = format_result(result(dict(read.asked), verdict.correct, verdict.reason, details))
        back = read_result(json.loads(written))
        seen = evidence_of(back, read.spec, "x")
        again = judge(read.spec, seen, SETTINGS)
        assert (again.correct, again.reason, again.found) == (verdict.correct, verdict.reason, verdict.found)
        counted = ("present", "count", "position")
        assert [judgement for judgement in again.judgements if judgement.aspect in counted] == [
            judgement for judgement in verdict.judgements if judgement.aspect in counted
        ]
        names = [spec.name for spec in read.spec.objects if spec.color is not None]
        if len(set(names)) == len(names):  # of a class asked for in two colours only one is put back
            assert follows(read.spec, seen, SETTINGS)
            compared += 1
    assert compared > 1000


@pytest.mark.parametrize(
    ("reason", "seen"),
    [
        ("", ["red", "red", None]),
        ("expected red cup>=2, found 1 red; and 1 red, 1 blue", ["red", "blue", None]),
        ("expected red cup>=2, found 0 red; and 2 white", ["white", "white", None]),
        ("expected red cup>=2, found 0 red; and 1 mauve, 9 blue", ["blue", "blue", None]),
        ("expected red cup>=2, found ", [None, None, None]),
    ],
)
def test_colours_come_back_from_the_reason(reason: str, seen: list[str | None]) -> None:
    boxes = [(BOX, 0.9), (BOX, 0.8), (BOX, 0.7)]
    observation = evidence_of(result(RED_CUPS, not reason, reason, {"cup": boxes, "dog": boxes}), parse_spec(RED_CUPS), "item")
    assert [color_of(detection) for detection in observation.detections if detection.label == "cup"] == seen
    assert {detection.colors for detection in observation.detections if detection.label == "dog"} == {None}


def test_of_fewer_than_asked_no_colour_was_looked_at() -> None:
    results = labels(RED_CUPS, False, "expected cup>=2, found 1", {"cup": [(BOX, 0.9)]})
    assert results == {("correct", None): "no", ("present", "cup"): "yes", ("count", "cup"): "1", ("color", "cup"): None}


def test_the_files_verdict_counts_whatever_its_boxes_say() -> None:
    cup = geneval_suite.single_object("cup")
    assert labels(cup, True, "", {}) == {("correct", None): "yes", ("present", "cup"): "no", ("count", "cup"): "0"}
    spec = parse_spec(cup)
    seen = evidence_of(result(cup, True, "", {}), spec, "item")
    assert not follows(spec, seen, SETTINGS)
    assert judge(spec, seen, SETTINGS).checks[0].text == "the file's verdict does not follow from the boxes that it lists"
    # what stands in the file was above the thresholds of its run, whatever these were
    assert labels(cup, True, "", {"cup": [(BOX, 0.01)]})[("count", "cup")] == "1"


def test_without_details_there_is_the_verdict_alone() -> None:
    assert labels(geneval_suite.single_object("cup"), False, "expected cup>=1, found 0", None) == {("correct", None): "no"}
    assert judge(parse_spec({}), Observation("item", failed="gone"), SETTINGS).judgements == ()


def test_details_have_genevals_names_in_its_order() -> None:
    detections = [
        Detection("mouse", 0.4, BOX),
        Detection("unicorn", 0.9, BOX),
        Detection("dog", 0.3, BOX),
        Detection("person", 0.5, BOX),
    ]
    detections.append(Detection("computer mouse", 0.8, BOX))
    details = details_of(parse_spec(geneval_suite.single_object("dog")), detections, GenEvalRules())
    assert list(details) == ["person", "computer mouse", "unicorn"]
    assert [score for _, score in details["computer mouse"]] == [0.8, 0.4]
    assert details_of(parse_spec(geneval_suite.counting("dog", 2)), detections, GenEvalRules()) == {}


def test_it_can_be_asked_for_but_not_run() -> None:
    assert registry.get("geneval-results") is SCORER
    assert "geneval-results" not in registry.NAMES
    with pytest.raises(ValueError, match="import results geneval` imports them"):
        SCORER.open(SETTINGS, "cpu")
    assert set(SETTINGS) == SCORER.judging
    assert len(COLORS) == 10
