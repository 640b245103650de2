"""One aspect (and target) of one suite: people among themselves, each scorer against people, raters two by two."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agreement.catalogue import OF_SCORES, Measure, people_as, select_statistics, value_range_of
from agreement.numeric import BoolArray
from agreement.report import ceiling, leave_one_out
from agreement.report.ceiling import Ceiling
from agreement.report.human_human import HumanAgreement
from agreement.report.matrix import Matrix
from agreement.report.scorer_human import ComparisonScale, MatchedRatings, ScorerAgreement
from agreement.study.cells import Cell, CellOutcome, Key, Options, Outcome, interval, walk
from agreement.study.frame import Aspect, Ratings, Suite

# What a scorer's `score` is compared with.
MET_BY_SCORES = ("correct", "faithfulness", "caption_fit")
SCORE = "score"


@dataclass(frozen=True)
class ReportRow:
    """One statistic of one cell, as the report prints it."""

    suite: str
    aspect: str
    target: str | None
    people: str
    found: CellOutcome
    low: float | None
    high: float | None
    method: str
    ceiling: Ceiling | None = None
    certainty: str | None = None
    saw_labels: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain types with the keys that every section has.

        `n_items` and `n_ratings` count what the statistic used: people's ratings among people and beside a scorer (for a
        scorer's own `mean`, its ratings), both raters' in the matrix. `excluded` counts ratings, but `undefined_pairs`
        pairs of persons and `tied_majority` units. What has a section's own keys is added by `Report.to_dict`.
        """
        outcome, place = self.found.outcome, self.found.place
        return {
            "suite": self.suite,
            "task": place.task,
            "generator": place.generator,
            "aspect": self.aspect,
            "target": self.target,
            "people": self.people,
            "statistic": self.found.key.statistic,
            "value": outcome.value,
            "low": self.low,
            "high": self.high,
            "n_items": outcome.used.items,
            "n_ratings": outcome.used.ratings,
            "excluded": dict(outcome.used.excluded),
            "reason": outcome.reason,
            "method": self.method,
        }


def topics(suite: Suite, aspect: Aspect, options: Options) -> list[ReportTopic]:
    """The aspect as a whole, or each of its targets."""
    rows = aspect.ratings
    met = aspect.name in MET_BY_SCORES and (aspect.measure.kind != "nominal" or aspect.measure.binary)
    scores = next((each.ratings for each in suite.aspects if each.name == SCORE), None) if met else None
    if not options.by_target or not (rows.target >= 0).any():
        return [ReportTopic(suite, aspect, None, rows, options, scores)]
    parts = [(int(code), rows.take(rows.target == code)) for code in np.unique(rows.target)]
    named = [(suite.targets[code] if code >= 0 else None, part) for code, part in parts]
    return [ReportTopic(suite, aspect, target, part, options, scores) for target, part in named]


