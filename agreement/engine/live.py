"""Point estimates that follow every answer: made once from counted judgements, then only in cells with a changed unit.

`LiveEstimates` gives rows of the report (`build` without intervals, matrix and single generators): those whose statistics
follow from how many units were rated in which way, with the same numbers, counts, reasons and words.

Why there is this second path beside `build`, in seconds of processor time and memory after one more answer
(`benchmarks/agreement.py` makes such a project; as many judgements by five scorers come on top; 27 November 2026):

    judgements by people     `build`, points only    counted anew       followed
    500,000                  10 s, 1.4 GB            0.5 s, 0.1 GB      0.03 s
    1,000,000                26 s, 2.9 GB            1.2 s, 0.1 GB      0.05 s

So where somebody answers each second, `build` never comes to an end, counting anew takes half a core or more than one for each
selection that is looked at, and following takes a twentieth of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.catalogue import CORRELATIONS, OF_SCORES, people_as, select_statistics
from agreement.engine.counts import KINDS, CountedLabels, CountedScores, CountedTopic, ItemAnswer, Refused
from agreement.estimate import Estimate
from agreement.inference.intervals import Interval
from agreement.numeric import FloatArray, IntArray, ratio
from agreement.reasons import NO_METHOD, joined
from agreement.report.human_human import ALL_RATINGS, BY_UNIT, CHANCE_FROM_ALL, MEAN, NO_RATINGS
from agreement.report.report import About, AgreementReport, PeopleKind, estimate_of, meets_scores
from agreement.report.scorer_human import NOTHING_SHARED, SCORER_AND_PEOPLE
from agreement.statistics import correlation, many_raters, two_raters
from agreement.statistics.correlation import Units
from agreement.statistics.scale import Scale
from agreement.study.cells import ALL, Key, Outcome, Used, merged, outcome, with_tasks_mean

RANKED = frozenset({"pearson", "spearman"})
HUMAN_HUMAN = frozenset(many_raters.FORMULAS) | {"mean"}
"""The statistics among people that are followed."""
SCORER_HUMAN = frozenset(two_raters.FORMULAS) | RANKED | {"mean"}
"""Those of a scorer against people."""
_NAMES = (SCORER_AND_PEOPLE.rater, SCORER_AND_PEOPLE.mean)

Outcomes = dict[Key, Outcome]


@dataclass(frozen=True)
class AspectScale:
    """The topic: a suite's aspect, and its scale as it is written."""

    suite: str
    aspect: str
    scale: str


@dataclass(frozen=True)
class _CellOutcomes:
    """What one kind of people and the scorers come to in one cell; `by_score`: scorers by their scores."""

    among: Outcomes
    raters: Outcomes
    by_score: Outcomes


