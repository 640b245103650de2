"""Fault isolation: what fails is tried alone, what does not fit is halved, and a crash names the model that was at work.

A small file is there only while a model is at work. Whatever ends a process in order takes the file away; a crash does not.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from data.files import printable
from data.jobs.runs import RunFolder
from scorers.base import ModelBroken


def lower_priority() -> None:
    """Let others on this machine go first, whoever labels images above all; what is begun from here does the same."""
    with suppress(AttributeError, OSError):
        os.nice(10)


_TWICE: Final = 2
_THRICE: Final = 3
"""A process may be killed by somebody who has nothing against the image that was at hand: once, and even twice, is no proof."""

_MOST_TIMES: Final = 4
"""Deaths at the same part that lead to one image."""
_MOST_BLAMED: Final = 8
"""Where a worker dies of more images than these, it is hardly the images."""


class CrashLog:
    """Names of things that a process was at when it died, in this run.

    Args:
        folder: the run's; None: nothing is kept, nobody is to blame.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / "attempts" / f"{socket.gethostname()}-{os.getpid()}.json"
        deaths = {} if folder is None else _counted_deaths(folder)
        self.suspects = frozenset(name for name, (times, _) in deaths.items() if times >= _TWICE)
        """A process died at each of these, alone or with others, twice: from now on alone."""
        self.blamed = frozenset(name for name, (times, alone) in deaths.items() if times >= _THRICE and alone >= _TWICE)
        """A process died at each of these, three times, of these twice at it alone: no more."""

    @contextmanager
    def at(self, names: Sequence[str]) -> Iterator[None]:
        """While something is done to these."""
        if self._file is None:
            yield
            return
        # where it cannot be written, nothing is known after a death: no reason to do nothing now
        with suppress(OSError):
            self._file.parent.mkdir(exist_ok=True)
            self._file.write_text(json.dumps(list(names)), encoding="utf-8")
        try:
            yield
        finally:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


def has_uncounted_crashes(folder: Path) -> bool:
    """Whether a process died while it was at something, and nobody has counted that yet. Asked when nobody is at work."""
    return next((folder / "attempts").glob("*.json"), None) is not None


def count_crashes(folder: Path) -> None:
    """Count what processes left that died. Only whoever holds the run may, before anybody is at work.

    Raises:
        OSError: the folder cannot be written.
    """
    deaths = dict(_counted_deaths(folder))
    for path in sorted((folder / "attempts").glob("*.json")):
        try:
            attempted = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # cut off
            attempted = None
        names = [name for name in attempted if isinstance(name, str)] if isinstance(attempted, list) else []
        for name in names:
            times, alone = deaths.get(name, (0, 0))
            deaths[name] = (times + 1, alone + (len(names) == 1))
        # first: counted twice would blame the innocent, not counted costs another death
        path.unlink(missing_ok=True)
    if deaths:
        (folder / "deaths.json").write_text(json.dumps(deaths, ensure_ascii=False), encoding="utf-8")


