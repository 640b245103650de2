"""Judging again in memory: the scorer's own verdicts whatever is turned, in whatever order, and few of them made twice."""

from __future__ import annotations

import random
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from data.formats.evidence import read_case
from data.jobs.runs import Detection, Observation
from data.prompts.geneval_suite import single_object
from data.spec import asks_only_positions
from scorers import registry
from scorers.base import Knob, Scorer, Verdict
from scorers.geneval import rules, scorer
from scorers.running.rejudge import ImageEvidence, Rejudger
from scorers.visor import rules as visor_rules
from scorers.visor import scorer as visor_scorer
from tests.scorers.geneval import test_rules_parity as ugly

KNOBS = ("threshold", "counting_threshold", "position_threshold", "max_overlap", "rule")
RUN: dict[str, Any] = {**scorer.SCORER.profiles["playground"], "keep": 0.0}
BOX = (0.0, 0.0, 10.0, 10.0)


def cases(seed: int, n: int = 120) -> list[ImageEvidence]:
    rng = random.Random(seed)
    evidence_cases = [read_case(ugly.case(rng)) for _ in range(n)]
    return [ImageEvidence(f"i{k}", case.spec, case.seen) for k, case in enumerate(evidence_cases)]


def settings_of(rng: random.Random, some: list[ImageEvidence]) -> dict[str, Any]:
    """Now and then exactly a confidence of the evidence, or the end of a range."""
    scores = [detection.score for case in some for detection in case.seen.detections]
    return {
        "threshold": rng.choice((rng.random(), rng.choice(scores), 0.0, 1.0)),
        "counting_threshold": rng.choice((rng.random(), rng.choice(scores), 0.9)),
        "position_threshold": rng.choice((0.0, 0.1, rng.random() / 2)),
        "max_overlap": rng.choice((1.0, 0.0, rng.random())),
        "rule": rng.choice(("official", "paper")),
    }


def own(scorer: Scorer, some: list[ImageEvidence], settings: dict[str, Any]) -> list[int]:
    correct = [scorer.judge(case.spec, case.seen, settings).correct for case in some]
    return [-1 if one is None else int(one) for one in correct]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 4))])
def test_verdicts_are_the_scorers_own(seed: int) -> None:
    rng, some = random.Random(seed), cases(seed)
    again = Rejudger(scorer.SCORER, some, RUN)
    seen: set[int] = set()
    for _ in range(12):
        turned = settings_of(rng, some)
        turned = {name: turned[name] for name in rng.sample(KNOBS, rng.randint(0, 5))}
        verdicts = own(scorer.SCORER, some, {**RUN, **turned})
        assert again.correct(turned).tolist() == verdicts
        seen |= set(verdicts)
    assert seen == {0, 1}


@pytest.mark.parametrize("name", KNOBS[:4])
def test_a_sweep_is_what_each_value_gives(name: str) -> None:
    rng, some = random.Random(name), cases(7)
    again = Rejudger(scorer.SCORER, some, RUN)
    scores = sorted({detection.score for case in some for detection in case.seen.detections})
    at = sorted({0.0, 0.25, 0.5, 1.0, *rng.sample(scores, 5)})
    others = [{}, settings_of(rng, some), settings_of(rng, some), {}]
    for turned in others:
        sweep = again.sweep(name, at, turned)
        knob = scorer.SCORER.knobs[name]
        assert sweep.rows.tolist() == [k for k, case in enumerate(some) if knob.applies(case.spec)]
        assert sweep.at.tolist() == at
        for value, said in zip(at, sweep.said, strict=True):
            expected = own(scorer.SCORER, some, {**RUN, **turned, name: value})
            assert said.tolist() == [expected[k] for k in sweep.rows]


@pytest.mark.parametrize("name", KNOBS)
def test_where_a_knob_does_not_apply_it_changes_nothing(name: str) -> None:
    rng, some = random.Random(name), cases(11, 300)
    knob = scorer.SCORER.knobs[name]
    idle = [case for case in some if not knob.applies(case.spec) or knob.edges(case.spec, case.seen) == ()]
    moved = 0
    for _ in range(14):
        turned = settings_of(rng, some)
        other = turned | {name: settings_of(rng, some)[name]}
        assert own(scorer.SCORER, idle, {**RUN, **turned}) == own(scorer.SCORER, idle, {**RUN, **other})
        moved += own(scorer.SCORER, some, {**RUN, **turned}) != own(scorer.SCORER, some, {**RUN, **other})
    assert moved > 0
    assert len(idle) < len(some)


