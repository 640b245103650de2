"""Ties among best values are broken as by hand, for cuts between scores and for values of a setting alike."""

from __future__ import annotations

import numpy as np

from agreement.best_value import BestRun, best_run, folds_of

NAN = np.nan


def test_the_widest_run_of_best_values_is_taken_by_its_middle() -> None:
    # best at 1 and 2, and at 4 and 5, which lie further apart; the last is best alone
    values = np.array([0.5, 0.9, 0.9, NAN, 0.9, 0.9, 0.1, 0.9])
    settings = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.8, 0.9, 1.0])
    assert best_run(values, settings, settings) == BestRun(4, 5, 0.4 / 2 + 0.8 / 2)
    # as cuts, each from its setting up to the next: the run at 0.1 and 0.2 ends at 0.3, that at 0.4 and 0.8 at 0.9
    edges = np.r_[settings, 1.1]
    assert best_run(values, edges[:-1], edges[1:]) == BestRun(4, 5, 0.4 / 2 + 0.9 / 2)


def test_of_equally_wide_runs_the_lowest_and_what_only_rounding_parts_is_equally_good() -> None:
    values = np.array([0.7, 0.7 - 1e-15, 0.2, 0.7, 0.7])
    at = np.arange(5.0)
    assert best_run(values, at, at) == BestRun(0, 1, 0.5)
    assert best_run(values - 0.1 * (at < 2), at, at) == BestRun(3, 4, 3.5)


def test_folds_part_the_prompts_evenly() -> None:
    folds = folds_of(23, 5, np.random.default_rng(0))
    assert sorted(np.bincount(folds).tolist()) == [4, 4, 5, 5, 5]
    assert folds_of(23, 5, np.random.default_rng(1)).tolist() != folds.tolist()
