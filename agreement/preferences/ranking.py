"""Ranking of generators by votes: Bradley-Terry strengths, and Spearman's rho of votes with a metric.

Bradley and Terry (1952, Biometrika 39) with Davidson's ties (1970, Journal of the American Statistical Association 65):
P(i beats j) = s_i / (s_i + s_j + v sqrt(s_i s_j)), and a tie has the share v sqrt(s_i s_j); v says how common ties are. The
logarithms are those of a multinomial logit model, whose likelihood is concave, and are found by Newton's method. There is a
maximum only if the graph with an arc from each winner to whom it beat, and both ways for a tie, is strongly connected (Ford
1957, American Mathematical Monthly 64); where ties alone connect it, there may be none.

Do more votes go with a higher metric? (SelfEval, Figure 6.) A point is one generator in one task: how many votes with a
clear preference people gave it there, and the metric's mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from agreement.estimate import Estimate
from agreement.estimates import with_interval
from agreement.inference.intervals import CONTRAST, LEVEL, Deletions, Interval, resamples
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio
from agreement.preferences.votes import Vote, VoterKey, clusters_of, grouped, left_out, same_order
from agreement.reasons import Method, MethodCode, Party, Reason, ReasonCode, joined
from agreement.statistics.correlation import Units, of_centred, spearman, why_undefined
from agreement.study.cells import ALL, Options, Used, outcome

_STEPS, _CLOSE, _LONGEST = 200, 1e-10, 1.0
_EQUAL: Final = 1e-9
"""Strengths are as close as that where they differ by what Newton's method leaves."""
NOT_CONNECTED: Final = Reason(ReasonCode.NOT_CONNECTED)
NO_MAXIMUM: Final = Reason(ReasonCode.NO_MAXIMUM)
_HOW = Method(MethodCode.LOG_STRENGTH)


@dataclass(frozen=True, slots=True)
class GeneratorStrength(VoterKey):
    """One generator in one task, or in all.

    Attributes:
        wins, losses, ties: votes of its pairs.
        strength: natural logarithm; those of all generators have the mean 0. With d more than another one it wins with
            probability 1 / (1 + exp(-d)), where a vote is clear.
        rank: from 1; equal strengths share the best. None where strengths are undefined.
    """

    task: str
    generator: str
    wins: int
    losses: int
    ties: int
    strength: Estimate
    rank: int | None


def generator_strengths(votes: Sequence[Vote], options: Options | None = None) -> list[GeneratorStrength]:
    """All generators that met, in each task and in all together, the strongest first."""
    counting = [vote for vote in votes if vote.excluded is None]
    tasks = [*grouped(counting, lambda vote: vote.task).items(), (ALL, counting)]
    wanted = options or Options()
    out = {name: [v for v in votes if v.excluded is not None and name in (ALL, v.task)] for name, _ in tasks}
    return [strength for name, part in tasks if part for strength in _strengths_in(name, part, out[name], wanted)]


def _strengths_in(task: str, votes: Sequence[Vote], out: Sequence[Vote], options: Options) -> list[GeneratorStrength]:
    names = sorted({name for vote in votes for name in (vote.first, vote.second)})
    index = {name: n for n, name in enumerate(names)}
    won = np.zeros((len(votes), 2, len(names), len(names)))
    for row, vote in zip(won, votes, strict=True):
        i, j = index[vote.first], index[vote.second]
        if not vote.clear:
            row[1, i, j] = row[1, j, i] = 1.0
        else:
            row[0, i, j], row[0, j, i] = float(vote.chose == vote.first), float(vote.chose == vote.second)
    clusters = clusters_of(votes)
    sums = cluster_sums(won.reshape(len(votes), -1), clusters.codes, clusters.size)
    wins, ties = np.moveaxis((Deletions(options.intervals).weights(clusters.size) @ sums).reshape(-1, *won.shape[1:]), 1, 0)
    log_strength = log_strengths(wins, ties)
    used = Used(clusters.pairs, len(votes), clusters.size, left_out(out))
    why = undefined(names, wins[0] + ties[0]) or NO_MAXIMUM
    made = [
        with_interval(outcome(log_strength[:, n], why, used, _HOW), CONTRAST, by_prompt=clusters.known)
        for n in range(len(names))
    ]
    rows = []
    for name, strength in zip(names, made, strict=True):
        mine = [vote for vote in votes if name in (vote.first, vote.second)]
        won_by_it, tied = sum(vote.chose == name for vote in mine), sum(not vote.clear for vote in mine)
        rank = None
        if strength.value is not None:
            rank = 1 + sum(other.value is not None and other.value - strength.value > _EQUAL for other in made)
        rows.append(GeneratorStrength(task, name, won_by_it, len(mine) - won_by_it - tied, tied, strength, rank))
    return sorted(rows, key=lambda each: (each.rank or 0, each.generator))