def test_visors_verdicts_too() -> None:
    rng, some = random.Random(5), cases(5, 300)
    again = Rejudger(visor_scorer.SCORER, some, {**visor_scorer.SCORER.profiles["playground"], "keep": 0.0})
    for threshold in [rng.random() for _ in range(10)] + [0.3, 0.9, 0.95]:
        assert again.correct({"threshold": threshold}).tolist() == own(visor_scorer.SCORER, some, {"threshold": threshold})
    said = again.correct({}).tolist()
    # of prompts that ask for numbers or colours it says nothing
    assert {said[k] for k, case in enumerate(some) if not asks_only_positions(case.spec)} == {-1}
    assert {0, 1} < set(said)


def test_between_two_confidences_nothing_is_judged_again() -> None:
    judged: list[float] = []

    def judge(spec: Any, seen: Observation, settings: Any) -> Verdict:
        if seen.item_id:
            judged.append(settings["threshold"])
        return rules.judge(spec, seen, settings)

    spec = read_case({"id": "i", "spec": single_object("cup"), "detections": []}).spec
    seen = Observation("i", {}, (Detection("cup", 0.4, BOX), Detection("cup", 0.6, BOX), Detection("car", 0.5, BOX)))
    again = Rejudger(replace(scorer.SCORER, judge=judge), [ImageEvidence("i", spec, seen)], RUN)
    for threshold in (0.30, 0.31, 0.39, 0.41, 0.49, 0.5, 0.51, 0.59, 0.61, 0.31):
        again.correct({"threshold": threshold})
    assert judged == [0.30, 0.41, 0.61]
    again.sweep("threshold", [0.1, 0.2, 0.35, 0.45, 0.55, 0.9], {})
    assert len(judged) == 3
    # what decides nothing here does not matter either
    again.correct({"threshold": 0.41, "counting_threshold": 0.2, "position_threshold": 0.4, "rule": "paper"})
    assert len(judged) == 3
    # at a confidence itself neither side holds
    again.correct({"threshold": 0.4})
    assert len(judged) == 4


def test_a_setting_out_of_range_is_refused() -> None:
    again = Rejudger(scorer.SCORER, cases(0, 3), RUN)
    with pytest.raises(ValueError, match="max_overlap must be from 0 to 1"):
        again.correct({"max_overlap": 1.5})
    with pytest.raises(ValueError, match="position_threshold must be from 0 to 1"):
        again.sweep("position_threshold", [0.0, 2.0], {})
    rejudger = Rejudger(scorer.SCORER, cases(0, 3), {**RUN, "keep": 0.2})
    with pytest.raises(ValueError, match=r"threshold must be at least .*below which nothing was stored"):
        rejudger.correct({"threshold": 0.1})


def test_what_a_run_does_not_say_is_as_the_rules_have_it() -> None:
    some = cases(2)
    bare = {name: value for name, value in RUN.items() if name not in ("rule", "max_overlap")}
    again = Rejudger(scorer.SCORER, some, bare)
    assert (again.settings["rule"], again.settings["max_overlap"]) == ("official", 1.0)
    assert again.correct({}).tolist() == own(scorer.SCORER, some, bare)


def test_evidence_of_nothing_and_no_evidence() -> None:
    failed = ImageEvidence("i", cases(0, 1)[0].spec, Observation("i", failed="gone"))
    assert Rejudger(scorer.SCORER, [failed], RUN).correct({}).tolist() == [-1]
    none = Rejudger(scorer.SCORER, [], RUN)
    assert none.correct({}).size == 0
    assert none.sweep("threshold", [0.1, 0.2], {}).said.shape == (2, 0)


@pytest.mark.parametrize("name", registry.NAMES)
def test_knobs_are_settings_of_judging_and_have_the_rules_defaults(name: str) -> None:
    scorer = registry.get(name)
    assert set(scorer.knobs) <= scorer.judging
    rules_value: Any = {"geneval": rules.GenEvalRules(), "visor": visor_rules.VisorRules()}.get(name)
    for key, knob in scorer.knobs.items():
        assert knob.default == getattr(rules_value, key)
        assert knob.title
        assert knob.help.endswith(".")
        if knob.choices:
            assert knob.default in knob.choices
        else:
            steps = (knob.high - knob.low) / knob.step
            assert steps == pytest.approx(round(steps))
            assert knob.low <= float(knob.default) <= knob.high
    assert {field.name for field in fields(Knob)} >= {"confidence", "applies", "edges"}


def test_verdicts_are_whole_numbers() -> None:
    assert Rejudger(scorer.SCORER, cases(0, 3), RUN).correct({}).dtype == np.int64
