"""Who fails gold and attention items beyond chance: the rule by which a campaign pauses people.

A pass mark says how many of them somebody who is honest gets right in the long run, at least. Somebody is paused once so many
are wrong that it would come about by chance, to a person who stands just at the mark, in fewer than ``RISK`` of all cases,
both kinds and all times of looking together. After n items that is: the exact binomial chance of as many wrong ones or more is
below ``RISK`` / 2 / (n (n + 1)). These limits add up to ``RISK`` / 2 for each kind, as 1/2 + 1/6 + 1/12 + ... is 1, so that
the bound holds although the rule is applied after every check. Items that are not equally hard make such a tail smaller, not
larger (Hoeffding 1956, Annals of Mathematical Statistics 27).
"""

from __future__ import annotations

import math
from typing import Final

RISK: Final = 0.001
"""The most that an honest person is ever paused by chance."""
GOLD_MARK: Final = 0.9
ATTENTION_MARK: Final = 0.98


def fails(right: int, n: int, mark: float) -> bool:
    """Whether somebody with so many of ``n`` right is below the mark beyond chance."""
    if n == 0:
        return False
    tail = sum(math.comb(n, k) * (1 - mark) ** k * mark ** (n - k) for k in range(n - right, n + 1))
    return tail < RISK / 2 / (n * (n + 1))


def fewest_wrong(n: int, mark: float) -> int | None:
    """How many of ``n`` must be wrong for somebody to fail; None: no number is enough."""
    return next((wrong for wrong in range(n + 1) if fails(n - wrong, n, mark)), None)