class LiveEstimates:
    """The point estimates of one topic: `report()`, and `update(...)` once items were answered."""

    def __init__(self, about: AspectScale, items: pd.DataFrame, judgements: pd.DataFrame, scores: pd.DataFrame) -> None:
        """Count everything; frames as `counts` describes them.

        Raises:
            NotServedError: people's values are no labels, or there are too many different ones.
        """
        self._about = about
        self._topic = CountedTopic(Scale.parse(about.scale), items, judgements, scores)
        self._made: dict[tuple[int, int | None], _CellOutcomes | None] = {}

    def update(self, tasks: Mapping[str, str | None], answers: Sequence[ItemAnswer]) -> None:
        """Put what people say of items (each with its task), all of it, in the place of what they said.

        Raises:
            StaleError: this cannot be followed (such as a label that is new): make other estimates.
        """
        for kind, touched in zip(KINDS, self._topic.update(tasks, answers), strict=True):
            for task in {*touched, None} if touched else ():
                self._made.pop((kind, task), None)

    def report(self) -> AgreementReport:
        """The rows of HUMAN_HUMAN and SCORER_HUMAN, as far as they make sense."""
        among: list[Estimate] = []
        raters: list[Estimate] = []
        for kind in KINDS:
            whole = self._cell(kind, None)
            if whole is None:
                continue
            cells = ((name, self._cell(kind, code)) for code, name in enumerate(self._topic.tasks))
            tasks = {name: cell for name, cell in cells if cell is not None}
            among += self._rows(kind, {name: cell.among for name, cell in tasks.items()}, whole.among)
            mine = self._rows(kind, {name: cell.raters for name, cell in tasks.items()}, whole.raters)
            # by their scores what their labels do not give
            done = {(row.rater, row.statistic) for row in mine}
            by_score = self._rows(kind, {name: cell.by_score for name, cell in tasks.items()}, whole.by_score)
            raters += mine + [row for row in by_score if (row.rater, row.statistic) not in done]
        return AgreementReport(tuple(among), tuple(raters), ())

    def _rows(self, kind: int, tasks: Mapping[str, Outcomes], whole: Outcomes) -> list[Estimate]:
        people: PeopleKind = "simulated" if kind else "real"
        about = About(suite=self._about.suite, aspect=self._about.aspect, target=None, people=people)
        return [
            estimate_of(each, Interval(), each.outcome.how or NO_METHOD, **about) for each in with_tasks_mean(ALL, tasks, whole)
        ]

    def _cell(self, kind: int, task: int | None) -> _CellOutcomes | None:
        """The outcomes of one cell; None where these people have said nothing."""
        if (kind, task) not in self._made:
            cell = _Cell(self._topic, kind, task)
            self._made[kind, task] = self._outcomes(cell) if cell.rated else None
        return self._made[kind, task]

    def _outcomes(self, cell: _Cell) -> _CellOutcomes:
        topic, measure = self._topic, self._topic.measure
        scores = meets_scores(self._about.aspect, measure)
        by_score = (cell.scoring(each) for each in topic.by_score if scores)
        return _CellOutcomes(
            cell.among(),
            {key: made for each in topic.scorers for key, made in cell.judging(each).items()},
            {key: made for of in by_score for key, made in of.items()},
        )


