"""Sums over units by generator and task, in whole numbers: what is taken away leaves nothing behind, however often.

Sums of shares would keep rounding errors as units go and come, and a share of 1e-17 where there is none makes an undefined
kappa defined. So people's ratings are summed as numbers of units by profile (how often each label was chosen on a unit; a
study has few of them), and the sums of `many_raters` are made from these when they are read.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TypeVar

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.statistics import many_raters

_WIDEST = 2**40
T = TypeVar("T", "PeopleTally", "MetTally")


@dataclass(frozen=True)
class Grid:
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
class Units:
    """Some units, those of one item next to each other: their item, code of the grid, and profile."""

    item: IntArray
    base: IntArray
    profile: IntArray

    def items(self, grid: Grid, chosen: BoolArray) -> FloatArray:
        """How many items have a chosen unit: (grid, 1)."""
        item = self.item[chosen]
        first = np.r_[True, item[1:] != item[:-1]][: item.size]
        return np.bincount(self.base[chosen][first], minlength=grid.size).astype(float)[:, None]


def people_tally(grid: Grid, profiles: Profiles, units: Units, refused: IntArray) -> PeopleTally:
    """What people said of whole items; `refused` is (units, reasons)."""
    n = profiles.n[units.profile]
    rated = n > 0
    place = units.base[rated] * profiles.size + units.profile[rated]
    by_profile = np.bincount(place, minlength=grid.size * profiles.size).reshape(grid.size, profiles.size).astype(float)
    items = np.concatenate([units.items(grid, rated), units.items(grid, n > 1)], axis=1)
    return PeopleTally(by_profile, items, by_code(units.base, grid.size, refused))


def met_tally(grid: Grid, profiles: Profiles, units: Units, known: BoolArray, label: IntArray | None) -> MetTally:
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
