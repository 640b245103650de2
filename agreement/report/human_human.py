"""Agreement among people in one cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from agreement.catalogue import CORRELATIONS, FIRST_VS_REST, NUMBER_ALPHAS, TWO_RATERS, Measure
from agreement.generators import mean_of_images
from agreement.inference.intervals import Deviations, PersonLimits
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.statistics import correlation, icc, many_raters, two_raters
from agreement.statistics.alpha import SAME_VALUE, MomentSums, RatioSums, moment_columns, ratio_columns
from agreement.statistics.correlation import Units
from agreement.statistics.icc import NO_PAIRED_UNIT
from agreement.study.cells import Cell, Outcome, Used, compact, first_of, merged, outcome, refused, undefined, used_rows
from agreement.study.frame import Ratings, Suite

PAIRWISE = TWO_RATERS | CORRELATIONS
# Single ratings say nothing about agreement, but they tell how common a label is.
ALL_RATINGS = frozenset({"fleiss_kappa", "gwet_ac1", "gwet_ac2"})
NO_RATINGS = Reason(ReasonCode.NO_RATINGS)
MEAN = Method(MethodCode.MEAN_OF_IMAGES)
BY_UNIT = Method(MethodCode.BY_UNIT)
CHANCE_FROM_ALL = Method(MethodCode.CHANCE_FROM_ALL)
_PAIR_BLOCK = 4_000_000


class _View:
    """Some ratings with their units and clusters renumbered, and the resamples of these clusters."""

    def __init__(self, rows: Ratings, cell: Cell, excluded: dict[str, int]) -> None:
        self.rows = rows
        self.unit = compact(rows.unit)
        self.cluster = compact(rows.cluster)
        self.place = first_of(self.unit, self.cluster.codes)
        self.weights = cell.deletions.weights(self.cluster.size)
        self.used = used_rows(rows, np.ones(rows.size, bool), self.cluster.size, excluded)


class HumanAgreement:
    """The statistics among people of one cell: `outcomes(names)`."""

    def __init__(self, everyone: Ratings, suite: Suite, measure: Measure, cell: Cell) -> None:
        rows = everyone.take(everyone.valid)
        alone = _alone(rows)
        self._suite, self._measure, self._cell = suite, measure, cell
        self._refused = refused(everyone, suite)
        self._all = _View(rows, cell, self._refused)
        excluded = merged([self._refused, {"single_rating": int(alone.sum())}])
        self._paired = _View(rows.take(~alone), cell, excluded) if alone.any() else self._all

    def outcomes(self, names: tuple[str, ...]) -> dict[str, Outcome]:
        """The outcome of each statistic."""
        outcomes: dict[str, Outcome] = {}
        makers: list[tuple[Callable[[tuple[str, ...]], dict[str, Outcome]], frozenset[str]]] = [
            (self._mean, frozenset({"mean"})),
            (lambda wanted: self._tables(self._all, wanted), ALL_RATINGS),
            (lambda wanted: self._tables(self._paired, wanted), frozenset(many_raters.FORMULAS) - ALL_RATINGS),
            (self._number_alphas, NUMBER_ALPHAS),
            (self._icc_1, frozenset({"icc_1"})),
            (self._icc_2, frozenset({"icc_2"})),
            (self._first_vs_rest, FIRST_VS_REST),
            (self._pairwise, PAIRWISE),
        ]
        for make, makes in makers:
            wanted = tuple(name for name in names if name in makes)
            if wanted:
                outcomes |= make(wanted)
        return {name: outcomes[name] for name in names}

    def _mean(self, _: tuple[str, ...]) -> dict[str, Outcome]:
        view = self._all
        values = mean_of_images(view.unit.codes, view.rows.number, view.place, view.weights)
        return {"mean": outcome(values, NO_RATINGS, view.used, MEAN)}

    def _tables(self, view: _View, names: tuple[str, ...]) -> dict[str, Outcome]:
        size, labels = view.cluster.size, self._measure.labels
        ordinal = "krippendorff_alpha_ordinal" in names
        columns = many_raters.count_columns(view.unit.codes, view.rows.label, view.place, size, labels, ordinal=ordinal)
        sums = many_raters.CountSums.unpack(view.weights @ columns, labels)
        sample = many_raters.CountSums.unpack(columns.sum(0), labels)
        outcomes = {}
        for name in names:
            reason = many_raters.why_undefined(name, sample)
            how = BY_UNIT
            if name in ALL_RATINGS and view is not self._paired:
                how = joined(how, CHANCE_FROM_ALL)
            outcomes[name] = outcome(many_raters.FORMULAS[name](sums), reason, view.used, how)
        return outcomes

    def _number_alphas(self, names: tuple[str, ...]) -> dict[str, Outcome]:
        view, outcomes = self._paired, {}
        for name in names:
            values = number_alpha(name, view.unit.codes, view.rows.number, view.place, view.weights)
            reason = why_no_number_alpha(name, view.rows.number)
            outcomes[name] = outcome(values, reason, view.used, BY_UNIT)
        return outcomes

    def _icc_1(self, _: tuple[str, ...]) -> dict[str, Outcome]:
        view = self._all
        values = icc.icc_1(view.unit.codes, view.rows.number, view.place, view.weights)
        reason = icc.why_no_icc_1(view.unit.codes)
        return {"icc_1": outcome(values, reason, view.used, Method(MethodCode.ICC_1))}

    def _icc_2(self, _: tuple[str, ...]) -> dict[str, Outcome]:
        person = self._suite.raters_where(person=True)[self._all.rows.rater]
        excluded = merged([self._refused, {"slot": int((~person).sum())}])
        if self._all.rows.size and not person.any():
            return {"icc_2": undefined(_no_persons("icc_1"), Used(0, 0, 0, excluded))}
        grid = RatingGrid.of(self._all.rows.take(person))
        crossed = (grid.place >= 0).all(1)
        rows = grid.rows.take(grid.place[crossed].ravel())
        view = _View(rows, self._cell, merged([excluded, {"not_crossed": grid.rows.size - rows.size}]))
        table = rows.number.reshape(-1, grid.raters.size)
        how = Method(MethodCode.ICC_2, persons=int(grid.raters.size))
        reason = icc.why_no_icc_2(table)
        if len(view.weights) == 1 or not table.size:
            return {"icc_2": outcome(icc.icc_2(table, view.place, view.weights), reason, view.used, how)}
        values = icc.icc_2_without_persons(table, view.place, view.weights)
        made = outcome(values[0], reason, view.used, how)
        if made.value is not None:
            # it speaks of raters of this kind, so they are as random as the prompts
            units, persons = table.shape
            limits = PersonLimits.of(made.value, icc.variances(table), persons, units, persons)
            deviations = Deviations.crossed(values, view.used.clusters, grid.raters, grid.raters.size, limits)
            made = replace(made, deviations=deviations)
        return {"icc_2": made}

    def _first_vs_rest(self, names: tuple[str, ...]) -> dict[str, Outcome]:
        view, labels = self._paired, self._measure.labels
        # Rows stand in order of unit, seq and rater; their positions are a seq without ties.
        made = two_raters.first_against_rest(view.unit.codes, view.rows.label, np.arange(view.rows.size))
        sums = two_raters.PairSums.resampled(view.weights, made.first, made.other, view.place[made.unit], labels)
        outcomes = {}
        for name in names:
            base = name.removesuffix("_first_vs_rest")
            reason = two_raters.why_undefined(base, sums) if view.rows.size else NO_PAIRED_UNIT
            how = Method(MethodCode.FIRST_AGAINST_REST)
            outcomes[name] = outcome(two_raters.FORMULAS[base](sums), reason, view.used, how)
        return outcomes

    def _pairwise(self, names: tuple[str, ...]) -> dict[str, Outcome]:
        rows = self._all.rows
        person = self._suite.raters_where(person=True)[rows.rater]
        persons = rows.take(person)
        alone = _alone(persons)
        excluded = merged([self._refused, {"slot": int((~person).sum()), "single_rating": int(alone.sum())}])
        if rows.size and not person.any():
            of_labels = ("fleiss_kappa", "gwet_ac1") if self._measure.labels else ()
            reason = _no_persons(*of_labels, "krippendorff_alpha")
            return {name: undefined(reason, Used(0, 0, 0, excluded)) for name in names}
        averaged = _Averages(_View(persons.take(~alone), self._cell, excluded))
        averaged.add_tables(tuple(n for n in names if n in TWO_RATERS), self._measure)
        averaged.add_correlations(tuple(n for n in names if n in CORRELATIONS))
        return {name: averaged.outcome(name) for name in names}


def _no_persons(*instead: str) -> Reason:
    """Return why nothing is told by pairs of persons, and which statistics serve instead."""
    return Reason(ReasonCode.NO_PERSONS, instead=instead)


def _alone(rows: Ratings) -> BoolArray:
    """Ratings that are the only one of their unit."""
    unit = compact(rows.unit)
    return np.bincount(unit.codes, minlength=unit.size)[unit.codes] < 2


def why_no_number_alpha(statistic: str, values: FloatArray) -> Reason:
    """The reason for an undefined interval or ratio alpha of pairable values."""
    if not values.size:
        return NO_PAIRED_UNIT
    negative = statistic == "krippendorff_alpha_ratio" and bool((values < 0).any())
    return Reason(ReasonCode.NEGATIVE_RATIO) if negative else SAME_VALUE


def number_alpha(
    statistic: str, unit: IntArray, values: FloatArray, cluster: IntArray, weights: FloatArray, times: FloatArray | None = None
) -> FloatArray:
    """Interval or ratio alpha in every resample; `cluster` is the cluster of each unit, `times` how often it counts (once)."""
    often = np.ones(cluster.size) if times is None else times
    if statistic == "krippendorff_alpha_interval":
        sums = weights @ cluster_sums(moment_columns(unit, values) * often[:, None], cluster, weights.shape[1])
        return MomentSums.unpack(sums).alpha_interval()
    columns, distinct = ratio_columns(unit, values)
    if (values < 0).any():
        return np.full(weights.shape[0], np.nan)
    return RatioSums.unpack(weights @ cluster_sums(columns * often[:, None], cluster, weights.shape[1]), distinct).alpha_ratio()


@dataclass(frozen=True)
class RatingGrid:
    """Units x raters: the row of each rating, -1 where there is none; with each unit's cluster and item."""

    rows: Ratings
    place: IntArray
    raters: IntArray
    cluster: IntArray
    item: IntArray

    @classmethod
    def of(cls, rows: Ratings) -> RatingGrid:
        """The grid of valid rows, of which no rater has two on one unit."""
        unit, rater = compact(rows.unit), compact(rows.rater)
        place = np.full((unit.size, rater.size), -1, np.int64)
        place[unit.codes, rater.codes] = np.arange(rows.size)
        return cls(rows, place, np.unique(rows.rater), first_of(unit, rows.cluster), first_of(unit, rows.item))

    def sharing(self) -> Iterator[tuple[int, int]]:
        """Pairs of columns with a unit in common."""
        has = (self.place >= 0).astype(np.float32)
        first, second = np.nonzero(np.triu(has.T @ has, 1))
        yield from zip(first.tolist(), second.tolist(), strict=True)

    def shared(self, a: int, b: int) -> IntArray:
        """Units that both columns have."""
        return np.flatnonzero((self.place[:, a] >= 0) & (self.place[:, b] >= 0))


