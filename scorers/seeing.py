"""A part of a run as it is seen: images opened, shown to a model, and what fails said of each, alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from data.images import ImageError, open_image
from data.prompts.questions import question_of
from data.prompts.reading import printable
from data.prompts.spec import SpecError, parse_spec
from data.runs import Seen, Work
from scorers.base import ModelBroken, Perceiver, Shown

_REASON_LIMIT: Final = 300
_LEAST_PIXELS: Final = 1 << 16
"""What an image counts as at least, so that tiny ones are not opened by the ten thousand."""


def see(perceiver: Perceiver, images: Sequence[Shown | Seen]) -> list[Seen]:
    """What is seen of each, in order. An image that could not be opened, or breaks the model, fails alone."""
    good = [one for one in images if isinstance(one, Shown)]
    seen = {one.item_id: one for one in images if isinstance(one, Seen)}
    seen |= {one.item_id: one for one in _perceived(perceiver, good)}
    return [seen[one.item_id] for one in images]


def opened(work: Work, base: Path) -> Shown | Seen:
    """What a scorer is shown of this work, whose path may be below ``base``; or why it cannot be."""
    try:
        image = open_image(base / work.path, work.sha256 or None)
        questions = tuple(question_of(one) for one in work.questions)
        return Shown(
            work.item_id, image, work.text, parse_spec(work.spec), questions, work.version, tuple(work.captions), work.right
        )
    except ImageError as error:
        return Seen(work.item_id, failed=line(error.reason))
    except SpecError as error:
        return Seen(work.item_id, failed=line(f"the prompt's spec cannot be read: {error}"))
    except TypeError as error:
        return Seen(work.item_id, failed=line(f"the prompt's questions cannot be read: {error}"))


def pixels(one: Shown | Seen) -> int:
    """How much room an opened image takes."""
    return max(_LEAST_PIXELS, one.image.width * one.image.height if isinstance(one, Shown) else 0)


def _perceived(perceiver: Perceiver, shown: Sequence[Shown]) -> list[Seen]:
    if not shown:
        return []
    try:
        return perceiver.perceive(shown)
    except ModelBroken:
        raise
    except Exception as whole:
        alone: list[Seen] = []
        for one in shown:
            try:
                alone += perceiver.perceive([one])
            except ModelBroken:
                raise
            except Exception as error:
                alone.append(Seen(one.item_id, failed=line(f"the model failed: {error or type(error).__name__}")))
        # one picture may be odd; if all are, it is not the pictures
        if len(shown) > 1 and all(one.failed is not None for one in alone):
            raise RuntimeError(f"the model fails on every image: {whole or type(whole).__name__}") from whole
        return alone


def line(text: object) -> str:
    """One line for people, not too long."""
    return printable(" ".join(str(text).split()))[:_REASON_LIMIT]
