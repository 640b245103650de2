"""Leave-one-out agreement: each person in turn is left out and compared with the other people, and so is the scorer.

A place is one rating on a unit that the scorer judged and people judged at least twice; the others are the unit's remaining
ratings. Identified persons: all places of one person give one number, and the numbers are averaged over persons. Slots, or
persons and slots together: all places are pooled. The scorer is put into the very same places, against the same others, so
that the two numbers differ in nothing but who judged (a scorer that meets all five people has a steadier opponent than a
person who meets four). Both are made in the resamples of the scorer's own number.

A value among the others counts as often as it stands there: work grows with the different values of a unit, not with the
pairs of its ratings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from agreement.catalogue import NUMBER_ALPHAS, PeopleAs
from agreement.inference.intervals import Deletions, Deviations
from agreement.numeric import BoolArray, FloatArray, IntArray, sums_by
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from agreement.report.human_human import DefinedMean
from agreement.report.scorer_human import MatchedRatings, pair_alpha
from agreement.statistics import correlation, two_raters
from agreement.statistics.correlation import Units
from agreement.study.cells import Key, Outcome, Used, compact, first_of, outcome, undefined
from agreement.study.frame import Suite

SIDES = PEOPLE, SCORER, DIFFERENCE, OTHERS = "people", "scorer", "difference", "others"
LEAST_PERSONS = 5
"""From so many identified persons on, these stand for other people as well."""
MOST_PERSONS = 10
"""More are left out in so many groups, which is as good and quicker."""
RESIDUAL_GROUPS = 10
"""With persons random, what prompts and persons have in common is known well enough from so many groups of prompts."""
NO_PLACE = Reason(ReasonCode.NO_PLACE)


@dataclass(frozen=True)
class Substitute:
    """Who sits in the places: a label and a number for each."""

    name: str
    label: IntArray
    number: FloatArray


@dataclass(frozen=True)
class RemainingRatings:
    """What the others of a place say: one row for each of their different values (`of`: a rating that has it)."""

    place: IntArray
    of: IntArray
    times: FloatArray

    def take(self, rows: BoolArray | IntArray) -> RemainingRatings:
        return RemainingRatings(self.place[rows], self.of[rows], self.times[rows])


def remaining_ratings(unit: IntArray, value: IntArray) -> RemainingRatings:
    """The others of every rating; `unit` and `value` are codes 0, 1, ... without gaps, of each rating."""
    key = unit * (int(value.max(initial=0)) + 1) + value
    _, of, inverse, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    per_unit = np.bincount(unit[of], minlength=int(unit.max(initial=-1)) + 1)
    starts = np.cumsum(per_unit) - per_unit
    width = per_unit[unit]
    place = np.repeat(np.arange(unit.size), width)
    entry = np.arange(place.size) - np.repeat(np.cumsum(width) - width, width) + starts[unit[place]]
    times = (count[entry] - (entry == inverse[place])).astype(float)
    return RemainingRatings(place, of[entry], times).take(times > 0)


class LeftOutRatings:
    """All places of one scorer, or of several that meet the same ratings of people."""

    def __init__(self, met: MatchedRatings, person: BoolArray) -> None:
        unit = compact(met.people.unit)
        self.several: BoolArray = np.bincount(unit.codes, minlength=unit.size)[unit.codes] >= 2
        self.met, self.rows = met, met.people.take(self.several)
        self.unit = compact(self.rows.unit)
        self.cluster = met.cluster[self.several]
        self.persons = bool(person[self.rows.rater].all()) if self.rows.size else False
        self.group = compact(self.rows.rater if self.persons else np.zeros(self.rows.size, np.int64))
        self.people = Substitute(PEOPLE, self.rows.label, self.rows.number)

    def occupant(self, name: str, met: MatchedRatings) -> Substitute:
        """A scorer in the places."""
        return Substitute(name, met.label[self.several], met.number[self.several])

    @cached_property
    def others(self) -> dict[PeopleAs, RemainingRatings]:
        """By the way in which people enter; their mean needs none."""
        value = np.unique(self.rows.label if self.met.measure.labels else self.rows.number, return_inverse=True)[1]
        each = remaining_ratings(self.unit.codes, value)
        count = np.bincount(self.unit.codes, minlength=self.unit.size)[self.unit.codes] - 1
        most = each.take(2 * each.times > count[each.place])
        return {"each": each, "majority": RemainingRatings(most.place, most.of, np.ones(most.place.size))}

    @cached_property
    def mean(self) -> FloatArray:
        """The mean of the others of each place, in units of the largest number and to 12 digits: equal means stay tied."""
        number, code = self.rows.number, self.unit.codes
        rest = np.bincount(code, number, self.unit.size)[code] - number
        count = np.bincount(code, minlength=self.unit.size)[code] - 1
        largest = float(np.abs(number).max(initial=0.0)) or 1.0
        return np.asarray(np.round(rest / count / largest, 12), dtype=np.float64)

    def weights(self, clusters: IntArray) -> FloatArray:
        """The resamples of some clusters, (resamples, clusters)."""
        everything = self.met.weights
        return everything if clusters.size == everything.shape[1] else self._turned[clusters].T

    @cached_property
    def _turned(self) -> FloatArray:
        """The weights by cluster, so that those of a person's few clusters stand together."""
        return np.ascontiguousarray(self.met.weights.T)

    def groups(self) -> Iterator[LeftOutGroup]:
        """The places of each person, or all of them."""
        order = np.argsort(self.group.codes, kind="stable")
        ends = np.cumsum(np.bincount(self.group.codes, minlength=self.group.size))[:-1]
        cut = {}
        for way, ratings in self.others.items():
            codes = self.group.codes[ratings.place]
            parts = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes, minlength=self.group.size))[:-1])
            cut[way] = [ratings.take(part) for part in parts]
        for code, mine in enumerate(np.split(order, ends) if self.rows.size else []):
            yield LeftOutGroup(self, mine, {way: parts[code] for way, parts in cut.items()})


