"""Scorer against scorer: which of two agrees better with the same people on the same units, and is it more than chance.

Both scorers' agreement is made on the units that both judged, against the same ratings by people and over the same prompts,
so that the interval is that of the paired difference; p is that of the sign-flip test (`hypothesis_tests`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from agreement.catalogue import OF_SCORES, STATISTICS, people_as, select_statistics
from agreement.estimate import Estimate
from agreement.inference.hypothesis_tests import holm, mcnemar_exact, rounded_difference, swap_test
from agreement.inference.intervals import CONTRAST, Deletions
from agreement.numeric import BoolArray, sums_by
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.report.report import ReportTopic, estimate_of, read_topics
from agreement.report.scorer_human import ComparisonScale, PairedJudgements, ScorerAgreement, pair_judgements, to_majority
from agreement.statistics.two_raters import FORMULAS as OF_LABELS
from agreement.study.cells import (
    ALL,
    TASKS_MEAN,
    Cell,
    CellName,
    CellOutcome,
    Key,
    Options,
    Outcome,
    cell_name,
    compact,
    interval,
    merged,
    refused,
    undefined,
    walk,
)
from agreement.study.frame import Ratings


@dataclass(frozen=True)
class McNemar:
    """Right and wrong against people's strict majority, by unit, on the units that have one.

    `p` is that of the exact test, None where there is no such unit; where prompts have several units, which are alike, it is
    that of swapping both scorers' judgements of whole prompts. `p_holm` is corrected over the comparisons of the table.
    """

    both_right: int
    only_a_right: int
    only_b_right: int
    both_wrong: int
    p: float | None
    p_holm: float | None = None


@dataclass(frozen=True)
class ScorerUse:
    """One scorer's judgements that meet people, and the statistics they are good for: its own, or its `score`."""

    rows: Ratings
    by_item: bool
    statistics: frozenset[str]


def uses_of(topic: ReportTopic) -> dict[int, tuple[ScorerUse, ...]]:
    """The ways of each scorer, by its code, in order of names."""
    measure, suite, wanted = topic.measure, topic.suite, topic.options.statistics
    scorers = [code for code, rater in enumerate(suite.raters) if rater.scorer]
    own_names = frozenset(select_statistics(measure.two_raters() - {"mean"}, wanted))
    score_names = frozenset(select_statistics(OF_SCORES if measure.binary else OF_SCORES - {"auc"}, wanted))
    uses: dict[int, tuple[ScorerUse, ...]] = {}
    for code in sorted(scorers, key=lambda code: suite.raters[code].name):
        own = topic.ratings.take(topic.ratings.rater == code)
        ways = [ScorerUse(own, False, own_names)] if own.size else []
        if topic.scores is not None and (score := topic.scores.take(topic.scores.rater == code)).size:
            ways.append(ScorerUse(score, True, score_names - (own_names if own.size else frozenset())))
        if ways:
            uses[code] = tuple(ways)
    return uses


