"""Judgements of one topic counted by unit: rows of codes that a database delivers, and what people say later of some items.

All that the statistics of a cell need of people is how many of its units were rated in which way. A way is a *profile*: how
often each label was chosen on a unit, and how many judgements do not count, by reason. A study has few of them, so that a
cell's sufficient statistics are numbers of units by profile (and by a scorer's label): whole numbers, counted anew from one
code per unit whenever a unit of the cell changes. Nothing is added up over time, so nothing drifts.

Whoever counts (`agreement/` itself reads no database) gives frames. `items`: the columns `item`, `task`. `said` and `scores`:
`item` (a row of `items`), `target`, `scorer` (none: people), `simulated`, `label`, `number` (of a score) and `reason` (why it
does not count, none if it does) of each judgement; of those that count, each rater has one on a unit at most.
What people say later comes as a list of `ItemAnswer`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agreement.catalogue import Measure
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.statistics import correlation, many_raters
from agreement.statistics.scale import Scale
from agreement.study.frame import NO_VALUE, ScaledValues, read_values

PEOPLE, SIMULATED = KINDS = (0, 1)
"""Real people, and simulated ones."""
_LARGEST = 50_000_000  # numbers in one array of sums
_WIDEST = 2**40


ItemAnswer = tuple[str, str | None, bool, str | None, str | None]
"""`item` (its name), `target`, `simulated`, `label` and `reason`, as in the frames."""


class NotServedError(ValueError):
    """Counts by unit cannot give what is asked for, or would be too large; the report (`build`) can."""


class StaleError(RuntimeError):
    """Something came that a topic does not follow, such as a new label: everything is to be counted anew."""


def codes(column: pd.Series) -> tuple[list[str], IntArray]:
    """The names of a column, sorted, and each row's position in them, -1 for none."""
    categorical = column.astype("category").cat
    return [*categorical.categories], np.asarray(categorical.codes, np.int64)


def _positions(column: pd.Series, names: list[str]) -> IntArray:
    """Each row's position in `names`, to which new ones are added; -1 is none."""
    own, code = codes(column)
    names += [name for name in own if name not in names]
    return np.array([*(names.index(name) for name in own), -1], np.int64)[code]


class Labels:
    """The labels of a topic as codes, and their numbers.

    Attributes:
        measure: what the scale allows; of a nominal scale it depends on which labels are used.
        numbers: of each code.
    """

    def __init__(self, scale: Scale, names: Sequence[str], used: BoolArray) -> None:
        """`used` says of each name whether a judgement that counts has it."""
        self._scale = scale
        levels = [level for level in scale.levels or () if level not in names]
        every = [*names, *levels]
        values = _scaled(scale, every, np.r_[used, np.zeros(len(levels), bool)])
        self.measure = values.measure
        self.numbers = np.full(self.measure.labels, np.nan)
        known = values.label >= 0
        self.numbers[values.label[known]] = values.number[known]
        self._codes = dict(zip(every, values.label.tolist(), strict=True))

    def known(self, names: Iterable[str | None]) -> dict[str | None, int]:
        """The code of each name, -1 for None and for what is not on the scale.

        Raises:
            StaleError: a name that a nominal scale has not had so far.
        """
        wanted = {name for name in names if name}
        new = sorted(wanted - self._codes.keys())
        if new and not self.measure.ordinal:
            raise StaleError(f"the label {new[0]!r} is new")
        if new:
            self._codes |= dict(zip(new, _scaled(self._scale, new, np.ones(len(new), bool)).label.tolist(), strict=True))
        return {name: self._codes[name] for name in wanted} | {None: -1}

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


