"""How often pages move while drawing is dear, and the thread that draws them.

Where answers come in all the time, each would make every page be drawn again: so what pages see of the project moves only so
often that drawing takes a share of the time, and all who look at it meanwhile see the same.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from concord.common import live_updates
from concord.open_project import OpenProject

T = TypeVar("T")

_SHARE: Final = 0.15
"""So much of the time may be spent on drawing, in the long run."""
_SAVED: Final = 5.0
"""Seconds that may be spent at once after a quiet time."""
_OWED: Final = 9.0
"""Seconds that are paid back at most: pages move once a minute at least."""

_NICE: Final = 10
"""Linux has a priority for each thread."""


class DrawingPace:
    """What pages see of a project that is open in an app: its version, which moves no faster than drawing allows.

    Drawing may take a share of the time; what it does not take it may take later, up to a point: a change after a quiet time is
    seen at once. Thread-safe. ``clock`` never goes back; ``worked`` is the processor time of the thread that calls it; ``nice``
    is how far the thread that draws stands back behind others.
    """

    def __init__(
        self,
        store: OpenProject,
        clock: Callable[[], float] = time.monotonic,
        worked: Callable[[], float] = time.thread_time,
        nice: int = _NICE,
    ) -> None:
        self._store = store
        self._nice = nice
        self._clock = clock
        self._worked = worked
        self._lock = threading.Lock()
        self._turns: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        threading.Thread(target=self._take_turns, name="drawing", daemon=True).start()
        self._version = store.version
        self._left = _SAVED
        self._at = clock()

    def version(self) -> str:
        """The version to draw now."""
        with self._lock:
            self._earn()
            if self._left > 0:
                self._version = self._store.version
            return self._version

    def draw(self, step: Callable[[], T]) -> T:
        """Do a step of a drawing; its time counts.

        One at a time, in a thread of its own that lets all others go first: several would be no faster, and answers would wait.
        """
        done: Future[T] = Future()
        self._turns.put((partial(copy_context().run, step), done))
        return done.result()

    def close(self) -> None:
        """End the thread that draws; pages of the project move freely again."""
        self._turns.put(None)
        _paces.pop(self._store, None)
        live_updates.set_page_version(self._store, None)

    def _take_turns(self) -> None:
        # where it cannot be told so, it is as important as all else
        with suppress(AttributeError, OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), self._nice)
        while (turn := self._turns.get()) is not None:
            step, done = turn
            # its processor time: while it stands back behind others, as on a busy machine, it takes none
            start = self._worked()
            try:
                tell = partial(done.set_result, step())
            except BaseException as error:
                tell = partial(done.set_exception, error)
            with self._lock:
                self._earn()
                self._left = max(self._left - (self._worked() - start), -_OWED)
            tell()

    def _earn(self) -> None:
        now = self._clock()
        self._left = min(self._left + _SHARE * (now - self._at), _SAVED)
        self._at = now


_paces: WeakKeyDictionary[OpenProject, DrawingPace] = WeakKeyDictionary()


def limit_pace(store: OpenProject, pace: DrawingPace | None = None) -> DrawingPace:
    """Until it is closed, pages of this project move no faster than drawing them allows: for the app that has it open."""
    pace = _paces[store] = pace or DrawingPace(store)
    live_updates.set_page_version(store, pace.version)
    return pace


def pace_of(store: OpenProject) -> DrawingPace | None:
    """Return the pace of a project that an app has open; None: nothing limits it."""
    return _paces.get(store)
