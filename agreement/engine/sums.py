"""Sums of one topic by generator and task, from which its live point estimates are made; and how they are updated.

They are whole numbers: what is taken away leaves nothing behind, however often. Sums of shares would keep rounding errors
as units go and come, and a share of 1e-17 where there is none makes an undefined kappa defined. So people's ratings are
summed as numbers of units by profile (how often each label was chosen on a unit; a study has few of them), and the sums of
`many_raters` are made from these when they are read.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from agreement.catalogue import Measure
from agreement.engine.correlations import ProfileMeans, ScorerCorrelations
from agreement.engine.counts import (
    PEOPLE,
    SCORERS,
    SIMULATED,
    CodedEntries,
    JudgementCounts,
    Labels,
    NotServedError,
    UnitColumns,
)
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.statistics import many_raters
from agreement.statistics.scale import Scale
from agreement.study.frame import NO_VALUE

_WIDEST = 2**40
T = TypeVar("T", "PeopleTally", "MetTally")


@dataclass(frozen=True)
class CellGrid:
    """All pairs (generator, task), "none" of each among them, as one code each: the first axis of all sums."""

    generators: int
    tasks: int

    @property
    def size(self) -> int:
        """How many pairs."""
        return (self.generators + 1) * (self.tasks + 1)

    def code(self, generator: IntArray, task: IntArray) -> IntArray:
        """The code of each pair of codes, of which -1 is none."""
        return (generator + 1) * (self.tasks + 1) + task + 1

    @lru_cache(maxsize=4096)  # noqa: B019 - a grid is a small value
    def inside(self, generator: int | None, task: int | None) -> BoolArray:
        """Mask over codes: those of a generator (None: all, and none) and a task (likewise)."""
        out = np.zeros((self.generators + 1, self.tasks + 1), bool)
        rows = slice(None) if generator is None else generator + 1
        columns = slice(None) if task is None else task + 1
        out[rows, columns] = True
        return out.ravel()


def by_code(code: IntArray, size: int, weights: FloatArray | IntArray) -> FloatArray:
    """Sums of the rows of `weights` (n, k) by code: (size, k)."""
    out = np.zeros((size, weights.shape[1]))
    for place, column in enumerate(weights.T):
        out[:, place] = np.bincount(code, column, size)
    return out


class Profiles:
    """The distinct ways in which units were rated, with what the statistics need of each; code 0 is "no ratings".

    Attributes:
        numbers: of the labels, 0 where they have none.
        counts: (profiles, K) how often each label was chosen.
        n: their sum.
        total: sum of the labels' numbers.
        mean: `total` / `n`, NaN without ratings.
        columns: (profiles, columns) as `counts.count_columns` makes them of one unit.
    """

    def __init__(self, table: IntArray, numbers: FloatArray, *, ordinal: bool) -> None:
        """`table` has the counts, first a row of zeros; `numbers` are those of the labels."""
        self.numbers, self._ordinal = np.nan_to_num(numbers), ordinal
        self._codes = {row.tobytes(): code for code, row in enumerate(table)}
        self.counts = np.zeros((0, table.shape[1]), np.int64)
        self.columns = np.zeros((0, 0))
        self._append(table)

    @classmethod
    def of(cls, table: IntArray, numbers: FloatArray, *, ordinal: bool) -> tuple[Profiles, IntArray]:
        """The profiles of a table of counts (units, K), and each unit's code."""
        key = np.zeros(len(table), np.int64)
        widest = 1
        for column in table.T:
            most = int(column.max(initial=0)) + 1
            if widest * most > _WIDEST:
                key = np.unique(key, return_inverse=True)[1].astype(np.int64)
                widest = int(key.max(initial=0)) + 1
            key, widest = key * most + column, widest * most
        # the key of a unit without ratings is 0, whether there is one or not
        _, first, code = np.unique(np.r_[0, key], return_index=True, return_inverse=True)
        with_none = np.concatenate([np.zeros((1, table.shape[1]), np.int64), table])
        return cls(with_none[first], numbers, ordinal=ordinal), code[1:].astype(np.int64)

    @property
    def size(self) -> int:
        """How many."""
        return len(self.counts)

    def code(self, row: IntArray) -> int:
        """The code of the counts of one unit, a new one if need be."""
        key = row.tobytes()
        if key not in self._codes:
            self._codes[key] = self.size
            self._append(row[None])
        return self._codes[key]

    def _append(self, rows: IntArray) -> None:
        labels, size = rows.shape[1], len(rows)
        where = np.nonzero(rows)
        times = rows[where]
        unit, label = np.repeat(where[0], times), np.repeat(where[1], times)
        made = many_raters.count_columns(unit, label, np.arange(size), size, labels, ordinal=self._ordinal)
        self.counts = np.concatenate([self.counts, rows])
        self.columns = np.concatenate([self.columns.reshape(-1, made.shape[1]), made])
        self.n = self.counts.sum(1)
        self.total = self.counts @ self.numbers
        self.mean = ratio(self.total, self.n.astype(float))


