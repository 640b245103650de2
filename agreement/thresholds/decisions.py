"""Scores to decisions: the cut of a scorer's number that agrees best with people's yes or no, and how well on other prompts.

As GenEval does for CLIPScore (Ghosh et al. 2023, section 4: a threshold for each task, the one that agrees best), but
reported out of fold: a cut is chosen on four fifths of the prompts and judged on the fifth, for each fifth (k = 5 as in
their appendix A.2). The interval is that of the pooled decisions out of fold, thresholds held.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from agreement.catalogue import kind_of
from agreement.numeric import BoolArray, FloatArray
from agreement.report.certainty import select
from agreement.statistics.two_raters import FORMULAS, PairSums, pair_columns, why_undefined
from agreement.study.cells import Cell, Key, Options, Place, place_of, walk
from agreement.study.frame import read
from agreement.study.outcome import Outcome, interval, outcome, undefined
from agreement.thresholds.cuts import (
    OBJECTIVES,
    Answers,
    CrossValidated,
    Tally,
    best_cut,
    cross_validate,
    fold_generator,
    folds_of,
    why_no_cut,
)
from agreement.thresholds.matched_answers import Cutting, Meeting, meetings, unfit

STATISTICS = OBJECTIVES


@dataclass(frozen=True)
class Chosen:
    """The cuts of one cell.

    Attributes:
        threshold: chosen on all data; None where none can be, and for the mean over tasks, which each have their own.
        fold_thresholds: the cut chosen without each fold.
        in_sample: the statistic of the threshold on the data that it was chosen on: too good, to be set beside the value.
        fold_values: the statistic in each fold; None where it is undefined there.
    """

    threshold: float | None = None
    fold_thresholds: tuple[float, ...] = ()
    in_sample: float | None = None
    fold_values: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Decided:
    """Agreement, by one statistic in one cell, of a scorer's decisions out of fold with people."""

    suite: str
    aspect: str
    target: str | None
    people: str
    place: Place
    key: Key
    cutting: Cutting
    chosen: Chosen
    outcome: Outcome
    low: float | None
    high: float | None
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types; `n_items` and `n_ratings` count people's ratings."""
        used = self.outcome.used
        return {
            "suite": self.suite,
            "task": self.place.task,
            "generator": self.place.generator,
            "aspect": self.aspect,
            "target": self.target,
            "people": self.people,
            "statistic": self.key.statistic,
            "rater": self.key.rater,
            "number": self.cutting.number,
            "people_as": self.key.people_as,
            "objective": self.cutting.objective,
            "value": self.outcome.value,
            "low": self.low,
            "high": self.high,
            "threshold": self.chosen.threshold,
            "fold_thresholds": list(self.chosen.fold_thresholds),
            "in_sample": self.chosen.in_sample,
            "fold_values": list(self.chosen.fold_values),
            "n_items": used.items,
            "n_ratings": used.ratings,
            "excluded": dict(used.excluded),
            "reason": self.outcome.reason,
            "method": self.method,
        }


def thresholds(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    cutting: Cutting | None = None,
    options: Options | None = None,
) -> list[Decided]:
    """Cut every scorer's number to agree with people, in the cells of the report; percent agreement and kappa out of fold.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        cutting: what is cut; None for people's `correct` by `score`, in the suites where these are yes/no and a number.
        options: `people_as` each or majority (None: each); `statistics` and `matrix` play no part.

    Raises:
        ValueError: as `build`; for an aspect of people that is not yes/no, a number that is none, fewer than two folds.
    """
    cut, wanted = cutting or Cutting(), options or Options()
    found: list[Decided] = []
    for suite in read(select(frame, scales, wanted.certainty), scales):
        if cutting is None and unfit(suite, cut):
            continue
        for simulated in (False, True):
            for meeting in meetings(suite, cut, wanted, simulated=simulated):
                found += _Trial(meeting, cut).rows()
    return found


