"""The agreement report: every row of `agreement --format json`, from a long frame of judgements.

`build(frame, scales, options)` compares people among themselves, each scorer with people, and raters two by two, by
suite, aspect, generator and task. A unit is one (item, target).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pandas as pd

from agreement.catalogue import STATISTICS, at_a_glance
from agreement.report.certainty import by_certainty, select
from agreement.report.topic import ReportRow, topics
from agreement.study.cells import Key, Options
from agreement.study.frame import read


@dataclass(frozen=True)
class AgreementReport:
    """Rows of the comparisons; the caller adds the selection they were made from. `by_certainty` is `raters` by class."""

    among_people: tuple[ReportRow, ...]
    raters: tuple[ReportRow, ...]
    matrix: tuple[ReportRow, ...]
    by_certainty: tuple[ReportRow, ...] = ()

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """JSON-able: None for undefined, numbers as they are."""
        return {
            "among_people": [row.to_dict() for row in self.among_people],
            "raters": [_with_rater(row) for row in self.raters],
            "matrix": [row.to_dict() | _of(row.found.key, "a", "b") for row in self.matrix],
            "by_certainty": [_with_rater(row) | {"certainty": row.certainty} for row in self.by_certainty],
        }


def _with_rater(row: ReportRow) -> dict[str, Any]:
    of_scorer = {"kind": "scorer", "saw_labels": row.saw_labels, "ceiling": row.ceiling.to_dict() if row.ceiling else None}
    return row.to_dict() | _of(row.found.key, "rater", "people_as") | of_scorer


def _of(key: Key, *names: str) -> dict[str, str | None]:
    return {name: getattr(key, name) for name in names}


def build(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options | None = None) -> AgreementReport:
    """Make the report of a long frame of judgements.

    Args:
        frame: one row per judgement with the columns `frame.COLUMNS`; a row with a reason in `excluded` is only counted.
        scales: the scale of each (suite, aspect) of the frame.
        options: what to make.

    Raises:
        ValueError: for a frame without a column, an aspect without a scale, an unknown statistic or class of certainty.
    """
    wanted = options or Options()
    unknown = sorted(set(wanted.statistics or ()) - set(STATISTICS))
    if unknown:
        raise ValueError(f"unknown statistic {', '.join(unknown)}; known are {', '.join(STATISTICS)}")
    among: list[ReportRow] = []
    raters: list[ReportRow] = []
    matrix: list[ReportRow] = []
    by_class: list[ReportRow] = []
    for suite in read(select(frame, scales, wanted.certainty), scales):
        for aspect in suite.aspects:
            for topic in topics(suite, aspect, wanted):
                for simulated in (False, True):
                    among += topic.among(simulated=simulated)
                    raters += topic.raters(simulated=simulated)
                    matrix += topic.matrix(simulated=simulated) if wanted.matrix else []
                    by_class += by_certainty(topic, simulated=simulated) if wanted.by_certainty else []
    return AgreementReport(tuple(among), tuple(raters), tuple(matrix), tuple(by_class))


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
        for suite in read(select(frame, scales, wanted.certainty), scales)
        for aspect in suite.aspects
        for t in topics(suite, aspect, wanted)
        for row in t.own()
    ]
    return [row.to_dict() | {"people": None, "rater": row.found.key.rater, "kind": "scorer"} for row in rows]


_RowType = TypeVar("_RowType", bound=Mapping[str, Any])
_PLACE = ("suite", "task", "generator", "aspect", "target", "people", "rater", "a", "b", "certainty")


def glance(rows: Iterable[_RowType], also: str = "") -> tuple[list[_RowType], list[_RowType]]:
    """The rows to show at a glance, each place's primary statistic first, and the rest in their order.

    `also` is a statistic that is shown wherever there is one.
    """
    places: dict[tuple[Any, ...], dict[str, _RowType]] = {}
    for row in rows:
        places.setdefault(tuple(row.get(name) for name in _PLACE), {})[row["statistic"]] = row
    shown: list[_RowType] = []
    rest: list[_RowType] = []
    for found in places.values():
        among = not any("rater" in row or "a" in row for row in found.values())
        names = at_a_glance(found, among=among)
        if also in found and also not in names:
            names = (*names, also)
        shown += [found[name] for name in names]
        rest += [row for name, row in found.items() if name not in names]
    return shown, rest
