"""Counts of judgements by unit: what a database's GROUP BY delivers, read into the codes of one topic, which may grow.

`Entries` and `JudgementCounts` are contracts for whoever counts (`agreement/` itself reads no database); every array is of
codes, -1 is "none".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.statistics.scale import Scale
from agreement.study.frame import NO_VALUE, ScaledValues, read_values

PEOPLE, SIMULATED, SCORERS = 0, 1, 2
"""Codes of `Entries.who`: real people, simulated ones, and from `SCORERS` on one code for each scorer."""


class NotServedError(ValueError):
    """Standing sums cannot give what is asked for, or would be too large; the report (`build`) can."""


class JudgementEntries(Protocol):
    """Judgements counted: one entry for each (item, target, who, label, reason), all columns of equal length.

    `item`, `target`, `label`, `reason` are positions in the names; `reason` is -1 for judgements that count, of which each
    rater has one on a unit at most. `number` is that of a score (NaN: none), and nothing for labels. `count` is how many.
    Names are sorted, and none is empty.
    """

    @property
    def targets(self) -> tuple[str, ...]: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def reasons(self) -> tuple[str, ...]: ...
    @property
    def scorers(self) -> tuple[str, ...]: ...
    @property
    def item(self) -> IntArray: ...
    @property
    def target(self) -> IntArray: ...
    @property
    def who(self) -> IntArray: ...
    @property
    def label(self) -> IntArray: ...
    @property
    def reason(self) -> IntArray: ...
    @property
    def count(self) -> IntArray: ...
    @property
    def number(self) -> FloatArray: ...


class JudgementCounts(Protocol):
    """Items with their task and generator, what was said of them on one aspect, and the scorers' scores of them.

    `said` and `scores` count judgements of these items; `scores` has no entries where the suite has no scores.
    """

    @property
    def items(self) -> Sequence[str]: ...
    @property
    def tasks(self) -> tuple[str, ...]: ...
    @property
    def generators(self) -> tuple[str, ...]: ...
    @property
    def task(self) -> IntArray: ...
    @property
    def generator(self) -> IntArray: ...
    @property
    def said(self) -> JudgementEntries: ...
    @property
    def scores(self) -> JudgementEntries: ...


class StaleError(RuntimeError):
    """Something came that standing sums do not follow, such as a new label: they are to be made anew."""


class Labels:
    """The labels of a topic as codes, and their numbers.

    Attributes:
        measure: what the scale allows; of a nominal scale it depends on which labels are used.
        numbers: of each code.
    """

    def __init__(self, scale: Scale, names: Sequence[str], used: BoolArray) -> None:
        """`used` says of each name whether a judgement that counts has it."""
        self._scale, self._names = scale, tuple(names)
        levels = [level for level in scale.levels or () if level not in names]
        every = [*names, *levels]
        values = _scaled(scale, every, np.r_[used, np.zeros(len(levels), bool)])
        self.measure = values.measure
        self.numbers = np.full(self.measure.labels, np.nan)
        known = values.label >= 0
        self.numbers[values.label[known]] = values.number[known]
        self._codes = dict(zip(every, values.label.tolist(), strict=True))

    def codes(self, names: Sequence[str]) -> IntArray:
        """The code of each name, -1 for what is not on the scale.

        Raises:
            StaleError: a name that a nominal scale has not had so far.
        """
        new = [name for name in names if name not in self._codes]
        if new and not self.measure.ordinal:
            raise StaleError(f"the label {new[0]!r} is new")
        if new:
            label = _scaled(self._scale, new, np.ones(len(new), bool)).label
            self._codes |= dict(zip(new, label.tolist(), strict=True))
        return np.array([self._codes[name] for name in names], np.int64)

    def follow(self, entries: JudgementEntries) -> None:
        """Whether these entries leave the scale what it is.

        Raises:
            StaleError: a label counts now that a nominal scale has left out so far.
        """
        counting = entries.label[(entries.reason < 0) & (entries.label >= 0)]
        if self.measure.kind == "nominal" and (self.codes(entries.labels)[counting] < 0).any():
            raise StaleError("a label counts that did not count before")

    def check(self, used: BoolArray) -> None:
        """Whether the scale is still what it was, now that these codes are used.

        Raises:
            StaleError: it is not.
        """
        if self.measure.kind == "nominal":
            names = np.array([code >= 0 and bool(used[code]) for code in self._codes.values()], bool)
            # AC1 counts the labels in use, so one that has gone matters as well
            if not names.any() or _scaled(self._scale, list(self._codes), names).measure != self.measure:
                raise StaleError("the used part of the scale has changed")


def _scaled(scale: Scale, names: Sequence[str], used: BoolArray) -> ScaledValues:
    rows = pd.DataFrame({"label": pd.Series(list(names), dtype=object), "number": np.full(len(names), np.nan)})
    return read_values(scale, rows, used)


@dataclass(frozen=True)
class CodedEntries:
    """Entries in a topic's own codes; `unit` is a position in its columns, `label` -1 where the judgement does not count."""

    unit: IntArray
    who: IntArray
    label: IntArray
    reason: IntArray
    count: IntArray

    def of(self, who: int) -> CodedEntries:
        """Those of one kind of people, or of one scorer."""
        rows = self.who == who
        return CodedEntries(self.unit[rows], self.who[rows], self.label[rows], self.reason[rows], self.count[rows])

    def table(self, units: int, labels: int) -> IntArray:
        """How often each label was chosen on each unit: (units, labels)."""
        return _count_codes(self.unit, self.label, self.count, units, labels)

    def refused(self, units: int, reasons: int) -> IntArray:
        """How many judgements of each unit do not count, by reason: (units, reasons)."""
        return _count_codes(self.unit, self.reason, self.count, units, reasons)


