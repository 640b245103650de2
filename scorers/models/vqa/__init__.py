"""Models that answer questions about images: questions with choices in, the chosen ones out. Nothing heavy is imported before
one is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Settings = Mapping[str, Any]
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
        """(n,) the model's probability of saying ``answer`` (among all that it could say) to each image's one question: the
        product over the answer's tokens.

        Raises:
            ValueError: this model gives no such probability.
        """
        ...

    def answer_length(self, answer: str) -> int:
        """Of how many tokens' probabilities ``likelihood`` is the product, the end of the reply included where it counts."""
        ...


def check_vqa(vqa: Vqa, name: str) -> tuple[str, ...]:
    """A line for each question about a photograph that a model answers wrongly: whether there are people, and whether a pizza.

    Nothing is said of the playground's model, which knows drawings only.

    Raises:
        ModelBroken: its numbers are not those of a working model.
    """
    from scorers.models.sanity_check import photographs

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


FAMILIES: Final = {
    "blip": "blip:Blip",
    "blip-2": "blip2:Blip2",
    "clip_t5": "clip_t5:ClipT5",
    "git": "git:Git",
    "instructblip": "blip2:InstructBlip",
    "vilt": "vilt:Vilt",
}
"""Module and class, by what a model's configuration calls itself (``model_type``); all others that transformers counts among
those which make text of an image and text are asked as in a chat."""


def open_vqa(name: str, device: str, settings: Settings) -> Vqa:
    """Load a model.

    Args:
        name: a folder as ``save_pretrained`` writes it, with its processor's files, or a hub id.
        device: as torch names it.
        settings: ``answering`` (see ``scorers.models.vqa.model``), ``sentences`` (the model that free answers are matched
            with), and what the class of the model says; others are not looked at.

    Raises:
        ValueError: there is no such model, its kind is not known, its weights do not fit, or a setting makes no sense.
        OSError: it is not on this machine.
    """
    from scorers.models.files import folder
    from scorers.models.pretrained import config_of

    # transformers learns of its configuration
    import_module(f"{__name__}.clip_t5")

    if folder(name) is None and "/" not in name:
        raise ValueError(f"there is no model {name} that answers questions: a folder, or a hub id (owner/name)")
    config = config_of(name)
    where = FAMILIES.get(config.model_type)
    if where is None:
        from transformers import AutoModelForImageTextToText

        if type(config) not in AutoModelForImageTextToText._model_mapping:
            known = ", ".join(sorted(FAMILIES))
            raise ValueError(f"{name} is a model of type {config.model_type}; known: {known}, and those that chat about images")
        where = "chat:Chat"
    module, _, kind = where.partition(":")
    opened: Vqa = getattr(import_module(f"{__name__}.{module}"), kind)(name, device, settings)
    return opened
