"""How often somebody may fail to sign in: so often by name and by address, then they wait."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from ipaddress import IPv6Address, ip_address
from typing import Final

WINDOW_SECONDS: Final = 15 * 60.0
BY_NAME: Final = 10
BY_ADDRESS: Final = 30
_MAX_KEYS: Final = 10_000


class Limiter:
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
            wait = max(self._wait(key, most, now) for key, most in keys)
            if wait > 0:
                return wait
            if len(self._failed) >= _MAX_KEYS:
                self._tidy(now)
            for key, _ in keys:
                self._failed.setdefault(key, deque()).append(now)
            return 0.0

    def succeeded(self, name: str, address: str) -> None:
        """The attempt was a success: the name's failures are forgotten, and the address's latest."""
        with self._lock:
            (by_name, _), (by_address, _) = _keys(name, address)
            self._failed.pop(by_name, None)
            if failed := self._failed.get(by_address):
                failed.pop()

    def _wait(self, key: tuple[str, str], most: int, now: float) -> float:
        failed = self._failed.get(key)
        while failed and failed[0] <= now - WINDOW_SECONDS:
            failed.popleft()
        return 0.0 if failed is None or len(failed) < most else failed[-most] + WINDOW_SECONDS - now

    def _tidy(self, now: float) -> None:
        old = [key for key, failed in self._failed.items() if not failed or failed[-1] <= now - WINDOW_SECONDS]
        # an attack from everywhere at once: the oldest names are forgotten before memory is full
        for key in old or list(self._failed)[: _MAX_KEYS // 10]:
            del self._failed[key]


def _keys(name: str, address: str) -> Iterable[tuple[tuple[str, str], int]]:
    return (("name", name.casefold()[:100]), BY_NAME), (("address", network(address)), BY_ADDRESS)


def network(address: str) -> str:
    """Whom an address stands for: one household has a whole network of IPv6 addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address[:100]
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None else str(parsed)
