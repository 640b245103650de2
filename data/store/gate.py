"""Many may pass at once, or one alone: for the moment in which the database file is exchanged."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Shared by whoever reads or writes; exclusive for whoever exchanges what they work on.

    A thread that is inside may enter again, so that one who waits for all to leave never waits for somebody who waits for them.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False
        self._mine = threading.local()

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Be one of many."""
        depth = getattr(self._mine, "depth", 0)
        with self._changed:
            if depth == 0:
                self._changed.wait_for(lambda: not self._closed)
            self._inside += 1
        self._mine.depth = depth + 1
        try:
            yield
        finally:
            self._mine.depth -= 1
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be alone: wait until all have left, and let nobody in meanwhile. Never from inside ``shared``."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)
        try:
            yield
        finally:
            with self._changed:
                self._closed = False
                self._changed.notify_all()
