"""The alternative annotator test: may a scorer take the place of a person? (Calderon, Reichart and Dror 2025, arXiv 2501.10970)

Each person j in turn is left out. On each unit that j, another person and the scorer rated, the scorer f and j are compared by
how near they are to the others: the share of them that say the same (labels), or less the mean squared difference (numbers).

    W_f = 1 where f is at least as near as j, W_h = 1 where j is at least as near as f, d = W_h - W_f
    H0: mean d >= epsilon, against mean d < epsilon, by a one-sided t test

The units of one prompt are alike, so prompts are left out one by one for the standard error (with one unit a prompt it is the
ordinary one). Without variance: the exact sign test. p is corrected over persons (Benjamini and Yekutieli 2001) at .05. The
winning rate is the share of persons that are won against; at least .5 passes. The advantage probability is the mean over
persons of the mean W_f.

Epsilon is what a person costs more: .2 for experts, .15 for skilled people, .1 for a crowd.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from agreement.inference.intervals import SHARE, Deletions, Deviations
from agreement.meta.units import Finding, RatedUnits, ScorerValues, cells, numbers
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, sums_by
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.report.ceiling import SAW_LABELS
from agreement.study.cells import Options, Outcome, Used, compact, interval, undefined

WINNING_RATE, ADVANTAGE = "winning_rate", "advantage"
LEAST_PERSONS, LEAST_PROMPTS = 3, 30
LEVEL, PASSES = 0.05, 0.5
EPSILON: Final = 0.1
"""The strictest of the three."""
SLOTS: Final = Reason(ReasonCode.SLOTS_CANNOT_BE_LEFT_OUT)
OWN_SCALE: Final = Reason(ReasonCode.NOT_ON_SCALE_OF_PEOPLE)
_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class PersonTest:
    """A scorer against one person, both compared with the other people.

    Attributes:
        advantage: mean W_f; `disadvantage`: mean W_h.
        t: of mean d less epsilon; None without variance.
        p: one-sided; `p_corrected`: by Benjamini and Yekutieli over persons.
        won: whether the scorer is told to be at least as near as the person, less epsilon.
    """

    person: str
    n_prompts: int
    n_units: int
    advantage: float
    disadvantage: float
    t: float | None
    p: float
    p_corrected: float = 1.0

    @property
    def won(self) -> bool:
        return self.p_corrected <= LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return asdict(self) | {"won": self.won}


@dataclass(frozen=True, kw_only=True)
class AlternativeAnnotator(Finding):
    """A row: `winning_rate` or `advantage` of a scorer.

    Attributes:
        winning_rate, advantage: both, in either row.
        epsilon: of the test.
        p: the smallest level at which the test passes: half of the persons have a corrected p as low.
        passes: None where it is refused, with `reason`.
        on_scale: whether the scorer gives people's aspect itself, not a score of its own.
        persons: each person's test.
    """

    winning_rate: float | None = None
    advantage: float | None = None
    epsilon: float = EPSILON
    p: float | None = None
    passes: bool | None = None
    on_scale: bool = True
    persons: tuple[PersonTest, ...] = ()

    @property
    def persons_won(self) -> int:
        """The number of persons whom the scorer wins against."""
        return sum(each.won for each in self.persons)

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return super().to_dict() | {"persons": [each.to_dict() for each in self.persons]}


def alternative_annotator(
    units: RatedUnits, options: Options | None = None, *, epsilon: float = EPSILON
) -> Iterator[AlternativeAnnotator]:
    """Two rows for each scorer, each generator and all, and each task and all."""
    wanted = options or Options()
    for cell in cells(units, each_generator=wanted.each_generator):
        for scorer in units.scorers.values():
            if (cell.inside & np.isfinite(scorer.value) | cell.inside & (scorer.label >= 0)).any():
                yield from _Test(units, scorer, cell.inside, epsilon, wanted).rows(cell.task, cell.generator)


@dataclass(frozen=True)
class _Comparisons:
    """Of each rating of a person: who is nearer to the other people. `d` is W_h - W_f."""

    unit: IntArray
    person: IntArray
    scorer_wins: BoolArray
    person_wins: BoolArray

    @property
    def d(self) -> FloatArray:
        return self.person_wins.astype(float) - self.scorer_wins


def comparisons(units: RatedUnits, scorer: ScorerValues, inside: BoolArray) -> _Comparisons:
    """On the units of a mask that a person, another one and the scorer rated."""
    people = units.people
    rated = inside[people.unit] & people.identified[people.person]
    by_label = not units.numeric or units.binary
    rated &= (people.label >= 0) & (scorer.label[people.unit] >= 0) if by_label else np.isfinite(scorer.value[people.unit])
    count = np.bincount(people.unit[rated], minlength=units.size)
    rated &= count[people.unit] > 1
    unit, person = people.unit[rated], people.person[rated]
    others = (count[unit] - 1).astype(float)
    if by_label:
        labels = int(max(people.label.max(initial=0), scorer.label.max(initial=0))) + 1
        chosen = sums_by(unit * labels + people.label[rated], units.size * labels, np.ones(unit.size))
        of_scorer = chosen[unit * labels + scorer.label[unit]] - (scorer.label[unit] == people.label[rated])
        of_person = chosen[unit * labels + people.label[rated]] - 1.0
    else:
        own, theirs = people.value[rated], scorer.value[unit]
        largest = max(float(np.abs(own).max(initial=0.0)), float(np.abs(theirs).max(initial=0.0))) or 1.0
        own, theirs = own / largest, theirs / largest
        rest = (sums_by(unit, units.size, own)[unit] - own) / others
        # the others' own spread is the same for both
        of_scorer, of_person = -((theirs - rest) ** 2), -((own - rest) ** 2)
    apart = np.round(of_scorer - of_person, 12)
    return _Comparisons(unit, person, apart >= 0, apart <= 0)


@dataclass(frozen=True)
class _Test:
    units: RatedUnits
    scorer: ScorerValues
    inside: BoolArray
    epsilon: float
    options: Options

    def rows(self, task: str, generator: str) -> Iterator[AlternativeAnnotator]:
        made = comparisons(self.units, self.scorer, self.inside)
        persons = corrected(list(self._persons(made)))
        reason = self._refusal(persons, made)
        if reason:
            used = self._used(made.unit, {})
            outcomes = dict.fromkeys((WINNING_RATE, ADVANTAGE), undefined(reason, used))
            persons = []
        else:
            outcomes = self._outcomes(made, persons)
        rate, advantage = (outcomes[name].value for name in (WINNING_RATE, ADVANTAGE))
        for statistic, each in outcomes.items():
            bounds, method = interval(each, SHARE, by_prompt=self.units.by_prompt)
            yield AlternativeAnnotator(
                **self.units.about,
                **numbers(each, bounds.low, bounds.high, method),
                task=task,
                generator=generator,
                statistic=statistic,
                scorer=self.scorer.name,
                winning_rate=rate,
                advantage=advantage,
                epsilon=self.epsilon,
                p=passing_level([each.p_corrected for each in persons]),
                passes=None if rate is None else rate >= PASSES,
                on_scale=self.scorer.on_scale,
                persons=tuple(persons),
            )

    def _persons(self, made: _Comparisons) -> Iterator[PersonTest]:
        """Those with enough prompts."""
        for code in np.unique(made.person):
            rows = made.person == code
            prompt = compact(self.units.prompt[made.unit[rows]])
            if prompt.size < LEAST_PROMPTS:
                continue
            t, p = below(made.d[rows], prompt.codes, self.epsilon)
            wins, losses = (float(side[rows].mean()) for side in (made.scorer_wins, made.person_wins))
            yield PersonTest(self.units.people.persons[code], prompt.size, int(rows.sum()), wins, losses, t, p)

    def _refusal(self, persons: Sequence[PersonTest], made: _Comparisons) -> Reason | None:
        reasons = []
        if not self.units.people.identified.any():
            reasons.append(SLOTS)
        if not self.scorer.on_scale:
            reasons.append(OWN_SCALE)
        if self.scorer.saw_labels:
            reasons.append(SAW_LABELS)
        if not reasons and len(persons) < LEAST_PERSONS:
            have, of = len(persons), int(np.unique(made.person).size)
            few = {"prompts": LEAST_PROMPTS, "needed": LEAST_PERSONS}
            reasons.append(Reason(ReasonCode.TOO_FEW_PERSONS_SHARE, persons=have, all=of, **few))
        if not reasons:
            return None
        return reasons[0] if len(reasons) == 1 else Reason(ReasonCode.SEVERAL, reasons=tuple(reasons))

    def _outcomes(self, made: _Comparisons, persons: Sequence[PersonTest]) -> dict[str, Outcome]:
        codes = [self.units.people.persons.index(each.person) for each in persons]
        tested = np.isin(made.person, codes)
        prompt = compact(self.units.prompt[made.unit[tested]])
        weights = Deletions(self.options.intervals).weights(prompt.size)
        means = []
        for code in codes:
            rows = made.person[tested] == code
            wins, n = (
                sums_by(prompt.codes[rows], prompt.size, x) for x in (made.scorer_wins[tested][rows], np.ones(rows.sum()))
            )
            means.append(ratio(weights @ wins, weights @ n))
        values = np.mean(means, axis=0)
        used = self._used(made.unit[tested], {"too_few_prompts": int((~tested).sum())} if not tested.all() else {})
        deviations = Deviations.of(values, prompt.size) if values.size > 1 else None
        rate = sum(each.won for each in persons) / len(persons)
        how = Method(MethodCode.PERSONS_WON_AGAINST, persons=len(persons), epsilon=self.epsilon, level=LEVEL)
        no_interval = Reason.no_interval(Reason(ReasonCode.DECISION_OF_EACH_PERSON))
        return {
            WINNING_RATE: Outcome(rate, None, None, used, joined(how, no_interval)),
            ADVANTAGE: Outcome(float(values[0]), None, deviations, used, Method(MethodCode.AT_LEAST_AS_NEAR)),
        }

    def _used(self, unit: IntArray, excluded: dict[str, int]) -> Used:
        items = len({self.units.items[each] for each in np.unique(unit)})
        return Used(items, int(unit.size), compact(self.units.prompt[unit]).size, excluded)


def below(d: FloatArray, prompt: IntArray, epsilon: float) -> tuple[float | None, float]:
    """t and one-sided p of a mean below epsilon, prompts (codes without gaps) left out one by one.

    Without variance t is None, and p that of the exact sign test over prompts.
    """
    from scipy import stats  # takes a second to load

    size = int(prompt.max()) + 1
    sums, counts = sums_by(prompt, size, d), np.bincount(prompt, minlength=size).astype(float)
    mean = float(d.mean())
    without = ratio(sums.sum() - sums, counts.sum() - counts)
    error = math.sqrt((size - 1) / size * float(((without - without.mean()) ** 2).sum()))
    if error <= _ROUNDING:
        apart = np.round(sums / counts - epsilon, 12)
        lower, decided = int((apart < 0).sum()), int((apart != 0).sum())
        return None, float(stats.binomtest(lower, decided, 0.5, "greater").pvalue) if decided else 1.0
    t = (mean - epsilon) / error
    return t, float(stats.t.cdf(t, size - 1))


def corrected(persons: Sequence[PersonTest]) -> list[PersonTest]:
    """With p by Benjamini and Yekutieli (2001): the i-th smallest of m times m / i times 1 + 1/2 + .. + 1/m, never falling."""
    m = len(persons)
    order = np.argsort([each.p for each in persons], kind="stable")
    harmonic = sum(1 / k for k in range(1, m + 1))
    stepped = np.array([persons[position].p for position in order]) * m / np.arange(1, m + 1) * harmonic
    p = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    tests = list(persons)
    for rank, position in enumerate(order):
        tests[position] = replace(persons[position], p_corrected=float(p[rank]))
    return tests


def passing_level(p: Sequence[float]) -> float | None:
    """The smallest level at which so many are won that the test passes."""
    return sorted(p)[math.ceil(PASSES * len(p)) - 1] if p else None
