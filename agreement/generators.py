"""Means of generators, and their paired differences: one formula each, whoever rates and wherever they are shown.

The mean of a generator is the mean over its images of each image's mean answer: an image that more people answered about weighs
no more than another. Prompts are left out one by one. The difference of two generators is that of their means over the prompts
that both were asked, some of which are hard for all of them: both means are made again without each prompt in turn, and what
varies is their difference (a paired comparison).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from agreement.inference.hypothesis_tests import holm, sign_flips
from agreement.inference.intervals import CONTRAST, CONTRAST_OF_SHARES, Deletions, Deviations, interval, spread
from agreement.inference.sample_size import more_prompts
from agreement.numeric import FloatArray, IntArray, ratio, share_of
from agreement.reasons import Method, MethodCode, joined


def mean_of_images(unit: IntArray, value: FloatArray, place: IntArray, weights: FloatArray) -> FloatArray:
    """Mean over images of the mean answer about each, in every resample.

    Args:
        unit: (answers,) codes 0, 1, ... of what was judged: an image, or a target of it.
        value: (answers,)
        place: (units,) the prompt of each.
        weights: (resamples, prompts).
    """
    answers = np.bincount(unit, minlength=place.size)
    mean = ratio(np.bincount(unit, value, place.size).astype(float), answers.astype(float))
    return share_of(np.nan_to_num(mean), (answers > 0).astype(float), place, weights)


@dataclass(frozen=True, slots=True)
class GeneratorDifference:
    """Two generators compared on the prompts that both were asked.

    Attributes:
        first, second: their names.
        value: mean of ``first`` less mean of ``second``, images weighing equally.
        low, high: its 95 % interval; None where there is none, and ``method`` says why.
        p: two-sided, by sign flips over prompts; None for fewer than two prompts.
        p_holm: corrected for all pairs that were compared together.
        prompts: that both were asked; answers: the ratings of their images.
        wins, losses, ties: of prompts, where the mean of ``first`` is higher, lower, or the same.
        prompts_needed: with about so many more prompts four of five studies would leave 0 out, if the difference stayed as it
            is; None where 0 is out, or where nothing tells.
        method: how the difference and its interval were made.
    """

    first: str
    second: str
    value: float
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    prompts: int
    wins: int
    losses: int
    ties: int
    method: Method
    answers: int = 0
    prompts_needed: int | None = None

    @property
    def leaves_zero_out(self) -> bool:
        """Return True if the interval of the difference does not contain 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def significant(self) -> bool:
        """Whether the difference is told from none at 5 %, all pairs taken together."""
        return self.p_holm is not None and self.p_holm <= 0.05


@dataclass(frozen=True, slots=True)
class RankSet:
    """The ranks that a generator may have: from 1 + how many are significantly better to K less how many are worse."""

    best: int
    worst: int


def compare_generators(ratings: pd.DataFrame, reference: str | None = None) -> list[GeneratorDifference]:
    """Every two generators that share a prompt, in the order of their names; with a ``reference``, that one less each other.

    Args:
        ratings: one row per rating that counts, with the columns ``prompt``, ``generator``, ``item`` and ``value`` (finite).
            What has no prompt, or no generator, is left out.
        reference: the generator that all others are compared with.
    """
    ratings = ratings.dropna(subset=["prompt", "generator"])
    if ratings.empty:
        return []
    names, totals, images, answers = _by_prompt(ratings)
    if reference is not None and reference not in names:
        return []
    shares = bool(ratings.value.isin((0, 1)).all())
    own = None if reference is None else names.index(reference)
    places = range(len(names))
    pairs = combinations(places, 2) if own is None else ((own, other) for other in places if other != own)
    comparisons = []
    for first, second in pairs:
        both = [first, second]
        shared = (images[:, both] > 0).all(axis=1)
        if shared.any():
            n = int(answers[shared][:, both].sum())
            made = _difference(names[first], names[second], totals[shared][:, both], images[shared][:, both], n, shares=shares)
            comparisons.append(made)
    corrected = holm([each.p for each in comparisons])
    return [replace(each, p_holm=p) for each, p in zip(comparisons, corrected, strict=True)]


