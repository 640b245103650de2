"""Intraclass correlations: the published table, statsmodels, the definitions in plain numpy, and fractions by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement import Options, build
from agreement.numeric import FloatArray
from agreement.statistics.icc import icc_1, icc_2, why_no_icc_1, why_no_icc_2
from concord.common.reason_sentences import text
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import anova, formulas

SEEDS = range(2)
# Shrout and Fleiss 1979, Table 2: six targets (rows) rated by four judges.
PUBLISHED = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)


def one_way(units: list[list[float]]) -> float:
    """ICC(1,1) of one sample, every unit its own cluster."""
    unit = np.repeat(np.arange(len(units)), [len(values) for values in units])
    flat = np.array([value for values in units for value in values], float)
    return icc_1(unit, flat, np.arange(len(units)), np.ones((1, len(units)))).item()


def two_way(table: FloatArray) -> float:
    return icc_2(table, np.arange(len(table)), np.ones((1, len(table)))).item()


def naive_one_way(units: list[list[float]]) -> float:
    """The analysis of variance as textbooks write it."""
    flat = np.concatenate(units)
    n = np.array([len(values) for values in units])
    between = sum(len(v) * (np.mean(v) - flat.mean()) ** 2 for v in units) / (len(units) - 1)
    within = sum(((np.array(v) - np.mean(v)) ** 2).sum() for v in units) / (flat.size - len(units))
    usual = (flat.size - (n**2).sum() / flat.size) / (len(units) - 1)
    return float((between - within) / (between + (usual - 1) * within))


def naive_two_way(table: FloatArray) -> float:
    n, k = table.shape
    rows = k * ((table.mean(1) - table.mean()) ** 2).sum() / (n - 1)
    columns = n * ((table.mean(0) - table.mean()) ** 2).sum() / (k - 1)
    rest = table - table.mean(1, keepdims=True) - table.mean(0, keepdims=True) + table.mean()
    error = (rest**2).sum() / ((n - 1) * (k - 1))
    return float((rows - error) / (rows + (k - 1) * error + k * (columns - error) / n))


def ugly(seed: int) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    return [list(5 + rng.normal() + rng.normal(size=int(rng.integers(1, 6)))) for _ in range(14)]


# --- the formulas -----------------------------------------------------------------------------------------------------
def test_the_published_table() -> None:
    """BMS 11.24, WMS 6.26, JMS 32.49, EMS 1.02; printed .17 and .29."""
    assert one_way(PUBLISHED.tolist()) == pytest.approx(0.1657, abs=5e-5)
    assert two_way(PUBLISHED) == pytest.approx(0.2898, abs=5e-5)


def test_one_way_by_hand() -> None:
    """1 3 | 5 | 2 2 5: n 3, R 6, mean 3. Between: 2(2-3)^2 + (5-3)^2 + 0 = 6, MSB 3. Within: 2 + 0 + 6 = 8, MSW 8/3.
    n_0 = (6 - (4 + 1 + 9) / 6) / 2 = 11/6. (3 - 8/3) / (3 + 5/6 * 8/3) = (1/3) / (47/9) = 3/47."""
    assert one_way([[1, 3], [5], [2, 2, 5]]) == pytest.approx(3 / 47)


def test_two_way_by_hand() -> None:
    """1 2 | 3 4 | 5 9, mean 4. Units 1.5 3.5 7: MSB 2 (6.25 + .25 + 9) / 2 = 15.5. Persons 3 5: MSJ 3 * 2 = 6. All squares
    9 + 4 + 1 + 0 + 1 + 25 = 40, so MSE (40 - 31 - 6) / 2 = 1.5. 14 / (15.5 + 1.5 + 2 (6 - 1.5) / 3) = 14 / 20."""
    assert two_way(np.array([[1.0, 2], [3, 4], [5, 9]])) == pytest.approx(0.7)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_way_equals_the_definition_and_statsmodels(seed: int) -> None:
    units = ugly(seed)
    assert one_way(units) == pytest.approx(naive_one_way(units), abs=1e-12)
    frame = pd.DataFrame([(str(u), v) for u, values in enumerate(units) for v in values], columns=["unit", "value"])
    between, within = anova.anova_lm(formulas.ols("value ~ C(unit)", frame).fit())["mean_sq"]
    n = frame.groupby("unit").size()
    usual = (n.sum() - (n**2).sum() / n.sum()) / (len(n) - 1)
    assert one_way(units) == pytest.approx((between - within) / (between + (usual - 1) * within))


@pytest.mark.parametrize("seed", SEEDS)
def test_two_way_equals_the_definition_and_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 9)), int(rng.integers(2, 5))
    table = rng.normal(size=(n, 1)) + rng.normal(size=k) + rng.normal(size=(n, k))
    assert two_way(table) == pytest.approx(naive_two_way(table), abs=1e-12)
    frame = pd.DataFrame([(str(i), str(j), table[i, j]) for i in range(n) for j in range(k)], columns=["u", "p", "v"])
    value = anova.anova_lm(formulas.ols("v ~ C(u) + C(p)", frame).fit())["mean_sq"]
    units, persons, error = value["C(u)"], value["C(p)"], value["Residual"]
    assert two_way(table) == pytest.approx((units - error) / (units + (k - 1) * error + k * (persons - error) / n))


@pytest.mark.parametrize("seed", SEEDS)
def test_weighted_clusters_are_replicated_clusters(seed: int) -> None:
    """A cluster drawn twice counts as if its units stood there twice, for both."""
    units, cluster = ugly(seed), np.arange(14) % 4
    weights = np.array([[2.0, 0, 1, 1]])
    unit = np.repeat(np.arange(14), [len(values) for values in units])
    result = icc_1(unit, np.concatenate(units), cluster, weights).item()
    drawn = [index for index in range(14) for _ in range(int(weights[0, cluster[index]]))]
    assert result == pytest.approx(naive_one_way([units[index] for index in drawn]))
    table = np.random.default_rng(seed).normal(size=(14, 3))
    assert icc_2(table, cluster, weights).item() == pytest.approx(naive_two_way(table[drawn]))


@pytest.mark.parametrize("shift", [0.0, 1e9 + 0.1])
def test_perfect_agreement_is_one_and_a_constant_undefined(shift: float) -> None:
    perfect = [[value + shift] * n for value, n in ((1.0, 3), (2.0, 1), (5.0, 2))]
    assert one_way(perfect) == 1.0
    assert two_way(np.repeat([[1.0 + shift], [2.0 + shift], [5.0 + shift]], 3, axis=1)) == 1.0
    assert np.isnan(one_way([[shift] * 3, [shift] * 2]))
    assert np.isnan(two_way(np.full((3, 2), shift)))


def test_a_judge_who_is_always_one_higher_costs_agreement() -> None:
    """1 2 | 2 3 | 3 4: MSB 2, MSJ 3/2, MSE 0: 2 / (2 + 2 * 1.5 / 3) = 2/3."""
    assert two_way(np.array([[1.0, 2], [2, 3], [3, 4]])) == pytest.approx(2 / 3)


def test_why_undefined() -> None:
    assert text(why_no_icc_1(np.array([0, 1]))) == "no unit has two or more ratings"
    assert text(why_no_icc_1(np.array([0, 0]))) == "there are ratings of one unit only"
    assert text(why_no_icc_1(np.array([0, 0, 1]))) == "all ratings have the same value"
    assert text(why_no_icc_2(np.zeros((3, 1)))) == "fewer than two persons rated anything"
    assert text(why_no_icc_2(np.zeros((1, 3)))) == "all 3 persons together rated one unit; two or more are needed"
    assert text(why_no_icc_2(np.zeros((2, 2)))) == "all ratings have the same value"
    opposite = np.array([[0.0, 1], [1, 0]])
    assert np.isnan(two_way(opposite))
    assert "0 / 0" in text(why_no_icc_2(opposite))


# --- in the report ----------------------------------------------------------------------------------------------------
def report(texts: list[str], scale: str = "ordinal:1-10", **other: Any) -> dict[str, dict[str, Any]]:
    """The two rows over all of a study where person p gives unit u the p-th word of its text; "-" is no answer."""
    row = {
        "suite": "s", "task": None, "generator": None, "kind": "human", "identity": "person", "simulated": False,
        "aspect": "quality", "target": None, "seq": 0, "excluded": None,
    }  # fmt: skip
    rows = [
        row | {"prompt": f"i{u}", "item": f"i{u}", "rater": f"p{p}", "label": word, "number": float(word)} | other
        for u, text in enumerate(texts)
        for p, word in enumerate(text.split())
        if word != "-"
    ]
    results = json_rows(build(pd.DataFrame(rows), {("s", "quality"): scale}, Options()))
    assert not any(row["statistic"].startswith("icc") for row in results["raters"] + results["matrix"])
    return {row["statistic"]: row for row in results["among_people"] if row["statistic"].startswith("icc")}


TEXTS = [" ".join(str(int(v)) for v in row) for row in PUBLISHED]


@pytest.mark.parametrize("scale", ["ordinal:1-10", "interval"])
def test_rows_of_the_published_study(scale: str) -> None:
    results = report(TEXTS, scale)
    assert results["icc_1"]["value"] == pytest.approx(0.1657, abs=5e-5)
    assert results["icc_2"]["value"] == pytest.approx(0.2898, abs=5e-5)
    for row in results.values():
        assert (row["n_items"], row["n_ratings"], row["excluded"]) == (6, 24, {})
        assert row["low"] < row["value"] < row["high"]


def test_only_the_units_that_all_persons_rated() -> None:
    results = report([*TEXTS, "1 - 2 3", "- 7 - -"])
    assert results["icc_2"]["value"] == pytest.approx(0.2898, abs=5e-5)
    assert (results["icc_2"]["n_items"], results["icc_2"]["excluded"]) == (6, {"not_crossed": 4})
    units = [*PUBLISHED.tolist(), [1, 2, 3], [7]]
    assert results["icc_1"]["value"] == pytest.approx(naive_one_way(units))
    assert (results["icc_1"]["n_items"], results["icc_1"]["n_ratings"]) == (8, 28)


def test_no_unit_in_common() -> None:
    row = report(["1 2 -", "- 2 3", "2 - 2"])["icc_2"]
    assert (row["value"], row["n_items"]) == (None, 0)
    assert row["reason"] == "all 3 persons together rated no unit; two or more are needed"


def test_slots_have_only_the_one_way_form() -> None:
    results = report(TEXTS, identity="slot")
    assert results["icc_1"]["value"] == pytest.approx(0.1657, abs=5e-5)
    assert results["icc_2"]["value"] is None
    assert "slots are not individuals" in results["icc_2"]["reason"]
    assert "icc_1 serves" in results["icc_2"]["reason"]


def test_not_for_labels() -> None:
    assert report(["1 2", "2 2"], "ordinal:1<2<3") == {}
    assert report(["1 0", "1 1"], "nominal") == {}