class Profiles:
    """The distinct ways in which units were rated, with what the statistics need of each; code 0 is "nothing said".

    Attributes:
        counts: (profiles, K) how often each label was chosen.
        refused: (profiles, reasons) how many judgements do not count.
        n: how many count.
        total: sum of the labels' numbers.
        mean: `total` / `n`, NaN without ratings.
        columns: (profiles, columns) as `many_raters.count_columns` makes them of one unit.
    """

    def __init__(self, table: IntArray, labels: Labels) -> None:
        """`table` has the counts of labels, then of reasons, first a row of zeros."""
        self._labels = labels
        self._codes: dict[bytes, int] = {}
        self._table, self.columns = table[:0], np.zeros((0, 0))
        self._append(table)

    @classmethod
    def of(cls, unit: IntArray, column: IntArray, shape: tuple[int, int], labels: Labels) -> tuple[Profiles, IntArray]:
        """The profiles of units, and each unit's code.

        Args:
            unit: of each judgement.
            column: of each judgement in a profile: the labels, then the reasons.
            shape: how many units and columns there are.
            labels: of the topic.

        Raises:
            NotServedError: there are too many.
        """
        units, width = shape
        used = np.flatnonzero(np.bincount(column, minlength=width))
        if used.size * units > _LARGEST:
            raise NotServedError("there are too many different labels")
        position = np.zeros(width, np.int64)
        position[used] = np.arange(used.size) * units
        table = np.bincount(position[column] + unit, minlength=used.size * units).reshape(used.size, units)
        # one number for each way to be rated, 0 where nothing is said
        key = np.zeros(units, np.int64)
        widest = 1
        for counts in table:
            most = int(counts.max(initial=0)) + 1
            if widest * most > _WIDEST:
                key = _from_nothing(key)
                widest = int(key.max(initial=0)) + 1
            key, widest = key * most + counts, widest * most
        code = _from_nothing(key)
        example = np.zeros(int(code.max(initial=0)) + 1, np.int64)
        example[code] = np.arange(units)
        profiles = np.zeros((example.size, width), np.int64)
        profiles[1:, used] = table[:, example[1:]].T
        return cls(profiles, labels), code

    @property
    def size(self) -> int:
        """How many."""
        return len(self._table)

    def code(self, row: IntArray) -> int:
        """The code of one unit's counts, a new one if need be."""
        key = row.tobytes()
        if key not in self._codes:
            self._append(row[None])
        return self._codes[key]

    def _append(self, rows: IntArray) -> None:
        measure, size = self._labels.measure, self.size
        if (size + len(rows)) * measure.labels**2 > _LARGEST:
            raise NotServedError("units are rated in too many different ways")
        self._codes |= {row.tobytes(): size + code for code, row in enumerate(rows)}
        self._table = np.concatenate([self._table, rows])
        self.counts, self.refused = self._table[:, : measure.labels], self._table[:, measure.labels :]
        at = np.nonzero(self.counts[size:])
        unit, label = (np.repeat(which, self.counts[size:][at]) for which in at)
        each = np.arange(len(rows))
        made = many_raters.count_columns(unit, label, each, len(rows), measure.labels, ordinal=measure.ordinal)
        self.columns = np.concatenate([self.columns.reshape(-1, made.shape[1]), made])
        self.n = self.counts.sum(1)
        self.total = self.counts @ np.nan_to_num(self._labels.numbers)
        self.mean = ratio(self.total, self.n.astype(float))


def _from_nothing(key: IntArray) -> IntArray:
    """Codes of these numbers, of which 0 has the code 0 whether it is there or not."""
    code: IntArray = pd.factorize(np.r_[0, key])[0][1:]
    return code


@dataclass(frozen=True)
class Refused:
    """A scorer's judgements that do not count: the item and the code of the reason of each."""

    item: IntArray
    reason: IntArray


@dataclass
class CountedLabels:
    """One scorer's `label` of each unit: its code and 1, 0 for none."""

    name: str
    label: IntArray
    refused: Refused


@dataclass
class CountedScores:
    """One scorer's `score` of each item, NaN for none."""

    name: str
    score: FloatArray
    refused: Refused


class ScoreOrder:
    """The units that have a score of one scorer, in order of the scores.

    Attributes:
        unit: their positions.
        score: of each.
        items: how many items have a score.
    """

    def __init__(self, unit: IntArray, score: FloatArray, items: int) -> None:
        self.unit, self.score, self.items = unit, score, items
        self._level: IntArray = np.cumsum(np.diff(score, prepend=score[:1]) > 0, dtype=np.int64)
        self._centred: dict[int, tuple[BoolArray, FloatArray, FloatArray]] = {}

    def centred(self, kind: int, rated: BoolArray) -> tuple[FloatArray, FloatArray]:
        """The scores of the units that these people rated, and their midranks among them, both centred."""
        made = self._centred.get(kind)
        # an answer about what was rated before, as most are, leaves them what they are
        if made is None or not np.array_equal(made[0], rated):
            ranks = correlation.midranks(self._level[rated])
            self._centred[kind] = made = rated, correlation.centred(self.score[rated]), correlation.centred(ranks)
        return made[1:]