def generator_means(ratings: pd.DataFrame) -> dict[str, float]:
    """Mean of each generator, by name: over its images the mean of the answers about each; ``ratings`` as above."""
    ratings = ratings.dropna(subset=["prompt", "generator"])
    if ratings.empty:
        return {}
    names, totals, images, _ = _by_prompt(ratings)
    return dict(zip(names, (totals.sum(0) / images.sum(0)).tolist(), strict=True))


def _by_prompt(ratings: pd.DataFrame) -> tuple[list[str], FloatArray, FloatArray, FloatArray]:
    """Return the generators in order, and by prompt (in order) and generator: the sum of images' means, images, answers."""
    prompt, prompts = pd.factorize(ratings.prompt, sort=True)
    generator, generators = pd.factorize(ratings.generator, sort=True)
    item, items = pd.factorize(ratings.item)
    place = prompt * len(generators) + generator
    images, image = np.unique(place * len(items) + item, return_inverse=True)
    size = np.bincount(image).astype(float)
    mean = np.bincount(image, ratings.value.to_numpy(float)) / size
    of_image, shape = images // len(items), (len(prompts), len(generators))
    totals, counts, answers = (
        np.bincount(of_image, each, shape[0] * shape[1]).astype(float).reshape(shape)
        for each in (mean, np.ones(size.size), size)
    )
    return [str(name) for name in generators], totals, counts, answers


def _difference(
    first: str, second: str, sums: FloatArray, counts: FloatArray, answers: int, *, shares: bool
) -> GeneratorDifference:
    """Compare two generators from sums of their images' means and numbers of images, each (prompts, 2).

    ``shares``: whether all answers are 0 or 1, so that no difference leaves -1 to 1.
    """
    prompts = len(sums)
    weights = Deletions(wanted=True).weights(prompts)
    means = ratio(weights @ sums, weights @ counts)
    values = means[:, 0] - means[:, 1]
    deviations = Deviations.of(values, prompts)
    bounds = interval(float(values[0]), deviations, CONTRAST_OF_SHARES if shares else CONTRAST)
    by_prompt = ratio(sums, counts)
    apart = np.round(by_prompt[:, 0] - by_prompt[:, 1], 12)
    wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
    made = GeneratorDifference(
        first=first,
        second=second,
        value=float(values[0]),
        low=bounds.low,
        high=bounds.high,
        p=sign_flips(deviations.contributions) if prompts > 1 else None,
        p_holm=None,
        prompts=prompts,
        wins=wins,
        losses=losses,
        ties=prompts - wins - losses,
        method=joined(Method(MethodCode.DIFFERENCE_OF_MEANS), bounds.method, bounds.reason),
        answers=answers,
    )
    if made.low is None or made.leaves_zero_out or not round(made.value, 12):
        return made
    return replace(made, prompts_needed=more_prompts(spread(made.value, deviations), 0.0, prompts))


def leader(differences: Iterable[GeneratorDifference], generators: int) -> str | None:
    """Return the generator whose differences from all others leave 0 out and are in its favour; None where there is none.

    Args:
        differences: of pairs; those that rest on too little for a verdict are left out.
        generators: how many there are.
    """
    beaten = Counter(
        each.first if each.value > 0 else each.second for each in differences if each.leaves_zero_out and each.value
    )
    return next((name for name, n in beaten.items() if n == generators - 1), None)


def rank_sets(differences: list[GeneratorDifference], best: str | None = None) -> dict[str, RankSet]:
    """Return the rank set of each generator, from all pairs of them (1 is best: the highest mean).

    Args:
        differences: of all pairs, corrected together.
        best: a generator that each of its own differences tells from all others. That claim fails as soon as one of them does
            (an intersection-union test), so it needs no correction, and its pairs count as told apart.
    """
    names = sorted({name for each in differences for name in (each.first, each.second)})
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for each in differences:
        if each.significant or best in (each.first, each.second):
            ahead, behind = (each.first, each.second) if each.value > 0 else (each.second, each.first)
            better[behind] += 1
            worse[ahead] += 1
    return {name: RankSet(1 + better[name], len(names) - worse[name]) for name in names}
