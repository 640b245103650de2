"""What hardly ever changes and is needed for every answer, kept in memory: an item's pictures, a campaign's settings."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
_MOST = 20_000


class Memory:
    """Things by key, all let go of at once whenever something is written that is not only said of items. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Any] = {}
        self._state = 0

    @property
    def state(self) -> int:
        """Moves whenever everything is forgotten."""
        return self._state

    def get(self, key: Hashable) -> Any:
        """What is kept, None if it is not."""
        return self._kept.get(key)

    def put(self, key: Hashable, value: Any, since: int) -> None:
        """Keep what was read when ``state`` was ``since``, unless it has moved: then it may be what was there before."""
        with self._lock:
            if since == self._state:
                if len(self._kept) >= _MOST:
                    self._kept.clear()
                self._kept[key] = value

    def keep(self, key: Hashable, read: Callable[[], T | None]) -> T | None:
        """What is kept, else what ``read`` finds; None is not kept."""
        found: T | None = self.get(key)
        if found is None:
            since = self.state
            found = read()
            if found is not None:
                self.put(key, found, since)
        return found

    def forget(self) -> None:
        """Let go of everything; writes do so themselves unless they are not ``shown``."""
        with self._lock:
            self._state += 1
            self._kept.clear()
