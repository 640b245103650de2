"""All that the standing point estimates of one topic are made from, summed by generator and task; and how it is updated."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from agreement.catalogue import Measure
from agreement.engine.columns import Columns, Labels, Said
from agreement.engine.counted import PEOPLE, SCORERS, SIMULATED, Counted, NotServedError
from agreement.engine.ranked import Profiled, Ranked
from agreement.engine.tally import (
    Grid,
    MetTally,
    PeopleTally,
    Profiles,
    Units,
    by_code,
    exchanged,
    met_tally,
    people_tally,
    widened,
)
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.statistics.scale import Scale
from agreement.study.frame import NO_VALUE

KINDS = (PEOPLE, SIMULATED)
_LARGEST = 50_000_000  # numbers in one array of sums


@dataclass
class People:
    """One kind of people: the profile of each unit, what does not count of it, and the sums of both."""

    profile: IntArray
    refused: IntArray
    tally: PeopleTally


@dataclass
class Scorer:
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
    ranked: Ranked | None = None
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

    def __init__(self, scale: Scale, counted: Counted) -> None:
        """Sum up everything.

        Raises:
            NotServedError: people's values are no labels, or there are too many different ones.
        """
        if scale.kind == "interval":
            raise NotServedError("people's values have no labels")
        said = counted.said
        used = np.bincount(said.label[(said.reason < 0) & (said.label >= 0)], minlength=len(said.labels)) > 0
        self._labels, self.columns = Labels(scale, said.labels, used), Columns(counted)
        self.grid = Grid(len(counted.generators), len(counted.tasks))
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

    def ranked(self, scorer: Scorer) -> Ranked:
        """A scorer's numbers in order."""
        if scorer.ranked is None:
            scorer.ranked = Ranked(scorer.x, self.base, self.grid.size)
        return scorer.ranked

    def profiled(self, kind: int) -> Profiled:
        """These people's mean by unit."""
        return Profiled(self.people[kind].profile, self.profiles.mean)

    def reasons(self, sums: FloatArray) -> dict[str, int]:
        """Sums by reason, (reasons,), by its name."""
        return {name: int(n) for name, n in zip(self.columns.reasons, sums, strict=False) if n}

    def _base_of(self, item: IntArray) -> IntArray:
        return self.grid.code(self.columns.generator[item], self.columns.task[item])

    def _sum_people(self, read: Said) -> None:
        units, labels, said = self.columns.units, self.measure.labels, [read.of(kind) for kind in KINDS]
        tables = np.concatenate([each.table(units, labels) for each in said])
        self.profiles, profile = Profiles.of(tables, self._labels.numbers, ordinal=self.measure.ordinal)
        if self.profiles.size * max(self.grid.size, labels * labels) > _LARGEST:
            raise NotServedError("units are rated in too many different ways")
        self.people = []
        for kind, each in zip(KINDS, said, strict=True):
            mine = profile[kind * units : (kind + 1) * units]
            refused = each.refused(units, len(self.columns.reasons))
            tally = people_tally(self.grid, self.profiles, Units(self.columns.item, self.base, mine), refused)
            self.people.append(People(mine, refused, tally))

    def _judging(self, name: str, said: Said) -> Scorer:
        counted = said.label >= 0
        label = np.full(self.columns.units, -1)
        label[said.unit[counted]] = said.label[counted]
        x = np.r_[self._labels.numbers, np.nan][label]
        used = np.bincount(said.label[counted], minlength=self.measure.labels) > 0
        return Scorer(name, label, None, x, *self._judged(self.base[said.unit], said.reason, said.count), used)

    def _judged(self, base: IntArray, reason: IntArray, count: IntArray) -> tuple[FloatArray, FloatArray]:
        judged = by_code(base, self.grid.size, (count * (reason < 0))[:, None])
        refused = by_code(base, self.grid.size, count[:, None] * (reason[:, None] == np.arange(len(self.columns.reasons))))
        return judged, refused

    def _scoring(self, counted: Counted) -> list[Scorer]:
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
            found.append(Scorer(name, None, of_item, of_item[columns.item], *judged, np.zeros(self.measure.labels, bool)))
        return found

    def _units(self, kind: int, rows: IntArray | slice) -> Units:
        return Units(self.columns.item[rows], self.base[rows], self.people[kind].profile[rows])

    def _met(self, scorer: Scorer, kind: int, rows: IntArray | slice) -> MetTally:
        label = None if scorer.label is None else scorer.label[rows]
        return met_tally(self.grid, self.profiles, self._units(kind, rows), scorer.known(rows), label)

    def _people_tally(self, kind: int, rows: IntArray) -> PeopleTally:
        return people_tally(self.grid, self.profiles, self._units(kind, rows), self.people[kind].refused[rows])

    def update(self, counted: Counted) -> list[BoolArray]:
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

    def _exchange(self, kind: int, rows: IntArray, said: Said) -> BoolArray:
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
