"""Intervals from what is left when each prompt is left out, and p from sign flips: by hand, and beside a loop."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from agreement.inference.hypothesis_tests import sign_flips
from agreement.inference.intervals import (
    COEFFICIENT,
    CONTRAST,
    CORRECTED,
    NUMBER,
    SHARE,
    Deviations,
    ValueRange,
    interval,
    wilson,
)
from agreement.numeric import FloatArray
from agreement.study.cells import Used, mean_over_tasks, outcome


def of_mean(values: list[float]) -> tuple[float, Deviations]:
    """The mean of values, one a prompt, and its jackknife."""
    x = np.array(values)
    without = (x.sum() - x) / (x.size - 1)
    return float(x.mean()), Deviations.of(np.r_[x.mean(), without], x.size)


def test_of_a_mean_it_is_students_interval() -> None:
    values = [3.0, 5.0, 4.0, 8.0, 6.5]
    found = interval(*of_mean(values), NUMBER)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 4, np.mean(values), stats.sem(values)), rel=1e-12)
    assert found.note == "95% jackknife over 5 prompts, t with 4 degrees of freedom"


@pytest.mark.parametrize("unit", [1e-150, 1e-12, 1.0, 1e12])
def test_numbers_of_any_unit_have_an_interval(unit: float) -> None:
    found = interval(*of_mean([3 * unit, 5 * unit, 4 * unit]), NUMBER)
    assert found.low is not None
    assert found.low / unit == pytest.approx(4 - stats.t.ppf(0.975, 2) / np.sqrt(3))


@pytest.mark.parametrize("kind", [NUMBER, COEFFICIENT, CONTRAST, CORRECTED])
def test_what_no_prompt_changes_has_no_interval_but_for_shares(kind: ValueRange) -> None:
    found = interval(*of_mean([0.1 + 0.2] * 7), kind)
    assert (found.low, found.high) == (None, None)
    assert found.note == "no interval: the same whichever of the 7 prompts is left out"
    found = interval(*of_mean([1.0] * 7), SHARE)
    assert (found.low, found.high) == wilson(1.0, 7)
    assert found.note == "95% interval by Wilson, as of 7 prompts, which are all alike"


def test_a_share_that_few_prompts_change_is_that_of_as_many_cases() -> None:
    # 7 of 30 prompts are not all right: what they show of the others is little
    few = interval(*of_mean([0.5] * 7 + [1.0] * 23), SHARE)
    assert (few.low, few.high) == wilson(1 - 3.5 / 30, 30)
    assert few.note == "95% interval by Wilson, as of 30 prompts, which are nearly all alike"
    enough = interval(*of_mean([0.5] * 8 + [1.0] * 22), SHARE)
    assert enough.note == "95% jackknife over 30 prompts, t with 29 degrees of freedom on the logit scale"
    # prompts that are alike, and neither all right nor all wrong, show how little others differ
    assert "jackknife" in (interval(*of_mean([0.8] * 9 + [0.7]), SHARE).note or "")
    # a third of ten prompts
    assert "Wilson" in (interval(*of_mean([0.5] * 3 + [1.0] * 7), SHARE).note or "")
    assert "jackknife" in (interval(*of_mean([0.5] * 4 + [1.0] * 6), SHARE).note or "")


def test_tasks_of_unequal_size_are_as_many_prompts_as_have_their_variance() -> None:
    # the mean of a task of 10 prompts and one of 40 varies as that of 2^2 / (1/10 + 1/40) = 32 prompts
    _, mine = of_mean([1.0] * 10)
    _, other = of_mean([1.0] * 40)
    parts = {str(k): outcome(np.r_[1.0, d.strata[0] + 1.0], "", Used(0, 0, d.prompts), "") for k, d in enumerate((mine, other))}
    together = mean_over_tasks(parts).deviations
    assert together is not None
    found = interval(1.0, together, SHARE)
    assert (found.low, found.high) == pytest.approx(wilson(1.0, 32))


def test_why_there_is_none() -> None:
    value, deviations = of_mean([0.5, 0.7, 0.6])
    assert interval(*of_mean([0.5]), SHARE).note == "no interval: one prompt"
    undefined = Deviations.of(np.array([0.5, 0.5, np.nan, 0.4]), 3)
    assert interval(0.5, undefined, CORRECTED).note == "no interval: undefined without one of the 3 prompts"
    # Kendall's tau of very many units with many levels
    never = Deviations.of(np.array([0.5, np.nan, np.nan, np.nan]), 3)
    assert interval(0.5, never, COEFFICIENT).note == "no interval: not made for so many units"
    assert interval(value, deviations, CORRECTED).note == "no interval: only 2 of 3 prompts tell more than all the others do"


# --- p ----------------------------------------------------------------------------------------------------------------
def by_loop(contributions: FloatArray) -> float:
    seen = abs(contributions.sum()) - 1e-12
    signs = list(product([1, -1], repeat=contributions.size))
    return sum(bool(abs(np.dot(sign, contributions)) >= seen) for sign in signs) / len(signs)


def test_p_is_that_of_all_signs() -> None:
    values = [0.3, 0.1, -0.2, 0.0, 0.25, 0.4, 0.1]
    _, deviations = of_mean(values)
    assert deviations.contributions == pytest.approx(np.array(values) / 7)
    assert sign_flips(deviations.contributions) == by_loop(deviations.contributions)
    # five prompts on one side: two of 32
    assert sign_flips(of_mean([0.3, 0.1, 0.2, 0.5, 0.1])[1].contributions) == 0.0625


def test_p_of_many_prompts_is_drawn_and_never_zero() -> None:
    rng = np.random.default_rng(1)
    contributions = of_mean(list(rng.normal(0.25, 1, 40)))[1].contributions
    assert sign_flips(contributions) == pytest.approx(stats.ttest_1samp(contributions, 0).pvalue, abs=0.01)
    assert sign_flips(np.ones(40)) == 1 / 10_001
    assert sign_flips(contributions) == sign_flips(contributions)


def test_tasks_contribute_with_their_weight() -> None:
    one, other = [0.5, 0.1, 0.3], [0.2, -0.1, 0.0, 0.4]
    parts = {name: of_mean(values) for name, values in (("a", one), ("b", other))}
    made = {
        name: outcome(np.r_[value, d.strata[0] + value], "", Used(0, 0, d.prompts), "") for name, (value, d) in parts.items()
    }
    together = mean_over_tasks(made).deviations
    assert together is not None
    assert together.contributions == pytest.approx(np.r_[np.array(one) / 6, np.array(other) / 8])
    assert together.contributions.sum() == pytest.approx((np.mean(one) + np.mean(other)) / 2)


def test_strata_have_the_degrees_of_freedom_of_welch_and_satterthwaite() -> None:
    """Of two tasks they are those of Welch's test, and so is the standard error."""
    one, other = [3.0, 5.0, 4.0, 8.0], [1.0, 7.0, 2.0, 9.0, 4.0, 6.0]
    (_, first), (_, second) = of_mean(one), of_mean(other)
    both = Deviations((first.strata[0], second.strata[0]), (0.0, 0.0), 10)
    welch = stats.ttest_ind(one, other, equal_var=False)
    assert both.freedom == pytest.approx(welch.df)
    assert sum(both.variances) == pytest.approx(((np.mean(one) - np.mean(other)) / welch.statistic) ** 2)
