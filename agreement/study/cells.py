"""The cells of a study and their outcomes: each generator and all of them, by each task, all tasks, and the mean over tasks.

An `Outcome` is one statistic of one cell: its value, how it varies, what it used and what it left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from agreement.catalogue import PeopleAs
from agreement.inference.hypothesis_tests import Swaps, mean_swaps
from agreement.inference.intervals import Deletions, Deviations, Interval, PersonDeletions, ValueRange
from agreement.inference.intervals import interval as jackknife_interval
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.study.frame import Ratings, Suite

TASKS_MEAN = "tasks_mean"


@dataclass(frozen=True)
class Used:
    """What a statistic used: items, ratings, clusters, identified persons; and how many it left out, by reason."""

    items: int
    ratings: int
    clusters: int
    excluded: Mapping[str, int] = field(default_factory=dict)
    persons: int = 0


@dataclass(frozen=True)
class Outcome:
    """A statistic in one cell. `value` None has a `reason`; `deviations` are None where no interval is wanted.

    `swaps`: of a difference of two scorers, how it changes as their judgements of prompts are swapped. `unsure`: why it has no
    interval although it varies.
    """

    value: float | None
    reason: Reason | None
    deviations: Deviations | None
    used: Used
    how: Method | None
    swaps: Swaps | None = None
    unsure: Reason | None = None


def outcome(values: FloatArray, reason: Reason | None, used: Used, how: Method | None, unsure: Reason | None = None) -> Outcome:
    """From values whose first is the estimate and the others its jackknife replicates; NaN becomes None with `reason`."""
    if np.isnan(values[0]):
        return undefined(reason, used, how)
    deviations = Deviations.of(values, used.clusters) if values.size > 1 else None
    return Outcome(float(values[0]), None, deviations, used, how, unsure=unsure)


def undefined(reason: Reason | None, used: Used, how: Method | None = None) -> Outcome:
    """An outcome without a value."""
    return Outcome(None, reason, None, used, how)


def mean_over_tasks(tasks: Mapping[str, Outcome | None]) -> Outcome:
    """The unweighted mean over tasks, whose prompts are strata."""
    made = {name: outcome for name, outcome in tasks.items() if outcome is not None}
    parts = list(made.values())
    excluded = merged([part.used.excluded for part in parts])
    items, ratings, clusters = (sum(getattr(p.used, name) for p in parts) for name in ("items", "ratings", "clusters"))
    used = Used(items, ratings, clusters, excluded, max((part.used.persons for part in parts), default=0))
    inner = {part.how for part in parts if part.how is not None}
    how = Method(MethodCode.MEAN_OVER_TASKS, n=len(tasks), each=inner.pop() if len(inner) == 1 else None)
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(tasks):
        missing = tuple(name for name, outcome in tasks.items() if outcome is None or outcome.value is None)
        reasons = tuple(dict.fromkeys(part.reason for part in parts if part.reason is not None))
        reason = Reason(ReasonCode.UNDEFINED_IN_TASKS, tasks=missing, reasons=reasons)
        return undefined(reason, used, Method(MethodCode.MEAN_OVER_TASKS, n=len(tasks), each=None))
    each = [part.deviations for part in parts if part.deviations is not None]
    strata = tuple(d / len(parts) for deviations in each for d in deviations.strata)
    adds = tuple(value / len(parts) for deviations in each for value in deviations.values)
    persons = [d.persons for d in each if d.persons is not None]
    shared = PersonDeletions.mean(persons, len(parts)) if persons and len(persons) == len(each) else None
    deviations = None
    if len(each) == len(parts):
        freedom = min((d.most_freedom for d in each), default=math.inf)
        deviations = Deviations(strata, adds, sum(d.prompts for d in each), freedom, shared)
    swaps = [part.swaps for part in parts if part.swaps is not None]
    together = mean_swaps(swaps) if swaps and len(swaps) == len(parts) else None
    unsure = next((part.unsure for part in parts if part.unsure), None)
    return Outcome(float(np.mean(values)), None, deviations, used, how, together, unsure)


def interval(
    outcome: Outcome, kind: ValueRange, *, by_prompt: bool = True, many: str | None = None, images: float = math.inf
) -> tuple[Interval, Method]:
    """The interval of an outcome, and how value and interval were made.

    `many`: what its clusters are. `images`: how many it rests on, where few take few values.
    """
    bounds, deviations = Interval(), outcome.deviations
    these = None
    if outcome.unsure and deviations is not None:
        bounds = Interval(reason=Reason.no_interval(outcome.unsure))
    elif outcome.value is not None and deviations is not None:
        clusters = many or ("prompts" if by_prompt else "items")
        bounds = jackknife_interval(outcome.value, deviations, kind, clusters, images)
        if deviations.persons is not None:
            fixed = jackknife_interval(outcome.value, replace(deviations, persons=None), kind, clusters, images)
            these = of_these_people(fixed, deviations.persons.count)
    return bounds, joined(outcome.how, bounds.method, bounds.reason, these)


def of_these_people(bounds: Interval, persons: int) -> Method:
    """Return the interval for these people on other prompts; it stands beside an interval for other people."""
    return Method(MethodCode.THESE_PEOPLE, persons=persons, low=bounds.low, high=bounds.high)


def merged(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Counts added up by reason; those of 0 left out."""
    total: dict[str, int] = {}
    for count in counts:
        for reason, n in count.items():
            if n:
                total[reason] = total.get(reason, 0) + int(n)
    return dict(sorted(total.items()))


