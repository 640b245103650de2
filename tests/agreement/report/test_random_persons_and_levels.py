"""Intervals of the report against other implementations: ordinal alpha made anew without each prompt, ICC of other people."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement import Options, build
from tests.agreement import reference_implementations
from tests.agreement.frames import SCALES, Judgement, frame, judgement, people, scorer
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import anova, formulas, krippendorff

SCALE = {("s", "realism"): "interval", **SCALES}


def rows_of(rows: list[Judgement], section: str, statistic: str) -> list[dict[str, Any]]:
    report = json_rows(build(frame(rows), SCALE, Options((statistic,), each_generator=False, matrix=False)))
    return [row for row in report[section] if row["task"] == "all"]


def levels(seed: int, prompts: int = 12, raters: int = 3) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Two pairs of tight levels, 1 and 2 or 4 and 5, by raters and prompts."""
    rng = np.random.default_rng(seed)
    pair = rng.integers(0, 2, prompts) ^ (rng.random((raters, prompts)) < 0.15)
    return np.asarray(1 + 3 * pair + rng.integers(0, 2, (raters, prompts)))


def alpha(table: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    return float(krippendorff.alpha(reliability_data=table, level_of_measurement="ordinal", value_domain=[1, 2, 3, 4, 5]))


@pytest.mark.parametrize("seed", [0, 1])
def test_ordinal_alpha_has_its_own_distances_without_each_prompt(seed: int) -> None:
    """The jackknife of the krippendorff package, which knows only the remaining prompts."""
    table = levels(seed)
    rows = [judgement(f"i{i:02}", f"r{r}", str(level), aspect="faithfulness")
            for r, of in enumerate(table) for i, level in enumerate(of)]  # fmt: skip
    (row,) = rows_of(rows, "among_people", "krippendorff_alpha_ordinal")
    without = [alpha(np.delete(table, i, axis=1)) for i in range(table.shape[1])]
    assert row["value"] == pytest.approx(alpha(table))
    # a prompt is one image, of which there are few: half of what one that says the opposite may change is added
    n, r = len(without), np.array(without)
    error = np.sqrt((n - 1) / n * ((r - r.mean()) ** 2).sum())
    opposite = (1 + row["value"]) / n
    scaled = r.mean() + (r - r.mean()) * np.hypot(error, opposite / 2) / error
    expected = reference_implementations.jackknife(row["value"], scaled.tolist(), "z")
    assert (row["low"], row["high"]) == pytest.approx(expected)


def test_a_scorers_ordinal_alpha_has_its_own_distances_without_each_prompt() -> None:
    """Beside one person on 40 prompts."""
    table = levels(3, prompts=40, raters=2)
    rows = people({f"i{i:02}": str(level) for i, level in enumerate(table[0])}, aspect="faithfulness")
    rows += scorer("m", {f"i{i:02}": str(level) for i, level in enumerate(table[1])}, aspect="faithfulness")
    (row,) = rows_of(rows, "raters", "krippendorff_alpha_ordinal")
    without = [alpha(np.delete(table, i, axis=1)) for i in range(table.shape[1])]
    assert row["value"] == pytest.approx(alpha(table))
    assert (row["low"], row["high"]) == pytest.approx(reference_implementations.jackknife(row["value"], without, "z"))


def rated(persons: int, prompts: int = 30) -> list[Judgement]:
    """One image of each prompt, rated by persons of unequal severity."""
    rng = np.random.default_rng(4)
    severity, image = rng.normal(0, 0.7, persons), rng.normal(size=prompts)
    return [
        judgement(f"i{i:02}", f"r{r}", float(image[i] + severity[r] + rng.normal(0, 0.5)), aspect="realism")
        for i in range(prompts)
        for r in range(persons)
    ]


def test_icc_2_is_about_other_people_and_says_what_these_give() -> None:
    (row,) = rows_of(rated(5), "among_people", "icc_2")
    assert "30 prompts and 5 persons, both as random" in row["method"]
    these = row["method"].rpartition("of these 5 people, on other prompts: ")[2]
    low, high = map(float, these.split(" to "))
    assert row["high"] - row["low"] > 1.3 * (high - low)


@pytest.mark.parametrize("persons", [3, 5])
def test_icc_2_of_few_persons_holds_the_chi_square_interval_of_their_variance(persons: int) -> None:
    """By the mean squares of statsmodels: at both ends of the interval of persons' variance, less far by squares."""
    rows = rated(persons)
    (row,) = rows_of(rows, "among_people", "icc_2")
    data = pd.DataFrame([(each["item"], each["rater"], each["number"]) for each in rows], columns=["item", "rater", "y"])
    squares = anova.anova_lm(formulas.ols("y ~ C(item) + C(rater)", data).fit())["mean_sq"]
    units, people_, rest = squares["C(item)"], squares["C(rater)"], squares["Residual"]
    unit, freedom = (units - rest) / persons, persons - 1
    low, high = (
        unit / (unit + (people_ * freedom / stats.chi2.ppf(tail, freedom) - rest) / 30 + rest) for tail in (0.025, 0.975)
    )
    assert row["value"] == pytest.approx(unit / (unit + (people_ - rest) / 30 + rest))
    assert row["low"] < low < row["value"] < high < row["high"]

    def z(value: float) -> float:
        return float(np.log((1 + freedom * value) / (1 - value)))

    # what is left, by squares, is the prompts' own reach, as far to either side
    reaches = [(z(a) - z(row["value"])) ** 2 - (z(b) - z(row["value"])) ** 2
               for a, b in ((row["low"], low), (row["high"], high))]  # fmt: skip
    assert reaches[0] == pytest.approx(reaches[1])
    assert f"chi-square with {freedom}, for persons who differ normally, on Fisher's z scale" in row["method"]


def test_two_persons_give_icc_2_no_interval_for_other_people() -> None:
    (row,) = rows_of(rated(2), "among_people", "icc_2")
    assert (row["value"] is None, row["low"], row["high"]) == (False, None, None)
    assert (
        "no interval for other people: undefined without one of these 2; of these 2 people, on other prompts: " in row["method"]
    )


def test_a_score_beside_answers_that_are_nearly_all_alike_has_no_interval() -> None:
    """Two of 30 prompts hold a no: an area rests on these two, and nothing shows how others would be."""
    rows = people({f"i{i:02}": "n" if i < 2 else "y" for i in range(30)})
    rows += scorer("m", {f"i{i:02}": float(i % 7) for i in range(30)}, aspect="score")
    for statistic in ("auc", "pearson", "spearman"):
        (row,) = (row for row in rows_of(rows, "raters", statistic) if row["rater"] == "m")
        assert row["value"] is not None
        assert (row["low"], row["high"]) == (None, None)
        assert "no interval: people's answers are other than the commonest one in 2 of 30 prompts only" in row["method"]
