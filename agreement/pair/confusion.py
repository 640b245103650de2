"""What a click on a pair of raters opens: how their answers cross, item by item, and where and when they agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from agreement.numeric import ratio
from agreement.pair.crossed import Crossing, Step, Table, Values, steps_of, values_of
from agreement.pair.prevalence import COEFFICIENTS, Prevalence, prevalence
from agreement.pair.rater_pair import PEOPLE, SHARE_OF_YES, Encounter, Estimate, encounters
from agreement.report.certainty import select
from agreement.report.pairing import Joined
from agreement.statistics.two_raters import PairSums, pair_columns
from agreement.study.cells import EVERYWHERE, Cell, Options, Place, cell_of
from agreement.study.frame import read
from agreement.study.outcome import outcome

DEFAULT = ("percent_agreement", "cohen_kappa", "gwet_ac1", "pabak", "pearson", "spearman", "kendall_tau_b", "auc")


@dataclass(frozen=True)
class Part:
    """An aspect or a generator by name, with the pair's statistics there."""

    name: str
    estimates: tuple[Estimate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return {"name": self.name, "estimates": [each.to_dict() for each in self.estimates]}


@dataclass(frozen=True)
class Pair:
    """Two sides on one aspect.

    Attributes:
        suite: the suite.
        aspect: the aspect.
        a: the rater in rows.
        b: the rater in columns, or "people".
        people: `real` or `simulated`: who stands behind "people".
        place: generator and task.
        by_score: whether `a` is met by its `score`; then there is no table.
        labels: in the order of the scale; yes before no; without an order, the most used first.
        table: counts, `a` in rows, `b` in columns.
        cells: the same with the items, cells without any left out, row by row.
        values: both sides' numbers, where the aspect is ordered or `a` is met by its score.
        estimates: the pair's statistics.
        aspects: agreement by aspect, of those that both judged.
        generators: agreement by generator, on this aspect.
        steps: agreement over time, on this aspect.
        prevalence: for yes/no.
    """

    suite: str
    aspect: str
    a: str
    b: str
    people: str
    place: Place
    by_score: bool
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    cells: tuple[Crossing, ...]
    values: Values | None
    estimates: tuple[Estimate, ...]
    aspects: tuple[Part, ...]
    generators: tuple[Part, ...]
    steps: tuple[Step, ...]
    prevalence: Prevalence | None

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        plain = {name: getattr(self, name) for name in ("suite", "aspect", "a", "b", "people", "by_score")}
        return plain | {
            "task": self.place.task,
            "generator": self.place.generator,
            "labels": list(self.labels),
            "table": [list(row) for row in self.table],
            "cells": [vars(cell) | {"items": list(cell.items)} for cell in self.cells],
            "values": {name: list(column) for name, column in vars(self.values).items()} if self.values else None,
            "estimates": [each.to_dict() for each in self.estimates],
            "aspects": [part.to_dict() for part in self.aspects],
            "generators": [part.to_dict() for part in self.generators],
            "steps": [dict(vars(step)) for step in self.steps],
            "prevalence": self.prevalence.to_dict() if self.prevalence else None,
        }


def meet(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    aspect: str,
    a: str,
    b: str = PEOPLE,
    options: Options | None = None,
    *,
    place: Place | None = None,
    score: bool = False,
    simulated: bool = False,
) -> Pair:
    """Everything about two raters, or about a rater and people (without that rater, if it is one of them).

    Args:
        frame: as for `build`, of one suite.
        scales: as for `build`.
        aspect: what they judged.
        a: a rater.
        b: another rater, or "people".
        options: `people_as` each (each rating beside the rater's) or majority; `statistics` None is DEFAULT; targets are
            pooled.
        place: the cell; None is all generators and tasks.
        score: meet `a` by its `score` though it judged the aspect itself. Without a judgement of the aspect it is anyway.
        simulated: "people" are simulated ones.

    Raises:
        ValueError: as `build`; for an aspect, rater, task or generator that the frame has not, or more suites than one.
    """
    wanted, where = options or Options(), place or EVERYWHERE
    suites = list(read(select(frame, scales, wanted.certainty), scales))
    if len(suites) != 1:
        raise ValueError(f"a pair is of one suite, not of {len(suites)}")
    suite, cell = suites[0], cell_of(suites[0], where, wanted)
    found = list(encounters(suite, a, b, wanted, scored=aspect if score else None, simulated=simulated))
    meeting = next((each for each in found if each.topic.aspect.name == aspect), None)
    if meeting is None:
        raise ValueError(f"{a!r} and {b!r} do not both have judgements of {aspect!r}")
    pairs = meeting.pairs(cell)
    table = Table(meeting, meeting.labelled(pairs))
    judged = [each for each in found if each.pairs(cell).size]
    return Pair(
        suite=suite.name,
        aspect=aspect,
        a=a,
        b=b,
        people="simulated" if simulated else "real",
        place=where,
        by_score=meeting.by_score,
        labels=table.labels,
        table=table.counts(),
        cells=tuple(table.crossings()),
        values=values_of(meeting, pairs),
        estimates=meeting.estimates(cell, meeting.names(wanted.statistics or DEFAULT)),
        aspects=tuple(Part(each.topic.aspect.name, each.estimates(cell, _short(each))) for each in judged),
        generators=_generators(meeting, cell, pairs),
        steps=steps_of(meeting, meeting.labelled(pairs)),
        prevalence=_prevalence(meeting, cell, pairs, f"simulated {b}" if simulated and b == PEOPLE else b),
    )


def _short(meeting: Encounter) -> tuple[str, ...]:
    """What is said of each aspect and generator: agreement and kappa where there are labels, else the rank correlation."""
    labels = meeting.topic.measure.labels and not meeting.by_score
    return meeting.names(("percent_agreement", "cohen_kappa") if labels else ("spearman",))


def _generators(meeting: Encounter, cell: Cell, pairs: Joined) -> tuple[Part, ...]:
    names = meeting.topic.suite.generators
    codes = [int(code) for code in np.unique(pairs.generator) if code >= 0]
    return tuple(Part(names[code], meeting.estimates(replace(cell, generator=code), _short(meeting))) for code in codes)


def _prevalence(meeting: Encounter, cell: Cell, pairs: Joined, others: str) -> Prevalence | None:
    """The shares of yes are of the same pairs as the coefficients; `others` names `b` in words."""
    if not meeting.topic.measure.binary or meeting.by_score:
        return None
    rows, clusters = meeting.labelled(pairs), np.unique(pairs.cluster)
    place = np.searchsorted(clusters, rows.cluster)
    columns = pair_columns(rows.label_a, rows.label_b, place, clusters.size, 2, ordinal=False)
    sums = PairSums.unpack(cell.deletions.weights(clusters.size) @ columns, 2)
    used = meeting.against(cell).outcome("percent_agreement", meeting.way("percent_agreement") or "each").used
    shares = []
    for name, labels in ((meeting.a, sums.rows), (others, sums.columns)):
        said = outcome(ratio(labels[..., 1], sums.pairs), "they share no judgement", used, f"share of yes of {name}")
        shares.append(meeting.estimate(SHARE_OF_YES, said))
    return prevalence(meeting.a, others, shares[0], shares[1], meeting.estimates(cell, COEFFICIENTS))
