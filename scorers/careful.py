"""Doing to many at once what some of them may break: what fails is tried alone, and what does not fit is halved."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from data.files import printable
from scorers.attempts import Attempts
from scorers.base import ModelBroken

Asked = TypeVar("Asked")
Made = TypeVar("Made")

TOO_LARGE: Final = "the memory does not suffice for it, even alone"

_REASON_LIMIT: Final = 300
# what torch, its libraries and the allocators below them say: CUDA and HIP, MPS, the CPU, cuBLAS and cuDNN
_FULL: Final = ("out of memory", "can't allocate memory", "cannot allocate memory", "invalid buffer size", "alloc_failed")


@dataclass(frozen=True, slots=True)
class Failed:
    """Nothing came of a thing; ``reason`` is one line for people."""

    reason: str


class Careful(Generic[Asked, Made]):
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
        do: Callable[[Sequence[Asked]], list[Made]],
        name: Callable[[Asked], str],
        plain: Callable[[Asked], Asked],
        noun: str,
        died: str,
        folder: Path | None = None,
    ) -> None:
        self._do, self._name, self._plain, self._noun, self._died = do, name, plain, noun, died
        self._attempts = Attempts(folder)
        self._most = sys.maxsize
        self._good: Asked | None = None
        self._in_a_row = 0
        self.halved = 0
        self.warnings: list[str] = []

    def __call__(self, things: Sequence[Asked]) -> list[Made | Failed]:
        """What is made of each, in order.

        Raises:
            ModelBroken: as ``do`` does.
            RuntimeError: it fails on everything.
        """
        made: list[Made | Failed] = []
        last: Exception | None = None
        while len(made) < len(things):
            batch = self._next(things[len(made) :])
            if self._name(batch[0]) in self._attempts.blamed:
                made.append(Failed(self._died))
                continue
            found = self._tried(batch)
            if isinstance(found, list):
                made += found
            elif len(batch) > 1 and out_of_memory(found):
                self._halve(len(batch))
            else:
                last = found
                made += [failed(found)] if len(batch) == 1 else self._alone(batch)
        self._in_a_row = self._in_a_row + len(made) if all(isinstance(one, Failed) for one in made) else 0
        if last is not None and self._in_a_row > 1:
            self._look_whether_it_works(things[0], last)
        return made

    def _next(self, rest: Sequence[Asked]) -> Sequence[Asked]:
        """As many as may go at once: what a process died at goes alone."""
        n = 0
        while n < min(len(rest), self._most) and self._name(rest[n]) not in self._attempts.suspects:
            n += 1
        return rest[: max(n, 1)]

    def _alone(self, batch: Sequence[Asked]) -> list[Made | Failed]:
        made: list[Made | Failed] = []
        for one in batch:
            found = self._tried([one])
            made += found if isinstance(found, list) else [failed(found)]
        return made

    def _tried(self, batch: Sequence[Asked]) -> list[Made] | Exception:
        """What is made of them, or why nothing is."""
        try:
            with self._attempts.at([self._name(one) for one in batch]):
                made = self._do(batch)
        except ModelBroken:
            raise
        except Exception as error:
            if out_of_memory(error):
                _let_go(error)
            return error
        if len(made) != len(batch):
            return ValueError(f"it gave {len(made)} results for {len(batch)}")
        self._good = batch[-1]
        return made

    def _halve(self, n: int) -> None:
        self._most = n // 2
        self.halved += 1
        if not self.warnings:
            self.warnings.append(
                f"the memory does not suffice for {n} {self._noun}s at once: half as many go from now on, or fewer yet"
            )

    def _look_whether_it_works(self, one: Asked, why: Exception) -> None:
        """Some have failed, and no other between them: that may be those few, or the model."""
        try:
            self._do([self._plain(one) if self._good is None else self._good])
        except ModelBroken:
            raise
        except Exception as again:
            if out_of_memory(again):
                raise RuntimeError(f"the memory does not suffice for even one {self._noun} at a time: {said(again)}") from why
            raise RuntimeError(f"the model fails on every {self._noun}: {said(why)}") from why


def failed(error: Exception) -> Failed:
    """Why nothing came of a thing that was tried alone."""
    return Failed(TOO_LARGE if out_of_memory(error) else f"the model failed: {said(error)}"[:_REASON_LIMIT])


def said(error: BaseException) -> str:
    """What an error says, as one line, not too long."""
    return printable(" ".join(str(error).split()))[:_REASON_LIMIT] or type(error).__name__


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


def _let_go(error: BaseException) -> None:
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
