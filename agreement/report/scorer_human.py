"""Scorer-human agreement in one cell: on one aspect, or a scorer's `score` against people's answer on another aspect.

`pair_judgements` matches two sides of any comparison: one row per pair of values on a unit that both have.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from agreement.catalogue import CORRELATIONS, NUMBER_ALPHAS, Measure, PeopleAs
from agreement.inference import hypothesis_tests
from agreement.numeric import BoolArray, FloatArray, IntArray, share_of, sums_by
from agreement.reasons import Method, MethodCode, Name, Party, Reason, ReasonCode
from agreement.report.human_human import number_alpha, why_no_number_alpha
from agreement.statistics import correlation, two_raters
from agreement.statistics.correlation import Units
from agreement.study.cells import Cell, Outcome, Used, compact, first_of, merged, outcome, refused, used_rows
from agreement.study.frame import Ratings, Suite

_METHODS: dict[PeopleAs, MethodCode] = {
    "each": MethodCode.AGAINST_EACH,
    "majority": MethodCode.AGAINST_MAJORITY,
    "mean": MethodCode.AGAINST_MEAN,
}
LEAST_OTHERS = 3
"""Prompts in which people answer otherwise than the commonest way; correlations and areas that rest on fewer, and on no more
than a fifth of all, have no interval."""


@dataclass(frozen=True)
class Sides:
    """The names of both sides of a comparison, for reasons and methods.

    Attributes:
        rater, other: the two, by name where they have one.
        mean: the other side's mean.
        how: how the numbers are made, whoever enters in which way; None: as people enter.
        nothing_shared: why there is nothing to compare; None: the two share no unit.
    """

    rater: Name = Party.SCORER
    other: Name = Party.PEOPLE
    mean: Name = Party.MEAN_OF_PEOPLE
    how: Method | None = None
    nothing_shared: Reason | None = None

    def method(self, people_as: PeopleAs | None) -> Method:
        """Return how a statistic is made with people entering in one way (None: the rater's own mean)."""
        if people_as is None:
            return Method(MethodCode.OWN_MEAN)
        named = isinstance(self.rater, str)
        return self.how or Method(_METHODS[people_as], rater=Party.RATER if named else self.rater, others=self.other)

    @property
    def apart(self) -> Reason:
        """Return why there is nothing to compare."""
        return self.nothing_shared or Reason(ReasonCode.NOTHING_SHARED, rater=self.rater, other=self.other)


SCORER_AND_PEOPLE = Sides()
NOTHING_SHARED = SCORER_AND_PEOPLE.apart


@dataclass(frozen=True)
class Majority:
    """The label that more than half of a unit's ratings chose, -1 where there is none; one entry per unit."""

    label: IntArray
    tied: int


def strict_majority(unit: IntArray, units: int, label: IntArray, labels: int) -> Majority:
    """The strict majority of each unit's ratings."""
    key, count = np.unique(unit * labels + label, return_counts=True)
    most = 2 * count > np.bincount(unit, minlength=units)[key // max(labels, 1)]
    out = np.full(units, -1, np.int64)
    out[key[most] // max(labels, 1)] = key[most] % max(labels, 1)
    return Majority(out, int((out < 0).sum()))


@dataclass(frozen=True)
class ComparisonScale:
    """On what scale a scorer meets people, and whether by item (a score) or by unit."""

    measure: Measure
    by_item: bool


@dataclass(frozen=True)
class MatchedRatings:
    """The people's ratings that a scorer meets, its value beside each of them, and the resamples of their clusters.

    `label` and `number` are the scorer's, one for each of `people`; `cluster` are the columns of `weights`.
    """

    people: Ratings
    label: IntArray
    number: FloatArray
    cluster: IntArray
    weights: FloatArray
    measure: Measure

    def take(self, rows: BoolArray) -> MatchedRatings:
        """Some of the ratings."""
        people = self.people.take(rows)
        return MatchedRatings(people, self.label[rows], self.number[rows], self.cluster[rows], self.weights, self.measure)


class ScorerAgreement:
    """One scorer's judgements matched to people's ratings: `outcome(statistic, people_as)`."""

    def __init__(
        self,
        scorer: Ratings,
        people: Ratings,
        suite: Suite,
        meeting: ComparisonScale,
        cell: Cell,
        sides: Sides = SCORER_AND_PEOPLE,
    ) -> None:
        self._sides = sides
        mine, theirs = scorer.take(scorer.valid), people.take(people.valid)
        by_item = meeting.by_item
        key_mine, key_theirs = (mine.item, theirs.item) if by_item else (mine.unit, theirs.unit)
        shared = np.isin(key_theirs, key_mine)
        self._own = mine.take(np.isin(key_mine, key_theirs))
        self._people = theirs.take(shared)
        order = np.argsort(key_mine, kind="stable")
        self._match = order[np.searchsorted(key_mine[order], key_theirs[shared])]
        self._label, self._number = mine.label[self._match], mine.number[self._match]
        self._measure = meeting.measure
        self._unit, self._cluster = compact(self._people.unit), compact(self._people.cluster)
        self._units = Units(first_of(self._unit, self._cluster.codes), self._cluster.size)
        self._weights = cell.deletions.weights(self._cluster.size)
        self._excluded = merged([
            refused(scorer, suite), refused(people, suite),
            {"no_scorer_value": int((~shared).sum()), "no_people": int(mine.size - self._own.size)},
        ])  # fmt: skip
        self._made: dict[PeopleAs, two_raters.PairSums] = {}

    @property
    def met(self) -> MatchedRatings:
        """What is compared."""
        return MatchedRatings(self._people, self._label, self._number, self._cluster.codes, self._weights, self._measure)

    def outcome(self, statistic: str, people_as: PeopleAs | None) -> Outcome:
        """One statistic with people entering in one way (None: the scorer's own mean)."""
        if people_as is None:
            return self._mean()
        use = self._use(people_as)
        unsure = self._one_sided if statistic == "auc" or statistic in CORRELATIONS else None
        if statistic == "auc":
            auc = correlation.auc(self._scores(), *self._votes(people_as), self._units, self._weights)
            values, reason = auc, correlation.why_no_auc(self._sides.other)
        elif statistic in CORRELATIONS:
            values, reason = self._correlation(statistic)
        elif statistic in NUMBER_ALPHAS:
            values, reason = pair_alpha(statistic, *self._numbers(people_as), self._weights)
        else:
            sums = self._sums(people_as)
            values, reason = two_raters.FORMULAS[statistic](sums), two_raters.why_undefined(statistic, sums)
        reason = reason if self._people.size else self._sides.apart
        return outcome(values, reason, use, self._sides.method(people_as), unsure)

    def _mean(self) -> Outcome:
        cluster = compact(self._own.cluster)
        used = used_rows(self._own, np.ones(self._own.size, bool), cluster.size, self._excluded)
        values = share_of(self._own.number, np.ones(self._own.size), cluster.codes, self._weights)
        return outcome(values, self._sides.apart, used, self._sides.method(None))

    @cached_property
    def _majority(self) -> Majority:
        return strict_majority(self._unit.codes, self._unit.size, self._people.label, self._measure.labels)

    @cached_property
    def _one_sided(self) -> Reason | None:
        """Why a score's agreement cannot be bounded: hardly any prompt has another answer than the commonest one."""
        if not self._people.size:
            return None
        level = np.unique(np.round(self._by_unit(self._people.number), 9), return_inverse=True)[1]
        others = np.unique(self._units.cluster[level != np.bincount(level).argmax()]).size
        if others >= LEAST_OTHERS or others > self._units.clusters / 5:
            return None
        return Reason(ReasonCode.HARDLY_ANY_OTHER_ANSWER, others=others, prompts=self._units.clusters)

    def _use(self, people_as: PeopleAs) -> Used:
        mask = np.ones(self._people.size, bool)
        excluded = self._excluded
        if people_as == "majority":
            mask = np.asarray((self._majority.label >= 0)[self._unit.codes], dtype=bool)
            excluded = merged([excluded, {"tied_majority": self._majority.tied}])
        return used_rows(self._people, mask, self._cluster.size, excluded)

    def _by_unit(self, values: FloatArray) -> FloatArray:
        """The mean of people's ratings, or of the scorer's value beside each of them, by unit."""
        size = self._unit.size
        return np.bincount(self._unit.codes, values, size) / np.maximum(np.bincount(self._unit.codes, minlength=size), 1)

    def _scores(self) -> FloatArray:
        """The scorer's number on each unit, as it is (a mean of equal doubles may differ in the last bit, and break ties)."""
        out = np.zeros(self._unit.size)
        out[self._unit.codes] = self._number
        return out

    def _correlation(self, statistic: str) -> tuple[FloatArray, Reason]:
        x, y = self._scores(), self._by_unit(self._people.number)
        if not x.size:
            return np.full(len(self._weights), np.nan), self._sides.apart
        values = correlation.FORMULAS[statistic](x, y, self._units, self._weights)
        return values, correlation.why_undefined(x, y, (self._sides.rater, self._sides.mean))

    def _votes(self, people_as: PeopleAs) -> tuple[FloatArray, FloatArray]:
        """How many of people's answers are yes and how many no, by unit."""
        if people_as == "majority":
            label = self._majority.label
            return (label == 1).astype(float), (label == 0).astype(float)
        yes, no = (sums_by(self._unit.codes, self._unit.size, self._people.label == k) for k in (1, 0))
        return yes, no

    def _numbers(self, people_as: PeopleAs) -> tuple[FloatArray, FloatArray, IntArray]:
        """The scorer's and people's number of each pair, and its cluster."""
        if people_as == "mean":
            return self._scores(), self._by_unit(self._people.number), self._units.cluster
        return self._number, self._people.number, self._cluster.codes

    def swaps(self, other: ScorerAgreement, statistic: str, people_as: PeopleAs) -> hypothesis_tests.Difference | None:
        """This scorer's statistic less another's on the same ratings, under swaps of prompts; None if that is not made."""
        cluster, clusters = self._units.cluster, self._units.clusters
        if statistic == "auc":
            yes, no = self._votes(people_as)
            return hypothesis_tests.auc_difference(self._scores(), other._scores(), yes, no, cluster, clusters)
        if statistic in CORRELATIONS:
            a, b, people = self._scores(), other._scores(), self._by_unit(self._people.number)
            if statistic == "kendall_tau_b":
                return hypothesis_tests.kendall_difference(a, b, people, cluster, clusters)
            if statistic == "spearman":
                a, b, people = hypothesis_tests.midranks(a), hypothesis_tests.midranks(b), hypothesis_tests.midranks(people)
            if statistic in {"pearson", "spearman"}:
                return hypothesis_tests.pearson_difference(a, b, people, cluster, clusters)
            return None
        if statistic in NUMBER_ALPHAS:
            mine, theirs, pair_cluster = self._numbers(people_as)
            alike = hypothesis_tests.alpha_difference(
                mine, other._numbers(people_as)[0], theirs, pair_cluster, self._cluster.size
            )
            return alike if statistic == "krippendorff_alpha_interval" else None
        mine, theirs = self._pair_columns(people_as), other._pair_columns(people_as)
        return hypothesis_tests.table_difference(statistic, mine, theirs, self._measure.labels)

    def _sums(self, people_as: PeopleAs) -> two_raters.PairSums:
        if people_as not in self._made:
            weighted = self._weights @ self._pair_columns(people_as)
            self._made[people_as] = two_raters.PairSums.unpack(weighted, self._measure.labels)
        return self._made[people_as]

    def _pair_columns(self, people_as: PeopleAs) -> FloatArray:
        mine, theirs, cluster = self._label, self._people.label, self._cluster.codes
        if people_as == "majority":
            label = self._majority.label
            of_unit = first_of(self._unit, self._label)
            mine, theirs, cluster = of_unit[label >= 0], label[label >= 0], self._units.cluster[label >= 0]
        labels = self._measure.labels
        return two_raters.pair_columns(mine, theirs, cluster, self._cluster.size, labels, ordinal=self._measure.ordinal)


def pair_alpha(
    statistic: str,
    mine: FloatArray,
    theirs: FloatArray,
    cluster: IntArray,
    weights: FloatArray,
    times: FloatArray | None = None,
) -> tuple[FloatArray, Reason]:
    """Interval or ratio alpha of pairs of values, each pair a unit counting `times` (once); `cluster` is its cluster."""
    unit = np.tile(np.arange(mine.size), 2)
    values = np.concatenate([mine, theirs])
    return number_alpha(statistic, unit, values, cluster, weights, times), why_no_number_alpha(statistic, values)


@dataclass(frozen=True)
class PairedJudgements:
    """Columns of equal length, a row for each pair of values (a, b); labels are codes, -1 where the scale has none."""

    item: IntArray
    unit: IntArray
    cluster: IntArray
    generator: IntArray
    seq_a: IntArray
    seq_b: IntArray
    label_a: IntArray
    label_b: IntArray
    number_a: FloatArray
    number_b: FloatArray

    @property
    def size(self) -> int:
        """How many rows."""
        return int(self.unit.size)

    def take(self, rows: BoolArray | IntArray) -> PairedJudgements:
        """The rows of a mask or of positions."""
        return PairedJudgements(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})


def pair_judgements(a: Ratings, b: Ratings, *, by_item: bool = False) -> PairedJudgements:
    """Every valid judgement of `b` beside the one of `a` on its unit (`by_item`: on its item); in the order of `b`.

    `a` is one rater, who has one valid judgement on a unit; `b` may be many.
    """
    first, second = a.take(a.valid), b.take(b.valid)
    keys, wanted = (first.item, second.item) if by_item else (first.unit, second.unit)
    second = second.take(np.isin(wanted, keys))
    wanted = second.item if by_item else second.unit
    order = np.argsort(keys, kind="stable")
    match = first.take(order[np.searchsorted(keys[order], wanted)])
    places = (second.item, second.unit, second.cluster, second.generator, match.seq, second.seq)
    return PairedJudgements(*places, match.label, second.label, match.number, second.number)


def to_majority(joined: PairedJudgements, labels: int) -> PairedJudgements:
    """One row per unit on which more than half of `b`'s judgements chose one label; its `seq_b` is the last one's."""
    units, last = _by_unit(joined)
    most = strict_majority(units, last.size, joined.label_b, labels).label
    return replace(last, label_b=most, number_b=np.full(last.size, np.nan)).take(most >= 0)


def to_mean(joined: PairedJudgements) -> PairedJudgements:
    """One row per unit with the mean of `b`'s numbers; its `seq_b` is the last one's."""
    units, last = _by_unit(joined)
    mean = np.bincount(units, joined.number_b, last.size) / np.maximum(np.bincount(units, minlength=last.size), 1)
    return replace(last, label_b=np.full(last.size, -1), number_b=mean)


def _by_unit(joined: PairedJudgements) -> tuple[IntArray, PairedJudgements]:
    """The unit of each row, renumbered, and the last row of each unit: rows stand in order of `seq`, as `frame` reads them."""
    unit = compact(joined.unit)
    return unit.codes, joined.take(first_of(unit, np.arange(joined.size)))