class CellComparisons:
    """All pairs of scorers of one cell: `outcomes()` and `mcnemars()`."""

    def __init__(self, topic: ReportTopic, people: Ratings, uses: Mapping[int, tuple[ScorerUse, ...]], cell: Cell) -> None:
        self._topic, self._cell = topic, cell
        everyone = cell.of(people)
        people = everyone.take(everyone.valid)
        sides = [
            _side(topic.suite.raters[code].name, way, cell, people)
            for code, ways in uses.items()
            if any(cell.of_generator(way.rows).size for way in ways)
            for way in ways
        ]
        # pairs of scorers by the ratings of people that both can be compared with
        members: dict[bytes, tuple[BoolArray, list[_PairStatistics]]] = {}
        for a, b in combinations(sides, 2):
            names = a.way.statistics & b.way.statistics
            if a.name == b.name or not names:
                continue
            shared = a.meets & b.meets
            apart = {"no_scorer_value": int((~shared).sum()), "no_people": a.lonely + b.lonely}
            parts = [refused(rows, topic.suite) for rows in (everyone, a.rows, b.rows)]
            duel = _PairStatistics(a, b, names, merged([*parts, apart]))
            members.setdefault(shared.tobytes(), (shared, []))[1].append(duel)
        self._groups = [(people.take(shared), duels) for shared, duels in members.values()]

    def outcomes(self) -> dict[Key, Outcome]:
        """The difference of each pair, and under the scorer's name in `rater` the agreement of each."""
        topic, cell = self._topic, self._cell
        outcomes: dict[Key, Outcome] = {}
        for people, duels in self._groups:
            against: dict[_ScorerSide, ScorerAgreement] = {}
            made: dict[tuple[_ScorerSide, str], Outcome] = {}
            for duel, name in [(each, name) for each in duels for name in sorted(each.statistics)]:
                way = people_as(name, topic.options.people_as)
                if way is None:
                    continue
                for side in (duel.a, duel.b):
                    if side not in against:
                        scale = ComparisonScale(topic.measure, side.way.by_item)
                        against[side] = ScorerAgreement(side.rows, people, topic.suite, scale, cell)
                    if (side, name) not in made:
                        made[side, name] = against[side].outcome(name, way)
                outcome_a, outcome_b = made[duel.a, name], made[duel.b, name]
                key = Key(name, a=duel.a.name, b=duel.b.name, people_as=way)
                less = _less(key, outcome_a, outcome_b, duel)
                if less.value is not None and cell.deletions.wanted:
                    swap = against[duel.a].swaps(against[duel.b], name, way)
                    less = replace(less, swaps=swap_test(swap, less.used.clusters, cell.deletions) if swap else None)
                outcomes |= {replace(key, rater=key.a): outcome_a, replace(key, rater=key.b): outcome_b, key: less}
        return outcomes

    def mcnemars(self) -> dict[tuple[str, str], McNemar]:
        """McNemar's test of each pair that has yes/no labels of its own, by their names."""
        tests: dict[tuple[str, str], McNemar] = {}
        for people, duels in self._groups if self._topic.measure.binary else ():
            # the scorer's label beside most people's, by unit that has a majority
            majority: dict[_ScorerSide, PairedJudgements] = {}
            for duel in duels:
                if duel.a.way.by_item or duel.b.way.by_item:
                    continue
                for side in (duel.a, duel.b):
                    if side not in majority:
                        majority[side] = to_majority(pair_judgements(side.rows, people), self._topic.measure.labels)
                tests[duel.a.name, duel.b.name] = _mcnemar(majority[duel.a], majority[duel.b], self._cell.deletions)
        return tests


@dataclass(frozen=True, eq=False)
class _ScorerSide:
    """One way of one scorer in one cell: its judgements there, which of people's ratings they meet, and how many meet none."""

    name: str
    way: ScorerUse
    rows: Ratings
    meets: BoolArray
    lonely: int


def _side(name: str, way: ScorerUse, cell: Cell, people: Ratings) -> _ScorerSide:
    rows = cell.of(way.rows)
    mine, theirs = (part.item if way.by_item else part.unit for part in (rows.take(rows.valid), people))
    return _ScorerSide(name, way, rows, np.isin(theirs, mine), int((~np.isin(mine, theirs)).sum()))


@dataclass(frozen=True, eq=False)
class _PairStatistics:
    """Two scorers, the statistics that both are good for, and what the comparison leaves out."""

    a: _ScorerSide
    b: _ScorerSide
    statistics: frozenset[str]
    excluded: Mapping[str, int]


def _mcnemar(a: PairedJudgements, b: PairedJudgements, deletions: Deletions) -> McNemar:
    right_a, right_b = (np.equal(each.label_a, each.label_b) for each in (a, b))
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    both, neither = int((right_a & right_b).sum()), int((~right_a & ~right_b).sum())
    cluster = compact(a.cluster)
    p = None
    if cluster.size == right_a.size:
        p = mcnemar_exact(only_a, only_b) if right_a.size else None
    elif deletions.wanted:
        ahead = sums_by(cluster.codes, cluster.size, right_a) - sums_by(cluster.codes, cluster.size, right_b)
        p = swap_test(lambda flips: (1.0 - 2.0 * flips) @ ahead, cluster.size, deletions).p
    return McNemar(both, only_a, only_b, neither, p)


