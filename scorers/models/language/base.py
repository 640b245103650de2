"""What a language model gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote about one caption.

    Attributes:
        text: as it came.
        tokens_in, tokens_out: of the prompt and of the text; None if the model does not say.
        finished: the model came to its end, and was not cut off for length.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    finished: bool = True


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a model wrote nothing about one caption, in one line."""

    reason: str