@dataclass(frozen=True)
class ReportTopic:
    """One aspect (and target) of one suite; `scores` are the scorers' scores of its items, where the two can be compared."""

    suite: Suite
    aspect: Aspect
    target: str | None
    ratings: Ratings
    options: Options
    scores: Ratings | None = None

    @property
    def measure(self) -> Measure:
        return self.aspect.measure

    def people(self, *, simulated: bool) -> Ratings:
        return self._by(self.suite.raters_where(scorer=False, simulated=simulated))

    def _by(self, raters: BoolArray) -> Ratings:
        return self.ratings.take(raters[self.ratings.rater])

    def rows(self, found: Iterable[CellOutcome], *, simulated: bool, finer: bool = False) -> list[ReportRow]:
        """Outcomes with their intervals and ceilings; `finer`: of scores, which may say more than people's answers can."""
        rows = []
        options, people = self.options, "simulated" if simulated else "real"
        by_prompt, binary = self.suite.by_prompt, self.measure.binary
        tuned = {rater.name for rater in self.suite.raters if rater.saw_labels}
        for each, sides in ceiling.with_sides(found):
            kind = value_range_of(each.key.statistic, binary=binary)
            bounds, method = interval(each.outcome, kind, by_prompt=by_prompt)
            saw = each.key.rater in tuned
            beside = (
                ceiling.read_ceiling(sides, kind, options, by_prompt=by_prompt, finer=finer, saw_labels=saw) if sides else None
            )
            kept = replace(each, outcome=replace(each.outcome, deviations=None))
            about = self.suite.name, self.aspect.name, self.target, people
            rows.append(ReportRow(*about, kept, bounds.low, bounds.high, method, beside, saw_labels=saw))
        return _corrected(rows)

    def among(self, *, simulated: bool) -> list[ReportRow]:
        """People among themselves."""
        people = self.people(simulated=simulated)
        names = select_statistics(self.measure.among(), self.options.statistics)

        def compute(cell: Cell) -> dict[Key, Outcome]:
            made = HumanAgreement(cell.of(people), self.suite, self.measure, cell).outcomes(names)
            return {Key(name): outcome for name, outcome in made.items()}

        return self.rows(walk(people, self.suite, self.options, compute) if names else [], simulated=simulated)

    def own(self) -> list[ReportRow]:
        """Each scorer by itself."""
        found: list[ReportRow] = []
        if not select_statistics(self.measure.among(), ("mean",)):
            return found
        for code, rater in enumerate(self.suite.raters):
            rows = self.ratings.take(self.ratings.rater == code)
            if rater.scorer and rows.size:
                compute = _ScorerMean(self, rows, Key("mean", rater=rater.name))
                found += self.rows(walk(rows, self.suite, self.options, compute), simulated=False)
        return found

    def raters(self, *, simulated: bool) -> list[ReportRow]:
        """Each scorer against people: on this aspect, then by its score where the two can be compared."""
        people = self.people(simulated=simulated)
        names = select_statistics(self.measure.two_raters(), self.options.statistics)
        own = self._against(self.ratings, people, names, by_item=False)
        rows = self.rows(walk(people, self.suite, self.options, own), simulated=simulated)
        if self.scores is None:
            return rows
        allowed = OF_SCORES if self.measure.binary else OF_SCORES - {"auc"}
        by_score = self._against(self.scores, people, select_statistics(allowed, self.options.statistics), by_item=True)
        done = {(row.found.key.rater, row.found.key.statistic) for row in rows}
        met = (f for f in walk(people, self.suite, self.options, by_score) if (f.key.rater, f.key.statistic) not in done)
        return rows + self.rows(met, simulated=simulated, finer=self.measure.binary)

    def _against(self, scored: Ratings, people: Ratings, names: tuple[str, ...], *, by_item: bool) -> _ScorersBesidePeople:
        scorers = [code for code in np.unique(scored.rater) if self.suite.raters[code].scorer]
        parts = {int(code): scored.take(scored.rater == code) for code in scorers}
        return _ScorersBesidePeople(self, people, names, parts, by_item)

    def matrix(self, *, simulated: bool) -> list[ReportRow]:
        """Persons and scorers two by two."""
        rows = self._by(self.suite.raters_where(scorer=True) | self.suite.raters_where(person=True))
        if simulated and not self.suite.raters_where(simulated=True)[rows.rater].any():
            return []
        names = tuple(name for name in select_statistics(self.measure.two_raters(), self.options.statistics) if name != "mean")

        def compute(cell: Cell) -> dict[Key, Outcome]:
            return Matrix(cell.of(rows), self.suite, self.measure, cell).outcomes(names, simulated=simulated)

        return self.rows(walk(rows, self.suite, self.options, compute) if names else [], simulated=simulated)


def _corrected(rows: list[ReportRow]) -> list[ReportRow]:
    """The p of all verdicts by one statistic, of one generator or all, are one family."""
    families: dict[tuple[str, str], list[int]] = {}
    for place, row in enumerate(rows):
        if row.ceiling is not None:
            families.setdefault((row.found.place.generator, row.found.key.statistic), []).append(place)
    for places in families.values():
        ceilings = [beside for k in places if (beside := rows[k].ceiling) is not None]
        for place, made in zip(places, ceiling.corrected(ceilings), strict=True):
            rows[place] = replace(rows[place], ceiling=made)
    return rows


@dataclass(frozen=True)
class _ScorerMean:
    """One scorer's mean, in one cell."""

    topic: ReportTopic
    rows: Ratings
    key: Key

    def __call__(self, cell: Cell) -> dict[Key, Outcome]:
        made = HumanAgreement(cell.of(self.rows), self.topic.suite, self.topic.measure, cell).outcomes(("mean",))
        return {self.key: replace(made["mean"], how="mean over the scorer's judgements")}


@dataclass(frozen=True)
class _ScorersBesidePeople:
    """Every scorer against people, in one cell."""

    topic: ReportTopic
    people: Ratings
    names: tuple[str, ...]
    scorers: dict[int, Ratings]
    by_item: bool

    def __call__(self, cell: Cell) -> dict[Key, Outcome]:
        found: dict[Key, Outcome] = {}
        mets: dict[str, MatchedRatings] = {}
        people, options = cell.of(self.people), self.topic.options
        ways = {name: way for name in self.names if name != "mean" and (way := people_as(name, options.people_as))}
        for code, scored in self.scorers.items():
            if not cell.of_generator(scored).size:
                continue
            meeting = ComparisonScale(self.topic.measure, self.by_item)
            against = ScorerAgreement(cell.of(scored), people, self.topic.suite, meeting, cell)
            rater = self.topic.suite.raters[code].name
            mets[rater] = against.met
            for name in self.names:
                if name in ways or name == "mean":
                    way = ways.get(name)
                    found[Key(name, rater=rater, people_as=way)] = against.outcome(name, way)
        return leave_one_out.with_leave_one_out(found, mets, self.topic.suite, ways) if options.ceiling else found
