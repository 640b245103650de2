"""Thresholds of a score: the cut that agrees best with people's yes or no, and how well it does on other prompts.

As GenEval does for CLIPScore (Ghosh et al. 2023, section 4: a threshold for each task, the one that agrees best), but
reported out of fold: a cut is chosen on four fifths of the prompts and judged on the fifth, for each fifth (k = 5 as in
their appendix A.2). The interval is that of the pooled decisions out of fold, thresholds held. `curve` says how agreement
changes as the cut moves, with a band.

A cut means "yes if score > t". Everything is made from how many yes and no stand at each distinct score: one sort, then
cumulative sums. A cut lies midway between two neighbouring distinct scores, or half a mean gap beyond the lowest or
highest, where all or none are yes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from agreement.best_value import FOLDS, OBJECTIVES, Objective, best_run, fold_generator, folds_of, middle
from agreement.catalogue import PeopleAs, people_as, value_range_of
from agreement.estimate import Estimate
from agreement.inference import intervals
from agreement.inference.intervals import Deviations, ValueRange
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.report.report import ReportTopic, estimate_of, select, topics
from agreement.report.scorer_human import NOTHING_SHARED, pair_judgements, to_majority
from agreement.statistics.correlation import why_no_auc
from agreement.statistics.two_raters import FORMULAS, PairSums, why_undefined
from agreement.study.cells import (
    EVERYWHERE,
    Cell,
    CellName,
    Key,
    Options,
    Outcome,
    Used,
    cell_name,
    cell_of,
    compact,
    interval,
    merged,
    outcome,
    refused,
    undefined,
    walk,
)
from agreement.study.frame import Ratings, Suite, read

ONE_SCORE = Reason(ReasonCode.ONE_SCORE)


@dataclass(frozen=True)
class ScoredAnswers:
    """Rows of a score and an answer to compare it with, and the cluster (code) of each; columns of equal length."""

    score: FloatArray
    yes: BoolArray
    cluster: IntArray
    clusters: int


@dataclass(frozen=True)
class ScoreCounts:
    """Distinct scores, ascending, and the number of yes and no at each."""

    scores: FloatArray
    yes: FloatArray
    no: FloatArray

    @classmethod
    def of(cls, score: FloatArray, yes: BoolArray) -> ScoreCounts:
        """Count the answers at each distinct score."""
        scores, code = np.unique(score, return_inverse=True)
        size = scores.size
        return cls(scores, *(np.bincount(code, part, size).astype(float) for part in (yes, ~yes)))

    def present(self) -> ScoreCounts:
        """Without the scores at which nothing stands."""
        some = self.yes + self.no > 0
        return ScoreCounts(self.scores[some], self.yes[some], self.no[some])

    def edges(self) -> FloatArray:
        """The scores between one more below and one more above; cut k lies between edges k and k + 1."""
        n, most = self.scores.size, np.finfo(float).max
        low, high = self.scores[0], self.scores[-1]
        with np.errstate(over="ignore"):
            gap = high / (n - 1) - low / (n - 1) if n > 1 else 1.0
            edges: FloatArray = np.clip(np.r_[low - gap, self.scores, high + gap], -most, most)
        return edges

    def tables(self) -> FloatArray:
        """Confusion tables (cuts, 2, 2) of every cut: the decision in rows, the answer in columns, no before yes."""
        return cut_tables(np.r_[0.0, self.yes, 0.0], np.r_[0.0, self.no, 0.0])


def cut_tables(yes: FloatArray, no: FloatArray) -> FloatArray:
    """Confusion tables (..., J, 2, 2) of J cuts from counts (..., J + 1) between them; cut j has bins 0 .. j below it."""
    below = [np.cumsum(counts, axis=-1) for counts in (no, yes)]
    said_no = np.stack([part[..., :-1] for part in below], axis=-1)
    said_yes = np.stack([part[..., -1:] - part[..., :-1] for part in below], axis=-1)
    return np.stack([said_no, said_yes], axis=-2)


@dataclass(frozen=True)
class BestCut:
    """The best cut: threshold, the objective there, and the place of the cut; or the reason why there is none."""

    threshold: float | None
    value: float | None
    cut: int
    reason: Reason | None = None


def best_cut(tally: ScoreCounts, objective: Objective) -> BestCut:
    """The cut of highest objective; of several, the one at the middle of the widest run of neighbours (the lowest such run).

    With yes or no alone the share of equal answers still has a best cut, kappa has none: it is 0 or undefined everywhere.
    """
    one_answer = not (tally.yes.any() and tally.no.any())
    if tally.scores.size < 2 or (one_answer and objective == "cohen_kappa"):
        return BestCut(None, None, -1, ONE_SCORE if tally.scores.size == 1 else why_no_auc())
    values = FORMULAS[objective](PairSums.of(tally.tables()))
    edges = tally.edges()
    run = best_run(values, edges[:-1], edges[1:])
    # the cut that the middle of the run lies in
    position = int(np.searchsorted(tally.scores, run.middle, side="right"))
    return BestCut(float(middle(edges[position], edges[position + 1])), float(values[position]), position)


@dataclass(frozen=True)
class CrossValidated:
    """Decisions for every row by a cut that its own fold had no part in; or the reason why not.

    Attributes:
        said: the decision on each row, yes or no.
        fold: the fold of each row, 0, 1, ...
        thresholds: the cut chosen without each fold.
        reason: why there are no decisions; then the arrays are empty.
    """

    said: BoolArray
    fold: IntArray
    thresholds: tuple[float, ...]
    reason: Reason | None = None


def cross_validate(answers: ScoredAnswers, objective: Objective, fold_of_cluster: IntArray) -> CrossValidated:
    """Choose a cut on all folds but one and decide on that one, for each fold."""
    fold = fold_of_cluster[answers.cluster]
    folds = int(fold_of_cluster.max(initial=-1)) + 1
    scores, code = np.unique(answers.score, return_inverse=True)
    cell, size = fold * scores.size + code, folds * scores.size
    yes, no = (np.bincount(cell, part, size).reshape(folds, -1) for part in (answers.yes, ~answers.yes))
    predicted = np.zeros(answers.score.size, bool)
    thresholds = []
    for left_out in range(folds):
        others = ScoreCounts(scores, yes.sum(0) - yes[left_out], no.sum(0) - no[left_out]).present()
        best = best_cut(others, objective)
        if best.threshold is None:
            nothing = np.zeros(0, np.int64)
            without = Reason(ReasonCode.WITHOUT_FOLD, fold=left_out + 1, folds=folds, reason=best.reason)
            return CrossValidated(nothing > 0, nothing, (), without)
        thresholds.append(best.threshold)
        mine = fold == left_out
        predicted[mine] = answers.score[mine] > best.threshold
    return CrossValidated(predicted, fold, tuple(thresholds))


def why_no_cut(answers: ScoredAnswers, folds: int, clusters_are: str) -> Reason | None:
    """Why no cut of these answers can be chosen and checked; None if it can."""
    if not answers.score.size:
        return NOTHING_SHARED
    if answers.yes.all() or not answers.yes.any():
        return why_no_auc()
    if not (answers.score != answers.score[0]).any():
        return ONE_SCORE
    if answers.clusters < folds:
        return Reason(ReasonCode.FEWER_THAN_FOLDS, n=answers.clusters, clusters=clusters_are, folds=folds)
    return None


def thinned(cuts: int, keep: int, points: int) -> IntArray:
    """At most `points` of the cuts 0 .. cuts - 1, evenly spaced, both ends and `keep` among them."""
    if cuts <= points:
        return np.arange(cuts)
    even = np.round(np.linspace(0, cuts - 1, points - 1)).astype(np.int64)
    return np.union1d(even, [keep])


def curve_values(answers: ScoredAnswers, objective: Objective, cuts: IntArray, weights: FloatArray) -> FloatArray:
    """The objective at each of `cuts` (ascending) in every resample: (resamples, cuts), from sums by cluster between them."""
    code = np.unique(answers.score, return_inverse=True)[1]
    bins = cuts.size + 1
    cell = answers.cluster * bins + np.searchsorted(cuts, code, side="right")
    size = answers.clusters * bins
    counts = [np.bincount(cell, part, size).reshape(-1, bins) for part in (answers.yes, ~answers.yes)]
    return FORMULAS[objective](PairSums.of(cut_tables(*(weights @ part for part in counts))))


@dataclass(frozen=True)
class CutOptions:
    """What is cut, and how.

    Attributes:
        aspect: people's yes/no aspect.
        number: the scorers' numeric aspect.
        objective: what the cut is best in.
        folds: k of the cross-validation, at least 2.
    """

    aspect: str = "correct"
    number: str = "score"
    objective: Objective = "percent_agreement"
    folds: int = FOLDS


@dataclass(frozen=True)
class MatchedAnswers:
    """A scorer's numbers beside people's answers in one cell, and what was used."""

    answers: ScoredAnswers
    used: Used


@dataclass(frozen=True)
class ScorerTopic:
    """One scorer's numbers and people's answers on one topic."""

    topic: ReportTopic
    rater: str
    scored: Ratings
    people: Ratings
    simulated: bool
    people_as: PeopleAs

    @property
    def clusters_are(self) -> str:
        """What is drawn and dealt into folds."""
        return "prompts" if self.topic.suite.by_prompt else "items"

    def matched(self, cell: Cell) -> MatchedAnswers:
        """Every rating by people, or their strict majority by unit, beside the scorer's number.

        A number without a target stands beside every answer about its item.
        """
        scored, people = cell.of(self.scored), cell.of(self.people)
        by_item = not (self.scored.target >= 0).any()
        each = pair_judgements(scored, people, by_item=by_item)
        rows, tied = each, 0
        if self.people_as == "majority":
            rows = to_majority(each, 2)
            tied = int(np.unique(each.unit).size) - rows.size
        mine, theirs = (part.item if by_item else part.unit for part in (scored, people))
        lonely = int((~np.isin(mine[scored.valid], theirs[people.valid])).sum())
        apart = {"no_scorer_value": int(people.valid.sum()) - each.size, "no_people": lonely, "tied_majority": tied}
        excluded = merged([refused(scored, self.topic.suite), refused(people, self.topic.suite), apart])
        cluster = compact(rows.cluster)
        ratings = int(np.isin(each.unit, rows.unit).sum())
        used = Used(int(np.unique(rows.item).size), ratings, cluster.size, excluded)
        return MatchedAnswers(ScoredAnswers(rows.number_a, rows.label_b == 1, cluster.codes, cluster.size), used)


def scorer_topics(suite: Suite, cut: CutOptions, options: Options, *, simulated: bool) -> Iterator[ScorerTopic]:
    """Every scorer that has the number, with every topic of people's aspect.

    Raises:
        ValueError: for an aspect of people that is not yes/no, a number that is none, an unknown objective, one fold.
    """
    check_cut(suite, cut)
    aspects = {aspect.name: aspect for aspect in suite.aspects}
    way = people_as("percent_agreement", options.people_as)
    if cut.aspect not in aspects or cut.number not in aspects or way is None:
        return
    numbers = aspects[cut.number].ratings
    for topic in topics(suite, aspects[cut.aspect], options):
        people = topic.people(simulated=simulated)
        for code, rater in enumerate(suite.raters):
            scored = numbers.take(numbers.rater == code)
            if topic.target is not None and (scored.target >= 0).any():
                scored = scored.take(scored.target == suite.targets.index(topic.target))
            if rater.scorer and scored.size:
                yield ScorerTopic(topic, rater.name, scored, people, simulated, way)


def check_cut(suite: Suite, cut: CutOptions) -> None:
    """ValueError for what cannot be cut, in words."""
    if cut.folds < 2:
        raise ValueError(f"cross-validation needs two folds at least, not {cut.folds}")
    if cut.objective not in OBJECTIVES:
        raise ValueError(f"a cut is chosen by {' or '.join(OBJECTIVES)}, not {cut.objective}")
    if wrong := unfit(suite, cut):
        raise ValueError(
            f"the aspect {wrong!r} of the suite {suite.name!r} is not {'yes or no' if wrong == cut.aspect else 'a number'}"
        )


def unfit(suite: Suite, cut: CutOptions) -> str | None:
    """Return the aspect of the suite that cannot be cut, or compared with a cut; None if all can."""
    for aspect in suite.aspects:
        if aspect.name == cut.aspect and not aspect.measure.binary:
            return aspect.name
        if aspect.name == cut.number and not aspect.measure.numeric:
            return aspect.name
    return None


@dataclass(frozen=True)
class ChosenCuts:
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


@dataclass(frozen=True, kw_only=True)
class ThresholdAgreement(Estimate):
    """Agreement, by one statistic in one cell, of a scorer's decisions out of fold with people."""

    cutting: CutOptions
    chosen: ChosenCuts


