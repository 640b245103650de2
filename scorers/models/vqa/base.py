"""What every visual question answering model is to a scorer: questions with choices in, the chosen ones out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from scorers.models.sanity_check import photographs

Matched = Literal["likelihood", "equal", "similar"]
"""How an answer became one of the choices: the likeliest of them by the model; its free answer is one of them (but for case
and spaces); the choice whose sentence embedding is nearest to the free answer (TIFA, section 3.3)."""


@dataclass(frozen=True, slots=True)
class VqaQuestion:
    """One question about an image, with at least two distinct choices."""

    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VqaAnswer:
    """What a model answered.

    Attributes:
        chosen: one of the choices, as written there.
        probabilities: of each choice, summing to 1; None where the model answers freely.
        free: the model's own words; None where it is asked for no words.
        matched: how it became ``chosen``; ``similarity``: the cosine that decided, where it was ``similar``.
    """

    chosen: str
    probabilities: tuple[float, ...] | None
    free: str | None
    matched: Matched
    similarity: float | None = None


class Vqa(Protocol):
    """A model in memory. An image's features are computed once for all its questions, where the architecture allows it, and
    questions are batched across images."""

    def answer(self, images: Sequence[Image.Image], queries: Sequence[Sequence[VqaQuestion]]) -> list[list[VqaAnswer]]:
        """The answers to each image's questions, in their order; an image may have none.

        Args:
            images: upright, RGB, of any size.
            queries: those of each image.

        Raises:
            ValueError: a question that this model cannot be asked, in one clear line.
        """
        ...

    def likelihood(self, images: Sequence[Image.Image], questions: Sequence[str], answer: str) -> NDArray[np.float64]:
        """(n,) the model's probability of saying ``answer`` (among all that it could say) to each image's one question.

        VQAScore (Lin et al., 2024) is that of "Yes".

        Raises:
            ValueError: this model gives no such probability.
        """
        ...


def check_vqa(vqa: Vqa, name: str) -> tuple[str, ...]:
    """A line for each question about a photograph that a model answers wrongly: whether there are people, and whether a pizza.

    Nothing is said of the playground's model, which knows drawings only.

    Raises:
        ModelBroken: its numbers are not those of a working model.
    """
    from scorers.models.vqa.base import VqaQuestion

    photos = photographs()
    if not photos or name.startswith("assets/playground/"):
        return ()
    expected = {"Are there people in the picture?": "yes", "Is there a pizza in the picture?": "no"}
    queries = [VqaQuestion(text, ("yes", "no")) for text in expected]
    answers = vqa.answer(list(photos.values()), [queries] * len(photos))
    return tuple(
        f"on a known photograph ({photo}) the model answers {answer.chosen!r} to {query.text!r}: its weights may be wrong, or"
        " broken on this device"
        for photo, some in zip(photos, answers, strict=True)
        for query, answer in zip(queries, some, strict=True)
        if answer.chosen != expected[query.text]
    )
