"""Pairwise accuracy with calibrated ties, beside mt-metrics-eval's tau optimisation restated, and folds by loops."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from agreement.inference.intervals import Deletions, Deviations
from agreement.meta.image_order import FOLDS, SPLITS, ImagePairs, calibrated

Rows = list[tuple[int, float, float]]
"""Prompt, people's value, the rater's."""


def ugly(seed: int, prompts: int = 9) -> Rows:
    """Prompts of one to five images, people's values with many ties, the rater's in eighths."""
    rng = np.random.default_rng(seed)
    return [
        (p, float(rng.integers(0, 3)) / 2, float(rng.integers(-6, 7)) / 8)
        for p in range(prompts)
        for _ in range(int(rng.integers(1, 6)))
    ]


def pairs_of(rows: Rows) -> ImagePairs:
    prompt, people, rater = (np.array(column) for column in zip(*rows, strict=True))
    return ImagePairs.of(prompt, prompt, people, rater, int(prompt.max()) + 1)


def right(first: tuple[int, float, float], second: tuple[int, float, float], epsilon: float) -> bool:
    """`acc_23` of one pair: concordant, or tied by both."""
    theirs, own = first[1] - second[1], first[2] - second[2]
    if abs(own) <= epsilon:
        return theirs == 0
    return theirs * own > 0


def accuracies(rows: Rows, epsilon: float) -> dict[int, float]:
    """By prompt with any pair."""
    by_prompt: dict[int, Rows] = {}
    for row in rows:
        by_prompt.setdefault(row[0], []).append(row)
    pairs = {prompt: list(combinations(images, 2)) for prompt, images in by_prompt.items()}
    return {p: float(np.mean([right(*pair, epsilon) for pair in every])) for p, every in pairs.items() if every}


def tau_optimization(rows: Rows) -> tuple[float, float]:
    """mt_metrics_eval.tau_optimization with acc_23: the best threshold, the first of equals, and its mean over rows."""
    thresholds = sorted({0.0, *(abs(a[2] - b[2]) for a, b in combinations(rows, 2) if a[0] == b[0])})
    means = [round(float(np.mean(list(accuracies(rows, each).values()))), 9) for each in thresholds]
    best = int(np.argmax(means))
    return thresholds[best], float(np.mean(list(accuracies(rows, thresholds[best]).values())))


@pytest.mark.parametrize("seed", range(12))
def test_accuracy_and_epsilon_are_those_of_mt_metrics_eval(seed: int) -> None:
    rows = ugly(seed)
    pairs, (threshold, tau) = pairs_of(rows), tau_optimization(rows)
    made = calibrated(pairs, Deletions(wanted=True))
    assert made.epsilon == pytest.approx(threshold, abs=1e-9)
    assert np.nanmean(pairs.accuracy(threshold)) == pytest.approx(tau, abs=1e-9)
    for epsilon in (0.0, 0.25, 5.0):
        expected = accuracies(rows, epsilon)
        given = calibrated(pairs, Deletions(wanted=True), epsilon)
        assert dict(zip(given.prompts.tolist(), given.accuracy, strict=True)) == pytest.approx(expected, abs=1e-9)


def cross_fitted(rows: Rows, folds: list[set[int]]) -> dict[int, float]:
    """By prompt, with the threshold of the prompts of other folds."""
    results: dict[int, float] = {}
    for fold in folds:
        threshold, _ = tau_optimization([row for row in rows if row[0] not in fold])
        results |= {p: value for p, value in accuracies(rows, threshold).items() if p in fold}
    return results


@pytest.mark.parametrize("seed", range(4))
def test_a_prompt_has_no_say_in_its_own_epsilon(seed: int) -> None:
    rows, deletions = ugly(seed, 13), Deletions(wanted=True, seed=seed)
    made = calibrated(pairs_of(rows), deletions)
    present, generator = np.array(sorted(accuracies(rows, 0.0))), deletions.generator()
    splits = []
    for _ in range(SPLITS):
        dealt = generator.permutation(present)
        results = cross_fitted(rows, [{int(p) for p in dealt[fold::FOLDS]} for fold in range(FOLDS)])
        splits.append([results[int(p)] for p in present])
    by_prompt = np.mean(splits, axis=0)
    assert made.prompts.tolist() == present.tolist()
    assert made.accuracy == pytest.approx(by_prompt, abs=1e-9)
    assert made.values[0] == pytest.approx(by_prompt.mean(), abs=1e-9)
    # the mean of the splits' variances of a mean, and four times that of their squared distances from the mean of all
    own = [np.var(split, ddof=1) / present.size for split in splits]
    apart = [(np.mean(split) - by_prompt.mean()) ** 2 for split in splits]
    whole = np.mean(own) + 4 * np.mean(apart)
    assert sum(Deviations.of(made.values, present.size).variances) == pytest.approx(whole, rel=1e-9)


def test_equal_steps_of_decimals_are_equally_far_apart() -> None:
    pairs = pairs_of([(0, 0.0, 0.1), (0, 0.5, 0.2), (0, 1.0, 0.3), (0, 1.0, 0.4)])
    # at 0.1 the three neighbours are tied by the rater, of which people tie one
    assert pairs.accuracy(0.1)[0] == pytest.approx(4 / 6)
    assert pairs.accuracy(0.0)[0] == pytest.approx(5 / 6)


def test_a_constant_rater_is_right_where_people_tie() -> None:
    rows = [(p, float(k // 2), 3.0) for p in range(4) for k in range(4)]
    made = calibrated(pairs_of(rows), Deletions(wanted=True))
    assert made.accuracy.tolist() == pytest.approx([1 / 3] * 4)
    assert made.values.tolist() == pytest.approx([1 / 3] * 5)
