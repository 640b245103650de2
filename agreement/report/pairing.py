"""Two sides of a comparison matched: one row per pair of values on a unit that both have."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.report.scorer_human import strict_majority
from agreement.study.frame import Ratings
from agreement.study.outcome import compact, first_of


@dataclass(frozen=True)
class Joined:
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

    def take(self, rows: BoolArray | IntArray) -> Joined:
        """The rows of a mask or of positions."""
        return Joined(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})


def join(a: Ratings, b: Ratings, *, by_item: bool = False) -> Joined:
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
    return Joined(*places, match.label, second.label, match.number, second.number)


def to_majority(joined: Joined, labels: int) -> Joined:
    """One row per unit on which more than half of `b`'s judgements chose one label; its `seq_b` is the last one's."""
    units, last = _by_unit(joined)
    most = strict_majority(units, last.size, joined.label_b, labels).label
    return replace(last, label_b=most, number_b=np.full(last.size, np.nan)).take(most >= 0)


def to_mean(joined: Joined) -> Joined:
    """One row per unit with the mean of `b`'s numbers; its `seq_b` is the last one's."""
    units, last = _by_unit(joined)
    mean = np.bincount(units, joined.number_b, last.size) / np.maximum(np.bincount(units, minlength=last.size), 1)
    return replace(last, label_b=np.full(last.size, -1), number_b=mean)


def _by_unit(joined: Joined) -> tuple[IntArray, Joined]:
    """The unit of each row, renumbered, and the last row of each unit: rows stand in order of `seq`, as `frame` reads them."""
    unit = compact(joined.unit)
    return unit.codes, joined.take(first_of(unit, np.arange(joined.size)))