@dataclass(frozen=True)
class PeopleTally:
    """What people said of some units, by code of the grid.

    Attributes:
        units: (grid, profiles) units with ratings, by profile.
        items: (grid, 2) items with a unit that has a rating; that has two or more.
        refused: (grid, reasons) judgements that do not count.
    """

    units: FloatArray
    items: FloatArray
    refused: FloatArray


@dataclass(frozen=True)
class MetTally:
    """Where a scorer meets people, by code of the grid.

    Attributes:
        ratings: (grid, 1) people's ratings beside one of its values.
        items: (grid, 1) the items of these.
        own: (grid, K) units where both are, by the scorer's label.
        table: (grid, K, K) people's ratings by the scorer's label and theirs. K is 0 for a scorer that gives no labels.
    """

    ratings: FloatArray
    items: FloatArray
    own: FloatArray
    table: FloatArray


@dataclass(frozen=True)
class UnitProfiles:
    """Some units, those of one item next to each other: their item, code of the grid, and profile."""

    item: IntArray
    base: IntArray
    profile: IntArray

    def items(self, grid: CellGrid, chosen: BoolArray) -> FloatArray:
        """How many items have a chosen unit: (grid, 1)."""
        item = self.item[chosen]
        first = np.r_[True, item[1:] != item[:-1]][: item.size]
        return np.bincount(self.base[chosen][first], minlength=grid.size).astype(float)[:, None]


def people_tally(grid: CellGrid, profiles: Profiles, units: UnitProfiles, refused: IntArray) -> PeopleTally:
    """What people said of whole items; `refused` is (units, reasons)."""
    n = profiles.n[units.profile]
    rated = n > 0
    place = units.base[rated] * profiles.size + units.profile[rated]
    by_profile = np.bincount(place, minlength=grid.size * profiles.size).reshape(grid.size, profiles.size).astype(float)
    items = np.concatenate([units.items(grid, rated), units.items(grid, n > 1)], axis=1)
    return PeopleTally(by_profile, items, by_code(units.base, grid.size, refused))


def met_tally(grid: CellGrid, profiles: Profiles, units: UnitProfiles, known: BoolArray, label: IntArray | None) -> MetTally:
    """Where a scorer meets people on whole items: `known` says where it has a value, `label` which."""
    shared = known & (units.profile > 0)
    base, profile = units.base[shared], units.profile[shared]
    labels = 0 if label is None else profiles.counts.shape[1]
    own, table = np.zeros((grid.size, labels)), np.zeros((grid.size, labels, labels))
    if label is not None:
        place = base * labels + label[shared]
        own = np.bincount(place, minlength=grid.size * labels).reshape(own.shape).astype(float)
        table = by_code(place, grid.size * labels, profiles.counts[profile]).reshape(table.shape)
    ratings = by_code(base, grid.size, profiles.n[profile][:, None])
    return MetTally(ratings, units.items(grid, shared), own, table)


