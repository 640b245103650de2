"""A part of a run as it is perceived: images opened ahead, given to a model, and what fails reported of each, alone.

Images are opened in threads (``Prefetcher``) while a model looks at earlier ones: Pillow lets go of the interpreter while it
decodes and resizes, and two threads decode as fast as two processes (measured on PNGs of 1024 x 1024), without a copy of every
picture from one process to the other.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Generic, Self, TypeVar

from PIL import Image

from data.files import printable
from data.images.files import ImageError, open_image
from data.jobs.runs import Observation, WorkItem
from data.spec import SpecError
from scorers.base import Perceiver, Shown
from scorers.running.fault_isolation import Failed, FaultIsolator

Source = TypeVar("Source")
Product = TypeVar("Product")

MOST_DECODERS: Final = 12


def decoders() -> int:
    """How many threads open images: one core is left to the model, and beyond a dozen no model keeps up."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(MOST_DECODERS, cores - 1))


class Prefetcher(Generic[Source, Product]):
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
        things: Sequence[Source],
        make: Callable[[Source], Product],
        weight: Callable[[Product], float],
        room: float,
        threads: int,
    ) -> None:
        self._things, self._make, self._weight, self._room = things, make, weight, room
        self._turn = threading.Condition()
        self._made: dict[int, Product | BaseException] = {}
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

    def take(self, n: int) -> list[Product]:
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
        while True:
            with self._turn:
                self._turn.wait_for(
                    lambda: (
                        self._closed
                        or self._begun >= len(self._things)
                        or self._begun < self._wanted
                        or sum(self._weights.values()) < self._room
                    )
                )
                if self._closed or self._begun >= len(self._things):
                    return
                k = self._begun
                self._begun += 1
            made: Product | BaseException
            try:
                made = self._make(self._things[k])
                weight = self._weight(made)
            except BaseException as error:
                made, weight = error, 0.0
            with self._turn:
                self._made[k], self._weights[k] = made, weight
                self._turn.notify_all()
            del made  # or the last picture would be held until the next


_REASON_LIMIT: Final = 300
DIED: Final = "the worker died while it looked at this image"
_LEAST_PIXELS: Final = 1 << 16
"""What an image counts as at least, so that tiny ones are not opened by the ten thousand."""


def perceive_images(perceiver: Perceiver, images: Sequence[Shown | Observation]) -> list[Observation]:
    """What is seen of each, in order. An image that could not be opened, or breaks the model, fails alone.

    Raises:
        ModelBroken: the model gives what no working model gives.
        RuntimeError: it fails on every image.
    """
    good = [one for one in images if isinstance(one, Shown)]
    seen = {one.item_id: one for one in images if isinstance(one, Observation)}
    seen |= {one.item_id: one for one in guard(perceiver).perceive(good)}
    return [seen[one.item_id] for one in images]


def open_image_of(work: WorkItem, base: Path, content: bytes | None = None) -> Shown | Observation:
    """What a scorer is shown of this work, whose path may be below ``base``; or why it cannot be. ``content`` is the file's,
    where it was read elsewhere."""
    try:
        image = open_image(base / work.path, work.sha256 or None, content)
        return Shown(work.item_id, image, work.text, work.demands, work.questions, work.version, work.captions, work.right)
    except ImageError as error:
        return Observation(work.item_id, failed=single_line(error.reason))
    except SpecError as error:
        return Observation(work.item_id, failed=single_line(f"the prompt's spec cannot be read: {error}"))
    except Exception as error:  # an image that takes more memory than there is, or breaks a decoder as nobody foresaw
        return Observation(work.item_id, failed=single_line(f"it cannot be opened: {error or type(error).__name__}"))


def pixel_count(one: Shown | Observation) -> int:
    """How much room an opened image takes."""
    return max(_LEAST_PIXELS, one.image.width * one.image.height if isinstance(one, Shown) else 0)


def guard(perceiver: Perceiver, folder: Path | None = None) -> GuardedPerceiver:
    """A perceiver that no single image breaks. Of whoever opens a model: once, and kept for the whole run.

    Args:
        perceiver: models in memory.
        folder: the run's, where what it looks at is noted, so that an image that kills its process is found. None: it is not.
    """
    return perceiver if isinstance(perceiver, GuardedPerceiver) else GuardedPerceiver(perceiver, folder)


class GuardedPerceiver:
    """See ``guarded``. Its results are in order, and as many as the images.

    Attributes:
        warnings: what looked odd when the model was opened, or since.
        halved: how many times the memory did not suffice, and half as many images went at once from then on.
    """

    def __init__(self, perceiver: Perceiver, folder: Path | None = None) -> None:
        self._odd = tuple(map(single_line, getattr(perceiver, "warnings", ())))
        self._careful = FaultIsolator(
            partial(_checked_perceive, perceiver),
            lambda one: one.item_id,
            # the same question of a picture in which nothing can be odd: 256 x 256, black to white
            lambda one: replace(one, image=Image.linear_gradient("L").convert("RGB")),
            "image",
            DIED,
            folder,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self._odd, *self._careful.warnings)

    @property
    def halved(self) -> int:
        return self._careful.halved

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. What fails says why.

        Raises:
            ModelBroken: the model gives what no working model gives.
            RuntimeError: it fails on every image, on one that it saw before too.
        """
        found = self._careful(batch)
        return [
            Observation(shown.item_id, failed=single_line(one.reason)) if isinstance(one, Failed) else one
            for shown, one in zip(batch, found, strict=True)
        ]


def _checked_perceive(perceiver: Perceiver, batch: Sequence[Shown]) -> list[Observation]:
    """What can be kept of what is seen.

    Raises:
        ValueError: it is about other images, or it cannot be written.
    """
    seen = perceiver.perceive(batch)
    if [one.item_id for one in seen] != [one.item_id for one in batch]:
        raise ValueError("it returned results for other images than it was given")
    for one in seen:
        json.dumps(one.payload, allow_nan=False)
    return seen


def single_line(text: object) -> str:
    """One line for people, not too long."""
    return printable(" ".join(str(text).split()))[:_REASON_LIMIT]
