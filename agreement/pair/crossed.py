"""How two sides' answers cross: the confusion table with its items, both sides' numbers, and agreement over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agreement.numeric import FloatArray, IntArray
from agreement.pair.rater_pair import Encounter
from agreement.report.pairing import Joined, to_mean
from agreement.statistics.two_raters import PairSums, pair_columns, percent_agreement
from agreement.statistics.units import Ties

STEPS = 20


@dataclass(frozen=True)
class Crossing:
    """One cell of the confusion table: what each side said, how often, and on which items (in order of their ids)."""

    a: str
    b: str
    n: int
    items: tuple[str, ...]


@dataclass(frozen=True)
class Values:
    """Both sides' numbers by unit, with midranks from 1; columns of equal length. `y` is people's mean where `b` is people."""

    items: tuple[str, ...]
    targets: tuple[str | None, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    rank_x: tuple[float, ...]
    rank_y: tuple[float, ...]


@dataclass(frozen=True)
class Step:
    """One step in time: pairs in it, their percent agreement, and both for all pairs up to its end.

    `first` and `last` are the `seq` of its ends.
    """

    first: int
    last: int
    n: int
    value: float
    n_so_far: int
    so_far: float


class Table:
    """The confusion table of pairs of labels; without labels it is empty."""

    def __init__(self, meeting: Encounter, pairs: Joined) -> None:
        self._items = meeting.topic.suite.items
        self._order = np.zeros(0, np.int64) if meeting.by_score else _order(meeting)
        place = np.full(meeting.topic.measure.labels, -1, np.int64)
        place[self._order] = np.arange(self._order.size)
        self.labels = tuple(meeting.topic.aspect.labels[code] for code in self._order)
        size = self._order.size
        self._item = pairs.item if size else pairs.item[:0]
        self._cell = place[pairs.label_a] * size + place[pairs.label_b] if size else pairs.item[:0]

    def counts(self) -> tuple[tuple[int, ...], ...]:
        """The table, `a` in rows."""
        size = self._order.size
        table = np.bincount(self._cell, minlength=size**2).reshape(size, size) if size else np.zeros((0, 0), np.int64)
        return tuple(tuple(row) for row in table.tolist())

    def crossings(self) -> Iterator[Crossing]:
        """Each cell that has something in it."""
        order = np.argsort(self._cell, kind="stable")
        found, starts = np.unique(self._cell[order], return_index=True)
        for cell, rows in zip(found.tolist(), np.split(order, starts[1:]), strict=bool(found.size)):
            items = tuple(self._items[code] for code in np.unique(self._item[rows]))
            yield Crossing(self.labels[cell // len(self.labels)], self.labels[cell % len(self.labels)], rows.size, items)


def _order(meeting: Encounter) -> IntArray:
    """The codes of the labels in the order in which they are shown."""
    measure, rows = meeting.topic.measure, meeting.topic.ratings
    if measure.ordinal:
        return np.arange(measure.labels)
    if measure.binary:
        return np.array([1, 0])
    used = np.bincount(rows.label[rows.valid], minlength=measure.labels) if measure.labels else np.zeros(0, np.int64)
    order = np.argsort(-used, kind="stable")
    return order[used[order] > 0]


def values_of(meeting: Encounter, pairs: Joined) -> Values | None:
    """Both sides' numbers by unit; None for labels without order, and for yes/no but beside a score."""
    if not meeting.by_score and meeting.topic.measure.kind == "nominal":
        return None
    by_unit = to_mean(pairs) if meeting.crowd else pairs
    suite, x, y = meeting.topic.suite, by_unit.number_a, by_unit.number_b
    ones = np.ones((1, x.size))
    rank_x, rank_y = (Ties.of(values).midranks(ones)[0] if x.size else x for values in (x, y))
    targets = (by_unit.unit % (len(suite.targets) + 1) - 1).tolist()
    return Values(
        tuple(suite.items[code] for code in by_unit.item),
        tuple(suite.targets[code] if code >= 0 else None for code in targets),
        *(tuple(column.tolist()) for column in (x, y, rank_x, rank_y)),
    )


def steps_of(meeting: Encounter, pairs: Joined) -> tuple[Step, ...]:
    """Percent agreement in at most STEPS steps of equally many pairs, in order of `seq`; none without labels."""
    if meeting.by_score or not meeting.topic.measure.labels or not pairs.size:
        return ()
    when = meeting.when(pairs)
    order = np.lexsort((np.arange(pairs.size), when))
    steps = min(STEPS, pairs.size)
    step = np.arange(pairs.size) * steps // pairs.size
    labels = meeting.topic.measure.labels
    columns = pair_columns(pairs.label_a[order], pairs.label_b[order], step, steps, labels, ordinal=False)
    each, so_far = (_agreed(part, labels) for part in (columns, np.cumsum(columns, axis=0)))
    n = np.bincount(step)
    last = np.cumsum(n) - 1
    seq = when[order]
    ends = zip(seq[last - n + 1].tolist(), seq[last].tolist(), n.tolist(), (last + 1).tolist(), each, so_far, strict=True)
    return tuple(Step(first, end, size, float(value), total, float(all_)) for first, end, size, total, value, all_ in ends)


def _agreed(columns: FloatArray, labels: int) -> FloatArray:
    return percent_agreement(PairSums.unpack(columns, labels))