def _count_codes(unit: IntArray, code: IntArray, count: IntArray, units: int, codes: int) -> IntArray:
    rows = code >= 0
    place = unit[rows] * codes + code[rows]
    return np.bincount(place, count[rows], units * codes).astype(np.int64).reshape(units, codes)


class UnitColumns:
    """The items and units of a topic, and the names of their targets and of reasons; all of these may grow.

    Attributes:
        tasks, generators: their names, which may not.
        task, generator: of each item.
        item, target: of each unit, first those that were there at the beginning, in order.
        reasons: why judgements do not count.
    """

    def __init__(self, counted: JudgementCounts) -> None:
        self.tasks, self.generators = counted.tasks, counted.generators
        self.task, self.generator = counted.task, counted.generator
        self.reasons = list(dict.fromkeys([*counted.said.reasons, NO_VALUE]))
        self.targets = list(counted.said.targets)
        self._positions = {name: place for place, name in enumerate(counted.items)}
        # an item with a score is met as a whole, so it has a unit before people have said anything
        wide = len(self.targets) + 1
        scored = counted.scores.item[counted.scores.who >= 0] * wide
        said = counted.said.item * wide + counted.said.target + 1
        key = np.sort(pd.unique(np.concatenate([said, scored])))
        self.item, self.target = key // wide, key % wide - 1

    @property
    def units(self) -> int:
        """How many."""
        return int(self.item.size)

    def read(self, entries: JudgementEntries, labels: Labels, item: IntArray) -> CodedEntries:
        """Entries in these codes; `item` is the position here of each of their items. Units that are new are added.

        A judgement whose label is not on the scale does not count (`no_value`).

        Raises:
            StaleError: a label that the scale has not had so far.
        """
        self.reasons += [name for name in entries.reasons if name not in self.reasons]
        self.targets += [name for name in entries.targets if name not in self.targets]
        label = _renamed(labels.codes(entries.labels), entries.label)
        reason = _renamed([self.reasons.index(name) for name in entries.reasons], entries.reason)
        target = _renamed([self.targets.index(name) for name in entries.targets], entries.target)
        absent = (reason < 0) & (label < 0)
        reason[absent] = self.reasons.index(NO_VALUE)
        label[reason >= 0] = -1
        return CodedEntries(self._unit(item[entries.item], target), entries.who, label, reason, entries.count)

    def positions(self, counted: JudgementCounts) -> IntArray:
        """The positions here of other counted items; those that are new are added.

        Raises:
            StaleError: a new one has a task or a generator that none had so far.
        """
        known = self._positions
        for place, name in enumerate(counted.items):
            if name not in known:
                known[name] = self.task.size
                task = _known(self.tasks, counted.tasks, counted.task[place])
                generator = _known(self.generators, counted.generators, counted.generator[place])
                self.task, self.generator = np.append(self.task, task), np.append(self.generator, generator)
        return np.array([known[name] for name in counted.items], np.int64)

    def of_items(self, items: IntArray) -> IntArray:
        """The units of some items, those of one item next to each other."""
        found = np.flatnonzero(np.isin(self.item, items))
        return found[np.argsort(self.item[found], kind="stable")]

    def _unit(self, item: IntArray, target: IntArray) -> IntArray:
        """The unit of each pair, a new one if need be."""
        wide = len(self.targets) + 1
        rows = self.of_items(pd.unique(item))
        mine, asked = self.item[rows] * wide + self.target[rows] + 1, item * wide + target + 1
        places = pd.Index(mine).get_indexer(pd.Index(asked))
        if (places < 0).any():
            new = np.unique(asked[places < 0])
            rows = np.r_[rows, self.units + np.arange(new.size)]
            self.item, self.target = np.r_[self.item, new // wide], np.r_[self.target, new % wide - 1]
            places = pd.Index(np.r_[mine, new]).get_indexer(pd.Index(asked))
        return np.asarray(rows[places], np.int64)


def _renamed(codes: Sequence[int] | IntArray, values: IntArray) -> IntArray:
    """Positions in other names in these codes; -1 stays."""
    return np.asarray(np.r_[np.asarray(codes, np.int64), -1][values], np.int64)


def _known(mine: tuple[str, ...], others: tuple[str, ...], code: np.int64) -> int:
    if code < 0:
        return -1
    if others[code] not in mine:
        raise StaleError(f"{others[code]!r} is new")
    return mine.index(others[code])
