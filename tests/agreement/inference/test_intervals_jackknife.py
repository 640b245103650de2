"""Intervals from what is left when each prompt is left out, and p from sign flips: by hand, and beside a loop."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement.inference.hypothesis_tests import sign_flips
from agreement.inference.intervals import (
    COEFFICIENT,
    CONTRAST,
    CORRECTED,
    NUMBER,
    SHARE,
    Deletions,
    Deviations,
    Interval,
    ValueRange,
    clopper_pearson,
    interval,
)
from agreement.numeric import FloatArray
from agreement.reasons import NO_METHOD, Reason, ReasonCode, joined
from agreement.study.cells import Outcome, Used, mean_over_tasks, outcome
from concord.common.reason_sentences import text
from tests.agreement.oracles import anova, formulas, proportion

NONE = Reason(ReasonCode.ONE_UNIT)


def note(bounds: Interval) -> str:
    """The way in which an interval was made, or the reason why there is none."""
    return text(joined(bounds.method, bounds.reason))


def of_mean(values: list[float]) -> tuple[float, Deviations]:
    """The mean of values, one a prompt, and its jackknife."""
    x = np.array(values)
    without = (x.sum() - x) / (x.size - 1)
    return float(x.mean()), Deviations.of(np.r_[x.mean(), without], x.size)


def test_of_a_mean_it_is_students_interval() -> None:
    values = [3.0, 5.0, 4.0, 8.0, 6.5]
    found = interval(*of_mean(values), NUMBER)
    assert (found.low, found.high) == pytest.approx(stats.t.interval(0.95, 4, np.mean(values), stats.sem(values)), rel=1e-12)
    assert note(found) == "95% jackknife over 5 prompts, t with 4 degrees of freedom"


@pytest.mark.parametrize("unit", [1e-150, 1e-12, 1.0, 1e12])
def test_numbers_of_any_unit_have_an_interval(unit: float) -> None:
    found = interval(*of_mean([3 * unit, 5 * unit, 4 * unit]), NUMBER)
    assert found.low is not None
    assert found.low / unit == pytest.approx(4 - stats.t.ppf(0.975, 2) / np.sqrt(3))


@pytest.mark.parametrize("kind", [NUMBER, COEFFICIENT, CONTRAST, CORRECTED])
def test_what_no_prompt_changes_has_no_interval_but_for_shares(kind: ValueRange) -> None:
    found = interval(*of_mean([0.1 + 0.2] * 7), kind)
    assert (found.low, found.high) == (None, None)
    assert note(found) == "no interval: the same whichever of the 7 prompts is left out"
    found = interval(*of_mean([1.0] * 7), SHARE)
    assert (found.low, found.high) == clopper_pearson(1.0, 7)
    assert note(found) == "95% interval by Clopper and Pearson, as of 7 prompts, which are all alike"


def test_a_share_that_few_prompts_change_is_that_of_as_many_cases() -> None:
    # 7 of 30 prompts are not all right: what they show of the others is little
    few = interval(*of_mean([0.5] * 7 + [1.0] * 23), SHARE)
    assert (few.low, few.high) == clopper_pearson(1 - 3.5 / 30, 30)
    assert note(few) == "95% interval by Clopper and Pearson, as of 30 prompts, which are nearly all alike"
    enough = interval(*of_mean([0.5] * 8 + [1.0] * 22), SHARE)
    assert note(enough) == "95% jackknife over 30 prompts, t with 29 degrees of freedom on the logit scale"
    # prompts that are alike, and neither all right nor all wrong, show how little others differ
    assert "jackknife" in note(interval(*of_mean([0.8] * 9 + [0.7]), SHARE))
    # a third of ten prompts
    assert "Clopper" in note(interval(*of_mean([0.5] * 3 + [1.0] * 7), SHARE))
    assert "jackknife" in note(interval(*of_mean([0.5] * 4 + [1.0] * 6), SHARE))


def test_tasks_of_unequal_size_are_as_many_prompts_as_have_their_variance() -> None:
    # the mean of a task of 10 prompts and one of 40 varies as that of 2^2 / (1/10 + 1/40) = 32 prompts
    _, mine = of_mean([1.0] * 10)
    _, other = of_mean([1.0] * 40)
    parts = {
        str(k): outcome(np.r_[1.0, d.strata[0] + 1.0], NONE, Used(0, 0, d.prompts), NO_METHOD)
        for k, d in enumerate((mine, other))
    }
    together = mean_over_tasks(parts).deviations
    assert together is not None
    found = interval(1.0, together, SHARE)
    assert (found.low, found.high) == pytest.approx(clopper_pearson(1.0, 32))


def test_above_a_thousand_prompts_a_thousand_groups_of_them_are_left_out() -> None:
    weights = Deletions(wanted=True).weights(2500)
    assert weights.shape == (1001, 2500)
    assert weights[0].all()
    assert np.array_equal((weights[1:] == 0).sum(0), np.ones(2500))
    assert set((weights[1:] == 0).sum(1)) == {2, 3}


def test_why_there_is_none() -> None:
    value, deviations = of_mean([0.5, 0.7, 0.6])
    assert note(interval(*of_mean([0.5]), SHARE)) == "no interval: one prompt"
    undefined = Deviations.of(np.array([0.5, 0.5, np.nan, 0.4]), 3)
    assert note(interval(0.5, undefined, CORRECTED)) == "no interval: undefined without one of the 3 prompts"
    # Kendall's tau of very many units with many levels
    never = Deviations.of(np.array([0.5, np.nan, np.nan, np.nan]), 3)
    assert note(interval(0.5, never, COEFFICIENT)) == "no interval: not made for so many units"
    three = "no interval: only 3 of 3 prompts tell more than all the others do; 5 are needed"
    assert note(interval(value, deviations, CORRECTED)) == three


def test_five_prompts_that_all_differ_bound_a_coefficient() -> None:
    """Of five that all tell something an interval covers (`benchmarks/coverage.py`); where two are alike there is none."""
    value, deviations = of_mean([0.5, 0.7, 0.6, 0.2, 0.3])
    assert "t with 4 degrees of freedom" in note(interval(value, deviations, CORRECTED))
    alike = interval(*of_mean([0.5, 0.5, 0.6, 0.2, 0.3]), CORRECTED)
    assert note(alike) == "no interval: only 3 of 5 prompts tell more than all the others do; 5 are needed"


@pytest.mark.parametrize(("value", "n"), [(0.9, 10), (3 / 7, 7), (1.0, 4), (0.0, 4), (29 / 30, 30)])
def test_exact_interval_is_statsmodels(value: float, n: int) -> None:
    expected = proportion.proportion_confint(round(value * n), n, method="beta")
    assert clopper_pearson(value, n) == pytest.approx(expected, abs=1e-12)


def test_a_coefficient_that_one_prompt_carries_is_as_sure_as_that_prompt() -> None:
    """Nine of ten prompts say the same: their variance is that of one, and t has one degree of freedom, not nine."""
    value, deviations = of_mean([0.5] * 9 + [-0.4])
    found = interval(value, deviations, COEFFICIENT)
    kurtosis = stats.kurtosis([0.5] * 9 + [-0.4], fisher=False)
    assert 20 / (kurtosis - 1) < 3
    assert f"t with {20 / (kurtosis - 1):.4g} degrees of freedom" in note(found)
    # a mean of numbers, and a difference, have the t of all prompts
    assert "t with 9 degrees of freedom" in note(interval(value, deviations, NUMBER))


def test_prompts_that_hardly_differ_do_not_make_a_coefficient_certain() -> None:
    """One prompt more that says the opposite would change .98 by .198: a standard error is at least an eighth of that."""
    value, deviations = of_mean([0.98 + k * 1e-6 for k in range(10)])
    found = interval(value, deviations, COEFFICIENT)
    assert found.low is not None
    assert found.low < 0.9
    # on Fisher's z scale, where that is no more than it takes
    z = np.arctanh(value) - stats.t.ppf(0.975, 9) * (1 + value) / 10 / 8 / (1 - value**2)
    assert found.low == pytest.approx(np.tanh(z), abs=1e-4)


def test_shares_of_ten_single_images_are_those_of_ten_cases() -> None:
    """Agreement of four people near chance takes three values; ten of them show too little of the highest one."""
    value, deviations = of_mean([1 / 3, 1 / 2] * 5)
    single = interval(value, deviations, SHARE, images=10)
    assert (single.low, single.high) == clopper_pearson(value, 10)
    assert (
        note(single) == "95% interval by Clopper and Pearson, as of 10 prompts, as prompts with one image each take few values"
    )
    assert "jackknife" in note(interval(value, deviations, SHARE, images=40))
    # yes or no are cases already
    value, deviations = of_mean([0.0, 1.0] * 5)
    assert interval(value, deviations, SHARE, images=10) == interval(value, deviations, SHARE)


# --- persons as random as prompts ---------------------------------------------------------------------------------------
def without_each(table: FloatArray) -> FloatArray:
    """The mean of a table (prompts, persons), with all persons and without each, and in each without each prompt."""
    tables = [table, *(np.delete(table, j, axis=1) for j in range(table.shape[1]))]
    return np.array([[t.mean(), *(np.delete(t, i, axis=0).mean() for i in range(len(t)))] for t in tables])


@pytest.mark.parametrize("shape", [(10, 3), (30, 5), (7, 12)])
def test_variance_with_prompts_and_persons_random_is_that_of_analysis_of_variance(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(shape[0], 1)) + 2 * rng.normal(size=shape[1]) + rng.normal(size=shape)
    made = Deviations.crossed(without_each(table), shape[0], np.arange(shape[1]), shape[1])
    prompt, person = (code.ravel() for code in np.indices(shape))
    fitted = formulas.ols("y ~ C(prompt) + C(person)", pd.DataFrame({"y": table.ravel(), "prompt": prompt, "person": person}))
    table_of_squares = anova.anova_lm(fitted.fit())
    prompts, persons, residual = table_of_squares["mean_sq"]
    size = shape[0] * shape[1]
    assert made.variance == pytest.approx((prompts + persons - residual) / size, rel=1e-9)
    assert made.persons is not None
    assert (sum(made.variances), made.persons.variance, made.persons.residual) == pytest.approx(
        (prompts / size, persons / size, residual / size), rel=1e-9
    )
    freedom = ((prompts + persons - residual) / size) ** 2 / (
        (prompts / size) ** 2 / (shape[0] - 1) + (persons / size) ** 2 / (shape[1] - 1)
    )
    assert made.freedom == pytest.approx(freedom, rel=1e-9)


def test_variance_with_persons_random_is_never_less_than_with_prompts_or_persons_alone() -> None:
    """A checkerboard is all residual: rows and columns have the same mean, and neither shows any variance of its own."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        made = Deviations.crossed(without_each(rng.normal(size=(6, 4))), 6, np.arange(4), 4)
        assert made.persons is not None
        assert made.variance >= max(sum(made.variances), made.persons.variance)


