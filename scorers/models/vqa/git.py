"""GIT trained on VQA (Wang et al., 2022): one decoder over the image's patches, then the question, then the answer.

Patches do not look at words, so what they are to every layer (keys and values) is computed once an image and put before each
question. The question is [CLS] and its tokens, without [SEP], as the published model was trained; an answer ends with [SEP].
``free``, TIFA's way, answers token by token with the likeliest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import torch
from PIL import Image
from transformers import GitForCausalLM

from scorers.models.pretrained import crop_long_image, to_device
from scorers.models.vqa.model import (
    CHOICES,
    FREE,
    KeysAndValues,
    VqaModel,
    cache_of_rows,
    layers_of,
    pad_tokens,
    split_batches,
    sum_log_probabilities,
)

LONGEST: Final = 30
"""Tokens of a free answer at most."""

_ANSWERS: Final = 16
"""That go through at once: each remembers an image, 57 MB of the large model."""


class Git(VqaModel):
    """See ``VqaModel``; ``answering`` is ``free`` or ``choices``."""

    def __init__(self, name: str, device: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, device, settings, (FREE, CHOICES))
        self._load(GitForCausalLM)
        self._tokenizer, self._process = self._processor.tokenizer, self._processor.image_processor
        self._filling = self._model.config.pad_token_id
        self._most = self._model.config.max_position_embeddings

    def _look(self, images: Sequence[Image.Image]) -> KeysAndValues:
        """What each image's patches are to each layer."""
        middles = [crop_long_image(image) for image in images]
        pixels = to_device(self._process(images=middles, return_tensors="pt")["pixel_values"], self.device)
        begun = torch.full((len(images), 1), self._tokenizer.cls_token_id, device=self.device)
        output = self._model.git(input_ids=begun, pixel_values=pixels, use_cache=True)
        # without the one word that the model wants to be given
        known = [(keys[:, :, :-1], values[:, :, :-1]) for keys, values in layers_of(output.past_key_values)]
        self._soundness.check(pixels, known[-1][1])
        return known

    def _weigh(
        self, seen: KeysAndValues, rows: Sequence[int], prompts: Sequence[str], answers: Sequence[Sequence[str]]
    ) -> list[list[float]]:
        question_tokens = self._question_tokens(prompts)
        tokens = [[[*self._tokens(answer), self._tokenizer.sep_token_id] for answer in some] for some in answers]

        def weigh(owners: list[int], answer_tokens: list[list[int]]) -> list[float]:
            whole = [[*question_tokens[k], *ids] for k, ids in zip(owners, answer_tokens, strict=True)]
            self._fits(whole, [prompts[0]] * len(whole), self._most)
            ids, there = pad_tokens(whole, self._filling, self.device)
            states = self._forward(cache_of_rows(seen, [rows[k] for k in owners]), ids[:, :-1], there[:, :-1])
            where = there[:, 1:].bool()
            for at, k in enumerate(owners):
                where[at, : len(question_tokens[k]) - 1] = False
            return sum_log_probabilities(self._model.output(states[where]), ids[:, 1:], where)

        return self._weigh_tokens(answers, tokens, weigh, _ANSWERS)

    def _say(self, seen: KeysAndValues, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        return [
            text
            for part in split_batches(list(zip(rows, prompts, strict=True)), _ANSWERS)
            for text in self._generate(seen, part)
        ]

    def _generate(self, seen: KeysAndValues, pairs: Sequence[tuple[int, str]]) -> list[str]:
        questions = self._question_tokens([prompt for _, prompt in pairs])
        self._fits(questions, [prompt for _, prompt in pairs], self._most - LONGEST)
        ids, there = pad_tokens(questions, self._filling, self.device)
        cache = cache_of_rows(seen, [row for row, _ in pairs])
        lengths = there.sum(1)
        states = self._forward(cache, ids, there)[torch.arange(len(pairs), device=self.device), lengths - 1]
        end = self._tokenizer.sep_token_id
        ended = torch.zeros_like(lengths, dtype=torch.bool)
        tokens: list[torch.Tensor] = []
        for k in range(LONGEST):
            token = self._model.output(states).argmax(-1).masked_fill(ended, end)
            tokens.append(token)
            ended |= token == end
            if k + 1 == LONGEST or bool(ended.all()):
                break
            there = torch.cat([there, there.new_ones(len(pairs), 1)], dim=1)
            states = self._forward(cache, token[:, None], there, (lengths + k)[:, None])[:, 0]
        texts: list[str] = self._tokenizer.batch_decode(torch.stack(tokens, dim=1), skip_special_tokens=True)
        return [text.strip() for text in texts]

    def _forward(self, cache: Any, ids: torch.Tensor, there: torch.Tensor, places: torch.Tensor | None = None) -> torch.Tensor:
        """States of words that come after what the cache holds, n x L x d; ``there``: which of all words so far are."""
        if places is None:
            places = torch.arange(ids.shape[1], device=self.device).expand(len(ids), -1)
        states: torch.Tensor = self._model.git(
            input_ids=ids, attention_mask=there, position_ids=places, past_key_values=cache, use_cache=True
        ).last_hidden_state
        return states

    def _question_tokens(self, prompts: Sequence[str]) -> list[list[int]]:
        return [[self._tokenizer.cls_token_id, *self._tokens(prompt)] for prompt in prompts]

    def answer_length(self, answer: str) -> int:
        """See ``Vqa``; the end counts."""
        return len(self._tokens(answer)) + 1

    def _tokens(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])