def _less(key: Key, a: Outcome, b: Outcome, duel: _PairStatistics) -> Outcome:
    """One outcome less the other, replicate by replicate."""
    tied = {name: n for name, n in a.used.excluded.items() if name == "tied_majority"}
    used = replace(a.used, excluded=merged([duel.excluded, tied]))
    how = Method(MethodCode.ONE_LESS_OTHER, a=key.a, b=key.b, each=a.how)
    if a.value is None or b.value is None:
        reasons = {key.a: a.reason, key.b: b.reason}
        each = tuple((name, reason) for name, reason in reasons.items() if reason is not None)
        reason = Reason(ReasonCode.EACH_SIDE, sides=each) if used.ratings else Reason(ReasonCode.NOTHING_SHARED_BY_SCORERS)
        return undefined(reason, used, how)
    value = float(rounded_difference(np.array([a.value]), np.array([b.value]))[0])
    deviations = a.deviations - b.deviations if a.deviations and b.deviations else None
    return Outcome(value, None, deviations, used, how)


COMPARISON_STATISTICS = ("percent_agreement", "cohen_kappa", "gwet_ac1", "pearson", "spearman", "kendall_tau_b", "auc")


@dataclass(frozen=True, kw_only=True)
class Comparison(Estimate):
    """Agreement of scorer `a` with people less that of `b`, by one statistic in one cell.

    Attributes:
        p: two-sided p of no difference, by the sign-flip test over prompts (`sign_flips`); None where it is not made, as of
            scorers that were tuned on these people's labels.
        value_a: a's own agreement with people on the shared units.
        value_b: b's.
        mcnemar: for yes/no labels, in one cell; None elsewhere.
        p_holm: p corrected over all comparisons of the table: one statistic of one
            generator (or all), every task and pair of scorers.
    """

    p: float | None = None
    value_a: float | None = None
    value_b: float | None = None
    mcnemar: McNemar | None = None
    p_holm: float | None = None

    def turned(self) -> Comparison:
        """Return the same comparison seen from the other side: of `b` less `a`."""
        test = self.mcnemar
        return replace(
            self,
            a=self.b,
            b=self.a,
            value=None if self.value is None else -self.value,
            low=None if self.high is None else -self.high,
            high=None if self.low is None else -self.low,
            value_a=self.value_b,
            value_b=self.value_a,
            mcnemar=test and replace(test, only_a_right=test.only_b_right, only_b_right=test.only_a_right),
        )


def comparisons(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options | None = None) -> list[Comparison]:
    """Compare every two scorers of a (suite, aspect) by their agreement with the same people.

    A scorer's `score` stands in for what its own label or number does not give, as in the report. Cells are those of the
    report; the mean over tasks has no McNemar.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        options: `statistics` None is all that apply.

    Raises:
        ValueError: as `build`.
    """
    wanted = options or Options()
    wanted = replace(wanted, statistics=wanted.statistics or COMPARISON_STATISTICS)
    topics = read_topics(frame, scales, wanted)
    return [
        each
        for topic in topics
        for simulated in (False, True)
        for each in _TopicComparisons(topic, simulated=simulated).comparisons()
    ]


