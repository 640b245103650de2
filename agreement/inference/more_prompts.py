"""How many more prompts would tell a difference, if it stayed as it is now."""

from __future__ import annotations

import math

from agreement.inference.intervals import Spread

_NORMAL = 1.96


def needed(test: Spread, margin: float, prompts: int, contrary: float = 0.0) -> int | None:
    """About how many more prompts would tell a difference of this size, or that it is within the margin.

    Ends of intervals move towards the value with 1 / sqrt(prompts). A difference d, which n prompts with the mean square s
    give, is told in spite of a `contrary` prompt c where n d - c = 1.96 sqrt(n s + c^2).
    """
    enough = []
    if test.value:
        d, square = abs(test.value), prompts * test.error**2 + test.value**2
        middle = 2 * d * contrary + _NORMAL**2 * square
        root = math.sqrt(middle**2 + 4 * (_NORMAL**2 - 1) * (d * contrary) ** 2)
        enough.append(max(prompts * (test.reach(95) / d) ** 2, (middle + root) / (2 * d**2)))
    if abs(test.value) < margin:
        enough.append(prompts * (test.reach(90) / (margin - abs(test.value))) ** 2)
    return max(math.ceil(min(enough)) - prompts, 1) if enough else None
