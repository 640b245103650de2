"""Making things before they are asked for, a few at a time, in order: images are opened while a model looks at earlier ones.

In threads: Pillow lets go of the interpreter while it decodes and resizes, and two threads decode as fast as two processes
(measured on PNGs of 1024 x 1024), without a copy of every picture from one process to the other.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

Asked = TypeVar("Asked")
Made = TypeVar("Made")

MOST_DECODERS: Final = 12


def decoders() -> int:
    """How many threads open images: one core is left to the model, and beyond a dozen no model keeps up."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_DECODERS, cores - 1))


class Ahead(Generic[Asked, Made]):
    """What is made of each thing, in order, whatever the number of threads.

    Used as a context: leaving it, for whatever reason, ends the threads; what they are at is waited for.

    Args:
        things: what to make something of.
        make: does so, in a thread. What it raises is raised where its thing would be taken.
        weight: of something made, in any unit.
        room: things are made ahead as long as those not taken yet weigh less; what is being taken is made in any case.
        threads: at least 1.
    """

    def __init__(
        self,
        things: Sequence[Asked],
        make: Callable[[Asked], Made],
        weight: Callable[[Made], float],
        room: float,
        threads: int,
    ) -> None:
        self._things, self._make, self._weight, self._room = things, make, weight, room
        self._turn = threading.Condition()
        self._made: dict[int, Made | BaseException] = {}
        self._weights: dict[int, float] = {}
        self._begun = self._taken = self._wanted = 0
        self._closed = False
        self._threads = [threading.Thread(target=self._work, name=f"ahead-{k}", daemon=True) for k in range(threads)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        for thread in self._threads:
            thread.join()
        self._made.clear()

    @property
    def total(self) -> int:
        """How many things there are in all."""
        return len(self._things)

    def take(self, n: int) -> list[Made]:
        """What is made of the next ``n`` things (fewer at the end). Nothing of it is kept here.

        Raises:
            BaseException: what ``make`` raised for one of them.
        """
        with self._turn:
            first, self._wanted = self._taken, min(self._taken + n, len(self._things))
            self._turn.notify_all()
            self._turn.wait_for(lambda: all(k in self._made for k in range(first, self._wanted)))
            taken = [self._made.pop(k) for k in range(first, self._wanted)]
            for k in range(first, self._wanted):
                self._weights.pop(k)
            self._taken = self._wanted
            self._turn.notify_all()
        made = []
        for one in taken:
            if isinstance(one, BaseException):
                raise one
            made.append(one)
        return made

    def _work(self) -> None:
        while (k := self._next()) is not None:
            made: Made | BaseException
            try:
                made = self._make(self._things[k])
                weight = self._weight(made)
            except BaseException as error:
                made, weight = error, 0.0
            with self._turn:
                self._made[k], self._weights[k] = made, weight
                self._turn.notify_all()
            del made  # or the last picture would be held until the next

    def _next(self) -> int | None:
        """The next thing to begin, as soon as there is room; None if there is none, or nobody wants any."""
        with self._turn:
            self._turn.wait_for(lambda: self._closed or self._begun >= len(self._things) or self._may_begin())
            if self._closed or self._begun >= len(self._things):
                return None
            self._begun += 1
            return self._begun - 1

    def _may_begin(self) -> bool:
        return self._begun < self._wanted or sum(self._weights.values()) < self._room
