"""The agreement report: every row of `agreement --format json`, from a long frame of judgements.

`build(frame, scales, options)` compares people among themselves, each scorer with people, and raters two by two, by suite,
aspect, generator and task, and by how far people agree. A unit is one (item, target).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypedDict

import numpy as np
import pandas as pd

from agreement.catalogue import OF_SCORES, STATISTICS, Measure, people_as, select_statistics, value_range_of
from agreement.estimate import Estimate
from agreement.inference.intervals import Interval
from agreement.numeric import BoolArray, IntArray
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from agreement.report import ceiling, leave_one_out
from agreement.report.human_human import HumanAgreement
from agreement.report.matrix import Matrix
from agreement.report.scorer_human import SCORER_AND_PEOPLE, ComparisonScale, MatchedRatings, ScorerAgreement, Sides
from agreement.study.cells import Cell, CellOutcome, Compute, Key, Options, Outcome, compact, first_of, interval, walk
from agreement.study.frame import Aspect, Ratings, Suite, read

# What a scorer's `score` is compared with.
MET_BY_SCORES = ("correct", "faithfulness", "caption_fit", "caption_match", "semantic_consistency", "perceptual_quality")
SCORE = "score"


def meets_scores(aspect: str, measure: Measure, compare_with: Sequence[str] = ()) -> bool:
    """Return True if scorers' scores are compared with people's answers of an aspect: its labels must have an order."""
    return aspect in (*MET_BY_SCORES, *compare_with) and aspect != SCORE and (measure.kind != "nominal" or measure.binary)


PeopleKind = Literal["real", "simulated"]


class About(TypedDict):
    """The subject of an estimate, as arguments of `Estimate`."""

    suite: str
    aspect: str
    target: str | None
    people: PeopleKind


def estimate_of(
    found: CellOutcome, bounds: Interval, method: Method, *, suite: str, aspect: str, target: str | None, people: str
) -> Estimate:
    """Return an outcome with its interval as the record that is passed on."""
    key, outcome = found.key, found.outcome
    return Estimate(
        suite=suite,
        task=found.place.task,
        generator=found.place.generator,
        aspect=aspect,
        target=target,
        people=people,
        statistic=key.statistic,
        rater=key.rater or "",
        people_as=key.people_as,
        a=key.a or "",
        b=key.b or "",
        kind="scorer" if key.rater else None,
        value=outcome.value,
        low=bounds.low,
        high=bounds.high,
        n_items=outcome.used.items,
        n_ratings=outcome.used.ratings,
        n_prompts=outcome.used.clusters,
        excluded=outcome.used.excluded,
        reason=outcome.reason,
        method=method,
    )


def topics(suite: Suite, aspect: Aspect, options: Options) -> list[ReportTopic]:
    """The aspect as a whole, or each of its targets."""
    rows = aspect.ratings
    met = meets_scores(aspect.name, aspect.measure, options.compare_with)
    scores = next((each.ratings for each in suite.aspects if each.name == SCORE), None) if met else None
    if not options.by_target or not (rows.target >= 0).any():
        return [ReportTopic(suite, aspect, None, rows, options, scores)]
    parts = [(int(code), rows.take(rows.target == code)) for code in np.unique(rows.target)]
    named = [(suite.targets[code] if code >= 0 else None, part) for code, part in parts]
    return [ReportTopic(suite, aspect, target, part, options, scores) for target, part in named]


def read_topics(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options) -> Iterator[ReportTopic]:
    """All topics of a long frame; args and errors as of `build`."""
    if unknown := sorted(set(options.statistics or ()) - set(STATISTICS)):
        raise ValueError(f"unknown statistic {', '.join(unknown)}; known are {', '.join(STATISTICS)}")
    for suite in read(select(frame, scales, options.certainty), scales):
        for aspect in suite.aspects:
            yield from topics(suite, aspect, options)


@dataclass(frozen=True)
class ReportTopic:
    """One aspect (and target) of one suite; `scores` are the scorers' scores of its items, where the two can be compared.

    `sides`: who a scorer is compared with.
    """

    suite: Suite
    aspect: Aspect
    target: str | None
    ratings: Ratings
    options: Options
    scores: Ratings | None = None
    sides: Sides = SCORER_AND_PEOPLE

    @property
    def measure(self) -> Measure:
        return self.aspect.measure

    def people(self, *, simulated: bool) -> Ratings:
        return self._by(self.suite.raters_where(scorer=False, simulated=simulated))

    def about(self, *, simulated: bool) -> About:
        """Return what an estimate of this topic is about."""
        people: PeopleKind = "simulated" if simulated else "real"
        return {"suite": self.suite.name, "aspect": self.aspect.name, "target": self.target, "people": people}

    def _by(self, raters: BoolArray) -> Ratings:
        return self.ratings.take(raters[self.ratings.rater])

    def rows(self, outcomes: Iterable[CellOutcome], *, simulated: bool, finer: bool = False) -> list[Estimate]:
        """Outcomes with their intervals and ceilings; `finer`: of scores, which may say more than people's answers can."""
        rows: list[Estimate] = []
        tests: dict[int, ceiling.CeilingTest] = {}
        options = self.options
        by_prompt, binary = self.suite.by_prompt, self.measure.binary
        tuned = {rater.name for rater in self.suite.raters if rater.saw_labels}
        for each, sides in ceiling.with_sides(outcomes):
            kind = value_range_of(each.key.statistic, binary=binary, ends=self.measure.ends)
            bounds, method = interval(each.outcome, kind, by_prompt=by_prompt, images=each.outcome.used.items)
            saw = each.key.rater in tuned
            if sides:
                only_below = ceiling.FINER if finer else None
                tests[len(rows)] = ceiling.read_ceiling(
                    sides, kind, options, by_prompt=by_prompt, only_below=only_below, saw_labels=saw
                )
            made = estimate_of(each, bounds, method, **self.about(simulated=simulated))
            rows.append(replace(made, saw_labels=saw))
        for place, beside in ceiling.with_verdicts(tests, lambda k: (rows[k].generator, rows[k].statistic)).items():
            rows[place] = replace(rows[place], ceiling=beside)
        return rows

    def among(self, *, simulated: bool) -> list[Estimate]:
        """People among themselves."""
        people = self.people(simulated=simulated)
        names = select_statistics(self.measure.among(), self.options.statistics)

        def compute(cell: Cell) -> dict[Key, Outcome]:
            made = HumanAgreement(cell.of(people), self.suite, self.measure, cell).outcomes(names)
            return {Key(name): outcome for name, outcome in made.items()}

        return self.rows(walk(people, self.suite, self.options, compute) if names else [], simulated=simulated)

    def own(self) -> list[Estimate]:
        """Each scorer by itself."""
        report_rows: list[Estimate] = []
        if not select_statistics(self.measure.among(), ("mean",)):
            return report_rows
        for code, rater in enumerate(self.suite.raters):
            rows = self.ratings.take(self.ratings.rater == code)
            if rater.scorer and rows.size:
                key = Key("mean", rater=rater.name)
                report_rows += self.rows(walk(rows, self.suite, self.options, partial(self._own, rows, key)), simulated=False)
        return report_rows

    def _own(self, rows: Ratings, key: Key, cell: Cell) -> dict[Key, Outcome]:
        """One scorer's mean, in one cell."""
        made = HumanAgreement(cell.of(rows), self.suite, self.measure, cell).outcomes(("mean",))
        return {key: replace(made["mean"], how=Method(MethodCode.MEAN_OF_SCORER))}

    def raters(self, *, simulated: bool) -> list[Estimate]:
        """Each scorer against people: on this aspect, then by its score where the two can be compared."""
        people = self.people(simulated=simulated)
        names = select_statistics(self.measure.two_raters(), self.options.statistics)
        own = self._against(self.ratings, people, names, by_item=False)
        rows = self.rows(walk(people, self.suite, self.options, own), simulated=simulated)
        if self.scores is None:
            return rows
        allowed = OF_SCORES if self.measure.binary else OF_SCORES - {"auc"}
        by_score = self._against(self.scores, people, select_statistics(allowed, self.options.statistics), by_item=True)
        done = {(row.rater, row.statistic) for row in rows}
        met = (f for f in walk(people, self.suite, self.options, by_score) if (f.key.rater, f.key.statistic) not in done)
        return rows + self.rows(met, simulated=simulated, finer=self.measure.binary)

    def _against(self, scored: Ratings, people: Ratings, names: tuple[str, ...], *, by_item: bool) -> Compute:
        """Every scorer against people, in one cell."""
        suite, meeting, options = self.suite, ComparisonScale(self.measure, by_item), self.options
        scorers = [code for code in np.unique(scored.rater) if suite.raters[code].scorer]
        parts = [(suite.raters[code].name, scored.take(scored.rater == code)) for code in scorers]
        ways = {name: way for name in names if name != "mean" and (way := people_as(name, options.people_as))}

        def compute(cell: Cell) -> dict[Key, Outcome]:
            outcomes: dict[Key, Outcome] = {}
            mets: dict[str, MatchedRatings] = {}
            for rater, rows in parts:
                if not cell.of_generator(rows).size:
                    continue
                against = ScorerAgreement(cell.of(rows), cell.of(people), suite, meeting, cell, self.sides)
                mets[rater] = against.met
                for name in names:
                    if name in ways or name == "mean":
                        way = ways.get(name)
                        outcomes[Key(name, rater=rater, people_as=way)] = against.outcome(name, way)
            return leave_one_out.with_leave_one_out(outcomes, mets, suite, ways) if options.ceiling else outcomes

        return compute

    def matrix(self, *, simulated: bool) -> list[Estimate]:
        """Persons and scorers two by two."""
        rows = self._by(self.suite.raters_where(scorer=True) | self.suite.raters_where(person=True))
        if simulated and not self.suite.raters_where(simulated=True)[rows.rater].any():
            return []
        names = tuple(name for name in select_statistics(self.measure.two_raters(), self.options.statistics) if name != "mean")

        def compute(cell: Cell) -> dict[Key, Outcome]:
            return Matrix(cell.of(rows), self.suite, self.measure, cell).outcomes(names, simulated=simulated)

        return self.rows(walk(rows, self.suite, self.options, compute) if names else [], simulated=simulated)


