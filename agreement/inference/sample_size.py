"""Sample size: the least number of prompts with which a test finds in four of five studies what there is to find."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from agreement.inference.intervals import LEVEL, Spread, quantile

POWER = 0.8
"""The share of studies in which so many prompts as are asked for suffice."""
MOST_PROMPTS = 1_000_000
_NORMAL = NormalDist()


def prompts_needed(reaches: Callable[[int], bool]) -> int | None:
    """The least number of prompts, from 2, that reaches an aim which more prompts reach as well; None beyond MOST_PROMPTS."""
    if not reaches(MOST_PROMPTS):
        return None
    low, high = 1, MOST_PROMPTS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def more_prompts(
    test: Spread, margin: float, prompts: int, contrary: float = 0.0, tests: tuple[int, int] = (1, 1)
) -> int | None:
    """Return about how many more prompts would tell a difference of this size, or that it is within the margin.

    With so many, POWER of the studies tell one or the other, if the difference and its spread by prompt are as they were seen.
    None where more than MOST_PROMPTS would be needed.

    Args:
        test: how the difference varies now.
        margin: so much apart is as good as nothing; 0: that is not asked.
        prompts: how many there are.
        contrary: how far one prompt that says the opposite is apart, which either test adds.
        tests: by how much Holm's correction multiplies p of no difference, and p of being the margin apart.
    """
    apart, variance = abs(test.value), prompts * test.error**2

    def tells(n: int) -> bool:
        # sums over prompts: from here on they differ, up to there they are equivalent
        error = math.sqrt(n * variance)
        of_interval = quantile(0.5 + LEVEL / 200, n - 1.0) * error
        # sign flips vary by all that each prompt adds, its mean included
        of_flips = contrary + _NORMAL.inv_cdf(1 - 0.025 / tests[0]) * math.hypot(error, math.sqrt(n) * apart, contrary)
        different = max(of_interval, of_flips)
        within = max(n * margin - contrary - quantile(1 - 0.05 / tests[1], n - 1.0) * math.hypot(error, contrary), 0.0)
        told = _NORMAL.cdf((within - n * apart) / error) - _NORMAL.cdf((-within - n * apart) / error)
        if apart:
            told += 1 - _NORMAL.cdf((max(different, within) - n * apart) / error)
        return told >= POWER

    enough = prompts_needed(tells)
    return None if enough is None else max(enough - prompts, 1)
