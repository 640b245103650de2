"""Verdicts that come and go: a scorer's yes or no as it would be by other settings, beside what people say.

What people say is counted once (`hear`); then each new set of verdicts costs a few sums. The numbers are those of the report
(`build`) for the same judgements, without intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.engine.columns import Columns, Labels
from agreement.engine.counted import PEOPLE, SIMULATED, Counted
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.report.scorer_human import HOW, NOTHING_SHARED
from agreement.statistics.scale import Scale
from agreement.statistics.two_raters import FORMULAS, PairSums, why_undefined
from agreement.study.cells import ALL, Place
from agreement.study.outcome import TASKS_MEAN, Outcome, Used, mean_over_tasks, outcome

NONE, NO, YES = -1, 0, 1
"""Codes of verdicts; NONE is no verdict, or one that was left open."""
STATISTICS = ("percent_agreement", "cohen_kappa", "gwet_ac1")
_KINDS = {"real": PEOPLE, "simulated": SIMULATED}
_OWN = "the share of yes among the scorer's verdicts"


@dataclass(frozen=True)
class Places:
    """Where the judged items stand, in the order of their verdicts; -1 is none.

    Attributes:
        tasks, generators: names; `task`, `generator`: of each item its position in them.
        cluster: of each item (its prompt), any codes.
    """

    tasks: tuple[str, ...]
    generators: tuple[str, ...]
    task: IntArray
    generator: IntArray
    cluster: IntArray

    def take(self, rows: BoolArray | IntArray) -> Places:
        """Some of the items."""
        return replace(self, task=self.task[rows], generator=self.generator[rows], cluster=self.cluster[rows])


@dataclass(frozen=True)
class Heard:
    """What one kind of people say of the items, in the order of the verdicts.

    Attributes:
        no, yes: how many ratings that count.
        asked: whether anybody has rated the item, in a way that counts or not.
    """

    no: FloatArray
    yes: FloatArray
    asked: BoolArray

    def take(self, rows: BoolArray | IntArray) -> Heard:
        """Some of the items."""
        return Heard(self.no[rows], self.yes[rows], self.asked[rows])


@dataclass(frozen=True)
class Shared:
    """A number of one cell."""

    place: Place
    statistic: str
    outcome: Outcome


def hear(scale: str, counted: Counted, items: Sequence[str]) -> dict[str, Heard]:
    """What people say of these items as wholes, by kind of people (`real`, `simulated`); a kind that says nothing is left out.

    Args:
        scale: the aspect's, as it is written.
        counted: judgements of the aspect; those about a target of an item play no part.
        items: in the order of the verdicts; others may be counted as well.

    Raises:
        ValueError: people's values are not yes and no.
    """
    said = counted.said
    used = np.bincount(said.label[(said.reason < 0) & (said.label >= 0)], minlength=len(said.labels)) > 0
    if not used.any():
        return {}
    labels, columns = Labels(Scale.parse(scale), said.labels, used), Columns(counted)
    if not labels.measure.binary:
        raise ValueError("what people say here is not yes or no")
    read = columns.read(said, labels, np.arange(columns.task.size))
    whole = columns.target < 0
    unit_of = dict(zip((counted.items[item] for item in columns.item[whole]), np.flatnonzero(whole).tolist(), strict=True))
    # the place after the last is for items of which nobody says anything
    at = np.array([unit_of.get(item, columns.units) for item in items], np.int64)
    found: dict[str, Heard] = {}
    for kind, code in _KINDS.items():
        mine = read.of(code)
        table = mine.table(columns.units, 2).astype(float)
        rated = table.sum(1) + mine.refused(columns.units, len(columns.reasons)).sum(1) > 0
        no, yes, asked = (np.r_[column, 0][at] for column in (table[:, NO], table[:, YES], rated))
        if asked.any():
            found[kind] = Heard(no, yes, asked > 0)
    return found


def tables(said: IntArray, heard: Heard, group: IntArray, groups: int) -> FloatArray:
    """Confusion tables (..., groups, 2, 2) of verdicts (..., items) with each rating by people: the verdict in rows, no first.

    `group` is a code of each item below `groups`; -1: it is in none.
    """
    weights = np.zeros((group.size, groups, 2))
    rows = np.flatnonzero(group >= 0)
    weights[rows, group[rows], NO], weights[rows, group[rows], YES] = heard.no[rows], heard.yes[rows]
    flat = weights.reshape(group.size, groups * 2)
    met = [(said == verdict).astype(float) @ flat for verdict in (NO, YES)]
    return np.stack([part.reshape(*said.shape[:-1], groups, 2) for part in met], axis=-2)


def agreements(said: IntArray, heard: Heard, places: Places) -> list[Shared]:
    """STATISTICS of verdicts (items,) with people, for each task, all items, and the mean over tasks."""
    by_task = tables(said, heard, places.task, len(places.tasks))
    every = tables(said, heard, np.zeros(said.size, np.int64), 1)[0]
    present = [code for code in range(len(places.tasks)) if heard.asked[places.task == code].any()]
    found = {places.tasks[code]: _agreed(by_task[code], said, heard, places.task == code) for code in present}
    found[ALL] = _agreed(every, said, heard, np.ones(said.size, bool))
    return _with_mean(ALL, found)


def _agreed(table: FloatArray, said: IntArray, heard: Heard, inside: BoolArray) -> dict[str, Outcome]:
    met = inside & (said >= 0) & (heard.no + heard.yes > 0)
    used, sums = Used(int(met.sum()), int(table.sum()), 0), PairSums.of(table)
    made: dict[str, Outcome] = {}
    for name in STATISTICS:
        reason = why_undefined(name, sums) if used.ratings else NOTHING_SHARED
        made[name] = outcome(np.atleast_1d(FORMULAS[name](sums)), reason, used, HOW["each"])
    return made


def shares(said: IntArray, places: Places) -> list[Shared]:
    """`mean`, the share of yes: for each generator and all, of each task, all items, and the mean over tasks."""
    found: list[Shared] = []
    for code, generator in [*enumerate(places.generators), (-1, ALL)]:
        inside = np.ones(said.size, bool) if generator == ALL else places.generator == code
        of: dict[str, Outcome] = {}
        for task, name in enumerate(places.tasks):
            rows = inside & (places.task == task)
            if rows.any():
                of[name] = _share(said[rows])
        of[ALL] = _share(said[inside])
        found += _with_mean(generator, {task: {"mean": made} for task, made in of.items()})
    return found


def _share(said: IntArray) -> Outcome:
    n = int((said >= 0).sum())
    value = share_of_yes(said, np.zeros(said.size, np.int64), 1)
    return outcome(value, "the scorer has no verdict", Used(n, n, 0), _OWN)


def share_of_yes(said: IntArray, group: IntArray, groups: int) -> FloatArray:
    """(..., groups): of verdicts (..., items) the share of yes by group, NaN without a verdict; `group` as for `tables`."""
    member = (group[:, None] == np.arange(groups)).astype(float)
    return ratio((said == YES).astype(float) @ member, (said >= 0).astype(float) @ member)


def _with_mean(generator: str, found: Mapping[str, Mapping[str, Outcome]]) -> list[Shared]:
    """The outcomes of tasks and of all, and the means over tasks."""
    rows = [Shared(Place(generator, task), name, made) for task, of in found.items() for name, made in of.items()]
    tasks = {task: of for task, of in found.items() if task != ALL}
    for name in found[ALL] if tasks else ():
        mean = mean_over_tasks({task: of.get(name) for task, of in tasks.items()})
        rows.append(Shared(Place(generator, TASKS_MEAN), name, mean))
    return rows
