"""Hypothesis tests of a difference: sign flips over prompts (Fisher 1935), McNemar's exact test, equivalence, Holm's
correction.

Sign flips: of two scorers beside the same people, whose judgements of whole prompts are swapped, and of a scorer beside
people, where what each prompt adds to the difference changes its sign. If two scorers are equally good, it is chance which
of them gave which judgements of a prompt. So both sets of judgements of a prompt change hands or stay, the difference of
the two scorers' statistics is made again, and p is the share of these swaps whose difference is at least as large as the
one that was seen. All 2^G swaps are made where there are at most EXACT, else DRAWN of them. Numbers are put on a common
footing first, as scorers have units of their own: ranks for statistics of order, deviations in standard deviations for
Pearson's r; people's numbers stand as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from agreement.inference.intervals import Deletions, Spread
from agreement.numeric import FloatArray, IntArray, cluster_sums, ratio, standardised
from agreement.statistics import correlation
from agreement.statistics.alpha import MomentSums
from agreement.statistics.correlation import Ties, of_centred, pearson_of_moments
from agreement.statistics.two_raters import FORMULAS, PairSums

# Differences of two coefficients that are equal by their definition may differ by rounding.
ROUNDING = 1e-12


def rounded_difference(first: FloatArray, second: FloatArray) -> FloatArray:
    """first - second, with what is only rounding exactly 0, so that ties are seen as ties."""
    apart = np.asarray(first, float) - np.asarray(second, float)
    return np.where(np.abs(apart) <= ROUNDING, 0.0, apart)


def holm_factors(p: Sequence[float | None]) -> list[int | None]:
    """Return the factor by which Holm's correction multiplies each p: m for the smallest, m - 1 for the next; None for None."""
    known = [index for index, value in enumerate(p) if value is not None]
    order = sorted(known, key=lambda index: p[index])  # type: ignore[arg-type, return-value]
    factors: list[int | None] = [None] * len(p)
    for rank, index in enumerate(order):
        factors[index] = len(known) - rank
    return factors


