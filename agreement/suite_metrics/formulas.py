"""The formulas of VISOR's and GenEval's metrics, each once, on images counted by prompt.

`judge visor --summary` sums trials as they are; estimates weight them, to leave out
one prompt after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Final

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.suite_metrics.catalogue import (
    GENEVAL_ALL,
    GENEVAL_ANY,
    GENEVAL_IMAGES,
    VISOR_COND,
    VISOR_N,
    VISOR_OA,
    VISOR_UNCOND,
)


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """Images counted by prompt and generator, one entry for each; an image that is undecided in something does not count there.

    Attributes:
        images: images of which it is decided whether they are correct; `correct` of them are.
        seen: images of which it is decided whether both objects are there; in `both` of them they are.
        judged: images with both objects of which it is decided whether they are correct; `right` of them are.
    """

    images: IntArray
    correct: IntArray
    seen: IntArray
    both: IntArray
    judged: IntArray
    right: IntArray

    @classmethod
    def decided(cls, images: Sequence[int], both: Sequence[int], correct: Sequence[int]) -> PromptCounts:
        """Return the counts of a rater that decides everything, and is never right without both objects."""
        n, shown, right = (np.array(counts, np.int64) for counts in (images, both, correct))
        return cls(n, right, n, shown, shown, right)

    def take(self, prompts: BoolArray) -> PromptCounts:
        """Return the counts of some of the prompts."""
        return PromptCounts(*(getattr(self, column.name)[prompts] for column in fields(self)))


@dataclass(frozen=True, slots=True)
class Trials:
    """A share as `hits` of `n` trials, one entry for each prompt or pair of prompts."""

    hits: FloatArray
    n: FloatArray

    @property
    def percent(self) -> float | None:
        """Return all hits by all trials, in percent; None without a trial."""
        return float(100 * self.hits.sum() / self.n.sum()) if self.n.sum() else None


def at_least(counts: PromptCounts, n: int) -> Trials:
    """Return the prompts of which n images or more are correct, of all prompts."""
    return _trials(counts.correct >= n, counts.images > 0)


def _trials(hits: IntArray | BoolArray, n: IntArray | BoolArray) -> Trials:
    return Trials(np.asarray(hits, float), np.asarray(n, float))


TRIALS: Final[Mapping[str, Callable[[PromptCounts], Trials]]] = {
    VISOR_OA: lambda counts: _trials(counts.both, counts.seen),
    VISOR_UNCOND: lambda counts: _trials(counts.correct, counts.images),
    VISOR_COND: lambda counts: _trials(counts.right, counts.judged),
    **{name: partial(at_least, n=n) for n, name in VISOR_N.items()},
    GENEVAL_IMAGES: lambda counts: _trials(counts.correct, counts.images),
    GENEVAL_ANY: lambda counts: at_least(counts, 1),
    GENEVAL_ALL: lambda counts: _trials((counts.images > 0) & (counts.correct == counts.images), counts.images > 0),
}
"""The trials of each metric that is a share of images or of prompts."""


@dataclass(frozen=True, slots=True)
class EquivalentPrompts:
    """The place of a prompt among those that ask the same in other words.

    Attributes:
        pair: the same for both prompts of a pair, such as "a left of b" and "b right of a".
        first: True for the one under whose relation the pair stands.
        relation: the relation that it asks for.
    """

    pair: str
    first: bool
    relation: str


@dataclass(frozen=True, slots=True)
class PairTrials:
    """The pairs of images of each pair of equivalent prompts that are drawn alike; `pair` names each, once for a group."""

    relation: str
    pair: tuple[str, ...]
    trials: Trials


def equivalent_trials(
    counts: PromptCounts, places: Sequence[EquivalentPrompts], groups: Sequence[object] | None = None
) -> list[PairTrials]:
    """Return the trials of VISOR's consistency, by relation in the order in which relations first come.

    A pair of images is one of each of two equivalent prompts, both with both objects; it is alike where both are correct or
    neither is. Prompts that ask the same in the same order count as one.

    Args:
        counts: images by prompt.
        places: the place of each prompt.
        groups: what each prompt's images have in common, such as the generator; pairs are made within a group.
    """
    of_group = groups if groups is not None else [None] * len(places)
    sides: dict[tuple[object, str], list[list[int]]] = {}
    relations: dict[tuple[object, str], str] = {}
    for k, (place, group) in enumerate(zip(places, of_group, strict=True)):
        key = (group, place.pair)
        side = sides.setdefault(key, [[0, 0], [0, 0]])[0 if place.first else 1]
        side[0] += int(counts.right[k])
        side[1] += int(counts.judged[k])
        if place.first:
            relations[key] = place.relation
    by_relation: dict[str, list[tuple[str, int, int]]] = {relation: [] for relation in relations.values()}
    for key, relation in relations.items():
        (right, n), (other, m) = sides[key]
        by_relation[relation].append((key[1], right * other + (n - right) * (m - other), n * m))
    return [
        PairTrials(
            relation,
            tuple(pair for pair, _, _ in pairs),
            _trials(np.array([alike for _, alike, _ in pairs]), np.array([n for _, _, n in pairs])),
        )
        for relation, pairs in by_relation.items()
    ]
