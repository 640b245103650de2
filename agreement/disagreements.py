"""Which units are judged most differently: where to look first when somebody is to say who was wrong.

A unit's disagreement is the mean distance of its pairs of values, 0 to 1: of two people each, or of a scorer and each person.
The distance of two labels is 0 or 1 on a nominal scale, |c - k| / (K - 1) on an ordinal one with K
levels; two numbers of an interval scale differ by their distance over the largest one found. Among people that is the observed
disagreement of Krippendorff's alpha with these distances, unit by unit. Units sorted by it are no sample: no statistic
may be made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from agreement.catalogue import Measure
from agreement.numeric import BoolArray, FloatArray
from agreement.study.frame import Aspect, Ratings, Suite, read


@dataclass(frozen=True)
class ContestedUnit:
    """A unit with two values or more to compare.

    Attributes:
        target: None where the judgement is about the item itself.
        disagreement: 0 to 1.
        n: people's values.
    """

    item: str
    target: str | None
    disagreement: float
    n: int


def contested_units(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    suite: str,
    aspect: str,
    scorer: str | None = None,
    *,
    simulated: bool = False,
) -> list[ContestedUnit]:
    """Units with some disagreement, the most contested first, then those with most values, then by name.

    Args:
        frame: as for `build`; what is excluded there plays no part.
        scales: as for `build`.
        suite: of which suite's items.
        aspect: what was judged.
        scorer: its value against each person's; None: people among themselves.
        simulated: people are the simulated ones.

    Raises:
        ValueError: as `build`.
    """
    rows = frame[(frame["suite"] == suite) & (frame["aspect"] == aspect)]
    units = [
        unit for judged in read(rows, scales) for unit in _of_suite(judged, judged.aspects[0], scorer, simulated=simulated)
    ]
    return sorted(units, key=lambda unit: (-unit.disagreement, -unit.n, unit.item, unit.target or ""))


def _of_suite(suite: Suite, aspect: Aspect, scorer: str | None, *, simulated: bool) -> list[ContestedUnit]:
    rows = aspect.ratings.take(aspect.ratings.valid)
    people = rows.take(suite.raters_where(scorer=False, simulated=simulated)[rows.rater])
    values = _values(aspect.measure, people)
    own = _own(suite, rows, aspect.measure, scorer)
    # the distance that counts as 1
    largest, labels = 1.0, aspect.measure.labels
    if aspect.measure.ordinal and labels > 1:
        largest = float(labels - 1)
    elif not labels and (every := np.concatenate([values, [*own.values()]])).size:
        largest = float(np.ptp(every)) or 1.0
    order = np.argsort(people.unit, kind="stable")
    starts = np.flatnonzero(np.diff(people.unit[order], prepend=-2))
    contested = []
    for mine in np.split(order, starts[1:]) if order.size else []:
        unit = int(people.unit[mine[0]])
        if scorer is None:
            first, second = np.array([*combinations(mine.tolist(), 2)], np.int64).reshape(-1, 2).T
            apart = np.abs(values[first] - values[second])
        elif unit in own:
            apart = np.abs(values[mine] - own[unit])
        else:
            continue
        if aspect.measure.kind == "nominal":
            apart = (apart > 0).astype(float)
        if apart.any():
            target = unit % (len(suite.targets) + 1) - 1
            name = suite.targets[target] if target >= 0 else None
            contested.append(
                ContestedUnit(suite.items[int(people.item[mine[0]])], name, float(apart.mean() / largest), mine.size)
            )
    return contested


def _values(measure: Measure, rows: Ratings) -> FloatArray:
    return rows.label.astype(float) if measure.labels else rows.number


def _own(suite: Suite, rows: Ratings, measure: Measure, scorer: str | None) -> dict[int, float]:
    """A scorer's value by unit."""
    named: BoolArray = np.array([rater.scorer and rater.name == scorer for rater in suite.raters], bool)
    mine = rows.take(named[rows.rater])
    return dict(zip(mine.unit.tolist(), _values(measure, mine).tolist(), strict=True))