class LeftOutGroup:
    """Some places, whose statistic is one number (and its replicates)."""

    def __init__(self, places: LeftOutRatings, mine: IntArray, others: Mapping[PeopleAs, RemainingRatings]) -> None:
        self._places, self._mine, self._others = places, mine, others
        cluster = compact(places.cluster[mine])
        self._units = Units(cluster.codes, cluster.size)
        self._weights = places.weights(np.unique(places.cluster[mine]))
        self._sums: dict[tuple[str, PeopleAs], two_raters.PairSums] = {}

    def used(self, way: PeopleAs) -> IntArray:
        """The units on which a place has something to be compared with."""
        place = self._mine if way == "mean" else self._others[way].place
        return np.unique(self._places.unit.codes[place])

    def values(self, statistic: str, way: PeopleAs, occupants: Sequence[Substitute]) -> FloatArray:
        """The statistic of each of `occupants` in these places against their others: (occupants, 1 + replicates).

        NaN where it is undefined.
        """
        if way == "mean":
            x, y = [who.number[self._mine] for who in occupants], self._places.mean[self._mine]
            if statistic in NUMBER_ALPHAS:
                y = y * (float(np.abs(self._places.rows.number).max(initial=0.0)) or 1.0)
                return np.stack([pair_alpha(statistic, of, y, self._units.cluster, self._weights)[0] for of in x])
            return correlation.with_last(
                cast(correlation.Correlation, statistic), np.stack([*x, y]), self._units, self._weights
            )
        return np.stack([self._against_each(statistic, way, who) for who in occupants])

    def _against_each(self, statistic: str, way: PeopleAs, who: Substitute) -> FloatArray:
        """Against ratings of the others, or their majority."""
        ratings = self._others[way]
        if not ratings.place.size:
            return np.full(len(self._weights), np.nan)
        cluster = self._units.cluster[np.searchsorted(self._mine, ratings.place)]
        if statistic == "auc":
            return self._auc(who.number[ratings.place], ratings, cluster)
        if statistic in NUMBER_ALPHAS:
            theirs = self._places.rows.number[ratings.of]
            return pair_alpha(statistic, who.number[ratings.place], theirs, cluster, self._weights, ratings.times)[0]
        if (who.name, way) not in self._sums:
            self._sums[who.name, way] = self._table(who.label[ratings.place], ratings, cluster)
        return two_raters.FORMULAS[statistic](self._sums[who.name, way])

    def _table(self, label: IntArray, ratings: RemainingRatings, cluster: IntArray) -> two_raters.PairSums:
        measure, others = self._places.met.measure, self._places.rows.label[ratings.of]
        return two_raters.PairSums.resampled(
            self._weights, label, others, cluster, measure.labels, ordinal=measure.ordinal, times=ratings.times
        )

    def _auc(self, score: FloatArray, ratings: RemainingRatings, cluster: IntArray) -> FloatArray:
        """Equal scores of one cluster are one unit with their answers added up: the same, faster."""
        level, code = np.unique(score, return_inverse=True)
        cell = compact(cluster * level.size + code)
        score_of_cell = np.zeros(cell.size)
        score_of_cell[cell.codes] = score
        labels = self._places.rows.label[ratings.of]
        yes, no = (sums_by(cell.codes, cell.size, ratings.times * (labels == k)) for k in (1, 0))
        return correlation.auc(score_of_cell, yes, no, Units(first_of(cell, cluster), self._units.clusters), self._weights)