def thresholds(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    cutting: CutOptions | None = None,
    options: Options | None = None,
) -> list[ThresholdAgreement]:
    """Cut every scorer's number to agree with people, in the cells of the report; percent agreement and kappa out of fold.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        cutting: what is cut; None for people's `correct` by `score`, in the suites where these are yes/no and a number.
        options: `people_as` each or majority (None: each); `statistics` and `matrix` play no part.

    Raises:
        ValueError: as `build`; for an aspect of people that is not yes/no, a number that is none, fewer than two folds.
    """
    cut, wanted = cutting or CutOptions(), options or Options()
    agreements: list[ThresholdAgreement] = []
    for suite in read(select(frame, scales, wanted.certainty), scales):
        if cutting is None and unfit(suite, cut):
            continue
        for simulated in (False, True):
            for meeting in scorer_topics(suite, cut, wanted, simulated=simulated):
                agreements += _CellCuts(meeting, cut).rows()
    return agreements


class _CellCuts:
    """The cuts of one scorer on one topic, in every cell."""

    def __init__(self, meeting: ScorerTopic, cut: CutOptions) -> None:
        self._meeting, self._cut = meeting, cut
        self._chosen: dict[tuple[CellName, str], ChosenCuts] = {}

    def rows(self) -> list[ThresholdAgreement]:
        """Both statistics in every cell."""
        topic = self._meeting.topic
        suite, options = topic.suite, topic.options
        about = topic.about(simulated=self._meeting.simulated)
        rows = []
        for cell_outcome in walk(self._meeting.people, suite, options, self._cell):
            kind = value_range_of(cell_outcome.key.statistic, binary=True)
            bounds, method = interval(cell_outcome.outcome, kind, by_prompt=suite.by_prompt)
            chosen = self._chosen.get((cell_outcome.place, cell_outcome.key.statistic), ChosenCuts())
            made = estimate_of(cell_outcome, bounds, method, **about)
            rows.append(ThresholdAgreement(**vars(made), cutting=self._cut, chosen=chosen))
        return rows

    def _cell(self, cell: Cell) -> dict[Key, Outcome]:
        meeting, cut = self._meeting, self._cut
        if not cell.of_generator(meeting.scored).size:
            return {}
        matched, many = meeting.matched(cell), meeting.clusters_are
        made = _decide(matched.answers, cut, cell, many)
        how = Method(MethodCode.CUT_OUT_OF_FOLD, number=cut.number, objective=cut.objective, folds=cut.folds, clusters=many)
        outcomes: dict[Key, Outcome] = {}
        for name in OBJECTIVES:
            key = Key(name, rater=meeting.rater, people_as=meeting.people_as)
            if made.reason is not None:
                outcomes[key] = undefined(made.reason, matched.used, how)
                continue
            sums = _sums(made.said, matched.answers, cell.deletions.weights(matched.answers.clusters))
            outcomes[key] = outcome(FORMULAS[name](sums), why_undefined(name, sums), matched.used, how)
            self._chosen[cell_name(cell, meeting.topic.suite), name] = _chosen(name, made, matched.answers, cut)
        return outcomes