def refused(rows: Ratings, suite: Suite) -> dict[str, int]:
    """Rows that do not count, by reason."""
    counts = np.bincount(rows.why[rows.why >= 0], minlength=len(suite.reasons))
    return {reason: int(n) for reason, n in zip(suite.reasons, counts, strict=True) if n}


@dataclass(frozen=True)
class Compact:
    """Codes renumbered 0, 1, ... without gaps, and how many there are."""

    codes: IntArray
    size: int


def compact(codes: IntArray) -> Compact:
    """Renumber codes without gaps, keeping their order."""
    distinct, codes = np.unique(codes, return_inverse=True)
    return Compact(codes.astype(np.int64), int(distinct.size))


def first_of(codes: Compact, values: IntArray) -> IntArray:
    """For each code one of its values (for a value that all rows of a code share)."""
    out = np.zeros(codes.size, np.int64)
    out[codes.codes] = values
    return out


def used_rows(rows: Ratings, mask: BoolArray, clusters: int, excluded: Mapping[str, int]) -> Used:
    """Used items and ratings of a mask of rows."""
    return Used(int(np.unique(rows.item[mask]).size), int(mask.sum()), clusters, merged([excluded]))


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
        certainty: classes of units (`report.CLASSES`) to which the report is restricted; none for all units.
        by_certainty: whether to compare scorers with people by class of unit as well.
        ceiling: whether to put people's own agreement, and a verdict, beside each comparison of a scorer with people.
        compare_with: aspects of people with which scorers' scores are compared besides `MET_BY_SCORES`.
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
    compare_with: tuple[str, ...] = ()


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
class CellName:
    """A cell by its names, as rows print them."""

    generator: str
    task: str


Compute = Callable[[Cell], dict[Key, Outcome]]


EVERYWHERE = CellName(ALL, ALL)


@dataclass(frozen=True)
class CellOutcome:
    """One outcome with its place and key."""

    place: CellName
    key: Key
    outcome: Outcome


def walk(rows: Ratings, suite: Suite, options: Options, compute: Compute) -> Iterator[CellOutcome]:
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
        yield from with_tasks_mean(name, tasks, compute(Cell(generator, None, Deletions(options.intervals, options.seed))))


def with_tasks_mean(
    generator: str, tasks: Mapping[str, Mapping[Key, Outcome]], whole: Mapping[Key, Outcome]
) -> Iterator[CellOutcome]:
    """The outcomes of each task, of all together, and the means over tasks."""
    for task, outcomes in [*tasks.items(), (ALL, whole)]:
        for key, outcome in outcomes.items():
            yield CellOutcome(CellName(generator, task), key, outcome)
    for key in whole:
        if any(key in of_task for of_task in tasks.values()):
            mean = mean_over_tasks({task: of_task.get(key) for task, of_task in tasks.items()})
            yield CellOutcome(CellName(generator, TASKS_MEAN), key, mean)


def _present(codes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
    return [int(code) for code in np.unique(codes) if code >= 0]


def cell_name(cell: Cell, suite: Suite) -> CellName:
    """A cell by its names."""
    generator = ALL if cell.generator is None else suite.generators[cell.generator]
    return CellName(generator, ALL if cell.task is None else suite.tasks[cell.task])


def cell_of(suite: Suite, cell: CellName, options: Options) -> Cell:
    """The cell of a place, as the report has it; ValueError for a name that the suite has not."""

    def code(names: tuple[str, ...], name: str, label: str) -> int | None:
        if name == ALL:
            return None
        if name not in names:
            raise ValueError(f"the suite {suite.name!r} has no {label} {name!r}")
        return names.index(name)

    generator, task = code(suite.generators, cell.generator, "generator"), code(suite.tasks, cell.task, "task")
    stream = ALL if task is None else f"task {cell.task}"
    return Cell(generator, task, Deletions(options.intervals, options.seed, stream))
