"""The cells of a study: each generator and all of them, by each task, all tasks, and the mean over tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from agreement.catalogue import PeopleAs
from agreement.inference.jackknife import Deletions
from agreement.study.frame import Ratings, Suite
from agreement.study.outcome import TASKS_MEAN, Outcome, mean_over_tasks

ALL = "all"


@dataclass(frozen=True)
class Options:
    """What a report contains.

    Attributes:
        statistics: names of `catalogue.STATISTICS`; None for all that apply (but those made only on request).
        by_target: rows per target instead of pooled ones, where an aspect has targets.
        people_as: how people enter a comparison with a scorer; None for each statistic's own way.
        intervals: whether to make intervals.
        seed: of folds, flips and models of a crowd, which are drawn.
        matrix: whether to compare raters two by two.
        each_generator: rows for each generator besides those for all of them.
        certainty: classes of units (`certainty.CLASSES`) to which the report is restricted; none for all units.
        by_certainty: whether to compare scorers with people by class of unit as well.
        ceiling: whether to put people's own agreement, and a verdict, beside each comparison of a scorer with people.
        margin: so far from people a scorer is still equivalent; None: .05 for shares, .1 for coefficients.
    """

    statistics: tuple[str, ...] | None = None
    by_target: bool = False
    people_as: PeopleAs | None = None
    intervals: bool = True
    seed: int = 0
    matrix: bool = True
    each_generator: bool = True
    certainty: tuple[str, ...] = ()
    by_certainty: bool = False
    ceiling: bool = False
    margin: float | None = None


@dataclass(frozen=True)
class Cell:
    """One generator or all (None), one task or all (None), and what its jackknife leaves out."""

    generator: int | None
    task: int | None
    deletions: Deletions

    def of_generator(self, rows: Ratings) -> Ratings:
        """The rows of the cell's generator, whatever their task."""
        return rows if self.generator is None else rows.take(rows.generator == self.generator)

    def of(self, rows: Ratings) -> Ratings:
        """The rows of the cell."""
        inside = self.of_generator(rows)
        return inside if self.task is None else inside.take(inside.task == self.task)


@dataclass(frozen=True)
class Key:
    """What an outcome is about: the statistic, and the rater(s) where there are some.

    `side` is None but beside a scorer's own number: see `ceiling`.
    """

    statistic: str
    rater: str | None = None
    people_as: str | None = None
    a: str | None = None
    b: str | None = None
    side: str | None = None


@dataclass(frozen=True)
class Place:
    """A cell by its names, as rows print them."""

    generator: str
    task: str


Compute = Callable[[Cell], dict[Key, Outcome]]


EVERYWHERE = Place(ALL, ALL)


@dataclass(frozen=True)
class Found:
    """One outcome with its place and key."""

    place: Place
    key: Key
    outcome: Outcome


def walk(rows: Ratings, suite: Suite, options: Options, compute: Compute) -> Iterator[Found]:
    """Compute every cell in which `rows` has any, and the means over tasks."""
    each = _present(rows.generator) if options.each_generator else []
    generators: list[int | None] = [*each, None] if rows.size else []
    for generator in generators:
        name = ALL if generator is None else suite.generators[generator]
        inside = Cell(generator, None, Deletions(options.intervals, options.seed)).of(rows)
        tasks: dict[str, dict[Key, Outcome]] = {}
        for task in _present(inside.task):
            cell = Cell(generator, task, Deletions(options.intervals, options.seed, "task " + suite.tasks[task]))
            tasks[suite.tasks[task]] = compute(cell)
        whole = compute(Cell(generator, None, Deletions(options.intervals, options.seed)))
        for task_name, found in [*tasks.items(), (ALL, whole)]:
            for key, outcome in found.items():
                yield Found(Place(name, task_name), key, outcome)
        for key in whole:
            if any(key in found for found in tasks.values()):
                mean = mean_over_tasks({task_name: found.get(key) for task_name, found in tasks.items()})
                yield Found(Place(name, TASKS_MEAN), key, mean)


def _present(codes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    return [int(code) for code in np.unique(codes) if code >= 0]


def place_of(cell: Cell, suite: Suite) -> Place:
    """A cell by its names."""
    generator = ALL if cell.generator is None else suite.generators[cell.generator]
    return Place(generator, ALL if cell.task is None else suite.tasks[cell.task])


def cell_of(suite: Suite, place: Place, options: Options) -> Cell:
    """The cell of a place, as the report has it; ValueError for a name that the suite has not."""

    def code(names: tuple[str, ...], name: str, what: str) -> int | None:
        if name == ALL:
            return None
        if name not in names:
            raise ValueError(f"the suite {suite.name!r} has no {what} {name!r}")
        return names.index(name)

    generator, task = code(suite.generators, place.generator, "generator"), code(suite.tasks, place.task, "task")
    stream = ALL if task is None else f"task {place.task}"
    return Cell(generator, task, Deletions(options.intervals, options.seed, stream))
