"""The agreement report: every row of `agreement --format json`, from a long frame of judgements.

`build(frame, scales, options)` compares people among themselves, each scorer with people, and raters two by two, by
suite, aspect, generator and task. A unit is one (item, target).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from .catalogue import STATISTICS
from .cells import Key, Options
from .frame import read
from .topic import Row, topics


@dataclass(frozen=True)
class Report:
    """Rows of the three comparisons; the caller adds the selection they were made from."""

    among_people: tuple[Row, ...]
    raters: tuple[Row, ...]
    matrix: tuple[Row, ...]

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """JSON-able: None for undefined, numbers as they are."""
        with_rater = [row.to_dict() | _of(row.found.key, "rater", "people_as") | {"kind": "scorer"} for row in self.raters]
        with_two = [row.to_dict() | _of(row.found.key, "a", "b") for row in self.matrix]
        return {"among_people": [row.to_dict() for row in self.among_people], "raters": with_rater, "matrix": with_two}


def _of(key: Key, *names: str) -> dict[str, str | None]:
    return {name: getattr(key, name) for name in names}


def build(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options | None = None) -> Report:
    """Make the report of a long frame of judgements.

    Args:
        frame: one row per judgement with the columns `frame.COLUMNS`; a row with a reason in `excluded` is only counted.
        scales: the scale of each (suite, aspect) of the frame.
        options: what to make.

    Raises:
        ValueError: for a frame without a column, an aspect without a scale, or an unknown statistic.
    """
    wanted = options or Options()
    unknown = sorted(set(wanted.statistics or ()) - set(STATISTICS))
    if unknown:
        raise ValueError(f"unknown statistic {', '.join(unknown)}; known are {', '.join(STATISTICS)}")
    among: list[Row] = []
    raters: list[Row] = []
    matrix: list[Row] = []
    for suite in read(frame, scales):
        for aspect in suite.aspects:
            for topic in topics(suite, aspect, wanted):
                for simulated in (False, True):
                    among += topic.among(simulated=simulated)
                    raters += topic.raters(simulated=simulated)
                    matrix += topic.matrix(simulated=simulated) if wanted.matrix else []
    return Report(tuple(among), tuple(raters), tuple(matrix))


def scorer_means(
    frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options | None = None
) -> list[dict[str, Any]]:
    """Each scorer's own mean over all that it judged, whether people judged it or not.

    The rows are those of the report's `raters` (statistic `mean`), without people: their `people` is None.

    Args and errors: as `build`.
    """
    wanted = replace(options or Options(), statistics=("mean",))
    rows = [
        row
        for suite in read(frame, scales)
        for aspect in suite.aspects
        for t in topics(suite, aspect, wanted)
        for row in t.own()
    ]
    return [row.to_dict() | {"people": None, "rater": row.found.key.rater, "kind": "scorer"} for row in rows]
