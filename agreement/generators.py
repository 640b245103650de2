"""Paired comparison of generators: the difference of two generators' means, with interval and test, over the prompts.

Generators are asked the same prompts, some of which are hard for all of them: so both means are made again without each
prompt in turn, and what varies is their difference (a paired comparison). The mean of a generator is that of all ratings of its
images, as in the report (`mean`), so that the difference is the difference of the two numbers that are printed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from agreement.inference.hypothesis_tests import holm, sign_flips
from agreement.inference.intervals import CONTRAST, Deletions, Deviations, interval
from agreement.numeric import FloatArray, ratio


@dataclass(frozen=True, slots=True)
class GeneratorDifference:
    """Two generators compared on the prompts that both were asked.

    Attributes:
        first, second: their names.
        value: mean of ``first`` less mean of ``second``.
        low, high: its 95 % interval; None where there is none, and ``method`` says why.
        p: two-sided, by sign flips over prompts; None for fewer than two prompts.
        p_holm: corrected for all pairs that were compared together.
        prompts: that both were asked.
        wins, losses, ties: of prompts, where the mean of ``first`` is higher, lower, or the same.
        method: in words, how the interval was made.
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
    method: str

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
        ratings: one row per rating that counts, with the columns ``prompt``, ``generator`` and ``value`` (finite). What has
            no prompt, or no generator, is left out.
        reference: the generator that all others are compared with.
    """
    ratings = ratings.dropna(subset=["prompt", "generator"])
    if ratings.empty:
        return []
    table = ratings.groupby(["prompt", "generator"], observed=True)["value"].agg(["sum", "count"]).unstack(fill_value=0)
    names = [str(name) for name in sorted(set(ratings["generator"]))]
    if reference is not None and reference not in names:
        return []
    pairs = combinations(names, 2) if reference is None else ((reference, name) for name in names if name != reference)
    by_generator = {name: [table[kind][name].to_numpy(float) for kind in ("sum", "count")] for name in names}
    comparisons = []
    for first, second in pairs:
        columns = [column for both in zip(by_generator[first], by_generator[second], strict=True) for column in both]
        shared = (columns[2] > 0) & (columns[3] > 0)
        if shared.any():
            sums, counts = (np.stack([column[shared] for column in pair], axis=1) for pair in (columns[:2], columns[2:]))
            comparisons.append(_difference(first, second, sums, counts))
    corrected = holm([each.p for each in comparisons])
    return [replace(each, p_holm=p) for each, p in zip(comparisons, corrected, strict=True)]


def _difference(first: str, second: str, sums: FloatArray, counts: FloatArray) -> GeneratorDifference:
    """From sums and numbers of ratings, each (prompts, 2)."""
    prompts = len(sums)
    weights = Deletions(wanted=True).weights(prompts)
    means = ratio(weights @ sums, weights @ counts)
    values = means[:, 0] - means[:, 1]
    deviations = Deviations.of(values, prompts)
    bounds = interval(float(values[0]), deviations, CONTRAST)
    by_prompt = ratio(sums, counts)
    apart = np.round(by_prompt[:, 0] - by_prompt[:, 1], 12)
    wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
    return GeneratorDifference(
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
        method=f"difference of means over shared prompts; {bounds.note}",
    )


def rank_sets(differences: list[GeneratorDifference]) -> dict[str, RankSet]:
    """The rank set of each generator, from all pairs of them (1 is best: the highest mean)."""
    names = sorted({name for each in differences for name in (each.first, each.second)})
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for each in differences:
        if each.significant:
            ahead, behind = (each.first, each.second) if each.value > 0 else (each.second, each.first)
            better[behind] += 1
            worse[ahead] += 1
    return {name: RankSet(1 + better[name], len(names) - worse[name]) for name in names}
