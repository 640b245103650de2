"""Tuning a setting: the best value and what it is worth out of fold, against scikit-learn by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agreement.best_value import FOLDS, Objective, fold_generator, folds_of
from agreement.tuning import ItemCells, Tuned, YesNoCounts, tune
from concord.common.reason_sentences import text
from tests.agreement.oracles import metrics

Ints = NDArray[np.int64]
AT = np.linspace(0, 1, 11)


def vote_counts(no: list[int], yes: list[int]) -> YesNoCounts:
    n = np.array(no, float), np.array(yes, float)
    return YesNoCounts(*n, n[0] + n[1] > 0)


def item_cells(cluster: Ints) -> ItemCells:
    nothing = np.full(cluster.size, -1)
    return ItemCells((), (), nothing, nothing, cluster)


def measure(objective: str, numbers: Ints, people: YesNoCounts, inside: NDArray[np.bool_]) -> float:
    """Of every pair of a verdict and a rating, one by one."""
    mine: list[int] = []
    theirs: list[int] = []
    for k in np.flatnonzero(inside & (numbers >= 0)):
        ratings = [0] * int(people.no[k]) + [1] * int(people.yes[k])
        mine += [int(numbers[k])] * len(ratings)
        theirs += ratings
    if not mine:
        return float("nan")
    if objective == "cohen_kappa":
        return float("nan") if len({*mine, *theirs}) < 2 else float(metrics.cohen_kappa_score(mine, theirs))
    return float(metrics.accuracy_score(mine, theirs))


def best_of(values: list[float]) -> int:
    """The middle of the widest run of best ones, of an even number the lower."""
    top = np.nanmax(values)
    good = [value > top - 1e-9 for value in values]
    runs = [
        (first, last)
        for first in range(len(good))
        for last in range(first, len(good))
        if all(good[first : last + 1]) and not (first and good[first - 1]) and not (last + 1 < len(good) and good[last + 1])
    ]
    first, last = max(runs, key=lambda run: (round(AT[run[1]] - AT[run[0]], 9), -run[0]))
    return (first + last) // 2


def drawn(seed: int) -> tuple[Ints, YesNoCounts, Ints]:
    """Verdicts at eleven values that go up and down, ratings by up to four, and the prompts of sixty images."""
    rng = np.random.default_rng(seed)
    n = 60
    truth = rng.random(n) < 0.5
    turning = rng.random(n)
    said = np.where((AT[:, None] > turning) == truth, 1, 0)
    said[:, rng.random(n) < 0.1] ^= 1
    said[3:6, rng.random(n) < 0.3] = 0
    said[:, rng.random(n) < 0.05] = -1
    ratings = rng.integers(0, 5, n)
    yes = rng.binomial(ratings, np.where(truth, 0.85, 0.2))
    return said.astype(np.int64), vote_counts((ratings - yes).tolist(), yes.tolist()), rng.integers(0, 20, n)


@pytest.mark.parametrize("objective", ["percent_agreement", "cohen_kappa"])
@pytest.mark.parametrize("seed", range(6))
def test_against_brute_force(seed: int, objective: Objective) -> None:
    said, people, cluster = drawn(seed)
    tuned = tune(AT, said, people, item_cells(cluster), objective, seed=seed)
    every = np.ones(cluster.size, bool)
    values = [measure(objective, row, people, every) for row in said]
    assert tuned.values == pytest.approx(values)
    assert tuned.best == best_of(values)
    met = (people.no + people.yes > 0) & (said >= 0).any(0)
    assert (tuned.n_items, tuned.n_ratings) == (met.sum(), (people.no + people.yes)[met].sum())
    known = np.unique(cluster[met])
    dealt = folds_of(known.size, FOLDS, fold_generator(seed, "all"))
    fold = np.array([dealt[np.searchsorted(known, entry)] if entry in known else -1 for entry in cluster])
    decided = np.full(cluster.size, -1)
    for left_out in range(FOLDS):
        index = best_of([measure(objective, row, people, met & (fold != left_out)) for row in said])
        assert tuned.fold_best[left_out] == index
        decided[fold == left_out] = said[index][fold == left_out]
        assert tuned.fold_values[left_out] == pytest.approx(measure(objective, said[index], people, met & (fold == left_out)))
    assert tuned.out_of_fold == pytest.approx(measure(objective, decided, people, met))


def test_no_fold_has_a_prompt_of_another() -> None:
    # images of one prompt are alike; each prompt is only right at its own value, so nothing that is learnt holds elsewhere
    cluster = np.repeat(np.arange(11), 4)
    said = (np.arange(11)[:, None] == cluster).astype(np.int64)
    tuned = tune(AT, said, vote_counts([0] * 44, [1] * 44), item_cells(cluster), "percent_agreement")
    assert tuned.best is not None
    assert tuned.values[tuned.best] == pytest.approx(1 / 11)
    assert tuned.out_of_fold == 0.0


def test_the_middle_of_the_widest_run() -> None:
    # right at 0.1 to 0.2 and at 0.5 to 0.9
    right = np.isin(np.arange(11), [1, 2, 5, 6, 7, 8, 9])
    repeat = np.repeat(right.astype(np.int64)[:, None], 10, 1)
    tuned = tune(AT, repeat, vote_counts([0] * 10, [1] * 10), item_cells(np.arange(10)), "percent_agreement")
    assert (tuned.best, tuned.run) == (7, (5, 9))
    assert set(tuned.fold_best) == {7}
    assert tuned.out_of_fold == 1.0


def test_the_folds_of_a_task_are_its_own() -> None:
    said, people, cluster = drawn(3)
    tuned, other = (tune(AT, said, people, item_cells(cluster), "cohen_kappa", task=task) for task in ("all", "counting"))
    assert tuned.values == other.values
    assert tuned.fold_values != other.fold_values


ALIKE = np.ones((11, 10), np.int64)
TURNING = np.where(AT[:, None] > np.linspace(0, 0.9, 10), 1, 0)


@pytest.mark.parametrize(
    ("said", "people", "cluster", "why"),
    [
        (TURNING, vote_counts([0] * 10, [0] * 10), np.arange(10), "share no unit"),
        (np.full((11, 10), -1), vote_counts([1] * 10, [1] * 10), np.arange(10), "share no unit"),
        (ALIKE, vote_counts([1] * 10, [1] * 10), np.arange(10), "no value of this setting changes a verdict"),
        (TURNING, vote_counts([0, 1] * 5, [1, 0] * 5), np.arange(10) % 4, "4 prompts cannot be dealt into 5 folds"),
        (TURNING, vote_counts([0] * 10, [1] * 10), np.arange(10), None),
    ],
)
def test_why_nothing_is_chosen(said: Ints, people: YesNoCounts, cluster: Ints, why: str | None) -> None:
    tuned: Tuned = tune(AT, said, people, item_cells(cluster), "cohen_kappa")
    assert len(tuned.values) == 11
    if why is None:
        # people only say yes: kappa is 0 wherever the scorer also says no, and undefined elsewhere; that is still the best
        assert tuned.best is not None
        return
    assert why in (text(tuned.reason) if tuned.reason else "")
    assert (tuned.best, tuned.fold_best, tuned.out_of_fold) == (None, (), None)


def test_undefined_everywhere() -> None:
    said = np.ones((11, 10), np.int64)
    said[4:, 0] = -1
    value: Any = tune(AT, said, vote_counts([0] * 10, [1] * 10), item_cells(np.arange(10)), "cohen_kappa")
    assert value.values == (None,) * 11
    assert text(value.reason) == "it is undefined at every value"
