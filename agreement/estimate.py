"""The one record of a number: made where it is computed, and read unchanged by pages, reports, commands and the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from agreement.reasons import NO_METHOD, Method, Reason, Remark

ALL = "all"
Position = Literal["equivalent", "below", "above"]
Kind = Literal["scorer", "human", "consensus"]


class WithInterval(Protocol):
    """Any number with a 95 % interval: an estimate, a ceiling, a difference."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True)
class CeilingVerdict:
    """A scorer's standing beside people.

    Attributes:
        verdict: equivalent, below or above these people on other prompts; None with a reason.
        verdict_reason: why there is no verdict.
        scorer: the scorer's number in people's places, on the units that the ceiling is made on.
        difference: that number less people's.
        difference_low: lower end of its 95 % interval.
        difference_high: upper end.
        margin: so much apart still counts as equivalent.
        p: two-sided p of no difference, by sign flips of what each prompt and a contrary one add to it.
        p_holm: corrected over one statistic's rows of one generator, or of all, as each other one; the verdict goes by them.
        p_equivalent: p of a difference of the margin or more, by two one-sided tests with a contrary prompt.
        p_equivalent_holm: corrected.
        prompts_needed: with about how many more prompts four of five studies would tell; only where there are too few.
        words: the verdict with the numbers that it rests on.
        others_verdict: the same beside other people, on other prompts; None where fewer than five persons are identified.
        others_reason: why there is none.
        others_low: lower end of the difference's interval with persons as random as prompts.
        others_high: upper end.
        others_p: two-sided p with persons as random, by Student's t; at least `p`.
        others_p_holm: corrected.
        others_p_equivalent: as `p_equivalent`, with persons as random; at least as large.
        others_p_equivalent_holm: corrected.
    """

    verdict: Position | None = None
    verdict_reason: Reason | None = None
    scorer: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    margin: float | None = None
    p: float | None = None
    p_holm: float | None = None
    p_equivalent: float | None = None
    p_equivalent_holm: float | None = None
    prompts_needed: int | None = None
    words: Remark | None = None
    others_verdict: Position | None = None
    others_reason: Reason | None = None
    others_low: float | None = None
    others_high: float | None = None
    others_p: float | None = None
    others_p_holm: float | None = None
    others_p_equivalent: float | None = None
    others_p_equivalent_holm: float | None = None


@dataclass(frozen=True)
class Ceiling:
    """People's own number beside a scorer's, with its interval, what it used and how it was made; and the verdict."""

    value: float | None
    low: float | None
    high: float | None
    n_items: int
    n_ratings: int
    reason: Reason | None
    method: Method
    verdict: CeilingVerdict = field(default_factory=CeilingVerdict)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One number with its 95 % interval, what it is of, and what it rests on.

    Attributes:
        suite, task, generator, aspect, target: the cell; `all` for all tasks or generators, None for all targets.
        people: `real` or `simulated`; empty for a number without people.
        statistic: the statistic's name.
        rater: the scorer (or person) whose number it is; empty without one.
        people_as: how people enter a comparison with it.
        a, b: the two raters of a comparison of two.
        certainty: the class of units to which it is restricted.
        kind: what kind of rater `rater` is.
        value: None where it is undefined, and `reason` says why.
        low, high: the ends of the interval; None where there is none, and `method` says why.
        n_items, n_ratings: how many images and ratings it rests on.
        n_prompts: how many prompts were left out one by one; images, where there are no prompts.
        excluded: how many ratings were left out, by reason.
        method: how value and interval were made.
        saw_labels: whether the scorer's settings were chosen with these people's labels in view.
        ceiling: people's own number beside a scorer's, and where that leaves it; None where it was not asked for.
    """

    suite: str = ""
    task: str = ALL
    generator: str = ALL
    aspect: str = ""
    target: str | None = None
    people: str = ""
    statistic: str = ""
    rater: str = ""
    people_as: str | None = None
    a: str = ""
    b: str = ""
    certainty: str | None = None
    kind: Kind | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n_items: int = 0
    n_ratings: int = 0
    n_prompts: int = 0
    excluded: Mapping[str, int] = field(default_factory=dict)
    reason: Reason | None = None
    method: Method = NO_METHOD
    saw_labels: bool = False
    ceiling: Ceiling | None = None

    @property
    def has_interval(self) -> bool:
        """Return True if both ends of the interval are known."""
        return self.low is not None and self.high is not None

    @property
    def is_whole(self) -> bool:
        """Return True if the estimate is over all generators, tasks and targets."""
        return (self.generator, self.task, self.target) == (ALL, ALL, None)
