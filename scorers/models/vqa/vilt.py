"""ViLT trained on VQA (Kim et al., 2021): one of 3,129 answers to a question of at most 40 tokens.

The likeliest of its answers is taken for a free one and matched with the choices: it gives no probabilities of these. Patches
and words go through all layers together, so that nothing but the cutting into patches can be done once an image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from PIL import Image
from transformers import ViltForQuestionAnswering

from scorers.models.vqa.model import FREE, VqaModel, pad_tokens


@dataclass(frozen=True, slots=True, eq=False)
class Patches:
    """Of images, n x P x d, and which of the P are there."""

    states: torch.Tensor
    there: torch.Tensor


class Vilt(VqaModel):
    """See ``VqaModel``; ``answering`` is ``free``."""

    def __init__(self, name: str, device: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, device, settings, (FREE,))
        self._load(ViltForQuestionAnswering)
        self._tokenizer, self._process = self._processor.tokenizer, self._processor.image_processor

    def _look(self, images: Sequence[Image.Image]) -> Patches:
        read = self._process(images=list(images), return_tensors="pt").to(self.device)
        # it puts patches in a random order, which is of no meaning but for the last digits
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(0)
            states, there, _ = self._model.vilt.embeddings.visual_embed(
                read["pixel_values"], read["pixel_mask"], self._model.config.max_image_length
            )
        self._soundness.check(read["pixel_values"], states)
        return Patches(states, there)

    def _say(self, seen: Patches, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        listed = self._tokenizer(list(prompts), return_token_type_ids=False)["input_ids"]
        self._fits(listed, prompts, self._model.config.max_position_embeddings)
        ids, there = pad_tokens(listed, self._tokenizer.pad_token_id, self.device)
        logits = self._model(
            input_ids=ids,
            attention_mask=there,
            token_type_ids=torch.zeros_like(ids),
            image_embeds=seen.states[list(rows)],
            pixel_mask=seen.there[list(rows)],
        ).logits
        if not bool(torch.isfinite(logits).all()):
            raise ValueError(f"{self.name} gives no finite numbers for it")
        return [self._model.config.id2label[k] for k in logits.argmax(-1).tolist()]

    def answer_length(self, answer: str) -> int:
        """See ``Vqa``."""
        raise ValueError(f"{self.name} chooses one of its own answers: it gives no probability of {answer!r}")

    def _weigh(
        self,
        seen: Any,  # noqa: ARG002
        rows: Sequence[int],  # noqa: ARG002
        prompts: Sequence[str],  # noqa: ARG002
        answers: Sequence[Sequence[str]],  # noqa: ARG002
    ) -> list[list[float]]:
        raise ValueError(f"{self.name} chooses one of its own answers: it gives no probability of any other")