CLASSES = ("unanimous", "majority", "split")
OTHER = "other_certainty"
CERTAINTY_STATISTICS = ("percent_agreement", "cohen_kappa", "gwet_ac1", "spearman", "auc")
_SINGLE = -1


@dataclass(frozen=True)
class Certainty:
    """Every unit that people rated, in order: its code, its item, and its place in CLASSES (-1: single)."""

    unit: IntArray
    item: IntArray
    place: IntArray

    def of(self, classes: tuple[str, ...]) -> BoolArray:
        """Mask over `unit`: those of these classes."""
        return np.isin(self.place, [CLASSES.index(name) for name in classes])


def classify(people: Ratings, measure: Measure) -> Certainty:
    """The class of each unit, from the ratings that count."""
    rows = people.take(people.valid)
    unit = compact(rows.unit)
    value = np.unique(rows.label if measure.labels else rows.number, return_inverse=True)[1]
    width = int(value.max(initial=0)) + 1
    key, count = np.unique(unit.codes * width + value, return_counts=True)
    n, most = np.bincount(unit.codes, minlength=unit.size), np.zeros(unit.size, np.int64)
    np.maximum.at(most, key // width, count)
    code = np.where(most == n, 0, np.where(2 * most > n, 1, 2))
    return Certainty(np.unique(rows.unit), first_of(unit, rows.item), np.where(n < 2, _SINGLE, code))


def select(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], classes: Sequence[str]) -> pd.DataFrame:
    """The rows of a long frame that are about units of these classes; all of them for no classes.

    A person's rating stays on the units of the real people's classes, a simulated one's on those of the simulated people's. A
    scorer's judgement stays on either. Its `score`, and an aspect that no person judged, is about the item: it stays
    where any rating of the item does. A statistic of what stays is the same with or without `classes`.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        classes: names of CLASSES.

    Raises:
        ValueError: for a frame without a column, an aspect without a scale, an unknown class.
    """
    unknown = sorted(set(classes) - set(CLASSES))
    if unknown:
        raise ValueError(f"unknown certainty {', '.join(unknown)}; known are {', '.join(CLASSES)}")
    if not classes or frame.empty:
        return frame
    frames = [table for suite in read(frame, scales) for table in _units(suite, tuple(classes))]
    units = pd.concat(frames) if frames else pd.DataFrame(columns=_UNIT)
    rows = pd.DataFrame({name: frame[name].astype(object) for name in (*_UNIT[:-1], "kind")})
    rows["target"] = rows["target"].where(rows["target"].notna(), "")
    rows["simulated"] = frame["simulated"].fillna(False).astype(bool)
    people = ~rows["kind"].isin(["scorer", "consensus"])
    about_item = (rows["aspect"] == SCORE) | ~_among(rows, rows[people], ("suite", "aspect"))
    by_others = _among(rows, units, _UNIT[:-1]) | (about_item & _among(rows, units, ("suite", "item")))
    return frame[_among(rows, units, _UNIT).where(people, by_others)]


