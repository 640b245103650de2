"""How fast somebody may ask: far beyond what a person does, short of what keeps others waiting.

Counted by person where somebody is signed in (two hundred annotators may share one address), else by address. Nothing is
counted where nobody signs in: then there is this machine alone.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ui.access.limits import network


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many each second from then on."""

    at_once: int
    each_second: float


WRITES: Final = Rate(400, 10)
"""Answers, drafts, skips, notes: the fastest annotator sends some 200 answers a minute."""
READS: Final = Rate(3000, 100)
"""Pages and their pictures: a grid asks for 60 at a time, a map for more."""
COSTLY: Final = Rate(60, 1)
"""What computes for seconds: exports and reports."""
EVENTS: Final = Rate(600, 20)
"""What the studio's controls do."""
UNKNOWN: Final = Rate(1500, 20)
"""Whoever is not signed in, by address: a class of 200 that opens its link at once asks five times each."""
_COSTLY: Final = ("/api/studio/export/", "/api/studio/report/")
_MAX_KEYS: Final = 20_000


def rate_of(method: str, path: str) -> Rate:
    """What a request of somebody who is signed in is counted as."""
    if path.startswith(_COSTLY):
        return COSTLY
    if method in ("GET", "HEAD"):
        return READS
    return EVENTS if path.startswith(("/studio/", "/annotate/")) else WRITES


class Pace:
    """Counts in memory: a bucket for each person and kind of request, which fills again as time goes by."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # what is left, and since when; the one that was used last is the last
        self._left: OrderedDict[tuple[str, Rate], tuple[float, float]] = OrderedDict()

    def wait(self, who: str, rate: Rate) -> int:
        """Count a request; returns 0 if it may go on, else after how many seconds to try again, and then it is not counted."""
        with self._lock:
            now = self._clock()
            left, since = self._left.pop((who, rate), (float(rate.at_once), now))
            left = min(float(rate.at_once), left + max(0.0, now - since) * rate.each_second)
            if left >= 1:
                self._left[who, rate] = (left - 1, now)
                if len(self._left) > _MAX_KEYS:
                    # who has not asked for longest has most likely nothing on their account
                    self._left.popitem(last=False)
                return 0
            self._left[who, rate] = (left, now)
            return max(1, math.ceil((1 - left) / rate.each_second))


def by_address(address: str) -> str:
    """Whom an address stands for."""
    return f"address {network(address)}"


def by_name(name: str) -> str:
    """Whom a name stands for."""
    return f"name {name}"
