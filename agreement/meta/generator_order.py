"""The order of generators by two sides: pairwise accuracy and Kendall's tau of means, and soft pairwise accuracy.

Generators share prompts, so each two are compared on those that both were asked: d_p is the difference of their means on prompt
p, its mean over prompts puts them in order. By two sides (people, and a scorer) of the same images:

- pairwise accuracy: the share of pairs that both put in the same order, ties being an order of their own (Kocmi et al. 2021);
- Kendall's tau-b of the same signs;
- soft pairwise accuracy = 1 - mean |p_people - p_rater|, where p is the one-sided p of a pair by flipping signs of d_p
  (Thompson, Mathur, Deutsch and Khayrallah 2024, arXiv 2409.09598): an order that nothing supports counts as half right.

The first two are steps of few pairs, so their intervals come from resampled prompts. The third is bent and bounded where both
sides tell generators apart, so it is drawn where it is neither: p is nearly Phi(-z), z = sum d / sqrt(sum d^2), and all z of
both sides are normal together, with the jackknife's covariance over prompts. Draws of z around theirs, carried through Phi,
give percentiles. p would vary in other studies whatever the generators, so the mean p varies less with z than p does: of the
draws' spread DRAWN_SPREAD covers (by simulation, `benchmarks/meta/ranking.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from agreement.inference.hypothesis_tests import all_flips, drawn_signs
from agreement.inference.intervals import Deletions
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, sums_by

FLIPS = 1000
"""So many drawn flips where there are too many, as in mt-metrics-eval."""
RESAMPLES = 1000
DRAWN_SPREAD = 0.8
"""How far z is drawn, in its standard errors: the mean p of such studies is what the interval is to cover."""
_MOST_PERMUTED, _DRAWN = 7, 5000
_ROUNDING = 1e-9
"""Sums of values in units of the largest that are as close are equal."""


@dataclass(frozen=True)
class PairedDifferences:
    """Differences of generators' means by prompt and by pair of generators, in the order of their codes.

    Attributes:
        people, rater: (prompts, pairs), 0 where not `shared`.
        shared: whether both generators have images of the prompt that both sides rated.
        first, second: (pairs,), the generators' codes.
    """

    people: FloatArray
    rater: FloatArray
    shared: BoolArray
    first: IntArray
    second: IntArray

    @classmethod
    def of(
        cls, prompt: IntArray, generator: IntArray, people: FloatArray, rater: FloatArray, prompts: int
    ) -> PairedDifferences:
        """From both sides' values by image; generators' codes below 0 are none. Pairs without a shared prompt are left out."""
        known = generator >= 0
        names, code = np.unique(generator[known], return_inverse=True)
        cell = prompt[known] * names.size + code
        counts = sums_by(cell, prompts * names.size, np.ones(cell.size)).reshape(prompts, names.size)
        means = [
            ratio(sums_by(cell, counts.size, scaled(side)[known]), counts.ravel()).reshape(counts.shape)
            for side in (people, rater)
        ]
        i, j = np.triu_indices(names.size, 1)
        shared = (counts[:, i] > 0) & (counts[:, j] > 0)
        some = shared.any(0)
        i, j, shared = i[some], j[some], shared[:, some]
        apart = [np.where(shared, side[:, i] - side[:, j], 0.0) for side in means]
        return cls(apart[0], apart[1], shared, names[i], names[j])

    @property
    def size(self) -> int:
        """How many pairs of generators."""
        return int(self.first.size)

    def signs(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Which generator of each pair is better by people and by the rater, (weightings, pairs): 1, 0 or -1.

        NaN where no shared prompt has weight.
        """
        return self.signs_of(self.people, weights), self.signs_of(self.rater, weights)

    def signs_of(self, side: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the same for one of the sides, `people` or `rater`."""
        some = weights.sum(1, keepdims=True) > 0 if self.shared.all() else weights @ self.shared > 0
        return np.asarray(np.where(some, np.sign(np.round(weights @ side, 9)), np.nan), dtype=np.float64)


def scaled(values: FloatArray) -> FloatArray:
    """In units of the largest: what order they stand in does not change."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0 else values


def same_order(people: FloatArray, rater: FloatArray) -> FloatArray:
    """Pairwise accuracy of signs (..., pairs): NaN where one of them is undefined."""
    undefined = np.isnan(people + rater).any(-1)
    return np.asarray(np.where(undefined, np.nan, (people == rater).mean(-1)), dtype=np.float64)


def kendall(people: FloatArray, rater: FloatArray) -> FloatArray:
    """Kendall's tau-b of signs (..., pairs): NaN where one side ties all."""
    return ratio((people * rater).sum(-1), np.sqrt((people**2).sum(-1) * (rater**2).sum(-1)))


def sign_matrix(prompts: int) -> FloatArray:
    """Signs to flip by: (flips, prompts), the first row without a flip; all of them where they are few."""
    every = all_flips(prompts)
    return np.r_[np.ones((1, prompts)), drawn_signs(FLIPS, prompts)] if every is None else 1.0 - 2.0 * every


def one_sided(differences: FloatArray, signs: FloatArray) -> FloatArray:
    """p of each pair's sum of `differences` (prompts, pairs): the share of flips with a sum as high, (pairs,)."""
    return np.asarray((signs @ differences >= differences.sum(0) - _ROUNDING).mean(0), dtype=np.float64)


def drawn_one_sided(differences: FloatArray, noise: FloatArray) -> FloatArray:
    """p of studies like this one, (draws, pairs), from `differences` (prompts, pairs) and `spread_noise` (draws, prompts)."""
    from scipy.special import ndtr  # takes a while to load

    sums, squares = differences.sum(0), (differences**2).sum(0)
    z = ratio(sums, np.sqrt(squares))
    less = np.sqrt(np.maximum(squares - differences**2, 0.0))
    without = np.where(less > _ROUNDING, (sums - differences) / np.where(less > _ROUNDING, less, 1.0), 0.0)
    return np.asarray(ndtr(-np.nan_to_num(z + noise @ (without - without.mean(0)))), dtype=np.float64)


def spread_noise(prompts: int, rated: int, deletions: Deletions) -> FloatArray:
    """Multipliers of what each prompt's leaving out moves, (RESAMPLES, prompts): normal, and t in all as `rated` are few."""
    generator, freedom = deletions.generator(), max(rated - 1, 1)
    normal = generator.normal(size=(RESAMPLES, prompts))
    wide = np.sqrt(freedom / generator.chisquare(freedom, (RESAMPLES, 1)) * freedom / (freedom + 1))
    return np.asarray(DRAWN_SPREAD * wide * normal, dtype=np.float64)


def soft_accuracy(people: FloatArray, rater: FloatArray) -> FloatArray:
    """Soft pairwise accuracy from both sides' p, (..., pairs)."""
    return np.asarray(1.0 - np.abs(people - rater).mean(-1), dtype=np.float64)


def by_lot(differences: PairedDifferences, people: FloatArray, rater: FloatArray) -> float | None:
    """How likely a random order has as many pairs right as the rater: p, exact up to seven generators.

    From both sides' signs, (pairs,). None where not every two generators share a prompt.
    """
    names, codes = np.unique(np.r_[differences.first, differences.second], return_inverse=True)
    i, j = codes[: differences.size], codes[differences.size :]
    if differences.size < names.size * (names.size - 1) // 2:
        return None
    of_rater = np.zeros((names.size, names.size))
    of_rater[i, j], of_rater[j, i] = rater, -rater
    orders = _orders(names.size)
    right = (of_rater[orders[:, i], orders[:, j]] == people).sum(1)
    return float((right >= (rater == people).sum()).mean())


@lru_cache(16)
def _orders(size: int) -> IntArray:
    """All orders of so many, or drawn ones and the one that is."""
    if size <= _MOST_PERMUTED:
        return np.array(list(permutations(range(size))), np.int64)
    generator = np.random.default_rng(0)
    return np.array([np.arange(size), *(generator.permutation(size) for _ in range(_DRAWN))], np.int64)
