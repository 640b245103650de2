"""The flip test of VISOR (Gokhale et al., 2022, equation 6): scores by the true prompt and by a flipped one, paired.

delta_s is the mean of s(true) - s(flipped) over the same images: near 0 says that a scorer does not see what was flipped, if
the images show it. (Of scores from 0 to 1 it is never above s; in the paper's Table II those of VISOR itself are, so that they
were made in another way than its equation says.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from agreement.inference.intervals import CONTRAST, SHARE, Deletions, Interval
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio, share_of, sums_by
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from agreement.study.cells import ALL, Options, Outcome, Used, compact, first_of, interval, merged, outcome

SCORE, FLIPPED, DELTA, PREFERRED = STATISTICS = ("s", "s_flipped", "delta_s", "preferred")
"""``preferred``: of the images with two different scores, the share whose true prompt has the higher one."""
SHARED = "shared"
"""In a generator's place: the images of all generators that every rater has scored, so that their numbers can be compared."""
TIED = "tied"
NOTHING_PAIRED = Reason(ReasonCode.NO_SCORE_BY_BOTH_PROMPTS)
ALL_TIED = Reason(ReasonCode.SAME_SCORE_BY_BOTH_PROMPTS)


@dataclass(frozen=True)
class FlipPairs:
    """One rater's scores, an entry for each image; of people together, one for each rating of it.

    Attributes:
        true, flipped: scores by the two prompts. Where `why` is -1, both are finite.
        item, cluster: codes of the image and of its prompt.
        generator: positions in `generators`.
        why: positions in `reasons`: why an entry does not count; -1: it does.
        people: whether entries are ratings by people.
    """

    true: FloatArray
    flipped: FloatArray
    item: IntArray
    cluster: IntArray
    generator: IntArray
    why: IntArray
    generators: tuple[str, ...]
    reasons: tuple[str, ...]
    people: bool = False

    def take(self, rows: BoolArray) -> FlipPairs:
        """Some of the entries."""
        return replace(
            self,
            true=self.true[rows],
            flipped=self.flipped[rows],
            item=self.item[rows],
            cluster=self.cluster[rows],
            generator=self.generator[rows],
            why=self.why[rows],
        )

    @property
    def excluded(self) -> Mapping[str, int]:
        """Entries that do not count, by reason."""
        counts = np.bincount(self.why[self.why >= 0], minlength=len(self.reasons))
        return merged([{reason: int(n) for reason, n in zip(self.reasons, counts, strict=True)}])


@dataclass(frozen=True)
class FlipStatistic:
    """One of STATISTICS, of one generator's images, of `all` or `shared`; `method` says how value and interval were made."""

    generator: str
    statistic: str
    outcome: Outcome
    bounds: Interval
    method: Method


def flip_test(pairs: FlipPairs, options: Options | None = None) -> list[FlipStatistic]:
    """All STATISTICS for each generator that has entries, then for all together; intervals by prompt.

    `options`: `intervals` is read.
    """
    each = [
        statistic
        for code in np.unique(pairs.generator).tolist()
        for statistic in flip_statistics(pairs.take(pairs.generator == code), pairs.generators[code], options)
    ]
    return [*each, *flip_statistics(pairs, ALL, options)]


def flip_statistics(pairs: FlipPairs, generator: str, options: Options | None = None) -> list[FlipStatistic]:
    """All STATISTICS of all entries; ``generator``: whose they are, or a name for those of several."""
    wanted = options or Options()
    statistics: list[FlipStatistic] = []
    for name, made in _outcomes(pairs, Deletions(wanted.intervals)).items():
        bounds, method = interval(made, SHARE if name == PREFERRED else CONTRAST)
        statistics.append(FlipStatistic(generator, name, replace(made, deviations=None), bounds, method))
    return statistics


def shared_pairs(raters: Sequence[FlipPairs]) -> list[FlipPairs | None]:
    """Of each rater the entries that count about images of which every rater has one (`item` means the same in all).

    Raters without any entry that counts are left aside: None. So are all where nothing is shared, or where it is all that
    anybody has.
    """
    mine = [np.unique(pairs.item[pairs.why < 0]) for pairs in raters]
    some = [items for items in mine if items.size]
    common = reduce(np.intersect1d, some) if some else np.zeros(0, np.int64)
    if not common.size or all(items.size == common.size for items in some):
        return [None] * len(raters)
    return [
        pairs.take((pairs.why < 0) & np.isin(pairs.item, common)) if items.size else None
        for pairs, items in zip(raters, mine, strict=True)
    ]


def _outcomes(pairs: FlipPairs, deletions: Deletions) -> dict[str, Outcome]:
    used, excluded = pairs.take(pairs.why < 0), pairs.excluded
    cluster = compact(used.cluster)
    weights = deletions.weights(cluster.size)
    entries = Used(int(np.unique(used.item).size), used.item.size, cluster.size, excluded)
    columns = np.stack([np.ones(used.item.size), used.true, used.flipped, used.true - used.flipped], axis=1)
    sums = weights @ cluster_sums(columns, cluster.codes, cluster.size)
    how = Method(MethodCode.MEAN_BY_BOTH_PROMPTS, people=pairs.people)
    made = {
        name: outcome(ratio(sums[:, k + 1], sums[:, 0]), NOTHING_PAIRED, entries, how)
        for k, name in enumerate((SCORE, FLIPPED, DELTA))
    }
    return made | {PREFERRED: _preferred(used, weights, excluded)}


def _preferred(used: FlipPairs, weights: FloatArray, excluded: Mapping[str, int]) -> Outcome:
    """By image: several people's mean scores of one are compared."""
    item, cluster = compact(used.item), compact(used.cluster)
    higher = sums_by(item.codes, item.size, used.true) - sums_by(item.codes, item.size, used.flipped)
    share = share_of((higher > 0).astype(float), (higher != 0).astype(float), first_of(item, cluster.codes), weights)
    untied = int((higher != 0).sum())
    counted = Used(untied, used.item.size, cluster.size, merged([excluded, {TIED: item.size - untied}]))
    how = Method(MethodCode.PREFERRED_PROMPT, people=used.people)
    return outcome(share, ALL_TIED if item.size else NOTHING_PAIRED, counted, how)
