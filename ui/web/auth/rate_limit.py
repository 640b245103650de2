"""Rate limits: how long somebody waits after wrong passwords, and how many requests somebody may make.

After wrong passwords the wait grows, by name *and* address and by address, never for good: who types a name wrongly at one
address keeps nobody waiting at another, so a stranger cannot lock the real person out. Requests are counted by person where
somebody is signed in (two hundred annotators may share one address), else by address, far beyond what a person does; nothing is
counted where nobody signs in, as there are no others then.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final

WINDOW_SECONDS: Final = 15 * 60.0
"""After so long a failure is forgotten."""
FREE_BY_NAME: Final = 5
FREE_BY_ADDRESS: Final = 30
"""So many failures cost nothing: of one name at one address, and of all names at one."""
LONGEST_SECONDS: Final = 60.0
_MAX_KEYS: Final = 10_000


class SignInLimiter:
    """Failures of the last minutes, in memory. An attempt counts as failed until it is said to have succeeded."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failed: dict[tuple[str, str], deque[float]] = {}

    def attempt(self, name: str, address: str) -> float:
        """Count an attempt; returns 0 if it may go on, else how many seconds to wait, and then it is not counted."""
        with self._lock:
            now = self._clock()
            keys = _keys(name, address)
            wait = max(self._wait(key, free, now) for key, free in keys)
            if wait > 0:
                return wait
            if len(self._failed) >= _MAX_KEYS:
                old = [tidy for tidy, failed in self._failed.items() if not failed or failed[-1] <= now - WINDOW_SECONDS]
                # an attack from everywhere at once: the oldest names are forgotten before memory is full
                for tidy in old or list(self._failed)[: _MAX_KEYS // 10]:
                    del self._failed[tidy]
            for key, _ in keys:
                self._failed.setdefault(key, deque()).append(now)
            return 0.0

    def succeeded(self, name: str, address: str) -> None:
        """The attempt was a success: the name's failures at this address are forgotten, and the address's latest."""
        with self._lock:
            (by_name, _), (by_address, _) = _keys(name, address)
            self._failed.pop(by_name, None)
            if failed := self._failed.get(by_address):
                failed.pop()

    def _wait(self, key: tuple[str, str], free: int, now: float) -> float:
        """1 s after the first failure that is not free, then 2, 4, ... since the latest, and never more than the longest."""
        failed = self._failed.get(key)
        while failed and failed[0] <= now - WINDOW_SECONDS:
            failed.popleft()
        if failed is None or len(failed) < free:
            return 0.0
        delay = min(2.0 ** min(len(failed) - free, 10), LONGEST_SECONDS)
        return max(0.0, failed[-1] + delay - now)


def _keys(name: str, address: str) -> Iterable[tuple[tuple[str, str], int]]:
    where = network(address)
    return ((f"name {name.casefold()[:100]}", where), FREE_BY_NAME), (("address", where), FREE_BY_ADDRESS)


def network(address: str) -> str:
    """Whom an address stands for: one household has a whole network of IPv6 addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:100]
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None else str(parsed)


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
_MAX_COUNTED: Final = 20_000


def rate_of(method: str, path: str) -> Rate:
    """What a request of somebody who is signed in is counted as."""
    if path.startswith(_COSTLY):
        return COSTLY
    if method in ("GET", "HEAD"):
        return READS
    return EVENTS if path.startswith("/studio/") else WRITES


class RequestLimiter:
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
                if len(self._left) > _MAX_COUNTED:
                    # who has not asked for longest has most likely nothing on their account
                    self._left.popitem(last=False)
                return 0
            self._left[who, rate] = (left, now)
            return max(1, math.ceil((1 - left) / rate.each_second))