class DefinedMean:
    """A mean over groups, in the sample and in every resample, of those for which it is defined."""

    def __init__(self, size: int) -> None:
        self.sum, self.count, self.defined = np.zeros(size), np.zeros(size), 0

    def add(self, values: FloatArray, known: BoolArray) -> None:
        self.sum += np.where(known, values, 0.0)
        self.count += known
        self.defined += 1

    def values(self) -> FloatArray:
        return ratio(self.sum, self.count)


class _Averages:
    """Means over pairs of persons, in the sample and in every resample, of the pairs for which a statistic is defined."""

    def __init__(self, view: _View) -> None:
        self._view = view
        self._grid = RatingGrid.of(view.rows)
        self._pairs = [(a, b, self._grid.shared(a, b)) for a, b in self._grid.sharing()]
        self._means: defaultdict[str, DefinedMean] = defaultdict(lambda: DefinedMean(len(view.weights)))
        self._ratings: defaultdict[str, BoolArray] = defaultdict(lambda: np.zeros(view.rows.size, bool))

    def _add(self, name: str, values: FloatArray, pair: tuple[int, int, IntArray]) -> None:
        a, b, shared = pair
        if np.isnan(values[0]):
            return
        self._means[name].add(values, ~np.isnan(values))
        self._ratings[name][self._grid.place[shared, a]] = True
        self._ratings[name][self._grid.place[shared, b]] = True

    def add_tables(self, names: tuple[str, ...], measure: Measure) -> None:
        """Statistics of the pairs' confusion tables, several pairs in one product with the weights."""
        if not names:
            return
        view, label = self._view, self._view.rows.label[self._grid.place]
        step = max(1, _PAIR_BLOCK // (len(view.weights) * (4 + 2 * measure.labels)))
        for start in range(0, len(self._pairs), step):
            block = self._pairs[start : start + step]
            tables = []
            for a, b, shared in block:
                first, second = label[shared, a], label[shared, b]
                cluster = view.place[shared]
                tables.append(two_raters.pair_columns(first, second, cluster, view.cluster.size, measure.labels, ordinal=False))
            sums = two_raters.PairSums.unpack(view.weights @ np.stack(tables), measure.labels)
            for name in names:
                for values, pair in zip(two_raters.FORMULAS[name](sums), block, strict=True):
                    self._add(name, values, pair)

    def add_correlations(self, names: tuple[str, ...]) -> None:
        """Correlations of each pair over the units both rated."""
        number = self._view.rows.number[self._grid.place]
        for pair in self._pairs if names else []:
            a, b, shared = pair
            x, y = number[shared, a], number[shared, b]
            if not ((x != x[0]).any() and (y != y[0]).any()):
                continue
            cluster = compact(self._view.place[shared])
            weights = self._view.weights[:, np.unique(self._view.place[shared])]
            for name in names:
                self._add(name, correlation.FORMULAS[name](x, y, Units(cluster.codes, cluster.size), weights), pair)

    def outcome(self, name: str) -> Outcome:
        """The mean of one statistic over its pairs."""
        total, defined = len(self._pairs), self._means[name].defined
        excluded = merged([self._view.used.excluded, {"undefined_pairs": total - defined}])
        used = used_rows(self._view.rows, self._ratings[name], self._view.cluster.size, excluded)
        if not total:
            return undefined(Reason(ReasonCode.NO_PAIR_OF_PERSONS), used)
        if not defined:
            return undefined(Reason(ReasonCode.UNDEFINED_FOR_EVERY_PAIR), used)
        how = Method(MethodCode.MEAN_OVER_PAIRS, defined=defined, pairs=total)
        return outcome(self._means[name].values(), None, used, how)
