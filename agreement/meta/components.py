"""Variance components of people's ratings: how much prompts, images, persons and the rest make ratings differ.

Model: rating = mean + prompt + image + person + residual, all random and independent; of the prompt's effect some part is the
same for all generators (crossed random effects; Searle, Casella and McCulloch 1992, Variance Components). Estimated by moments:
half the mean square of the difference of two ratings is the sum of the components that the two do not share, so each class of
pairs (same image; same prompt and generator; same prompt; other prompts; each by one person or by two) gives one equation. In a
balanced design these are the estimates of the analysis of variance; neither iterations nor balance is needed. An estimate can
fall below 0 by chance.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from agreement.inference.intervals import Deletions, Deviations
from agreement.meta.units import RatedUnits
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, sums_by


@dataclass(frozen=True)
class Components:
    """Variance components with their jackknife replicates: each array is (1 + replicates,), the estimate first.

    Attributes:
        prompt: of prompts within a generator; what cannot be told from it is in it.
        own: that part of it which is the generator's own, not shared by generators; NaN with one generator.
        image: of images of one prompt and generator; NaN with one image each: then it is in `prompt`.
        person: of persons' severity; NaN where persons are not identified, or all said the same images: in `residual`.
        residual: the rest; NaN where no image has two ratings: then it is in `image`, or in `prompt`.
        images: mean number of rated images of a prompt and generator.
        ratings: mean number of ratings of an image.
        persons: how many people rated.
        prompts: how many prompts.
    """

    prompt: FloatArray
    own: FloatArray
    image: FloatArray
    person: FloatArray
    residual: FloatArray
    images: float
    ratings: float
    persons: int
    prompts: int

    def deviations(self, values: FloatArray) -> Deviations:
        """How one of the components, or a number made of them, varies over prompts."""
        return Deviations.of(values, self.prompts)


@dataclass(frozen=True)
class _PairDifferences:
    """Squared differences of pairs of ratings, summed, and the number of pairs; both orders count; (1 + replicates,)."""

    squares: FloatArray
    count: FloatArray

    def __sub__(self, other: _PairDifferences) -> _PairDifferences:
        return _PairDifferences(self.squares - other.squares, self.count - other.count)

    @property
    def half_mean(self) -> FloatArray:
        """Half the mean square; NaN where there is no pair."""
        return ratio(self.squares, 2.0 * np.where(self.count < 0.5, 0.0, self.count))


@dataclass(frozen=True)
class _PairClass:
    """Pairs that share a level but not the one below, by one person or by two."""

    every: _PairDifferences
    same_person: _PairDifferences

    def without_persons(self, person: FloatArray) -> FloatArray:
        """Half the mean square, less what persons add to pairs of two of them."""
        two = 1.0 - ratio(self.same_person.count, self.every.count)
        return self.every.half_mean - two * np.nan_to_num(person)

    @property
    def person(self) -> FloatArray:
        """How much more two persons' ratings differ than one person's."""
        return (self.every - self.same_person).half_mean - self.same_person.half_mean


def variance_components(
    units: RatedUnits,
    chosen: BoolArray,
    deletions: Deletions,
    *,
    within_generators: bool,
    without: Collection[int] = (),
) -> Components:
    """The components of the ratings of some units.

    Args:
        units: of an aspect whose ratings are numbers.
        chosen: (units,), which of them.
        deletions: over the prompts.
        within_generators: whether generators' means are taken off first.
        without: codes of persons whose ratings are left out; the prompts stay the same.
    """
    people = units.people
    rows = np.flatnonzero(chosen[people.unit])
    every_prompt = np.unique(units.prompt[people.unit[rows]])
    rows = rows[~np.isin(people.person[rows], np.array([*without], np.int64))]
    unit, value = people.unit[rows], people.value[rows]
    identified = people.identified[people.person[rows]]
    # who is not identified is a person of his own in each rating
    person = np.where(identified, people.person[rows], len(people.persons) + np.arange(rows.size))
    generator, prompt = units.generator[unit], units.prompt[unit]
    value = value - _group_mean(generator if within_generators else np.zeros_like(generator), value)
    prompt = np.searchsorted(every_prompt, prompt)
    groups = deletions.weights(every_prompt.size).shape[0] - 1
    group = prompt % groups if groups else np.zeros_like(prompt)
    cell = _joint(prompt, generator)

    def pairs(key: IntArray) -> _PairDifferences:
        return _pairs(key, value, group, groups)

    image, in_cell, in_prompt, anywhere = (pairs(key) for key in (unit, cell, prompt, np.zeros_like(prompt)))
    own_cell, own_prompt, own = (pairs(_joint(person, key)) for key in (cell, prompt, np.zeros_like(prompt)))
    images = _PairClass(in_cell - image, own_cell)
    generators = _PairClass(in_prompt - in_cell, own_prompt - own_cell)
    prompts = _PairClass(anywhere - in_prompt, own - own_prompt)
    by_person = prompts.person
    rest = image.half_mean - np.nan_to_num(by_person)
    within_cell = images.without_persons(by_person)
    within_prompt = generators.without_persons(by_person)
    within_all = prompts.without_persons(by_person)
    # what is not told apart goes up: the residual into images, images into prompts
    known_rest = np.nan_to_num(rest)
    inside = np.where(np.isnan(within_cell), known_rest, within_cell)
    return Components(
        prompt=within_all - inside,
        own=within_prompt - inside,
        image=within_cell - known_rest,
        person=by_person,
        residual=rest,
        images=np.unique(unit).size / max(np.unique(cell).size, 1),
        ratings=rows.size / max(np.unique(unit).size, 1),
        persons=int(np.unique(people.person[rows]).size),
        prompts=int(every_prompt.size),
    )


def _group_mean(group: IntArray, value: FloatArray) -> FloatArray:
    """For each value the mean of its group."""
    codes = np.unique(group, return_inverse=True)[1]
    size = int(codes.max(initial=-1)) + 1
    return ratio(sums_by(codes, size, value), np.bincount(codes, minlength=size).astype(float))[codes]


def _joint(first: IntArray, second: IntArray) -> IntArray:
    """One code for each combination of two codes."""
    return first * (int(second.max(initial=0)) + 2) + second + 1


def _pairs(key: IntArray, value: FloatArray, group: IntArray, groups: int) -> _PairDifferences:
    """The pairs of ratings that share a key, in all and without each group of prompts: from n, sum and sum of squares."""
    code = np.unique(key, return_inverse=True)[1]
    size = int(code.max(initial=-1)) + 1
    columns = (np.ones(value.size), value, value * value)
    n, s, q = (sums_by(code, size, column) for column in columns)
    squares, count = np.full(1 + groups, 2.0 * (n * q - s * s).sum()), np.full(1 + groups, (n * n - n).sum())
    if groups:
        # only the keys that have ratings in a group change without it
        both, at = np.unique(code * groups + group, return_inverse=True)
        of, out = both // groups, both % groups
        less_n, less_s, less_q = (
            total[of] - sums_by(at, both.size, column) for total, column in zip((n, s, q), columns, strict=True)
        )
        change = 2.0 * (less_n * less_q - less_s * less_s) - 2.0 * (n * q - s * s)[of]
        squares[1:] += sums_by(out, groups, change)
        count[1:] += sums_by(out, groups, (less_n * less_n - less_n) - (n * n - n)[of])
    return _PairDifferences(np.maximum(squares, 0.0), count)