def exchanged(total: T, gone: T, come: T) -> T:
    """The sums without what is gone and with what has come."""
    columns = (field.name for field in fields(total))
    return type(total)(**{name: getattr(total, name) - getattr(gone, name) + getattr(come, name) for name in columns})


def widened(array: FloatArray, size: int) -> FloatArray:
    """With columns of zeros added, up to `size`."""
    return np.pad(array, ((0, 0), (0, size - array.shape[1]))) if array.shape[1] < size else array


KINDS = (PEOPLE, SIMULATED)
_LARGEST = 50_000_000  # numbers in one array of sums


@dataclass
class PeopleSums:
    """One kind of people: the profile of each unit, what does not count of it, and the sums of both."""

    profile: IntArray
    refused: IntArray
    tally: PeopleTally


@dataclass
class ScorerSums:
    """One scorer's values by unit, and how they meet each kind of people.

    Attributes:
        label: of each unit, -1 for none; None if it gives scores.
        score: of each item, NaN for none; None if it gives labels.
        x: its number on each unit.
        judged: (grid, 1) how many of its judgements count.
        refused: (grid, reasons) how many do not.
        used: which labels it uses.
    """

    name: str
    label: IntArray | None
    score: FloatArray | None
    x: FloatArray
    judged: FloatArray
    refused: FloatArray
    used: BoolArray
    ranked: ScorerCorrelations | None = None
    met: list[MetTally] = field(default_factory=list)

    def known(self, rows: IntArray | slice) -> BoolArray:
        """On which of some units it has a value."""
        return ~np.isnan(self.x[rows]) if self.label is None else self.label[rows] >= 0

    def add_units(self, item: IntArray, base: IntArray) -> None:
        """Take in units of these items; `base` has the codes in the grid of all units."""
        x = np.full(item.size, np.nan)
        if self.score is not None:
            scored = item < self.score.size
            x[scored] = self.score[item[scored]]
        self.x = np.r_[self.x, x]
        if self.label is not None:
            self.label = np.r_[self.label, np.full(x.size, -1)]
        if self.ranked is not None:
            self.ranked.grow(self.x, base)


