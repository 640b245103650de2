"""A number with its interval, as every part of this package gives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.inference.jackknife import SHARE, Deletions, Kind
from agreement.numeric import IntArray, cluster_sums, ratio
from agreement.study.cells import Options
from agreement.study.outcome import Outcome, Used, interval, outcome


@dataclass(frozen=True)
class Measured:
    """One number: its 95 % interval, what it rests on, and what was left out; ``value`` None has a ``reason``."""

    value: float | None
    low: float | None
    high: float | None
    items: int
    ratings: int
    reason: str | None
    method: str
    excluded: Mapping[str, int] = field(default_factory=dict)


def measured(made: Outcome, kind: Kind, *, by_prompt: bool = True) -> Measured:
    """An outcome with its interval."""
    bounds, method = interval(made, kind, by_prompt=by_prompt)
    used = made.used
    return Measured(made.value, bounds.low, bounds.high, used.items, used.ratings, made.reason, method, dict(used.excluded))


@dataclass(frozen=True)
class Clusters:
    """The prompts of votes as codes; a pair whose prompt is not known stands for itself."""

    codes: IntArray
    size: int
    known: bool

    @classmethod
    def of(cls, prompts: Sequence[str | None], pairs: Sequence[str]) -> Clusters:
        """By prompt, else by pair."""
        names = [("prompt", p) if p is not None else ("pair", pair) for p, pair in zip(prompts, pairs, strict=True)]
        place = {name: n for n, name in enumerate(sorted(set(names)))}
        codes = np.array([place[name] for name in names], np.int64)
        return cls(codes, len(place), all(p is not None for p in prompts))


@dataclass(frozen=True)
class Hits:
    """Yes or no of each vote, whose votes they are (``clusters``), and what they rest on."""

    yes: Sequence[bool]
    clusters: Clusters
    items: int
    excluded: Mapping[str, int]


def share(hits: Hits, options: Options, how: str, reason: str) -> Measured:
    """The share of hits, 0 to 1; ``reason`` says why there is none."""
    columns = np.stack([np.array(hits.yes, float), np.ones(len(hits.yes))], axis=1).reshape(-1, 2)
    clusters = hits.clusters
    sums = Deletions(options.intervals).weights(clusters.size) @ cluster_sums(columns, clusters.codes, clusters.size)
    used = Used(hits.items, len(hits.yes), clusters.size, hits.excluded)
    return measured(outcome(ratio(sums[:, 0], sums[:, 1]), reason, used, how), SHARE, by_prompt=clusters.known)
