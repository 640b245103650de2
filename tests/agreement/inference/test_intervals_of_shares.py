"""Shares with intervals: by hand, beside statsmodels, and how often they hold what they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.inference.intervals import PromptTrials, Share, mean_share, share, wilson
from tests.agreement.oracles import proportion


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (1, 5), (3, 10), (10, 10), (410, 1000)])
def test_wilsons_interval_is_statsmodels(hits: int, n: int) -> None:
    assert wilson(hits / n, n) == pytest.approx(proportion.proportion_confint(hits, n, method="wilson"), abs=1e-12)


def test_prompts_of_one_image_each_are_independent_trials() -> None:
    found = share([PromptTrials(1, 1)] * 30 + [PromptTrials(0, 1)] * 70)
    assert (found.value, found.n, found.prompts, found.effective) == (0.3, 100, 100, 100)
    assert (found.low, found.high) == wilson(0.3, 100)


def test_images_that_are_all_alike_tell_no_more_than_their_prompts() -> None:
    # 40 prompts of 4 images, of each prompt all right or all wrong
    found = share([PromptTrials(4, 4)] * 12 + [PromptTrials(0, 4)] * 28)
    assert (found.value, found.hits, found.n, found.prompts) == (0.3, 48, 160, 40)
    assert found.effective == 40


def test_alike_in_part() -> None:
    # by hand: p = 3/6; deviations from it 2, -1, -1 of 4, 4, 4 trials: variance (4 + 1 + 1) * 3/2 / 144 = 1/16,
    # so 1/4 / (1/16) = 4 trials, times (1.96 / 4.303)^2 = .2075: no more than the 3 of prompts that are each all alike
    assert share([PromptTrials(4, 4), PromptTrials(1, 4), PromptTrials(1, 4)]).effective == 3
    # ten times as many such prompts: variance 60 * 30/29 / 14400, so 58; times (1.95996 / 2.04523)^2
    found = share([PromptTrials(4, 4), PromptTrials(1, 4), PromptTrials(1, 4)] * 10)
    assert found.effective == pytest.approx(58 * (1.959964 / 2.045230) ** 2, rel=1e-5)
    # prompts of 1 and 3 images that are each all alike: 16 / (1 + 9) trials
    assert share([PromptTrials(1, 1), PromptTrials(0, 3)]).effective == 1.6


def test_prompts_that_differ_less_than_by_chance_do_not_make_more_of_the_images() -> None:
    found = share([PromptTrials(1, 2)] * 10)
    assert found.effective == 20
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 20))


@pytest.mark.parametrize("hits", [0, 4])
def test_where_all_are_alike_the_prompts_are_counted(hits: int) -> None:
    found = share([PromptTrials(hits, 4)] * 5)
    assert found.effective == 5
    assert (found.low, found.high) == pytest.approx(wilson(hits / 4, 5))


def test_one_prompt_has_no_interval_and_no_trial_no_value() -> None:
    assert share([PromptTrials(3, 4)]) == Share(0.75, None, None, 3, 4, 1, 1.0)
    assert share([PromptTrials(0, 0)]) == share([]) == Share(None, None, None, 0, 0, 0, 0.0)
    assert share([PromptTrials(3, 4), PromptTrials(0, 0)]) == share([PromptTrials(3, 4)])


def test_the_mean_over_tasks_weighs_tasks_alike() -> None:
    few = [PromptTrials(1, 1), PromptTrials(0, 1)]
    many = [PromptTrials(1, 1)] * 9 + [PromptTrials(0, 1)] * 1
    found = mean_share([few, many])
    assert found.value == pytest.approx((0.5 + 0.9) / 2)
    # by hand: variances .25 / 2 and .09 / 10, a quarter of their sum for the mean of two
    assert found.effective == pytest.approx(0.7 * 0.3 / ((0.125 + 0.009) / 4))
    assert (found.hits, found.n, found.prompts) == (10, 12, 12)
    assert mean_share([many, []]) == share(many)
    assert mean_share([few, [PromptTrials(4, 4)]]).low is None


def test_a_task_that_is_always_right_adds_little_and_not_nothing() -> None:
    half = [PromptTrials(1, 1), PromptTrials(0, 1)] * 20
    sure = [PromptTrials(1, 1)] * 40
    both, alone = mean_share([half, sure]), share(half)
    assert both.value == 0.75
    assert both.low is not None
    assert both.high is not None
    assert alone.low is not None
    assert alone.high is not None
    assert (alone.high - alone.low) / 2 < both.high - both.low < alone.high - alone.low


def test_hits_beyond_the_trials_are_refused() -> None:
    with pytest.raises(ValueError, match="hits must be from 0 to n, got 3 of 2"):
        PromptTrials(3, 2)


@given(st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=6), max_size=4))
def test_the_value_lies_in_its_interval(drawn: list[list[tuple[int, int]]]) -> None:
    found = mean_share([[PromptTrials(min(pair), max(pair)) for pair in task] for task in drawn])
    if found.low is not None:
        assert found.value is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.effective <= max(found.n, 1) + 1e-9 or len(drawn) > 1


@pytest.mark.parametrize("p", [0.05, 0.5, 0.9])
def test_it_covers_what_it_should_where_a_prompts_images_are_alike(p: float) -> None:
    """30 prompts of 4 images that differ by prompt (beta, intraclass correlation 1/3); as 120 trials they would be too sure."""
    rng = np.random.default_rng(7)
    chance = rng.beta(2 * p, 2 * (1 - p), (1500, 30))
    hits = rng.binomial(4, chance)
    ours = [share([PromptTrials(int(k), 4) for k in row]) for row in hits]
    covered = np.mean([our.low <= p <= our.high for our in ours if our.low is not None and our.high is not None])
    naive = np.mean([low <= p <= high for low, high in (wilson(float(row.sum()) / 120, 120) for row in hits)])
    assert 0.92 <= covered <= 0.985
    assert naive < 0.89
