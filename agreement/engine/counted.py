"""Judgements of one aspect counted by unit: what a database's GROUP BY delivers, and what standing sums are made from.

These are contracts for whoever counts (`agreement/` itself reads no database); every array is of codes, -1 is "none".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from agreement.numeric import FloatArray, IntArray

PEOPLE, SIMULATED, SCORERS = 0, 1, 2
"""Codes of `Entries.who`: real people, simulated ones, and from `SCORERS` on one code for each scorer."""


class NotServedError(ValueError):
    """Standing sums cannot give what is asked for, or would be too large; the report (`build`) can."""


class Entries(Protocol):
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


class Counted(Protocol):
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
    def said(self) -> Entries: ...
    @property
    def scores(self) -> Entries: ...
