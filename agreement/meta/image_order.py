"""Pairwise accuracy within prompts, ties calibrated: does a rater choose the better image of a prompt, as people do?

Over the pairs of images of one prompt (Deutsch, Foster and Freitag 2023, arXiv 2305.14324)

    accuracy = (C + T_both) / (C + D + T_people + T_rater + T_both)

with C concordant and D discordant pairs, and ties of people alone, of the rater alone, and of both; then the mean over prompts.
People often find two images equally good, a score of many digits hardly ever does: so two of its values are tied if they are
at most epsilon apart. Epsilon is the one with the highest accuracy on other prompts: these are dealt into five folds, and on
each fold stands the epsilon of the other four (cross-fitting), so that no prompt has a say in its own. Ten such splits are
drawn; the accuracy is the mean of theirs, and its variance the mean of each split's own and of its squared distance from that
mean (Chernozhukov et al. 2018, Econometrics Journal 21, section 3.4): how much it matters which epsilon is chosen shows in how
far splits are apart. They choose on four fifths of the same prompts, so that this distance counts four times, as in a jackknife
without a fifth (Shao and Wu 1989, Annals of Statistics 17). (Epsilon chosen anew without each prompt jumps, and the jackknife
of a jump is too wide.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agreement.inference.intervals import Deletions
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, sums_by

FOLDS, SPLITS = 5, 10
_DIGITS = 12


@dataclass(frozen=True)
class ImagePairs:
    """Pairs of images of one prompt that were compared by the same two sides.

    Attributes:
        prompt: (pairs,) codes below `prompts`.
        tied: whether people find both equally good.
        apart: how far apart the rater's two values are, 0 or more.
        concordant: whether its order is theirs; False where either has none.
        unit: the size of the rater's values; distances that differ by twelve digits less are equal.
    """

    prompt: IntArray
    tied: BoolArray
    apart: FloatArray
    concordant: BoolArray
    unit: float
    prompts: int

    @classmethod
    def of(cls, group: IntArray, prompt: IntArray, people: FloatArray, rater: FloatArray, prompts: int) -> ImagePairs:
        """All pairs within a group (those of one prompt that one rater saw), from both sides' values by image."""
        first, second = pairs_within(group)
        units = [float(np.abs(values).max(initial=0.0)) or 1.0 for values in (people, rater)]
        # 0.3 - 0.2 is as much as 0.2 - 0.1
        theirs, own = (
            np.round((values[first] - values[second]) / unit, _DIGITS)
            for values, unit in zip((people, rater), units, strict=True)
        )
        return cls(prompt[first], theirs == 0, np.abs(rater[first] - rater[second]), theirs * own > 0, units[1], prompts)

    @property
    def weight(self) -> FloatArray:
        """(pairs,): a prompt's pairs weigh 1 together."""
        return 1.0 / np.bincount(self.prompt, minlength=self.prompts)[self.prompt]

    def accuracy(self, epsilon: float | FloatArray) -> FloatArray:
        """(prompts,): NaN without pairs. `epsilon`: for all, or by prompt."""
        most = epsilon if isinstance(epsilon, float) else epsilon[self.prompt]
        near = np.round((self.apart - most) / self.unit, _DIGITS) <= 0
        right = np.where(near, self.tied, self.concordant)
        return ratio(sums_by(self.prompt, self.prompts, right), sums_by(self.prompt, self.prompts, np.ones(right.size)))


@dataclass(frozen=True)
class Calibrated:
    """The mean accuracy over prompts, followed by its jackknife replicates.

    Attributes:
        values: (1 + replicates,).
        epsilon: the one chosen on all prompts, for use on others.
        prompts: (known,) those with pairs.
        accuracy: (known,) by prompt, with the epsilon that others chose, mean of the splits.
    """

    values: FloatArray
    epsilon: float
    prompts: IntArray
    accuracy: FloatArray


def calibrated(pairs: ImagePairs, deletions: Deletions, epsilon: float | None = None) -> Calibrated:
    """With epsilon cross-fitted, or given. Of a single prompt it is 0: there is no other to choose it on."""
    present = np.unique(pairs.prompt)
    weights = deletions.weights(present.size)
    if epsilon is not None or present.size < 2:
        fixed = epsilon or 0.0
        accuracy = pairs.accuracy(fixed)[present]
        return Calibrated(ratio(weights @ accuracy, weights.sum(1)), fixed, present, accuracy)
    thresholds = _Thresholds.of(pairs)
    accuracy = np.array([pairs.accuracy(each)[present] for each in _cross_fitted(pairs, thresholds, present, deletions)])
    values = (weights @ accuracy.T / weights.sum(1, keepdims=True)).T
    everything = thresholds.values[thresholds.best(np.ones(pairs.prompt.size, bool))]
    return Calibrated(_mean_of_splits(values), float(everything), present, accuracy.mean(0))


def _cross_fitted(pairs: ImagePairs, thresholds: _Thresholds, present: IntArray, deletions: Deletions) -> Iterator[FloatArray]:
    """For each split the epsilon of each prompt, (prompts,), which its fold had no say in."""
    generator, folds = deletions.generator(), min(FOLDS, present.size)
    for _ in range(SPLITS):
        fold = np.full(pairs.prompts, -1)
        fold[generator.permutation(present)] = np.arange(present.size) % folds
        chosen = np.array([thresholds.best(fold[pairs.prompt] != each) for each in range(folds)])
        yield thresholds.values[chosen][fold]


def _mean_of_splits(values: FloatArray) -> FloatArray:
    """The mean of splits (splits, 1 + replicates), its replicates drawn out so that their variance is the whole one."""
    mean, replicates = np.asarray(values.mean(0), dtype=np.float64), values.shape[1] - 1
    if not replicates:
        return mean
    # (G - 1) / G times a sum of squares
    factor = replicates - 1
    within = factor * float(values[:, 1:].var(1).mean())
    # d prompts of n left out: (n - d) / d times the variance
    between, own = (FOLDS - 1) * float(values[:, 0].var()), factor * float(mean[1:].var())
    if own > 0:
        mean[1:] = mean[1:].mean() + (mean[1:] - mean[1:].mean()) * np.sqrt((within + between) / own)
    return mean


@dataclass(frozen=True)
class _Thresholds:
    """All epsilons that make a difference, ascending from 0, and what each adds to the accuracy, by pair."""

    values: FloatArray
    place: IntArray
    added: FloatArray

    @classmethod
    def of(cls, pairs: ImagePairs) -> _Thresholds:
        every = np.r_[0.0, pairs.apart]
        _, first, place = np.unique(np.round(every / pairs.unit, _DIGITS), return_index=True, return_inverse=True)
        # up to its distance a pair is right if people tie it, too; before, if the order is theirs
        added = pairs.weight * (pairs.tied.astype(float) - pairs.concordant)
        return cls(every[first], place[1:], added)

    def best(self, inside: BoolArray) -> int:
        """Where the smallest of those with the highest accuracy over some pairs stands."""
        totals = np.cumsum(np.bincount(self.place, self.added * inside, self.values.size))
        return int(np.argmax(np.round(totals, _DIGITS - 3)))


def pairs_within(group: IntArray) -> tuple[IntArray, IntArray]:
    """The positions of all pairs that share a code, the earlier first."""
    order = np.argsort(group, kind="stable")
    _, starts, sizes = np.unique(group[order], return_index=True, return_counts=True)
    firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        i, j = np.triu_indices(int(size), 1)
        firsts.append(members[:, i].ravel())
        seconds.append(members[:, j].ravel())
    return np.concatenate(firsts), np.concatenate(seconds)
