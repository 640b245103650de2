"""Labelled sample: units of which a scorer judged all and people some, drawn by chance; its delete-one jackknife.

What is drawn by chance depends on the target. New *prompts*: prompts with all their units, and which of these are labelled;
each prompt in turn is left out of both samples. *These* units: only which of them are labelled, and each label in turn is
left out, times the share of units without one (finite population correction; Cochran 1977, Sampling Techniques, ch. 2). Units
with and without a label are samples of their own, and so strata of the jackknife, as of two samples of unequal size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from agreement.inference.intervals import Deviations
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio

Target = Literal["prompts", "these"]


@dataclass(frozen=True)
class LabelledSample:
    """Units of one stratum (a task), each judged by one scorer.

    Attributes:
        prompt: (units,) codes, shared by all samples that are compared.
        prompts: how many codes there are.
        label: (units,) people's mean; NaN where there is none.
        verdict: (units,) the scorer's, all finite.
        probability: (units,) with which a labelled unit was drawn, in (0, 1]; None: the same for all.
        unit: (units,) codes, shared in the same way.
        units: how many there are.
        target: what the estimate is about.
        whole_prompts: whether prompts were drawn, with all their units, not units.
    """

    prompt: IntArray
    prompts: int
    label: FloatArray
    verdict: FloatArray
    unit: IntArray
    units: int
    target: Target = "prompts"
    probability: FloatArray | None = None
    whole_prompts: bool = False

    @cached_property
    def labelled(self) -> BoolArray:
        """(units,)"""
        return np.isfinite(self.label)

    @property
    def size(self) -> int:
        """How many units."""
        return int(self.label.size)

    @property
    def n(self) -> int:
        """How many labelled units."""
        return int(self.labelled.sum())

    @property
    def by_prompt(self) -> bool:
        """Whether prompts are left out one by one; otherwise labels are."""
        return self.target == "prompts" or self.whole_prompts

    @cached_property
    def weight(self) -> FloatArray:
        """(units,) how many units a labelled one stands for; 0 for the others."""
        chance = np.full(self.size, max(self.n, 1) / max(self.size, 1)) if self.probability is None else self.probability
        return np.where(self.labelled, 1.0 / np.where(self.labelled, chance, 1.0), 0.0)

    @property
    def group(self) -> IntArray:
        """(units,) codes of what is left out one by one."""
        return self.prompt if self.by_prompt else self.unit

    @property
    def groups(self) -> int:
        """How many codes there are."""
        return self.prompts if self.by_prompt else self.units

    @property
    def many(self) -> str:
        """What is left out one by one."""
        return "prompts" if self.by_prompt else "labels"

    def mean_verdict(self) -> FloatArray:
        """The scorer's mean of all units, and its replicates."""
        _, every = self.sums(np.zeros((self.size, 1)), np.stack([np.ones(self.size), self.verdict], axis=1))
        return ratio(every[:, 1], every[:, 0])

    def sums(self, of_labelled: FloatArray, of_all: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Sums of columns over labelled and over all units: a row of all, then one without each prompt (or label)."""
        group, groups = self.group, self.groups
        marked = np.where(self.labelled[:, None], of_labelled, 0.0)
        deleted = cluster_sums(marked, group, groups)
        everything = cluster_sums(of_all, group, groups) if self.target == "prompts" else np.zeros((groups, of_all.shape[1]))
        return _without_each(deleted), of_all.sum(axis=0) - np.vstack([np.zeros(of_all.shape[1]), everything])

    def replicates(self, values: FloatArray, share: float, *, labels_alone: bool = False) -> Replicates:
        """From a statistic's value and its replicates (1 + groups,), which make up a ``share`` of the whole."""
        group, groups = self.group, self.groups
        drawn = np.bincount(group[self.labelled], minlength=groups) > 0
        there = np.bincount(group, minlength=groups) > 0
        left = np.ones(groups)
        if self.target == "these":
            # a group of units is left out whole; with one unit each these are shares of units
            left = np.full(groups, 1.0 - drawn.sum() / max(there.sum(), 1))
            if self.probability is not None and not self.whole_prompts:
                left[self.unit[self.labelled]] = 1.0 - self.probability[self.labelled]
        present = drawn if labels_alone or self.target == "these" else there
        return Replicates(share * float(values[0]), share * values[1:], drawn, present, left)


def _without_each(sums: FloatArray) -> FloatArray:
    total = sums.sum(axis=0)
    return np.vstack([total, total - sums])


@dataclass(frozen=True)
class Replicates:
    """What a stratum adds to an estimate, and the same without each group (a prompt or a label).

    Attributes:
        value: what it adds.
        values: (groups,) the same without each.
        drawn: which groups have labels.
        present: which are part of the sample.
        left: share of the population that the labels leave out; 1 where the population has no end.
    """

    value: float
    values: FloatArray
    drawn: BoolArray
    present: BoolArray
    left: FloatArray

    @property
    def n_drawn(self) -> int:
        """How many groups have labels."""
        return int((self.present & self.drawn).sum())

    def __neg__(self) -> Replicates:
        return replace(self, value=-self.value, values=-self.values)

    def __sub__(self, other: Replicates) -> Replicates:
        """Of a difference: what both samples have in common is left out of both at once."""
        changes = (self.values - self.value) - (other.values - other.value)
        left = np.where(self.present, self.left, other.left)
        value = self.value - other.value
        return Replicates(value, value + changes, self.drawn | other.drawn, self.present | other.present, left)

    def strata(self) -> list[FloatArray]:
        """Replicates less their mean: of groups with labels, and of the others."""
        masks = [self.present & self.drawn, self.present & ~self.drawn]
        if masks[1].sum() == 1:
            masks = [self.present]
        parts = [self.values[mask] for mask in masks if mask.any()]
        lefts = [self.left[mask] for mask in masks if mask.any()]
        return [(part - part.mean()) * np.sqrt(left) for part, left in zip(parts, lefts, strict=True)]


def deviations(parts: Sequence[Replicates]) -> Deviations:
    """Of the sum of all strata, for its interval."""
    strata: list[FloatArray] = []
    values: list[float] = []
    freedom = 0
    for part in parts:
        made = part.strata()
        strata += made
        values += [part.value] + [0.0] * (len(made) - 1)
        freedom += part.n_drawn - 1
    return Deviations(tuple(strata), tuple(values), sum(each.size for each in strata), max(freedom, 1))
