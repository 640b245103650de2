"""Do more votes go with a higher metric? Spearman's rho over generators and tasks (SelfEval, Figure 6).

A point is one generator in one task: how many votes with a clear preference people gave it there, and the metric's mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agreement.inference.jackknife import LEVEL, Interval
from agreement.numeric import FloatArray, IntArray, ratio
from agreement.preferences.measured import Measured
from agreement.preferences.votes import Vote
from agreement.preferences.winners import same_order
from agreement.statistics.correlation import of_centred, spearman, why_undefined
from agreement.statistics.units import Units
from agreement.study.cells import Options

RESAMPLES: Final = 2000
_HOW: Final = "Spearman's rho over generators and tasks of votes with a clear preference and the metric's mean"
TOO_FEW: Final = "fewer than two generators and tasks have both votes and a mean"


@dataclass(frozen=True, slots=True)
class Mean:
    """A metric's values of one generator's images of one prompt: their sum and number; prompt None: a total, of no prompt."""

    task: str
    generator: str
    prompt: str | None
    total: float
    n: int


@dataclass(frozen=True, slots=True)
class Winning:
    """A point: one generator in one task."""

    task: str
    generator: str
    votes: int
    mean: float


@dataclass(frozen=True)
class Ranked:
    """Spearman's rho of a metric's means and people's winning votes.

    Attributes:
        rho: its ``items`` are the points, its ``ratings`` the votes.
        agreeing, opposed: tasks with two generators in which metric and votes put them in the same, in the other order.
    """

    points: tuple[Winning, ...]
    rho: Measured
    agreeing: tuple[str, ...]
    opposed: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class _Point:
    task: str
    generator: str


@dataclass(frozen=True)
class _Table:
    """Sums by cluster (clusters, points): votes, the metric's values and their number.

    Clusters are prompts, or tasks: then ``tasks`` is that of each point, else None.
    """

    votes: FloatArray
    total: FloatArray
    n: FloatArray
    points: tuple[_Point, ...]
    tasks: IntArray | None


def ranked(votes: Sequence[Vote], means: Sequence[Mean], options: Options | None = None) -> Ranked:
    """One metric beside people's votes.

    The ranks of a few points are no smooth function of the prompts, so the interval is a percentile bootstrap: prompts are
    drawn with replacement, with their votes and values together. Where a side is known as totals only, tasks are: that is
    all there is to vary then. Draws in which the value is undefined are left out, and counted.
    """
    wanted = options or Options()
    table = _table(votes, means)
    clusters = table.votes.shape[0]
    weights = _drawn(clusters, wanted)
    x, y = weights @ table.votes, ratio(weights @ table.total, weights @ table.n)
    points = tuple(Winning(at.task, at.generator, int(x[0, k]), float(y[0, k])) for k, at in enumerate(table.points))
    # a resample holds the points of a task as often as the task was drawn
    rho = _rho(x, y) if table.tasks is None else spearman(x[0], y[0], Units(table.tasks, clusters), weights)
    counts = len(points), int(x[0].sum())
    if np.isnan(rho[0]):
        why = TOO_FEW if len(points) < 2 else why_undefined(x[0], y[0], ("the number of votes", "the metric"))
        found = Measured(None, None, None, *counts, why, _HOW)
    else:
        bounds = _percentiles(rho[1:], f"{clusters} {'prompts' if table.tasks is None else 'tasks'}", wanted)
        method = "; ".join(part for part in (_HOW, bounds.note) if part)
        found = Measured(float(rho[0]), bounds.low, bounds.high, *counts, None, method)
    agreeing, opposed = _orders(points)
    return Ranked(points, found, agreeing, opposed)


def _drawn(clusters: int, options: Options) -> FloatArray:
    """How often each cluster stands in the sample itself (first row, ones) and in each of RESAMPLES draws with replacement."""
    weights = np.ones((1, clusters))
    if clusters < 2 or not options.intervals:
        return weights
    generator = np.random.default_rng(options.seed)
    return np.concatenate([weights, generator.multinomial(clusters, np.full(clusters, 1 / clusters), RESAMPLES)])


def _percentiles(replicates: FloatArray, clusters: str, options: Options) -> Interval:
    """The 2.5th and 97.5th percentile; none where more than half are undefined, or where both are the same."""
    known = replicates[~np.isnan(replicates)]
    left = replicates.size - known.size
    if not replicates.size:
        return Interval(note=f"no interval: {clusters.removesuffix('s')}" if options.intervals else None)
    if 2 * left > replicates.size:
        return Interval(note=f"no interval: undefined in {left} of {replicates.size} resamples")
    low, high = np.percentile(known, [50 - LEVEL / 2, 50 + LEVEL / 2])
    if not low < high:
        return Interval(note=f"no interval: the same in nearly all of {replicates.size} resamples of {clusters}")
    words = f"{LEVEL}% percentile bootstrap over {clusters}, {RESAMPLES} resamples, seed {options.seed}"
    return Interval(float(low), float(high), words + (f", {left} undefined ones left out" if left else ""))


def _table(votes: Sequence[Vote], means: Sequence[Mean]) -> _Table:
    counting = [vote for vote in votes if vote.excluded is None]
    met = {_Point(vote.task, name) for vote in counting for name in (vote.first, vote.second)}
    points = tuple(sorted(met & {_Point(mean.task, mean.generator) for mean in means}))
    place = {point: k for k, point in enumerate(points)}
    used = [mean for mean in means if _Point(mean.task, mean.generator) in place]
    clear = [vote for vote in counting if vote.clear and _Point(vote.task, str(vote.chose)) in place]
    by_prompt = None not in {*(mean.prompt for mean in used), *(vote.prompt for vote in counting)}

    def cluster(one: Vote | Mean) -> str:
        return str(one.prompt) if by_prompt else one.task

    code = {name: k for k, name in enumerate(sorted({*map(cluster, used), *map(cluster, counting)}))}
    chosen, total, n = np.zeros((3, len(code), len(points)))
    for vote in clear:
        chosen[code[cluster(vote)], place[_Point(vote.task, str(vote.chose))]] += 1
    for mean in used:
        at = code[cluster(mean)], place[_Point(mean.task, mean.generator)]
        total[at] += mean.total
        n[at] += mean.n
    tasks = None if by_prompt else np.array([code[point.task] for point in points], np.int64)
    return _Table(chosen, total, n, points, tasks)


def _rho(x: FloatArray, y: FloatArray) -> FloatArray:
    """Of (R, points) each row's rho; a point without a mean in a resample makes that one undefined."""
    from scipy.stats import rankdata  # as in ``significance``

    if x.shape[1] < 2:
        return np.full(len(x), np.nan)
    known = np.asarray(~np.isnan(y).any(axis=1))
    a, b = (rankdata(np.where(known[:, None], v, 0.0), axis=1) for v in (x, y))
    a, b = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    rho = of_centred((a * b).sum(axis=1), (a * a).sum(axis=1), (b * b).sum(axis=1))
    return np.where(known, rho, np.nan)


def _orders(points: Sequence[Winning]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tasks: dict[str, list[Winning]] = {}
    for point in points:
        tasks.setdefault(point.task, []).append(point)
    found: Mapping[str, bool | None] = {
        task: same_order({p.generator: p.votes for p in two}, {p.generator: p.mean for p in two})
        for task, two in tasks.items()
        if len(two) == 2
    }
    return tuple(t for t, same in found.items() if same), tuple(t for t, same in found.items() if same is False)
