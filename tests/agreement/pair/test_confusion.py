"""What a click on a pair opens: the table with its items, numbers with midranks, agreement by part and in time, prevalence."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agreement import build
from agreement.estimate import Estimate
from agreement.pair.confusion import PAIR_STATISTICS, pair_report, prevalence
from agreement.reasons import Reason, ReasonCode
from agreement.study.cells import ALL, CellName, Options
from concord.common.reason_sentences import text, worded
from concord.common.wording import percent
from tests.agreement.frames import SCALES, Judgement, frame, judgement, people, scorer, ugly
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import metrics, stats

QUICK = Options()


def met(rows: list[Judgement], a: str, b: str = "people", options: Options = QUICK, **other: Any) -> dict[str, Any]:
    """The pair as plain types, with what holds for each."""
    aspect = other.pop("aspect", "correct")
    report = pair_report(frame(rows), other.pop("scales", SCALES), aspect, a, b, options, **other)
    results: dict[str, Any] = worded(asdict(report))
    results |= json.loads(json.dumps(results, allow_nan=False)) | results.pop("place")
    counted = {(cell["a"], cell["b"]): cell["n"] for cell in results["cells"]}
    labels = results["labels"]
    assert [[counted.get((x, y), 0) for y in labels] for x in labels] == results["table"]
    for part in (results, *results["aspects"], *results["generators"]):
        assert all((each["value"] is None) == (each["reason"] is not None) for each in part["estimates"])
    return results


def value(part: dict[str, Any], statistic: str) -> Any:
    return next(each["value"] for each in part["estimates"] if each["statistic"] == statistic)


PEOPLE = {"i1": "y y n", "i2": "n n", "i3": "y n", "i4": "y", "i5": "n n y"}
SCORER = {"i1": "yes", "i2": "no", "i3": "no", "i4": "no", "i5": "no", "i9": "yes"}


# --- the table --------------------------------------------------------------------------------------------------------
def test_a_table_of_pooled_ratings_by_hand() -> None:
    results = met(people(PEOPLE) + scorer("m", SCORER), "m", options=replace(QUICK, people_as="each"))
    assert results["labels"] == ["yes", "no"]
    # yes on i1 beside y y n; no on the others beside n n, y n, y, n n y.
    assert results["table"] == [[2, 1], [3, 5]]
    items = {(cell["a"], cell["b"]): cell["items"] for cell in results["cells"]}
    assert items == {
        ("yes", "yes"): ["i1"], ("yes", "no"): ["i1"], ("no", "yes"): ["i3", "i4", "i5"], ("no", "no"): ["i2", "i3", "i5"],
    }  # fmt: skip
    assert value(results, "percent_agreement") == pytest.approx(7 / 11)
    assert results["estimates"][0]["excluded"] == {"no_people": 1}


def test_a_table_counts_images_by_majority_unless_answers_are_asked_for() -> None:
    rows = people(PEOPLE) + scorer("m", SCORER)
    # majorities yes, no, none, yes, no; the coefficients keep each answer
    results = met(rows, "m")
    assert results["table"] == [[1, 0], [1, 2]]
    assert value(results, "percent_agreement") == pytest.approx(7 / 11)


def test_a_table_of_majorities_by_hand() -> None:
    results = met(people(PEOPLE) + scorer("m", SCORER), "m", options=Options(people_as="majority"))
    # Majorities yes, no, none, yes, no.
    assert results["table"] == [[1, 0], [1, 2]]
    assert value(results, "percent_agreement") == 3 / 4
    assert results["estimates"][0]["excluded"] == {"no_people": 1, "tied_majority": 1}
    assert [step["n"] for step in results["steps"]] == [1, 1, 1, 1]


def test_a_person_is_not_among_the_people_it_meets() -> None:
    results = met(people(PEOPLE), "r0")
    # r0 beside the others: y: y n | n: n | y: n | n: n y; where they have a majority: n: n | y: n.
    assert results["table"] == [[0, 1], [0, 1]]
    assert "the rater against each rating by the others" in results["estimates"][0]["method"]
    assert results["estimates"][0]["excluded"] == {"not_shared": 1}
    assert met(people(PEOPLE), "r0", "r1")["table"] == [[1, 1], [0, 2]]


def test_the_order_of_labels_is_that_of_the_scale() -> None:
    rows = [
        judgement(f"i{k}", r, v, aspect="size") for k in range(3) for r, v in (("p", "low"), ("q", ["mid", "high", "low"][k]))
    ]
    results = met(rows, "p", "q", aspect="size", scales={("s", "size"): "ordinal:low<mid<high"})
    assert results["labels"] == ["low", "mid", "high"]
    assert results["table"] == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
    named = [row | {"label": {"low": "b", "mid": "a", "high": "c"}[row["label"]]} for row in rows]
    results = met(named, "p", "q", aspect="size", scales={("s", "size"): "nominal"})
    assert results["labels"] == ["b", "a", "c"]  # b is used most; a and c once
    assert results["values"] is None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tables_equal_scikit_learn(seed: int) -> None:
    rows = ugly(seed)
    results = met(rows, "alpha", "beta")
    answers = {(r["rater"], r["item"]): r["label"] for r in rows if r["aspect"] == "correct" and r["excluded"] is None}
    shared = sorted(item for rater, item in answers if rater == "alpha" and ("beta", item) in answers)
    one, two = ([answers[name, item] for item in shared] for name in ("alpha", "beta"))
    assert results["table"] == metrics.confusion_matrix(one, two, labels=["yes", "no"]).tolist()
    for cell in results["cells"]:
        assert cell["items"] == [i for i, x, y in zip(shared, one, two, strict=True) if (x, y) == (cell["a"], cell["b"])]


NUMBERS = ("statistic", "value", "low", "high", "n_items", "n_ratings", "excluded", "reason", "method")


# --- the same digits as the report ------------------------------------------------------------------------------------
@pytest.mark.parametrize("people_as", [None, "majority"])
@pytest.mark.parametrize("place", [CellName(ALL, ALL), CellName(ALL, "t0"), CellName("g0", "t1")])
def test_a_scorer_and_people_have_the_digits_of_the_report(place: CellName, people_as: Any) -> None:
    rows = ugly(4)
    options = Options(statistics=PAIR_STATISTICS, people_as=people_as)
    report = json_rows(build(frame(rows), SCALES, options))["raters"]
    for name, score in (("alpha", False), ("alpha", True), ("gamma", False)):
        results = met(rows, name, options=options, place=place, score=score)
        assert results["by_score"] == (score or name == "gamma")
        for each in results["estimates"]:
            if name == "alpha" and score and each["statistic"] != "auc":
                continue  # the report has these by its labels
            (row,) = [
                row
                for row in report
                if (row["rater"], row["task"], row["generator"], row["aspect"], row["statistic"])
                == (name, place.task, place.generator, "correct", each["statistic"])
            ]
            assert {key: row[key] for key in NUMBERS} == {key: each[key] for key in NUMBERS}
        assert results["estimates"] or people_as == "majority"


def test_two_raters_have_the_digits_of_the_matrix() -> None:
    rows = ugly(5, prompts=20)
    report = json_rows(build(frame(rows), SCALES, Options(statistics=PAIR_STATISTICS)))["matrix"]
    for a, b in (("alpha", "beta"), ("alpha", "r0"), ("r0", "r1")):
        for each in met(rows, a, b)["estimates"]:
            (row,) = [
                row
                for row in report
                if (row["a"], row["b"], row["task"], row["generator"], row["aspect"], row["statistic"])
                == (a, b, "all", "all", "correct", each["statistic"])
            ]
            assert {key: row[key] for key in NUMBERS} == {key: each[key] for key in NUMBERS}
        back = {each["statistic"]: each["value"] for each in met(rows, b, a)["estimates"]}
        assert back == pytest.approx({each["statistic"]: each["value"] for each in met(rows, a, b)["estimates"]})


def test_what_is_undefined_names_the_raters() -> None:
    rows = people({"i1": "y y", "i2": "n y", "i3": "y y"})
    results = met(rows, "r0", "r1")
    assert {each["reason"] for each in results["estimates"] if each["statistic"] == "pearson"} == {"r1 is constant"}
    results = met(rows, "r1")
    assert {each["reason"] for each in results["estimates"] if each["statistic"] == "pearson"} == {"r1 is constant"}
    results = met(rows + scorer("m", {"i9": "yes"}), "m", "r0")
    assert {each["reason"] for each in results["estimates"]} == {"m and r0 share no unit"}
    assert (results["table"], results["cells"], results["steps"], results["aspects"]) == ([[0, 0], [0, 0]], [], [], [])


# --- numbers ----------------------------------------------------------------------------------------------------------
def test_a_score_beside_likert_answers_has_midranks() -> None:
    answers = {"i1": "1 2", "i2": "5", "i3": "2 1", "i4": "4 5 4"}
    rows = people(answers, aspect="faithfulness")
    rows += scorer("m", {"i1": 0.5, "i2": 0.9, "i3": 0.5, "i4": 0.1, "i9": 3.0}, aspect="score")
    results = met(rows, "m", aspect="faithfulness")
    means = [1.5, 5.0, 1.5, 13 / 3]
    values = results["values"]
    assert values["items"] == ["i1", "i2", "i3", "i4"]
    assert values["x"] == [0.5, 0.9, 0.5, 0.1]
    assert values["y"] == pytest.approx(means)
    assert values["rank_x"] == stats.rankdata(values["x"]).tolist() == [2.5, 4.0, 2.5, 1.0]
    assert values["rank_y"] == stats.rankdata(means).tolist()
    assert value(results, "spearman") == pytest.approx(stats.spearmanr(values["x"], means).statistic)
    assert (results["labels"], results["table"], results["steps"], results["prevalence"]) == ([], [], [], None)
    assert value(results["generators"][0], "spearman") == value(results, "spearman")


def test_values_of_targets_stand_apart() -> None:
    rows = [
        judgement("i", r, v, aspect="faithfulness", target=t) for r, t, v in (("p", "a", "1"), ("p", "b", "4"), ("q", "b", "5"))
    ]
    results = met(rows, "p", "q", aspect="faithfulness")
    assert (results["values"]["targets"], results["values"]["x"], results["values"]["y"]) == (["b"], [4.0], [5.0])


# --- by aspect, by generator, in time ---------------------------------------------------------------------------------
def test_agreement_by_aspect_and_generator() -> None:
    rows: list[Judgement] = []
    for k in range(12):
        index = {"generator": "g0" if k < 6 else "g1"}
        for aspect, wrong in (("color", k % 2 == 0), ("position", k >= 6)):
            said = "yes" if k % 3 else "no"
            other = {"yes": "no", "no": "yes"}[said] if wrong else said
            rows.append(judgement(f"i{k:02}", "p", said, aspect=aspect, **index))
            rows += scorer("m", {f"i{k:02}": other}, aspect=aspect, **index)
    rows += scorer("m", {"i00": 2.0, "i01": 1.0}, aspect="score")
    rows.append(judgement("i00", "p", "yes", aspect="quality"))
    scales = {("s", name): "nominal" for name in ("color", "position", "quality")} | {("s", "score"): "interval"}
    results = met(rows, "m", "p", aspect="position", scales=scales)
    parts = {part["name"]: part for part in results["aspects"]}
    assert {name: value(part, "percent_agreement") for name, part in parts.items()} == {"color": 0.5, "position": 0.5}
    by_generator = {part["name"]: value(part, "percent_agreement") for part in results["generators"]}
    assert by_generator == {"g0": 1.0, "g1": 0.0}
    truth = ["yes" if k % 3 else "no" for k in range(12)]
    color = [t if k % 2 else {"yes": "no", "no": "yes"}[t] for k, t in enumerate(truth)]
    assert value(parts["color"], "cohen_kappa") == pytest.approx(metrics.cohen_kappa_score(truth, color))
    assert parts["color"]["estimates"][0]["n_items"] == 12


def test_agreement_over_time_follows_the_person() -> None:
    # In the order of the person's seq the first 30 of 50 agree, whatever the order of the items or of the scorer.
    rows: list[Judgement] = []
    for k in range(50):
        item = f"i{(k * 7) % 50:02}"
        rows.append(judgement(item, "p", "yes", seq=100 + k))
        rows += scorer("m", {item: "yes" if k < 30 else "no"}, seq=1000 - k)
    for a, b in (("m", "people"), ("m", "p"), ("p", "m")):
        steps = met(rows, a, b)["steps"]
        assert len(steps) == 20
        assert {step["n"] for step in steps} == {2, 3}
        assert (steps[0]["first"], steps[-1]["last"], steps[-1]["n_so_far"]) == (100, 149, 50)
        assert [step["value"] for step in steps] == [1.0] * 12 + [0.0] * 8
        assert steps[11]["so_far"] == 1.0
        assert steps[-1]["so_far"] == pytest.approx(30 / 50)
        assert all(one["last"] < two["first"] for one, two in pairwise(steps))


def test_two_persons_meet_when_the_later_one_answers() -> None:
    rows = [judgement("i1", "p", "yes", seq=1), judgement("i1", "q", "yes", seq=9)]
    rows += [judgement("i2", "p", "yes", seq=8), judgement("i2", "q", "no", seq=2)]
    assert [(step["last"], step["value"]) for step in met(rows, "p", "q")["steps"]] == [(8, 0.0), (9, 1.0)]


# --- prevalence -------------------------------------------------------------------------------------------------------
def crossed(table: list[list[int]]) -> dict[str, Any]:
    """Two raters whose table, yes before no, is this one."""
    rows: list[Judgement] = []
    for x, answers in zip(("yes", "no"), table, strict=True):
        for y, times in zip(("yes", "no"), answers, strict=True):
            for _ in range(times):
                item = f"i{len(rows):03}"
                rows += [judgement(item, "p", x), judgement(item, "q", y)]
    content = met(rows, "p", "q")["prevalence"]
    assert isinstance(content, dict)
    return content


def test_the_paradox_is_explained() -> None:
    # 90 of 100 agree; both say yes 94 times: chance 0.94^2 + 0.06^2 = 0.8872; kappa (0.9 - 0.8872) / 0.1128.
    results = crossed([[89, 5], [5, 1]])
    kappa, chance = (0.9 - 0.8872) / 0.1128, 0.8872
    numbers = {each["statistic"]: each["value"] for each in results["coefficients"]}
    ac1 = (0.9 - 2 * 0.94 * 0.06) / (1 - 2 * 0.94 * 0.06)
    assert numbers == pytest.approx({"percent_agreement": 0.9, "cohen_kappa": kappa, "gwet_ac1": ac1, "pabak": 0.8})
    assert (results["yes_a"]["value"], results["yes_b"]["value"]) == (0.94, 0.94)
    assert results["yes_a"]["low"] < 0.94 < results["yes_a"]["high"]
    assert results["paradox"]
    for words in (
        "agree in 90% of cases, yet kappa is only 0.11",
        "94% of their answers are yes",
        f"{chance:.0%}",
        "PABAK 0.80",
    ):
        assert words in results["sentence"]


def test_rare_yes_is_named_as_such() -> None:
    results = crossed([[1, 5], [5, 89]])
    assert "94% of their answers are no" in results["sentence"]
    assert "the few yes answers" in results["sentence"]


@pytest.mark.parametrize(
    "table",
    [
        [[45, 5], [5, 45]],  # balanced: kappa 0.8 = PABAK
        [[30, 20], [20, 30]],  # low agreement is low agreement
        [[10, 0], [0, 10]],
        [[70, 8], [7, 15]],  # kappa somewhat below PABAK
        [[60, 20], [15, 5]],  # kappa low, but agreement is not high either
    ],
)
def test_nothing_is_alarming_otherwise(table: list[list[int]]) -> None:
    results = crossed(table)
    assert not results["paradox"]
    assert "paradox" not in results["sentence"]
    assert "only" not in results["sentence"]
    assert results["sentence"].startswith("p and q agree in ")


def test_an_undefined_kappa_is_explained() -> None:
    results = crossed([[7, 0], [0, 0]])
    assert results["sentence"].startswith("p and q agree in 100% of cases, as both always say yes. Kappa is undefined")
    assert not results["paradox"]
    nothing = Estimate(statistic="x", reason=Reason(ReasonCode.NOTHING_SHARED))
    assert text(prevalence("p", "q", nothing, nothing, ()).sentence) == "p and q share no judgement."


def test_agreement_on_passes_and_on_fails() -> None:
    results = crossed([[30, 20], [10, 40]])
    passes, fails = results["passes"], results["fails"]
    # rows are p's, yes first: q says yes 40 times, of which p does 30
    assert (passes["value"], passes["n_ratings"]) == (30 / 40, 40)
    assert (fails["value"], fails["n_ratings"]) == (40 / 60, 60)
    assert passes["low"] < 0.75 < passes["high"]
    whole = crossed([[7, 0], [0, 0]])
    assert whole["passes"]["value"] == 1
    assert whole["passes"]["low"] < 0.7
    assert whole["fails"]["value"] is None
    assert whole["fails"]["reason"]


def test_shares_are_rounded_honestly() -> None:
    assert [percent(v) for v in (0.0, 1.0, 0.5, 0.996, 0.0004, 0.9999999)] == [
        "0%",
        "100%",
        "50%",
        "99.6%",
        "0.04%",
        "almost all",
    ]


# --- edges ------------------------------------------------------------------------------------------------------------
def test_simulated_people_are_met_apart() -> None:
    rows = people(PEOPLE) + scorer("m", SCORER)
    rows += [judgement("i1", "z", "no", simulated=True)]
    assert met(rows, "m", simulated=True)["table"] == [[0, 1], [0, 0]]
    assert met(rows, "m")["table"] == [[1, 0], [1, 2]]


def test_unknown_names_are_errors_that_name_them() -> None:
    rows = people(PEOPLE) + scorer("m", SCORER)
    with pytest.raises(ValueError, match="has no rater 'nobody'"):
        met(rows, "nobody")
    with pytest.raises(ValueError, match="do not both have judgements of 'color'"):
        met(rows, "m", aspect="color")
    with pytest.raises(ValueError, match="has two raters called 'm'"):
        met([*rows, judgement("i1", "m", "yes")], "m")
    with pytest.raises(ValueError, match="has no generator 'h'"):
        met(rows, "m", place=CellName("h", ALL))
    with pytest.raises(ValueError, match="one suite, not of 0"):
        met([], "m")


def test_the_order_of_rows_changes_nothing() -> None:
    rows = ugly(6)
    shuffled = [rows[k] for k in np.random.default_rng(0).permutation(len(rows))]
    assert met(rows, "alpha") == met(shuffled, "alpha")
