"""Consensuses as raters of the report: against people who are taken out of the frame, and against other rows of the report."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement import CONSENSUSES, Options, build, consensus_rows
from agreement.consensus import methods
from agreement.consensus.methods import UNPAIRED
from agreement.consensus.report import BY_TARGET
from agreement.reasons import Reason, ReasonCode
from concord.common.reason_sentences import text
from tests.agreement.crowd_samples import DawidSkene
from tests.agreement.frames import SCALES, Judgement, frame, judgement, people, scorer, ugly
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import metrics

POINT = Options(intervals=False)
Row = dict[str, Any]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models far from their end serve here: what they should say is asked elsewhere. No test is given another's fit."""
    monkeypatch.setattr(methods, "RESTARTS", 1)
    monkeypatch.setattr(methods, "STEPS", 10)
    methods._fitted.cache_clear()


def report(rows: list[Judgement], *methods: str, options: Options = POINT, **scales: str) -> dict[str, list[Row]]:
    known = SCALES | {("s", aspect): scale for aspect, scale in scales.items()}
    return json_rows(consensus_rows(frame(rows), known, methods or ("majority",), options))  # type: ignore[arg-type]


def met(results: dict[str, list[Row]], a: str, b: str, statistic: str, **place: str) -> Row | None:
    """The row of two raters, in whichever order; over everything unless said otherwise."""
    where = {"task": "all", "generator": "all"} | place
    rows = [
        row
        for row in results["matrix"]
        if {row["a"], row["b"]} == {a, b} and row["statistic"] == statistic and all(row[k] == v for k, v in where.items())
    ]
    assert len(rows) <= 1
    return rows[0] if rows else None


def crowded(seed: int, items: int = 30) -> list[Judgement]:
    """Four persons of unequal skill and two scorers, yes or no, with holes."""
    rng = np.random.default_rng(seed)
    rows: list[Judgement] = []
    for n in range(items):
        index = {"prompt": f"p{n // 2:02}", "task": f"t{n % 2}", "generator": f"g{n % 3}"}
        truth = rng.random() < 0.6
        for rater, skill in (("Ann", 0.95), ("Ben", 0.8), ("Cleo", 0.7), ("Dan", 0.5)):
            if rng.random() < 0.8:
                rows.append(
                    judgement(f"i{n:02}", rater, "yes" if truth == (rng.random() < skill) else "no", seq=len(rows), **index)
                )
        for name, skill in (("alpha", 0.9), ("beta", 0.6)):
            rows += scorer(name, {f"i{n:02}": "yes" if truth == (rng.random() < skill) else "no"}, seq=len(rows), **index)
    return rows


def votes(rows: list[Judgement], without: str = "") -> dict[str, str]:
    """What more than half of the people say of each item."""
    data_frame = pd.DataFrame([r for r in rows if r["kind"] == "human" and r["rater"] != without and r["excluded"] is None])
    results = {}
    for item, part in data_frame.groupby("item"):
        counts = part["label"].value_counts()
        if 2 * counts.iloc[0] > counts.sum():
            results[str(item)] = str(counts.index[0])
    return results


@pytest.mark.parametrize("seed", [1])
def test_a_scorer_beside_the_majority_is_as_people_as_majority(seed: int) -> None:
    rows = ugly(seed, prompts=20)
    made = report(rows)
    known = json_rows(build(frame(rows), SCALES, Options(intervals=False, people_as="majority")))["raters"]
    compared = 0
    for row in known:
        # a task in which they share fewer than ten items has no row, and the mean over tasks no value
        if row["task"] == "tasks_mean":
            continue
        other = met(made, row["rater"], "consensus:majority", row["statistic"], task=row["task"], generator=row["generator"])
        if other and row["aspect"] == "correct" and row["value"] is not None and row["people_as"] == "majority":
            assert other["value"] == pytest.approx(row["value"], abs=1e-12)
            assert other["n_items"] == row["n_items"]
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("place", [{}, {"task": "t1"}])
def test_a_person_meets_the_majority_of_the_others(seed: int, place: dict[str, str]) -> None:
    rows = crowded(seed)
    made = report(rows)
    inside = [r for r in rows if all(r[k] == v for k, v in place.items())]
    for person in ("Ann", "Ben", "Cleo", "Dan"):
        others = votes(inside, without=person)
        mine = {r["item"]: r["label"] for r in inside if r["rater"] == person and r["item"] in others}
        pairs = [(label, others[item]) for item, label in mine.items()]
        kappa, same = (met(made, person, "consensus:majority", name, **place) for name in ("cohen_kappa", "percent_agreement"))
        if len(pairs) < 10:
            assert kappa is None
            continue
        assert kappa is not None
        assert same is not None
        assert kappa["value"] == pytest.approx(metrics.cohen_kappa_score(*zip(*pairs, strict=True)))
        assert same["value"] == pytest.approx(np.mean([a == b for a, b in pairs]))
        assert (same["n_items"], same["kind"]) == (len(pairs), "consensus")
        assert "the others' answers" in same["method"]
        quality = next(r for r in made["quality"] if r["rater"] == person)
        if not place:
            assert (quality["value"], quality["n_ratings"]) == (same["value"], len(pairs))
            alone = sum(r["rater"] == person for r in rows) - len(pairs)
            assert quality["excluded"] == ({"no_consensus": alone} if alone else {})


