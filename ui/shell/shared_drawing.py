"""Drawings that are made once for all who look at the same page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from concord.open_project import OpenProject
from ui.shell.drawing_pace import DrawingPace, pace_of

_MOST: Final = 8
"""So many drawings of a part of a page go on, or can be looked at: of those who look at different things."""


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

    def __init__(self, store: OpenProject, draw: Callable[..., Iterator[Sequence[Any]]]) -> None:
        self._store = store
        self._draw = draw
        self._drawings: OrderedDict[tuple[str, str], _Drawing] = OrderedDict()
        self._lock = threading.Lock()

    def drawn(self, version: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Yield what ``draw`` draws of these values."""
        pace = pace_of(self._store)
        if pace is None:
            yield from self._draw(*values)
            return
        yield from self._drawing((version, repr(values)), values, pace).steps()

    def _drawing(self, key: tuple[str, str], values: Sequence[Any], pace: DrawingPace) -> _Drawing:
        with self._lock:
            drawing = self._drawings.get(key)
            if drawing is None or drawing.failed:
                drawing = self._drawings[key] = _Drawing(iter(self._draw(*values)), pace)
            self._drawings.move_to_end(key)
            while len(self._drawings) > _MOST:
                self._drawings.popitem(last=False)
            return drawing
