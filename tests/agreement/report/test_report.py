"""The report: which rows there are, what they use, what they leave out, and who is compared with whom."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement import STATISTICS, Options, build
from tests.agreement.frames import SCALES, frame, people
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import metrics, stats

Judgement = dict[str, Any]
Rows = list[dict[str, Any]]
KEYS = {
    "suite", "task", "generator", "aspect", "target", "people", "statistic", "value", "low", "high", "n_items", "n_ratings",
    "excluded", "reason", "method",
}  # fmt: skip
QUICK = Options()


def judgement(item: str, rater: str, value: str | float | None, **other: Any) -> Judgement:
    """One row of the frame; a text is a label, a number a number."""
    number = float(value) if isinstance(value, int | float) else np.nan
    label = value if isinstance(value, str) else None
    row = {
        "suite": "s", "task": "t", "generator": "g", "prompt": item, "item": item, "rater": rater, "kind": "human",
        "identity": "person", "simulated": False, "aspect": "correct", "target": None, "label": label, "number": number,
        "seq": 0, "excluded": None,
    }  # fmt: skip
    return row | other


def report(rows: list[Judgement], options: Options = QUICK, **scales: str) -> dict[str, Rows]:
    """Build, check what holds for every report, and give its dict."""
    known = {("s", str(row["aspect"])): scales.get(str(row["aspect"]), "nominal") for row in rows}
    results = json_rows(build(pd.DataFrame(rows), known, options))
    json.dumps(results, allow_nan=False)
    beside = {"rater", "kind", "people_as", "ceiling", "saw_labels"}
    extra = {"among_people": set(), "raters": beside, "matrix": {"a", "b"}, "by_certainty": beside | {"certainty"}}
    for section, made in results.items():
        assert all(set(row) == KEYS | extra[section] for row in made)
        named = Counter(tuple(row[k] for k in sorted(_IDENTIFYING | extra[section])) for row in made)
        assert max(named.values(), default=1) == 1, f"two rows with one key in {section}"
        for row in made:
            assert (row["value"] is None) == (row["reason"] is not None), row
            assert row["low"] is None or row["low"] <= row["high"], row
    return results


_IDENTIFYING = {"suite", "task", "generator", "aspect", "target", "people", "statistic"}


def pick(rows: Rows, statistic: str, **where: Any) -> dict[str, Any]:
    """The one row of a statistic; all tasks and generators unless said otherwise."""
    wanted = {"task": "all", "generator": "all", "people": "real", "statistic": statistic} | where
    records = [row for row in rows if all(row[k] == v for k, v in wanted.items())]
    assert len(records) == 1, (wanted, len(records))
    return records[0]


def answers(texts: dict[str, str], **other: Any) -> list[Judgement]:
    """Rows of {item: "yes yes no"}, one rater for each word."""
    words = {"y": "yes", "n": "no"}
    return [
        judgement(item, f"r{index}", words.get(word, word), seq=index, **other)
        for item, text in texts.items()
        for index, word in enumerate(text.split())
    ]


# --- among people -----------------------------------------------------------------------------------------------------
def test_small_study_by_hand() -> None:
    """y y n | y y | n n n | y: p_a 7/9, Fleiss 1/2, AC1 3/5, alpha 9/16 as in the tests of tables."""
    records = report(answers({"i1": "y y n", "i2": "y y", "i3": "n n n", "i4": "y"}))["among_people"]
    for statistic, value in {"percent_agreement": 7 / 9, "fleiss_kappa": 1 / 2, "gwet_ac1": 3 / 5, "mean": 2 / 3}.items():
        assert pick(records, statistic)["value"] == pytest.approx(value)
    alpha = pick(records, "krippendorff_alpha_nominal")
    assert alpha["value"] == pytest.approx(9 / 16)
    assert (alpha["n_items"], alpha["n_ratings"], alpha["excluded"]) == (3, 8, {"single_rating": 1})
    assert (pick(records, "mean")["n_items"], pick(records, "mean")["n_ratings"], pick(records, "mean")["excluded"]) == (
        4,
        9,
        {},
    )
    # First against rest: y-y y-n | y-y | n-n n-n: 4 of 5.
    assert pick(records, "percent_agreement_first_vs_rest")["value"] == pytest.approx(4 / 5)


def test_which_statistics_a_scale_has() -> None:
    def names(rows: list[Judgement], **scales: str) -> set[str]:
        return {row["statistic"] for row in report(rows, QUICK, **scales)["among_people"]}

    labels = {
        "percent_agreement", "percent_agreement_first_vs_rest", "unanimous_share", "majority_share", "cohen_kappa",
        "cohen_kappa_first_vs_rest", "fleiss_kappa", "gwet_ac1", "pabak", "krippendorff_alpha_nominal",
    }  # fmt: skip
    order = {
        "cohen_kappa_linear", "cohen_kappa_quadratic", "gwet_ac2", "krippendorff_alpha_ordinal", "kendall_tau_b", "spearman",
    }  # fmt: skip
    numbers = {"mean", "pearson", "krippendorff_alpha_interval", "icc_1", "icc_2"}
    assert names(answers({"i": "red blue", "j": "red red"})) == labels
    assert names(answers({"i": "yes no", "j": "yes yes"})) == labels | {"mean"}
    assert names(answers({"i": "low mid", "j": "mid mid"}), correct="ordinal:low<mid<high") == labels | order
    assert names(answers({"i": "1 2", "j": "3 3"}), correct="ordinal:1-3") == labels | order | numbers
    interval = [judgement(i, r, v) for i, r, v in (("i", "a", 0.5), ("i", "b", 0.7), ("j", "a", 3.0), ("j", "b", 2.5))]
    assert names(interval, correct="interval") == numbers | {"kendall_tau_b", "spearman"}


def test_kappa_is_the_mean_over_pairs_of_persons() -> None:
    texts = {f"i{k}": t for k, t in enumerate(["y y n", "n n n", "y n y", "y y y", "n y n", "n n y"])}
    results = pick(report(answers(texts))["among_people"], "cohen_kappa")
    votes = np.array([t.split() for t in texts.values()]).T
    expected = [metrics.cohen_kappa_score(votes[a], votes[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert results["value"] == pytest.approx(np.mean(expected))
    assert "mean over 3 pairs of persons" in results["method"]


def test_pairs_without_a_kappa_are_counted() -> None:
    # r0 and r1 say yes throughout; r2 says both. Kappa of r0 r1 is undefined, of the others 0.
    results = pick(report(answers({"i": "y y y", "j": "y y n"}))["among_people"], "cohen_kappa")
    assert (results["value"], results["excluded"]) == (0.0, {"undefined_pairs": 1})
    alone = pick(report(answers({"i": "y y", "j": "y y"}))["among_people"], "cohen_kappa")
    assert alone["value"] is None
    assert "single label" in alone["reason"]


def test_slots_are_not_persons() -> None:
    rows = answers({"i": "1 2", "j": "3 3", "k": "2 2"}, identity="slot")
    records = report(rows, correct="ordinal:1-3")["among_people"]
    for statistic in ("cohen_kappa", "cohen_kappa_quadratic", "pabak", "spearman"):
        row = pick(records, statistic)
        assert (row["value"], row["low"], row["n_ratings"]) == (None, None, 0)
        assert "slots are not individuals" in row["reason"]
    assert pick(records, "krippendorff_alpha_ordinal")["value"] is not None


def test_excluded_rows_are_only_counted() -> None:
    rows = answers({"i": "y y", "j": "n y"})
    rows += [judgement("i", "r0", "no", excluded="repeat", seq=9), judgement("j", "r9", None, excluded="cannot_tell")]
    rows += [judgement("i", "r1", "no", seq=10), judgement("j", "r8", None)]  # a repeat the caller missed, and no value
    results = pick(report(rows)["among_people"], "percent_agreement")
    assert results["value"] == 0.5
    assert results["excluded"] == {"repeat": 2, "cannot_tell": 1, "no_value": 1}


def test_nothing_left() -> None:
    records = report([judgement("i", "a", "yes", excluded="gold")])["among_people"]
    assert all(row["value"] is None and row["excluded"] == {"gold": 1} for row in records)
    assert pick(records, "mean")["reason"] == "there are no ratings"


def test_levels_keep_their_order() -> None:
    """By alphabet high < low < mid; quadratic kappa and AC2 then change."""
    rows = answers({"i": "low mid", "j": "high high", "k": "mid low", "l": "low low"})
    records = report(rows, correct="ordinal:low<mid<high")["among_people"]
    ranks = ([1, 3, 2, 1], [2, 3, 1, 1])
    assert pick(records, "cohen_kappa_quadratic")["value"] == pytest.approx(
        metrics.cohen_kappa_score(*ranks, weights="quadratic")
    )
    assert pick(records, "spearman")["value"] == pytest.approx(stats.spearmanr(*ranks).statistic)


def test_simulated_people_stand_apart() -> None:
    real = answers({"i": "y y", "j": "n n"})
    imitated = [row | {"rater": f"sim{row['rater']}", "simulated": True, "label": "yes"} for row in real]
    records = report(real + imitated)["among_people"]
    assert pick(records, "percent_agreement")["n_ratings"] == 4
    assert pick(records, "fleiss_kappa")["value"] == 1.0
    assert pick(records, "fleiss_kappa", people="simulated")["value"] is None
    assert {row["people"] for row in report(real)["among_people"]} == {"real"}


# --- cells ------------------------------------------------------------------------------------------------------------
def two_tasks() -> list[Judgement]:
    counting = answers({"a1": "y y", "a2": "n y", "a3": "n n"}, task="counting")
    return counting + answers({"b1": "y y", "b2": "n n"}, task="colors", generator="h") + answers({"c": "y n"}, task=None)


def test_cells_and_the_mean_over_tasks() -> None:
    records = report(two_tasks())["among_people"]
    cells = {(row["generator"], row["task"]) for row in records}
    assert cells == {
        *(("g", t) for t in ("counting", "all", "tasks_mean")), *(("h", t) for t in ("colors", "all", "tasks_mean")),
        *(("all", t) for t in ("counting", "colors", "all", "tasks_mean")),
    }  # fmt: skip
    mean = pick(records, "percent_agreement", task="tasks_mean")
    assert mean["value"] == pytest.approx((2 / 3 + 1) / 2)
    assert (mean["n_items"], mean["n_ratings"]) == (5, 10)
    assert pick(records, "percent_agreement")["n_items"] == 6  # the item without a task is in "all" only
    assert mean["low"] is not None


def test_a_task_without_a_value_leaves_the_mean_undefined() -> None:
    rows = answers({"a": "y y", "b": "n n"}, task="counting") + answers({"c": "y y", "d": "y y"}, task="colors")
    results = pick(report(rows)["among_people"], "fleiss_kappa", task="tasks_mean")
    assert results["value"] is None
    assert "colors" in results["reason"]
    assert "counting" not in results["reason"]


def test_a_study_without_tasks_has_no_mean_over_them() -> None:
    records = report(answers({"a": "y y", "b": "n n"}, task=None, generator=float("nan")))["among_people"]
    assert {(row["generator"], row["task"]) for row in records} == {("all", "all")}


def test_an_item_has_one_task_though_a_row_lacks_it() -> None:
    rows = answers({"a": "y y", "b": "n n"})
    rows[1] |= {"task": None, "generator": None}
    assert pick(report(rows)["among_people"], "percent_agreement", task="t", generator="g")["n_ratings"] == 4


def test_targets_are_pooled_or_apart() -> None:
    rows = answers({"i": "y y", "j": "n n"}, target="dog") + answers({"i": "y n", "j": "n n"}, target="cat")
    pooled = pick(report(rows)["among_people"], "percent_agreement")
    assert (pooled["value"], pooled["n_items"], pooled["n_ratings"], pooled["target"]) == (0.75, 2, 8, None)
    apart = report(rows, Options(by_target=True))["among_people"]
    assert {row["target"] for row in apart} == {"dog", "cat"}
    assert pick(apart, "percent_agreement", target="cat")["value"] == 0.5


def test_suites_are_never_pooled() -> None:
    rows = answers({"i": "y y", "j": "n n"}) + answers({"i": "y n", "j": "n n"}, suite="other")
    scales = {("s", "correct"): "nominal", ("other", "correct"): "nominal"}
    records = json_rows(build(pd.DataFrame(rows), scales, QUICK))["among_people"]
    assert pick(records, "percent_agreement", suite="s")["value"] == 1.0
    assert pick(records, "percent_agreement", suite="other")["value"] == 0.5
    assert {row["suite"] for row in records} == {"s", "other"}
    assert {row["n_items"] for row in records if row["statistic"] == "percent_agreement"} == {2}


# --- scorers and people -----------------------------------------------------------------------------------------------
def scored(values: dict[str, str | float], **other: Any) -> list[Judgement]:
    return [judgement(item, "m", v, kind="scorer", identity=None, **other) for item, v in values.items()]


PEOPLE = {"i1": "y y n", "i2": "n n n", "i3": "y n", "i4": "y y y", "i5": "n n"}


def test_a_scorer_against_each_annotation() -> None:
    own: dict[str, str | float] = {"i1": "yes", "i2": "no", "i3": "yes", "i4": "no", "i9": "yes"}
    records = report(answers(PEOPLE) + scored(own))["raters"]
    row = pick(records, "cohen_kappa")
    people = [w for item in ("i1", "i2", "i3", "i4") for w in PEOPLE[item].split()]
    machine = [str(own[item])[0] for item in ("i1", "i2", "i3", "i4") for _ in PEOPLE[item].split()]
    assert row["value"] == pytest.approx(metrics.cohen_kappa_score(machine, people))
    assert (row["rater"], row["kind"], row["people_as"], row["n_items"], row["n_ratings"]) == ("m", "scorer", "each", 4, 11)
    assert row["excluded"] == {"no_scorer_value": 2, "no_people": 1}
    assert pick(records, "mean")["value"] == 0.5
    assert pick(records, "mean")["people_as"] is None
    share_of_yes = pick(records, "pearson")
    assert share_of_yes["value"] == pytest.approx(stats.pearsonr([1, 0, 1, 0], [2 / 3, 0, 1 / 2, 1]).statistic)
    assert share_of_yes["people_as"] == "mean"


def test_a_scorer_against_the_majority() -> None:
    own: dict[str, str | float] = {"i1": "yes", "i2": "no", "i3": "yes", "i4": "no", "i5": "no"}
    records = report(answers(PEOPLE) + scored(own), Options(people_as="majority"))["raters"]
    row = pick(records, "percent_agreement")
    assert (row["value"], row["n_items"], row["excluded"]) == (0.75, 4, {"tied_majority": 1})  # i3 is tied
    assert {row["statistic"] for row in records}.isdisjoint({"pearson", "spearman"})


def test_a_score_meets_other_aspects() -> None:
    score: dict[str, str | float] = {"i1": 0.9, "i2": 0.1, "i3": 0.4, "i4": 0.8, "i5": 0.4}
    records = report(answers(PEOPLE) + scored(score, aspect="score"), score="interval")["raters"]
    assert {(row["aspect"], row["statistic"]) for row in records} == {
        ("correct", s) for s in ("pearson", "spearman", "kendall_tau_b", "auc")
    }
    shares = [2 / 3, 0, 1 / 2, 1, 0]
    assert pick(records, "spearman")["value"] == pytest.approx(stats.spearmanr(list(score.values()), shares).statistic)
    pooled = [(w == "y", score[item]) for item, text in PEOPLE.items() for w in text.split()]
    assert pick(records, "auc")["value"] == pytest.approx(metrics.roc_auc_score(*zip(*pooled, strict=True)))
    assert pick(records, "auc")["people_as"] == "each"


def test_a_scorer_with_both_a_label_and_a_score_has_one_row_each() -> None:
    both = scored({"i1": "yes", "i2": "no"}) + scored({"i1": 0.3, "i2": 0.2}, aspect="score")
    records = report(answers(PEOPLE) + both, score="interval")["raters"]
    assert pick(records, "pearson")["method"] == pick(records, "spearman")["method"]
    assert pick(records, "auc")["value"] is not None


def test_a_scorer_that_met_nobody() -> None:
    records = report(answers(PEOPLE) + scored({"i9": "yes"}))["raters"]
    assert records
    assert all(row["value"] is None for row in records)


# --- raters two by two ------------------------------------------------------------------------------------------------
def _ten(items: int, **other: Any) -> list[Judgement]:
    rng = np.random.default_rng(0)
    words = {f"i{k:02}": " ".join(rng.choice(["yes", "no"], 2)) for k in range(items)}
    return answers(words, **other) + scored({item: str(rng.choice(["yes", "no"])) for item in words})


def test_matrix_needs_ten_shared_items() -> None:
    assert report(_ten(9))["matrix"] == []
    records = report(_ten(10))["matrix"]
    assert {(row["a"], row["b"]) for row in records} == {("m", "r0"), ("m", "r1"), ("r0", "r1")}
    assert {row["n_items"] for row in records} == {10}
    assert report(_ten(10), Options(matrix=False))["matrix"] == []


def test_matrix_says_why_as_beside_people() -> None:
    same = {f"i{k}": "y" for k in range(10)}
    both = [judgement(i, r, v, kind=kind) for i, v in same.items() for r, kind in (("a", "human"), ("b", "scorer"))]
    results = report(both)
    reasons = {row["statistic"]: row["reason"] for row in results["raters"] if row["task"] == row["generator"] == "all"}
    statistics = ("cohen_kappa", "krippendorff_alpha_nominal", "gwet_ac1")
    assert [pick(results["matrix"], name)["reason"] for name in statistics] == [reasons[name] for name in statistics]


def test_matrix_equals_a_direct_computation() -> None:
    rows = _ten(14)
    wide = pd.DataFrame(rows).pivot_table(index="item", columns="rater", values="label", aggfunc="first")
    records = report(rows)["matrix"]
    for a, b in (("m", "r0"), ("r0", "r1")):
        x, y = (wide[a] == "yes").astype(float), (wide[b] == "yes").astype(float)
        assert pick(records, "cohen_kappa", a=a, b=b)["value"] == pytest.approx(metrics.cohen_kappa_score(x, y))
        assert pick(records, "spearman", a=a, b=b)["value"] == pytest.approx(stats.spearmanr(x, y).statistic)


def test_slots_are_in_no_matrix_and_simulated_pairs_are_marked() -> None:
    assert report(_ten(10, identity="slot"))["matrix"] == []
    rows = _ten(10)
    imitated = [r | {"rater": "z", "simulated": True} for r in rows if r["rater"] == "r1"]
    records = report(rows + imitated)["matrix"]
    assert {row["people"] for row in records if "z" in (row["a"], row["b"])} == {"simulated"}
    assert {row["people"] for row in records if "z" not in (row["a"], row["b"])} == {"real"}


# --- options and contract ---------------------------------------------------------------------------------------------
def test_statistics_are_chosen_by_name() -> None:
    rows = answers({"i": "1 2", "j": "3 3", "k": "2 1"})
    wanted = Options(statistics=("kendall_tau_c", "krippendorff_alpha_ratio"))
    records = report(rows, wanted, correct="ordinal:1-3")["among_people"]
    assert {row["statistic"] for row in records} == set(wanted.statistics or ())
    with pytest.raises(ValueError, match="kappa_of_cohen; known are mean"):
        report(rows, Options(statistics=("kappa_of_cohen",)))


def test_without_intervals() -> None:
    records = report(answers(PEOPLE), Options(intervals=False))["among_people"]
    assert all(row["low"] is None and row["high"] is None and "bootstrap" not in row["method"] for row in records)


def test_one_prompt_has_no_interval() -> None:
    records = report(answers({"i": "y y", "j": "n y"}, prompt="p"))["among_people"]
    row = pick(records, "percent_agreement")
    assert (row["value"], row["low"], row["high"]) == (0.5, None, None)
    assert "one prompt" in row["method"]


def test_an_empty_frame_gives_empty_lists_and_an_incomplete_one_an_error() -> None:
    empty: dict[str, Rows] = {"among_people": [], "raters": [], "matrix": [], "by_certainty": []}
    assert json_rows(build(pd.DataFrame(), {})) == empty
    with pytest.raises(ValueError, match="lacks the columns"):
        build(pd.DataFrame({"suite": ["s"]}), {})
    with pytest.raises(ValueError, match="no scale is given for the aspect 'correct'"):
        build(pd.DataFrame(answers(PEOPLE)), {})


def test_consensus_is_not_a_person() -> None:
    rows = answers(PEOPLE)
    extra = [judgement(item, "consensus", "yes", kind="consensus", identity=None) for item in PEOPLE]
    assert report(rows + extra) == report(rows)


def test_the_order_of_rows_does_not_matter() -> None:
    rows = _ten(12) + [judgement(f"i{k:02}", "s", float(k % 5), kind="scorer", aspect="score") for k in range(12)]
    shuffled = [rows[k] for k in np.random.default_rng(1).permutation(len(rows))]
    assert report(shuffled, score="interval") == report(rows, score="interval")


def test_statistics_come_in_one_order() -> None:
    records = report(answers(PEOPLE))["among_people"]
    names = [row["statistic"] for row in records if (row["generator"], row["task"]) == ("all", "all")]
    assert names == [s for s in STATISTICS if s in names]


def test_the_interval_of_a_mean_on_a_scale_stays_on_the_scale() -> None:
    answers = {f"p{n}": "5 5" for n in range(5)} | {"p5": "2 3"}
    rows = build(frame(people(answers, aspect="faithfulness")), SCALES).among_people
    (mean,) = [row for row in rows if row.statistic == "mean" and (row.task, row.generator) == ("all", "all")]
    assert mean.value is not None
    assert mean.low is not None
    # symmetric on its own scale, and cut at the highest level
    assert mean.high == 5.0
    assert 5.0 - mean.value < mean.value - mean.low