_UNIT = ("suite", "aspect", "item", "target", "simulated")


def _units(suite: Suite, classes: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    """The units of these classes by name; no target is an empty text."""
    names = np.array([*suite.targets, ""], object)
    for aspect in suite.aspects:
        for simulated in (False, True):
            people = suite.raters_where(scorer=False, simulated=simulated)
            certainty = classify(aspect.ratings.take(people[aspect.ratings.rater]), aspect.measure)
            inside = certainty.of(classes)
            target = names[certainty.unit[inside] % names.size - 1]
            item = np.array(suite.items, object)[certainty.item[inside]]
            columns = (suite.name, aspect.name, item, target, simulated)
            yield pd.DataFrame(dict(zip(_UNIT, columns, strict=True)), index=range(item.size))


def _among(rows: pd.DataFrame, others: pd.DataFrame, names: Sequence[str]) -> pd.Series:
    """Whether each row has these cells in common with one of the others."""
    mine, theirs = (pd.MultiIndex.from_frame(table[list(names)]) for table in (rows, others))
    return pd.Series(mine.isin(theirs), rows.index)


def restrict(topic: ReportTopic, classes: tuple[str, ...], *, simulated: bool) -> ReportTopic:
    """The topic with every judgement on a unit outside these classes left out (`other_certainty`).

    A scorer's score is about an item: it stays where one of the item's units does.
    """
    certainty = classify(topic.people(simulated=simulated), topic.measure)
    inside = certainty.of(classes)
    reasons = topic.suite.reasons if OTHER in topic.suite.reasons else (*topic.suite.reasons, OTHER)
    reason = reasons.index(OTHER)
    ratings = _leave_out(topic.ratings, ~np.isin(topic.ratings.unit, certainty.unit[inside]), reason)
    scores = topic.scores
    if scores is not None:
        scores = _leave_out(scores, ~np.isin(scores.item, certainty.item[inside]), reason)
    return replace(topic, suite=replace(topic.suite, reasons=reasons), ratings=ratings, scores=scores)


def _leave_out(rows: Ratings, mask: BoolArray, reason: int) -> Ratings:
    return replace(rows, why=np.where(rows.valid & mask, reason, rows.why))


def by_certainty(topic: ReportTopic, *, simulated: bool) -> list[Estimate]:
    """Each scorer against people on the units of each class (of those the report is restricted to, if it is).

    Cells are all generators by each task, all tasks and their mean. Statistics default to `CERTAINTY_STATISTICS`.
    """
    options = replace(
        topic.options, each_generator=False, ceiling=False, statistics=topic.options.statistics or CERTAINTY_STATISTICS
    )
    made: list[Estimate] = []
    for name in topic.options.certainty or CLASSES:
        sides = Sides(nothing_shared=Reason(ReasonCode.NOTHING_OF_CLASS, certainty=name))
        part = restrict(replace(topic, options=options, sides=sides), (name,), simulated=simulated)
        made += [replace(row, certainty=name) for row in part.raters(simulated=simulated)]
    return made


@dataclass(frozen=True)
class AgreementReport:
    """Rows of the comparisons; the caller adds the selection they were made from. `by_certainty` is `raters` by class."""

    among_people: tuple[Estimate, ...]
    raters: tuple[Estimate, ...]
    matrix: tuple[Estimate, ...]
    by_certainty: tuple[Estimate, ...] = ()


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
    among: list[Estimate] = []
    raters: list[Estimate] = []
    matrix: list[Estimate] = []
    by_class: list[Estimate] = []
    for topic in read_topics(frame, scales, wanted):
        for simulated in (False, True):
            among += topic.among(simulated=simulated)
            raters += topic.raters(simulated=simulated)
            matrix += topic.matrix(simulated=simulated) if wanted.matrix else []
            by_class += by_certainty(topic, simulated=simulated) if wanted.by_certainty else []
    return AgreementReport(tuple(among), tuple(raters), tuple(matrix), tuple(by_class))


def scorer_means(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options | None = None) -> list[Estimate]:
    """Each scorer's own mean over all that it judged, whether people judged it or not.

    The rows are those of the report's `raters` (statistic `mean`), without people: their `people` is None.

    Args and errors: as `build`.
    """
    wanted = replace(options or Options(), statistics=("mean",))
    rows = [row for topic in read_topics(frame, scales, wanted) for row in topic.own()]
    return [replace(row, people="") for row in rows]