def test_the_same_persons_in_two_tasks_are_left_out_of_both_at_once() -> None:
    """Of the mean of two tasks with equally many prompts: as of one table."""
    rng = np.random.default_rng(3)
    table = rng.normal(size=5) + rng.normal(size=(16, 5))
    parts = [table[:8], table[8:]]
    made = {
        str(k): Outcome(
            float(t.mean()), None, Deviations.crossed(without_each(t), 8, np.arange(5), 5), Used(0, 0, 8), NO_METHOD
        )
        for k, t in enumerate(parts)
    }
    together = mean_over_tasks(made).deviations
    whole = Deviations.crossed(without_each(table), 16, np.arange(5), 5)
    assert together is not None
    assert together.persons is not None
    assert whole.persons is not None
    assert together.persons.variance == pytest.approx(whole.persons.variance)


def test_one_of_two_persons_does_not_show_how_others_differ() -> None:
    made = Deviations.crossed(np.array([[0.5, 0.4, 0.6, 0.5], [np.nan] * 4, [np.nan] * 4]), 3, np.arange(2), 2)
    assert note(interval(0.5, made, COEFFICIENT)) == "no interval for other people: undefined without one of these 2"


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
        name: outcome(np.r_[value, d.strata[0] + value], NONE, Used(0, 0, d.prompts), NO_METHOD)
        for name, (value, d) in parts.items()
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
