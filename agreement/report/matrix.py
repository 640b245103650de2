"""Raters two by two in one cell: persons and scorers that share at least ten items there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from agreement.catalogue import CORRELATIONS, NUMBER_ALPHAS, Measure
from agreement.numeric import FloatArray, IntArray
from agreement.reasons import Method, MethodCode, Reason
from agreement.report.human_human import RatingGrid
from agreement.report.scorer_human import pair_alpha
from agreement.statistics import correlation, two_raters
from agreement.statistics.correlation import Concordance, Units, tau_b
from agreement.study.cells import Cell, Key, Outcome, Used, compact, merged, outcome, refused
from agreement.study.frame import Ratings, Suite, SuiteRater

LEAST_ITEMS = 10
TWO_RATERS = Method(MethodCode.TWO_RATERS)


@dataclass(frozen=True)
class _RaterPair:
    """Two columns of the grid, in order of the raters' names, and how many units each has beyond the shared ones."""

    a: int
    b: int
    apart: int


class Matrix:
    """All pairs of one cell: `outcomes(names)`. Pairs that share the same units share their resamples and midranks."""

    def __init__(self, rows: Ratings, suite: Suite, measure: Measure, cell: Cell) -> None:
        self._suite, self._measure, self._cell = suite, measure, cell
        self._grid = RatingGrid.of(rows.take(rows.valid))
        left = rows.take(~rows.valid)
        self._refused = {int(r): refused(left.take(left.rater == r), suite) for r in np.unique(left.rater)}

    def outcomes(
        self, names: tuple[str, ...], *, simulated: bool, meets: Mapping[tuple[int, int], Method] | None = None
    ) -> dict[Key, Outcome]:
        """Outcomes of the pairs with an imitation among them (`simulated`), or of those without.

        `meets`: the only pairs to look at, by codes of raters, the lower one first, with how they are compared.
        """
        groups: dict[bytes, list[_RaterPair]] = {}
        units: dict[bytes, IntArray] = {}
        for a, b in self._grid.sharing():
            if meets is not None and self._codes(a, b) not in meets:
                continue
            first, second = sorted((a, b), key=lambda column: (self._rater(column).name, column))
            if (self._rater(first).simulated or self._rater(second).simulated) != simulated:
                continue
            shared = self._grid.shared(a, b)
            if np.unique(self._grid.item[shared]).size < LEAST_ITEMS:
                continue
            key = shared.tobytes()
            units[key] = shared
            apart = int((self._grid.place[:, [a, b]] >= 0).sum()) - 2 * shared.size
            groups.setdefault(key, []).append(_RaterPair(first, second, apart))
        outcomes: dict[Key, Outcome] = {}
        for key, members in groups.items():
            group = _RaterGroup(self._grid, units[key], members, self._cell)
            for pair in members:
                how = TWO_RATERS if meets is None else meets[self._codes(pair.a, pair.b)]
                outcomes |= self._pair(group, pair, names, how)
        return outcomes

    def _codes(self, a: int, b: int) -> tuple[int, int]:
        """The codes of two columns' raters, the lower one first."""
        low, high = sorted((int(self._grid.raters[a]), int(self._grid.raters[b])))
        return low, high

    def _rater(self, column: int) -> SuiteRater:
        return self._suite.raters[int(self._grid.raters[column])]

    def _pair(self, group: _RaterGroup, pair: _RaterPair, names: tuple[str, ...], how: Method) -> dict[Key, Outcome]:
        codes = [int(self._grid.raters[column]) for column in (pair.a, pair.b)]
        excluded = merged([*(self._refused.get(code, {}) for code in codes), {"not_shared": pair.apart}])
        used = Used(group.items, 2 * group.size, group.units.clusters, excluded)
        sums = group.tables(pair, self._measure) if self._measure.labels else None
        a, b = self._rater(pair.a).name, self._rater(pair.b).name
        outcomes = {}
        for name in names:
            if name in CORRELATIONS:
                values, reason = group.correlation(name, pair), group.why(pair, a, b)
            elif name in NUMBER_ALPHAS or sums is None:
                values, reason = pair_alpha(name, group.row(pair.a), group.row(pair.b), group.units.cluster, group.weights)
            else:
                values, reason = two_raters.FORMULAS[name](sums), two_raters.why_undefined(name, sums)
            outcomes[Key(name, a=a, b=b)] = outcome(values, reason, used, how)
        return outcomes


class _RaterGroup:
    """Raters that share exactly the same units: their values there, the resamples, and what is made once for all pairs."""

    def __init__(self, grid: RatingGrid, shared: IntArray, members: list[_RaterPair], cell: Cell) -> None:
        self.size = int(shared.size)
        self.items = int(np.unique(grid.item[shared]).size)
        cluster = compact(grid.cluster[shared])
        self.units = Units(cluster.codes, cluster.size)
        self.weights = cell.deletions.weights(cluster.size)
        columns = sorted({column for pair in members for column in (pair.a, pair.b)})
        self._row = {column: row for row, column in enumerate(columns)}
        place = grid.place[shared][:, columns].T
        self._numbers, self._labels = grid.rows.number[place], grid.rows.label[place]
        self._rho: FloatArray | None = None
        self._concordance: Concordance | None = None

    def row(self, column: int) -> FloatArray:
        """A rater's numbers on the shared units."""
        numbers: FloatArray = self._numbers[self._row[column]]
        return numbers

    def tables(self, pair: _RaterPair, measure: Measure) -> two_raters.PairSums:
        """The pair's confusion sums in every resample."""
        a, b = (self._labels[self._row[column]] for column in (pair.a, pair.b))
        cluster, labels = self.units.cluster, measure.labels
        return two_raters.PairSums.resampled(self.weights, a, b, cluster, labels, ordinal=measure.ordinal)

    def correlation(self, statistic: str, pair: _RaterPair) -> FloatArray:
        """One correlation of the pair; midranks and tie counts are made once for the group."""
        a, b = self._row[pair.a], self._row[pair.b]
        if statistic == "spearman":
            if self._rho is None:
                self._rho = correlation.spearman_matrix(self._numbers, self.units, self.weights)
            return self._rho[:, a, b]
        if statistic == "kendall_tau_b":
            if self._concordance is None:
                self._concordance = Concordance(self._numbers, self.units, self.weights)
            return tau_b(self._concordance, a, b)
        return correlation.FORMULAS[statistic](self._numbers[a], self._numbers[b], self.units, self.weights)

    def why(self, pair: _RaterPair, a: str, b: str) -> Reason:
        """Why a correlation of the pair is undefined."""
        return correlation.why_undefined(self.row(pair.a), self.row(pair.b), (a, b))