class _Tally:
    """One statistic of people in the places, and beside it each scorer in those where both are defined."""

    def __init__(self, places: LeftOutRatings, statistic: str, way: PeopleAs, scorers: list[Substitute]) -> None:
        self._places, self._statistic, self._way, self._scorers = places, statistic, way, scorers
        size = len(places.met.weights)
        self._people = DefinedMean(size)
        self._pairs = [(DefinedMean(size), DefinedMean(size)) for _ in scorers]
        self._units = np.zeros(places.unit.size, bool)
        self._seen = False

    def add(self, group: LeftOutGroup) -> None:
        """One person's places, or all."""
        used = group.used(self._way)
        self._seen |= bool(used.size)
        own, *values = group.values(self._statistic, self._way, [self._places.people, *self._scorers])
        if np.isnan(own[0]):
            return
        self._people.add(own, ~np.isnan(own))
        self._units[used] = True
        for theirs, (scorer, people) in zip(values, self._pairs, strict=True):
            if not np.isnan(theirs[0]):
                known = ~np.isnan(own) & ~np.isnan(theirs)
                scorer.add(theirs, known)
                people.add(own, known)

    def outcomes(self) -> dict[Key, Outcome]:
        """Three for each scorer."""
        used, outcomes = self._used(), {}
        people = outcome(self._people.values(), self._reason(), used, self._how())
        for who, (scorer, own) in zip(self._scorers, self._pairs, strict=True):
            made = {PEOPLE: people}
            if people.value is None:
                made |= dict.fromkeys(
                    (SCORER, DIFFERENCE), undefined(Reason(ReasonCode.AMONG_PEOPLE, reason=people.reason), used)
                )
            else:
                reason, values = Reason(ReasonCode.SCORER_UNDEFINED), scorer.values()
                made[SCORER] = outcome(values, reason, used, Method(MethodCode.SAME_PLACES))
                less = Method(MethodCode.SAME_PLACES_LESS_PEOPLE)
                made[DIFFERENCE] = outcome(values - own.values(), reason, used, less)
            for side, each in made.items():
                outcomes[Key(self._statistic, rater=who.name, people_as=self._way, side=side)] = each
        return outcomes

    def differences(self) -> dict[Key, FloatArray]:
        """Each scorer's number less people's, with the replicates; NaN where it is undefined."""
        return {
            Key(self._statistic, rater=who.name, people_as=self._way, side=DIFFERENCE): scorer.values() - own.values()
            for who, (scorer, own) in zip(self._scorers, self._pairs, strict=True)
        }

    def _used(self) -> Used:
        rows = self._units[self._places.unit.codes]
        items, clusters = (np.unique(codes[rows]).size for codes in (self._places.rows.item, self._places.cluster))
        persons = self._places.group.size if self._places.persons else 0
        return Used(int(items), int(rows.sum()), int(clusters), persons=persons)

    def _reason(self) -> Reason:
        if not self._places.rows.size:
            return NO_PLACE
        if not self._seen:
            return Reason(ReasonCode.NO_MAJORITY_OF_OTHERS)
        return Reason(ReasonCode.ONE_LABEL_ON_A_SIDE, persons=self._places.persons)

    def _how(self) -> Method:
        if not self._places.persons:
            return Method(MethodCode.ONE_RATING_OUT, people_as=self._way)
        persons, defined = self._places.group.size, self._people.defined
        return Method(MethodCode.ONE_PERSON_OUT, people_as=self._way, persons=persons, defined=defined)