def _decide(answers: ScoredAnswers, cut: CutOptions, cell: Cell, many: str) -> CrossValidated:
    """Decisions out of fold, or why there are none."""
    reason = why_no_cut(answers, cut.folds, many)
    if reason is not None:
        nothing = np.zeros(0, np.int64)
        return CrossValidated(nothing > 0, nothing, (), reason)
    dealt = folds_of(answers.clusters, cut.folds, fold_generator(cell.deletions.seed, cell.deletions.stream))
    return cross_validate(answers, cut.objective, dealt)


def _chosen(statistic: str, made: CrossValidated, answers: ScoredAnswers, cut: CutOptions) -> ChosenCuts:
    formula, best = FORMULAS[statistic], best_cut(ScoreCounts.of(answers.score, answers.yes), cut.objective)
    if best.threshold is None:
        return ChosenCuts(None, made.thresholds)
    in_sample = float(formula(_sums(answers.score > best.threshold, answers, np.ones((1, answers.clusters))))[0])
    by_fold = _sums(made.said, replace(answers, cluster=made.fold, clusters=cut.folds), np.eye(cut.folds))
    values = tuple(None if np.isnan(value) else float(value) for value in formula(by_fold))
    return ChosenCuts(best.threshold, made.thresholds, None if np.isnan(in_sample) else in_sample, values)


