"""Consensuses as raters of the report: beside people, scorers and each other; and how each person does by them.

Rows are those of `report`, of kind `consensus`; no row about people or scorers changes with them. A consensus is fitted
once on all that there is of a (suite, aspect), of real people or of simulated ones, so its labels are the same in every
cell and resample. Targets share one model where they share their labels (yes and no, an ordinal scale); other labels belong
to their target (the choices of a question), which has a model of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from agreement import reasons
from agreement.catalogue import CORRELATIONS, NUMBER_ALPHAS, select_statistics
from agreement.consensus.methods import METHODS, Consensus, CrowdAnswers, Method, fit_consensus
from agreement.estimate import Estimate, Kind
from agreement.inference.intervals import Deletions
from agreement.numeric import BoolArray, FloatArray, IntArray, share_of
from agreement.reasons import MethodCode, Reason, ReasonCode, joined
from agreement.report.matrix import Matrix
from agreement.report.report import ReportTopic, select, topics
from agreement.report.scorer_human import pair_alpha
from agreement.statistics import two_raters
from agreement.study.cells import (
    ALL,
    Cell,
    CellName,
    CellOutcome,
    Key,
    Options,
    Outcome,
    Used,
    compact,
    merged,
    outcome,
    refused,
    undefined,
    used_rows,
    walk,
)
from agreement.study.frame import Aspect, Ratings, Suite, SuiteRater, read

BY_TARGET = Reason(ReasonCode.MODEL_FOR_EACH_TARGET)


def name_of(method: Method, *, simulated: bool) -> str:
    """The name of a consensus as a rater; simulated people have one of their own."""
    return f"consensus:{method}" + (":simulated" if simulated else "")


def how_of(method: Method) -> reasons.Method:
    """How its labels are made."""
    label = reasons.Method(MethodCode.CONSENSUS_LABEL, consensus=method)
    return label if method == "majority" else joined(label, reasons.Method(MethodCode.FITTED_ONCE))


@dataclass(frozen=True)
class FittedConsensus:
    """A consensus on some of the rows (positions)."""

    at: IntArray
    found: Consensus


@dataclass(frozen=True)
class ConsensusRatings:
    """People's answers that count, and what the consensus says beside each of them.

    Attributes:
        said: the answers of those that the method takes (the models: persons').
        whole: a row for each unit that has a label: the consensus's own.
        held_out: as `said`, with the label of the consensus without the row's own answer, -1 where there is none.
        reason: why there is no consensus at all, None if there is.
        excluded: answers that are left out, by reason.
    """

    method: Method
    name: str
    said: Ratings
    whole: Ratings
    held_out: Ratings
    fits: tuple[FittedConsensus, ...]
    reason: Reason | None
    excluded: dict[str, int]

    def of(self, units: IntArray) -> ConsensusRatings:
        """What is about these units alone."""
        if np.isin(self.said.unit, units).all():
            return self
        inside = np.isin(self.said.unit, units)
        number = np.cumsum(inside) - 1
        fits = tuple(_part(fit, inside, number) for fit in self.fits if inside[fit.at].any())
        whole = self.whole.take(np.isin(self.whole.unit, units))
        return replace(self, said=self.said.take(inside), whole=whole, held_out=self.held_out.take(inside), fits=fits)

    def quality(self, rows: BoolArray) -> float:
        """Return the estimated accuracy of the person who gave these rows; NaN if undefined."""
        return self.fits[0].found.quality(rows) if len(self.fits) == 1 else float("nan")

    @property
    def no_quality(self) -> Reason:
        """Why there is no quality, where there is none."""
        if len(self.fits) > 1:
            return BY_TARGET
        first = self.fits[0].found.no_quality if self.fits else None
        return first or self.reason or Reason(ReasonCode.UNDEFINED_ANSWERS)


def _part(fit: FittedConsensus, inside: BoolArray, number: IntArray) -> FittedConsensus:
    within = inside[fit.at]
    model = fit.found.model
    if model is not None:
        model = replace(model, columns=model.columns[within], terms=model.terms[within])
    return FittedConsensus(number[fit.at[within]], replace(fit.found, model=model))


def consensus_ratings(suite: Suite, aspect: Aspect, method: Method, *, simulated: bool, seed: int) -> ConsensusRatings:
    """The consensus of real people, or of simulated ones, about an aspect that has labels."""
    everyone = aspect.ratings.take(suite.raters_where(scorer=False, simulated=simulated)[aspect.ratings.rater])
    ratings = everyone.take(everyone.valid)
    person = suite.raters_where(person=True)[ratings.rater]
    excluded = refused(everyone, suite)
    slots = bool(ratings.size and not person.any())
    if method != "majority" and not slots:
        if not person.all():
            excluded["slot"] = int((~person).sum())
        ratings = ratings.take(person)
    shared = aspect.measure.ordinal or aspect.measure.binary
    label, held_out = np.full(ratings.size, -1), np.full(ratings.size, -1)
    fits = []
    for at in _groups(ratings, shared=shared):
        codes = np.unique(ratings.label[at])
        parts = (compact(column[at]).codes for column in (ratings.unit, ratings.rater, ratings.label))
        consensus = fit_consensus(CrowdAnswers(*parts), method, persons=not slots, seed=seed)
        fits.append(FittedConsensus(at, consensus))
        of_unit = consensus.label[compact(ratings.unit[at]).codes]
        label[at] = np.where(of_unit >= 0, codes[of_unit], -1)
        held_out[at] = np.where(consensus.held_out >= 0, codes[consensus.held_out], -1)
    why = tuple(dict.fromkeys(fit.found.reason for fit in fits if fit.found.reason is not None))
    reason = None
    if fits and all(fit.found.reason for fit in fits):
        reason = why[0] if len(why) == 1 else Reason(ReasonCode.OF_SEVERAL_MODELS, reasons=why)
    values = _numbers(aspect)
    first = np.unique(ratings.unit, return_index=True)[1]
    whole = _relabelled(ratings, label, values).take(first[label[first] >= 0])
    name = name_of(method, simulated=simulated)
    return ConsensusRatings(method, name, ratings, whole, _relabelled(ratings, held_out, values), tuple(fits), reason, excluded)


def _groups(ratings: Ratings, *, shared: bool) -> Iterator[IntArray]:
    """Positions of the rows that have a model in common."""
    if not ratings.size:
        return
    if shared:
        yield np.arange(ratings.size)
        return
    for target in np.unique(ratings.target):
        yield np.flatnonzero(ratings.target == target)


def _numbers(aspect: Aspect) -> FloatArray:
    """The number of each label, NaN where it has none; and one more, of no label."""
    values = np.full(len(aspect.labels) + 1, np.nan)
    known = aspect.ratings.label >= 0
    values[aspect.ratings.label[known]] = aspect.ratings.number[known]
    return values


def _relabelled(ratings: Ratings, label: IntArray, values: FloatArray) -> Ratings:
    return replace(ratings, label=label.astype(np.int64), number=values[label])


@dataclass(frozen=True)
class _Cast:
    """Everybody who meets in the matrix: the suite with the consensuses as raters, their ratings, and who meets whom.

    `meets` has pairs of codes of raters (the lower one first), with what is said of them; `group`, by code of a rater, keeps
    those together who may meet: scorers and whole consensuses, and each person with the consensuses without them.
    """

    suite: Suite
    rows: Ratings
    group: IntArray
    meets: dict[tuple[int, int], reasons.Method]


def consensus_matrix(topic: ReportTopic, heard: Sequence[ConsensusRatings], *, simulated: bool) -> list[Estimate]:
    """All rows of the consensuses of one kind of people."""
    names = tuple(name for name in select_statistics(topic.measure.two_raters(), topic.options.statistics) if name != "mean")
    cast = _cast(topic, heard, simulated=simulated)
    if not names or not cast.meets:
        return []
    rows = cast.rows

    def compute(cell: Cell) -> dict[Key, Outcome]:
        inside, outcomes = cell.of(rows), dict[Key, Outcome]()
        group = cast.group[inside.rater]
        order = np.argsort(group, kind="stable")
        for at in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
            made = Matrix(inside.take(at), cast.suite, topic.measure, cell)
            outcomes |= made.outcomes(names, simulated=simulated, meets=cast.meets)
        return outcomes

    return topic.rows(walk(rows, cast.suite, topic.options, compute), simulated=simulated)


def _cast(topic: ReportTopic, heard: Sequence[ConsensusRatings], *, simulated: bool) -> _Cast:
    suite = topic.suite
    scorer, person = suite.raters_where(scorer=True), suite.raters_where(person=True, simulated=simulated)
    parts = [topic.ratings.take((scorer | person)[topic.ratings.rater])]
    raters: list[SuiteRater] = list(suite.raters)
    meets: dict[tuple[int, int], reasons.Method] = {}
    both = reasons.Method(MethodCode.TWO_CONSENSUSES)
    group = [0 if each.scorer else code + 1 for code, each in enumerate(raters)]
    consensuses: list[int] = []
    for each in heard:
        how = how_of(each.method)
        code = len(raters)
        raters.append(SuiteRater(each.name, scorer=False, person=False, simulated=simulated))
        group.append(0)
        parts.append(_as(each.whole, np.full(each.whole.size, code)))
        beside = reasons.Method(MethodCode.SCORER_BESIDE_CONSENSUS, consensus=how)
        meets |= {(int(other), code): beside for other in np.flatnonzero(scorer)}
        meets |= {(other, code): both for other in consensuses}
        consensuses.append(code)
        apart = each.held_out.take((each.held_out.label >= 0) & person[each.held_out.rater])
        # the consensus without a person is a rater that only this person meets
        persons, own_code = np.unique(apart.rater, return_inverse=True)
        parts.append(_as(apart, len(raters) + own_code))
        without = reasons.Method(MethodCode.PERSON_BESIDE_CONSENSUS, consensus=how)
        if each.method != "majority":
            without = joined(without, reasons.Method(MethodCode.RATES_WITH_PERSON))
        meets |= {(int(only), len(raters) + n): without for n, only in enumerate(persons)}
        raters += [SuiteRater(each.name, scorer=False, person=False, simulated=simulated)] * persons.size
        group += (persons + 1).tolist()
    stacked = Ratings(
        **{column.name: np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Ratings)}
    )
    return _Cast(replace(suite, raters=tuple(raters)), stacked, np.array(group, np.int64), meets)


def _as(rows: Ratings, rater: IntArray) -> Ratings:
    return replace(rows, rater=rater.astype(np.int64))


NO_OTHERS = Reason(ReasonCode.NO_CONSENSUS_OF_OTHERS)
QUALITIES: dict[Method, str] = {
    "majority": "percent_agreement",
    "dawid_skene": "expected_accuracy",
    "mace": "competence",
}
"""What a person's quality is called."""
_NO_REFIT = Reason.no_interval(Reason(ReasonCode.NO_REFIT))
_QUALITY: dict[Method, reasons.Method] = {
    "majority": reasons.Method(MethodCode.PERSON_AGAINST_MAJORITY),
    "dawid_skene": joined(reasons.Method(MethodCode.EXPECTED_ACCURACY), _NO_REFIT),
    "mace": joined(reasons.Method(MethodCode.COMPETENCE), _NO_REFIT),
}


@dataclass(frozen=True)
class ConsensusReport:
    """Rows of consensuses: beside people, two by two with others, and each person's quality."""

    raters: tuple[Estimate, ...]
    matrix: tuple[Estimate, ...]
    quality: tuple[Estimate, ...]


def consensus_rows(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    methods: Sequence[Method],
    options: Options | None = None,
) -> ConsensusReport:
    """The rows of some consensuses from a long frame of judgements, of all aspects that have labels.

    Args:
        frame: as for `report.build`.
        scales: as for `report.build`.
        methods: of METHODS.
        options: as for `report.build`. A consensus meets people each by each, so `people_as` leaves out other ways.

    Raises:
        ValueError: as `report.build`; also an unknown method.
    """
    if unknown := sorted(set(methods) - set(METHODS)):
        raise ValueError(f"unknown consensus {', '.join(unknown)}; known are {', '.join(METHODS)}")
    wanted = options or Options()
    report = ConsensusReport((), (), ())
    for suite in read(select(frame, scales, wanted.certainty), scales):
        for aspect in suite.aspects:
            for simulated in (False, True):
                people = aspect.ratings.take(suite.raters_where(scorer=False, simulated=simulated)[aspect.ratings.rater])
                if not aspect.measure.labels or not people.valid.any():
                    continue
                order = [method for method in METHODS if method in methods]
                heard = [consensus_ratings(suite, aspect, method, simulated=simulated, seed=wanted.seed) for method in order]
                for topic in topics(suite, aspect, wanted):
                    other = _of_topic(topic, heard, simulated=simulated)
                    report = ConsensusReport(
                        report.raters + other.raters, report.matrix + other.matrix, report.quality + other.quality
                    )
    return report


def _of_topic(topic: ReportTopic, heard: Sequence[ConsensusRatings], *, simulated: bool) -> ConsensusReport:
    units = np.unique(topic.ratings.unit)
    mine = [each.of(units) for each in heard]
    if not any(each.said.size for each in mine):
        return ConsensusReport((), (), ())
    raters: list[Estimate] = []
    quality: list[Estimate] = []
    for each in mine:
        raters += _beside(topic, each, simulated=simulated)
        quality += _qualities(topic, each, simulated=simulated)
    table = consensus_matrix(topic, mine, simulated=simulated) if topic.options.matrix else []
    return ConsensusReport(_of_kind("consensus", raters), _of_kind("consensus", table), _of_kind("human", quality))


def _of_kind(kind: Kind, rows: Sequence[Estimate]) -> tuple[Estimate, ...]:
    return tuple(replace(row, kind=kind) for row in rows)


def _beside(topic: ReportTopic, heard: ConsensusRatings, *, simulated: bool) -> list[Estimate]:
    """The consensus beside people, in every cell.

    A correlation takes people's mean by item, of which the consensus is made: there is none.
    """
    names = tuple(
        name
        for name in select_statistics(topic.measure.two_raters(), topic.options.statistics)
        if name == "mean" or (name not in CORRELATIONS and name != "auc" and topic.options.people_as in (None, "each"))
    )
    if not names:
        return []

    def compute(cell: Cell) -> dict[Key, Outcome]:
        met = _AnswersBeside(topic, heard, cell)
        return {Key(name, rater=heard.name, people_as=None if name == "mean" else "each"): met.outcome(name) for name in names}

    return topic.rows(walk(heard.said, topic.suite, topic.options, compute), simulated=simulated)


class _AnswersBeside:
    """People's answers of one cell, each beside the consensus without it."""

    def __init__(self, topic: ReportTopic, heard: ConsensusRatings, cell: Cell) -> None:
        self._heard, self._measure = heard, topic.measure
        ratings, other = cell.of(heard.said), cell.of(heard.held_out)
        known = other.label >= 0
        self._said, self._other = ratings.take(known), other.take(known)
        self._whole = cell.of(heard.whole)
        self._cluster = compact(self._said.cluster)
        self._cell = cell
        self._weights = cell.deletions.weights(self._cluster.size)
        excluded = merged([heard.excluded, {"no_consensus": int((~known).sum())}])
        items = int(np.unique(self._said.item).size)
        self._used = Used(items, self._said.size, self._cluster.size, excluded)

    def outcome(self, name: str) -> Outcome:
        """One statistic."""
        how = reasons.Method(MethodCode.BESIDE_CONSENSUS_OF_OTHERS, consensus=how_of(self._heard.method))
        if self._heard.reason:
            return undefined(self._heard.reason, replace(self._used, items=0, ratings=0), how)
        if name == "mean":
            return self._mean()
        if not self._said.size:
            return undefined(NO_OTHERS, self._used, how)
        if name in NUMBER_ALPHAS:
            values, reason = pair_alpha(name, self._other.number, self._said.number, self._cluster.codes, self._weights)
            return outcome(values, reason, self._used, how)
        sides = self._other.label, self._said.label, self._cluster.codes
        labels, ordinal = self._measure.labels, self._measure.ordinal
        sums = two_raters.PairSums.resampled(self._weights, *sides, labels, ordinal=ordinal)
        return outcome(two_raters.FORMULAS[name](sums), two_raters.why_undefined(name, sums), self._used, how)

    def _mean(self) -> Outcome:
        rows, cluster = self._whole, compact(self._whole.cluster)
        used = Used(int(np.unique(rows.item).size), rows.size, cluster.size, self._heard.excluded)
        weights = self._cell.deletions.weights(cluster.size)
        values = share_of(rows.number, np.ones(rows.size), cluster.codes, weights)
        how = reasons.Method(MethodCode.MEAN_OF_CONSENSUS, consensus=how_of(self._heard.method))
        return outcome(values, Reason(ReasonCode.NO_UNIT_WITH_CONSENSUS), used, how)


def _qualities(topic: ReportTopic, heard: ConsensusRatings, *, simulated: bool) -> list[Estimate]:
    """Each person's quality over all that they said."""
    person = topic.suite.raters_where(person=True)
    by_majority = heard.method == "majority"
    rows = []
    for code in np.unique(heard.said.rater[person[heard.said.rater]]):
        mine = heard.said.rater == code
        if by_majority:
            made = _agreement_with_others(topic, heard, mine)
        else:
            used = used_rows(heard.said, mine, int(np.unique(heard.said.cluster[mine]).size), {})
            made = outcome(np.array([heard.quality(mine)]), heard.no_quality, used, _QUALITY[heard.method])
        key = Key(QUALITIES[heard.method], rater=topic.suite.raters[code].name)
        rows += topic.rows([CellOutcome(CellName(ALL, ALL), key, made)], simulated=simulated)
    return rows if by_majority else [replace(row, method=_QUALITY[heard.method]) for row in rows]


def _agreement_with_others(topic: ReportTopic, heard: ConsensusRatings, rows: BoolArray) -> Outcome:
    """How often a person says what more than half of the others say."""
    mine = rows & (heard.held_out.label >= 0)
    cluster = compact(heard.said.cluster[mine])
    weights = Deletions(topic.options.intervals).weights(cluster.size)
    labels, own, others = topic.measure.labels, heard.said.label[mine], heard.held_out.label[mine]
    values = two_raters.percent_agreement(two_raters.PairSums.resampled(weights, own, others, cluster.codes, labels))
    used = used_rows(heard.said, mine, cluster.size, {"no_consensus": int(rows.sum() - mine.sum())})
    return outcome(values, NO_OTHERS, used, _QUALITY["majority"])
