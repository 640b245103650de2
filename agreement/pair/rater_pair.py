"""Pairs of raters that meet on an aspect: a rater with another rater, or with people; their numbers are those of the report.

`each_person` puts every person beside the others: one coefficient for everybody, whatever the scale, so that who stands
apart is noticed. A person's answer meets each answer of somebody else about the same unit (as a scorer's meets people's),
and the coefficient is Krippendorff's alpha of these pairs: nominal, ordinal or interval, as the scale is. Persons and
imitations stay apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.catalogue import OF_SCORES, PeopleAs, people_as, select_statistics, value_range_of
from agreement.estimate import Estimate
from agreement.inference.intervals import SHARE
from agreement.numeric import IntArray
from agreement.reasons import Party, Reason, ReasonCode
from agreement.report.matrix import TWO_RATERS
from agreement.report.report import ReportTopic, estimate_of, topics
from agreement.report.scorer_human import (
    SCORER_AND_PEOPLE,
    ComparisonScale,
    PairedJudgements,
    ScorerAgreement,
    Sides,
    pair_judgements,
    to_majority,
)
from agreement.study.cells import EVERYWHERE, Cell, CellOutcome, Key, Options, Outcome, cell_name, cell_of, interval, merged
from agreement.study.frame import Ratings, Suite, read

PEOPLE = "people"
SHARE_OF_YES = "share_of_yes"


@dataclass(frozen=True)
class RaterPair:
    """Rater `a` and `b`, another rater or PEOPLE, on one topic.

    Attributes:
        topic: people's aspect.
        a: the rater's name.
        b: the other's, or PEOPLE.
        rows_a: the rater's judgements, of the topic or its scores.
        rows_b: the other's or people's judgements.
        by_score: whether `rows_a` are scores, which meet all answers about their item.
        clock: which side's `seq` tells when a pair was judged: `a`, `b`, or None for the later of both.
        simulated: whether PEOPLE are simulated ones.
    """

    topic: ReportTopic
    a: str
    b: str
    rows_a: Ratings
    rows_b: Ratings
    by_score: bool
    clock: str | None
    simulated: bool

    @property
    def crowd(self) -> bool:
        """Whether `b` is people."""
        return self.b == PEOPLE

    def names(self, wanted: Iterable[str] | None) -> tuple[str, ...]:
        """Those statistics that make sense here, in report order."""
        measure = self.topic.measure
        allowed = measure.two_raters() - {"mean"}
        if self.by_score:
            allowed = OF_SCORES if measure.binary else OF_SCORES - {"auc"}
        return select_statistics(allowed, None if wanted is None else tuple(wanted))

    def way(self, statistic: str) -> PeopleAs | None:
        """How `b` enters a statistic; None if it cannot in the way that was asked for."""
        return people_as(statistic, self.topic.options.people_as if self.crowd else None)

    def estimates(self, cell: Cell, names: Iterable[str]) -> tuple[Estimate, ...]:
        """Statistics in one cell: with people as in the report's `raters`, of two raters as in its `matrix`."""
        against = self.against(cell)
        ways = {name: self.way(name) for name in names}
        outcomes = {name: against.outcome(name, way) for name, way in ways.items() if way is not None}
        return tuple(self.estimate(name, outcome, cell) for name, outcome in outcomes.items())

    def against(self, cell: Cell) -> ScorerAgreement:
        """The pair in one cell, `b` taken for people."""
        topic = self.topic
        meeting = ComparisonScale(topic.measure, self.by_score)
        return ScorerAgreement(cell.of(self.rows_a), cell.of(self.rows_b), topic.suite, meeting, cell, self.sides)

    @property
    def scorer_and_people(self) -> bool:
        """Return True if a scorer is compared with people."""
        return self.crowd and any(rater.scorer and rater.name == self.a for rater in self.topic.suite.raters)

    @property
    def sides(self) -> Sides:
        """Return what the two are called."""
        if self.scorer_and_people:
            return SCORER_AND_PEOPLE
        if self.crowd:
            return Sides(self.a, Party.OTHERS, Party.MEAN_OF_OTHERS)
        return Sides(self.a, self.b, self.b, TWO_RATERS)

    def estimate(self, statistic: str, outcome: Outcome, cell: Cell) -> Estimate:
        """Return an outcome of a cell as this pair counts it, with its interval."""
        counted = outcome if self.scorer_and_people else self._counted(outcome)
        measure = self.topic.measure
        kind = SHARE if statistic == SHARE_OF_YES else value_range_of(statistic, binary=measure.binary, ends=measure.ends)
        bounds, method = interval(counted, kind, by_prompt=self.topic.suite.by_prompt, images=counted.used.items)
        found = CellOutcome(cell_name(cell, self.topic.suite), Key(statistic, rater=self.a), counted)
        return estimate_of(found, bounds, method, **self.topic.about(simulated=self.simulated))

    def _counted(self, outcome: Outcome) -> Outcome:
        """Without a scorer, or without people, what only one side judged is of one kind; of two raters both sides count."""
        excluded = dict(outcome.used.excluded)
        apart = sum(excluded.pop(name, 0) for name in ("no_scorer_value", "no_people"))
        ratings = outcome.used.ratings
        ratings = ratings if self.crowd else 2 * ratings
        used = replace(outcome.used, ratings=ratings, excluded=merged([excluded, {"not_shared": apart}]))
        return replace(outcome, used=used)

    def pairs(self, cell: Cell) -> PairedJudgements:
        """Every pair of a value of `a` and one of `b` in one cell."""
        return pair_judgements(cell.of(self.rows_a), cell.of(self.rows_b), by_item=self.by_score)

    def crossed(self, pairs: PairedJudgements) -> PairedJudgements:
        """Return what a confusion table counts: units by people's majority, or each answer where `people_as` asks for it."""
        by_majority = self.crowd and self.topic.options.people_as != "each"
        return to_majority(pairs, self.topic.measure.labels) if by_majority and self.topic.measure.labels else pairs

    def labelled(self, pairs: PairedJudgements) -> PairedJudgements:
        """The pairs that a table of labels counts: all, or the units where people have a majority."""
        by_majority = self.crowd and self.topic.options.people_as == "majority"
        return to_majority(pairs, self.topic.measure.labels) if by_majority else pairs

    def when(self, pairs: PairedJudgements) -> IntArray:
        """The `seq` that orders the pairs in time."""
        times = {"a": pairs.seq_a, "b": pairs.seq_b}
        return times[self.clock] if self.clock else np.maximum(pairs.seq_a, pairs.seq_b)