class _Cell:
    """The units of one task (None: all) as one kind of people rated them.

    Attributes:
        rated: whether they have said anything of them.
    """

    def __init__(self, topic: CountedTopic, kind: int, task: int | None) -> None:
        self._topic, self._kind, self._task = topic, kind, task
        self._units = slice(None) if task is None else np.flatnonzero(topic.task_of_unit == task)
        self._profile = topic.profile[kind, self._units]
        self._times = np.bincount(self._profile, minlength=topic.profiles.size)
        self.rated = bool(self._times[1:].any())
        self._width = topic.measure.labels + 1
        self._code = self._profile * self._width

    def among(self) -> Outcomes:
        """Every statistic among people."""
        topic, profiles, times = self._topic, self._topic.profiles, self._times
        ratings, alone = int(times @ profiles.n), int(times[profiles.n == 1].sum())
        items, paired = (topic.count_items(self._units, self._profile, times, profiles.n > least) for least in (0, 1))
        refused = self._reasons(times @ profiles.refused)
        every = Used(items, ratings, 0, merged([refused]))
        two = Used(paired, ratings - alone, 0, merged([refused, {"single_rating": alone}]))
        sums = many_raters.CountSums.unpack(times @ profiles.columns, topic.measure.labels)
        outcomes: Outcomes = {}
        for name in select_statistics(topic.measure.among() & HUMAN_HUMAN, None):
            if name == "mean":
                rated = times[profiles.n > 0].sum(keepdims=True).astype(float)
                made = outcome(
                    ratio(np.atleast_1d(times.astype(float) @ np.nan_to_num(profiles.mean)), rated), NO_RATINGS, every, MEAN
                )
            else:
                of_all = name in ALL_RATINGS
                how = joined(BY_UNIT, CHANCE_FROM_ALL) if of_all and alone else BY_UNIT
                value = np.atleast_1d(many_raters.FORMULAS[name](sums))
                made = outcome(value, many_raters.why_undefined(name, sums), every if of_all else two, how)
            outcomes[Key(name)] = made
        return outcomes

    def judging(self, scorer: CountedLabels) -> Outcomes:
        """Every statistic of a scorer that judges the same aspect."""
        topic, profiles, width = self._topic, self._topic.profiles, self._width
        # how many units have which profile and label, no label first; and those that have both a rating and a label
        code = self._code + scorer.label[self._units]
        times = np.bincount(code, minlength=profiles.size * width)
        both = np.outer(profiles.n > 0, np.arange(width) > 0)
        items, table = topic.count_items(self._units, code, times, both.ravel()), times.reshape(-1, width)
        met: IntArray = np.where(both, table, 0)[:, 1:]
        own = met.sum(0)
        used = self._used(met.sum(1), items, int(table[:, 1:].sum() - own.sum()), scorer.refused)
        sums = two_raters.PairSums.of((met.T @ profiles.counts).astype(float))
        outcomes: Outcomes = {}
        for name in select_statistics(topic.measure.two_raters() & SCORER_HUMAN, None):
            way = None if name == "mean" else people_as(name, None)
            if name == "mean":
                mean = ratio(own @ np.nan_to_num(topic.numbers), own.sum(keepdims=True))
                made = outcome(mean, NOTHING_SHARED, replace(used, ratings=int(own.sum())), SCORER_AND_PEOPLE.method(way))
            elif name in CORRELATIONS:
                made = self._correlation(name, met, used)
            else:
                reason = two_raters.why_undefined(name, sums) if used.ratings else NOTHING_SHARED
                made = outcome(np.atleast_1d(two_raters.FORMULAS[name](sums)), reason, used, SCORER_AND_PEOPLE.method(way))
            outcomes[Key(name, rater=scorer.name, people_as=way)] = made
        return outcomes

    def _correlation(self, name: str, met: IntArray, used: Used) -> Outcome:
        """Of a label's number with people's mean, from how many units (profiles, labels) have both."""
        profile, label = np.nonzero(met)
        times = met[profile, label]
        x, y = self._topic.numbers[label], self._topic.profiles.mean[profile]
        value, reason = np.array([np.nan]), NOTHING_SHARED
        if x.size:
            value = correlation.FORMULAS[name](x, y, Units.single(x.size), times[None].astype(float))
        if x.size and np.isnan(value[0]):
            reason = correlation.why_undefined(np.repeat(x, times), np.repeat(y, times), _NAMES)
        return outcome(value, reason, used, SCORER_AND_PEOPLE.method("mean"))

    def scoring(self, scorer: CountedScores) -> Outcomes:
        """Correlations of a scorer's scores with people's means."""
        topic, profiles = self._topic, self._topic.profiles
        order = topic.in_order(scorer, self._task)
        profile = topic.profile[self._kind][order.unit]
        rated = (profiles.n > 0)[profile]
        profile = profile[rated]
        score, rank = order.centred(self._kind, rated)
        times = np.bincount(profile, minlength=profiles.size)
        items = np.unique(topic.item[order.unit[rated]]).size if topic.targets else score.size
        used = self._used(times, items, order.items - items, scorer.refused)
        people_rank = correlation.midranks(np.unique(profiles.mean, return_inverse=True)[1], times)
        values = {
            "pearson": correlation.with_groups(score, profile, profiles.mean, times),
            "spearman": correlation.with_groups(rank, profile, people_rank, times),
        }
        outcomes: Outcomes = {}
        for name in select_statistics(OF_SCORES & RANKED, None):
            reason = NOTHING_SHARED
            if used.ratings and np.isnan(values[name]):
                reason = correlation.why_undefined(score, profiles.mean[profile], _NAMES)
            made = outcome(np.array([values[name]]), reason, used, SCORER_AND_PEOPLE.method("mean"))
            outcomes[Key(name, rater=scorer.name, people_as=people_as(name, None))] = made
        return outcomes

    def _used(self, met: IntArray, items: int, lonely: int, refused: Refused) -> Used:
        """What a scorer's comparison uses.

        Args:
            met: by profile, how many units have a value of the scorer, too.
            items: how many items these are of.
            lonely: how many of the scorer's judgements meet nobody's.
            refused: its judgements that do not count.
        """
        topic, profiles = self._topic, self._topic.profiles
        inside = slice(None) if self._task is None else topic.task[refused.item] == self._task
        own = np.bincount(refused.reason[inside], minlength=len(topic.reasons))
        ratings = int(profiles.n @ met)
        apart = {"no_scorer_value": int(profiles.n @ self._times) - ratings, "no_people": lonely}
        excluded = merged([self._reasons(own), self._reasons(self._times @ profiles.refused), apart])
        return Used(items, ratings, 0, excluded)

    def _reasons(self, sums: FloatArray | IntArray) -> dict[str, int]:
        return {name: int(n) for name, n in zip(self._topic.reasons, sums, strict=True)}
