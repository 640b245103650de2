"""A part of a run as it is seen: images opened, shown to a model, and what fails said of each, alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from PIL import Image

from data.files import printable
from data.images.files import ImageError, open_image
from data.jobs.runs import Observation, WorkItem
from data.prompts.questions import question_from_json
from data.prompts.spec import SpecError, parse_spec
from scorers.base import Perceiver, Shown
from scorers.careful import Careful, Failed

_REASON_LIMIT: Final = 300
DIED: Final = "the worker died while it looked at this image"
_LEAST_PIXELS: Final = 1 << 16
"""What an image counts as at least, so that tiny ones are not opened by the ten thousand."""


def see(perceiver: Perceiver, images: Sequence[Shown | Observation]) -> list[Observation]:
    """What is seen of each, in order. An image that could not be opened, or breaks the model, fails alone.

    Raises:
        ModelBroken: the model gives what no working model gives.
        RuntimeError: it fails on every image.
    """
    good = [one for one in images if isinstance(one, Shown)]
    seen = {one.item_id: one for one in images if isinstance(one, Observation)}
    seen |= {one.item_id: one for one in guarded(perceiver).perceive(good)}
    return [seen[one.item_id] for one in images]


def opened(work: WorkItem, base: Path, content: bytes | None = None) -> Shown | Observation:
    """What a scorer is shown of this work, whose path may be below ``base``; or why it cannot be. ``content`` is the file's,
    where it was read elsewhere."""
    try:
        image = open_image(base / work.path, work.sha256 or None, content)
        questions = tuple(question_from_json(one) for one in work.questions)
        return Shown(
            work.item_id, image, work.text, parse_spec(work.spec), questions, work.version, tuple(work.captions), work.right
        )
    except ImageError as error:
        return Observation(work.item_id, failed=line(error.reason))
    except SpecError as error:
        return Observation(work.item_id, failed=line(f"the prompt's spec cannot be read: {error}"))
    except TypeError as error:
        return Observation(work.item_id, failed=line(f"the prompt's questions cannot be read: {error}"))
    except Exception as error:  # an image that takes more memory than there is, or breaks a decoder as nobody foresaw
        return Observation(work.item_id, failed=line(f"it cannot be opened: {error or type(error).__name__}"))


def pixels(one: Shown | Observation) -> int:
    """How much room an opened image takes."""
    return max(_LEAST_PIXELS, one.image.width * one.image.height if isinstance(one, Shown) else 0)


def guarded(perceiver: Perceiver, folder: Path | None = None) -> Guarded:
    """A perceiver that no single image breaks. Of whoever opens a model: once, and kept for the whole run.

    Args:
        perceiver: models in memory.
        folder: the run's, where what it looks at is noted, so that an image that kills its process is found. None: it is not.
    """
    return perceiver if isinstance(perceiver, Guarded) else Guarded(perceiver, folder)


class Guarded:
    """See ``guarded``. Its results are in order, and as many as the images.

    Attributes:
        warnings: what looked odd when the model was opened, or since.
        halved: how many times the memory did not suffice, and half as many images went at once from then on.
    """

    def __init__(self, perceiver: Perceiver, folder: Path | None = None) -> None:
        self._odd = tuple(map(line, getattr(perceiver, "warnings", ())))
        self._careful = Careful(partial(_perceived, perceiver), lambda one: one.item_id, _plain, "image", DIED, folder)

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
            Observation(shown.item_id, failed=line(one.reason)) if isinstance(one, Failed) else one
            for shown, one in zip(batch, found, strict=True)
        ]


def _perceived(perceiver: Perceiver, batch: Sequence[Shown]) -> list[Observation]:
    """What can be kept of what is seen.

    Raises:
        ValueError: it is about other images, or it cannot be written.
    """
    seen = perceiver.perceive(batch)
    if [one.item_id for one in seen] != [one.item_id for one in batch]:
        raise ValueError("it said something of other images than it was shown")
    for one in seen:
        json.dumps(one.payload, allow_nan=False)
    return seen


def _plain(shown: Shown) -> Shown:
    """The same question of a picture in which nothing can be odd: 256 x 256, black to white."""
    return replace(shown, image=Image.linear_gradient("L").convert("RGB"))


def line(text: object) -> str:
    """One line for people, not too long."""
    return printable(" ".join(str(text).split()))[:_REASON_LIMIT]