def test_a_person_meets_a_model_by_the_others_answers() -> None:
    rows = crowded(0, items=14)
    made = report(rows, "dawid_skene")
    answers = [(r["item"], r["rater"], r["label"]) for r in rows if r["kind"] == "human"]
    again = DawidSkene(answers)
    for person in ("Ann", "Dan"):
        pairs = []
        for item, rater, label in answers:
            others = [one for one in answers if one[0] == item and one[1] != rater]
            if rater == person and others:
                belief = again.belief(others)
                pairs.append((label, max(belief, key=lambda k: belief[k])))
        row = met(made, person, "consensus:dawid_skene", "percent_agreement")
        assert row is not None
        assert row["value"] == pytest.approx(np.mean([a == b for a, b in pairs]))
        assert row["n_items"] == len(pairs)
        assert "estimated with the person's answers, too" in row["method"]
        quality = next(r for r in made["quality"] if r["rater"] == person)
        assert quality["value"] == pytest.approx(again.accuracy(person), abs=1e-6)
        assert (quality["low"], quality["n_ratings"]) == (None, sum(rater == person for _, rater, _ in answers))
        assert "no interval" in quality["method"]


def test_beside_people_each_answer_meets_the_others() -> None:
    #          without each answer: a: y y -> y; tie, tie.  b: all y.  c: alone.  d: n n n n -> each n, n, n, and y meets n
    rows = people({"a": "y y n", "b": "y y", "c": "y", "d": "n n n y"})
    made = {row["statistic"]: row for row in report(rows)["raters"] if (row["task"], row["generator"]) == ("all", "all")}
    same = made["percent_agreement"]
    # a: n against y; b: 2 of 2; d: 3 of n against n n y (n), y against n
    assert (same["value"], same["n_ratings"], same["n_items"]) == (pytest.approx(5 / 7), 7, 3)
    assert same["excluded"] == {"no_consensus": 3}
    assert (same["rater"], same["kind"], same["people_as"]) == ("consensus:majority", "consensus", "each")
    # the consensus itself: y y y n
    assert (made["mean"]["value"], made["mean"]["n_items"]) == (3 / 4, 4)
    assert not {"pearson", "spearman", "kendall_tau_b"} & set(made)


def test_only_answers_that_count_enter() -> None:
    rows = people({f"i{n}": "y y n" for n in range(12)})
    more = [
        judgement(f"i{n}", f"x{k}", "no", excluded=why)
        for n in range(12)
        for k, why in enumerate(("gold", "saw_evidence", "training"))
    ]
    again = [judgement(f"i{n}", "r0", "no", seq=9) for n in range(12)]  # a repeat
    plain, full = report(rows), report(rows + more + again)
    assert [row["value"] for row in plain["matrix"]] == [row["value"] for row in full["matrix"]]
    assert [row["value"] for row in plain["raters"]] == [row["value"] for row in full["raters"]]
    assert full["raters"][0]["excluded"]["repeat"] == 12
    assert full["raters"][0]["excluded"]["gold"] == 12
    assert not any(row["rater"].startswith("x") for row in full["quality"])


def test_simulated_people_have_a_consensus_of_their_own() -> None:
    real = crowded(1)
    bots = [row | {"rater": f"bot {row['rater']}", "simulated": True, "label": "yes"} for row in real if row["kind"] == "human"]
    alone, both = report(real), report(real + bots)
    for section in ("raters", "matrix", "quality"):
        assert [row for row in both[section] if row["people"] == "real"] == alone[section]
    simulated = [row for row in both["raters"] if row["people"] == "simulated"]
    assert {row["rater"] for row in simulated} == {"consensus:majority:simulated"}
    assert {row["value"] for row in simulated if row["statistic"] == "mean"} == {1.0}
    pairs = {(row["a"], row["b"]) for row in both["matrix"] if row["people"] == "simulated"}
    assert all("consensus:majority:simulated" in pair for pair in pairs)
    assert not any(name in pair for name in ("Ann", "consensus:majority") for pair in pairs)


@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_slots_have_no_model(method: str) -> None:
    rows = people({f"i{n}": "y y n" for n in range(12)}, identity="slot")
    made = report(rows, method)
    assert {row["value"] for row in made["raters"]} == {None}
    assert {row["reason"] for row in made["raters"] if row["task"] != "tasks_mean"} == {
        text(Reason(ReasonCode.SLOTS_HAVE_NO_MODEL, model=method))
    }
    assert made["quality"] == made["matrix"] == []
    by_majority = report(rows)
    assert next(r for r in by_majority["raters"] if r["statistic"] == "percent_agreement")["value"] == 0  # n meets y y; y a tie
    assert by_majority["quality"] == []