def rater_pairs(
    suite: Suite, a: str, b: str, options: Options, *, scored: str | None = None, simulated: bool = False
) -> Iterator[RaterPair]:
    """Rater `a` with `b` on every aspect where both have judgements; a rater is never among the people it meets.

    Where `a` has not judged an aspect, or on the aspect `scored`, its `score` stands in if it can.

    Raises:
        ValueError: for a rater that the suite has not.
    """
    code_a, code_b = _code(suite, a), None if b == PEOPLE else _code(suite, b)
    human = not suite.raters[code_a].scorer
    clock: str | None = "a" if human else "b"
    if code_b is not None and suite.raters[code_b].scorer != human:
        clock = None
    for aspect in suite.aspects:
        (topic,) = topics(suite, aspect, replace(options, by_target=False))
        rows_a = topic.ratings.take(topic.ratings.rater == code_a)
        by_score = topic.scores is not None and (aspect.name == scored or not rows_a.size)
        if by_score and topic.scores is not None:
            rows_a = topic.scores.take(topic.scores.rater == code_a)
        others = topic.people(simulated=simulated) if code_b is None else topic.ratings
        rows_b = others.take(others.rater != code_a if code_b is None else others.rater == code_b)
        if rows_a.size and rows_b.size:
            yield RaterPair(topic, a, b, rows_a, rows_b, by_score, clock, simulated)


def _code(suite: Suite, name: str) -> int:
    codes = [code for code, rater in enumerate(suite.raters) if rater.name == name]
    if len(codes) != 1:
        raise ValueError(f"the suite {suite.name!r} has {'no rater' if not codes else 'two raters called'} {name!r}")
    return codes[0]


PERSON_STATISTICS = {
    "nominal": "krippendorff_alpha_nominal",
    "ordinal": "krippendorff_alpha_ordinal",
    "interval": "krippendorff_alpha_interval",
}
"""The coefficient by the kind of scale."""
ALONE = Reason(ReasonCode.ALONE)


def each_person(
    frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], suite: str, aspect: str, options: Options | None = None
) -> dict[str, Estimate]:
    """Every identified person who judged an aspect, by name, with the others; simulated ones with their like.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        suite: of which suite's items.
        aspect: what they judged.
        options: `intervals` alone counts.

    Raises:
        ValueError: as `build`.
    """
    wanted = replace(options or Options(), statistics=None, by_target=False, people_as=None)
    rows = frame[(frame["suite"] == suite) & (frame["aspect"] == aspect)]
    return {name: estimate for suite in read(rows, scales) for name, estimate in _of_suite(suite, aspect, wanted).items()}


def _of_suite(suite: Suite, aspect: str, options: Options) -> dict[str, Estimate]:
    (kind,) = {each.measure.kind for each in suite.aspects if each.name == aspect}
    cell, statistic = cell_of(suite, EVERYWHERE, options), PERSON_STATISTICS[kind]
    estimates: dict[str, Estimate] = {}
    for rater in suite.raters:
        if rater.scorer or not rater.person:
            continue
        met = next(rater_pairs(suite, rater.name, PEOPLE, options, simulated=rater.simulated), None)
        if met is None:
            estimates[rater.name] = Estimate(
                suite=suite.name, aspect=aspect, statistic=statistic, rater=rater.name, reason=ALONE
            )
        else:
            estimates[rater.name] = met.estimates(cell, (statistic,))[0]
    return estimates