class Sums:
    """The sums of one topic.

    Attributes:
        columns: its items and units.
        measure: what its scale allows.
        grid: the codes of generator and task by which everything is summed.
        base: of each unit its code in the grid.
        profiles: the ways in which units were rated.
        people: of each of `KINDS`.
        scorers: those who judge the same aspect, in the report's order.
        by_score: those whose scores are met, likewise.
    """

    def __init__(self, scale: Scale, counted: JudgementCounts) -> None:
        """Sum up everything.

        Raises:
            NotServedError: people's values are no labels, or there are too many different ones.
        """
        if scale.kind == "interval":
            raise NotServedError("people's values have no labels")
        said = counted.said
        used = np.bincount(said.label[(said.reason < 0) & (said.label >= 0)], minlength=len(said.labels)) > 0
        self._labels, self.columns = Labels(scale, said.labels, used), UnitColumns(counted)
        self.grid = CellGrid(len(counted.generators), len(counted.tasks))
        read = self.columns.read(said, self._labels, np.arange(self.columns.task.size))
        labels = self.measure.labels
        if max(self.columns.units * 2, self.grid.size * labels * max(1, len(said.scorers))) * labels > _LARGEST:
            raise NotServedError("there are too many different labels")
        self.base = self._base_of(self.columns.item)
        self._sum_people(read)
        self.scorers = [self._judging(name, read.of(SCORERS + n)) for n, name in enumerate(said.scorers)]
        self.by_score = self._scoring(counted)
        for scorer in (*self.scorers, *self.by_score):
            scorer.met = [self._met(scorer, kind, slice(None)) for kind in KINDS]
        self._used = self._used_now()

    @property
    def measure(self) -> Measure:
        """What the scale allows."""
        return self._labels.measure

    def labels_used(self, kind: int) -> BoolArray:
        """Which labels these people use."""
        used: BoolArray = self.people[kind].tally.units.sum(0) @ self.profiles.counts > 0
        return used

    def ranked(self, scorer: ScorerSums) -> ScorerCorrelations:
        """A scorer's numbers in order."""
        if scorer.ranked is None:
            scorer.ranked = ScorerCorrelations(scorer.x, self.base, self.grid.size)
        return scorer.ranked

    def profiled(self, kind: int) -> ProfileMeans:
        """These people's mean by unit."""
        return ProfileMeans(self.people[kind].profile, self.profiles.mean)

    def reasons(self, sums: FloatArray) -> dict[str, int]:
        """Sums by reason, (reasons,), by its name."""
        return {name: int(n) for name, n in zip(self.columns.reasons, sums, strict=False) if n}

    def _base_of(self, item: IntArray) -> IntArray:
        return self.grid.code(self.columns.generator[item], self.columns.task[item])

    def _sum_people(self, read: CodedEntries) -> None:
        units, labels, said = self.columns.units, self.measure.labels, [read.of(kind) for kind in KINDS]
        tables = np.concatenate([each.table(units, labels) for each in said])
        self.profiles, profile = Profiles.of(tables, self._labels.numbers, ordinal=self.measure.ordinal)
        if self.profiles.size * max(self.grid.size, labels * labels) > _LARGEST:
            raise NotServedError("units are rated in too many different ways")
        self.people = []
        for kind, each in zip(KINDS, said, strict=True):
            mine = profile[kind * units : (kind + 1) * units]
            refused = each.refused(units, len(self.columns.reasons))
            tally = people_tally(self.grid, self.profiles, UnitProfiles(self.columns.item, self.base, mine), refused)
            self.people.append(PeopleSums(mine, refused, tally))

    def _judging(self, name: str, said: CodedEntries) -> ScorerSums:
        counted = said.label >= 0
        label = np.full(self.columns.units, -1)
        label[said.unit[counted]] = said.label[counted]
        x = np.r_[self._labels.numbers, np.nan][label]
        used = np.bincount(said.label[counted], minlength=self.measure.labels) > 0
        return ScorerSums(name, label, None, x, *self._judged(self.base[said.unit], said.reason, said.count), used)

    def _judged(self, base: IntArray, reason: IntArray, count: IntArray) -> tuple[FloatArray, FloatArray]:
        judged = by_code(base, self.grid.size, (count * (reason < 0))[:, None])
        refused = by_code(base, self.grid.size, count[:, None] * (reason[:, None] == np.arange(len(self.columns.reasons))))
        return judged, refused

    def _scoring(self, counted: JudgementCounts) -> list[ScorerSums]:
        """Those who score items: a score meets all that people say of the item."""
        scores, columns = counted.scores, self.columns
        if (scores.target >= 0).any():
            raise NotServedError("scores have targets")
        columns.reasons += [name for name in scores.reasons if name not in columns.reasons]
        codes = np.array([*(columns.reasons.index(name) for name in scores.reasons), -1], np.int64)
        reason = codes[scores.reason]
        reason[(reason < 0) & ~np.isfinite(scores.number)] = columns.reasons.index(NO_VALUE)
        found = []
        for n, name in enumerate(scores.scorers):
            mine = scores.who == SCORERS + n
            of_item = np.full(columns.task.size, np.nan)
            counts = mine & (reason < 0)
            of_item[scores.item[counts]] = scores.number[counts]
            judged = self._judged(self._base_of(scores.item[mine]), reason[mine], scores.count[mine])
            found.append(ScorerSums(name, None, of_item, of_item[columns.item], *judged, np.zeros(self.measure.labels, bool)))
        return found

    def _units(self, kind: int, rows: IntArray | slice) -> UnitProfiles:
        return UnitProfiles(self.columns.item[rows], self.base[rows], self.people[kind].profile[rows])

    def _met(self, scorer: ScorerSums, kind: int, rows: IntArray | slice) -> MetTally:
        label = None if scorer.label is None else scorer.label[rows]
        return met_tally(self.grid, self.profiles, self._units(kind, rows), scorer.known(rows), label)

    def _people_tally(self, kind: int, rows: IntArray) -> PeopleTally:
        return people_tally(self.grid, self.profiles, self._units(kind, rows), self.people[kind].refused[rows])

    def update(self, counted: JudgementCounts) -> list[BoolArray]:
        """Put what people say of some items, all of it, in the place of what they said.

        What scorers say of these items is not looked at: it stays as it was.

        Returns:
            For each of `KINDS` a mask over codes of the grid: where something is other than it was.

        Raises:
            StaleError: this cannot be followed; the sums are spoilt and to be made anew.
        """
        self._labels.follow(counted.said)
        items = self.columns.positions(counted)
        read = self.columns.read(counted.said, self._labels, items)
        self._grow()
        rows = self.columns.of_items(items)
        place = np.full(self.columns.units, -1)
        place[rows] = np.arange(rows.size)
        touched = [
            self._exchange(kind, rows, replace(said, unit=place[said.unit])) for kind in KINDS for said in [read.of(kind)]
        ]
        used = self._used_now()
        if (used != self._used).any():
            self._labels.check(used)
            self._used = used
        return touched

    def _used_now(self) -> BoolArray:
        """Which labels anybody uses."""
        used = [self.labels_used(kind) for kind in KINDS] + [scorer.used for scorer in self.scorers]
        return np.asarray(np.logical_or.reduce(used), dtype=bool)

    def _grow(self) -> None:
        """Make room for units and reasons that are new."""
        new, reasons = self.columns.item[self.base.size :], len(self.columns.reasons)
        self.base = np.r_[self.base, self._base_of(new)] if new.size else self.base
        for scorer in (*self.scorers, *self.by_score) if new.size else ():
            scorer.add_units(new, self.base)
        for people in self.people:
            more = reasons - people.refused.shape[1]
            if new.size or more:
                people.profile = np.r_[people.profile, np.zeros(new.size, np.int64)]
                people.refused = np.pad(people.refused, ((0, new.size), (0, more)))
                people.tally = replace(people.tally, refused=widened(people.tally.refused, reasons))

    def _exchange(self, kind: int, rows: IntArray, said: CodedEntries) -> BoolArray:
        """Put what these people say of the units of whole items in the place of what they said; where it differs."""
        people, touched = self.people[kind], np.zeros(self.grid.size, bool)
        refused = said.refused(rows.size, len(self.columns.reasons))
        profile = np.array([self.profiles.code(row) for row in said.table(rows.size, self.measure.labels)], np.int64)
        for each in self.people:
            each.tally = replace(each.tally, units=widened(each.tally.units, self.profiles.size))
        other = (profile != people.profile[rows]) | (refused != people.refused[rows]).any(1)
        if not other.any():
            return touched
        touched[self.base[rows[other]]] = True
        scorers = [*self.scorers, *self.by_score]
        gone, gone_met = self._people_tally(kind, rows), [self._met(scorer, kind, rows) for scorer in scorers]
        people.profile[rows], people.refused[rows] = profile, refused
        people.tally = exchanged(people.tally, gone, self._people_tally(kind, rows))
        for scorer, without in zip(scorers, gone_met, strict=True):
            scorer.met[kind] = exchanged(scorer.met[kind], without, self._met(scorer, kind, rows))
            if scorer.ranked is not None:
                scorer.ranked.changed(kind, rows[other], self.profiled(kind))
        return touched
