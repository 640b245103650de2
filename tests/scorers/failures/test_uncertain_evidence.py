"""Failure pictures of prompts and scorers that are odd, and of a world whose faults are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from data.jobs.runs import Detection, Observation
from data.playground.drawing import CARELESS
from data.playground.sample import FOLDER, careless_drawing, read_sample
from data.prompts import geneval_suite as prompts
from data.spec import parse_spec
from scorers import registry
from scorers.failures import PICTURES, FailureTable, FailureUnit, JudgedImage, SuiteEvidence
from scorers.failures.objects import bindings, counts, positions
from scorers.geneval import scorer
from tests.scorers.failures.test_failures import SETTINGS
from tests.scorers.geneval.test_rules import detection_of

CUP = detection_of("cup")


ASKED = (
    prompts.single_object("cup"),
    prompts.counting("cup", 2),
    prompts.color_attr(["cup", "book"], ["red", "blue"]),
    prompts.position("dog", "cup", "left of"),
)


@pytest.mark.parametrize("name", PICTURES)
def test_a_scorer_that_looks_for_no_objects_has_missed_none(name: str) -> None:
    scorer = registry.get("clipscore")
    cosine = Observation("i", {"cosine": 0.3})
    specs = [parse_spec(spec) for spec in ASKED]
    cases = [JudgedImage("i", "p", "g", 0, "", spec, cosine, scorer.judge(spec, cosine, {})) for spec in specs]
    assert PICTURES[name](SuiteEvidence(scorer, {}, cases)).units == ()


# ---- whatever comes
HOSTILE: list[tuple[Mapping[str, Any], Sequence[Detection]]] = [
    ({}, (CUP,)),
    ({"include": [], "exclude": [{"class": "cup", "count": 1}]}, (CUP,)),
    ({"include": [{"class": "<b>"}, {"class": "<b>", "color": "no colour"}]}, (detection_of("<b>", color="red"),)),
    (
        {"include": [{"class": "a", "color": "x"}, {"class": "b", "color": "y"}]},
        (detection_of("a", color="red"), detection_of("b")),
    ),
    ({"a": "cup", "b": "cup", "relation": "left"}, (CUP, CUP)),
    ({"include": [{"class": name, "color": name} for name in "abcde"]}, [detection_of(name, color="red") for name in "abcde"]),
]


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("scorer", ["geneval", "visor", "geneval-results", "clipscore"])
def test_no_picture_trips_over_odd_prompts_or_scorers(name: str, scorer: str) -> None:
    used = registry.get(scorer)
    evidence = {"cosine": 0.3, "correct": True, "reason": ""}
    cases = []
    for number, (spec, detections) in enumerate(HOSTILE):
        asked, seen = parse_spec(spec), Observation(f"i/{number}", evidence, tuple(detections))
        cases.append(JudgedImage(seen.item_id, f"p/{number}", "", None, "", asked, seen, used.judge(asked, seen, SETTINGS)))
    table = PICTURES[name](SuiteEvidence(used, SETTINGS, cases))
    assert table.generators == ()
    assert all(set(cell.items) <= {case.item_id for case in cases} for cell in table.rows())
    assert PICTURES[name](SuiteEvidence(used, SETTINGS, ())).rows() == []


# ---- a world whose faults are known
@pytest.fixture(scope="module")
def drawn() -> SuiteEvidence:
    """What the playground's detector saw of the careless renderer's pictures."""
    sample = read_sample(FOLDER)
    run = next(run for run in sample.runs if run.job().scorer == "geneval")
    known = {prompt.prompt_id: prompt for prompt in sample.prompts}
    settings, cases = run.job().settings, []
    for seen in run.observations():
        prompt_id, generator, index = seen.item_id.rsplit("/", 2)
        prompt = known[prompt_id]
        if generator == CARELESS:
            spec = parse_spec(prompt.spec)
            verdict = scorer.SCORER.judge(spec, seen, settings)
            cases.append(JudgedImage(seen.item_id, prompt_id, generator, int(index), str(prompt.task), spec, seen, verdict))
    return SuiteEvidence(scorer.SCORER, settings, cases)


def with_faults(table: FailureTable) -> list[tuple[str | None, FailureUnit]]:
    """Each unit with what was drawn wrong on purpose."""
    known = {prompt.prompt_id: prompt for prompt in read_sample(FOLDER).prompts}
    return [(careless_drawing(known[unit.case.prompt_id], unit.case.index or 0).fault, unit) for unit in table.units]


def test_colours_are_swapped_and_leak_where_the_renderer_did_so(drawn: SuiteEvidence) -> None:
    counter = Counter((fault, name) for fault, unit in with_faults(bindings(drawn)) for name in unit.found)
    assert counter["swapped colours", "swapped"] == 3
    assert counter["leaked colour", "leaked"] == 4
    assert counter["wrong colour", "another colour"] == 3
    assert counter[None, "own colours"] == 12
    # and nowhere else, but for what the detector did not find
    assert {key for key in counter if key[1] not in ("object missing", "on the wrong object")} == {
        ("swapped colours", "swapped"),
        ("leaked colour", "leaked"),
        ("wrong colour", "another colour"),
        (None, "own colours"),
    }


def test_numbers_are_wrong_where_the_renderer_miscounted(drawn: SuiteEvidence) -> None:
    units = with_faults(counts(drawn))
    wrong = [unit.case.item_id for _, unit in units if "as asked" not in unit.found]
    assert len(wrong) == 13
    assert wrong == [unit.case.item_id for fault, unit in units if fault in ("wrong count", "merged objects")]


def test_sides_are_wrong_where_the_renderer_changed_them(drawn: SuiteEvidence) -> None:
    units = [(fault, unit) for fault, unit in with_faults(positions(drawn)) if "not both found" not in unit.found]
    assert Counter(fault for fault, unit in units if "the opposite" in unit.found) == {"wrong side": 6}
    assert Counter(fault for fault, unit in units if "as asked" in unit.found) == {None: 16}