def _counted_deaths(folder: Path) -> Mapping[str, tuple[int, int]]:
    """How often a process died at each, and at it alone. What cannot be read is no death."""
    try:
        deaths = json.loads((folder / "deaths.json").read_text(encoding="utf-8"))
        return {str(name): (int(times), int(alone)) for name, (times, alone) in deaths.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


class RestartPolicy:
    """How often a worker that died is started again: as long as that leads anywhere.

    A worker that died at something goes on with the next one, which comes nearer to what killed it (see ``CrashLog``). One that
    died without being at anything, or of many things one after the other, is not helped by that.

    Args:
        folder: the run's.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._far = (-1, 0)
        self._times = 0

    def again(self) -> bool:
        """Whether to start another worker, as one has ended before its time and nobody is at work."""
        if not has_uncounted_crashes(self._folder.path):
            return False
        far = (len(self._folder.parts()), len(CrashLog(self._folder.path).blamed))
        self._times = 1 if far != self._far else self._times + 1
        self._far = far
        return self._times <= _MOST_TIMES and far[1] <= _MOST_BLAMED


Source = TypeVar("Source")
Product = TypeVar("Product")

TOO_LARGE: Final = "not enough memory for it, even alone"

_REASON_LIMIT: Final = 300
# what torch, its libraries and the allocators below them say: CUDA and HIP, MPS, the CPU, cuBLAS and cuDNN
_FULL: Final = ("out of memory", "can't allocate memory", "cannot allocate memory", "invalid buffer size", "alloc_failed")


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing came of a thing; ``reason`` is one line for people."""

    reason: str


class FaultIsolator(Generic[Source, Product]):
    """What a model makes of each of several things; what fails, fails alone.

    Where a model raises, each thing of that batch is tried alone. Where the memory does not suffice, half as many go at once
    from then on. Where all fail, a thing that went well before is tried again: if that fails too, it is the model.

    Args:
        do: makes something of each, in order. What it raises is not its last word, unless it is ``ModelBroken``.
        name: of a thing, the same in every process.
        plain: of a thing that failed another one that is as harmless as can be.
        noun: what things are called: image, picture.
        died: what is said of one that killed its process, again and again.
        folder: the run's, where a process that dies leaves what it was at; None: it leaves nothing.

    Attributes:
        halved: how many times the memory did not suffice.
        warnings: what people should hear of it, a line each.
    """

    def __init__(
        self,
        do: Callable[[Sequence[Source]], list[Product]],
        name: Callable[[Source], str],
        plain: Callable[[Source], Source],
        noun: str,
        died: str,
        folder: Path | None = None,
    ) -> None:
        self._do, self._name, self._plain, self._noun, self._died = do, name, plain, noun, died
        self._attempts = CrashLog(folder)
        self._most = sys.maxsize
        self._good: Source | None = None
        self._in_a_row = 0
        self.halved = 0
        self.warnings: list[str] = []

    def __call__(self, things: Sequence[Source]) -> list[Product | Failed]:
        """What is made of each, in order.

        Raises:
            ModelBroken: as ``do`` does.
            RuntimeError: it fails on everything.
        """
        made: list[Product | Failed] = []
        last: Exception | None = None
        while len(made) < len(things):
            batch = self._next(things[len(made) :])
            if self._name(batch[0]) in self._attempts.blamed:
                made.append(Failed(self._died))
                continue
            outcome = self._tried(batch)
            if isinstance(outcome, list):
                made += outcome
            elif len(batch) > 1 and out_of_memory(outcome):
                self._halve(len(batch))
            else:
                last = outcome
                made += [failure_of(outcome)] if len(batch) == 1 else self._alone(batch)
        self._in_a_row = self._in_a_row + len(made) if all(isinstance(product, Failed) for product in made) else 0
        if last is not None and self._in_a_row > 1:
            self._look_whether_it_works(things[0], last)
        return made

    def _next(self, rest: Sequence[Source]) -> Sequence[Source]:
        """As many as may go at once: what a process died at goes alone."""
        n = 0
        while n < min(len(rest), self._most) and self._name(rest[n]) not in self._attempts.suspects:
            n += 1
        return rest[: max(n, 1)]

    def _alone(self, batch: Sequence[Source]) -> list[Product | Failed]:
        made: list[Product | Failed] = []
        for source in batch:
            outcome = self._tried([source])
            made += outcome if isinstance(outcome, list) else [failure_of(outcome)]
        return made

    def _tried(self, batch: Sequence[Source]) -> list[Product] | Exception:
        """What is made of them, or why nothing is."""
        try:
            with self._attempts.at([self._name(source) for source in batch]):
                made = self._do(batch)
        except ModelBroken:
            raise
        except Exception as error:
            if out_of_memory(error):
                _free_memory(error)
            return error
        if len(made) != len(batch):
            return ValueError(f"it gave {len(made)} results for {len(batch)}")
        self._good = batch[-1]
        return made

    def _halve(self, n: int) -> None:
        self._most = n // 2
        self.halved += 1
        if not self.warnings:
            self.warnings.append(f"not enough memory for {n} {self._noun}s at once: half as many from now on, or fewer")

    def _look_whether_it_works(self, source: Source, why: Exception) -> None:
        """Some have failed, and no other between them: that may be those few, or the model."""
        try:
            self._do([self._plain(source) if self._good is None else self._good])
        except ModelBroken:
            raise
        except Exception as again:
            if out_of_memory(again):
                raise RuntimeError(
                    f"there is not enough memory even for one {self._noun} at a time: {single_line(again)}"
                ) from why
            raise RuntimeError(f"the model fails on every {self._noun}: {single_line(why)}") from why


def failure_of(error: Exception) -> Failed:
    """Why nothing came of a thing that was tried alone."""
    return Failed(TOO_LARGE if out_of_memory(error) else f"the model failed: {single_line(error)}"[:_REASON_LIMIT])


def single_line(message: object) -> str:
    """What an error or somebody says, as one line for people, not too long."""
    return printable(" ".join(str(message).split()))[:_REASON_LIMIT] or type(message).__name__


def out_of_memory(error: BaseException | None) -> bool:
    """Whether it says that memory did not suffice, a device's or the machine's. torch need not be there."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        text = str(error).casefold()
        if isinstance(error, MemoryError) or any(kind.__name__ == "OutOfMemoryError" for kind in type(error).__mro__):
            return True
        if isinstance(error, (RuntimeError, OSError)) and any(sign in text for sign in _FULL):
            return True
        error = error.__cause__
    return False


def _free_memory(error: BaseException) -> None:
    """Free what the frames of an error hold, and what torch keeps for later."""
    following: BaseException | None = error
    while following is not None:
        following.__traceback__ = None
        following = following.__context__
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
    if torch is not None and torch.backends.mps.is_available():
        torch.mps.empty_cache()
