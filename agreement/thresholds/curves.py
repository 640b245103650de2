"""How a scorer's agreement with people changes as its cut moves, with a band."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from agreement.catalogue import kind_of
from agreement.inference.jackknife import LEVEL, Deviations, Kind, interval
from agreement.numeric import FloatArray
from agreement.report.certainty import select
from agreement.study.cells import EVERYWHERE, Cell, Options, Place, cell_of
from agreement.study.frame import read
from agreement.study.outcome import Used
from agreement.thresholds.cuts import Tally, best_cut, curve_values, middle, thinned, why_no_cut
from agreement.thresholds.matched_answers import Cutting, Meeting, meetings

POINTS = 200


@dataclass(frozen=True)
class Curve:
    """The objective at cuts of one scorer's number, on all data of one cell, with a 95% band at each cut.

    Attributes:
        rater: the scorer.
        cutting: what is cut.
        place: generator and task.
        cuts: ascending, at most POINTS, the best one among them; empty with a reason.
        values: the objective at each cut; None where it is undefined.
        low: lower end of the band.
        high: upper end.
        threshold: the best cut.
        best: the objective there.
        used: items, ratings, clusters, and what was left out.
        reason: why there is no curve.
        method: in words.
    """

    rater: str
    cutting: Cutting
    place: Place
    cuts: tuple[float, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    threshold: float | None
    best: float | None
    used: Used
    reason: str | None
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        listed = {name: list(getattr(self, name)) for name in ("cuts", "values", "low", "high")}
        return listed | {
            "rater": self.rater,
            "aspect": self.cutting.aspect,
            "number": self.cutting.number,
            "objective": self.cutting.objective,
            "task": self.place.task,
            "generator": self.place.generator,
            "threshold": self.threshold,
            "best": self.best,
            "n_items": self.used.items,
            "n_ratings": self.used.ratings,
            "excluded": dict(self.used.excluded),
            "reason": self.reason,
            "method": self.method,
        }


def curve(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    rater: str,
    cutting: Cutting | None = None,
    options: Options | None = None,
    *,
    place: Place | None = None,
    simulated: bool = False,
) -> Curve:
    """The objective at every cut of one scorer's number, thinned to POINTS.

    Args:
        frame: as for `build`, of one suite.
        scales: as for `build`.
        rater: the scorer's name.
        cutting: what is cut; folds play no part.
        options: `people_as` and `intervals` count. Targets are pooled.
        place: the cell; None is all generators and tasks.
        simulated: against simulated people instead of real ones.

    Raises:
        ValueError: as `thresholds`; for more than one suite, an unknown task or generator, or a scorer without the number.
    """
    cut, wanted, where = cutting or Cutting(), options or Options(), place or EVERYWHERE
    suites = list(read(select(frame, scales, wanted.certainty), scales))
    if len(suites) != 1:
        raise ValueError(f"a curve is made of one suite, not of {len(suites)}")
    pooled = replace(wanted, by_target=False)
    met = next((m for m in meetings(suites[0], cut, pooled, simulated=simulated) if m.rater == rater), None)
    if met is None:
        raise ValueError(f"{rater!r} is no scorer with a {cut.number!r} that can meet people's {cut.aspect!r}")
    return _curve(met, cut, where, cell_of(suites[0], where, wanted))


def _curve(met: Meeting, cut: Cutting, place: Place, cell: Cell) -> Curve:
    matched = met.matched(cell)
    answers, about = matched.answers, (met.rater, cut, place)
    how = f'{cut.objective} of "yes if {cut.number} > t" with people, people as {met.people_as}, on all data: no fold left out'
    reason = why_no_cut(answers, 1, met.clusters_are)
    if reason is not None:
        return Curve(*about, (), (), (), (), None, None, matched.used, reason, how)
    tally = Tally.of(answers.score, answers.yes)
    best, edges = best_cut(tally, cut.objective), tally.edges()
    cuts = thinned(edges.size - 1, best.cut, POINTS)
    values = curve_values(answers, cut.objective, cuts, cell.deletions.weights(answers.clusters))
    low, high = _band(values, answers.clusters, kind_of(cut.objective, binary=True))
    if cell.deletions.wanted and answers.clusters > 1:
        how += f"; band: {LEVEL}% jackknife over {answers.clusters} {met.clusters_are} at each cut"
    at = middle(edges[cuts], edges[cuts + 1])
    cut_at, on_all = tuple(at.tolist()), tuple(_number(value) for value in values[0])
    return Curve(*about, cut_at, on_all, low, high, best.threshold, best.value, matched.used, None, how)


Bound = tuple[float | None, ...]


def _band(values: FloatArray, clusters: int, kind: Kind) -> tuple[Bound, Bound]:
    """Both ends of the interval at each cut, from the values (1 + replicates, cuts)."""
    if len(values) < 2:
        return ((None,) * values.shape[1],) * 2
    bounds = [interval(at[0], Deviations.of(at, clusters), kind) for at in values.T]
    return tuple(bound.low for bound in bounds), tuple(bound.high for bound in bounds)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
