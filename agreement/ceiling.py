"""The human ceiling: how well people agree with each other by the statistic that compares a scorer with them, on the same
units, and whether the scorer is below, at or above them.

`one_out` makes people's number, the scorer's in the same places and their difference; here they are read. The verdict is
that of the interval of the paired difference, by the jackknife over prompts.

Where a scorer's score meets yes or no, a person has to say in two values what the scorer may say in many, which AUC and
correlations reward whatever is known. A scorer below people is then below them all the more, but that it is at or above
them cannot be told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any, Literal

from .cells import Found, Options
from .jackknife import NUMBER, Kind
from .one_out import DIFFERENCE, PEOPLE, SCORER
from .outcome import Outcome, interval

Standing = Literal["below", "at", "above", "too few items to tell"]
NO_INTERVALS = "no intervals"
TWO_VALUES = "a person's yes or no is a score of only two values"
FINER = f"not below people, but {TWO_VALUES}, so no more can be told"
_WORDS = {"below": "below people", "at": "at people's level", "above": "above people"}


@dataclass(frozen=True)
class Verdict:
    """Where a scorer stands beside people.

    Attributes:
        verdict: below, at, above, or too few items to tell; None with a reason.
        verdict_reason: why there is no verdict.
        scorer: the scorer's number in people's places, on the units that the ceiling is made on.
        difference: that number less people's.
        difference_low: lower end of its interval.
        difference_high: upper end.
        items_needed: about how many items would make the interval narrow enough; only where there are too few.
        words: the verdict as a sentence.
    """

    verdict: Standing | None
    verdict_reason: str | None
    scorer: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    items_needed: int | None
    words: str | None


@dataclass(frozen=True)
class Ceiling:
    """People's own number beside a scorer's, with its interval, what it used and how it was made; and the verdict."""

    value: float | None
    low: float | None
    high: float | None
    n_items: int
    n_ratings: int
    reason: str | None
    method: str
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """Plain types; what the verdict consists of stands in place of it."""
        return asdict(self) | asdict(self.verdict)


def with_sides(found: Iterable[Found]) -> Iterator[tuple[Found, Mapping[str, Outcome]]]:
    """Each outcome with those beside it, which stand after it."""
    for _, group in groupby(found, lambda each: (each.place, replace(each.key, side=None))):
        main, *others = group
        yield main, {other.key.side: other.outcome for other in others if other.key.side is not None}


def read(sides: Mapping[str, Outcome], kind: Kind, options: Options, *, by_prompt: bool = True, finer: bool = False) -> Ceiling:
    """The ceiling and the verdict from the three outcomes beside a scorer's own; `finer`: a score that meets yes or no."""
    people = sides[PEOPLE]
    bounds, method = interval(people, kind, by_prompt=by_prompt)
    verdict = _verdict(sides[SCORER], sides[DIFFERENCE], options, by_prompt=by_prompt)
    if finer:
        method += f"; {TWO_VALUES}"
    if finer and verdict.verdict in ("at", "above"):
        verdict = replace(verdict, verdict=None, verdict_reason=FINER, words=None)
    used = people.used
    return Ceiling(people.value, bounds.low, bounds.high, used.items, used.ratings, people.reason, method, verdict)


def _verdict(scorer: Outcome, difference: Outcome, options: Options, *, by_prompt: bool) -> Verdict:
    value, apart = scorer.value, difference.value
    if value is None or apart is None:
        return Verdict(None, difference.reason, value, apart, None, None, None, None)
    bounds, method = interval(difference, NUMBER, by_prompt=by_prompt)
    if bounds.low is None or bounds.high is None:
        why = [part for part in method.split("; ") if part.startswith("no interval")]
        return Verdict(None, why[0] if why else NO_INTERVALS, value, apart, None, None, None, None)
    standing = judge(bounds.low, bounds.high, options.tell)
    items = difference.used.items
    needed = items_needed(items, bounds.high - bounds.low, options.tell) if standing not in _WORDS else None
    numbers = f"{_two(value)} against {_two(value - apart)} among people"
    around = f"{_two(bounds.low)} to {_two(bounds.high)}"
    words = f"{_WORDS.get(standing, standing)}: {numbers}; difference {_two(apart)} ({around})"
    if needed is not None:
        words += f" on {items} items; about {needed} would tell to within {options.tell / 2:.2g}"
    return Verdict(standing, None, value, apart, bounds.low, bounds.high, needed, words)


def _two(value: float) -> str:
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text


def judge(low: float, high: float, tell: float) -> Standing:
    """Where the interval of (scorer less people) leaves the scorer; `tell` is the widest that still says "at"."""
    if high < 0:
        return "below"
    if low > 0:
        return "above"
    return "at" if high - low <= tell else "too few items to tell"


def items_needed(items: int, width: float, tell: float) -> int:
    """Items for an interval of width `tell`, if `items` gave one of `width`: widths go with 1 / sqrt(items)."""
    return math.ceil(items * (width / tell) ** 2)