def test_slots_beside_persons_are_left_out_of_a_model() -> None:
    rows = crowded(0)
    slots = people({row["item"]: "n" for row in rows}, identity="slot", prompt="p", task="t0", generator="g0")
    slots = [row | {"rater": "slot 1"} for row in slots]
    remaining = {r["statistic"]: r for r in report(rows, "dawid_skene")["quality"] if r["rater"] == "Ann"}
    with_slots = report(rows + slots, "dawid_skene")
    assert next(r for r in with_slots["quality"] if r["rater"] == "Ann")["value"] == remaining["expected_accuracy"]["value"]
    assert with_slots["raters"][0]["excluded"]["slot"] > 0


def test_choices_have_a_model_for_each_question() -> None:
    rows = []
    for n in range(12):
        for target, labels in (("q1", "red blue red"), ("q2", "dog cat cat")):
            rows += people({f"i{n}": labels}, aspect="answer", target=target)
    made = report(rows, "dawid_skene", answer="nominal")
    assert {row["reason"] for row in made["quality"]} == {text(BY_TARGET)}
    by_target = report(rows, "majority", "dawid_skene", answer="nominal", options=Options(intervals=False, by_target=True))
    assert {row["target"] for row in by_target["quality"]} == {"q1", "q2"}
    known = {(r["target"], r["rater"]): r["value"] for r in by_target["quality"] if r["statistic"] == "expected_accuracy"}
    assert all(value is not None for value in known.values())


def test_targets_of_yes_and_no_share_a_model() -> None:
    rng = np.random.default_rng(3)
    answers = {f"i{n}": " ".join("y" if rng.random() < 0.5 + 0.4 * (n % 2) else "n" for _ in range(3)) for n in range(30)}
    one = people(answers, aspect="present", target="cow")
    two = [row | {"target": "dog"} for row in people(answers, aspect="present")]
    pooled = report(one + two, "dawid_skene", present="nominal")
    parted = report(one + two, "dawid_skene", present="nominal", options=Options(intervals=False, by_target=True))
    values = {row["rater"]: row["value"] for row in pooled["quality"]}
    assert {row["target"] for row in parted["quality"]} == {"cow", "dog"}
    for row in parted["quality"]:
        assert row["value"] == pytest.approx(values[row["rater"]])  # the same answers twice


def test_numbers_have_no_consensus() -> None:
    rows = [judgement(f"i{n}", f"r{k}", n * 0.1, aspect="score") for n in range(12) for k in range(3)]
    assert report(rows, *CONSENSUSES) == {"raters": [], "matrix": [], "quality": []}


def test_no_two_answers_about_the_same() -> None:
    rows = [judgement(f"i{n}", f"r{n % 2}", "yes") for n in range(12)]
    made = report(rows, "dawid_skene")
    assert {row["reason"] for row in made["raters"] if row["task"] != "tasks_mean"} == {text(UNPAIRED)}
    assert {row["reason"] for row in made["quality"]} == {text(UNPAIRED)}


def test_ordinal_labels_and_intervals() -> None:
    rng = np.random.default_rng(0)
    levels = {
        f"i{n:02}": " ".join(str(min(5, max(1, 1 + n % 5 + int(rng.integers(-1, 2))))) for _ in range(3)) for n in range(25)
    }
    rows = people(levels, aspect="faithfulness")
    made = report(rows, *CONSENSUSES, options=Options())
    beside = {(row["rater"], row["statistic"]): row for row in made["raters"] if row["generator"] == row["task"] == "all"}
    alpha = beside["consensus:mace", "krippendorff_alpha_interval"]
    assert alpha["low"] <= alpha["value"] <= alpha["high"]
    assert "not without each prompt" in alpha["method"]
    rho = met(made, "r0", "consensus:majority", "spearman")
    assert rho is not None
    assert rho["low"] < rho["value"] < rho["high"]
    same = next(r for r in made["quality"] if r["statistic"] == "percent_agreement")
    assert same["low"] <= same["value"] <= same["high"]


def test_the_order_of_rows_and_a_second_run_change_nothing() -> None:
    rows = crowded(4, items=12)
    whole = Options(intervals=False, each_generator=False)
    first = report(rows, *CONSENSUSES, options=whole)
    methods._fitted.cache_clear()
    assert report(rows[::-1], *CONSENSUSES, options=whole) == first
    with pytest.raises(ValueError, match="unknown consensus median"):
        report(rows, "median")
    assert report([], *CONSENSUSES) == {"raters": [], "matrix": [], "quality": []}