class CountedTopic:
    """One topic: its items, its units, what people say of them, and scorers.

    Attributes:
        tasks: names; `task` of each item, -1 for none.
        item: of each unit, first one of each item as a whole; `target` and `task_of_unit` likewise, -1 for none.
        reasons: why judgements do not count.
        profile: (kinds, units), of people the code in `profiles`.
        scorers: those who judge the same aspect, in the report's order; `by_score`: those who score its items.
    """

    def __init__(self, scale: Scale, items: pd.DataFrame, judgements: pd.DataFrame, scores: pd.DataFrame) -> None:
        """Count everything.

        Raises:
            NotServedError: people's values are no labels, or there are too many different ones; scores have targets.
        """
        if scale.kind == "interval":
            raise NotServedError("people's values have no labels")
        if scores.target.notna().any():
            raise NotServedError("scores have targets")
        self._position: dict[str, int] = dict(zip(items.item.tolist(), range(len(items)), strict=True))
        self.tasks, self.task = codes(items.task)
        self.targets: list[str] = []
        self.reasons = list(dict.fromkeys([*codes(judgements.reason)[0], *codes(scores.reason)[0], NO_VALUE]))
        names, label = codes(judgements.label)
        used = np.bincount(label[judgements.reason.isna().to_numpy() & (label >= 0)], minlength=len(names)) > 0
        self._labels = Labels(scale, names, used)
        item, target = judgements.item.to_numpy(np.int64), _positions(judgements.target, self.targets)
        label, reason = self._read(judgements)
        unit, apart, wide = item.copy(), np.flatnonzero(target >= 0), max(len(self.targets), 1)
        pair, pairs = pd.factorize(item[apart] * wide + target[apart])
        unit[apart] = len(items) + pair
        self.item = np.r_[np.arange(len(items)), pairs // wide]
        self.target = np.r_[np.full(len(items), -1), pairs % wide]
        self.task_of_unit = self.task[self.item]
        units = self.item.size
        scorers, scorer = codes(judgements.scorer)
        people = scorer < 0
        row = judgements.simulated.to_numpy(bool)[people] * units + unit[people]
        column = np.where(reason >= 0, self.measure.labels + reason, label)[people]
        shape = len(KINDS) * units, self.measure.labels + len(self.reasons)
        self.profiles, profile = Profiles.of(row, column, shape, self._labels)
        self.profile = profile.reshape(len(KINDS), units)
        self.scorers: list[CountedLabels] = []
        for code, name in enumerate(scorers):
            mine, of_unit = np.flatnonzero(scorer == code), np.zeros(units, np.int64)
            counting = mine[label[mine] >= 0]
            of_unit[unit[counting]] = label[counting] + 1
            if mine.size:
                self.scorers.append(CountedLabels(name, of_unit, _refused(mine, item, reason)))
        self.by_score = self._scoring(scores)
        self._in_order: dict[tuple[str, int | None], ScoreOrder] = {}
        self._used_by_scorers = np.bincount(label[scorer >= 0] + 1, minlength=self.measure.labels + 1)[1:] > 0
        self._used = self._used_labels()

    @property
    def measure(self) -> Measure:
        """What the scale allows."""
        return self._labels.measure

    @property
    def numbers(self) -> FloatArray:
        """Of the labels."""
        return self._labels.numbers

    def in_order(self, scorer: CountedScores, task: int | None) -> ScoreOrder:
        """The units of a task (None: all) that have its score."""
        key = scorer.name, task
        if key not in self._in_order and task is None:
            score = scorer.score[self.item]
            units = np.argsort(score)[: np.count_nonzero(~np.isnan(score))]
            self._in_order[key] = ScoreOrder(units, score[units], int((~np.isnan(scorer.score)).sum()))
        elif key not in self._in_order:
            every = self.in_order(scorer, None)
            mine = self.task_of_unit[every.unit] == task
            items = int((~np.isnan(scorer.score[self.task == task])).sum())
            self._in_order[key] = ScoreOrder(every.unit[mine], every.score[mine], items)
        return self._in_order[key]

    def count_items(self, units: IntArray | slice, code: IntArray, times: IntArray, chosen: BoolArray) -> int:
        """How many items have one of these units with a chosen code; `times` is how often each code is there."""
        return int(np.unique(self.item[units][chosen[code]]).size if self.targets else times[chosen].sum())

    def _read(self, judgements: pd.DataFrame) -> tuple[IntArray, IntArray]:
        """Labels (-1 where a judgement does not count) and reasons (-1 where it does)."""
        names, label = codes(judgements.label)
        known = self._labels.known(names)
        label, reason = np.array([*(known[name] for name in names), -1])[label], _positions(judgements.reason, self.reasons)
        reason[(reason < 0) & (label < 0)] = self.reasons.index(NO_VALUE)
        label[reason >= 0] = -1
        return label, reason

    def _scoring(self, scores: pd.DataFrame) -> list[CountedScores]:
        item, number = scores.item.to_numpy(np.int64), scores.number.to_numpy()
        reason = _positions(scores.reason, self.reasons)
        reason[(reason < 0) & ~np.isfinite(number)] = self.reasons.index(NO_VALUE)
        names, scorer = codes(scores.scorer)
        scored = []
        for code, name in enumerate(names):
            mine, of_item = np.flatnonzero(scorer == code), np.full(self.task.size, np.nan)
            counting = mine[reason[mine] < 0]
            of_item[item[counting]] = number[counting]
            if mine.size:
                scored.append(CountedScores(name, of_item, _refused(mine, item, reason)))
        return scored

    def update(self, tasks: Mapping[str, str | None], answers: Sequence[ItemAnswer]) -> list[set[int]]:
        """Put what people say of some items, all of it, in the place of what they said. Scorers' part stays as it was.

        Args:
            tasks: the items, each with its task.
            answers: what is said of them.

        Returns:
            For each of `KINDS` the tasks (-1: none) of units of which something else is said now.

        Raises:
            StaleError: this cannot be followed; the topic is spoilt and to be made anew.
        """
        items = [self._item_of(name, task) for name, task in tasks.items()]
        here = np.flatnonzero(np.isin(self.item, items))
        unit = {(int(self.item[n]), int(self.target[n])): n for n in here.tolist()}
        said_of: tuple[dict[int, IntArray], ...] = tuple({} for _ in KINDS)
        label_of = self._labels.known([answer[3] for answer in answers])
        for name, target, simulated, label, reason in answers:
            if target and target not in self.targets:
                self.targets.append(target)
            pair = self._position[name], self.targets.index(target) if target else -1
            position = unit.setdefault(pair, self.item.size + len(unit) - here.size)
            row = said_of[simulated].setdefault(position, np.zeros(self.measure.labels + len(self.reasons), np.int64))
            row[self._column(label_of[label], label, reason)] += 1
        self._add_units(list(unit)[here.size :])
        touched = []
        for kind in KINDS:
            nothing = np.zeros(self.measure.labels + len(self.reasons), np.int64)
            profile = {position: self.profiles.code(said_of[kind].get(position, nothing)) for position in unit.values()}
            other = [position for position, code in profile.items() if code != self.profile[kind, position]]
            self.profile[kind, other] = [profile[position] for position in other]
            touched.append({int(self.task[self.item[position]]) for position in other})
        used = self._used_labels()
        if (used != self._used).any():
            self._labels.check(used)
            self._used = used
        return touched

    def _column(self, code: int, label: str | None, reason: str | None) -> int:
        """The column of a profile in which a judgement is counted: its label's, or that of the reason why it does not count."""
        if reason is None and code >= 0:
            return code
        if reason is None and label and self.measure.kind == "nominal":
            raise StaleError("a label counts that did not count before")
        if (reason or NO_VALUE) not in self.reasons:
            raise StaleError(f"the reason {reason!r} is new")
        return self.measure.labels + self.reasons.index(reason or NO_VALUE)

    def _item_of(self, name: str, task: str | None) -> int:
        """The position of an item, which is added if it is new."""
        if name not in self._position:
            if task and task not in self.tasks:
                raise StaleError(f"the task {task!r} is new")
            self._position[name] = self.task.size
            self.task = np.append(self.task, self.tasks.index(task) if task else -1)
            for scorer in self.by_score:
                scorer.score = np.append(scorer.score, np.nan)
        return self._position[name]

    def _add_units(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Units of which nothing is said so far."""
        if pairs:
            more = np.array(pairs, np.int64)
            self.item, self.target = np.r_[self.item, more[:, 0]], np.r_[self.target, more[:, 1]]
            self.task_of_unit = self.task[self.item]
            self.profile = np.pad(self.profile, ((0, 0), (0, len(more))))
            self._in_order.clear()
            for scorer in self.scorers:
                scorer.label = np.pad(scorer.label, (0, len(more)))

    def _used_labels(self) -> BoolArray:
        """Which labels anybody uses."""
        units = np.bincount(self.profile.ravel(), minlength=self.profiles.size)
        used: BoolArray = (units @ self.profiles.counts > 0) | self._used_by_scorers
        return used


def _refused(mine: IntArray, item: IntArray, reason: IntArray) -> Refused:
    rows = mine[reason[mine] >= 0]
    return Refused(item[rows], reason[rows])
