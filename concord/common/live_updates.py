"""Live updates: versions that move when there is something new to draw, and how often they move while drawing is dear.

Browsers ask for them every few seconds (``/api/studio/version``), which costs next to nothing; a page is drawn anew only when
its version has moved. Where answers come in all the time, each would make every page be drawn again: so what pages see of the
project moves only so often that drawing takes a share of the time, and all who look at it meanwhile see the same.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from functools import lru_cache, partial, wraps
from inspect import signature
from queue import SimpleQueue
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from data.store.core.store import Store

P = ParamSpec("P")
T = TypeVar("T")

Moves = Callable[[Store], str]
"""Gives a text that differs when there is something new to draw."""

_SHARE: Final = 0.15
"""So much of the time may be spent on drawing, in the long run."""
_SAVED: Final = 5.0
"""Seconds that may be spent at once after a quiet time."""
_OWED: Final = 9.0
"""Seconds that are paid back at most: pages move once a minute at least."""

_NICE: Final = 10
"""Linux has a priority for each thread."""
_KEPT: Final = 8
"""So many drawings of a part of a page are kept: of those who look at different things."""

_followed: dict[str, Moves] = {}


def follow(moves: Moves) -> str:
    """Under which name browsers may ask for this text from now on."""
    name = f"{moves.__module__}.{moves.__qualname__}"
    _followed[name] = moves
    return name


def followed(name: str) -> Moves | None:
    """What is followed under this name."""
    return _followed.get(name)


class DrawingPace:
    """What pages see of a project that is open in an app: its version, which moves no faster than drawing allows.

    Drawing may take a share of the time; what it does not take it may take later, up to a point: a change after a quiet time is
    seen at once. Thread-safe. ``clock`` never goes back; ``worked`` is the processor time of the thread that calls it; ``nice``
    is how far the thread that draws stands back behind others.
    """

    def __init__(
        self,
        store: Store,
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


_paces: WeakKeyDictionary[Store, DrawingPace] = WeakKeyDictionary()


def limit_pace(store: Store, pace: DrawingPace | None = None) -> DrawingPace:
    """Until it is closed, pages of this project move no faster than drawing them allows: for the app that has it open."""
    pace = _paces[store] = pace or DrawingPace(store)
    return pace


def version(store: Store) -> str:
    """The project's version as pages see it: what is computed of it is computed once for all who look."""
    pace = _paces.get(store)
    return store.version if pace is None else pace.version()


def stored_version(store: Store) -> str:
    """The project's version in its database, which pages may see only later."""
    return store.version


def cached(
    maxsize: int, *, key: Moves = version
) -> Callable[[Callable[Concatenate[Store, P], T]], Callable[Concatenate[Store, P], T]]:
    """Decorator: a function's results by its arguments, computed once for all who look while the project's ``key`` stays."""

    def decorate(compute: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
        parameters = signature(compute)

        @lru_cache(maxsize)
        def of_key(_: str, *args: Any, **kwargs: Any) -> T:
            return compute(*args, **kwargs)

        @wraps(compute)
        def latest(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
            # a default that is given and one that is left out are one call
            call = parameters.bind(store, *args, **kwargs)
            call.apply_defaults()
            return of_key(key(store), *call.args, **call.kwargs)

        return latest

    return decorate


class _Drawing:
    """What one page draws of one version, step by step: whoever needs the next step makes it, and it is there for all."""

    def __init__(self, steps: Iterator[Sequence[Any]], pace: DrawingPace) -> None:
        self._steps = steps
        self._pace = pace
        self._lock = threading.Lock()
        self._last: Sequence[Any] | None = None
        self._made = 0
        self._whole = False
        self._error: Exception | None = None

    @property
    def failed(self) -> bool:
        return self._error is not None

    def steps(self) -> Iterator[Sequence[Any]]:
        """Each step that is made from now on, after the last one that was."""
        seen = 0
        while (following := self._after(seen)) is not None:
            seen, step = following
            yield step

    def _after(self, seen: int) -> tuple[int, Sequence[Any]] | None:
        with self._lock:
            if seen == self._made and not self._whole:
                self._make()
            if self._error is not None:
                raise self._error
            # whoever comes late has no use for what was there before
            return (self._made, self._last) if self._last is not None and seen < self._made else None

    def _make(self) -> None:
        try:
            step = self._pace.draw(lambda: next(self._steps, None))
        except Exception as error:
            self._error, self._whole = error, True
            return
        if step is None:
            self._whole = True
        else:
            self._last, self._made = step, self._made + 1


class SharedDrawing:
    """What a page draws, drawn once for all who look at the same of the same version, where an app has the project open.

    ``draw`` says the same of the same values, whoever asks.
    """

    def __init__(self, store: Store, draw: Callable[..., Iterator[Sequence[Any]]]) -> None:
        self._store = store
        self._draw = draw
        self._kept: OrderedDict[tuple[str, str], _Drawing] = OrderedDict()
        self._lock = threading.Lock()

    def drawn(self, version: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """What ``draw`` yields of these values."""
        pace = _paces.get(self._store)
        if pace is None:
            yield from self._draw(*values)
            return
        yield from self._drawing((version, repr(values)), values, pace).steps()

    def _drawing(self, key: tuple[str, str], values: Sequence[Any], pace: DrawingPace) -> _Drawing:
        with self._lock:
            drawing = self._kept.get(key)
            if drawing is None or drawing.failed:
                drawing = self._kept[key] = _Drawing(iter(self._draw(*values)), pace)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return drawing