def _sums(verdicts: BoolArray, answers: ScoredAnswers, weights: FloatArray) -> PairSums:
    """The confusion sums of decisions and answers in every resample of the clusters."""
    return PairSums.resampled(weights, verdicts.astype(np.int64), answers.yes.astype(np.int64), answers.cluster, 2)


POINTS = 200


@dataclass(frozen=True)
class ThresholdCurve:
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
        method: how it was made.
    """

    rater: str
    cutting: CutOptions
    place: CellName
    cuts: tuple[float, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    threshold: float | None
    best: float | None
    used: Used
    reason: Reason | None
    method: Method

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
    cutting: CutOptions | None = None,
    options: Options | None = None,
    *,
    cell: CellName | None = None,
    simulated: bool = False,
) -> ThresholdCurve:
    """The objective at every cut of one scorer's number, thinned to POINTS.

    Args:
        frame: as for `build`, of one suite.
        scales: as for `build`.
        rater: the scorer's name.
        cutting: what is cut; folds play no part.
        options: `people_as` and `intervals` count. Targets are pooled.
        cell: the cell; None is all generators and tasks.
        simulated: against simulated people instead of real ones.

    Raises:
        ValueError: as `thresholds`; for more than one suite, an unknown task or generator, or a scorer without the number.
    """
    cut, wanted, where = cutting or CutOptions(), options or Options(), cell or EVERYWHERE
    suites = list(read(select(frame, scales, wanted.certainty), scales))
    if len(suites) != 1:
        raise ValueError(f"a curve is made of one suite, not of {len(suites)}")
    pooled = replace(wanted, by_target=False)
    met = next((m for m in scorer_topics(suites[0], cut, pooled, simulated=simulated) if m.rater == rater), None)
    if met is None:
        raise ValueError(f"{rater!r} is not a scorer with a {cut.number!r} to compare with people's {cut.aspect!r}")
    return _curve(met, cut, where, cell_of(suites[0], where, wanted))


def _curve(met: ScorerTopic, cut: CutOptions, place: CellName, cell: Cell) -> ThresholdCurve:
    matched = met.matched(cell)
    answers, about = matched.answers, (met.rater, cut, place)
    how = Method(MethodCode.CUT_ON_ALL, number=cut.number, objective=cut.objective, people_as=met.people_as)
    reason = why_no_cut(answers, 1, met.clusters_are)
    if reason is not None:
        return ThresholdCurve(*about, (), (), (), (), None, None, matched.used, reason, how)
    tally = ScoreCounts.of(answers.score, answers.yes)
    best, edges = best_cut(tally, cut.objective), tally.edges()
    cuts = thinned(edges.size - 1, best.cut, POINTS)
    values = curve_values(answers, cut.objective, cuts, cell.deletions.weights(answers.clusters))
    low, high = _band(values, answers.clusters, value_range_of(cut.objective, binary=True))
    if cell.deletions.wanted and answers.clusters > 1:
        how = joined(how, Method(MethodCode.BAND, n=answers.clusters, clusters=met.clusters_are))
    at = middle(edges[cuts], edges[cuts + 1])
    cut_at, on_all = tuple(at.tolist()), tuple(None if np.isnan(value) else float(value) for value in values[0])
    return ThresholdCurve(*about, cut_at, on_all, low, high, best.threshold, best.value, matched.used, None, how)


Bound = tuple[float | None, ...]


def _band(values: FloatArray, clusters: int, kind: ValueRange) -> tuple[Bound, Bound]:
    """Both ends of the interval at each cut, from the values (1 + replicates, cuts)."""
    if len(values) < 2:
        return ((None,) * values.shape[1],) * 2
    bounds = [intervals.interval(at[0], Deviations.of(at, clusters), kind) for at in values.T]
    return tuple(bound.low for bound in bounds), tuple(bound.high for bound in bounds)
