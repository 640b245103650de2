"""Bradley-Terry: how strong generators are that met in pairs (Bradley and Terry 1952, Biometrika 39).

P(i beats j) = s_i / (s_i + s_j). A tie counts as half a win for each. The strengths are found by the MM algorithm (Hunter
2004, Annals of Statistics 32), which climbs to the maximum of the likelihood wherever there is one: where the graph with an arc
from each winner to whom it beat is strongly connected (Ford 1957, American Mathematical Monthly 64).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agreement.inference.jackknife import CONTRAST, Deletions
from agreement.numeric import BoolArray, FloatArray, cluster_sums
from agreement.preferences.measured import Measured, measured
from agreement.preferences.votes import Vote, clusters_of, grouped, left_out
from agreement.study.cells import ALL, Options
from agreement.study.outcome import Used, outcome

_STEPS, _CLOSE = 20_000, 1e-10
NOT_CONNECTED: Final = (
    "the generators fall into groups of which one never won against another: their strengths have no finite estimate"
)
_HOW = "Bradley-Terry log strength, mean 0, ties half a win each"


@dataclass(frozen=True)
class Standing:
    """One generator in one task, or in all.

    Attributes:
        wins, losses, ties: votes of its pairs.
        strength: natural logarithm; those of all generators have the mean 0. With d more than another one it wins with
            probability 1 / (1 + exp(-d)).
        rank: from 1; equal strengths share the best. None where strengths are undefined.
    """

    task: str
    generator: str
    wins: int
    losses: int
    ties: int
    strength: Measured
    rank: int | None


def standings(votes: Sequence[Vote], options: Options | None = None) -> list[Standing]:
    """All generators that met, in each task and in all together, the strongest first."""
    counting = [vote for vote in votes if vote.excluded is None]
    tasks = [*grouped(counting, lambda vote: vote.task).items(), (ALL, counting)]
    wanted = options or Options()
    out = {name: [v for v in votes if v.excluded is not None and name in (ALL, v.task)] for name, _ in tasks}
    return [one for name, part in tasks if part for one in _standings(name, part, out[name], wanted)]


def _standings(task: str, votes: Sequence[Vote], out: Sequence[Vote], options: Options) -> list[Standing]:
    names = sorted({name for vote in votes for name in (vote.first, vote.second)})
    place = {name: n for n, name in enumerate(names)}
    won = np.zeros((len(votes), len(names), len(names)))
    for row, vote in zip(won, votes, strict=True):
        i, j = place[vote.first], place[vote.second]
        points = 0.5 if not vote.clear else float(vote.chose == vote.first)
        row[i, j], row[j, i] = points, 1.0 - points
    clusters = clusters_of(votes)
    sums = cluster_sums(won.reshape(len(votes), -1), clusters.codes, clusters.size)
    wins = (Deletions(options.intervals).weights(clusters.size) @ sums).reshape(-1, len(names), len(names))
    found = log_strengths(wins)
    used = Used(len({vote.pair for vote in votes}), len(votes), clusters.size, left_out(out))
    why = undefined(names, wins[0]) or NOT_CONNECTED
    made = [measured(outcome(found[:, n], why, used, _HOW), CONTRAST, by_prompt=clusters.known) for n in range(len(names))]
    rows = []
    for name, strength in zip(names, made, strict=True):
        mine = [vote for vote in votes if name in (vote.first, vote.second)]
        won_by_it, ties = sum(vote.chose == name for vote in mine), sum(not vote.clear for vote in mine)
        better = None if strength.value is None else sum(o.value is not None and o.value > strength.value for o in made)
        rank = None if better is None else 1 + better
        rows.append(Standing(task, name, won_by_it, len(mine) - won_by_it - ties, ties, strength, rank))
    return sorted(rows, key=lambda one: (one.rank or 0, one.generator))


def log_strengths(wins: FloatArray) -> FloatArray:
    """Of win matrices (..., G, G), whose entry i, j is how often i beat j: (..., G), NaN where undefined."""
    n = wins.shape[-1]
    flat = wins.reshape(-1, n, n)
    out = np.full((len(flat), n), np.nan)
    active = np.flatnonzero(connected(flat))
    met = flat + flat.swapaxes(1, 2)
    total = flat.sum(axis=2)
    s = np.ones((active.size, n))
    for _ in range(_STEPS):
        if not active.size:
            break
        weight = met[active] / (s[:, :, None] + s[:, None, :])
        new = total[active] / weight.sum(axis=2)
        new /= np.exp(np.log(new).mean(axis=1, keepdims=True))
        done = np.abs(np.log(new / s)).max(axis=1) < _CLOSE
        out[active[done]] = np.log(new[done])
        active, s = active[~done], new[~done]
    # what has not settled after all steps has no estimate that could be told from infinity
    return out.reshape(*wins.shape[:-2], n)


def connected(wins: FloatArray) -> BoolArray:
    """Whether from each generator every other one is reached along wins: (R, G, G) to (R,)."""
    n = wins.shape[-1]
    reach = (wins > 0) | np.eye(n, dtype=bool)
    for middle in range(n):
        reach |= reach[:, :, middle, None] & reach[:, None, middle, :]
    return np.asarray(reach.all(axis=(1, 2)))


def undefined(names: Sequence[str], wins: FloatArray) -> str | None:
    """Why strengths are undefined, None if they are not."""
    if connected(wins[None])[0]:
        return None
    for what, sums in (("lost", wins.sum(axis=1)), ("won", wins.sum(axis=0))):
        if alone := [name for name, points in zip(names, sums, strict=True) if not points]:
            return f"{', '.join(alone)} {what} every vote, without a tie: no finite strength explains that"
    return NOT_CONNECTED