class _Trial:
    """The cuts of one scorer on one topic, in every cell."""

    def __init__(self, meeting: Meeting, cut: Cutting) -> None:
        self._meeting, self._cut = meeting, cut
        self._chosen: dict[tuple[Place, str], Chosen] = {}

    def rows(self) -> list[Decided]:
        """Both statistics in every cell."""
        topic = self._meeting.topic
        suite, options = topic.suite, topic.options
        people = "simulated" if self._meeting.simulated else "real"
        rows = []
        for found in walk(self._meeting.people, suite, options, self._cell):
            kind = kind_of(found.key.statistic, binary=True)
            bounds, method = interval(found.outcome, kind, by_prompt=suite.by_prompt)
            chosen = self._chosen.get((found.place, found.key.statistic), Chosen())
            kept = replace(found.outcome, deviations=None)
            about = (suite.name, topic.aspect.name, topic.target, people, found.place, found.key, self._cut, chosen)
            rows.append(Decided(*about, kept, bounds.low, bounds.high, method))
        return rows

    def _cell(self, cell: Cell) -> dict[Key, Outcome]:
        meeting, cut = self._meeting, self._cut
        if not cell.of_generator(meeting.scored).size:
            return {}
        matched, many = meeting.matched(cell), meeting.clusters_are
        made = _decide(matched.answers, cut, cell, many)
        how = f"yes if {cut.number} > t, t the best by {cut.objective} on the other folds; {cut.folds} folds of {many}, seeded"
        found: dict[Key, Outcome] = {}
        for name in STATISTICS:
            key = Key(name, rater=meeting.rater, people_as=meeting.people_as)
            if made.reason is not None:
                found[key] = undefined(made.reason, matched.used, how)
                continue
            values, sample = FORMULAS[name](_sums(made.said, matched.answers, cell)), _sums(made.said, matched.answers)
            found[key] = outcome(values, why_undefined(name, sample), matched.used, how)
            self._chosen[place_of(cell, meeting.topic.suite), name] = _chosen(name, made, matched.answers, cut)
        return found


def _decide(answers: Answers, cut: Cutting, cell: Cell, many: str) -> CrossValidated:
    """Decisions out of fold, or why there are none."""
    reason = why_no_cut(answers, cut.folds, many)
    if reason is not None:
        nothing = np.zeros(0, np.int64)
        return CrossValidated(nothing > 0, nothing, (), reason)
    dealt = folds_of(answers.clusters, cut.folds, fold_generator(cell.deletions.seed, cell.deletions.stream))
    return cross_validate(answers, cut.objective, dealt)


def _chosen(statistic: str, made: CrossValidated, answers: Answers, cut: Cutting) -> Chosen:
    formula, best = FORMULAS[statistic], best_cut(Tally.of(answers.score, answers.yes), cut.objective)
    if best.threshold is None:
        return Chosen(None, made.thresholds)
    in_sample = float(formula(_sums(answers.score > best.threshold, answers)))
    by_fold = PairSums.unpack(_columns(made.said, replace(answers, cluster=made.fold, clusters=cut.folds)), 2)
    values = tuple(None if np.isnan(value) else float(value) for value in formula(by_fold))
    return Chosen(best.threshold, made.thresholds, None if np.isnan(in_sample) else in_sample, values)


def _columns(said: BoolArray, answers: Answers) -> FloatArray:
    decision, answer = said.astype(np.int64), answers.yes.astype(np.int64)
    return pair_columns(decision, answer, answers.cluster, answers.clusters, 2, ordinal=False)


def _sums(said: BoolArray, answers: Answers, cell: Cell | None = None) -> PairSums:
    """The confusion sums of decisions and answers: of the sample, or with a cell of the sample and its replicates."""
    columns = _columns(said, answers)
    return PairSums.unpack(columns.sum(0) if cell is None else cell.deletions.weights(answers.clusters) @ columns, 2)
