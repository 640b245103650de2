"""A process that has a run's models: what it is told and says, and how it sees one task while the next one's images open."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from data.jobs.runs import Observation, Run
from scorers.ahead import Ahead
from scorers.base import ModelBroken, Shown
from scorers.engines import opening
from scorers.seeing import guarded, line, pixels, see

PIXELS_AHEAD: Final = 1 << 26
"""Of images that are opened before their part is begun: 64 of 1024 x 1024, 200 MB."""


@dataclass(frozen=True, slots=True)
class Task:
    """Images that one process looks at: a part, or one image of it alone (``place`` in the part)."""

    number: int
    work: Sequence[Any]
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """The models are in memory."""

    device: str
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """What was seen of a task, and how the process stands since."""

    task: tuple[int, int | None]
    seen: list[Observation]
    memory: int | None = None
    halved: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broken:
    """The process cannot go on, and says why; ``kind`` is that of the error, one of ``KINDS``."""

    kind: str
    why: str
    trace: str = ""

    def error(self, device: str) -> Exception:
        """To be raised where the run is owned."""
        return KINDS[self.kind](f"{device}: {self.why}")


@dataclass(frozen=True, slots=True)
class Died:
    """The process is gone and said nothing."""

    why: str


Said = Ready | Told | Broken | Died

KINDS: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind for kind in (ModelBroken, ValueError, ImportError, OSError, RuntimeError)
}
_EXPECTED: Final = (ModelBroken, ValueError, ImportError, OSError)


def broken(error: BaseException) -> Broken:
    """What to say of an error. Errors themselves cannot always be sent, and those that nobody foresaw have a trace."""
    kind = next((name for name, kind in KINDS.items() if isinstance(error, kind)), RuntimeError.__name__)
    trace = "" if isinstance(error, _EXPECTED) else "".join(traceback.format_exception(error))
    return Broken(kind, line(error) or type(error).__name__, trace)


class Hand:
    """Models in memory, and the images of two tasks at most.

    Args:
        run: what is asked.
        device: of torch, in this process.
        open_one: makes what is shown of a task's work, in a thread.
        decoders: how many threads open images.
        computing: how many threads torch computes with; None: as it likes.

    Raises:
        Exception: as ``opening.perceiver``.
    """

    def __init__(
        self, run: Run, device: str, open_one: Callable[[Any], Shown | Observation], decoders: int, computing: int | None
    ) -> None:
        self._open_one, self._decoders = open_one, decoders
        self._ahead: dict[tuple[int, int | None], Ahead[Any, Shown | Observation]] = {}
        self._leaving = ExitStack()
        self._leaving.enter_context(opening.computing_with(computing))
        # without a folder: whoever hands out the tasks sees who dies of what
        self._perceiver = guarded(opening.perceiver(run, device))
        self.ready = Ready(opening.called(device), opening.versions(), tuple(self._perceiver.warnings))

    def has(self, number: int, place: int | None) -> bool:
        """Whether a task's images are being opened, so that it need not be brought again."""
        return (number, place) in self._ahead

    def see(self, task: Task, following: Task | None) -> Told:
        """What is seen of a task; meanwhile images of the ``following`` one are opened, which may never be asked for.

        Raises:
            ModelBroken, RuntimeError: the model cannot go on.
        """
        images = self._begun(task)
        if following is not None:
            self._begun(following)
        for key in set(self._ahead) - {_key(task), following and _key(following)}:
            self._end(key)
        try:
            seen = see(self._perceiver, images.take(images.total))
        finally:
            self._end(_key(task))
        return Told(_key(task), seen, opening.peak_memory(), self._perceiver.halved, tuple(self._perceiver.warnings))

    def close(self) -> None:
        """End its threads."""
        for key in list(self._ahead):
            self._end(key)
        self._leaving.close()

    def _begun(self, task: Task) -> Ahead[Any, Shown | Observation]:
        key = _key(task)
        if key not in self._ahead:
            ahead = Ahead(task.work, self._open_one, pixels, PIXELS_AHEAD, min(self._decoders, max(1, len(task.work))))
            self._ahead[key] = ahead.__enter__()
        return self._ahead[key]

    def _end(self, key: tuple[int, int | None]) -> None:
        if (ahead := self._ahead.pop(key, None)) is not None:
            ahead.__exit__(None, None, None)


def _key(task: Task) -> tuple[int, int | None]:
    return task.number, task.place