class _TopicComparisons:
    """All pairs of scorers of one topic, against real or against simulated people."""

    def __init__(self, topic: ReportTopic, *, simulated: bool) -> None:
        self.topic = topic
        self._people, self._uses = topic.people(simulated=simulated), uses_of(topic)
        self._about = topic.about(simulated=simulated)
        self._mcnemars: dict[tuple[CellName, tuple[str, str]], McNemar] = {}

    def comparisons(self) -> list[Comparison]:
        """Every pair in every cell, corrected within each family."""
        topic = self.topic
        outcomes = list(walk(self._people, topic.suite, topic.options, self._cell)) if len(self._uses) > 1 else []
        own = {(f.place, f.key): f.outcome.value for f in outcomes if f.key.rater is not None}
        made = [self._comparison(f, own) for f in outcomes if f.key.rater is None]
        families: dict[tuple[str, str], list[Comparison]] = {}
        for each in made:
            families.setdefault((each.generator, each.statistic), []).append(each)
        return [each for family in families.values() for each in _corrected(family)]

    def _cell(self, cell: Cell) -> dict[Key, Outcome]:
        duels, name = CellComparisons(self.topic, self._people, self._uses, cell), cell_name(cell, self.topic.suite)
        self._mcnemars |= {(name, sides): made for sides, made in duels.mcnemars().items()}
        outcomes = duels.outcomes()
        order = sorted(outcomes, key=lambda key: (STATISTICS.index(key.statistic), key.a or "", key.b or "", key.rater or ""))
        return {key: outcomes[key] for key in order}

    def _comparison(self, cell_outcome: CellOutcome, own: Mapping[tuple[CellName, Key], float | None]) -> Comparison:
        topic, key, outcome = self.topic, cell_outcome.key, cell_outcome.outcome
        bounds, method = interval(outcome, CONTRAST, by_prompt=topic.suite.by_prompt)
        a, b = (own.get((cell_outcome.place, replace(key, rater=name))) for name in (key.a, key.b))
        tuned = [rater.name for rater in topic.suite.raters if rater.saw_labels and rater.name in (key.a, key.b)]
        method = joined(method, *(Method(MethodCode.NO_P_SAW_LABELS, scorer=name) for name in tuned))
        p = outcome.swaps.p if outcome.swaps and not tuned else None
        if outcome.swaps and p is not None:
            swaps = outcome.swaps
            method = joined(method, Method(MethodCode.SIGN_FLIPS, swaps=swaps.differences.size, exact=swaps.exact))
        test = key.statistic in OF_LABELS and not tuned
        mcnemar = self._mcnemars.get((cell_outcome.place, (str(key.a), str(key.b)))) if test else None
        made = estimate_of(cell_outcome, bounds, method, **self._about)
        return Comparison(**vars(made), p=p, value_a=a, value_b=b, mcnemar=mcnemar)


def _corrected(table: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of one family with p corrected by Holm's method: the sign-flip test's and McNemar's.

    Where there is one task, its row, that of all tasks and their mean are one test, which counts once.
    """
    alone = len({each.task for each in table} - {ALL, TASKS_MEAN}) == 1
    tests: dict[Hashable, list[Comparison]] = {}
    for each in table:
        tests.setdefault((each.a, each.b, each.n_items if alone else each.task), []).append(each)
    p = [_largest(each.p for each in same) for same in tests.values()]
    mcnemars = [_largest(each.mcnemar.p for each in same if each.mcnemar) for same in tests.values()]
    count = sum(each is not None for each in p)
    corrected = {
        id(each): (p_holm, p_mcnemar)
        for same, p_holm, p_mcnemar in zip(tests.values(), holm(p), holm(mcnemars), strict=True)
        for each in same
    }
    return [_with_corrected(each, *corrected[id(each)], count) for each in table]


def _largest(p: Iterable[float | None]) -> float | None:
    """Return the largest p of one test's rows, which differ by chance where flips are drawn; None without one."""
    return max((each for each in p if each is not None), default=None)


def _with_corrected(comparison: Comparison, p_holm: float | None, p_mcnemar: float | None, count: int) -> Comparison:
    mcnemar = replace(comparison.mcnemar, p_holm=p_mcnemar) if comparison.mcnemar else None
    if comparison.p is None:
        return replace(comparison, mcnemar=mcnemar)
    method = joined(comparison.method, Method(MethodCode.HOLM, comparisons=count))
    return replace(comparison, p_holm=p_holm, mcnemar=mcnemar, method=method)
