"""BLIP-2 (Li et al., 2023) and InstructBLIP (Dai et al., 2023) with Flan-T5.

The image becomes 32 vectors, which come before the question's. BLIP-2's do not depend on the question and are computed once an
image; InstructBLIP's do (its Q-Former reads the question, too), so that only the image encoder is shared. The language model
reads many questions at once, and each question once for all its choices.

As TIFA asked BLIP-2 (LAVIS): ``TEMPLATE``, and in ``answering`` ``free`` five beams and 30 tokens at most.
Weights are bfloat16 on a GPU (in float16 Flan-T5 overflows), float32 on the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import torch
from PIL import Image
from transformers import Blip2ForConditionalGeneration, InstructBlipForConditionalGeneration
from transformers.modeling_outputs import BaseModelOutput

from scorers.models.pretrained import config_of
from scorers.models.vqa import VqaQuestion
from scorers.models.vqa.model import (
    CHOICES,
    FREE,
    KeysAndValues,
    VqaModel,
    cross_attention_cache,
    large_model_dtype,
    layers_of,
    pad_tokens,
    sum_log_probabilities,
)

TEMPLATE: Final = "Answer the multiple-choice question. Question: {question} Choices: {choices} Answer:"
BEAMS: Final = 5
LONGEST: Final = 30

_ANSWERS: Final = 64
"""That go through the decoder at once."""
_READ: Final = 512
"""Tokens of a question at most: Flan-T5 was trained with so many."""


class Blip2(VqaModel):
    """See ``VqaModel``; ``answering`` is ``choices`` or ``free``.

    Raises:
        ValueError: its language model is not an encoder and decoder (OPT, Vicuna).
    """

    kind: Any = Blip2ForConditionalGeneration

    def __init__(self, name: str, device: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, device, settings, (CHOICES, FREE))
        self._open()

    def _open(self) -> None:
        if config_of(self.name).use_decoder_only_language_model:
            raise ValueError(f"{self.name} has a language model that only decodes; known: those with Flan-T5")
        self._load(self.kind, large_model_dtype(self.device))
        self._text = self._model.language_model
        self._tokenizer = self._processor.tokenizer

    def _prompt(self, query: VqaQuestion) -> str:
        return TEMPLATE.format(question=query.text, choices=", ".join(query.choices))

    def _pixels(self, images: Sequence[Image.Image]) -> torch.Tensor:
        made: torch.Tensor = self._processor.image_processor(images=list(images), return_tensors="pt")["pixel_values"]
        return made.to(self.device, self._model.dtype)

    def _look(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """n x 32 x d, as the language model reads it."""
        pixels = self._pixels(images)
        features: torch.Tensor = self._model.get_image_features(pixels).pooler_output
        self._soundness.check(pixels, features)
        return features

    def _features(self, seen: torch.Tensor, rows: Sequence[int], prompts: Sequence[str]) -> torch.Tensor:  # noqa: ARG002
        """Of each prompt, the image's vectors."""
        return seen[list(rows)]

    def _read(self, seen: Any, rows: Sequence[int], prompts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        """The language model's states of image and prompt, n x L x d, and which of L are there."""
        listed = self._tokenizer(list(prompts), return_token_type_ids=False)["input_ids"]
        self._fits(listed, prompts, _READ)
        ids, there = pad_tokens(listed, self._text.config.pad_token_id, self.device)
        image = self._features(seen, rows, prompts)
        words = self._text.get_input_embeddings()(ids)
        there = torch.cat([there.new_ones(image.shape[:2]), there], dim=1)
        inputs = torch.cat([image.to(words.dtype), words], dim=1)
        return self._text.get_encoder()(inputs_embeds=inputs, attention_mask=there).last_hidden_state, there

    def _weigh(
        self, seen: Any, rows: Sequence[int], prompts: Sequence[str], answers: Sequence[Sequence[str]]
    ) -> list[list[float]]:
        states, there = self._read(seen, rows, prompts)
        begun = self._text.config.decoder_start_token_id
        first = self._text(
            encoder_outputs=BaseModelOutput(states),
            attention_mask=there,
            decoder_input_ids=torch.full((len(rows), 1), begun, device=self.device),
            use_cache=True,
        )
        # what the decoder looks at is the same for all answers to a question
        known = layers_of(first.past_key_values.cross_attention_cache)
        tokens = [[[begun, *self._answer_tokens(answer)] for answer in some] for some in answers]
        return self._weigh_tokens(answers, tokens, partial(self._weighed, known, states, there), _ANSWERS)

    def answer_length(self, answer: str) -> int:
        """See ``Vqa``; the end counts."""
        return len(self._answer_tokens(answer))

    def _answer_tokens(self, answer: str) -> list[int]:
        ids: list[int] = self._tokenizer(answer)["input_ids"]
        self._fits([ids], [answer], _READ)
        return ids

    def _weighed(
        self,
        known: KeysAndValues,
        states: torch.Tensor,
        there: torch.Tensor,
        owners: Sequence[int],
        answer_tokens: Sequence[Sequence[int]],
    ) -> list[float]:
        """Of answers in tokens the logarithms of their probabilities; ``owners``: the question of each."""
        ids, shown = pad_tokens(answer_tokens, self._text.config.pad_token_id, self.device)
        logits = self._text(
            encoder_outputs=BaseModelOutput(states[list(owners)]),
            attention_mask=there[list(owners)],
            decoder_input_ids=ids[:, :-1],
            decoder_attention_mask=shown[:, :-1],
            past_key_values=cross_attention_cache(known, owners),
            use_cache=True,
        ).logits
        where = shown[:, 1:].bool()
        return sum_log_probabilities(logits[where], ids[:, 1:], where)

    def _say(self, seen: Any, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        states, there = self._read(seen, rows, prompts)
        ids = self._text.generate(
            encoder_outputs=BaseModelOutput(states),
            attention_mask=there,
            num_beams=BEAMS,
            do_sample=False,
            max_new_tokens=LONGEST,
        )
        return [text.strip() for text in self._tokenizer.batch_decode(ids, skip_special_tokens=True)]


class InstructBlip(Blip2):
    """See ``Blip2``."""

    kind = InstructBlipForConditionalGeneration

    def _look(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """n x places x d, as the Q-Former looks at it."""
        pixels = self._pixels(images)
        features: torch.Tensor = self._model.vision_model(pixel_values=pixels).last_hidden_state
        self._soundness.check(pixels, features)
        return features

    def _features(self, seen: torch.Tensor, rows: Sequence[int], prompts: Sequence[str]) -> torch.Tensor:
        config = self._model.config.qformer_config
        listed = self._processor.qformer_tokenizer(list(prompts), return_token_type_ids=False)["input_ids"]
        self._fits(listed, prompts, config.max_position_embeddings)
        ids, there = pad_tokens(listed, config.pad_token_id, self.device)
        asking = self._model.query_tokens.expand(len(rows), -1, -1)
        output: torch.Tensor = self._model.qformer(
            input_ids=ids,
            attention_mask=torch.cat([there.new_ones(asking.shape[:2]), there], dim=1),
            query_embeds=asking,
            encoder_hidden_states=seen[list(rows)],
        ).last_hidden_state
        projected: torch.Tensor = self._model.language_projection(output[:, : asking.shape[1]])
        return projected
