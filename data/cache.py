"""Results that are computed once and given to all who ask, until what they were computed of has changed.

There are two caches. A project's is kept by its version (`data.store.core.cache`, for functions of a project
`concord.common.live_updates.cached`); what is read from files is kept by their stamps (`cached_by_stamp`). Both have room for
so many results, and keep nothing of a computation that failed.

A pure function of values that cannot change (numbers, texts, frozen records) needs neither: `functools.lru_cache` with a bound
keeps what it returns, and `functools.cache` what one without arguments returns, which is the same for as long as the program
runs. No function that takes a project, a file or a folder has either of them. Whatever is no value (a worker's handle, a lock,
a drawing or a run that goes on, a reservation) is not cached but registered, under a name that says so.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", Path, tuple[Path, ...])


class _Slot(Generic[T]):
    """The result of one call at one version, or the place where it is being computed."""

    def __init__(self, version: Hashable) -> None:
        self.version = version
        self._lock = threading.RLock()
        self._result: tuple[T] | None = None

    def get(self, compute: Callable[[], T]) -> T:
        if self._result is None:
            with self._lock:
                if self._result is None:
                    self._result = (compute(),)
        return self._result[0]


class Results(Generic[T]):
    """Results by call, each of the version that was asked for last; of more than `most` the one asked for longest ago goes.

    Thread-safe: of all who ask for the same, one computes, and the others wait for it; where that fails, the next one tries.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._slots: OrderedDict[Hashable, _Slot[T]] = OrderedDict()

    def get(self, call: Hashable, version: Hashable, compute: Callable[[], T]) -> T:
        """Return what `compute` gives for a call at a version: computed now, or before at the same version."""
        with self._lock:
            slot = self._slots.get(call)
            if slot is None or slot.version != version:
                slot = self._slots[call] = _Slot(version)
            self._slots.move_to_end(call)
            if len(self._slots) > self._most:
                self._slots.popitem(last=False)
        # a result that comes when its version has passed is given to those who asked for it, and is in nobody's way
        return slot.get(compute)


def stamp(files: Path | tuple[Path, ...]) -> tuple[tuple[int, int, int, int], ...]:
    """Return numbers of which at least one differs as soon as a file was written or exchanged, or a name in a folder changed.

    Raises:
        OSError: one is not there.
    """
    stats = [path.stat() for path in ((files,) if isinstance(files, Path) else files)]
    return tuple((each.st_ino, each.st_size, each.st_mtime_ns, each.st_ctime_ns) for each in stats)


def cached_by_stamp(maxsize: int) -> Callable[[Callable[Concatenate[F, P], T]], Callable[Concatenate[F, P], T]]:
    """Decorator: what a function reads from its first argument, a path or several, is read once while they stay as they are.

    Raises OSError where one of them is not there.
    """

    def decorate(read: Callable[Concatenate[F, P], T]) -> Callable[Concatenate[F, P], T]:
        results: Results[T] = Results(maxsize)

        @wraps(read)
        def latest(files: F, /, *args: P.args, **kwargs: P.kwargs) -> T:
            # stamped before it is read: what is written meanwhile has another stamp
            call = files, args, tuple(sorted(kwargs.items()))
            return results.get(call, stamp(files), lambda: read(files, *args, **kwargs))

        return latest

    return decorate
