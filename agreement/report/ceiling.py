"""The human ceiling: how well people agree with each other by the statistic that compares a scorer with them, on the same
units, and whether the scorer is below them, above them, or equivalent.

`leave_one_out` makes people's number, the scorer's in the same places and their difference; here they are read. What is random:
the prompts, so that a verdict is about *these people* on other prompts. From five identified persons on a second verdict is
about *other people* as well: prompts and persons are both left out one by one.

Equivalent: the difference is within a margin that is named before, by two one-sided tests at 5 % (Schuirmann 1987). Otherwise
below or above: its 95 % interval leaves 0 out, and p is below .05, which is that of sign flips over the prompts. All these
tests have one prompt more that says the opposite: a scorer that has not erred in ten prompts may err in the next, which no
variance knows of (without it, .28 of studies with 8 equally good people found a difference, and .18 called a scorer at the
margin's edge equivalent: `benchmarks/coverage.py`). Otherwise nothing can be told yet.

Many scorers and tasks have a verdict by one statistic, so p are corrected by Holm's method over these, and verdicts go by the
corrected ones: `with_verdicts` is the one place where they are made. No difference and equivalence are families of their own,
and so are these people and others: in each at most .05 of such tables have a wrong word.

Where a scorer's score meets yes or no, a person has to say in two values what the scorer may say in many, which AUC and
correlations reward whatever is known. A scorer below people is then below them all the more, but that it is as good cannot
be told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from agreement.estimate import Ceiling, CeilingVerdict, Position
from agreement.inference.hypothesis_tests import equivalence, holm, holm_factors, sign_flips
from agreement.inference.intervals import CONTRAST, SHARE, Spread, ValueRange, spread
from agreement.inference.sample_size import more_prompts
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, Remark, RemarkCode, joined, joined_remarks
from agreement.report.leave_one_out import DIFFERENCE, OTHERS, PEOPLE, SCORER
from agreement.study.cells import CellOutcome, Options, Outcome, interval

LEAST_P = 0.05
MARGIN_OF_SHARES, MARGIN_OF_COEFFICIENTS = 0.05, 0.1
NO_INTERVALS = Reason(ReasonCode.NO_INTERVALS_MADE)
NO_OTHERS = Reason(ReasonCode.TOO_FEW_PERSONS)
SAW_LABELS = Reason(ReasonCode.SAW_LABELS)
FINER = Reason(ReasonCode.FINER_THAN_PEOPLE)


def with_sides(outcomes: Iterable[CellOutcome]) -> Iterator[tuple[CellOutcome, Mapping[str, Outcome]]]:
    """Each outcome with those beside it, which stand after it."""
    for _, group in groupby(outcomes, lambda each: (each.place, replace(each.key, side=None))):
        main, *others = group
        yield main, {other.key.side: other.outcome for other in others if other.key.side is not None}


@dataclass(frozen=True)
class VerdictTest:
    """A difference that has an interval, before it is known beside how many others it stands.

    Attributes:
        spread: how the difference varies.
        others: how it varies with other people; None where that is not known.
        contrary: how far a prompt that says the opposite is apart.
        prompts: how many there are; `clusters`: what they are called.
        persons: how many there are; 0 for ratings without names.
        people: their number, and the scorer's in their places less the difference.
        only_below: why the scorer can be said to be nothing but below people; None where it can.
    """

    spread: Spread
    others: Spread | None
    contrary: float
    prompts: int
    clusters: str
    persons: int
    people: float
    only_below: Reason | None


@dataclass(frozen=True)
class CeilingTest:
    """A ceiling whose verdict is still to be made; without a `test` there is none to make."""

    ceiling: Ceiling
    test: VerdictTest | None = None


def read_ceiling(
    sides: Mapping[str, Outcome],
    kind: ValueRange,
    options: Options,
    *,
    by_prompt: bool = True,
    only_below: Reason | None = None,
    saw_labels: bool = False,
) -> CeilingTest:
    """The ceiling from the outcomes beside a scorer's own, and the test of the difference.

    Args:
        sides: the outcomes.
        kind: what the statistic's value can be.
        options: margin.
        by_prompt: whether prompts are left out, not items.
        only_below: why the scorer cannot be said to be equivalent to people, or above them.
        saw_labels: the scorer was tuned on these people's labels, so how far it is from them says nothing.
    """
    people = sides[PEOPLE]
    bounds, method = interval(people, kind, by_prompt=by_prompt, images=people.used.items)
    if only_below == FINER:
        method = joined(method, Method(MethodCode.TWO_VALUES))
    margin = options.margin or (MARGIN_OF_SHARES if kind.low == SHARE.low else MARGIN_OF_COEFFICIENTS)
    verdict, test = _tested(sides, kind, margin, only_below, by_prompt=by_prompt)
    if saw_labels:
        verdict = CeilingVerdict(
            verdict_reason=SAW_LABELS, scorer=verdict.scorer, difference=verdict.difference, others_reason=SAW_LABELS
        )
        test = None
    used = people.used
    made = Ceiling(people.value, bounds.low, bounds.high, used.items, used.ratings, people.reason, method, verdict)
    return CeilingTest(made, test)


def _tested(
    sides: Mapping[str, Outcome], kind: ValueRange, margin: float, only_below: Reason | None, *, by_prompt: bool
) -> tuple[CeilingVerdict, VerdictTest | None]:
    """The difference with its intervals and p, as yet without a verdict."""
    scorer, apart = sides[SCORER], sides[DIFFERENCE]
    if scorer.value is None or apart.value is None:
        return CeilingVerdict(verdict_reason=apart.reason, scorer=scorer.value, difference=apart.value), None
    made = CeilingVerdict(scorer=scorer.value, difference=apart.value, margin=margin)
    if apart.deviations is None:
        return replace(made, verdict_reason=NO_INTERVALS), None
    bounds, _ = interval(apart, CONTRAST, by_prompt=by_prompt)
    if bounds.low is None or bounds.high is None:
        return replace(made, verdict_reason=bounds.reason), None
    prompts, people = apart.deviations.prompts, scorer.value - apart.value
    contrary = opposite(people, kind)
    p = sign_flips(np.r_[apart.deviations.contributions, -math.copysign(contrary, apart.value) / prompts])
    made = replace(made, difference_low=bounds.low, difference_high=bounds.high, p=p)
    test = VerdictTest(
        spread=spread(apart.value, apart.deviations),
        others=None,
        contrary=contrary,
        prompts=prompts,
        clusters="prompts" if by_prompt else "items",
        persons=apart.used.persons,
        people=people,
        only_below=only_below,
    )
    made = replace(made, p_equivalent=equivalence(test.spread, margin, contrary / prompts))
    return _beside_others(made, test, sides.get(OTHERS), margin)


def _beside_others(
    made: CeilingVerdict, test: VerdictTest, others: Outcome | None, margin: float
) -> tuple[CeilingVerdict, VerdictTest]:
    """The same beside other people, where there are persons enough."""
    if others is None:
        return replace(made, others_reason=NO_OTHERS), test
    if others.value is None or others.deviations is None:
        return replace(made, others_reason=others.reason), test
    bounds, _ = interval(others, CONTRAST)
    if bounds.low is None:
        return replace(made, others_reason=bounds.reason), test
    varies = spread(others.value, others.deviations)
    made = replace(made, others_low=bounds.low, others_high=bounds.high)
    equivalent = equivalence(varies, margin, test.contrary / test.prompts)
    # what cannot be told of these people cannot be told of others
    made = replace(made, others_p=max(varies.p, made.p or 0.0), others_p_equivalent=max(equivalent, made.p_equivalent or 0.0))
    return made, replace(test, others=varies)


def with_verdicts(tests: Mapping[int, CeilingTest], family: Callable[[int], Hashable]) -> dict[int, Ceiling]:
    """Ceilings with their verdicts, by p corrected over a family: one statistic's rows of one generator, or of all.

    Args:
        tests: by the place of their row.
        family: names that of a place.
    """
    families: dict[Hashable, list[int]] = {}
    for place in tests:
        families.setdefault(family(place), []).append(place)
    return {
        place: made
        for places in families.values()
        for place, made in zip(places, _of_family([tests[place] for place in places]), strict=True)
    }


def _of_family(tests: Sequence[CeilingTest]) -> list[Ceiling]:
    # of one task its row, that of all tasks and their mean are the same test, which counts once
    distinct: dict[Hashable, int] = {}
    which = [distinct.setdefault(_numbers(each.ceiling.verdict), len(distinct)) for each in tests]
    apart = [tests[which.index(k)].ceiling.verdict for k in range(len(distinct))]
    p, equivalent = [each.p for each in apart], [each.p_equivalent for each in apart]
    factors = list(zip(holm_factors(p), holm_factors(equivalent), strict=True))
    others = holm([each.others_p for each in apart]), holm([each.others_p_equivalent for each in apart])
    corrected = list(zip(holm(p), holm(equivalent), *others, strict=True))
    verdicts = sum(each is not None for each in p)
    made = []
    for each, k in zip(tests, which, strict=True):
        if each.test is None:
            made.append(each.ceiling)
            continue
        one, two, three, four = corrected[k]
        verdict = replace(
            each.ceiling.verdict, p_holm=one, p_equivalent_holm=two, others_p_holm=three, others_p_equivalent_holm=four
        )
        of_holm = factors[k][0] or 1, factors[k][1] or 1
        made.append(replace(each.ceiling, verdict=_decided(verdict, each.test, of_holm, verdicts)))
    return made


def _numbers(verdict: CeilingVerdict) -> Hashable:
    """The numbers by which one test is known from another."""
    numbers = verdict.scorer, verdict.difference, verdict.p, verdict.p_equivalent, verdict.others_p
    return tuple(None if number is None else round(number, 12) for number in numbers)


def _decided(made: CeilingVerdict, test: VerdictTest, factors: tuple[int, int], verdicts: int) -> CeilingVerdict:
    """The verdicts, and the words for them."""
    verdict, reason = position(test.spread, made.p_holm, made.p_equivalent_holm), None
    words: Remark | None = None
    if verdict in ("equivalent", "above") and test.only_below is not None:
        verdict, reason = None, test.only_below
    else:
        if verdict is None:
            more = more_prompts(test.spread, made.margin or 0.0, test.prompts, test.contrary, factors)
            made = replace(made, prompts_needed=more)
            reason = Reason(ReasonCode.TOO_FEW_TO_DECIDE, clusters=test.clusters, more=more)
        words = _words(replace(made, verdict=verdict, verdict_reason=reason), test)
    made = replace(made, verdict=verdict, verdict_reason=reason)
    if test.others is not None:
        beside, why = position(test.others, made.others_p_holm, made.others_p_equivalent_holm), None
        if beside in ("equivalent", "above") and test.only_below is not None:
            beside, why = None, test.only_below
        elif beside is None:
            why = Reason(ReasonCode.TOO_FEW_PROMPTS_OR_PEOPLE)
        made = replace(made, others_verdict=beside, others_reason=why)
        if words is not None:
            low, high = made.others_low, made.others_high
            words = joined_remarks(words, Remark(RemarkCode.OTHER_PEOPLE, verdict=beside, reason=why, low=low, high=high))
    if words is not None:
        words = joined_remarks(words, _corrected(made, verdicts))
    return replace(made, words=words)


def _words(made: CeilingVerdict, test: VerdictTest) -> Remark:
    """The verdict beside these people, with the numbers that it rests on."""
    return Remark(
        RemarkCode.VERDICT,
        verdict=made.verdict,
        reason=made.verdict_reason,
        persons=test.persons,
        margin=made.margin,
        clusters=test.clusters,
        scorer=made.scorer,
        people=test.people,
        difference=made.difference,
        low=made.difference_low,
        high=made.difference_high,
    )


def _corrected(made: CeilingVerdict, verdicts: int) -> Remark:
    """The p by which it goes."""
    return Remark(
        RemarkCode.CORRECTED_VERDICT,
        p=made.p,
        p_holm=made.p_holm,
        p_equivalent=made.p_equivalent,
        p_equivalent_holm=made.p_equivalent_holm,
        verdicts=verdicts,
    )


def position(test: Spread, p: float | None, p_equivalent: float | None) -> Position | None:
    """Return where a scorer stands: equivalent, else below or above, else nothing.

    Args:
        test: how its difference varies.
        p: of no difference, corrected.
        p_equivalent: of a difference as large as the margin, corrected.
    """
    if p_equivalent is not None and p_equivalent < LEAST_P:
        return "equivalent"
    low, high = test.within(95)
    if p is None or p >= LEAST_P:
        return None
    return "below" if high < 0 else "above" if low > 0 else None


def opposite(people: float, kind: ValueRange) -> float:
    """How much a scorer that says the opposite of people, whose number is `people`, is apart from them."""
    return abs(2.0 * people - kind.low - kind.high)
