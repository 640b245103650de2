"""Scorer against scorer: paired differences, their p, Holm and McNemar, against other implementations and by hand."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement.inference import hypothesis_tests
from agreement.inference.hypothesis_tests import holm, mcnemar_exact
from agreement.report.scorer_vs_scorer import comparisons
from agreement.study.cells import Options
from concord.common.estimate_json import estimate_json
from tests.agreement import reference_implementations
from tests.agreement.frames import SCALES, Judgement, frame, judgement, people, scorer, ugly
from tests.agreement.oracles import contingency_tables, metrics, multitest, stats

KEYS = {
    "suite", "task", "generator", "aspect", "target", "people", "statistic", "a", "b", "value", "low", "high", "p", "p_holm",
    "n_items", "n_ratings", "excluded", "reason", "method", "mcnemar", "people_as", "value_a", "value_b",
}  # fmt: skip
QUICK = Options(each_generator=False)


def compared(rows: list[Judgement], options: Options = QUICK) -> list[dict[str, Any]]:
    """Every row, with what must hold for each of them."""
    records = [estimate_json("comparisons", each) for each in comparisons(frame(rows), SCALES, options)]
    json.dumps(records, allow_nan=False)
    identity = ("suite", "task", "generator", "aspect", "target", "people", "statistic", "a", "b")
    assert len({tuple(row[name] for name in identity) for row in records}) == len(records)
    for row in records:
        assert set(row) == KEYS
        assert (row["value"] is None) == (row["reason"] is not None)
        assert (row["p"] is None) == (row["p_holm"] is None)
        assert row["low"] is None or row["low"] < row["value"] < row["high"]
        assert row["p"] is None or 0 < row["p"] <= row["p_holm"] <= 1
        assert row["a"] < row["b"]
    return records


def pick(records: list[dict[str, Any]], statistic: str, **where: Any) -> dict[str, Any]:
    wanted = {"task": "all", "generator": "all", "people": "real", "statistic": statistic} | where
    rows = [row for row in records if all(row[k] == v for k, v in wanted.items())]
    assert len(rows) == 1, (wanted, len(rows))
    return rows[0]


# --- by hand ----------------------------------------------------------------------------------------------------------
def test_a_small_comparison_by_hand() -> None:
    answers = people({"i1": "y y n", "i2": "n n", "i3": "y n", "i4": "y", "i5": "y y", "i6": "n n n"})
    a = scorer("a", {"i1": "yes", "i2": "no", "i3": "yes", "i4": "yes", "i5": "no", "i9": "yes"})
    b = scorer("b", {"i1": "no", "i2": "no", "i3": "yes", "i4": "no", "i6": "no", "i5": "no"})
    records = compared(answers + a + b)
    row = pick(records, "percent_agreement", a="a", b="b")
    # Both judged i1 to i5, ten ratings. a: 2 of 3, 2 of 2, 1 of 2, 1 of 1, 0 of 2 = 6; b: 1, 2, 1, 0, 0 = 4.
    assert (row["value_a"], row["value_b"], row["value"]) == pytest.approx((6 / 10, 4 / 10, 2 / 10))
    assert (row["n_items"], row["n_ratings"], row["people_as"]) == (5, 10, "each")
    # i6 has three ratings and no judgement by a; i9 of a has no ratings.
    assert row["excluded"] == {"no_scorer_value": 3, "no_people": 1}
    # Majorities: yes, no, none, yes, yes. a is right on i1, i2, i4; b on i2 only: 2 to 0, p = 2 (1/2)^2; one task is one test.
    assert row["mcnemar"] == {
        "both_right": 1, "only_a_right": 2, "only_b_right": 0, "both_wrong": 1, "p_mcnemar": 0.5, "p_mcnemar_holm": 0.5,
    }  # fmt: skip
    assert pick(records, "cohen_kappa", a="a", b="b")["mcnemar"] == row["mcnemar"]
    assert pick(records, "pearson", a="a", b="b")["mcnemar"] is None


def test_holm_by_hand_and_without_tests() -> None:
    # 0.01 * 3, then 0.03 * 2, then 0.04 * 1 raised to what came before.
    assert holm([0.01, 0.04, None, 0.03]) == pytest.approx([0.03, 0.06, None, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    assert holm([None]) == [None]


def test_holm_equals_statsmodels(monkeypatch: pytest.MonkeyPatch) -> None:
    # statsmodels collects garbage at every call: of a whole test run's, that is a second each
    monkeypatch.setattr(gc, "collect", lambda *_: 0)
    p = np.round(np.random.default_rng(5).random(16) ** 3, 2)  # many ties, some 0
    assert holm(p.tolist()) == pytest.approx(multitest.multipletests(p, method="holm")[1], abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (3, 0), (2, 2), (1, 8), (17, 30), (250, 200)])
def test_mcnemar_equals_statsmodels(a: int, b: int) -> None:
    assert mcnemar_exact(a, b) == pytest.approx(contingency_tables.mcnemar([[5, a], [b, 7]], exact=True).pvalue, abs=1e-12)


def test_mcnemar_without_discordant_units_is_one() -> None:
    assert mcnemar_exact(0, 0) == 1.0


# --- against a loop that leaves out and swaps prompts ------------------------------------------------------------------------
Pairs = list[tuple[Any, Any]]


def kappa(units: list[Pairs]) -> float:
    mine, theirs = zip(*[pair for unit in units for pair in unit], strict=True)
    return float("nan") if len({*mine, *theirs}) < 2 else float(metrics.cohen_kappa_score(mine, theirs))


def percent(units: list[Pairs]) -> float:
    return float(np.mean([m == t for unit in units for m, t in unit]))


def of_means(statistic: Callable[..., Any]) -> Callable[[list[Pairs]], float]:
    def value(units: list[Pairs]) -> float:
        mine = [unit[0][0] for unit in units]
        theirs = [sum(t for _, t in unit) / len(unit) for unit in units]
        if len(set(mine)) < 2 or len(set(theirs)) < 2:
            return float("nan")
        return float(statistic(mine, theirs).statistic)

    return value


def area(units: list[Pairs]) -> float:
    mine, theirs = zip(*[pair for unit in units for pair in unit], strict=True)
    return float("nan") if len(set(theirs)) < 2 else float(metrics.roc_auc_score(theirs, mine))


NAIVE = {
    "percent_agreement": percent,
    "cohen_kappa": kappa,
    "spearman": of_means(stats.spearmanr),
    "pearson": of_means(stats.pearsonr),
    "kendall_tau_b": of_means(stats.kendalltau),
    "auc": area,
}


def used(table: pd.DataFrame, name: str, statistic: str) -> dict[str, float]:
    aspect = "score" if statistic == "auc" or name == "gamma" else "correct"
    mine = table[(table["rater"] == name) & (table["aspect"] == aspect)]
    return dict(zip(mine["item"], mine["number"] if aspect == "score" else mine["label"] == "yes", strict=True))


Units = dict[str, list[tuple[str, list[bool]]]]


def units_of(table: pd.DataFrame, first: dict[str, float], second: dict[str, float]) -> Units:
    """What people say of the items that both judged, by prompt."""
    theirs = table[(table["kind"] == "human") & table["excluded"].isna()]
    theirs = theirs[theirs["item"].isin(set(first) & set(second))]
    return {
        str(prompt): [(str(item), [said == "yes" for said in rows["label"]]) for item, rows in mine.groupby("item")]
        for prompt, mine in theirs.groupby("prompt")
    }


def less(statistic: str, units: Units, first: dict[str, float], second: dict[str, float]) -> float:
    """The difference of the two scorers over some prompts."""
    flat = [unit for of in units.values() for unit in of]
    one, two = ([[(mine[item], answer) for answer in answers] for item, answers in flat] for mine in (first, second))
    return NAIVE[statistic](one) - NAIVE[statistic](two)


@pytest.mark.parametrize(("task", "seed"), [("all", 1), ("t0", 2)])
def test_differences_equal_a_loop_that_leaves_prompts_out(seed: int, task: str) -> None:
    rows = ugly(seed)
    records = compared(rows, QUICK)
    table = frame(rows)
    table = table if task == "all" else table[table["task"] == task]
    checked = 0
    for row in records:
        if row["task"] != task or row["statistic"] not in NAIVE or row["aspect"] != "correct":
            continue
        statistic = row["statistic"]
        first, second = used(table, row["a"], statistic), used(table, row["b"], statistic)
        units = units_of(table, first, second)
        assert row["value"] == pytest.approx(less(statistic, units, first, second), abs=1e-9)
        without = [less(statistic, {p: of for p, of in units.items() if p != out}, first, second) for out in units]
        assert (row["low"], row["high"]) == pytest.approx(reference_implementations.jackknife(row["value"], without), abs=1e-9)
        checked += 1
    # alpha-beta: two of labels and three correlations; with gamma the correlations, and the area for alpha-gamma.
    assert checked == 5 + 3 + 3 + 1


def test_p_equals_a_loop_that_swaps_prompts() -> None:
    """All swaps of few prompts, with ranks (in deviations for Pearson's r) in place of the scorers' numbers."""
    rows = [row for row in ugly(1) if int(row["prompt"][1:]) < 8]
    table = frame(rows)
    checked = set()
    for row in compared(rows, QUICK):
        statistic = row["statistic"]
        if row["task"] != "all" or statistic not in NAIVE or row["aspect"] != "correct" or row["p"] is None:
            continue
        first, second = used(table, row["a"], statistic), used(table, row["b"], statistic)
        units = units_of(table, first, second)
        items = [item for of in units.values() for item, _ in of]
        scaled = {"pearson": stats.zscore, "spearman": stats.rankdata, "kendall_tau_b": stats.rankdata}.get(statistic)
        if scaled:
            first, second = (dict(zip(items, scaled([mine[i] for i in items]), strict=True)) for mine in (first, second))
        if statistic in ("spearman", "auc"):
            # ranks stay as they are given: they are not ranked again after a swap
            continue
        differences = []
        for swapped in product((False, True), repeat=len(units)):
            moved = {item for of, swap in zip(units.values(), swapped, strict=True) for item, _ in of if swap}
            entry = {item: (second if item in moved else first)[item] for item in items}
            two = {item: (first if item in moved else second)[item] for item in items}
            differences.append(less(statistic, units, entry, two))
        large = [not abs(d) < abs(differences[0]) - 1e-9 for d in differences]
        assert row["p"] == pytest.approx(np.mean(large), abs=1e-12), (statistic, row["a"], row["b"])
        checked.add(statistic)
    assert checked == {"percent_agreement", "cohen_kappa", "pearson", "kendall_tau_b"}


def test_ranks_are_swapped_as_they_are() -> None:
    """Spearman's rho is Pearson's r of ranks: by hand on two scorers' ranks."""
    rng = np.random.default_rng(3)
    prompt, n = np.repeat(np.arange(6), 3), 18
    yes = rng.integers(0, 2, n)
    a, b = (stats.rankdata(yes + rng.normal(size=n) * spread) for spread in (0.5, 2.0))
    difference = hypothesis_tests.pearson_difference(a, b, stats.rankdata(yes), prompt, 6)
    flips = np.array([*product((0, 1), repeat=6)])
    swapped = [(np.where(f[prompt], b, a), np.where(f[prompt], a, b)) for f in flips]
    expected = [np.subtract(*(np.corrcoef(x, stats.rankdata(yes))[0, 1] for x in both)) for both in swapped]
    assert difference(flips.astype(float)) == pytest.approx(expected, abs=1e-12)


def test_what_a_prompt_adds_to_a_difference_of_areas_is_delongs() -> None:
    """For each yes its place among all no, for each no among all yes, pair by pair; two answers on an image count twice."""
    rng = np.random.default_rng(3)
    prompt, n = np.repeat(np.arange(6), 3), 18
    yes, no = (rng.integers(0, 3, n) for _ in range(2))
    a, b = (np.round(yes - no + rng.normal(size=n) * spread) for spread in (0.5, 3.0))
    adds, whole = np.zeros(6), 0.0
    wins = [[(x[i] > x[j]) + 0.5 * (x[i] == x[j]) for x in (a, b)] for i in range(n) for j in range(n)]
    apart = np.array([first - second for first, second in wins]).reshape(n, n)
    whole = float(yes @ apart @ no) / (yes.sum() * no.sum())
    for i in range(n):
        adds[prompt[i]] += yes[i] * (apart[i] @ no / no.sum() - whole) / yes.sum()
        adds[prompt[i]] += no[i] * (yes @ apart[:, i] / yes.sum() - whole) / no.sum()
    flips = np.array([*product((0, 1), repeat=6)], float)
    difference = hypothesis_tests.auc_difference(a, b, yes.astype(float), no.astype(float), prompt, 6)(flips)
    assert difference == pytest.approx((1 - 2 * flips) @ (adds + whole / 6), abs=1e-12)
    assert difference[0] == pytest.approx(whole)


def test_p_of_two_areas_says_what_their_interval_says() -> None:
    """Five images with a yes and fifteen with a no, one a prompt: `a` puts every yes first, `b` every other one last."""
    items = {f"i{k:02}": "yes" if k < 5 else "no" for k in range(20)}
    rows = [judgement(item, "r", said) for item, said in items.items()]
    rows += scorer("a", {item: 20 - k for k, item in enumerate(items)}, aspect="score")
    rows += scorer("b", {item: (7 * k) % 20 for k, item in enumerate(items)}, aspect="score")
    (row,) = (row for row in compared(rows, Options(("auc",))) if row["task"] == "all" and row["generator"] == "all")
    assert row["low"] > 0
    assert row["p"] < 0.05


def test_three_prompts_cannot_be_significant() -> None:
    """One scorer always right, the other always wrong: 2 of the 8 swaps are as far apart."""
    answers = {f"i{n}": "y y y" if n % 2 else "n n n" for n in range(6)}
    right = {item: "yes" if words[0] == "y" else "no" for item, words in answers.items()}
    wrong = {item: "no" if label == "yes" else "yes" for item, label in right.items()}
    rows = [
        row | {"prompt": f"p{int(row['item'][1:]) // 2}"} for row in people(answers) + scorer("S", right) + scorer("T", wrong)
    ]
    (results,) = [row for row in compared(rows) if row["statistic"] == "percent_agreement" and row["task"] == "all"]
    assert (results["value"], results["p"]) == (1.0, 0.25)
    # no prompt differs from another: nothing tells how much others would
    assert (results["low"], results["high"]) == (None, None)


def test_a_scorer_that_saw_the_labels_has_no_p() -> None:
    answers = {f"i{n}": "y y n" if n % 2 else "n n y" for n in range(12)}
    own = {item: "yes" if int(item[1:]) % 3 else "no" for item in answers}
    rows = people(answers) + scorer("S", dict.fromkeys(answers, "yes")) + scorer("T", own)
    tuned = frame(rows).assign(saw_labels=lambda judgements: judgements["rater"] == "T")
    for row in (estimate_json("comparisons", each) for each in comparisons(tuned, SCALES, QUICK)):
        assert (row["p"], row["p_holm"], row["mcnemar"]) == (None, None, None)
        assert "no p, as the settings of T were chosen with these people's labels in view" in row["method"]
    assert any(row["p"] is not None for row in compared(rows))


@pytest.mark.parametrize("statistic", ["auc", "spearman"])
def test_p_and_the_interval_are_seldom_at_odds(statistic: str) -> None:
    """Two scorers of unlike quality in 60 studies of twenty prompts: p below .05 and an interval without 0 go together."""
    odd = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        true = {f"i{k:02}": bool(rng.random() < 0.5) for k in range(40)}
        rows = [judgement(item, "r", "yes" if yes else "no") for item, yes in true.items()]
        for name, noise in (("a", 0.6), ("b", 1.6)):
            rows += scorer(name, {item: yes + noise * rng.normal() for item, yes in true.items()}, aspect="score")
        rows = [row | {"prompt": f"p{int(row['item'][1:]) // 2}"} for row in rows]
        (row,) = (each for each in compared(rows, Options((statistic,))) if each["task"] == each["generator"] == "all")
        odd += row["low"] is not None and (row["p"] < 0.05) != (row["low"] > 0 or row["high"] < 0)
    assert odd < 6


def test_p_is_corrected_within_its_family_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # statsmodels collects garbage at every call: of a whole test run's, that is a second each
    monkeypatch.setattr(gc, "collect", lambda *_: 0)
    records = compared(ugly(3))
    families: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in records:
        families.setdefault((row["generator"], row["statistic"]), []).append(row)
    # two tasks, both, and their mean, of one pair or three
    assert {len(family) for family in families.values()} == {4, 12}
    for family in families.values():
        expected = multitest.multipletests([row["p"] for row in family], method="holm")[1]
        assert [row["p_holm"] for row in family] == pytest.approx(expected)


def test_one_task_and_all_tasks_are_one_test() -> None:
    rows = [row | {"task": "t"} for row in ugly(3)]
    families: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in compared(rows):
        families.setdefault((row["generator"], row["statistic"]), []).append(row)
    for family in families.values():
        of_task = [row for row in family if row["task"] == "t"]
        assert len(family) == 3 * len(of_task)
        expected = holm([row["p"] for row in of_task])
        for place in ("t", "all", "tasks_mean"):
            assert [row["p_holm"] for row in family if row["task"] == place] == pytest.approx(expected)


# --- edges ------------------------------------------------------------------------------------------------------------
def test_a_scorer_beside_its_twin_differs_by_nothing() -> None:
    answers = people({f"i{k}": text for k, text in enumerate(["y y n", "n n", "y n", "y", "n y y"])})
    values = {"i0": "yes", "i1": "yes", "i2": "no", "i3": "yes", "i4": "no"}
    records = compared(answers + scorer("a", values) + scorer("b", values))
    assert records
    for row in records:
        # nothing tells how much they would differ on other prompts
        assert (row["value"], row["low"], row["high"], row["p"]) == (0.0, None, None, 1.0)
    assert pick(records, "cohen_kappa")["mcnemar"]["p_mcnemar"] == 1.0


def test_scorers_that_share_nothing_with_people() -> None:
    answers = people({"i1": "y n", "i2": "n n"})
    records = compared(answers + scorer("a", {"i1": "yes"}) + scorer("b", {"i2": "no"}))
    row = pick(records, "percent_agreement")
    assert (row["value"], row["p"], row["n_items"]) == (None, None, 0)
    assert "no unit" in row["reason"]
    assert row["mcnemar"]["p_mcnemar"] is None


def test_one_side_undefined_names_it() -> None:
    answers = people({f"i{k}": text for k, text in enumerate(["y", "n", "y y"])})
    a = scorer("a", {"i0": 0.5, "i1": 0.5, "i2": 0.5}, aspect="score")
    b = scorer("b", {"i0": 0.5, "i1": 0.4, "i2": 0.1}, aspect="score")
    row = pick(compared(answers + a + b), "spearman")
    assert row["value"] is None
    assert row["reason"] == "a: the scorer is constant"
    assert row["value_a"] is None
    assert row["value_b"] is not None


def test_majority_leaves_tied_units_out() -> None:
    answers = people({"i1": "y n", "i2": "y y", "i3": "n n"})
    a, b = (scorer(name, {"i1": "yes", "i2": "yes", "i3": said}) for name, said in (("a", "no"), ("b", "yes")))
    records = compared(answers + a + b, Options(people_as="majority"))
    row = pick(records, "percent_agreement")
    assert (row["value_a"], row["value_b"], row["n_items"], row["n_ratings"]) == (1.0, 0.5, 2, 4)
    assert row["excluded"] == {"tied_majority": 1}
    assert {row["statistic"] for row in records} == {"percent_agreement", "cohen_kappa", "gwet_ac1"}


def test_mean_over_tasks_is_the_mean_of_the_differences() -> None:
    records = compared(ugly(5))
    for statistic in ("cohen_kappa", "spearman"):
        parts = [pick(records, statistic, task=task, a="alpha", b="beta")["value"] for task in ("t0", "t1")]
        mean = pick(records, statistic, task="tasks_mean", a="alpha", b="beta")
        assert mean["value"] == pytest.approx(sum(parts) / 2)
        assert mean["value_a"] - mean["value_b"] == pytest.approx(mean["value"])
        assert mean["mcnemar"] is None
        assert mean["p"] is not None


def test_targets_generators_and_simulated_people_have_rows_of_their_own() -> None:
    rows = ugly(6)
    imitated = [row | {"rater": "imitation", "simulated": True} for row in rows if row["rater"] == "r0"]
    records = compared(rows + imitated, Options())
    assert {row["generator"] for row in records} == {"all", "g0", "g1"}
    assert {row["people"] for row in records} == {"real", "simulated"}
    assert compared(rows, Options()) == [row for row in records if row["people"] == "real"]
    apart = compared([row | {"target": "dog"} for row in rows if row["aspect"] == "correct"], Options(by_target=True))
    assert {row["target"] for row in apart} == {"dog"}


def test_without_intervals_there_is_no_p() -> None:
    records = compared(ugly(1), Options(intervals=False))
    assert all(row["p"] is None and row["low"] is None for row in records)
    assert any(row["value"] is not None for row in records)


def test_nothing_to_compare() -> None:
    assert compared([]) == []
    assert compared(people({"i": "y n"}) + scorer("a", {"i": "yes"})) == []
    with pytest.raises(ValueError, match="unknown statistic kappas"):
        comparisons(frame(people({"i": "y"})), SCALES, Options(statistics=("kappas",)))


def test_scores_meet_ordinal_answers() -> None:
    likert = [judgement(f"i{k}", f"r{r}", str((k + r) % 5 + 1), aspect="faithfulness") for k in range(8) for r in range(2)]
    a, b = (
        scorer(name, {f"i{k}": float(k * step % 7) for k in range(8)}, aspect="score") for name, step in (("a", 1), ("b", 3))
    )
    records = compared(likert + a + b)
    assert {row["statistic"] for row in records} == {"pearson", "spearman", "kendall_tau_b"}
    means = [((k % 5 + 1) + ((k + 1) % 5 + 1)) / 2 for k in range(8)]
    rho: Sequence[float] = [stats.spearmanr([k * step % 7 for k in range(8)], means).statistic for step in (1, 3)]
    assert pick(records, "spearman")["value"] == pytest.approx(rho[0] - rho[1])


def test_prompts_of_several_images_are_swapped_in_mcnemars_place() -> None:
    """Ten images of two prompts, of one of which a alone is right five times: one of two flips is as far apart."""
    answers = {f"i{n}": "y y y" for n in range(10)}
    a, b = (
        scorer(name, dict.fromkeys(list(answers)[:5], right) | dict.fromkeys(list(answers)[5:], "yes"))
        for name, right in (("a", "yes"), ("b", "no"))
    )
    rows = [row | {"prompt": f"p{int(row['item'][1:]) // 5}"} for row in people(answers) + a + b]
    value = pick(compared(rows), "percent_agreement")["mcnemar"]
    assert (value["only_a_right"], value["only_b_right"], value["p_mcnemar"]) == (5, 0, 1.0)
