"""Captions to choose among: image-text matching (SelfEval, section 4.1).

A prompt of a matching suite brings them in its spec: ``{"captions": [...], "right": 0, "group"?: "..."}``; its text is the
right one. Of any other prompt they are its text and what is false of an image that shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data.prompts.negatives import wrong_captions
from data.prompts.reading import quoted
from data.prompts.spec import SpecError


@dataclass(frozen=True, slots=True)
class Candidates:
    """Two captions or more, all different; ``right`` is the place of the one that fits."""

    captions: tuple[str, ...]
    right: int = 0


def candidates(text: str, spec: Mapping[str, Any]) -> Candidates | None:
    """What to choose among: the spec's captions, or the text and what ``negatives`` make of it. None if there is nothing but
    the text, or the spec cannot be read."""
    try:
        if "captions" in spec:
            return of_spec(spec)
        wrong = wrong_captions(text, spec)
    except SpecError:
        return None
    return Candidates((text, *wrong)) if wrong and text.strip() else None


def of_spec(spec: Mapping[str, Any]) -> Candidates:
    """What a matching suite's spec says.

    Raises:
        SpecError: there are fewer than two different captions, one is empty or no text, or ``right`` is none of them.
    """
    captions, right = spec.get("captions"), spec.get("right", 0)
    if not isinstance(captions, list | tuple) or not all(isinstance(one, str) and one.strip() for one in captions):
        raise SpecError("'captions' must be a list of texts, none of them empty")
    if len(captions) < 2 or len(set(captions)) < len(captions):
        raise SpecError("'captions' must be two or more, all different")
    if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < len(captions):
        raise SpecError(f"'right' must be the place of a caption, 0 to {len(captions) - 1}, got {quoted(right)}")
    return Candidates(tuple(captions), right)
