"""A project's cache: what was read or computed of it, for as long as its version says that this is still so.

There are two ways in. `Cache.keep` is for what hardly ever changes and is needed for every answer (an item's pictures, a
campaign's settings): its version moves with every write except those that only add judgements, and nobody ever waits for
another thread, as the writer's asks, too. `Cache.once` is for what takes long, at a version that the caller names: all who ask
for the same wait for one computation.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

from data.cache import Results

T = TypeVar("T")

_MOST: Final = 10_000
"""So many values are kept for answers; then all make room."""


class Cache:
    """What is kept of one open project. Thread-safe; it goes with the project."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Any] = {}
        self._state = 0
        self._forgotten: dict[Hashable, int] = {}
        self._results: dict[Hashable, Results[Any]] = {}

    @property
    def state(self) -> int:
        """Moves whenever everything is forgotten."""
        return self._state

    def get(self, key: Hashable) -> Any:
        """Return what is kept, None if it is not."""
        return self._kept.get(key)

    def put(self, key: Hashable, value: Any, since: int) -> None:
        """Keep what was read when ``state`` was ``since``, unless it has moved: then it may be what was there before."""
        with self._lock:
            if since == self._state:
                self._put(key, value)

    def keep(self, key: Hashable, read: Callable[[], T | None]) -> T | None:
        """Return what is kept, else what ``read`` finds; None is not kept."""
        value: T | None = self.get(key)
        if value is None:
            since = self._state, self._forgotten.get(key)
            value = read()
            with self._lock:
                if value is not None and since == (self._state, self._forgotten.get(key)):
                    self._put(key, value)
        return value

    def _put(self, key: Hashable, value: Any) -> None:
        if len(self._kept) >= _MOST:
            self._kept.clear()
        self._kept[key] = value

    def forget(self, *keys: Hashable) -> None:
        """Let go of what is kept by these keys, of everything if none is named, as writes that are ``shown`` do."""
        with self._lock:
            if keys:
                for key in keys:
                    self._kept.pop(key, None)
                    self._forgotten[key] = self._forgotten.get(key, 0) + 1
            else:
                self._state += 1
                self._kept.clear()
                self._forgotten.clear()

    def once(self, function: Hashable, call: Hashable, version: Hashable, compute: Callable[[], T], most: int) -> T:
        """Return what ``compute`` gives for a function's call at a version, computed once; ``most``: calls that are kept."""
        with self._lock:
            results: Results[T] = self._results.setdefault(function, Results(most))
        return results.get(call, version, compute)