def holm(p: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction (1979): the smallest of m times m, the next times m - 1, ...; never falling, at most 1.

    A None is no test: it stays None and does not count in m.
    """
    factors = holm_factors(p)
    steps = sorted((-factor, index) for index, factor in enumerate(factors) if factor is not None)
    out: list[float | None] = [None] * len(p)
    largest = 0.0
    for factor, index in steps:
        largest = min(max(largest, -factor * (p[index] or 0.0)), 1.0)
        out[index] = largest
    return out


def equivalence(test: Spread, margin: float, contrary: float = 0.0) -> float:
    """Return p of a difference of `margin` or more, by two one-sided tests (Schuirmann 1987): the larger of theirs.

    `contrary`: what one prompt more that says the opposite would change; added on the side of each margin, and to the error by
    squares. Without it, prompts that are all alike seem to be certain.
    """
    from scipy.special import stdtr

    room = margin - abs(test.value) - contrary
    return float(stdtr(test.freedom, -room / math.hypot(test.error, contrary)))


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """McNemar's exact test (1947): two-sided binomial p of the discordant counts at one half; 1 where there is none."""
    from scipy import stats  # takes a second to load, and most who import this compare no scorers

    n = only_first + only_second
    return 1.0 if not n else float(stats.binomtest(only_first, n, 0.5).pvalue)


EXACT = 4096
DRAWN = 10_000
_LARGE = 4_000
"""So many units are compared pair by pair for Kendall's tau; more have no p."""
_BLOCK = 500

Difference = Callable[[FloatArray], FloatArray]
"""From swaps (n, clusters), 1 where the judgements of a prompt change hands, to the differences (n,)."""


@dataclass(frozen=True)
class Swaps:
    """The differences of all swaps; the first is the one that was seen. `exact`: whether all swaps are there."""

    differences: FloatArray
    exact: bool

    @property
    def p(self) -> float | None:
        """Two-sided, exact or (1 + as large) / (1 + DRAWN); a swap that leaves it undefined counts as large."""
        seen = self.differences[0]
        if np.isnan(seen):
            return None
        return float(np.mean(~(np.abs(self.differences) < abs(seen) - ROUNDING)))


def all_flips(prompts: int) -> FloatArray | None:
    """(2^G, G): every choice of prompts, 1 for the chosen, the first of none; None where there are more than EXACT."""
    if prompts >= 64 or 2**prompts > EXACT:
        return None
    return ((np.arange(2**prompts)[:, None] >> np.arange(prompts)) & 1).astype(float)


@lru_cache(8)
def drawn_signs(n: int, prompts: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """`n` times a drawn sign, 1 or -1, of each prompt: (n, prompts), the same for every test."""
    return np.random.default_rng(0).integers(0, 2, (n, prompts), np.int8) * np.int8(2) - np.int8(1)


def swap_test(difference: Difference, clusters: int, deletions: Deletions) -> Swaps:
    """The differences under swaps of some prompts."""
    every = all_flips(clusters)
    if every is not None:
        return Swaps(difference(every), True)
    drawn = deletions.generator().integers(0, 2, (DRAWN, clusters))
    return Swaps(difference(np.concatenate([np.zeros((1, clusters)), drawn])), False)


def mean_swaps(tasks: list[Swaps]) -> Swaps:
    """Of the mean over tasks, whose prompts change hands independently."""
    size = 1
    for each in tasks:
        size *= each.differences.size if each.exact else EXACT + 1
    if size <= EXACT:
        total = np.zeros(1)
        for each in tasks:
            total = (total[:, None] + each.differences).ravel()
        return Swaps(total / len(tasks), True)
    generator = np.random.default_rng(0)
    drawn = [each.differences[generator.integers(0, each.differences.size, DRAWN)] for each in tasks]
    seen = np.mean([each.differences[0] for each in tasks])
    return Swaps(np.r_[seen, np.mean(drawn, axis=0)], False)


def sign_flips(contributions: FloatArray) -> float:
    """Two-sided p of the sum of `contributions`, one of each prompt, each of which is as likely to have the other sign.

    Of all 2^G signs where they are at most EXACT, else (1 + as large) / (1 + DRAWN).
    """
    seen = abs(float(contributions.sum())) - ROUNDING
    every = all_flips(contributions.size)
    if every is not None:
        return float(np.mean(np.abs((1.0 - 2.0 * every) @ contributions) >= seen))
    larger = 0
    for signs in np.split(drawn_signs(DRAWN, contributions.size), DRAWN // _BLOCK):
        larger += int((np.abs(signs.astype(float) @ contributions) >= seen).sum())
    return (1 + larger) / (1 + DRAWN)


def _exchanged(statistic: Callable[[FloatArray], FloatArray], a: FloatArray, b: FloatArray) -> Difference:
    """Of a statistic of sums: both scorers' sums by prompt (clusters, columns)."""
    whole, total = a.sum(0), a.sum(0) + b.sum(0)

    def difference(flips: FloatArray) -> FloatArray:
        mine = whole + flips @ (b - a)
        return statistic(mine) - statistic(total - mine)

    return difference


def table_difference(statistic: str, a: FloatArray, b: FloatArray, labels: int) -> Difference:
    """Return a statistic of label tables from both scorers' columns of pairs (clusters, columns)."""
    formula = FORMULAS[statistic]
    return _exchanged(lambda sums: formula(PairSums.unpack(sums, labels)), a, b)


def alpha_difference(a: FloatArray, b: FloatArray, people: FloatArray, cluster: IntArray, clusters: int) -> Difference:
    """Of Krippendorff's interval alpha: both scorers' and people's numbers of each pair."""
    size = a.size
    scaled = standardised(np.concatenate([a, b, people]))
    y = scaled[2 * size :]
    columns = []
    for x in (scaled[:size], scaled[size : 2 * size]):
        moments = np.stack([np.full(size, 2.0), x + y, x * x + y * y, 2.0 * (x - y) ** 2], axis=1)
        columns.append(cluster_sums(moments, cluster, clusters))
    return _exchanged(lambda sums: MomentSums.unpack(sums).alpha_interval(), *columns)


def pearson_difference(a: FloatArray, b: FloatArray, people: FloatArray, cluster: IntArray, clusters: int) -> Difference:
    """Of Pearson's r of each scorer's numbers with people's, by unit; of ranks it is Spearman's rho."""
    y = standardised(people)
    columns = [
        cluster_sums(np.stack([np.ones(y.size), x, y, x * x, y * y, x * y], axis=1), cluster, clusters)
        for x in (_in_deviations(a), _in_deviations(b))
    ]
    return _exchanged(pearson_of_moments, *columns)


def auc_difference(
    a: FloatArray, b: FloatArray, yes: FloatArray, no: FloatArray, cluster: IntArray, clusters: int
) -> Difference:
    """Return what each prompt adds to the difference of two areas under the ROC curve, by DeLong's components (1988).

    Both areas are means over the yes of how many of the no are lower, and over the no of how many of the yes are higher.
    """
    counts = (yes, no)
    components = [x - y for x, y in zip(correlation.placements(a, *counts), correlation.placements(b, *counts), strict=True)]
    whole = ratio(yes @ components[0], yes.sum())
    from_whole = [of * (each - whole) / max(of.sum(), 1.0) for of, each in zip(counts, components, strict=True)]
    adds = cluster_sums(np.stack(from_whole, axis=1), cluster, clusters).sum(1) + whole / clusters

    def difference(flips: FloatArray) -> FloatArray:
        return np.asarray((1.0 - 2.0 * flips) @ adds)

    return difference


def kendall_difference(a: FloatArray, b: FloatArray, people: FloatArray, cluster: IntArray, clusters: int) -> Difference | None:
    """Of Kendall's tau-b: sums over pairs of prompts that hold, change one, the other, or both; None for too many units."""
    if a.size > _LARGE:
        return None
    x, y = midranks(a), midranks(b)
    order = np.sign(np.subtract.outer(people, people))
    untied = np.asarray((order != 0).sum(), float)
    member = np.zeros((clusters, a.size))
    member[cluster, np.arange(a.size)] = 1.0
    parts = []
    for mine, theirs in ((x, x), (y, y), (x, y)):
        signs = np.sign(np.subtract.outer(mine, theirs))
        parts.append((member @ (signs * order) @ member.T, member @ (signs != 0) @ member.T))

    def difference(flips: FloatArray) -> FloatArray:
        return _tau(flips, parts, untied) - _tau(1.0 - flips, parts, untied)

    return difference


def _tau(flips: FloatArray, parts: list[tuple[FloatArray, FloatArray]], untied: FloatArray) -> FloatArray:
    """Tau-b of who holds a's judgements where there is no flip, b's where there is one."""
    stay = 1.0 - flips
    sums = []
    for k in (0, 1):
        aa, bb, ab = (part[k] for part in parts)
        # both orders of a mixed pair are the same, as both factors change their sign, or neither has one
        sums.append(((stay @ aa) * stay).sum(1) + ((flips @ bb) * flips).sum(1) + 2.0 * ((stay @ ab) * flips).sum(1))
    return of_centred(sums[0], sums[1], np.broadcast_to(untied, sums[1].shape))


def midranks(values: FloatArray) -> FloatArray:
    """Midranks."""
    ranks: FloatArray = Ties.of(values).midranks(np.ones((1, values.size)))[0]
    return ranks


def _in_deviations(values: FloatArray) -> FloatArray:
    """From the mean, in standard deviations; a constant is 0."""
    scaled = standardised(values)
    scaled = scaled - scaled.mean() if scaled.size else scaled
    spread = float(np.sqrt(scaled @ scaled / max(scaled.size, 1)))
    return scaled / spread if spread > 0 else scaled
