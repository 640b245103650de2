"""Ranking: does a scorer choose the better image of a prompt, does it order the generators, and how well do people do that?

Rows for each generator and all by each task and all. People's own level stands beside each scorer's number as its ceiling: each
person in turn (or each rating, of people without names) takes the scorer's place and is compared with each other person, one at
a time, on the images that both rated, by the same statistic with the same calibration of ties, and so is the scorer. Compared
with the mean of several others, which has few ties, a person's few levels would do the worse the more people there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

import numpy as np
import pandas as pd

from agreement.estimate import Ceiling, CeilingVerdict
from agreement.generators import GeneratorDifference, compare_generators, leader, rank_sets
from agreement.inference.intervals import CONTRAST, SHARE, Deletions, Deviations, Interval, ValueRange, resamples
from agreement.meta.generator_order import (
    FLIPS,
    RESAMPLES,
    PairedDifferences,
    by_lot,
    drawn_one_sided,
    kendall,
    one_sided,
    same_order,
    sign_matrix,
    soft_accuracy,
    spread_noise,
)
from agreement.meta.image_order import Calibrated, ImagePairs, calibrated
from agreement.meta.units import Finding, PeopleRatings, RatedUnits, ScorerValues, UnitCell, cells, numbers
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, sums_by
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, Remark, RemarkCode, joined
from agreement.report.ceiling import FINER, CeilingTest, read_ceiling, with_verdicts
from agreement.report.leave_one_out import DIFFERENCE, PEOPLE, SCORER
from agreement.study.cells import ALL, Options, Outcome, Used, compact, interval, undefined

PAIRWISE, SOFT = "pairwise_accuracy", "soft_pairwise_accuracy"
GENERATORS, KENDALL, RANK = "generator_pairwise_accuracy", "generator_kendall_tau_b", "rank"
ORDERED: Final = Remark(RemarkCode.BETTER_THAN_RANDOM)
BY_LOT: Final = 0.05
SETTLED: Final = 0.025
FEWEST_DRAWN: Final = 15
"""Of fewer prompts drawn p are too narrow: of 10 they cover .88 where a scorer opposes people, of 15 .96 (by simulation)."""
NO_ORDER: Final = Reason(ReasonCode.LABELS_WITHOUT_ORDER)
_PARTNERS: Final = 20
"""So many others a rating is compared with at most, where more than 21 people rated an image."""
_PAIRS: Final = 200
"""So many pairs of people order the generators at most: those with the most images in common."""
TIES_DO: Final = Reason(ReasonCode.TIES_DO_AS_WELL)
"""A single rating has few levels, so most pairs are tied, and calling every pair equal does as well."""
_NO_PAIRS: Final = Reason(ReasonCode.NO_PROMPT_WITH_TWO_IMAGES)
_NO_PAIR_OF_GENERATORS: Final = Reason(ReasonCode.NO_PAIR_OF_GENERATORS)
_NO_VERDICT: Final = Reason(ReasonCode.FEW_GENERATORS)
_ALL_TIED: Final = Reason(ReasonCode.ONE_MEAN_OF_ALL)


@dataclass(frozen=True, kw_only=True)
class Ranking(Finding):
    """A scorer's, or without one people's own, number.

    Attributes:
        value: of `rank` the place by the mean, 1 is best.
        epsilon: values that are at most so far apart are tied, in the units of the rater (on people's scale: in levels);
            chosen on all prompts, for use on others.
        rank_low, rank_high: the rank set, 1 + how many are significantly better to K less how many are worse.
        p: how likely a random order of the generators has as many pairs right.
        verdict: ORDERED where that is below .05, else None with `verdict_reason`.
        pairs, pairs_apart: pairs of generators, and how many of them people tell apart (Holm).
        ceiling: people's own level in the scorer's place.
    """

    epsilon: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    p: float | None = None
    verdict: Remark | None = None
    verdict_reason: Reason | None = None
    pairs: int | None = None
    pairs_apart: int | None = None
    ceiling: Ceiling | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain types; the two accuracies by their own names, too."""
        row = super().to_dict()
        own = {name: self.value if self.statistic == name else None for name in (PAIRWISE, SOFT)}
        ceiling = asdict(self.ceiling) | asdict(self.ceiling.verdict) if self.ceiling else None
        return row | own | {"excluded": dict(self.excluded), "ceiling": ceiling}


def ranking(units: RatedUnits, options: Options | None = None, *, epsilon: float | None = None) -> Iterator[Ranking]:
    """All rows of an aspect: people's own first, then each scorer's; `epsilon`: given, not chosen."""
    images = by_image(units)
    wanted = options or Options()
    rows: list[Ranking] = []
    tests: dict[int, CeilingTest] = {}
    for cell in cells(images, each_generator=wanted.each_generator):
        for row, test in _RankedCell(images, cell, wanted, epsilon).rows():
            if test is not None:
                tests[len(rows)] = test
            rows.append(row)
    ceilings = with_verdicts(tests, lambda k: (rows[k].generator, rows[k].statistic))
    yield from (replace(row, ceiling=ceilings.get(k, row.ceiling)) for k, row in enumerate(rows))


def by_image(units: RatedUnits) -> RatedUnits:
    """Where an aspect is about several targets of an image: each rater's mean over them."""
    items, image = np.unique(np.array(units.items, object), return_inverse=True)
    if items.size == units.size:
        return units
    people, size = units.people, items.size
    key, cell = np.unique(image[people.unit] * len(people.persons) + people.person, return_inverse=True)
    value = ratio(sums_by(cell, key.size, people.value), np.bincount(cell, minlength=key.size).astype(float))
    unit, person = key // len(people.persons), key % len(people.persons)
    raters = np.bincount(unit, minlength=size)
    none = np.full(key.size, -1)
    first = np.unique(image, return_index=True)[1]
    return replace(
        units,
        items=tuple(items),
        prompt=units.prompt[first],
        task=units.task[first],
        generator=units.generator[first],
        people=PeopleRatings(unit, person, none, value, people.persons, people.identified),
        mean=ratio(sums_by(unit, size, value), raters.astype(float)),
        raters=raters,
        scorers={name: _over_targets(each, image, size) for name, each in units.scorers.items()},
    )


def _over_targets(scorer: ScorerValues, image: IntArray, size: int) -> ScorerValues:
    known = np.isfinite(scorer.value)
    total, count = (sums_by(image[known], size, each[known]) for each in (scorer.value, np.ones(image.size)))
    return replace(scorer, value=ratio(total, count), label=np.full(size, -1))


def _present(codes: IntArray) -> list[int]:
    return [int(code) for code in np.unique(codes) if code >= 0]


@dataclass(frozen=True)
class _Sides:
    """Two sides' values of the same images: what people say, and who is compared with them.

    Attributes:
        image: (rows,) index into the images; one may stand in several rows.
        seat: code of the pair of who is in the scorer's place and who is compared with them; 0 for people's mean.
    """

    image: IntArray
    seat: IntArray
    people: FloatArray
    rater: FloatArray

    def take(self, rows: BoolArray) -> _Sides:
        return _Sides(*(getattr(self, each.name)[rows] for each in fields(self)))

    @property
    def key(self) -> bytes:
        """The same for the same values of the same images: people's own are compared once, not beside every scorer."""
        return _digest(self.image, self.seat, self.people, self.rater)


def _digest(*columns: FloatArray | IntArray | BoolArray) -> bytes:
    return blake2b(b"".join(np.ascontiguousarray(each).tobytes() for each in columns), digest_size=16).digest()


@dataclass(frozen=True)
class _SideOrder:
    """One side's order of every two generators: its signs in resamples, its p, and p drawn; None where none are drawn."""

    signs: FloatArray
    p: FloatArray
    drawn: FloatArray | None


@dataclass(frozen=True)
class _Order:
    """What two sides' orders of the generators have in common.

    `values`: by statistic, each followed by its resamples; `by_lot`: p by lot.

    `settled`: both sides tell every two generators apart, each p is within SETTLED of 0 or 1.
    """

    values: dict[str, FloatArray]
    settled: bool
    by_lot: float | None
    pairs: int


@dataclass(frozen=True)
class _RankedCell:
    """One generator or all, one task or all."""

    images: RatedUnits
    cell: UnitCell
    options: Options
    epsilon: float | None
    _compared: dict[bytes, Sequence[GeneratorDifference]] = field(default_factory=dict)
    _orders_made: dict[bytes, _Order | None] = field(default_factory=dict)
    _sides_made: dict[tuple[bytes, int], _SideOrder] = field(default_factory=dict)
    _noises: dict[int, FloatArray] = field(default_factory=dict)
    _calibrations: dict[tuple[bytes, float], Calibrated | None] = field(default_factory=dict)

    def rows(self) -> Iterator[tuple[Ranking, CeilingTest | None]]:
        """Rows, and of those that say where a scorer stands the test that will."""
        mean = self._sides(self.images.mean)
        names = (None, *self.images.scorers)
        if not self.images.numeric:
            yield from ((self._row(name, PAIRWISE, undefined(NO_ORDER, _NOTHING)), None) for name in names)
            return
        for name in names:
            scorer = self.images.scorers[name] if name else None
            sides = mean if scorer is None else self._sides(scorer.value)
            seats = self.seats
            if scorer is not None:
                seats = seats.take(np.isfinite(scorer.value[seats.image]))
            if scorer is not None and not sides.image.size:
                continue
            yield self._pairwise(scorer, sides, seats)
            if self.cell.generator == ALL and len(_present(self.images.generator[self.cell.inside])) > 1:
                yield from ((row, None) for row in self._orders(scorer, sides, seats))

    @cached_property
    def prompts(self) -> IntArray:
        """(images,): codes of the cell's prompts, -1 outside."""
        codes = np.full(self.images.size, -1)
        codes[self.cell.inside] = compact(self.images.prompt[self.cell.inside]).codes
        return codes

    @cached_property
    def size(self) -> int:
        """How many prompts."""
        return int(self.prompts.max()) + 1

    @cached_property
    def deletions(self) -> Deletions:
        return Deletions(self.options.intervals, self.options.seed, "ranking")

    @cached_property
    def seats(self) -> _Sides:
        """Each rating of images with two or more, beside each other one."""
        people = self.images.people
        order = np.lexsort((people.person, people.unit))
        order = order[self.cell.inside[people.unit[order]]]
        image, person, value = people.unit[order], people.person[order], people.value[order]
        _, first, count = np.unique(image, return_index=True, return_counts=True)
        start, size = np.repeat(first, count), np.repeat(count, count)
        rows, others = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for distance in range(1, min(int(size.max(initial=1)), _PARTNERS + 1)):
            own = np.flatnonzero(size > distance)
            rows.append(own)
            others.append(start[own] + (own - start[own] + distance) % size[own])
        row, other = np.concatenate(rows), np.concatenate(others)
        return _Sides(image[row], person[row] * len(people.persons) + person[other], value[other], value[row])

    def _sides(self, values: FloatArray) -> _Sides:
        image = np.flatnonzero(self.cell.inside & np.isfinite(values) & np.isfinite(self.images.mean))
        return _Sides(image, np.zeros(image.size, np.int64), self.images.mean[image], values[image])

    # the better image of a prompt

    def _pairwise(self, scorer: ScorerValues | None, sides: _Sides, seats: _Sides) -> tuple[Ranking, CeilingTest | None]:
        span = self.images.high - self.images.low
        people = self._calibrated(seats, span)
        outcome, test, made, unit = self._outcome(people, seats, seated=True), None, people, span
        if scorer is not None:
            unit = span if scorer.on_scale else 1.0
            seated = self._calibrated(replace(seats, rater=scorer.value[seats.image]), unit)
            own = self._outcome(seated, seats, seated=True)
            only_below = FINER if self.images.binary and not scorer.on_scale else None
            if only_below is None and not self._above_ties(own, seats):
                only_below = TIES_DO
            test = self._ceiling({PEOPLE: outcome, SCORER: own}, SHARE, scorer, only_below)
            made = self._calibrated(sides, unit)
            outcome = self._outcome(made, sides, seated=False)
        return self._row(scorer, PAIRWISE, outcome, epsilon=made.epsilon * unit if made else None), test

    def _calibrated(self, sides: _Sides, unit: float) -> Calibrated | None:
        """`unit`: what a given epsilon is in units of."""
        key = sides.key, unit
        if key not in self._calibrations:
            self._calibrations[key] = self._calibrate(sides, unit)
        return self._calibrations[key]

    def _calibrate(self, sides: _Sides, unit: float) -> Calibrated | None:
        prompt = self.prompts[sides.image]
        group = prompt * (int(sides.seat.max(initial=0)) + 1) + sides.seat
        pairs = ImagePairs.of(group, prompt, sides.people, sides.rater, self.size)
        epsilon = None if self.epsilon is None else self.epsilon / unit
        return calibrated(pairs, self.deletions, epsilon) if pairs.prompt.size else None

    def _above_ties(self, own: Outcome, seats: _Sides) -> bool:
        """Return True if a scorer's number is clearly above that of calling every two images equally good."""
        nothing = replace(self, epsilon=math.inf)
        ties = nothing._outcome(nothing._calibrated(replace(seats, rater=np.zeros(seats.image.size)), 1.0), seats, seated=True)
        if own.value is None or ties.value is None or own.deviations is None or ties.deviations is None:
            return False
        apart = Outcome(own.value - ties.value, None, own.deviations - ties.deviations, own.used, own.how)
        bounds, _ = interval(apart, CONTRAST)
        return bounds.low is not None and bounds.low > 0

    def _outcome(self, made: Calibrated | None, sides: _Sides, *, seated: bool) -> Outcome:
        if made is None:
            return undefined(_NO_PAIRS, self._used(sides, np.zeros(0, np.int64)))
        n = made.prompts.size
        epsilon = "given" if self.epsilon is not None else "of_others" if n > 1 else "0"
        how = Method(MethodCode.PAIRS_IN_RIGHT_ORDER, epsilon=epsilon, seat=self._seat if seated else "")
        deviations = Deviations.of(made.values, n) if made.values.size > 1 else None
        return Outcome(float(made.values[0]), None, deviations, self._used(sides, made.prompts), how)

    # the order of generators

    def _orders(self, scorer: ScorerValues | None, sides: _Sides, seats: _Sides) -> Iterator[Ranking]:
        people = self._order(seats)
        seated = None if scorer is None else self._order(replace(seats, rater=scorer.value[seats.image]))
        made = people if scorer is None else self._order(sides)
        rated = seats if scorer is None else sides
        used = self._used(rated, np.unique(self.prompts[rated.image]))
        ratings = {name: sides.people if name == PEOPLE else sides.rater for name in (PEOPLE, SCORER)}
        sets = {name: self._differences(sides, values) for name, values in ratings.items()}
        apart = sum(each.significant for each in sets[PEOPLE])
        seat = self._seat if scorer is None else ""
        for statistic in (GENERATORS, KENDALL, SOFT):
            outcomes = [self._order_outcome(statistic, each, used, seat) for each in (made, people, seated)]
            row = self._row(scorer, statistic, outcomes[0], resampled=_resampled(statistic, made))
            if made is not None:
                row = replace(row, pairs=made.pairs, pairs_apart=apart)
                if statistic != SOFT and scorer is not None:
                    row = replace(row, **_beside_lot(made, self._generators(sides)))
            if scorer is not None:
                row = replace(row, ceiling=self._without_verdict(outcomes[1], outcomes[2], _resampled(statistic, people)))
            yield row
        yield from self._ranks(scorer, sides, sets[PEOPLE if scorer is None else SCORER])

    def _generators(self, sides: _Sides) -> int:
        return len(_present(self.images.generator[sides.image]))

    def _order(self, sides: _Sides) -> _Order | None:
        """Return both sides' numbers; of seats the mean over those that have an order. Made once for the same numbers."""
        key = sides.key
        if key not in self._orders_made:
            self._orders_made[key] = self._mean_order(sides)
        return self._orders_made[key]

    def _mean_order(self, sides: _Sides) -> _Order | None:
        rated = np.unique(self.prompts[sides.image]).size
        drawn = self.deletions.wanted and rated >= FEWEST_DRAWN
        noise = self._noise(rated) if drawn else None
        names, counts = np.unique(sides.seat, return_counts=True)
        most = names[np.argsort(-counts, kind="stable")[:_PAIRS]]
        every = [self._order_of(sides.take(sides.seat == seat), noise, rated) for seat in np.sort(most)]
        made = [each for each in every if each is not None]
        if not made:
            return None
        values = {name: np.mean([each.values[name] for each in made], axis=0) for name in made[0].values}
        chance = made[0].by_lot if len(made) == 1 else None
        return _Order(values, all(each.settled for each in made), chance, max(each.pairs for each in made))

    def _order_of(self, sides: _Sides, noise: FloatArray | None, rated: int) -> _Order | None:
        """Return the numbers of one pair of sides; `rated`: the prompts that `noise` is for."""
        prompt, generator = self.prompts[sides.image], self.images.generator[sides.image]
        apart = PairedDifferences.of(prompt, generator, sides.people, sides.rater, self.size)
        if not apart.size:
            return None
        people, rater = (self._side_order(apart, side, noise, rated) for side in (apart.people, apart.rater))
        signs = people.signs, rater.signs
        own = [each[0] for each in signs]
        p = np.array([people.p, rater.p])
        soft = soft_accuracy(*p)[None]
        if people.drawn is not None and rater.drawn is not None:
            soft = np.concatenate([soft, soft_accuracy(people.drawn, rater.drawn)])
        values = {GENERATORS: same_order(*signs), KENDALL: kendall(*signs), SOFT: soft}
        return _Order(values, bool((np.minimum(p, 1 - p) < SETTLED).all()), by_lot(apart, *own), apart.size)

    def _side_order(self, apart: PairedDifferences, side: FloatArray, noise: FloatArray | None, rated: int) -> _SideOrder:
        key = _digest(side, apart.shared), 0 if noise is None else rated
        if key not in self._sides_made:
            weights = self._resamples if self.deletions.wanted else np.ones((1, self.size))
            drawn = None if noise is None else drawn_one_sided(side, noise)
            self._sides_made[key] = _SideOrder(apart.signs_of(side, weights), one_sided(side, self._signs), drawn)
        return self._sides_made[key]

    def _noise(self, rated: int) -> FloatArray:
        if rated not in self._noises:
            self._noises[rated] = spread_noise(self.size, rated, self.deletions)
        return self._noises[rated]

    @cached_property
    def _resamples(self) -> FloatArray:
        return resamples(self.size, RESAMPLES, self.deletions.generator())

    @cached_property
    def _signs(self) -> FloatArray:
        return sign_matrix(self.size)

    def _order_outcome(self, statistic: str, made: _Order | None, used: Used, seat: str) -> Outcome:
        if made is None:
            return undefined(_NO_PAIR_OF_GENERATORS, used)
        value = made.values[statistic][0]
        code = {
            GENERATORS: MethodCode.GENERATORS_IN_SAME_ORDER,
            KENDALL: MethodCode.TAU_OF_GENERATORS,
            SOFT: MethodCode.SOFT_ACCURACY_OF_GENERATORS,
        }[statistic]
        if np.isnan(value):
            return undefined(_ALL_TIED, used, Method(code, seat=""))
        return Outcome(float(value), None, None, used, Method(code, seat=seat))

    def _differences(self, sides: _Sides, values: FloatArray) -> Sequence[GeneratorDifference]:
        """Compare every two generators by one side's values of each image; made once for the same numbers."""
        key = sides.image.tobytes() + values.tobytes()
        if key not in self._compared:
            names = np.array([*self.images.generators, None], object)[self.images.generator[sides.image]]
            table = {"prompt": self.prompts[sides.image], "generator": names, "item": sides.image, "value": values}
            self._compared[key] = compare_generators(pd.DataFrame(table))
        return self._compared[key]

    def _ranks(
        self, scorer: ScorerValues | None, sides: _Sides, differences: Sequence[GeneratorDifference]
    ) -> Iterator[Ranking]:
        values = sides.people if scorer is None else sides.rater
        generator = self.images.generator[sides.image]
        sets = rank_sets(list(differences), leader(differences, len(_present(generator))))
        mean = {self.images.generators[code]: values[generator == code].mean() for code in _present(generator)}
        for name, ranks in sets.items():
            own = sides.take(generator == self.images.generators.index(name))
            better = sum(round(other, 12) > round(mean[name], 12) for other in mean.values())
            outcome = Outcome(float(1 + better), None, None, self._used(own, np.unique(self.prompts[own.image])), _RANK)
            row = self._row(scorer, RANK, outcome, generator=name)
            yield replace(row, rank_low=ranks.best, rank_high=ranks.worst)

    # rows

    @cached_property
    def _seat(self) -> str:
        """Return who takes the scorer's place: a person or a rating."""
        people = self.images.people
        return "person" if people.identified[np.unique(self.seats.seat) // len(people.persons)].all() else "rating"

    def _used(self, sides: _Sides, prompts: IntArray) -> Used:
        image = np.unique(sides.image[np.isin(self.prompts[sides.image], prompts)])
        return Used(int(image.size), int(self.images.raters[image].sum()), int(prompts.size), {}, 0)

    def _ceiling(
        self, sides: dict[str, Outcome], kind: ValueRange, scorer: ScorerValues, only_below: Reason | None
    ) -> CeilingTest:
        people, own = sides[PEOPLE], sides[SCORER]
        value = None if people.value is None or own.value is None else own.value - people.value
        known = people.deviations is not None and own.deviations is not None
        apart = own.deviations - people.deviations if known else None  # type: ignore[operator]
        sides |= {DIFFERENCE: Outcome(value, people.reason or own.reason, apart, own.used, own.how)}
        return read_ceiling(
            sides,
            kind,
            self.options,
            by_prompt=self.images.by_prompt,
            only_below=only_below,
            saw_labels=scorer.saw_labels,
        )

    def _without_verdict(self, people: Outcome, own: Outcome, resampled: Interval | None) -> Ceiling:
        """People's level beside an order of generators."""
        bounds, method = self._interval(people, resampled)
        apart = None if people.value is None or own.value is None else own.value - people.value
        verdict = CeilingVerdict(verdict_reason=_NO_VERDICT, scorer=own.value, difference=apart)
        used = people.used
        return Ceiling(people.value, bounds.low, bounds.high, used.items, used.ratings, people.reason, method, verdict)

    def _interval(self, outcome: Outcome, resampled: Interval | None) -> tuple[Interval, Method]:
        """The interval, from resamples or else the jackknife's, and `method`."""
        if resampled is None or outcome.value is None or not self.options.intervals:
            return interval(outcome, SHARE, by_prompt=self.images.by_prompt)
        return resampled, joined(outcome.how, resampled.method, resampled.reason)

    def _row(
        self,
        scorer: ScorerValues | str | None,
        statistic: str,
        outcome: Outcome,
        *,
        generator: str | None = None,
        resampled: Interval | None = None,
        **more: Any,
    ) -> Ranking:
        images = self.images
        bounds, method = self._interval(outcome, resampled)
        return Ranking(
            **images.about,
            **numbers(outcome, bounds.low, bounds.high, method),
            task=self.cell.task,
            generator=generator or self.cell.generator,
            statistic=statistic,
            scorer=scorer.name if isinstance(scorer, ScorerValues) else scorer,
            **more,
        )


_NOTHING: Final = Used(0, 0, 0)
_RANK: Final = Method(MethodCode.RANK_SET)


def _resampled(statistic: str, made: _Order | None) -> Interval | None:
    """The percentile interval of values followed by their resamples."""
    if made is None:
        return None
    values = made.values[statistic]
    known = values[1:][np.isfinite(values[1:])]
    if statistic == SOFT and not known.size:
        return Interval.none(ReasonCode.TOO_FEW_PROMPTS, needed=FEWEST_DRAWN)
    if not known.size:
        return Interval.none(ReasonCode.UNDEFINED_IN_RESAMPLES)
    low, high = np.quantile(known, [0.025, 0.975])
    if statistic == SOFT:
        if made.settled:
            return Interval.none(ReasonCode.SETTLED, p=SETTLED)
        if high - low < 1 / FLIPS:
            return Interval.none(ReasonCode.SAME_IN_DRAWS, flips=FLIPS)
        method = Method(MethodCode.PERCENTILES_OF_DRAWS)
        return Interval(float(min(low, values[0])), float(max(high, values[0])), method)
    if low == high:
        return Interval.none(ReasonCode.SAME_IN_RESAMPLES)
    return Interval(float(low), float(high), Method(MethodCode.PERCENTILE_BOOTSTRAP))


def _beside_lot(made: _Order, generators: int) -> dict[str, Any]:
    """Whether so few generators decide anything."""
    if made.by_lot is None:
        return {"verdict_reason": Reason(ReasonCode.NOT_EVERY_TWO_SHARE)}
    if made.by_lot < BY_LOT:
        return {"p": made.by_lot, "verdict": ORDERED}
    if 1 / math.factorial(generators) >= BY_LOT:
        right = 1 / math.factorial(generators)
        few = Reason(ReasonCode.GENERATORS_DECIDE_NOTHING, generators=generators, probability=right)
        return {"p": made.by_lot, "verdict_reason": few}
    return {"p": made.by_lot, "verdict_reason": Reason(ReasonCode.RANDOM_AS_GOOD, probability=made.by_lot)}