def _tallies(mets: Mapping[str, MatchedRatings], person: BoolArray, ways: Mapping[str, PeopleAs]) -> list[_Tally]:
    """One of each statistic, of scorers that meet the same ratings of people."""
    places = LeftOutRatings(next(iter(mets.values())), person)
    scorers = [places.occupant(name, met) for name, met in mets.items()]
    tallies = [_Tally(places, statistic, way, scorers) for statistic, way in ways.items()]
    for group in places.groups():
        for tally in tallies:
            tally.add(group)
    return tallies


def _with_other_people(
    made: Mapping[Key, Outcome], mets: Mapping[str, MatchedRatings], person: BoolArray, ways: Mapping[str, PeopleAs]
) -> dict[Key, Outcome]:
    """The differences as they vary with prompts and with persons, each of whom is left out in turn.

    Both variances are added, and the residual, which both hold, is taken off; t has min(persons, prompts) - 1 degrees of
    freedom.
    """
    met = next(iter(mets.values()))
    persons = np.unique(met.people.rater)
    if persons.size < LEAST_PERSONS or not person[persons].all() or len(met.weights) < 2:
        return {}
    groups = min(persons.size, MOST_PERSONS)
    # that of persons and the residual need no more prompts than that
    fewer = Deletions(wanted=True).weights(met.weights.shape[1], RESIDUAL_GROUPS)
    without: dict[Key, list[FloatArray]] = {}
    for left in (persons[:0], *(persons[group::groups] for group in range(groups))):
        rows = ~np.isin(met.people.rater, left)
        rest = {name: replace(matched, weights=fewer).take(rows) for name, matched in mets.items()}
        for tally in _tallies(rest, person, ways):
            for key, difference in tally.differences().items():
                without.setdefault(key, []).append(difference)
    outcomes = {}
    for key, values in without.items():
        mine = made[key]
        if mine.deviations is not None and mine.value is not None:
            # a group is named by its first person, who is the same in every task
            crossed = Deviations.crossed(np.stack(values), mine.used.clusters, persons[:groups], persons.size)
            # Satterthwaite's degrees of freedom are too many: .08 to .12 of studies found a difference where there is none
            freedom = min(groups, mine.used.clusters) - 1
            deviations = replace(mine.deviations, persons=crossed.persons, most_freedom=freedom)
            outcomes[replace(key, side=OTHERS)] = replace(mine, deviations=deviations)
    return outcomes


def with_leave_one_out(
    outcomes: Mapping[Key, Outcome], mets: Mapping[str, MatchedRatings], suite: Suite, ways: Mapping[str, PeopleAs]
) -> dict[Key, Outcome]:
    """`outcomes` with more outcomes after each of a scorer's own: people's, the scorer's in the same places, the difference,
    and from `LEAST_PERSONS` identified persons on the difference as it varies with other people.

    Args:
        outcomes: scorers against people in one cell.
        mets: what each scorer met there, by its name.
        suite: whose raters these are.
        ways: how people enter each statistic for which this is wanted.
    """
    alike: dict[tuple[bytes, bytes], list[str]] = {}
    for name, met in mets.items():
        alike.setdefault((met.people.unit.tobytes(), met.people.rater.tobytes()), []).append(name)
    made: dict[Key, Outcome] = {}
    person = suite.raters_where(person=True)
    for names in alike.values():
        together = {name: mets[name] for name in names}
        for tally in _tallies(together, person, ways):
            made |= tally.outcomes()
        made |= _with_other_people(made, together, person, ways)
    ordered: dict[Key, Outcome] = {}
    for key, own in outcomes.items():
        sides = (replace(key, side=side) for side in SIDES)
        ordered |= {key: own} | {side: made[side] for side in sides if side in made}
    return ordered
