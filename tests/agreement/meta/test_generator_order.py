"""The order of generators, beside mt-metrics-eval's soft pairwise accuracy restated, scipy's Kendall, and loops."""

from __future__ import annotations

from itertools import combinations, permutations
from statistics import NormalDist

import numpy as np
import pytest

from agreement.inference.intervals import Deletions
from agreement.meta import generator_order
from agreement.meta.generator_order import PairedDifferences
from agreement.numeric import FloatArray
from tests.agreement.oracles import stats


def scores(seed: int, prompts: int = 8, generators: int = 4) -> tuple[FloatArray, FloatArray]:
    """People's and a rater's, (generators, prompts), in eighths: with ties."""
    rng = np.random.default_rng(seed)
    people, rater = (rng.integers(0, 9, (generators, prompts)) / 8 for _ in range(2))
    return people + np.arange(generators)[:, None] / 8, rater


def differences(people: FloatArray, rater: FloatArray) -> PairedDifferences:
    generator, prompt = np.indices(people.shape)
    columns = prompt.ravel(), generator.ravel(), people.ravel(), rater.ravel()
    return PairedDifferences.of(*columns, people.shape[1])


def compute_pairwise_p_values(seg_scores: FloatArray, two_m_minus_one: FloatArray) -> FloatArray:
    """mt_metrics_eval.pce, with the flips given, in double precision."""
    systems = len(seg_scores)
    sys_scores, partial = seg_scores.sum(1), two_m_minus_one @ seg_scores.T
    p = np.full((systems, systems), np.nan)
    for i, j in combinations(range(systems), 2):
        p[i, j] = np.mean(partial[:, i] - partial[:, j] >= sys_scores[i] - sys_scores[j])
    return p


def compute_one_minus_pce(people: FloatArray, rater: FloatArray) -> float:
    return float(1.0 - np.mean(np.abs(people - rater)[np.triu_indices(len(people), 1)]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("prompts", [3, 8, 20])
def test_soft_pairwise_accuracy_is_that_of_mt_metrics_eval(seed: int, prompts: int) -> None:
    people, rater = scores(seed, prompts)
    signs = generator_order.sign_matrix(prompts)
    assert len(signs) == (2**prompts if prompts <= 12 else 1 + generator_order.FLIPS)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    made = differences(people, rater)
    soft = generator_order.soft_accuracy(*(generator_order.one_sided(side, signs) for side in (made.people, made.rater)))
    assert soft == pytest.approx(
        compute_one_minus_pce(*(compute_pairwise_p_values(side, signs) for side in (people, rater))), abs=1e-9
    )


def test_drawn_p_are_those_of_z_with_the_jackknifes_covariance() -> None:
    people, rater = scores(3, 40)
    made, prompts = differences(people, rater), 40
    both = np.concatenate([made.people, made.rater], axis=1)

    def z(rows: FloatArray) -> FloatArray:
        return np.array([rows[:, k].sum() / np.sqrt((rows[:, k] ** 2).sum()) for k in range(rows.shape[1])])

    without = np.array([z(np.delete(both, left, axis=0)) for left in range(prompts)])
    covariance = (prompts - 1) ** 2 / prompts * np.cov(without.T)
    noise = generator_order.spread_noise(prompts, prompts, Deletions(wanted=True)) / generator_order.DRAWN_SPREAD
    drawn = np.concatenate([generator_order.drawn_one_sided(side, noise) for side in (made.people, made.rater)], axis=1)
    inside = (drawn > 1e-6).all(0) & (drawn < 1 - 1e-6).all(0)
    assert inside.sum() > 5
    result = np.array([NormalDist().inv_cdf(1 - p) for p in drawn[:, inside].ravel()]).reshape(-1, int(inside.sum()))
    assert np.median(result, axis=0) == pytest.approx(z(both)[inside], abs=0.15)
    # t with 39 degrees of freedom has 39 / 37 of the variance
    assert np.cov(result.T) == pytest.approx(covariance[np.ix_(inside, inside)] * 39 / 37, abs=0.15)


@pytest.mark.parametrize("seed", range(12))
def test_accuracy_and_tau_of_means_are_those_of_loops_and_scipy(seed: int) -> None:
    people, rater = scores(seed)
    made = differences(people, rater)
    own = [side[0] for side in made.signs(np.ones((1, people.shape[1])))]
    pairs = list(combinations(range(len(people)), 2))
    means = people.mean(1), rater.mean(1)
    alike = [np.sign(means[0][i] - means[0][j]) == np.sign(means[1][i] - means[1][j]) for i, j in pairs]
    assert generator_order.same_order(*own) == pytest.approx(np.mean(alike), abs=1e-12)
    tau = generator_order.kendall(*own)
    expected = stats.kendalltau(*means).statistic
    assert float(tau) == pytest.approx(expected, abs=1e-9, nan_ok=True)
    luck = []
    for order in permutations(range(len(people))):
        shuffled = means[1][list(order)]
        luck.append(
            sum(np.sign(means[0][i] - means[0][j]) == np.sign(shuffled[i] - shuffled[j]) for i, j in pairs) >= sum(alike)
        )
    assert generator_order.by_lot(made, *own) == pytest.approx(np.mean(luck), abs=1e-12)


def test_only_shared_prompts_are_compared() -> None:
    # a and b share prompt 0, b and c prompt 1, a and c none
    prompt, generator = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2])
    made = PairedDifferences.of(prompt, generator, np.array([1.0, 0, 0, 1]), np.array([5.0, 4, 4, 2]), 2)
    assert list(zip(made.first.tolist(), made.second.tolist(), strict=True)) == [(0, 1), (1, 2)]
    people, rater = made.signs(np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert people.ravel().tolist() == pytest.approx([1, -1, np.nan, -1], nan_ok=True)
    assert generator_order.same_order(people, rater).tolist() == pytest.approx([0.5, np.nan], nan_ok=True)
    assert generator_order.by_lot(made, people[0], rater[0]) is None


def test_a_constant_rater_orders_nothing() -> None:
    people, _ = scores(1)
    made = differences(people, np.zeros_like(people))
    own = [side[0] for side in made.signs(np.ones((1, people.shape[1])))]
    assert np.isnan(generator_order.kendall(*own))
    assert generator_order.by_lot(made, *own) == 1.0
