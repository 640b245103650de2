"""Checks of attention: gold and attention items, training, and right answers.

A pass mark says how many of them an honest person gets right in the long run, at least. A person is
paused once so many are wrong that it would come about by chance, to a person who is just at the mark, in fewer than
``PAUSE_RISK`` of all cases, both kinds and all times of looking together. After n items that is: the exact binomial chance of
as many wrong ones or more is below ``PAUSE_RISK`` / 2 / (n (n + 1)). These limits add up to ``PAUSE_RISK`` / 2 for each kind,
as
1/2 + 1/6 + 1/12 + ... is 1, so that the bound holds although the rule is applied after every check. Items that are not equally
hard make such a tail smaller, not larger (Hoeffding 1956, Annals of Mathematical Statistics 27).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

PAUSE_RISK: Final = 0.001
"""The most that an honest person is ever paused by chance."""
GOLD_PASS_MARK: Final = 0.9
ATTENTION_PASS_MARK: Final = 0.98


def fails_checks(right: int, n: int, mark: float) -> bool:
    """Whether somebody with so many of ``n`` right is below the mark beyond chance."""
    if n == 0:
        return False
    tail = sum(math.comb(n, k) * (1 - mark) ** k * mark ** (n - k) for k in range(n - right, n + 1))
    return tail < PAUSE_RISK / 2 / (n * (n + 1))


def pause_chance(n: int, error: float, mark: float) -> float:
    """Return the probability that somebody who is wrong on a share ``error`` of checks is paused by the ``n``-th of them.

    Exact: the probability of each number of wrong ones among people who are not paused yet, check after check.
    """
    working = [1.0]
    paused = 0.0
    for met in range(1, n + 1):
        after = [0.0] * (met + 1)
        for wrong, chance in enumerate(working):
            after[wrong] += chance * (1 - error)
            after[wrong + 1] += chance * error
        most = next((wrong for wrong in range(met + 1) if fails_checks(met - wrong, met, mark)), met + 1)
        paused += sum(after[most:])
        working = after[:most]
    return paused


@dataclass(frozen=True, slots=True)
class Training:
    """How a person stands in training: answered rightly, how many it takes, and how many they have not answered."""

    right: int
    needed: int
    left: int

    @classmethod
    def of(cls, total: int, right: int, answered: int, pass_mark: float | None) -> Training:
        # a share such as 0.55 of 20 is 11, whatever floating point makes of it
        needed = 0 if pass_mark is None else math.ceil(round(pass_mark * total, 9))
        return cls(right, needed, total - answered)

    @property
    def passed(self) -> bool:
        return self.right >= self.needed > 0 or (self.left == 0 and not self.failed)

    @property
    def failed(self) -> bool:
        return self.right + self.left < self.needed


def wrong_answers(expected: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The questions that were not answered as expected, with what was; ticked sets have no order."""
    return {
        question: right
        for question, right in expected.items()
        if _comparable(answers.get(question)) not in map(_comparable, accepted_answers(right))
    }


def accepted_answers(right: Any) -> list[Any]:
    """The answers that an expected one stands for: itself, or each of ``{"any": [...]}``."""
    return list(right["any"]) if isinstance(right, Mapping) and set(right) == {"any"} else [right]


def _comparable(value: Any) -> str:
    if isinstance(value, list | tuple):
        return json.dumps(sorted({_comparable(part) for part in value}))
    return json.dumps(value, sort_keys=True)
