"""The human ceiling: how well people agree with each other by the statistic that compares a scorer with them, on the same
units, and whether the scorer is below them, above them, or equivalent.

`leave_one_out` makes people's number, the scorer's in the same places and their difference; here they are read. What is random:
the prompts, so that a verdict is about *these people* on other prompts. From five identified persons on a second verdict is
about *other people* as well: persons are left out one by one, too, and both variances are added.

Equivalent: the difference is within a margin that is named before, by two one-sided tests at 5 % (Schuirmann 1987); that is,
its 90 % interval lies inside. Otherwise below or above: its 95 % interval leaves 0 out, and p is below .05. p is that of sign
flips over the prompts and one more that says the opposite: a scorer that has not erred in ten prompts may err in the next,
which no variance knows of (without it, .28 of studies with 8 equally good people found a difference: `benchmarks/coverage.py`).
Otherwise nothing can be told yet.

Where a scorer's score meets yes or no, a person has to say in two values what the scorer may say in many, which AUC and
correlations reward whatever is known. A scorer below people is then below them all the more, but that it is as good cannot
be told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from agreement.estimate import Ceiling, CeilingVerdict, Position
from agreement.inference.hypothesis_tests import holm, needed, sign_flips
from agreement.inference.intervals import CONTRAST, SHARE, Spread, ValueRange, spread
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, Remark, RemarkCode, joined, joined_remarks
from agreement.report.leave_one_out import DIFFERENCE, OTHERS, PEOPLE, SCORER
from agreement.study.cells import TASKS_MEAN, CellOutcome, Options, Outcome, interval

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
        # the tasks' persons are the same: their deviations are no strata
        sides = {other.key.side: other.outcome for other in others if other.key.side is not None}
        yield main, sides if main.place.task != TASKS_MEAN else {side: o for side, o in sides.items() if side != OTHERS}


def read_ceiling(
    sides: Mapping[str, Outcome],
    kind: ValueRange,
    options: Options,
    *,
    by_prompt: bool = True,
    finer: bool = False,
    saw_labels: bool = False,
) -> Ceiling:
    """The ceiling and the verdict from the outcomes beside a scorer's own.

    Args:
        sides: the outcomes.
        kind: what the statistic's value can be.
        options: margin.
        by_prompt: whether prompts are left out, not items.
        finer: a score that meets yes or no.
        saw_labels: the scorer was tuned on these people's labels, so how far it is from them says nothing.
    """
    people = sides[PEOPLE]
    bounds, method = interval(people, kind, by_prompt=by_prompt, images=people.used.items)
    margin = options.margin or (MARGIN_OF_SHARES if kind.low == SHARE.low else MARGIN_OF_COEFFICIENTS)
    verdict = _verdict(sides, kind, margin, by_prompt=by_prompt)
    if finer:
        method = joined(method, Method(MethodCode.TWO_VALUES))
        if verdict.verdict in ("equivalent", "above"):
            verdict = replace(verdict, verdict=None, verdict_reason=FINER, words=None)
        if verdict.others_verdict in ("equivalent", "above"):
            verdict = replace(verdict, others_verdict=None, others_reason=FINER)
    if saw_labels:
        verdict = CeilingVerdict(
            verdict_reason=SAW_LABELS, scorer=verdict.scorer, difference=verdict.difference, others_reason=SAW_LABELS
        )
    used = people.used
    return Ceiling(people.value, bounds.low, bounds.high, used.items, used.ratings, people.reason, method, verdict)


def _verdict(sides: Mapping[str, Outcome], kind: ValueRange, margin: float, *, by_prompt: bool) -> CeilingVerdict:
    scorer, apart = sides[SCORER], sides[DIFFERENCE]
    if scorer.value is None or apart.value is None:
        return CeilingVerdict(verdict_reason=apart.reason, scorer=scorer.value, difference=apart.value)
    made = CeilingVerdict(scorer=scorer.value, difference=apart.value, margin=margin)
    if apart.deviations is None:
        return replace(made, verdict_reason=NO_INTERVALS)
    bounds, _ = interval(apart, CONTRAST, by_prompt=by_prompt)
    if bounds.low is None or bounds.high is None:
        return replace(made, verdict_reason=bounds.reason)
    test, prompts = spread(apart.value, apart.deviations), apart.deviations.prompts
    contrary = opposite(scorer.value - apart.value, kind)
    p = sign_flips(np.r_[apart.deviations.contributions, -math.copysign(contrary, apart.value) / prompts])
    made = replace(made, difference_low=bounds.low, difference_high=bounds.high, p=p, verdict=judge(test, margin, p))
    many = "prompts" if by_prompt else "items"
    if made.verdict is None:
        more = needed(test, margin, apart.used.clusters, contrary)
        reason = Reason(ReasonCode.TOO_FEW_TO_DECIDE, clusters=many, more=more)
        made = replace(made, prompts_needed=more, verdict_reason=reason)
    people = scorer.value - apart.value
    words = Remark(
        RemarkCode.VERDICT,
        verdict=made.verdict,
        reason=made.verdict_reason,
        persons=apart.used.persons,
        margin=margin,
        clusters=many,
        scorer=scorer.value,
        people=people,
        difference=apart.value,
        low=bounds.low,
        high=bounds.high,
    )
    made = replace(made, words=words)
    return _beside_others(made, sides.get(OTHERS), margin)


def _beside_others(made: CeilingVerdict, others: Outcome | None, margin: float) -> CeilingVerdict:
    """The verdict beside other people, where there are persons enough."""
    if others is None:
        return replace(made, others_reason=NO_OTHERS)
    if others.value is None or others.deviations is None:
        return replace(made, others_reason=others.reason)
    bounds, _ = interval(others, CONTRAST)
    if bounds.low is None:
        return replace(made, others_reason=bounds.reason)
    test = spread(others.value, others.deviations)
    # what cannot be told of these people cannot be told of others
    p = max(test.p, made.p or 0.0)
    verdict = judge(test, margin, p)
    reason = None if verdict else Reason(ReasonCode.TOO_FEW_PROMPTS_OR_PEOPLE)
    beside = Remark(RemarkCode.OTHER_PEOPLE, verdict=verdict, reason=reason, low=bounds.low, high=bounds.high)
    made = replace(made, words=joined_remarks(made.words, beside))
    return replace(
        made, others_verdict=verdict, others_reason=reason, others_low=bounds.low, others_high=bounds.high, others_p=p
    )


def judge(test: Spread, margin: float, p: float) -> Position | None:
    """Equivalent within the margin, else below or above 0, else nothing; `p`: of no difference."""
    low, high = test.within(90)
    if -margin < low and high < margin:
        return "equivalent"
    low, high = test.within(95)
    if p >= LEAST_P:
        return None
    return "below" if high < 0 else "above" if low > 0 else None


def opposite(people: float, kind: ValueRange) -> float:
    """How much a scorer that says the opposite of people, whose number is `people`, is apart from them."""
    return abs(2.0 * people - kind.low - kind.high)


def corrected(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """With `p_holm` over these, which are one statistic's rows of one generator, or of all: every scorer and task."""
    ps = [each.verdict.p for each in ceilings]
    tests = sum(p is not None for p in ps)
    return [_with_holm(each, p, tests) for each, p in zip(ceilings, holm(ps), strict=True)]


def _with_holm(ceiling: Ceiling, p_holm: float | None, tests: int) -> Ceiling:
    verdict = ceiling.verdict
    if verdict.p is None or p_holm is None:
        return ceiling
    family = Remark(RemarkCode.CORRECTED_VERDICT, p=verdict.p, p_holm=p_holm, verdicts=tests)
    words = joined_remarks(verdict.words, family) if verdict.words else None
    return replace(ceiling, verdict=replace(verdict, p_holm=p_holm, words=words))