def log_strengths(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """Davidson's log strengths, mean 0: (..., G), NaN where undefined.

    Args:
        wins: (..., G, G), entry i, j is how often i beat j.
        ties: (..., G, G), symmetric: how often i and j tied.
    """
    n = wins.shape[-1]
    flat, tied = wins.reshape(-1, n, n), ties.reshape(-1, n, n)
    out = np.full((len(flat), n), np.nan)
    active = np.flatnonzero(connected(flat + tied))
    # log strengths, and the logarithm of how common ties are; without any it has no estimate, and is not needed
    at = np.zeros((active.size, n + 1))
    for _ in range(_STEPS):
        step = _newton_step(at, flat[active], tied[active])
        at = at + step / np.maximum(np.abs(step).max(axis=1, keepdims=True) / _LONGEST, 1.0)
        done = np.abs(step).max(axis=1) < _CLOSE
        out[active[done]] = at[done, :n]
        active, at = active[~done], at[~done]
        if not active.size:
            break
    # what has not settled after all steps has no estimate that could be told from infinity
    return out.reshape(*wins.shape[:-2], n)


def _newton_step(at: FloatArray, wins: FloatArray, ties: FloatArray) -> FloatArray:
    """From log strengths and log v (R, G + 1) towards the maximum of the likelihood."""
    n = wins.shape[-1]
    met, any_tie = wins + wins.swapaxes(1, 2) + ties, ties.any(axis=(1, 2))
    apart = at[:, :n, None] - at[:, None, :n]
    common = np.where(any_tie, np.exp(at[:, n]), 0.0)[:, None, None]
    tie = common / (np.exp(apart / 2) + np.exp(-apart / 2) + common)
    # points: 1 for a win and 1/2 for a tie, and what is expected of them
    points = 1.0 / (1.0 + np.exp(-apart)) * (1.0 - tie) + tie / 2.0
    slope = np.concatenate(
        [(wins + ties / 2.0 - met * points).sum(axis=2), (ties - met * tie).sum(axis=(1, 2))[:, None] / 2.0], axis=1
    )
    spread = met * (points * (1.0 - points) - tie / 4.0)
    curve = np.zeros((len(at), n + 1, n + 1))
    # strengths have no zero of their own: a constant for all would change nothing
    curve[:, :n, :n] = 1.0 / n - spread
    curve[:, range(n), range(n)] += spread.sum(axis=2)
    curve[:, :n, n] = curve[:, n, :n] = (met * (tie / 2.0 - points * tie)).sum(axis=2)
    curve[:, n, n] = np.where(any_tie, (met * (tie - tie**2)).sum(axis=(1, 2)) / 2.0, 1.0)
    slope[~any_tie, n] = 0.0
    return np.linalg.solve(curve + 1e-12 * np.eye(n + 1), slope[..., None])[..., 0]


def connected(wins: FloatArray) -> BoolArray:
    """Whether from each generator every other one is reached along wins: (R, G, G) to (R,)."""
    n = wins.shape[-1]
    reach = (wins > 0) | np.eye(n, dtype=bool)
    for middle in range(n):
        reach |= reach[:, :, middle, None] & reach[:, None, middle, :]
    return np.asarray(reach.all(axis=(1, 2)))


def undefined(names: Sequence[str], wins: FloatArray) -> Reason | None:
    """Why strengths are undefined, None if nothing is seen; ``wins`` with ties as a win of both."""
    if connected(wins[None])[0]:
        return None
    for ending, sums in (("lost", wins.sum(axis=1)), ("won", wins.sum(axis=0))):
        if alone := [name for name, points in zip(names, sums, strict=True) if not points]:
            return Reason(ReasonCode.EVERY_VOTE, generators=tuple(alone), ending=ending)
    return NOT_CONNECTED


RESAMPLES: Final = 2000
_HOW_CORRELATED: Final = Method(MethodCode.RHO_OF_VOTES)
TOO_FEW: Final = Reason(ReasonCode.FEWER_THAN_TWO_POINTS)


@dataclass(frozen=True, slots=True)
class MetricMean:
    """A metric's values of one generator's images of one prompt: their sum and number; prompt None: a total, of no prompt."""

    task: str
    generator: str
    prompt: str | None
    total: float
    n: int


@dataclass(frozen=True, slots=True)
class WinningVotes:
    """A point: one generator in one task."""

    task: str
    generator: str
    votes: int
    mean: float


@dataclass(frozen=True, slots=True)
class RankCorrelation(VoterKey):
    """Spearman's rho of a metric's means and people's winning votes.

    Attributes:
        rho: its ``items`` are the points, its ``ratings`` the votes.
        agreeing, opposed: tasks with two generators in which metric and votes put them in the same, in the other order.
    """

    points: tuple[WinningVotes, ...]
    rho: Estimate
    agreeing: tuple[str, ...]
    opposed: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class _Point:
    task: str
    generator: str


@dataclass(frozen=True)
class _ClusterSums:
    """Sums by cluster (clusters, points): votes, the metric's values and their number.

    Clusters are prompts, or tasks: then ``tasks`` is that of each point, else None.
    """

    votes: FloatArray
    total: FloatArray
    n: FloatArray
    points: tuple[_Point, ...]
    tasks: IntArray | None


def rank_correlation(votes: Sequence[Vote], means: Sequence[MetricMean], options: Options | None = None) -> RankCorrelation:
    """One metric beside people's votes.

    The ranks of a few points are no smooth function of the prompts, so the interval is a percentile bootstrap: prompts are
    drawn with replacement, with their votes and values together. Where a side is known as totals only, tasks are: that is
    all there is to vary then. Draws in which the value is undefined are left out, and counted.
    """
    wanted = options or Options()
    table = _table(votes, means)
    clusters = table.votes.shape[0]
    drawn = clusters >= 2 and wanted.intervals
    weights = resamples(clusters, RESAMPLES, np.random.default_rng(wanted.seed)) if drawn else np.ones((1, clusters))
    x, y = weights @ table.votes, ratio(weights @ table.total, weights @ table.n)
    points = tuple(WinningVotes(at.task, at.generator, int(x[0, k]), float(y[0, k])) for k, at in enumerate(table.points))
    # a resample holds the points of a task as often as the task was drawn
    rho = _rho(x, y) if table.tasks is None else spearman(x[0], y[0], Units(table.tasks, clusters), weights)
    estimate = Estimate(n_items=len(points), n_ratings=int(x[0].sum()), n_prompts=clusters, method=_HOW_CORRELATED)
    if np.isnan(rho[0]):
        why = TOO_FEW if len(points) < 2 else why_undefined(x[0], y[0], (Party.NUMBER_OF_VOTES, Party.METRIC))
        estimate = replace(estimate, reason=why)
    else:
        bounds = _percentiles(rho[1:], clusters, "prompts" if table.tasks is None else "tasks", wanted)
        method = joined(_HOW_CORRELATED, bounds.method, bounds.reason)
        estimate = replace(estimate, value=float(rho[0]), low=bounds.low, high=bounds.high, method=method)
    agreeing, opposed = _orders(points)
    return RankCorrelation(points, estimate, agreeing, opposed)


def _percentiles(replicates: FloatArray, n: int, clusters: str, options: Options) -> Interval:
    """The 2.5th and 97.5th percentile; none where more than half are undefined, or where both are the same."""
    known = replicates[~np.isnan(replicates)]
    left = replicates.size - known.size
    if not replicates.size:
        few = Interval.none(ReasonCode.SO_FEW_CLUSTERS, n=n, cluster=clusters.removesuffix("s"))
        return few if options.intervals else Interval()
    if 2 * left > replicates.size:
        return Interval.none(ReasonCode.UNDEFINED_RESAMPLES, left=left, resamples=replicates.size)
    low, high = np.percentile(known, [50 - LEVEL / 2, 50 + LEVEL / 2])
    if not low < high:
        return Interval.none(ReasonCode.SAME_RESAMPLES, resamples=replicates.size, n=n, clusters=clusters)
    method = Method(MethodCode.PERCENTILES, n=n, clusters=clusters, resamples=RESAMPLES, seed=options.seed, left_out=left)
    return Interval(float(low), float(high), method)


def _table(votes: Sequence[Vote], means: Sequence[MetricMean]) -> _ClusterSums:
    counting = [vote for vote in votes if vote.excluded is None]
    met = {_Point(vote.task, name) for vote in counting for name in (vote.first, vote.second)}
    points = tuple(sorted(met & {_Point(mean.task, mean.generator) for mean in means}))
    index = {point: k for k, point in enumerate(points)}
    used = [mean for mean in means if _Point(mean.task, mean.generator) in index]
    clear = [vote for vote in counting if vote.clear and _Point(vote.task, str(vote.chose)) in index]
    by_prompt = None not in {*(mean.prompt for mean in used), *(vote.prompt for vote in counting)}

    def cluster(row: Vote | MetricMean) -> str:
        return str(row.prompt) if by_prompt else row.task

    code = {name: k for k, name in enumerate(sorted({*map(cluster, used), *map(cluster, counting)}))}
    chosen, total, n = np.zeros((3, len(code), len(points)))
    for vote in clear:
        chosen[code[cluster(vote)], index[_Point(vote.task, str(vote.chose))]] += 1
    for mean in used:
        at = code[cluster(mean)], index[_Point(mean.task, mean.generator)]
        total[at] += mean.total
        n[at] += mean.n
    tasks = None if by_prompt else np.array([code[point.task] for point in points], np.int64)
    return _ClusterSums(chosen, total, n, points, tasks)


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


def _orders(points: Sequence[WinningVotes]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tasks: dict[str, list[WinningVotes]] = {}
    for point in points:
        tasks.setdefault(point.task, []).append(point)
    by_task: Mapping[str, bool | None] = {
        task: same_order({p.generator: p.votes for p in two}, {p.generator: p.mean for p in two})
        for task, two in tasks.items()
        if len(two) == 2
    }
    return tuple(t for t, same in by_task.items() if same), tuple(t for t, same in by_task.items() if same is False)
